"""Noise that is raced more than once: independent exponentials under linear constraints.

A race says that ``w_i E_i <= w_k E_k`` for all k: homogeneous constraints on independent standard
exponentials E. What a sequence of races leaves is a polyhedral cone, kept as disjoint simplicial
cones; the probability of one with generators g_1 .. g_n is ``|det g| / prod(sum of g_m)``. Every
further race cuts the cones, so that joint laws of any number of races are exact, up to rounding.
"""

from __future__ import annotations

import math

from .coins import Coin

#: Pieces of one noise vector, at most; beyond that the race is refused.
MOST_CONES = 4_000
#: Coordinates below this, relative to their scale, count as lying on the cut.
ON_THE_CUT = 1e-14

#: Generators, each with one coordinate a coin and scaled so that the coordinates sum to one.
Cone = list[list[float]]


class SharedNoise:
    """The joint state of coins that were raced with each other.

    Attributes:
        coins: as exponentials, the coordinates.
        turned: which end of a coin is which; all alike.
        is_spent: whether the state was not kept, so that no further use is modelled.
    """

    __slots__ = ("_cones", "_first", "coins", "is_spent", "turned")

    def __init__(self, coins: list[Coin], turned: bool, cones: list[Cone] | None = None) -> None:
        self.coins = coins
        self.turned = turned
        self.is_spent = False
        self._cones = cones
        self._first: tuple[list[float], int] | None = None
        for coin in coins:
            coin.noise = self

    @classmethod
    def of_first_race(
        cls, coins: list[Coin], turned: bool, rates: list[float], winner: int
    ) -> SharedNoise:
        """What is left of fresh coins when ``winner`` has the least E/rate."""
        noise = cls(coins, turned)
        noise._first = (rates, winner)
        return noise

    @classmethod
    def spent(cls, coins: list[Coin]) -> SharedNoise:
        """Coins of which no joint state is kept."""
        noise = cls(coins, False)
        noise.is_spent = True
        return noise

    @property
    def cones(self) -> list[Cone]:
        """What is left, as disjoint simplicial cones; their weights are not normalised."""
        if self._cones is None:
            assert self._first is not None
            rates, winner = self._first
            size, total = len(rates), math.fsum(rates)
            # Bounded by E_k / rate_k >= E_winner / rate_winner: the axes, and the line of rates.
            cone = [[float(i == k) for i in range(size)] for k in range(size)]
            cone[winner] = [rate / total for rate in rates]
            self._cones = [cone]
        return self._cones

    @cones.setter
    def cones(self, cones: list[Cone]) -> None:
        self._cones = cones

    def joined(self, others: list[SharedNoise]) -> SharedNoise:
        """This noise and ``others``, independent so far, as one."""
        joint = self
        for other in others:
            zeros, more = [0.0] * len(joint.coins), [0.0] * len(other.coins)
            cones = [
                [*(g + more for g in left), *(zeros + g for g in right)]
                for left in joint.cones
                for right in other.cones
            ]
            joint = SharedNoise([*joint.coins, *other.coins], self.turned, cones)
        return joint


def fresh(coin: Coin, turned: bool) -> SharedNoise:
    """A coin that nothing is known of, as noise of its own."""
    return SharedNoise([coin], turned, [[[1.0]]])


def won(cones: list[Cone], rates: dict[int, float], winner: int, largest: bool) -> list[Cone]:
    """The part of ``cones`` where ``winner`` has the least E/rate, or the largest.

    Args:
        cones: disjoint.
        rates: by coordinate.
        winner: a coordinate in ``rates``.
        largest: whether the largest wins.
    """
    for other, rate in rates.items():
        if other != winner:
            # E_other / rate - E_winner / rates[winner] >= 0, scaled to numbers of order one.
            scale = max(rate, rates[winner])
            up, down = rates[winner] / scale, rate / scale
            if largest:
                up, down = -up, -down
            cones = [piece for cone in cones for piece in _cut(cone, other, up, winner, down)]
            if len(cones) > MOST_CONES:
                raise OverflowError
    return cones


def weight(cones: list[Cone]) -> float:
    """Probability of a union of disjoint cones."""
    return math.fsum(abs(_determinant(cone)) for cone in cones)


def _cut(cone: Cone, i: int, up: float, j: int, down: float) -> list[Cone]:
    """The part of a cone where ``up * x_i >= down * x_j``."""
    kept: list[Cone] = []
    pending = [(cone, [g[i] * up - g[j] * down for g in cone])]
    while pending:
        cone, values = pending.pop()
        high, low = max(values), min(values)
        if low >= -ON_THE_CUT:
            if high > ON_THE_CUT:
                kept.append(cone)
            continue
        if high <= ON_THE_CUT:
            continue
        p, n = values.index(high), values.index(low)
        # The ray between them that lies on the cut replaces one, then the other.
        on = [high * y - low * x for x, y in zip(cone[p], cone[n], strict=True)]
        total = math.fsum(on)
        on = [x / total for x in on]
        for replaced in (n, p):
            pending.append(
                (
                    [on if m == replaced else g for m, g in enumerate(cone)],
                    [0.0 if m == replaced else v for m, v in enumerate(values)],
                )
            )
    return kept


def _determinant(rows: Cone) -> float:
    """By elimination with partial pivoting."""
    rows = [list(row) for row in rows]
    size, result = len(rows), 1.0
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        if rows[pivot][column] == 0.0:
            return 0.0
        if pivot != column:
            rows[column], rows[pivot] = rows[pivot], rows[column]
            result = -result
        top = rows[column]
        result *= top[column]
        for row in rows[column + 1 :]:
            factor = row[column] / top[column]
            if factor:
                for k in range(column, size):
                    row[k] -= factor * top[k]
    return result
