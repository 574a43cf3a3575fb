"""What well-known mistakes give: the law of a block under each, by formula.

Each mistake is a function from the rows of both sides and the drafts to the law of the block. The
audit compares what a subject gives with all of them; one that explains every law seen names the
fault. Several mistakes can give one law on some pairs, so more than one may be left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .due import Law
from .kernel_races import shared_race
from .settings import Ids, Row

#: The law of a block, given K + 1 target rows, K drafter rows and K drafts.
BlockRule = Callable[[Sequence[Row], Sequence[Row], Ids], Law]
#: A number at position j, or a law there.
At = Callable[[Sequence[Row], Sequence[Row], Ids, int], float]
LawAt = Callable[[Sequence[Row], Sequence[Row], Ids, int], Row]


@dataclass(frozen=True)
class Mistake:
    """A mistake with its law.

    Attributes:
        what: in words, for "it behaves like ...".
        where: where to look.
        faults: the classes, the likeliest first.
        block: the law of the block, for a mistake in the rule.
        drafting: the law that drafts are drawn from, for subjects that draw their own.
    """

    what: str
    where: str
    faults: tuple[str, ...]
    block: BlockRule
    drafting: Callable[[Row], Row] | None = None


def ratio(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    """min(1, p / q) at position j."""
    return min(1.0, p[j][x[j]] / q[j][x[j]]) if q[j][x[j]] > 0 else float(p[j][x[j]] > 0)


def residual(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    """max(0, p - q), normalised; p where nothing is left."""
    del x
    return normal([max(0.0, a - b) for a, b in zip(p[j], q[j], strict=True)], p[j])


def normal(weights: Sequence[float], otherwise: Row) -> Row:
    """``weights`` normalised, ``otherwise`` where they are all zero."""
    total = math.fsum(weights)
    return tuple(w / total for w in weights) if total > 1e-15 else otherwise


def own(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    """The target's law at position j."""
    del q, x
    return p[j]


def rule(accept: At = ratio, final: LawAt = residual, bonus: LawAt = own) -> BlockRule:
    """The rule that goes from draft to draft and draws everything afresh."""

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass = 1.0
        for j in range(len(x)):
            chance = min(1.0, max(0.0, accept(p, q, x, j)))
            _spread(law, x[:j], mass * (1 - chance), final(p, q, x, j) if chance < 1 else p[j])
            mass *= chance
        _spread(law, x, mass, bonus(p, q, x, len(x)) if mass > 0 else p[len(x)])
        return law

    return block


def _spread(law: Law, before: Ids, mass: float, row: Row) -> None:
    for token, probability in enumerate(row):
        if mass * probability > 0:
            ids = (*before, token)
            law[ids] = law.get(ids, 0.0) + mass * probability


def certain(token: int, row: Row) -> Row:
    """The law that always gives ``token``."""
    return tuple(float(t == token) for t in range(len(row)))


def likeliest(row: Row) -> Row:
    """The law that always gives the first likeliest id."""
    return certain(row.index(max(row)), row)


def without(row: Row, token: int) -> Row:
    """``row`` with ``token`` left out, normalised."""
    return normal([0.0 if t == token else v for t, v in enumerate(row)], row)


def entropy_cut(row: Row) -> float:
    """Typical acceptance's threshold with its usual constants."""
    entropy = -math.fsum(v * math.log(v) for v in row if v > 0)
    return min(0.09, 0.3 * math.exp(-entropy))


def reused_coin(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
    """The coin that rejected also inverts the residual's cumulative law."""

    def final(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
        low = ratio(p, q, x, j)
        law: list[float] = []
        total = 0.0
        for v in residual(p, q, x, j):
            law.append(max(0.0, total + v - max(total, low)))
            total += v
        return normal(law, p[j])

    return rule(final=final)(p, q, x)


def shared_coin(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
    """One coin for all positions: a draft is accepted where it lies below every ratio so far."""

    def accept(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
        before = min((ratio(p, q, x, i) for i in range(j)), default=1.0)
        return min(before, ratio(p, q, x, j)) / before if before else 0.0

    return rule(accept=accept)(p, q, x)


def cumulative(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    """The product of the ratios so far, each position with a coin of its own."""
    if j and all(q[i][x[i]] > 0 for i in range(j + 1)):
        return min(1.0, math.prod(p[i][x[i]] / q[i][x[i]] for i in range(j + 1)))
    return ratio(p, q, x, j)


def longest_prefix(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
    """The longest prefix whose cumulative product passes a coin of its own; residual after it."""
    chances = [cumulative(p, q, x, j) for j in range(len(x))]
    law: Law = {}
    mass = 1.0
    for length in range(len(x), -1, -1):
        here = mass * (chances[length - 1] if length else 1.0)
        row = p[length] if length == len(x) else residual(p, q, x, length)
        _spread(law, x[:length], here, row)
        mass -= here
    return law


def shared_noise(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
    """The noise that drew the draft draws the residual too."""

    def final(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
        left = residual(p, q, x, j)
        return normal([shared_race(q[j], left, x[j], y) for y in range(len(left))], p[j])

    return rule(final=final)(p, q, x)
