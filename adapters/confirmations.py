"""Real draws against exact laws: does a program follow the law that was enumerated for it?

The draws are the library's own, with torch's generator and a stated seed; nothing is intercepted
while they are made. Two chi-square statistics come out, against the program's own enumerated law
and against the law that is due.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .judging import Ids, lower_bound

#: Outcomes that are expected less often than this are counted together.
RARE = 5.0


@dataclass(frozen=True)
class Fit:
    """How well draws fit a law.

    Attributes:
        statistic: chi-square over the outcomes, rare ones taken together.
        freedom: its degrees of freedom.
        impossible: draws that the law gives probability zero; they are not in the statistic.
    """

    statistic: float
    freedom: int
    impossible: int

    @property
    def deviation(self) -> float:
        """The statistic in standard deviations of a normal variable (Wilson and Hilferty 1931).

        Infinite when something was drawn that cannot be.
        """
        if self.impossible:
            return math.inf
        if self.freedom == 0:
            return 0.0
        spread = 2.0 / (9.0 * self.freedom)
        return ((self.statistic / self.freedom) ** (1 / 3) - 1.0 + spread) / math.sqrt(spread)


@dataclass(frozen=True)
class Confirmation:
    """What real draws say about two enumerated laws.

    Attributes:
        draws: how many were made.
        seed: of torch's generator before the first.
        total_variation: between the enumerated laws.
        given: the fit to the program's own law.
        due: the fit to the law that is due.
    """

    draws: int
    seed: int
    total_variation: float
    given: Fit
    due: Fit

    def to_json(self) -> dict[str, Any]:
        """The numbers, for a file."""
        return {
            "draws": self.draws,
            "seed": self.seed,
            "total_variation": self.total_variation,
            **{
                name: {
                    "statistic": fit.statistic,
                    "freedom": fit.freedom,
                    "impossible": fit.impossible,
                }
                for name, fit in (("given", self.given), ("due", self.due))
            },
        }


def fit(counts: Counter[Ids], law: dict[Ids, float]) -> Fit:
    """The chi-square statistic of ``counts`` against ``law``."""
    draws = sum(counts.values())
    cells: list[tuple[float, int]] = []
    rare, rarely = 0.0, 0
    for ids, probability in law.items():
        expected = draws * probability
        if expected < RARE:
            rare, rarely = rare + expected, rarely + counts[ids]
        else:
            cells.append((expected, counts[ids]))
    if rare > 0.0:
        cells.append((rare, rarely))
    impossible = sum(count for ids, count in counts.items() if law.get(ids, 0.0) == 0.0)
    statistic = math.fsum((count - expected) ** 2 / expected for expected, count in cells)
    return Fit(statistic, max(0, len(cells) - 1), impossible)


def confirm(
    plain: Callable[[], Ids], assisted: Callable[[], Ids], *, draws: int, seed: int = 0
) -> Confirmation:
    """Enumerate both programs, draw from the second, and compare.

    Args:
        plain: new ids of one call without help.
        assisted: new ids of one call with help.
        draws: how many real draws to make.
        seed: of torch's generator.

    Raises:
        ValueError: when a law cannot be enumerated; the text says why.
    """
    import torch

    from ..audit.interception.enumeration import enumerate_law
    from .generation import own_generator, quiet
    from .routes.followed import followed

    with quiet(), followed():
        with own_generator():
            plain(), assisted()  # what a first call makes for good is no draw
        due, given = enumerate_law(plain), enumerate_law(assisted)
    for law in (due, given):
        if law.reason is not None or law.errors:
            raise ValueError(law.reason or next(iter(law.errors)))
    with quiet(), followed(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        counts = Counter(assisted() for _ in range(draws))
    distance = lower_bound(due, given)
    return Confirmation(draws, seed, distance, fit(counts, given.law), fit(counts, due.law))
