"""How sure a figure is: delete-one-prompt jackknife with Student's t.

Positions of one prompt are alike, so what repeats is the prompt. A statistic of all prompts is
computed again without each of them; the spread of these gives a standard error (the jackknife's),
and t with one degree of freedom less than there are prompts gives the interval. No random numbers.
The level holds in the limit of many prompts; with few, and skewed ones, it is only near.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

Cluster = TypeVar("Cluster")

LEVEL = 0.95
#: With fewer prompts than this, a remark says that intervals are rough.
FEW = 8


@dataclass(frozen=True)
class Estimate:
    """A number and its interval; no interval from one prompt, or where the statistic has gaps."""

    value: float
    low: float | None = None
    high: float | None = None

    def within(self, lowest: float, highest: float = math.inf) -> Estimate:
        """The same with an interval that leaves out what cannot be."""
        if self.low is None or self.high is None:
            return self
        return Estimate(self.value, max(self.low, lowest), min(self.high, highest))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


def estimate(
    statistic: Callable[[Sequence[Cluster]], float | None], clusters: Sequence[Cluster]
) -> Estimate | None:
    """``statistic`` of all clusters with an interval at `LEVEL`; None where it has no value."""
    value = statistic(clusters)
    if value is None:
        return None
    count = len(clusters)
    if count < 2:
        return Estimate(value)
    without = [statistic([*clusters[:i], *clusters[i + 1 :]]) for i in range(count)]
    if any(each is None for each in without):
        return Estimate(value)
    values = [each for each in without if each is not None]
    mean = sum(values) / count
    error = math.sqrt((count - 1) / count * sum((each - mean) ** 2 for each in values))
    reach = t_quantile((1 + LEVEL) / 2, count - 1) * error
    return Estimate(value, value - reach, value + reach)


def remark(prompts: int) -> str:
    """What to say about intervals from that many prompts."""
    if prompts < 2:
        return "intervals: not available from one prompt"
    said = (
        f"intervals: {LEVEL:.0%}, over {prompts} prompts "
        f"(delete-one jackknife, t with {prompts - 1} degrees of freedom)"
    )
    return said + ("; few prompts, so the level is rough" if prompts < FEW else "")


def t_distribution(x: float, freedom: int) -> float:
    """P(T <= x) for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(x / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    term, total = (cosine, 0.0) if freedom % 2 else (1.0, 0.0)
    for power in range(2 + freedom % 2, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (power - 1) / power
    inside = 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total
    return (1 + inside) / 2


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """The x with P(T <= x) = ``probability`` > 1/2, by bisection."""
    low, high = 0.0, 1.0
    while t_distribution(high, freedom) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if t_distribution(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return high
