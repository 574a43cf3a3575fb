"""The ways in which real tokenizers fail to round-trip, one small tokenizer for each.

Every function builds one tokenizer and states its laws; the tests try every stated law on all texts
and ids up to a length, and want a counterexample for every law that is denied. `QUIRKS` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..reference.tokenizers import TokenizerLaws
from .texts import Cleaner, Normaliser
from .tokenizers import ToyTokenizer, bpe, greedy, unigram

_ALL = ("injective", "round_trips", "total", "concatenative", "canonical")


def _all_but(*broken: str) -> TokenizerLaws:
    return TokenizerLaws(**{law: law not in broken for law in _ALL})


def characters() -> ToyTokenizer:
    """Pieces a, b. Every law holds: nothing is ambiguous and nothing is lost."""
    return greedy(["a", "b"], laws=_all_but())


def longest_match() -> ToyTokenizer:
    """Greedy over a, b, ab. All laws but canonical: (a, b) and (ab) are one text."""
    return greedy(["a", "b", "ab"], laws=_all_but("canonical"))


def merged_pairs() -> ToyTokenizer:
    """BPE over a, b, aa, ab, merging a+b before a+a. All laws but canonical.

    The text aab is (a, ab) here; greedy over the same pieces says (aa, b).
    """
    return bpe(["a", "b", "aa", "ab"], [("a", "b"), ("a", "a")], laws=_all_but("canonical"))


def best_score() -> ToyTokenizer:
    """Unigram over a, b, ab, ba, where ba scores best. All laws but canonical.

    The text aba is (a, ba) here; greedy over the same pieces says (ab, a).
    """
    scores = {"a": -3, "b": -3, "ab": -4, "ba": -2}
    return unigram(["a", "b", "ab", "ba"], scores, laws=_all_but("canonical"))


def partial() -> ToyTokenizer:
    """Greedy over a, ab. All laws but total: a b without an a before it has no token."""
    return greedy(["a", "ab"], laws=_all_but("total"))


def lower_casing() -> ToyTokenizer:
    """Text is lower-cased, then cut into a, b; texts over A, a, b.

    Total, concatenative, canonical. Not injective and not round-tripping: A and a are both (a).
    """
    return greedy(
        ["a", "b"],
        alphabet=["A", "a", "b"],
        normalisers=[Normaliser.LOWER_CASE],
        laws=_all_but("injective", "round_trips"),
    )


def composing() -> ToyTokenizer:
    """Text is put into Unicode's composed form (NFC); pieces e, the combining acute, é.

    Total and concatenative. Not injective and not round-tripping: e with a combining acute is
    encoded as é. Not canonical: (e, acute) is a text whose encoding is (é).
    """
    return greedy(
        ["e", "\N{COMBINING ACUTE ACCENT}", "\N{LATIN SMALL LETTER E WITH ACUTE}"],
        normalisers=[Normaliser.COMPOSE],
        laws=_all_but("injective", "round_trips", "canonical"),
    )


def space_stripping() -> ToyTokenizer:
    """Spaces at both ends are lost; pieces a and space.

    Total and concatenative. Not injective, not round-tripping, not canonical: a and "a " are (a).
    """
    return greedy(
        ["a", " "],
        normalisers=[Normaliser.STRIP_SPACES],
        laws=_all_but("injective", "round_trips", "canonical"),
    )


def space_collapsing() -> ToyTokenizer:
    """Runs of spaces become one; pieces a and space.

    Total and concatenative. Not injective, not round-tripping, not canonical: two spaces are one.
    """
    return greedy(
        ["a", " "],
        normalisers=[Normaliser.COLLAPSE_SPACES],
        laws=_all_but("injective", "round_trips", "canonical"),
    )


def prefix_space() -> ToyTokenizer:
    """A space is put in front where there is none, and stays on decoding; pieces a, space, " a".

    Total and concatenative. Not injective, not round-tripping, not canonical: a reads as " a".
    """
    return greedy(
        ["a", " ", " a"],
        normalisers=[Normaliser.PREFIX_SPACE],
        laws=_all_but("injective", "round_trips", "canonical"),
    )


def prefix_space_undone() -> ToyTokenizer:
    """A space is always put in front, and one is taken off on decoding; pieces a, space, " a".

    Injective, round-tripping, total. Not concatenative: (" a") is a, twice it is "a a". Not
    canonical: (a) is a text whose encoding is (" a").
    """
    return greedy(
        ["a", " ", " a"],
        normalisers=[Normaliser.PREFIX_SPACE_ALWAYS],
        cleaners=[Cleaner.DROP_FIRST_SPACE],
        laws=_all_but("concatenative", "canonical"),
    )


def cleaned_spaces() -> ToyTokenizer:
    """A space before a full stop is lost on decoding; pieces a, space, full stop.

    Injective (encoding loses nothing) and total. Not round-tripping, not concatenative, not
    canonical: (space, full stop) decodes to a full stop.
    """
    return greedy(
        ["a", " ", "."],
        cleaners=[Cleaner.SPACE_BEFORE_PUNCTUATION],
        laws=_all_but("round_trips", "concatenative", "canonical"),
    )


def unknown_token() -> ToyTokenizer:
    """Characters without a piece become the unknown token; pieces a, unknown; texts over a, b, c.

    Total, concatenative, canonical (the unknown token decodes to U+FFFD, which has no piece).
    Not injective and not round-tripping: b and c are both (unknown).
    """
    return greedy(
        ["a", None],
        alphabet=["a", "b", "c"],
        unknown=1,
        laws=_all_but("injective", "round_trips"),
    )


def byte_fallback() -> ToyTokenizer:
    """Pieces a and the two bytes of é; texts over a, é.

    Injective, round-tripping, total. Not concatenative: the bytes of é decode to U+FFFD one by one.
    Not canonical: U+FFFD, the text of one byte alone, has no encoding.
    """
    return greedy(
        ["a", b"\xc3", b"\xa9"],
        alphabet=["a", "\N{LATIN SMALL LETTER E WITH ACUTE}"],
        laws=_all_but("concatenative", "canonical"),
    )


def two_ids() -> ToyTokenizer:
    """Pieces a, b, b. All laws but canonical: the higher id of b is never the encoding of b."""
    return greedy(["a", "b", "b"], laws=_all_but("canonical"))


def skipped_special() -> ToyTokenizer:
    """A bar in the text is a special token, which decodes to nothing; pieces a, b.

    Texts over a, b, bar. Injective, total, concatenative. Not round-tripping, not canonical: "a|b"
    comes back as ab.
    """
    return greedy(
        ["a", "b", None],
        alphabet=["a", "b", "|"],
        specials={"|": 2},
        laws=_all_but("round_trips", "canonical"),
    )


def begin_of_sequence() -> ToyTokenizer:
    """Every encoding starts with a beginning-of-sequence id; pieces a, b.

    All laws but canonical: ids without the beginning get one when their text is encoded again.
    """
    return greedy(["a", "b", None], begin_of_sequence=2, laws=_all_but("canonical"))


def end_of_sequence() -> ToyTokenizer:
    """Pieces a, b and an end of sequence. All laws but canonical: the end decodes to nothing."""
    return greedy(["a", "b", None], end_of_sequence=2, laws=_all_but("canonical"))


def padded() -> ToyTokenizer:
    """Pieces a, b and two ids that stand for nothing. All laws but canonical."""
    return greedy(["a", "b", None, None], laws=_all_but("canonical"))


#: Every tokenizer of this file, by name.
QUIRKS: Mapping[str, Callable[[], ToyTokenizer]] = MappingProxyType(
    {
        make.__name__: make
        for make in (
            characters,
            longest_match,
            merged_pairs,
            best_score,
            partial,
            lower_casing,
            composing,
            space_stripping,
            space_collapsing,
            prefix_space,
            prefix_space_undone,
            cleaned_spaces,
            unknown_token,
            byte_fallback,
            two_ids,
            skipped_special,
            begin_of_sequence,
            end_of_sequence,
            padded,
        )
    }
)
