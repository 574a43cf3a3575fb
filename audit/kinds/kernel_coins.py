"""The structure of a kernel: a tree of thresholds, coin by coin, with races at its leaves."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .kernel_layout import Coins, Outcome, Point, coupled_points
from .kernel_races import Race, RaceError, find_race

#: Bisection stops at intervals this long.
FINE = 1e-15
#: Places at which a coin is looked at in any case, one in each of so many equal parts of (0, 1).
PLACES = 12
#: How far from a threshold that is expected the kernel is looked at.
NEAR = 1e-7


class StructureError(Exception):
    """The kernel does something that the declared structure does not allow; in words."""


@dataclass
class Node:
    """Either the intervals of one coin with what comes after each, or a race, or an outcome."""

    breaks: list[float] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    race: Race | None = None
    outcome: Outcome = ()


class Structure:
    """The tree of a kernel, found by probing ``evaluate``."""

    def __init__(
        self, evaluate: Callable[[Point], Outcome], coins: Coins, hints: Sequence[float]
    ) -> None:
        self._evaluate = evaluate
        self._coins = coins
        self._hints = hints
        self._numbers = random.Random(5)
        self._thresholds: list[float] = []
        self._root = self._explore(())

    # ---- finding ------------------------------------------------------------------------------

    def _explore(self, before: tuple[float, ...]) -> Node:
        if len(before) == self._coins.scalars:
            return self._explore_races(before, ())
        probes = self._probes(self._coins.scalars - len(before) - 1)

        def at(u: float) -> tuple[Outcome, ...]:
            return tuple(self._evaluate(((*before, u, *later), races)) for later, races in probes)

        breaks = self._breaks(at)
        self._thresholds += breaks
        edges = [0.0, *breaks, 1.0]
        children = [
            self._explore((*before, low + 0.381966 * (high - low)))
            for low, high in itertools.pairwise(edges)
        ]
        return Node(breaks, children)

    def _probes(self, later: int) -> list[Point]:
        """Coins for what comes later: at both ends, and in between."""
        numbers = self._numbers
        ends = (1e-9, 1 - 1e-9)
        probes: list[tuple[float, ...]] = [(0.37,) * later]
        if later or self._coins.races:
            probes += [(ends[0],) * later, (ends[1],) * later, (0.71,) * later]
            probes += [tuple(numbers.choice(ends) for _ in range(later)) for _ in range(2)]
            probes += [tuple(numbers.random() for _ in range(later)) for _ in range(2)]
        return [
            (scalars, self._coins.random_point(numbers)[1]) for scalars in dict.fromkeys(probes)
        ]

    def _breaks(self, at: Callable[[float], tuple[Outcome, ...]]) -> list[float]:
        """Every place in (0, 1) at which ``at`` changes."""
        places = {(n + self._numbers.random()) / PLACES for n in range(PLACES)}
        places |= {1e-9, 1 - 1e-9}
        for hint in self._hints:
            places |= {max(hint - NEAR, hint / 2), min(hint + NEAR, (1 + hint) / 2)}
        grid = [(u, at(u)) for u in sorted(places)]
        found: list[float] = []
        for (low, before), (high, after) in itertools.pairwise(grid):
            self._bisect(at, low, before, high, after, found)
        return found

    def _bisect(
        self,
        at: Callable[[float], tuple[Outcome, ...]],
        low: float,
        before: tuple[Outcome, ...],
        high: float,
        after: tuple[Outcome, ...],
        found: list[float],
    ) -> None:
        """Add the changes between ``low`` and ``high`` to ``found``, in order."""
        if before == after:
            return
        if len(found) > 8 * (self._coins.vocabulary + 2):
            raise StructureError("a coin has more thresholds than its structure allows")
        if high - low <= FINE or not low < (low + high) / 2 < high:
            found.append((low + high) / 2)
            return
        middle = (low + high) / 2
        between = at(middle)
        self._bisect(at, low, before, middle, between, found)
        self._bisect(at, middle, between, high, after, found)

    def _explore_races(self, scalars: tuple[float, ...], before: tuple[Any, ...]) -> Node:
        if len(before) == self._coins.races:
            return Node(outcome=self._evaluate((scalars, before)))
        rest = self._coins.races - len(before) - 1
        probes = [
            self._coins.random_point(self._numbers)[1][:rest] for _ in range(3 if rest else 1)
        ]

        def at(noise: Sequence[float]) -> tuple[Outcome, ...]:
            return tuple(
                self._evaluate((scalars, (*before, tuple(noise), *later))) for later in probes
            )

        try:
            race = find_race(at, self._coins.vocabulary, self._numbers)
        except RaceError as problem:
            raise StructureError(str(problem)) from None
        children = [
            self._explore_races(scalars, (*before, noise)) for noise in race.representatives
        ]
        return Node(children=children, race=race)

    # ---- using --------------------------------------------------------------------------------

    def law(self) -> dict[Outcome, float]:
        """The law of the outcome, from the lengths of intervals and the weights of races."""
        law: dict[Outcome, float] = {}

        def add(node: Node, mass: float) -> None:
            if not node.children:
                law[node.outcome] = law.get(node.outcome, 0.0) + mass
                return
            for child, share in zip(node.children, _shares(node), strict=True):
                if share > 0:
                    add(child, mass * share)

        add(self._root, 1.0)
        return law

    def test(self, count: int) -> int:
        """Compare the tree with the kernel at ``count`` coupled and random coins.

        Raises:
            StructureError: where they differ.
        """
        return self._test(coupled_points(self._coins, count))

    def test_random(self, count: int) -> int:
        """The same at ``count`` independent coins.

        Raises:
            StructureError: where they differ.
        """
        numbers = random.Random(11)
        return self._test(self._coins.random_point(numbers) for _ in range(count))

    def _test(self, points: Iterable[Point]) -> int:
        tested = 0
        for point in points:
            foretold = self._foretold(point)
            if foretold is None:
                continue
            tested += 1
            seen = self._evaluate(point)
            if seen != foretold:
                raise StructureError(
                    f"at coins {_shown(point)} it gives {seen} where its thresholds say {foretold}"
                )
        return tested

    def _foretold(self, point: Point) -> Outcome | None:
        """What the tree says; None too near a threshold."""
        node = self._root
        for u in point[0]:
            if any(abs(u - t) < 1e-9 for t in node.breaks):
                return None
            node = node.children[sum(t < u for t in node.breaks)]
        for noise in point[1]:
            assert node.race is not None
            winner = node.race.winner(noise)
            if winner is None:
                return None
            node = node.children[winner]
        return node.outcome

    def dtype(self) -> str:
        """The narrowest dtype that the thresholds show.

        In float32 thresholds lie on or halfway between its numbers, near one that is due. Some of
        them use most of its digits: 1/2 alone is a number of every dtype, and shows none.
        """
        ends = [*self._hints, 0.0, 1.0]
        off = [t for t in self._thresholds if all(abs(t - hint) >= 1e-12 for hint in ends)]
        digits = max(map(_bits, off), default=0)
        for name, least, most, reach in (("float16", 6, 13, 2e-3), ("float32", 14, 26, 1e-6)):
            if least <= digits <= most and all(
                any(abs(t - hint) < reach for hint in ends) for t in off
            ):
                return name
        return "float64"

    def is_rounded(self) -> bool:
        """Whether any threshold lies off what is due, so that `dtype` rests on something."""
        ends = [*self._hints, 0.0, 1.0]
        return any(all(abs(t - hint) >= 1e-12 for hint in ends) for t in self._thresholds)


def _shares(node: Node) -> list[float]:
    if node.race is not None:
        return node.race.shares
    edges = [0.0, *node.breaks, 1.0]
    return [high - low for low, high in itertools.pairwise(edges)]


def _bits(number: float) -> int:
    """How many binary digits ``number`` has, the last few of a double left out."""
    mantissa = math.frexp(number)[0]
    for bits in range(1, 40):
        scaled = mantissa * 2.0**bits
        if abs(scaled - round(scaled)) < 2.0 ** (bits - 46):
            return bits
    return 53


def _shown(point: Point) -> str:
    numbers = [*point[0], *(e for race in point[1] for e in race)]
    end = ", ...)" if len(numbers) > 6 else ")"
    return "(" + ", ".join(f"{x:.3g}" for x in numbers[:6]) + end
