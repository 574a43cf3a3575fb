"""Pairs over one vocabulary: both sides hold the same tokenizer, and no text is involved."""

from __future__ import annotations

from ..reference.pair import Pair
from .models import NgramModel, PrunedHead
from .pairs import Shelf, bigram, context_free
from .tokenizers import ToyTokenizer, greedy

SHARED = Shelf()


def _sharing(tokenizer: ToyTokenizer, target: NgramModel, drafter: NgramModel | PrunedHead) -> Pair:
    return Pair(target, drafter, tokenizer, tokenizer)


@SHARED.pair("base", "three tokens, context-free: the pair that most fault reports are checked on")
def base() -> Pair:
    """p = (1/2, 3/10, 1/5), q reversed; no end of sequence."""
    return _sharing(
        greedy(["a", "b", "c"]), context_free("1/2 3/10 1/5"), context_free("1/5 3/10 1/2")
    )


@SHARED.pair("contexts", "laws that depend on the last two tokens, and an end of sequence")
def contexts() -> Pair:
    """Order 3 against order 2: a row shifted by one position, or a stale context, shows here."""
    target = NgramModel(
        3,
        3,
        {
            (): ["1/2", "1/4", "1/4"],
            (0,): ["1/2", "1/3", "1/6"],
            (1,): ["3/4", "1/4", "0"],
            (0, 0): ["1/4", "3/4", "0"],
            (1, 0): ["2/3", "0", "1/3"],
            (0, 1): ["1/5", "4/5", "0"],
        },
    )
    drafter = bigram("1/3 1/3 1/3", "1/2 1/2 0", "1/4 1/2 1/4", "1 0 0")
    return _sharing(greedy(["a", "b", None], end_of_sequence=2), target, drafter)


@SHARED.pair("equal", "p equal to q at every context: every draft is accepted")
def equal() -> Pair:
    """The residual is 0/0 wherever it would be needed, and it never is."""
    model = bigram("1/2 1/4 1/4", "1/3 2/3 0", "2/5 2/5 1/5", "1 0 0")
    return _sharing(greedy(["a", "b", None], end_of_sequence=2), model, model)


@SHARED.pair("disjoint", "p and q have no token in common: every draft is rejected")
def disjoint() -> Pair:
    """The target says a and b only, the drafter c and d only."""
    return _sharing(
        greedy(["a", "b", "c", "d"]),
        bigram("1/2 1/2 0 0", "1/3 2/3 0 0", "3/4 1/4 0 0", "1 0 0 0", "0 1 0 0"),
        bigram("0 0 1/2 1/2", "0 0 1/4 3/4", "0 0 1 0", "0 0 1/2 1/2", "0 0 0 1"),
    )


@SHARED.pair("one-hot", "laws that leave no choice, on either side: ratios of 0, 1 and above 1")
def one_hot() -> Pair:
    """The drafter is certain after every token; the target is after b."""
    return _sharing(
        greedy(["a", "b", "c"]),
        bigram("1/2 1/4 1/4", "1/2 1/3 1/6", "0 0 1", "1/4 3/4 0"),
        bigram("1 0 0", "0 1 0", "0 0 1", "1 0 0"),
    )


@SHARED.pair(
    "pruned-head", "the drafter's output layer has columns for two of three tokens, swapped"
)
def pruned_head() -> Pair:
    """Column 0 is c, column 1 is a; b is never drafted, and the target may well want it."""
    whole = bigram("1/4 1/2 1/4", "1/3 1/3 1/3", "1/6 1/2 1/3", "0 1 0")
    return _sharing(
        greedy(["a", "b", "c"]),
        bigram("1/2 1/4 1/4", "0 2/3 1/3", "1/2 0 1/2", "2/3 1/3 0"),
        PrunedHead(whole, (2, 0)),
    )
