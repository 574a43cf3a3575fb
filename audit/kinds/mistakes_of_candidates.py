"""Mistakes of decoders that try several candidates for one place: trees, and lists of drafts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from .settings import Row
from .wrong_rules import Mistake, certain, normal, without

_WHERE = "what a further candidate is tested against: the law that earlier rejections have left"
_TREE = ("block-or-tree", "acceptance-rule", "residual")
#: Which of the drafter's ids the branches of a tree begin with: 0 is the likeliest.
_BRANCHES = tuple(
    ranks
    for count in (1, 2, 3, 4)
    for ranks in itertools.combinations_with_replacement((0, 1, 2), count)
    if len(ranks) > 1 and ranks[0] == 0
)
#: Candidates drawn from q, at most.
_MOST = 4


def _left(p: Row, q: Row) -> Row:
    return normal([max(0.0, a - b) for a, b in zip(p, q, strict=True)], p)


def drawn(count: int, after: Callable[[Row, Row], Row], end: Callable[[Row, Row], Row]) -> Mistake:
    """``count`` draws from q, tested with ratios.

    Args:
        after: the law that the next candidate is tested against, from the one before it and q.
        end: the law drawn from when all are rejected, from p and q.
    """

    def token(p: Row, q: Row) -> Row:
        law = [0.0] * len(p)
        mass, due = 1.0, p
        for _ in range(count):
            kept = [min(a, b) for a, b in zip(due, q, strict=True)]
            for x, number in enumerate(kept):
                law[x] += mass * number
            mass *= 1 - math.fsum(kept)
            due = after(due, q)
        return tuple(a + mass * b for a, b in zip(law, end(p, q), strict=True))

    return Mistake(
        f"testing {count} candidates without the law that earlier rejections have left",
        _WHERE,
        _TREE,
        lambda p, q, x: None,
        None,
        token,
    )


def branches(ranks: tuple[int, ...], end: Callable[[Row, list[int]], Row]) -> Mistake:
    """Branches through the drafter's likeliest ids, each matched with a target draw of its own."""

    def token(p: Row, q: Row) -> Row:
        best = sorted(range(len(q)), key=lambda t: -q[t])
        tried = [best[min(rank, len(best) - 1)] for rank in ranks]
        law = [0.0] * len(p)
        mass = 1.0
        for x in tried:
            law[x] += mass * p[x]
            mass *= 1 - p[x]
        return tuple(a + mass * b for a, b in zip(law, end(p, tried), strict=True))

    return Mistake(
        f"matching {len(ranks)} branches with a draw of its own each",
        "the draws of a tree's branches: all branches of one place are matched with one draw",
        _TREE,
        lambda p, q, x: None,
        None,
        token,
    )


def _all_left_out(p: Row, tried: list[int]) -> Row:
    for x in set(tried):
        p = without(p, x)
    return p


def _certain_of_best(p: Row, tried: list[int]) -> Row:
    return certain(tried[0], p)


def _all() -> Iterator[Mistake]:
    ends: tuple[Callable[[Row, Row], Row], ...] = (_left, lambda p, q: p, lambda p, q: q)
    for count in range(2, _MOST + 1):
        for end in ends:
            yield drawn(count, lambda due, q: due, end)
            yield drawn(count, _left, end)

        def residuals(p: Row, q: Row, count: int = count) -> Row:
            for _ in range(count):
                p = _left(p, q)
            return p

        yield drawn(count, lambda due, q: due, residuals)
    for ranks in _BRANCHES:
        for last in (
            lambda p, tried: without(p, tried[0]),
            _all_left_out,
            lambda p, tried: p,
            lambda p, tried: without(p, tried[-1]),
            _certain_of_best,
        ):
            yield branches(ranks, last)


CANDIDATES = tuple(_all())
