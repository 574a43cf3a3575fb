"""A priori bounds on what rounding can change in the law of SLRS's output, as total variation.

The theorem, its assumptions and the proof are in docs/rounding.md; the names here are those there.
S bounds the sum over all tokens of |psi' - psi|, psi' as the code computes it. Everything else of a
verified position is a few roundings beside it. Bounds are sums and products of positive numbers, a
handful each, computed in float64 and then raised by a millionth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...reference.pair import Pair
from ...reference.slrs_spelled import spellings
from ..huggingface.coins import PATIENCE
from .enclosure import UNIT, Tally, gamma

_RAISED = 1 + 1e-6


@dataclass(frozen=True)
class Precision:
    """What the rows are like.

    Attributes:
        unit: u, the unit roundoff of their type: 2**-24 for float32, 2**-53 for float64.
        off: e, the most by which a row's sum differs from one.
        target_ids, drafter_ids: sizes of the two vocabularies.
    """

    unit: float
    off: float
    target_ids: int
    drafter_ids: int

    @property
    def tiny(self) -> float:
        """The smallest positive number of the rows' type: how far an underflow can lead."""
        return 2.0**-149 if self.unit > UNIT else 2.0**-1074

    @property
    def mass(self) -> tuple[tuple[float, float], ...]:
        """The roundings of a mass of ids: summed in float64, then stored in the rows' type."""
        return (gamma(self.drafter_ids), 1), (self.unit, 1)


@dataclass(frozen=True)
class Variation:
    """Bounds on the total variation of one verified position.

    Attributes:
        psi: S, the sum over all tokens of |psi' - psi|.
        rounding: of what the code's floats and coins give, from what exact arithmetic gives.
        limit: what the limit on kept draws in a row may add to it, in any arithmetic.
        coins: what is left where every decision is the exact one: coins are multiples of 2**-53.
    """

    psi: float
    rounding: float
    limit: float
    coins: float


def sum_of_products(factors: int, terms: int, rows: Precision, others: float = 0.0) -> float:
    """How far a sum of products of probabilities can be off, of which the exact value is below 1.

    For sums over drafts, such as M(u) of a rule ``fixed:i``.

    Args:
        factors: probabilities in each product; the code multiplies them in the rows' type.
        terms: how many products are added, in that type and in any order.
        rows: what the rows are like.
        others: how often ``1 - on`` stands for all other tokens, ``on`` a sum of at most
            ``drafter_ids`` numbers in the rows' type; each time weighted with the exact mass of the
            draft that it stands behind, and added up.
    """
    u = rows.unit
    products = _off((rows.off, factors), (u, factors + 1), (gamma(terms - 1, u), 1))
    on = _off((rows.off, 1), (gamma(rows.drafter_ids, u), 1)) + u
    return _RAISED * (products + (1 + products) * others * on + terms * factors * rows.tiny)


def spelled(rows: Precision, longest: int) -> Variation:
    """For spelled proposals whose longest spelling has ``longest`` drafter ids."""
    u, e = rows.unit, rows.off
    # A factor is q[d], off by the row's sum, or q[d] over a mass; then it is multiplied.
    over_mass = _off((u, 1), *((_inverse(size), many) for size, many in rows.mass))
    relative = _off((max(e, over_mass), longest), (u, longest + 1))
    # The last factor, 1 - mass - mass, perhaps with a product of two masses added.
    stop = _off((e, 1), *rows.mass) + 2 * u * (1 + u)
    back = _off((e, 2), *rows.mass, (u, 1))
    last = (1 + u) * (stop + back) + u
    s = relative + longest * last * (1 + relative)
    s += rows.target_ids * (longest + 2) * rows.tiny
    drafts = longest + 1
    restricted = u * (1 + u) + rows.drafter_ids * rows.tiny
    drawing = drafts * (_draw(rows.drafter_ids) + restricted)
    return _position(rows, s, drawing, drafts)


def one_draft(rows: Precision) -> Variation:
    """For the rule ``fixed:1``."""
    u = rows.unit
    first = _off((rows.off, 1), *rows.mass)
    later = _off((u, 1), *((_inverse(size), many) for size, many in rows.mass), *rows.mass)
    s = max(first, later) + rows.drafter_ids * 2 * rows.tiny
    return _position(rows, s, _draw(rows.drafter_ids), 1)


def of_rule(pair: Pair, rule: str, tally: Tally) -> Variation | None:
    """For SLRS with this rule, as far as there is a theorem.

    Args:
        pair: models and tokenizers.
        rule: as in `RealProgram`.
        tally: of a run, for how far rows were from summing to one, and for their type.
    """
    sizes = pair.target.size, pair.drafter.size
    # Rows that were not asked for count too; normalised in float64 they are no further off.
    off = max(tally.off, gamma(max(sizes) + 2))
    rows = Precision(tally.unit, off, *sizes)
    if rule == "spelled":
        return spelled(rows, max(map(len, spellings(pair).of_token.values()), default=1))
    return one_draft(rows) if rule == "fixed:1" else None


def _position(rows: Precision, s: float, drawing: float, drafts: int) -> Variation:
    u, e = rows.unit, rows.off
    accepting = s + _off((e, 1), (u, 1)) + UNIT + rows.tiny
    ratios = _off((u, 1), (_inverse(e), 1))
    keeping = 2 * _draw(rows.target_ids) + s + ratios + u + UNIT + rows.tiny
    coins = UNIT * (drafts * (rows.drafter_ids - 1) + rows.target_ids + 1)
    return Variation(
        psi=_RAISED * s,
        rounding=_RAISED * (drawing + accepting + 2 * keeping),
        limit=_RAISED / (math.e * PATIENCE),
        coins=_RAISED * coins,
    )


def _draw(ids: int) -> float:
    """Of one draw from ``ids`` outcomes: cumulative sums one after the other, and the coin's."""
    return 3 * ids * UNIT


def _off(*roundings: tuple[float, float]) -> float:
    """The product of all (1 + size) to the power of how many, less one."""
    return math.expm1(sum(many * math.log1p(size) for size, many in roundings))


def _inverse(size: float) -> float:
    """How far a division is off when its divisor is off by ``size``."""
    return size / (1 - size)
