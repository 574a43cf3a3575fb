"""Rounds as they were seen: how often each draft was accepted, and what was drawn where.

The law of a block for given drafts tells the parts of a rule apart: a block that ends at position j
was rejected there, one that goes on was accepted, and one that is longer than the drafts ends with
a bonus token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .due import DueLaws, Law
from .evidence import Evidence
from .settings import Ids, Row

#: Probabilities closer than this are the same for the purpose of naming.
SAME = 1e-7
#: Probability that an enumeration may leave out, here and there.
LEFT_OUT = 2e-10
#: What is known no better than this, because it follows a rare event, is not looked at.
WORST = 1e-3


class Blurs(NamedTuple):
    """How far from the truth numbers may be."""

    accepts: tuple[float, ...]
    finals: tuple[float, ...]
    bonus: float
    block: float


@dataclass(frozen=True)
class Seen:
    """A round with given drafts.

    Attributes:
        p: the K + 1 rows due.
        q: the K rows of the drafter.
        x: the drafts.
        accepts: how often each draft is accepted once it is reached, None where it never is.
        finals: the law of the id after a rejection at each position, None where there is none.
        bonus: the law of the id after all drafts, None where there is none.
        taken: the ids that stand where accepted drafts are due; other ids than the drafts, maybe.
        blurs: how well each of the acceptances, of the finals, the bonus and the block are known.
        free: whether all rows of a side are alike, so that rows cannot be taken for each other.
        block: the law of the block.
    """

    p: tuple[Row, ...]
    q: tuple[Row, ...]
    x: Ids
    accepts: tuple[float | None, ...]
    finals: tuple[Row | None, ...]
    bonus: Row | None
    taken: Ids
    free: bool
    block: Law
    blurs: Blurs


def rounds(evidence: Iterable[Evidence], observed: bool = False) -> list[Seen] | None:
    """Every round in ``evidence``; None if blocks are not ended by a final or a bonus token.

    ``observed``: take for q the law that drafts were seen to have.
    """
    found: list[Seen] = []
    for each in evidence:
        if each.case.pair.pair.same_vocabulary:
            for seen in _rounds_of(each, observed):
                if seen is None:
                    return None
                found.append(seen)
    whole = any(seen.bonus is not None for seen in found)
    return found if found and whole else None


def _rounds_of(evidence: Evidence, observed: bool) -> Iterator[Seen | None]:
    due = DueLaws(evidence.case.pair, evidence.case.settings)
    for x, law in evidence.parts.items():
        p = tuple(due.row(x[:j]) for j in range(len(x) + 1))
        q = tuple(due.drafter.after(due.prompt + x[:j]) for j in range(len(x)))
        if observed and evidence.drafts is not None:
            q = tuple(_drawn(evidence.drafts, x[:j], len(row)) for j, row in enumerate(q))
        weight = 1.0
        drafts = evidence.drafts or {}
        for j, token in enumerate(x):
            weight *= q[j][token]
        yield _seen(p, q, x, law, drafts.get(x, weight))


def _drawn(drafts: Law, before: Ids, size: int) -> Row:
    """The law of the draft after ``before``, as it was seen."""
    row = [0.0] * size
    for ids, mass in drafts.items():
        if ids[: len(before)] == before:
            row[ids[len(before)]] += mass
    total = math.fsum(row)
    return tuple(v / total for v in row)


def _seen(p: tuple[Row, ...], q: tuple[Row, ...], x: Ids, law: Law, weight: float) -> Seen | None:
    if not x or any(not 0 < len(ids) <= len(x) + 1 for ids in law):
        return None
    size = len(p[0])
    if any(not 0 <= token < size for ids in law for token in ids):
        return None

    def blur(mass: float) -> float:
        known = weight * mass
        return max(SAME, LEFT_OUT / known) if known > LEFT_OUT else 1.0

    accepts: list[float | None] = []
    finals: list[tuple[Row | None, float]] = []
    blurs: list[float] = []
    taken: Ids = ()
    reached = 1.0
    for j in range(len(x)):
        longer = {ids for ids in law if len(ids) > j + 1 and blur(law[ids]) < WORST}
        starts = {ids[: j + 1] for ids in longer}
        if len(starts) > 1:
            return None
        on = sum(law[ids] for ids in law if len(ids) > j + 1)
        blurs.append(blur(reached))
        accepts.append(min(1.0, on / reached) if blurs[-1] < WORST else None)
        finals.append(_row(law, j + 1, size, blur))
        taken = next(iter(starts)) if starts else taken
        reached = on
    bonus, known = _row(law, len(x) + 1, size, blur)
    return Seen(
        p,
        q,
        x,
        tuple(accepts),
        tuple(row for row, _ in finals),
        bonus,
        taken,
        len(set(p)) == len(set(q)) == 1,
        law,
        Blurs(tuple(blurs), tuple(number for _, number in finals), known, blur(1.0)),
    )


def _row(
    law: Law, length: int, size: int, blur: Callable[[float], float]
) -> tuple[Row | None, float]:
    """The law of the last id of strings of one length, and how well it is known."""
    row = [0.0] * size
    for ids, mass in law.items():
        if len(ids) == length:
            row[ids[-1]] += mass
    total = math.fsum(row)
    known = blur(total)
    return (tuple(v / total for v in row) if known < WORST else None), known


def alike(one: Sequence[float], other: Sequence[float], blur: float = SAME) -> bool:
    """Whether two rows are the same for the purpose of naming."""
    return all(abs(a - b) <= blur for a, b in zip(one, other, strict=True))


def distance(one: Law, other: Law) -> float:
    """The largest difference in any one probability."""
    return max(
        (abs(one.get(ids, 0.0) - other.get(ids, 0.0)) for ids in {**one, **other}), default=0.0
    )
