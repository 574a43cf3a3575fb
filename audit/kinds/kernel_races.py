"""Races: which of V noisy ids wins, with what weights, once or several times on the same noise."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..interception import cones

#: What the kernel does at a vector of exponential noise.
At = Callable[[Sequence[float]], Any]
#: Noise of an id that is to win, and of one that is to lose, whatever its weight.
TINY, HUGE = 1e-25, 1e12
#: Races on one vector of noise, at most, and explanations of their thresholds that are tried.
MOST_RACES, MOST_EXPLANATIONS = 4, 400
#: Noise at which an explanation is tried, for each cone of each of its cells.
POINTS = 40
#: Weights of one id that are looked at on the way to explanations.
MOST_STEPS = 20_000
MORE_RACES = (
    f"a vector of noise is raced more than {MOST_RACES} times, or compared otherwise: thresholds "
    "between two ids no longer tell the races apart; give each draw its own row of noise"
)
#: How exactly ratios of weights must agree with each other.
CONSISTENT = 1e-6


class RaceError(Exception):
    """The noise is not used as races; in words."""


@dataclass
class Race:
    """One race or several on the same noise, won by the least ``E / weight``.

    Attributes:
        weights: of each race, over all ids; empty for noise that decides nothing.
        winners: tuples of ids, one for each race, that can win together.
        shares: how often they do.
        representatives: noise with which they do.
        cells: the cones of all such noise.
    """

    weights: list[list[float]]
    winners: list[tuple[int, ...]]
    shares: list[float]
    representatives: list[tuple[float, ...]]
    cells: list[list[cones.Cone]] = field(default_factory=list)

    def winner(self, noise: Sequence[float]) -> int | None:
        """The place in ``winners`` of who wins with ``noise``; None if it is a close call."""
        if not self.weights:
            return 0
        found: list[int] = []
        for weights in self.weights:
            times = sorted(
                (e / w, i) for i, (e, w) in enumerate(zip(noise, weights, strict=True)) if w
            )
            if len(times) > 1 and times[1][0] < times[0][0] * (1 + 1e-6):
                return None
            found.append(times[0][1])
        return self.winners.index(tuple(found)) if tuple(found) in self.winners else None


def find_race(at: At, size: int, numbers: random.Random) -> Race:
    """What race or races ``at`` decides.

    Raises:
        RaceError: for more than `MOST_RACES`, and for anything that is no race.
    """
    draws = [[numbers.expovariate(1.0) + 1e-9 for _ in range(size)] for _ in range(6)]
    favoured = [_favouring(i, size) for i in range(size)]
    seen = [at(noise) for noise in (*favoured, *draws)]
    if all(outcome == seen[0] for outcome in seen):
        return Race([], [()], [1.0], [tuple(favoured[0])])
    pairs = {(i, j): _ratios(at, i, j, size) for i, j in itertools.combinations(range(size), 2)}
    if (race := _explanation(at, pairs, size, numbers)) is not None:
        return race
    # What a race decides may be looked at only where an id won an earlier one that is not in it.
    for (i, j), ratios in pairs.items():
        for first in range(size):
            if first not in (i, j):
                ratios += [new for new in _ratios(at, i, j, size, first) if not _among(new, ratios)]
    if not any(pairs.values()):
        raise RaceError("noise decides something, and no two of its numbers against each other")
    if (race := _explanation(at, pairs, size, numbers)) is not None:
        return race
    raise RaceError("noise is compared, but not as in one to four races")


def _among(ratio: float, ratios: Sequence[float]) -> bool:
    return any(abs(ratio / one - 1) < CONSISTENT for one in ratios)


def _favouring(winner: int, size: int) -> list[float]:
    return [TINY if i == winner else 1.0 + i / 97 for i in range(size)]


def _ratios(at: At, i: int, j: int, size: int, first: int | None = None) -> list[float]:
    """Every ratio E_i / E_j at which the outcome changes, all other ids out of the race.

    But for ``first``, which wins every race that it is in.
    """

    def ratio(log: float) -> Any:
        noise = [HUGE * (1 + k / 89) for k in range(size)]
        noise[i], noise[j] = math.exp(log / 2), math.exp(-log / 2)
        if first is not None:
            noise[first] = TINY
        return at(noise)

    reach = 36.0
    grid = [reach * (n - 6.13) / 6.5 for n in range(13)]
    values = [ratio(log) for log in grid]
    found: list[float] = []
    for (low, before), (high, after) in itertools.pairwise(zip(grid, values, strict=True)):
        _bisect(ratio, low, before, high, after, found)
    return [math.exp(log) for log in found]


def _bisect(
    at: Callable[[float], Any], low: float, before: Any, high: float, after: Any, found: list[float]
) -> None:
    if before == after:
        return
    if len(found) > MOST_RACES:
        raise RaceError(MORE_RACES)
    middle = (low + high) / 2
    if high - low < 2e-15 * max(1.0, abs(low)) or not low < middle < high:
        found.append(middle)
        return
    between = at(middle)
    _bisect(at, low, before, middle, between, found)
    _bisect(at, middle, between, high, after, found)


def _explanation(
    at: At, pairs: dict[tuple[int, int], list[float]], size: int, numbers: random.Random
) -> Race | None:
    """Races that explain every threshold, and what the kernel does at noise of every kind."""
    seen = [i for i in range(size) if any(ratios for pair, ratios in pairs.items() if i in pair)]
    ids = sorted(seen, key=lambda i: -sum(len(r) for pair, r in pairs.items() if i in pair))
    least = max(map(len, pairs.values()))
    tried, steps = 0, itertools.count()
    for count in range(max(least, 1), MOST_RACES + 1):
        for races in _explanations(pairs, ids, [{} for _ in range(count)], steps):
            tried += 1
            if tried > MOST_EXPLANATIONS:
                return None
            race = together(races, size)
            if _explains(race, at, numbers):
                return race
    return None


def _explanations(
    pairs: dict[tuple[int, int], list[float]],
    ids: Sequence[int],
    races: list[dict[int, float]],
    steps: Iterator[int],
) -> Iterator[list[dict[int, float]]]:
    """Weights of ``ids``, added to ``races``, that explain every threshold.

    An id may be out of a race: what is not looked at after an earlier race shows no thresholds.
    A kernel that stops at the first id that is not the draft looks at the next race only where
    the draft won this one; an id that cannot win there is as good as out of that race.
    """
    if not ids:
        if all(races):
            yield races
        return
    new, *rest = ids
    known = {i for race in races for i in race}
    towards = {
        j: pairs[new, j] if new < j else [1 / ratio for ratio in pairs[j, new]] for j in known
    }
    options: list[list[float]] = []
    for race in races:
        found: list[float] = [] if race else [1.0]
        for j, weight in race.items():
            found += [r * weight for r in towards[j] if not _among(r * weight, found)]
        options.append([0.0, *found])
    for weights in itertools.product(*options):
        if next(steps) > MOST_STEPS:
            return
        more = [
            race | {new: weight} if weight else race
            for race, weight in zip(races, weights, strict=True)
        ]
        if any(weights) and all(
            _among(ratio, [race[new] / race[j] for race in more if new in race and j in race])
            for j, ratios in towards.items()
            for ratio in ratios
        ):
            yield from _explanations(pairs, rest, more, steps)


def _explains(race: Race, at: At, numbers: random.Random) -> bool:
    """Whether the outcome is the same wherever the same ids win, at random noise of each kind."""
    outcomes = [at(noise) for noise in race.representatives]
    for cell in race.cells:
        for cone in sorted(cell, key=lambda cone: -cones.weight([cone]))[:6]:
            for n in range(POINTS):  # half of them near the edges, where other ids would win
                scale = [numbers.expovariate(1.0) ** (1 if n % 2 else 6) + 1e-12 for _ in cone]
                point = [
                    math.fsum(x * ray[k] for x, ray in zip(scale, cone, strict=True)) + 1e-15
                    for k in range(len(cone))
                ]
                winner = race.winner(point)
                if winner is not None and at(point) != outcomes[winner]:
                    return False
    return True


def together(races: list[dict[int, float]], size: int) -> Race:
    """Races on one noise: who wins together, and how often, by cutting the cone of all noise."""
    found = Race([[w.get(i, 0.0) for i in range(size)] for w in races], [], [], [])
    everything = [[float(i == k) for i in range(size)] for k in range(size)]
    pending: list[tuple[tuple[int, ...], list[cones.Cone]]] = [((), [everything])]
    for weights in races:
        try:
            pending = [
                ((*winners, i), left)
                for winners, before in pending
                for i in sorted(weights)
                if (left := cones.won(before, weights, i, False))
            ]
        except OverflowError:
            raise RaceError(f"noise is raced {len(races)} times, among too many ids") from None
    for winners, left in pending:
        if cones.weight(left) <= 0:
            continue
        largest = max(left, key=lambda cone: cones.weight([cone]))
        found.winners.append(winners)
        found.shares.append(cones.weight(left))
        found.cells.append(left)
        inside = (math.fsum(ray[k] for ray in largest) for k in range(size))
        found.representatives.append(tuple(max(x, TINY) for x in inside))
    return found


def shared_race(w: Sequence[float], v: Sequence[float], i: int, j: int) -> float:
    """How often ``i`` wins the race with weights ``w`` and ``j`` that with ``v``, on one noise.

    With E_j = r E_i, the other ids must be later than ``E_i max(w_k / w_i, r v_k / v_j)``; what is
    left to integrate over r is 1 / (A + B r)^2 between the places where a maximum changes over.
    """
    if w[i] == 0 or v[j] == 0:
        return 0.0
    ids = range(len(w))
    if i == j:
        return 1.0 / (1.0 + math.fsum(max(w[k] / w[i], v[k] / v[i]) for k in ids if k != i))
    low = w[j] / w[i]
    high = v[j] / v[i] if v[i] > 0 else math.inf
    if low >= high:
        return 0.0
    rest = [k for k in ids if k not in (i, j) and (w[k] or v[k])]
    turns = sorted(
        {low, high}
        | {t for k in rest if v[k] > 0 and low < (t := w[k] / w[i] * v[j] / v[k]) < high}
    )
    total = 0.0
    for a, b in itertools.pairwise(turns):
        middle = a * 2 if math.isinf(b) else (a + b) / 2 if a else b / 2
        if math.isinf(b) and not a:
            middle = 1.0
        constant, slope = 1.0, 1.0
        for k in rest:
            if w[k] / w[i] >= middle * v[k] / v[j]:
                constant += w[k] / w[i]
            else:
                slope += v[k] / v[j]
        upper = 0.0 if math.isinf(b) else 1.0 / (constant + slope * b)
        total += (1.0 / (constant + slope * a) - upper) / slope
    return total
