"""Pairs in which a tokenizer does not give back what it was given."""

from __future__ import annotations

from ..reference.pair import Pair
from . import quirks
from .pairs import Shelf, bigram
from .texts import Cleaner, Normaliser
from .tokenizers import greedy

QUIRKY = Shelf()

_E, _ACUTE, _E_ACUTE = "e", "\N{COMBINING ACUTE ACCENT}", "\N{LATIN SMALL LETTER E WITH ACUTE}"


@QUIRKY.pair("lower-casing-drafter", "the drafter reads A as a: different contexts look the same")
def lower_casing_drafter() -> Pair:
    """T = {A, a, b}; the drafter never proposes A, and cannot tell that the target said it."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/2 1/2", "1/3 0 2/3", "1/4 3/4 0"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["A", "a", "b"]),
        quirks.lower_casing(),
    )


@QUIRKY.pair("lower-casing-target", "drafts A and a become one candidate")
def lower_casing_target() -> Pair:
    """The target may say A, but its tokenizer turns every drafted A into a."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/2 0 1/2", "0 2/3 1/3", "1/2 1/2 0"),
        bigram("1/2 1/4 1/4", "1/2 1/2 0", "1/3 0 2/3", "0 1/4 3/4"),
        greedy(["A", "a", "b"], normalisers=[Normaliser.LOWER_CASE]),
        greedy(["a", "A", "b"]),
    )


@QUIRKY.pair("composing-drafter", "the drafter reads e and a combining accent as one letter")
def composing_drafter() -> Pair:
    """The target says e, accent in two tokens; Unicode's composed form is the drafter's one."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/3 2/3 0", "1/2 0 1/2", "3/4 0 1/4"),
        bigram("1/2 0 1/2", "1/4 3/4 0", "2/3 0 1/3", "1/2 0 1/2"),
        greedy([_E, _ACUTE, _E_ACUTE]),
        quirks.composing(),
    )


@QUIRKY.pair("composing-target", "drafted e and accent become the target's one letter")
def composing_target() -> Pair:
    """Both spellings of the letter are one candidate, the composed one."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/2 1/6 1/3", "2/3 0 1/3", "1/2 0 1/2"),
        bigram("1/3 1/3 1/3", "0 2/3 1/3", "1/2 0 1/2", "1 0 0"),
        quirks.composing(),
        greedy([_E, _ACUTE, _E_ACUTE]),
    )


@QUIRKY.pair("stripping-drafter", "the drafter does not see a space at the end of its context")
def stripping_drafter() -> Pair:
    """After a space the drafter reads the context without it, and proposes another."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/2 1/2", "1/4 3/4", "1/2 1/2"),
        greedy(["a", " "]),
        quirks.space_stripping(),
    )


@QUIRKY.pair("stripping-target", "spaces at either end of a draft are lost; a draft may be nothing")
def stripping_target() -> Pair:
    """A draft of spaces alone proposes nothing at all."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/2 1/2", "1/4 3/4", "1/2 1/2"),
        quirks.space_stripping(),
        greedy(["a", " "]),
    )


@QUIRKY.pair("collapsing-drafter", "the drafter reads many spaces as one")
def collapsing_drafter() -> Pair:
    """Contexts that differ in the number of spaces look the same to the drafter."""
    return Pair(
        bigram("1/2 1/2", "1/4 3/4", "1/2 1/2"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", " "]),
        quirks.space_collapsing(),
    )


@QUIRKY.pair("collapsing-target", "drafts that differ in spaces become one candidate")
def collapsing_target() -> Pair:
    """Two drafted spaces propose one token, or a single token for both."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/3 2/3", "1/2 1/2 0", "0 1 0"),
        bigram("1/3 2/3", "1/4 3/4", "1/3 2/3"),
        greedy(["a", " ", " a"], normalisers=[Normaliser.COLLAPSE_SPACES]),
        greedy(["a", " "]),
    )


@QUIRKY.pair("prefix-space-drafter", "the drafter puts a space before its context", prompt=(2,))
def prefix_space_drafter() -> Pair:
    """After a prompt without text, contexts a and " a" look the same to the drafter."""
    return Pair(
        bigram("1/2 1/2 0", "1/4 3/4 0", "2/3 1/3 0", "1/2 1/2 0"),
        bigram("1/3 1/3 1/3", "1/2 0 1/2", "1 0 0", "1/4 3/4 0"),
        greedy(["a", " ", None]),
        quirks.prefix_space(),
    )


@QUIRKY.pair("prefix-space-target", "the target puts a space before every draft it encodes")
def prefix_space_target() -> Pair:
    """Drafts a and " a" are the same candidate, and a alone is never proposed first."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/3 2/3", "1/2 0 1/2", "0 1/4 3/4"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        quirks.prefix_space(),
        greedy(["a", " "]),
    )


