"""Pairs over two vocabularies that cut the same text in different places, or cannot cut it."""

from __future__ import annotations

from ..reference.pair import Pair
from .pairs import Shelf, bigram, context_free
from .tokenizers import bpe, greedy, unigram

SEGMENTED = Shelf()


@SEGMENTED.pair("merging-target", "the target has a token for what the drafter says in two")
def merging_target() -> Pair:
    """T = {a, b, ab}, D = {a, b}: drafts a, b become one candidate."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/2 0 1/2", "1/3 2/3 0", "0 1/4 3/4"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", "b", "ab"]),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("crossing-merges", "tokens of either side that straddle the other's boundaries")
def crossing_merges() -> Pair:
    """T = {a, b, ab}, D = {a, b, ba}: a, ba is ab, a."""
    return Pair(
        bigram("1/3 1/3 1/3", "1/2 0 1/2", "1/4 0 3/4", "2/3 1/3 0"),
        bigram("1/4 1/4 1/2", "1/2 0 1/2", "1/3 2/3 0", "0 1/2 1/2"),
        greedy(["a", "b", "ab"]),
        greedy(["a", "b", "ba"]),
    )


@SEGMENTED.pair("composition", "counting the ways to compose a token is not the law of candidates")
def composition() -> Pair:
    """T = {a, b, ab} with p uniform, D = {a, b} with q uniform, both context-free."""
    return Pair(
        context_free("1/3 1/3 1/3"),
        context_free("1/2 1/2"),
        greedy(["a", "b", "ab"]),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("retokenized", "re-encoding the context's text each round changes the target's law")
def retokenized() -> Pair:
    """After a the target may say b: the ids (a, b) read as (ab), after which its law is another."""
    return Pair(
        bigram("1/2 1/4 1/4", "1/3 2/3 0", "1/2 0 1/2", "1/4 3/4 0"),
        bigram("1/2 1/2 0", "1/2 1/2 0", "1/3 0 2/3", "0 1 0"),
        greedy(["a", "b", "ab"]),
        greedy(["a", "b", "ba"]),
    )


@SEGMENTED.pair(
    "bpe-greedy", "the same pieces, cut by merges on one side and greedily on the other"
)
def bpe_greedy() -> Pair:
    """aab is (a, ab) by merges and (aa, b) greedily."""
    pieces = ["a", "b", "aa", "ab"]
    return Pair(
        bigram("1/2 1/2 0 0", "1/2 0 0 1/2", "1/3 0 2/3 0", "0 3/4 0 1/4", "1 0 0 0"),
        bigram("1/2 0 1/2 0", "0 1/2 1/2 0", "1/3 0 0 2/3", "1/2 1/2 0 0", "0 0 1 0"),
        bpe(pieces, [("a", "b"), ("a", "a")]),
        greedy(pieces),
    )


@SEGMENTED.pair("unigram-bpe", "cut by scores on one side and by merges on the other", prompt=(1,))
def unigram_bpe() -> Pair:
    """aba is (a, ba) by scores and (ab, a) by merges."""
    return Pair(
        bigram("1/2 1/2 0 0", "0 1/2 0 1/2", "2/3 0 0 1/3", "1/4 0 0 3/4", "1/2 0 1/2 0"),
        bigram("1/2 1/2 0", "1/2 0 1/2", "1 0 0", "1/2 1/2 0"),
        unigram(["a", "b", "ab", "ba"], {"a": -3, "b": -3, "ab": -4, "ba": -2}),
        bpe(["a", "b", "ab"], [("a", "b")]),
    )


@SEGMENTED.pair("many-to-one", "two drafter ids for one text: their masses must be summed")
def many_to_one() -> Pair:
    """p = (3/5, 2/5); the token of 2/5 has two preimages of 1/4 each."""
    return Pair(
        context_free("3/5 2/5"),
        context_free("1/2 1/4 1/4"),
        greedy(["a", "b"]),
        greedy(["a", "b", "b"]),
    )


@SEGMENTED.pair("two-ids-target", "two target ids for one text: encoding never says the second")
def two_ids_target() -> Pair:
    """T = {a, b, b'}, D = {a, b}: b' is emitted, never proposed by way of text."""
    return Pair(
        bigram("1/2 1/4 1/4", "0 1/2 1/2", "1/2 0 1/2", "3/4 1/4 0"),
        bigram("1/2 1/2", "1/3 2/3", "1/2 1/2"),
        greedy(["a", "b", "b"]),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("inexpressible", "a drafter token that no target tokens spell")
def inexpressible() -> Pair:
    """D has bc; no token of T holds a c, so a draft with it has no candidates."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/2 1/4 1/4", "0 1/2 1/2", "1/2 0 1/2", "1 0 0"),
        greedy(["a", "b"]),
        greedy(["a", "b", "bc"]),
    )


