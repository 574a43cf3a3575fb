"""How many drafts a round has: fixed, or chosen round by round from what was seen so far.

A lookahead that depends on the past alone is lossless under every algorithm here: the round is
lossless for each number of drafts, whatever chose it. The choice weighs the tokens that a round is
expected to give against what it is expected to cost.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, Protocol

from ...reference.rounds import Round

#: The most drafts a round may have when the number is chosen.
MOST = 16


class Lookahead(Protocol):
    """Chooses the number of drafts of the next round, and is told what came of each."""

    def drafts(self) -> int:
        """For the next round; 0 means plain decoding."""
        ...

    def saw(self, block: Round) -> None:
        """What a round gave."""
        ...


class Always:
    """The same number of drafts every round."""

    def __init__(self, drafts: int) -> None:
        if drafts < 1:
            raise ValueError(f"the lookahead is {drafts}; at least 1 is needed, or auto")
        self._drafts = drafts

    def drafts(self) -> int:
        """That number."""
        return self._drafts

    def saw(self, block: Round) -> None:
        """Nothing is learnt."""
        del block


class Auto:
    """The number of drafts with the largest predicted tokens per second.

    The acceptance of one candidate and the candidates per draft are estimated from the rounds so
    far, later ones weighing more; costs from the passes' own times. Where no number of drafts
    promises more than plain decoding, it is 0, and one round in `PROBE` tries again. The numbers
    that it chooses, and so which coins meet which tokens, depend on the machine's speed; the law of
    the output does not.
    """

    FIRST = 4
    FADE = 0.95
    PROBE = 16

    def __init__(self, target: Any, drafter: Any) -> None:
        self._target, self._drafter = target, drafter
        self._accepted = self._rejected = self._candidates = self._drafts = 0.0
        self._idle = 0

    def drafts(self) -> int:
        """The best number by what is known; `FIRST` before anything is."""
        if not self._drafts:
            return self.FIRST
        costs = Costs(self._target.timings, self._drafter.timings)
        best = max(range(MOST + 1), key=lambda k: self._tokens(k) / costs.round(k, self._ratio * k))
        if best:
            self._idle = 0
            return best
        self._idle += 1
        return 1 if self._idle % self.PROBE == 0 else 0

    def saw(self, block: Round) -> None:
        """Add a round to the estimates; rounds without drafts say nothing."""
        if not block.drafts:
            return
        for name, count in (
            ("_accepted", block.accepted),
            ("_rejected", block.accepted < len(block.candidates)),
            ("_candidates", len(block.candidates)),
            ("_drafts", len(block.drafts)),
        ):
            setattr(self, name, self.FADE * getattr(self, name) + count)

    @property
    def _ratio(self) -> float:
        return self._candidates / self._drafts

    def _tokens(self, drafts: int) -> float:
        # One success and one failure in advance, so that neither certainty is ever concluded.
        acceptance = (self._accepted + 1) / (self._accepted + self._rejected + 2)
        return expected_tokens(acceptance, self._ratio * drafts)


class Costs:
    """What passes cost, from the times of passes: a constant, and something for each position."""

    def __init__(
        self, target: Sequence[tuple[int, float]], drafter: Sequence[tuple[int, float]]
    ) -> None:
        self.fixed, self.each = line(target[-200:])
        self.draft = statistics.median([seconds for _, seconds in drafter[-200:]] or [0.0])

    def round(self, drafts: int, candidates: float) -> float:
        """Seconds of a round with ``drafts`` drafts that propose ``candidates`` target ids."""
        return self.fixed + self.each * (candidates + 1) + self.draft * drafts


def expected_tokens(acceptance: float, candidates: float) -> float:
    """(1 - a^(m+1)) / (1 - a): tokens of a round whose m candidates are accepted alike."""
    if acceptance >= 1:
        return candidates + 1
    return (1 - acceptance ** (candidates + 1)) / (1 - acceptance)


def line(timings: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """(constant, slope), neither below zero, of seconds against positions.

    Fitted to the median of each number of positions up to `MOST` + 1 (a prompt's pass would
    outweigh all others); a slope needs two different numbers.
    """
    by_size: dict[int, list[float]] = {}
    for positions, seconds in timings:
        if positions <= MOST + 1:
            by_size.setdefault(positions, []).append(seconds)
    points = [(n, statistics.median(each)) for n, each in by_size.items()]
    if not points:
        return max((seconds for _, seconds in timings), default=1e-9), 0.0
    if len(points) == 1:
        return points[0][1], 0.0
    slope, constant = statistics.linear_regression(*zip(*points, strict=True))
    if slope < 0:
        return statistics.fmean(seconds for _, seconds in points), 0.0
    return max(constant, 0.0), slope
