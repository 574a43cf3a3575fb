"""Where rounds begin on a text, and why that matters.

A round that keeps much skips the positions that it keeps. Rounds therefore begin more often where
drafts fail, and the mean of the expected tokens over *all* positions says more than a run gives: on
a text of easy and hard stretches it counts the easy positions that a run never starts from. What a
run gives is tokens over rounds, both counted where rounds begin.

Given the text, a round at position t is n tokens long with probability a_{n-1} - a_n (a_0 = 1, and
0 beyond the last draft), where a_j is the probability that at least j drafts are kept. The first
round begins at 0; so the probability s_t that a round begins at t obeys

    s_0 = 1,    s_{t+n} gets s_t (a_{n-1} - a_n) for n = 1, 2, ..

Then sum s_t is the expected number of rounds that begin on these positions, and sum s_t L_t that of
the tokens they emit, where L_t is the expected length of a round at t: exact in expectation over
texts, since a round at t has the same law whether or not one begins there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

Numbers = Any  # a numpy array of floats


def round_starts(kept: Sequence[Numbers]) -> Numbers:
    """[positions]: the probability that a round begins at each.

    Args:
        kept: for each position a_1, a_2, .. given the text, not increasing.
    """
    starts = numpy.zeros(len(kept))
    if len(kept):
        starts[0] = 1.0
    for position, given in enumerate(kept):
        lengths = -numpy.diff(numpy.concatenate([[1.0], given, [0.0]]))
        reached = starts[position + 1 : position + 1 + len(lengths)]
        reached += starts[position] * lengths[: len(reached)]
    return starts