@SEGMENTED.pair("empty-intersection", "no token in common, and yet text finds candidates")
def empty_intersection() -> Pair:
    """T = {ab, ba}, D = {a, b}, no end of sequence: token-level methods have nothing to map."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/2 1/2", "1/4 3/4", "2/3 1/3"),
        greedy(["ab", "ba"]),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("unreadable-context", "target text that the drafter cannot encode")
def unreadable_context() -> Pair:
    """D = {a, ab}: after b, b the drafter has nothing to say."""
    return Pair(
        bigram("1/2 1/2", "1/4 3/4", "2/3 1/3"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", "b"]),
        greedy(["a", "ab"], alphabet=["a", "b"]),
    )


@SEGMENTED.pair("unreadable-draft", "draft text that the target cannot encode")
def unreadable_draft() -> Pair:
    """T = {a, ab}: a draft that starts with b, or has b twice, yields no candidate."""
    return Pair(
        bigram("1/2 1/2", "1/4 3/4", "2/3 1/3"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", "ab"], alphabet=["a", "b"]),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("no-proposal", "three drafts in ten yield no candidate at all")
def no_proposal() -> Pair:
    """p = (1/2, 3/10, 1/5) and psi = (1/10, 1/10, 1/2): the target has no spelling of c."""
    return Pair(
        context_free("1/2 3/10 1/5"),
        context_free("1/10 1/10 1/2 3/10"),
        greedy(["a", "b", None], alphabet=["a", "b", "c"], end_of_sequence=2),
        greedy(["a", "b", None, "c"], end_of_sequence=2),
    )


@SEGMENTED.pair("end-in-drafter-only", "the drafter may end a text, the target never does")
def end_in_drafter_only() -> Pair:
    """The drafter's end of sequence corresponds to no target id."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/3 1/3 1/3", "0 1/2 1/2", "2/3 0 1/3", "1 0 0"),
        greedy(["a", "b"]),
        greedy(["a", "b", None], end_of_sequence=2),
    )


@SEGMENTED.pair("end-in-target-only", "the target ends texts, the drafter cannot propose it")
def end_in_target_only() -> Pair:
    """The end of sequence is only ever drawn from the target."""
    return Pair(
        bigram("1/3 1/3 1/3", "1/4 1/2 1/4", "1/2 0 1/2", "1 0 0"),
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        greedy(["a", "b", None], end_of_sequence=2),
        greedy(["a", "b"]),
    )


@SEGMENTED.pair("end-ids-differ", "both sides end texts, by different ids", prompt=(1,))
def end_ids_differ() -> Pair:
    """T = {end, a, b}, D = {a, ab, end}: the two ends correspond by their role."""
    return Pair(
        bigram("1/3 1/3 1/3", "0 1 0", "1/4 1/4 1/2", "1/2 1/2 0"),
        bigram("1/2 1/4 1/4", "1/3 1/3 1/3", "1/2 0 1/2", "1 0 0"),
        greedy([None, "a", "b"], end_of_sequence=0),
        greedy(["a", "ab", None], end_of_sequence=2, alphabet=["a", "b"]),
    )


@SEGMENTED.pair("silent-drafts", "drafts that decode to nothing")
def silent_drafts() -> Pair:
    """The drafter's third id stands for no text, and may be drawn every time."""
    return Pair(
        bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"),
        bigram("1/4 1/4 1/2", "1/2 0 1/2", "0 2/3 1/3", "1/3 0 2/3"),
        greedy(["a", "b"]),
        greedy(["a", "b", None]),
    )


@SEGMENTED.pair("padded", "vocabularies padded to different sizes with ids that stand for nothing")
def padded() -> Pair:
    """The target gives its padding no mass, the drafter does; neither means anything."""
    return Pair(
        bigram("1/2 1/2 0", "1/3 2/3 0", "3/4 1/4 0", "1 0 0"),
        bigram("1/4 1/4 1/4 1/4", "1/2 0 1/2 0", "0 2/3 0 1/3", "1 0 0 0", "0 1 0 0"),
        greedy(["a", "b", None]),
        greedy(["b", "a", None, None]),
    )
