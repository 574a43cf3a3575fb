"""Where rounds are wrong: the parts and positions that are not those of a right rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .settings import Row
from .wrong_choices import ACCEPTS, CERTAIN, RATIO
from .wrong_draws import FINALS
from .wrong_rules import At, LawAt
from .wrong_seen import Seen, alike


@dataclass(frozen=True)
class Spot:
    """A part of one round that is not what is due there."""

    part: str
    seen: Seen
    j: int
    by: float


def spots(seen: Sequence[Seen]) -> tuple[str, list[Spot]]:
    """The base that fits better, and every place that is wrong for it."""
    options = {RATIO: (ACCEPTS[0], FINALS[0]), CERTAIN: (ACCEPTS[1], FINALS[1])}
    found: dict[str, list[Spot]] = {}
    for base, (accept, final) in options.items():
        found[base] = [
            *(_wrong(seen, "accept", lambda s, a=accept: _accepts_by(s, a.of))),
            *(_wrong(seen, "final", lambda s, f=final: _finals_by(s, f.of))),
            *(_wrong(seen, "bonus", _bonus_by)),
        ]
    parts = {base: (len({spot.part for spot in found[base]}), len(found[base])) for base in found}
    base = min(found, key=lambda b: parts[b])
    return base, found[base]


def _wrong(
    seen: Sequence[Seen], part: str, by: Callable[[Seen], Iterator[tuple[int, float]]]
) -> Iterator[Spot]:
    for each in seen:
        for j, number in by(each):
            if number > 0:
                yield Spot(part, each, j, number)


def _accepts_by(seen: Seen, accept: At) -> Iterator[tuple[int, float]]:
    for j, number in enumerate(seen.accepts):
        if number is not None:
            by = abs(number - min(1.0, accept(seen.p, seen.q, seen.x, j)))
            yield j, by if by > seen.blurs.accepts[j] else 0.0


def _finals_by(seen: Seen, law: LawAt) -> Iterator[tuple[int, float]]:
    for j, row in enumerate(seen.finals):
        if row is not None:
            due = law(seen.p, seen.q, seen.x, j)
            yield j, 0.0 if alike(row, due, seen.blurs.finals[j]) else _apart(row, due)


def _bonus_by(seen: Seen) -> Iterator[tuple[int, float]]:
    if seen.bonus is not None:
        same = alike(seen.bonus, seen.p[-1], seen.blurs.bonus)
        yield len(seen.x), 0.0 if same else _apart(seen.bonus, seen.p[-1])


def _apart(one: Row, other: Row) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
