"""The exact law of whole runs of a GPU sampler: several rounds, with the keys it draws under.

One round is a tree of thresholds and races (`draftproof.audit.kinds.kernel_coins.Structure`), found
and tested by probing. A run puts rounds together: in place of fresh coins every round reads the
coin of the key that was recorded for its place (`keys.rounds`), so that a coin read twice is one
variable. Uniform coins are integrated by intervals, noise by the law of one race or of two races
on the same noise.

Target and drafter are stationary here (the same row after every context), so one tree for every
tuple of drafts is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...audit.kinds.kernel_coins import Node, Structure
from ...audit.kinds.kernel_layout import Coins as Layout
from ...audit.kinds.kernel_races import shared_race
from ...audit.kinds.loading import CoinSpec
from .coins import Key
from .gpu_sampler import GpuSampler, verifying
from .keys import Round, rounds

Ids = tuple[int, ...]


class SharedTooOftenError(Exception):
    """Noise is raced more than twice under one key; no formula for that is here."""


@dataclass
class _Coins:
    """What is known of the coins along a path: intervals of uniform ones, races won on noise."""

    intervals: dict[Key, tuple[float, float]] = field(default_factory=dict)
    races: dict[Key, list[tuple[tuple[float, ...], int]]] = field(default_factory=dict)

    def within(self, key: Key, low: float, high: float) -> _Coins | None:
        """With the coin of ``key`` in [low, high); None if it is known not to be."""
        before = self.intervals.get(key, (0.0, 1.0))
        now = max(before[0], low), min(before[1], high)
        if now[0] >= now[1]:
            return None
        return _Coins(self.intervals | {key: now}, self.races)

    def won(self, key: Key, weights: Sequence[float], winner: int) -> _Coins | None:
        """With ``winner`` first in the race of ``key``; None if it is known not to be."""
        known = self.races.get(key, [])
        for other, won in known:
            if _alike(other, weights):
                return self if won == winner else None
        return _Coins(self.intervals, self.races | {key: [*known, (tuple(weights), winner)]})

    def probability(self) -> float:
        """Of all that is known."""
        mass = 1.0
        for low, high in self.intervals.values():
            mass *= high - low
        for known in self.races.values():
            if len(known) > 2:
                raise SharedTooOftenError
            (w, i), (v, j) = known[0], known[-1]
            mass *= w[i] / sum(w) if len(known) == 1 else shared_race(w, v, i, j)
        return mass


def _alike(w: Sequence[float], v: Sequence[float]) -> bool:
    """Whether the weights are the same but for a factor and float32's rounding."""
    a, b = sum(w), sum(v)
    return all(abs(x / a - y / b) < 1e-5 for x, y in zip(w, v, strict=True))


class Runs:
    """A sampler on a stationary pair.

    Args:
        target: the target's row.
        drafter: the drafter's; one-hot, and unknown to the sampler, with ``certain``.
    """

    def __init__(
        self,
        sampler: GpuSampler,
        target: Sequence[float],
        drafter: Sequence[float],
        lookahead: int,
        certain: bool = False,
    ) -> None:
        import numpy as np

        self._kernel = verifying(sampler, certain=certain)
        self.calls = 0
        self._drafter = tuple(drafter)
        self._lookahead = lookahead
        self._rows = np.array([target] * (lookahead + 1)), np.array([drafter] * lookahead)
        self._sampler, self._certain = sampler, certain
        specs = [CoinSpec("accept", ("K",), "uniform"), CoinSpec("noise", (1, "V"), "exponential")]
        self._layout = Layout(specs, lookahead, len(target))
        self._hints = sorted(_hints(target, drafter))
        self._trees: dict[Ids, Node] = {}

    def law(self, horizon: int) -> dict[Ids, float]:
        """The law of the first ``horizon`` tokens.

        Raises:
            StructureError: where a round is no tree of thresholds and races.
            SharedTooOftenError: where noise is raced three times under one key.
        """
        recorded = rounds(self._sampler, horizon, self._lookahead, self._certain)
        self._keys = {(r.base, r.emitted): r for r in recorded}
        law: dict[Ids, float] = {}
        for ids, coins in self._continued((), _Coins(), horizon):
            law[ids] = law.get(ids, 0.0) + coins.probability()
        return law

    def _continued(self, ids: Ids, coins: _Coins, horizon: int) -> Iterator[tuple[Ids, _Coins]]:
        if len(ids) >= horizon:
            yield ids[:horizon], coins
            return
        for drafts, drafted in self._drafted(len(ids), coins):
            for outcome, after in self._round(len(ids), drafts, drafted):
                yield from self._continued(ids + outcome, after, horizon)

    def _drafted(self, base: int, coins: _Coins) -> Iterator[tuple[Ids, _Coins]]:
        """Every way to draft."""
        keys = self._keys[base, 1].drafts
        possible = [i for i, q in enumerate(self._drafter) if q > 0]
        for drafts in itertools.product(possible, repeat=self._lookahead):
            known: _Coins | None = coins
            for key, token in zip(keys, drafts, strict=False):
                known = known and known.won(key, self._drafter, token)
            if known is not None:
                yield drafts, known

    def _round(self, base: int, drafts: Ids, coins: _Coins) -> Iterator[tuple[Ids, _Coins]]:
        """Every way to verify, with what it says of the coins."""
        accepts = max((self._keys[base, n + 1].accepts for n in range(self._lookahead + 1)),
                      key=len)  # fmt: skip

        def walk(node: Node, depth: int, known: _Coins) -> Iterator[tuple[Ids, _Coins]]:
            if not node.children:
                assert isinstance(node.outcome, tuple), node.outcome
                yield node.outcome, known
            elif node.race is None:
                edges = [0.0, *node.breaks, 1.0]
                pieces = zip(itertools.pairwise(edges), node.children, strict=True)
                for (low, high), child in pieces:
                    inner = known if not node.breaks else known.within(accepts[depth], low, high)
                    if inner is not None:
                        yield from walk(child, depth + 1, inner)
            else:
                for (*_, winner), child in zip(
                    [(0, *w) for w in node.race.winners], node.children, strict=True
                ):
                    inner = known
                    if node.race.weights:
                        key = self._keys[base, len(child.outcome)].final
                        inner = known.won(key, node.race.weights[0], winner)
                    if inner is not None:
                        yield from walk(child, depth, inner)

        yield from walk(self._tree(drafts), 0, coins)

    def _tree(self, drafts: Ids) -> Node:
        if drafts not in self._trees:

            def evaluate(point: Any) -> Ids:
                import numpy as np

                self.calls += 1
                coins = {
                    name: np.reshape(values, shape)
                    for name, shape, values in self._layout.arrays(point)
                }
                return tuple(self._kernel(*self._rows, drafts, coins))

            structure = Structure(evaluate, self._layout, self._hints)
            structure.test(24)
            self._trees[drafts] = structure._root
        return self._trees[drafts]


def _hints(target: Sequence[float], drafter: Sequence[float]) -> set[float]:
    ratios = {min(1.0, p / q) for p, q in zip(target, drafter, strict=True) if q > 0}
    return {r for r in ratios if 0 < r < 1}


def due_law(target: Sequence[float], horizon: int) -> dict[Ids, float]:
    """The target's own law of ``horizon`` tokens."""
    law: dict[Ids, float] = {}
    for ids in itertools.product(range(len(target)), repeat=horizon):
        mass = 1.0
        for token in ids:
            mass *= target[token]
        law[ids] = mass
    return law


__all__ = ["Round", "Runs", "SharedTooOftenError", "due_law"]
