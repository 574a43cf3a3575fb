"""Pairs for requests that ask for something: temperatures, truncation, processors, an end.

Their drafter's laws are even over the ids that they propose, which no such setting changes, so that
it does not matter whether a subject applies the settings to the drafter's rows too.
"""

from __future__ import annotations

from ...reference.pair import Pair
from ...toymodels.pairs import Shelf, bigram, context_free
from .pair_building import shared

REQUESTS = Shelf()

_TARGET = ("4/10 3/10 2/10 1/10", "4/10 3/10 2/10 1/10", "1/10 4/10 3/10 2/10")
_TARGET_REST = ("2/10 1/10 4/10 3/10", "3/10 2/10 1/10 4/10")


@REQUESTS.pair("even-drafter", "the drafter's laws are even over two ids: no setting changes them")
def even_drafter() -> Pair:
    """Four ids; laws of the target that temperatures and truncation all change."""
    return shared(
        bigram(*_TARGET, *_TARGET_REST),
        bigram("1/2 0 1/2 0", "1/2 0 1/2 0", "0 1/2 0 1/2", "1/2 1/2 0 0", "0 0 1/2 1/2"),
    )


@REQUESTS.pair("tied-at-the-cut", "two ids tie for the second place of top-k and top-p")
def tied_at_the_cut() -> Pair:
    """p = (1/4, 1/2, 1/4) everywhere, so that whichever is kept is kept everywhere."""
    return shared(
        context_free("1/4 1/2 1/4"),
        bigram("1/2 1/2 0", "0 1/2 1/2", "1/2 0 1/2", "1/2 1/2 0"),
    )


@REQUESTS.pair("no-repeat", "for a processor that bans the last id; the drafter never repeats 1, 2")
def no_repeat() -> Pair:
    """The drafter is even over ids that the processor allows."""
    return shared(
        bigram("2/5 2/5 1/5", "2/5 2/5 1/5", "1/5 2/5 2/5", "2/5 1/5 2/5"),
        bigram("1/2 1/2 0", "1/2 1/2 0", "1/2 0 1/2", "1/2 1/2 0"),
    )


@REQUESTS.pair("grammar", "for a mask whose state changes inside the draft and at the bonus token")
def grammar() -> Pair:
    """The drafter is even over ids that the mask allows."""
    return shared(
        bigram("2/5 2/5 1/5", "2/5 1/5 2/5", "1/5 2/5 2/5", "2/5 1/5 2/5"),
        bigram("1/2 1/2 0", "1/2 1/2 0", "1/2 0 1/2", "1/2 0 1/2"),
    )


@REQUESTS.pair("greedy", "the drafter is certain of one id, right about half the time")
def greedy_pair() -> Pair:
    """The likeliest id depends on the id before; no two are equally likely."""
    return shared(
        bigram("1/2 3/10 1/5", "1/5 1/2 3/10", "1/5 3/10 1/2", "1/2 3/10 1/5"),
        bigram("0 1 0", "0 1 0", "1 0 0", "1 0 0"),
    )


@REQUESTS.pair("tie-first", "two ids equally likely, the drafter certain of the first")
def tie_first() -> Pair:
    """p = (2/5, 2/5, 1/5) everywhere."""
    return shared(context_free("2/5 2/5 1/5"), context_free("1 0 0"))


@REQUESTS.pair("tie-second", "two ids equally likely, the drafter certain of the second")
def tie_second() -> Pair:
    """p = (2/5, 2/5, 1/5) everywhere."""
    return shared(context_free("2/5 2/5 1/5"), context_free("0 1 0"))


@REQUESTS.pair("tie-neither", "two ids equally likely, the drafter certain of a third")
def tie_neither() -> Pair:
    """p = (2/5, 2/5, 1/5) everywhere."""
    return shared(context_free("2/5 2/5 1/5"), context_free("0 0 1"))


def _ending(eos: int) -> Pair:
    """Laws over three ids of which ``eos`` is 2 renumbered; every id may be drafted everywhere."""

    def law(a: str, b: str, end: str) -> str:
        return " ".join((a, b, end) if eos == 2 else (end, b, a))

    rows = [law("1/2", "1/4", "1/4"), law("1/3", "1/3", "1/3"), law("1/2", "1/4", "1/4")]
    drafts = [law("1/4", "1/4", "1/2"), law("1/4", "1/2", "1/4"), law("1/2", "1/2", "0")]
    if eos == 0:
        rows, drafts = rows[::-1], drafts[::-1]
    return shared(bigram(rows[0], *rows), bigram(drafts[0], *drafts), eos=eos)


@REQUESTS.pair("ends", "an end of sequence that is drafted and accepted at every place")
def ends() -> Pair:
    """2 ends a sequence."""
    return _ending(2)


@REQUESTS.pair("ends-by-zero", "the same, ended by id 0", prompt=(2,))
def ends_by_zero() -> Pair:
    """0 ends a sequence."""
    return _ending(0)


@REQUESTS.pair("impossible-draft", "every draft has probability zero under the target")
def impossible_draft() -> Pair:
    """p = (1, 0), q = (0, 1): a comparison that lets equality through accepts at a coin of 0."""
    return shared(context_free("1 0"), context_free("0 1"))
