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
from .settings import Ids, Row

#: The law of a block, given K + 1 target rows, K drafter rows and K drafts.
BlockRule = Callable[[Sequence[Row], Sequence[Row], Ids], "Law | None"]
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
        block: the law of the block, for a mistake in the rule; None where no formula is known.
        drafting: the law that drafts are drawn from, for subjects that draw their own.
        token: the law of one new id given the rows of both sides, for decoders that give one id
            a round; then ``block`` is not used.
    """

    what: str
    where: str
    faults: tuple[str, ...]
    block: BlockRule
    drafting: Callable[[Row], Row] | None = None
    token: Callable[[Row, Row], Row] | None = None


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
            spread(law, x[:j], mass * (1 - chance), final(p, q, x, j) if chance < 1 else p[j])
            mass *= chance
        spread(law, x, mass, bonus(p, q, x, len(x)) if mass > 0 else p[len(x)])
        return law

    return block


def spread(law: Law, before: Ids, mass: float, row: Row) -> None:
    """Add to ``law`` strings that start with ``before`` and end with a draw from ``row``."""
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


def cumulative(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    """The product of the ratios so far, each position with a coin of its own."""
    if j and all(q[i][x[i]] > 0 for i in range(j + 1)):
        return min(1.0, math.prod(p[i][x[i]] / q[i][x[i]] for i in range(j + 1)))
    return ratio(p, q, x, j)
