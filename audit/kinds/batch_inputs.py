"""What several requests in one call come as: rows padded to one size, drafts, lengths."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from .calling import Arrays
from .due import DueLaws
from .settings import Ids


def draft_weights(lengths: Sequence[int], dues: Sequence[DueLaws]) -> dict[tuple[Ids, ...], float]:
    """The law of all requests' drafts together, ``lengths`` drafts each."""
    return {
        tuple(ids for ids, _ in drafts): math.prod(mass for _, mass in drafts)
        for drafts in itertools.product(
            *(due.drafts(n).items() for due, n in zip(dues, lengths, strict=True))
        )
    }


def batch_arguments(
    arrays: Arrays, dues: Sequence[DueLaws], drafts: Sequence[Ids]
) -> tuple[Any, Any, Any, Any]:
    """Rows, drafts and lengths; beyond a request's length ids are -1 and rows another law."""
    size, longest = max(due.size for due in dues), max(map(len, drafts))
    target: list[Any] = []
    drafter: list[Any] = []
    for due, ids in zip(dues, drafts, strict=True):
        contexts = [due.prompt + ids[:j] for j in range(len(ids) + 1)]
        missing = longest - len(ids)
        p = [due.target.after(c) for c in contexts]
        q = [due.drafter.after(c) for c in contexts]
        p += [_padding(p[-1], 3 / 4)] * missing
        q = q[:-1] + [_padding(q[-1], 5 / 8)] * missing
        target.append([_widened(row, size) for row in p])
        drafter.append([_widened(row, size) for row in q])
    count = len(drafts)
    padded = [[*ids, *[-1] * (longest - len(ids))] for ids in drafts]
    return (
        arrays.rows(target, (count, longest + 1, size)),
        arrays.rows(drafter, (count, longest, size)),
        arrays.ids(padded, (count, longest)),
        arrays.ids([len(ids) for ids in drafts], (count,)),
    )


def _padding(row: tuple[float, ...], mass: float) -> tuple[float, ...]:
    """A law unlike ``row`` that is positive everywhere: ``mass`` for its least likely id."""
    least = row.index(min(row))
    rest = (1 - mass) / max(len(row) - 1, 1)
    return tuple(mass if token == least else rest for token in range(len(row)))


def _widened(row: tuple[float, ...], size: int) -> tuple[float, ...]:
    return (*row, *(0.0,) * (size - len(row)))