@QUIRKY.pair(
    "prefix-space-undone", "both sides add a first space on encoding and drop it on decoding"
)
def prefix_space_undone() -> Pair:
    """Round-trips as a whole, but the text of a continuation is not what follows the context."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/3 0 2/3", "1/2 0 1/2", "0 1/4 3/4"),
        bigram("1/2 1/4 1/4", "1/2 0 1/2", "1/3 0 2/3", "1/2 1/2 0"),
        quirks.prefix_space_undone(),
        quirks.prefix_space_undone(),
    )


@QUIRKY.pair("cleaned-context", "the target's text has lost the spaces before full stops")
def cleaned_context() -> Pair:
    """The drafter sees a context that the target did not write."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/2 1/2 0", "0 1/3 2/3", "3/4 0 1/4"),
        bigram("1/2 1/4 1/4", "1/3 2/3 0", "1/4 0 3/4", "1/2 1/2 0"),
        quirks.cleaned_spaces(),
        greedy([".", " ", "a"]),
    )


@QUIRKY.pair("cleaned-draft", "drafted spaces before full stops are gone from the candidates")
def cleaned_draft() -> Pair:
    """Drafts (space, full stop) and (full stop) are one text."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/2 1/2 0", "0 1/3 2/3", "3/4 0 1/4"),
        bigram("1/2 1/4 1/4", "1/4 1/2 1/4", "0 0 1", "1/3 2/3 0"),
        greedy(["a", " ", "."]),
        greedy(["a", " ", "."], cleaners=[Cleaner.SPACE_BEFORE_PUNCTUATION]),
    )


@QUIRKY.pair("unknown-drafter", "the drafter reads b and c as unknown, and may draft the unknown")
def unknown_drafter() -> Pair:
    """A drafted unknown reads as U+FFFD, which the target cannot encode."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/3 2/3", "1/2 1/2 0", "1/4 0 3/4"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", "b", "c"]),
        quirks.unknown_token(),
    )


@QUIRKY.pair("unknown-target", "drafts b and c become the target's unknown token")
def unknown_target() -> Pair:
    """The target may say unknown; its text then is U+FFFD, which the drafter cannot encode."""
    return Pair(
        bigram("1/2 1/2", "2/3 1/3", "3/4 1/4"),
        bigram("1/2 1/4 1/4", "1/3 1/3 1/3", "1/2 1/2 0", "0 1/4 3/4"),
        quirks.unknown_token(),
        greedy(["a", "b", "c"]),
    )


@QUIRKY.pair("bytes-drafter", "the drafter falls back on bytes and may stop inside a character")
def bytes_drafter() -> Pair:
    """A draft that ends inside é reads as U+FFFD, which the target cannot encode."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/2 1/2 0", "1/3 2/3 0", "0 0 1", "1/2 1/2 0"),
        greedy(["a", _E_ACUTE]),
        quirks.byte_fallback(),
    )


@QUIRKY.pair(
    "bytes-target", "the target falls back on bytes: its context may end inside a character"
)
def bytes_target() -> Pair:
    """The drafter cannot encode such a context; the target may also say bytes that never join."""
    return Pair(
        bigram("1/2 1/2 0", "1/3 2/3 0", "1/4 0 3/4", "1/2 1/4 1/4"),
        bigram("1/2 1/2", "1/4 3/4", "2/3 1/3"),
        quirks.byte_fallback(),
        greedy(["a", _E_ACUTE]),
    )


@QUIRKY.pair("begin-drafter", "the drafter puts its beginning of sequence before every context")
def begin_drafter() -> Pair:
    """The drafter may also draft the beginning, which decodes to nothing."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("0 0 1", "1/2 1/2 0", "1/3 1/3 1/3", "1/4 3/4 0"),
        greedy(["a", "b"]),
        quirks.begin_of_sequence(),
    )


@QUIRKY.pair("begin-target", "the target puts its beginning of sequence before every draft")
def begin_target() -> Pair:
    """Every first candidate is the beginning, which this target says now and then."""
    return Pair(
        bigram("0 0 1", "1/2 0 1/2", "1/3 2/3 0", "0 1 0"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        quirks.begin_of_sequence(),
        greedy(["a", "b"]),
    )


@QUIRKY.pair("skipped-special", "a drafted bar is text to the drafter and a special to the target")
def skipped_special() -> Pair:
    """The target's special decodes to nothing, so the drafter never sees it in its context."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/3 2/3", "1/2 1/2 0", "1 0 0"),
        bigram("1/2 1/4 1/4", "1/2 0 1/2", "1/3 0 2/3", "1/2 1/2 0"),
        quirks.skipped_special(),
        greedy(["a", "b", "|"]),
    )
