"""Rounds whose decisions share a coin or a noise vector: the law of the block, by formula.

A coin is uniform until it has decided something; then it lies in what the decision left of the
unit interval. A round is followed with that region at hand: a decision by a fresh coin starts from
the whole interval, one by a coin that was used before from its region.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .due import Law
from .kernel_races import shared_race
from .settings import Ids, Row
from .wrong_rules import LawAt, normal, own, ratio, residual, spread, without

#: Disjoint intervals in which a coin is known to lie.
Region = list[tuple[float, float]]
WHOLE: Region = [(0.0, 1.0)]
#: The law of a block, or None where no formula is known.
Round = Callable[[Sequence[Row], Sequence[Row], Ids], Law | None]
COINS = "the coins: every decision needs one of its own"
NOISE = "the noise vectors: every draw needs one of its own"
_COUPLED = ("coupled-randomness",)


@dataclass(frozen=True)
class Coupling:
    """A round with something shared.

    Attributes:
        what: in words, for "it behaves like ...".
        where: where to look.
        faults: the classes, the likeliest first.
        of_drafts: whether it is shared with the draws of the drafts.
    """

    what: str
    where: str
    faults: tuple[str, ...]
    block: Round
    of_drafts: bool = False


def cut(region: Region, low: float, high: float) -> Region:
    """What of ``region`` lies between ``low`` and ``high``."""
    ends = ((max(a, low), min(b, high)) for a, b in region)
    return [(a, b) for a, b in ends if b > a]


def size(region: Region) -> float:
    """The probability of ``region``."""
    return math.fsum(b - a for a, b in region)


def place(row: Row, token: int) -> tuple[float, float]:
    """Where the cumulative law of ``row`` gives ``token``."""
    low = math.fsum(row[:token])
    return low, 1.0 if token == len(row) - 1 else low + row[token]


def inverted(row: Row, region: Region) -> Row:
    """The law of the id that a coin in ``region`` gives."""
    return normal([size(cut(region, *place(row, t))) for t in range(len(row))], row)


def _share(part: Region, whole: Region) -> float:
    return size(part) / size(whole) if size(whole) > 0 else 0.0


def tested(
    certain: bool, accepts: bool, final: LawAt | None, bonus: bool, high: bool, drafts: bool
) -> Round:
    """Drafts are tested with coins.

    Args:
        certain: against p of the draft, not p / q.
        accepts: one coin for all tests.
        final: what the coin that rejected draws from; None for a fresh one.
        bonus: whether the last coin draws the bonus token.
        high: whether a coin accepts where it is large.
        drafts: whether each coin has drawn its draft before.
    """
    left: LawAt = (lambda p, q, x, j: without(p[j], x[j])) if certain else residual

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass, region = 1.0, WHOLE
        for j, token in enumerate(x):
            if j == 0 or not accepts:
                region = [place(q[j], token)] if drafts else WHOLE
            chance = p[j][token] if certain else ratio(p, q, x, j)
            yes, no = (0.0, chance), (chance, 1.0)
            if high:
                yes, no = (1 - chance, 1.0), (0.0, 1 - chance)
            kept, lost = cut(region, *yes), cut(region, *no)
            row = inverted(final(p, q, x, j), lost) if final else left(p, q, x, j)
            goes_on = _share(kept, region)
            spread(law, x[:j], mass * (1 - goes_on), row)
            mass, region = mass * goes_on, kept
        spread(law, x, mass, inverted(p[-1], region) if bonus else p[-1])
        return law

    return block


def matched(accepts: bool, bonus: bool) -> Round:
    """Every id is drawn from p by inverting its cumulative law; it goes on while the draft agrees.

    ``accepts``: one coin for all of them; ``bonus``: the last coin again for the bonus token.
    """

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass, region = 1.0, WHOLE
        for j, token in enumerate(x):
            region = region if accepts else WHOLE
            low, high = place(p[j], token)
            kept = cut(region, low, high)
            lost = cut(region, 0.0, low) + cut(region, high, 1.0)
            goes_on = _share(kept, region)
            spread(law, x[:j], mass * (1 - goes_on), inverted(p[j], lost))
            mass, region = mass * goes_on, kept
        spread(law, x, mass, inverted(p[-1], region) if bonus else p[-1])
        return law

    return block


def drawn_again(final: LawAt | None, bonus: bool, certain: bool = False) -> Round:
    """The coin that drew a draft draws after its rejection, from ``final``, or the bonus token."""

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass = 1.0
        for j, token in enumerate(x):
            chance = p[j][token] if certain else ratio(p, q, x, j)
            row = residual(p, q, x, j)
            if final:
                row = inverted(final(p, q, x, j), [place(q[j], token)])
            spread(law, x[:j], mass * (1 - chance), row)
            mass *= chance
        spread(law, x, mass, inverted(p[-1], [place(q[-1], x[-1])]) if bonus else p[-1])
        return law

    return block


def raced_again(final: LawAt | None, bonus: bool, certain: bool = False) -> Round:
    """The noise on which a draft won is raced on again, with ``final`` or for the bonus token."""

    def block(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law:
        law: Law = {}
        mass = 1.0
        for j, token in enumerate(x):
            chance = p[j][token] if certain else ratio(p, q, x, j)
            row = without(p[j], token) if certain else residual(p, q, x, j)
            if final:
                row = _second(q[j], final(p, q, x, j), token)
            spread(law, x[:j], mass * (1 - chance), row)
            mass *= chance
        spread(law, x, mass, _second(q[-1], p[-1], x[-1]) if bonus else p[-1])
        return law

    return block


def _second(first: Row, second: Row, won: int) -> Row:
    """Who wins with weights ``second`` on noise on which ``won`` has won with ``first``."""
    return normal([shared_race(first, second, won, t) for t in range(len(second))], second)


def races_share(p: Sequence[Row], q: Sequence[Row], x: Ids) -> Law | None:
    """Ids are raced for with p, all positions on one noise vector; goes on while drafts agree."""
    if len(x) != 1:
        return None
    law: Law = {(t,): v for t, v in enumerate(p[0]) if t != x[0] and v > 0}
    spread(law, x, p[0][x[0]], _second(p[0], p[1], x[0]))
    return law


def _all() -> Iterator[Coupling]:
    lefts: tuple[tuple[str, LawAt], ...] = (
        ("the residual", residual),
        ("p without the draft", lambda p, q, x, j: without(p[j], x[j])),
        ("p", own),
    )
    for accepts, bonus in ((True, True), (True, False), (False, True)):
        what = "using one coin for all positions" if accepts else "using the last coin again"
        end = " and for the bonus token" if bonus else ""
        yield Coupling(f"matching, {what}{end}", COINS, _COUPLED, matched(accepts, bonus))
    yield Coupling("racing at all positions on one noise vector", NOISE, _COUPLED, races_share)
    flags = (False, True)
    for drafts, accepts, bonus, high, certain in itertools.product(flags, repeat=5):
        for name, final in (("", None), *lefts):
            if not (drafts or accepts or bonus or final) or (drafts and accepts):
                continue
            used = [
                *(["to accept it"] if drafts else []),
                *([f"to draw from {name} after a rejection"] if final else []),
                *(["at all positions"] if accepts else []),
                *(["for the bonus token"] if bonus else []),
            ]
            coin = "the coin that drew the draft" if drafts else "the accept coin"
            yield Coupling(
                f"using {coin} again {' and '.join(used)}",
                COINS,
                ("coupled-randomness", "residual" if final else "acceptance-rule"),
                tested(certain, accepts, final, bonus, high, drafts),
                drafts,
            )
    for certain in flags:
        for (name, final), bonus in itertools.product((*lefts, ("", None)), flags):
            if not (final or bonus):
                continue
            after = f" to draw from {name} after a rejection" if final else ""
            end = " for the bonus token" if bonus else ""
            uses = " and".join(filter(None, (after, end)))
            yield Coupling(
                f"using the drafter's noise again{uses}",
                NOISE,
                ("coupled-randomness", "residual"),
                raced_again(final, bonus, certain),
                True,
            )
            yield Coupling(
                f"using the drafter's coin again{uses}",
                COINS,
                ("coupled-randomness", "residual"),
                drawn_again(final, bonus, certain),
                True,
            )


COUPLINGS = tuple(_all())
