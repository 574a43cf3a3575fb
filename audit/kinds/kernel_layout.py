"""How a kernel's declared coins are laid out as a point, and points to test it at."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from .loading import CoinSpec
from .settings import Ids

Outcome: TypeAlias = "Ids | str"
#: A point: numbers in (0, 1) for the scalar coins, then positive ones, exponential, for each race.
Point: TypeAlias = "tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]"


class Coins:
    """The declared coins laid out: scalar ones, and races along an axis of V numbers."""

    def __init__(self, specs: Sequence[CoinSpec], lookahead: int, vocabulary: int) -> None:
        self._specs = [(spec, spec.sizes(lookahead, vocabulary)) for spec in specs]
        self.scalars = 0
        self.races = 0
        self.vocabulary = vocabulary
        self._is_race: list[bool] = []
        for spec, sizes in self._specs:
            along_ids = bool(spec.shape) and (
                spec.shape[-1] == "V"
                or (spec.domain != "uniform" and sizes[-1] == vocabulary and spec.shape[-1] != "K")
            )
            self._is_race.append(along_ids)
            count = math.prod(sizes)
            if along_ids:
                self.races += count // vocabulary if vocabulary else 0
            else:
                self.scalars += count

    def arrays(self, point: Point) -> Iterator[tuple[str, tuple[int, ...], list[float]]]:
        """Name, shape and numbers of every declared coin at ``point``."""
        scalars, races = point
        s = r = 0
        for (spec, sizes), along_ids in zip(self._specs, self._is_race, strict=True):
            count = math.prod(sizes)
            if along_ids:
                rows = count // self.vocabulary
                noise = [e for race in races[r : r + rows] for e in race]
                r += rows
                values = [_from_exponential(spec.domain, e) for e in noise]
            else:
                values = [_from_uniform(spec.domain, u) for u in scalars[s : s + count]]
                s += count
            yield spec.name, sizes, values

    def random_point(self, numbers: random.Random) -> Point:
        """Independent coins."""
        return (
            tuple(numbers.random() for _ in range(self.scalars)),
            tuple(
                tuple(numbers.expovariate(1.0) + 1e-12 for _ in range(self.vocabulary))
                for _ in range(self.races)
            ),
        )


def coupled_points(coins: Coins, count: int) -> list[Point]:
    """Coins that have something in common: all the same, mirrored, increasing; then random ones."""
    numbers = random.Random(7)
    points: list[Point] = []
    for n in range(count):
        u = numbers.random()
        base = coins.random_point(numbers)
        same_race = tuple(base[1][:1] * coins.races)
        if n % 4 == 0:
            points.append(((u,) * coins.scalars, same_race))
        elif n % 4 == 1:
            mirrored = tuple(u if i % 2 else 1 - u for i in range(coins.scalars))
            points.append((mirrored, base[1]))
        elif n % 4 == 2:
            points.append((tuple(sorted(base[0])), same_race))
        else:
            points.append(base)
    return points


def _from_uniform(domain: str, u: float) -> float:
    if domain == "uniform":
        return u
    exponential = -math.log(max(u, 1e-300))
    return exponential if domain == "exponential" else -math.log(max(exponential, 1e-300))


def _from_exponential(domain: str, e: float) -> float:
    if domain == "exponential":
        return e
    if domain == "gumbel":
        return -math.log(e)
    return min(math.exp(-e), math.nextafter(1.0, 0.0))
