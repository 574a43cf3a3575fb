"""Verification of whole blocks, put together wrongly: the law of the block, by formula.

Block verification lets every position have a coin and keeps the longest prefix whose coin passes.
How a coin passes, which coins count and what is drawn at the end belong together; here they are
combined in every other way too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from .due import Law
from .settings import Ids, Row
from .wrong_couplings import Coupling, Round
from .wrong_rules import LawAt, normal, own, residual, spread, without

Passes = Callable[[Sequence[Row], Sequence[Row], Ids, int], float]


def _ratios(p: Sequence[Row], q: Sequence[Row], x: Ids) -> list[float]:
    return [
        p[j][t] / q[j][t] if q[j][t] > 0 else float(p[j][t] > 0) * math.inf for j, t in enumerate(x)
    ]


def reach(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    """How much of the first ``i`` drafts is due: the product of ratios, cut at one each time."""
    product = 1.0
    for number in _ratios(p, q, x[:i]):
        product = min(1.0, product * number)
    return product


def whole_product(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    """The product of the first ``i`` ratios, cut at one at the end."""
    return min(1.0, math.prod(_ratios(p, q, x[:i])))


def product_of_p(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    """The product of the first ``i`` probabilities under the target: q taken for one."""
    return math.prod(p[j][t] for j, t in enumerate(x[:i]))


def due_chance(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    """The chance that block verification gives the first ``i`` drafts' coin."""
    so_far = reach(p, q, x, i)
    if i == len(x):
        return so_far
    left = math.fsum(_left(p, q, x, i, so_far))
    return left / (left + 1 - so_far) if left + 1 - so_far > 0 else 1.0


def _left(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int, so_far: float) -> list[float]:
    return [max(0.0, so_far * a - b) for a, b in zip(p[i], q[i], strict=True)]


def due_residual(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> Row:
    """What block verification draws from after the first ``i`` drafts."""
    return normal(_left(p, q, x, i, reach(p, q, x, i)), p[i])


def longest(passes: Passes, final: LawAt) -> Round:
    """The longest prefix whose coin passes is kept, and ``final`` is drawn from behind it."""

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass = 1.0
        for length in range(len(x), -1, -1):
            here = mass * (min(1.0, passes(p, q, x, length)) if length else 1.0)
            row = p[length] if length == len(x) else final(p, q, x, length)
            spread(law, x[:length], here, row)
            mass -= here
        return law

    return block


def one_by_one(passes: Passes, final: LawAt) -> Round:
    """Positions one after the other, until a coin does not pass."""

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass = 1.0
        for j in range(len(x)):
            chance = min(1.0, passes(p, q, x, j + 1))
            spread(law, x[:j], mass * (1 - chance), final(p, q, x, j))
            mass *= chance
        spread(law, x, mass, p[-1])
        return law

    return block


def _single(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    return min(1.0, _ratios(p, q, x)[i - 1])


def _single_p(p: Sequence[Row], q: Sequence[Row], x: Ids, i: int) -> float:
    return p[i - 1][x[i - 1]]


def _all() -> Iterator[Coupling]:
    chances: tuple[tuple[str, Passes], ...] = (
        ("block verification's coins", due_chance),
        ("the running product of ratios as coins", reach),
        ("the whole product of ratios as coins", whole_product),
        ("the product of p as coins, q taken for one", product_of_p),
        ("every position's own ratio as coin", _single),
        ("every position's own p as coin", _single_p),
    )
    finals: tuple[tuple[str, LawAt], ...] = (
        ("block verification's residual", due_residual),
        ("the residual of a single token", residual),
        ("p without the draft", lambda p, q, x, j: without(p[j], x[j])),
        ("p", own),
    )
    for (name, passes), (left, final) in itertools.product(chances, finals):
        for how, make in (("the longest prefix", longest), ("prefixes one by one", one_by_one)):
            if make is one_by_one and passes in (_single, _single_p):
                continue  # not a block's
            right = passes is due_chance and final is due_residual and make is longest
            yield Coupling(
                "" if right else f"keeping {how} with {name}, and {left} after it",
                "how the ratios of several positions are combined, and the residual that goes "
                "with it",
                () if right else ("block-or-tree", "acceptance-rule", "residual"),
                make(passes, final),
            )


BLOCKS = tuple(_all())
