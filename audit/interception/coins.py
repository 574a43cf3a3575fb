"""A coin: one uniform random number, decided only as far as it has been looked at."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .choices import Choices
    from .cones import SharedNoise


class Coin:
    """One undrawn uniform number in [0, 1), known to lie between ``low`` and ``high``.

    Numbers are real: ``u <= x`` has the probability ``x``, not a count on float32's grid, and the
    difference between ``<`` and ``<=`` has none.

    Attributes:
        low: lower end of the interval that its comparisons have left.
        high: upper end.
        noise: the noise that the coin is part of, once it has been raced with others.
    """

    __slots__ = ("high", "low", "noise")

    def __init__(self) -> None:
        self.low = 0.0
        self.high = 1.0
        self.noise: SharedNoise | None = None

    def below(self, threshold: float, choices: Choices) -> bool:
        """Whether the coin lies below ``threshold``: decided now, remembered from here on."""
        low, high = self.low, self.high
        if threshold >= high:
            return True
        if threshold <= low:
            return False
        if self.noise is not None:
            raise choices.refuse(
                "a comparison with a number, after a race: noise shared in a way not integrated"
            )
        probability = (threshold - low) / (high - low)
        if choices.choose("coin", (), (probability, 1.0 - probability)) == 0:
            self.high = threshold
            return True
        self.low = threshold
        return False

    def interval(self, thresholds: list[float], choices: Choices) -> int:
        """How many of the ``thresholds``, which ascend, lie at or below the coin."""
        low, high = self.low, self.high
        cuts = [min(max(threshold, low), high) for threshold in thresholds]
        ends = [low, *cuts, high]
        widths = [after - before for before, after in pairwise(ends)]
        possible = [index for index, width in enumerate(widths) if width > 0.0]
        if len(possible) == 1:
            return possible[0]
        if self.noise is not None:
            raise choices.refuse(
                "a comparison with a number, after a race: noise shared in a way not integrated"
            )
        total = high - low
        taken = choices.choose("coin", (len(widths),), [width / total for width in widths])
        self.low, self.high = ends[taken], ends[taken + 1]
        return taken
