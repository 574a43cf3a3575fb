"""Races: which of V noisy ids wins, with what weights, once or twice on the same noise."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

#: What the kernel does at a vector of exponential noise.
At = Callable[[Sequence[float]], Any]
#: Noise of an id that is to win, and of one that is to lose, whatever its weight.
TINY, HUGE = 1e-25, 1e12
#: How exactly ratios of weights must agree with each other.
CONSISTENT = 1e-6


class RaceError(Exception):
    """The noise is not used as a race, or not as one or two; in words."""


@dataclass
class Race:
    """One race or two on the same noise, won by the least ``E / weight``.

    Attributes:
        weights: of each race, over all ids; empty for noise that decides nothing.
        winners: tuples of ids, one for each race, that can win together.
        shares: how often they do.
        representatives: noise with which they do.
    """

    weights: list[list[float]]
    winners: list[tuple[int, ...]]
    shares: list[float]
    representatives: list[tuple[float, ...]]

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
        RaceError: for more than two, and for anything that is no race.
    """
    draws = [[numbers.expovariate(1.0) + 1e-9 for _ in range(size)] for _ in range(6)]
    favoured = [_favouring(i, size) for i in range(size)]
    seen = [at(noise) for noise in (*favoured, *draws)]
    if all(outcome == seen[0] for outcome in seen):
        return Race([], [()], [1.0], [tuple(favoured[0])])
    pairs = {(i, j): _ratios(at, i, j, size) for i, j in itertools.combinations(range(size), 2)}
    count = max(map(len, pairs.values()))
    if count == 0:
        raise RaceError("noise decides something, and no two of its numbers against each other")
    if count > 2:
        raise RaceError("a vector of noise is raced more than twice")
    running = sorted({i for pair, ratios in pairs.items() if ratios for i in pair})
    reference = max(running, key=lambda i: sum(bool(r) for p, r in pairs.items() if i in p))
    others = [i for i in running if i != reference]
    options = [_towards(pairs, i, reference) for i in others]
    if count == 1:
        first = {reference: 1.0} | {i: o[0] for i, o in zip(others, options, strict=True) if o}
        _check(pairs, [first])
        return _single(first, size)
    return _double(pairs, reference, others, options, size)


def _favouring(winner: int, size: int) -> list[float]:
    return [TINY if i == winner else 1.0 + i / 97 for i in range(size)]


def _towards(pairs: dict[tuple[int, int], list[float]], i: int, j: int) -> list[float]:
    """Thresholds of E_i / E_j, which are ratios of weights w_i / w_j."""
    return pairs[i, j] if i < j else [1 / ratio for ratio in pairs[j, i]]


def _ratios(at: At, i: int, j: int, size: int) -> list[float]:
    """Every ratio E_i / E_j at which the outcome changes, all other ids out of the race."""

    def ratio(log: float) -> Any:
        noise = [HUGE * (1 + k / 89) for k in range(size)]
        noise[i], noise[j] = math.exp(log / 2), math.exp(-log / 2)
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
    if len(found) > 4:
        raise RaceError("a vector of noise is raced more than twice")
    middle = (low + high) / 2
    if high - low < 2e-15 * max(1.0, abs(low)) or not low < middle < high:
        found.append(middle)
        return
    between = at(middle)
    _bisect(at, low, before, middle, between, found)
    _bisect(at, middle, between, high, after, found)


def _check(pairs: dict[tuple[int, int], list[float]], races: list[dict[int, float]]) -> None:
    """Raise `RaceError` unless the weights explain the thresholds of every pair."""
    for (i, j), ratios in pairs.items():
        expected = {w[i] / w[j] for w in races if i in w and j in w}
        for ratio in ratios:
            if not any(abs(ratio / e - 1) < CONSISTENT for e in expected):
                raise RaceError("noise is compared, but not as in a race")
        for e in expected:
            if not any(abs(ratio / e - 1) < CONSISTENT for ratio in ratios):
                raise RaceError("noise is raced in some pairs of ids and not in others")


def _single(weights: dict[int, float], size: int) -> Race:
    total = math.fsum(weights.values())
    winners = sorted(weights)
    return Race(
        [[weights.get(i, 0.0) for i in range(size)]],
        [(i,) for i in winners],
        [weights[i] / total for i in winners],
        [tuple(_favouring(i, size)) for i in winners],
    )


def _double(
    pairs: dict[tuple[int, int], list[float]],
    reference: int,
    others: list[int],
    options: list[list[float]],
    size: int,
) -> Race:
    """Two races: thresholds are told apart by what makes all pairs agree."""
    choices = [[(o[0], o[-1]), (o[-1], o[0])] for o in options]
    choices[0] = choices[0][:1]  # which race is called the first is arbitrary
    for chosen in itertools.product(*choices):
        first = {reference: 1.0} | {i: c[0] for i, c in zip(others, chosen, strict=True)}
        second = {reference: 1.0} | {i: c[1] for i, c in zip(others, chosen, strict=True)}
        try:
            _check(pairs, [first, second])
        except RaceError:
            continue
        return _both(first, second, size)
    raise RaceError("noise is raced twice in a way that no two sets of weights explain")


def _both(first: dict[int, float], second: dict[int, float], size: int) -> Race:
    w = [first.get(i, 0.0) for i in range(size)]
    v = [second.get(i, 0.0) for i in range(size)]
    race = Race([w, v], [], [], [])
    for i, j in itertools.product(sorted(first), sorted(second)):
        share = shared_race(w, v, i, j)
        if share <= 0:
            continue
        race.winners.append((i, j))
        race.shares.append(share)
        noise = [1e6 * (1 + k / 89) for k in range(size)]
        noise[i] = 1e-6
        if j != i:  # between the two ratios at which one of the races changes hands
            noise[j] = noise[i] * math.sqrt((w[j] / w[i]) * (v[j] / v[i]))
        race.representatives.append(tuple(noise))
    return race


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
