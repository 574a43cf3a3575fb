"""Ways to draw after a rejection and to draw the bonus token, right and wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .settings import Ids, Row
from .wrong_choices import CERTAIN, RATIO, Choice
from .wrong_rules import LawAt, certain, likeliest, normal, own, residual, without


def _next(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    """The residual one row late, or the next row itself where the drafter has none."""
    return residual(p, q, x, j + 1) if j + 1 < len(q) else p[j + 1]


def _before(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    return residual(p, q, x, max(j - 1, 0))


def _rest_to(place: int) -> LawAt:
    """max(0, p - q) as it is; what is missing to one goes to the id at ``place``."""

    def law(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
        left = [max(0.0, a - b) for a, b in zip(p[j], q[j], strict=True)]
        left[place] += 1 - math.fsum(left)
        return tuple(left)

    return law


def _mixed(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    return normal([a + b for a, b in zip(p[j], q[j], strict=True)], p[j])


def _apart(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
    return normal([abs(a - b) for a, b in zip(p[j], q[j], strict=True)], p[j])


FINALS: tuple[Choice[LawAt], ...] = (
    Choice("", residual, base=RATIO),
    Choice("", lambda p, q, x, j: without(p[j], x[j]), base=CERTAIN),
    Choice("drawing from p after a rejection", own, ("residual",)),
    Choice(
        "emitting the next row's draw after a rejection",
        lambda p, q, x, j: p[j + 1],
        ("position-shift", "residual"),
    ),
    Choice("drawing after a rejection one row late", _next, ("position-shift", "residual")),
    Choice("drawing after a rejection one row early", _before, ("position-shift", "residual")),
    Choice(
        "drawing after a rejection from the first row",
        lambda p, q, x, j: residual(p, q, x, 0),
        ("position-shift", "residual"),
    ),
    Choice(
        "drawing from p one row early after a rejection",
        lambda p, q, x, j: p[max(j - 1, 0)],
        ("position-shift", "residual"),
    ),
    Choice(
        "drawing from the last row after a rejection",
        lambda p, q, x, j: p[-1],
        ("position-shift", "residual"),
    ),
    Choice(
        "drawing from the next row without the draft after a rejection",
        lambda p, q, x, j: without(p[j + 1], x[j]),
        ("position-shift", "residual"),
    ),
    Choice(
        "always drawing id 0 after a rejection",
        lambda p, q, x, j: certain(0, p[j]),
        ("residual", "numerical-edge"),
    ),
    Choice(
        "always drawing the last id after a rejection",
        lambda p, q, x, j: certain(len(p[j]) - 1, p[j]),
        ("residual", "numerical-edge"),
    ),
    Choice(
        "giving the rejected id after a rejection",
        lambda p, q, x, j: certain(x[j], p[j]),
        ("residual", "acceptance-rule"),
    ),
    Choice(
        "giving the likeliest id of the residual",
        lambda p, q, x, j: likeliest(residual(p, q, x, j)),
        ("residual", "numerical-edge"),
    ),
    Choice(
        "giving the likeliest id after a rejection",
        lambda p, q, x, j: likeliest(p[j]),
        ("residual", "target-law"),
    ),
    Choice(
        "giving the likeliest other id after a rejection",
        lambda p, q, x, j: likeliest(without(p[j], x[j])),
        ("residual", "target-law"),
    ),
    Choice("drawing from q after a rejection", lambda p, q, x, j: q[j], ("residual",)),
    Choice(
        "drawing from q without the draft after a rejection",
        lambda p, q, x, j: without(q[j], x[j]),
        ("residual",),
    ),
    Choice(
        "drawing from max(0, q - p) after a rejection",
        lambda p, q, x, j: residual(q, p, x, j),
        ("residual",),
    ),
    Choice("drawing from |p - q| after a rejection", _apart, ("residual",)),
    Choice("drawing from p + q after a rejection", _mixed, ("residual",)),
    Choice(
        "drawing evenly after a rejection",
        lambda p, q, x, j: normal([1.0] * len(p[j]), p[j]),
        ("residual",),
    ),
    Choice(
        "drawing evenly among the other ids after a rejection",
        lambda p, q, x, j: without(normal([1.0] * len(p[j]), p[j]), x[j]),
        ("residual",),
    ),
    Choice(
        "not normalising max(0, p - q), what is missing going to the last id",
        _rest_to(-1),
        ("residual", "numerical-edge"),
    ),
    Choice(
        "not normalising max(0, p - q), what is missing going to the first id",
        _rest_to(0),
        ("residual", "numerical-edge"),
    ),
)

BONUSES: tuple[Choice[LawAt], ...] = (
    Choice("", own),
    Choice(
        "drawing the bonus token from the row before",
        lambda p, q, x, j: p[max(j - 1, 0)],
        ("position-shift", "target-law"),
    ),
    Choice(
        "drawing the bonus token from the first row",
        lambda p, q, x, j: p[0],
        ("position-shift", "target-law"),
    ),
    Choice(
        "giving the likeliest bonus token",
        lambda p, q, x, j: likeliest(p[j]),
        ("target-law", "residual"),
    ),
    Choice(
        "drawing the bonus token from the drafter's last row",
        lambda p, q, x, j: q[j - 1],
        ("target-law", "position-shift"),
    ),
    Choice(
        "drawing the bonus token from the last residual",
        lambda p, q, x, j: residual(p, q, x, j - 1),
        ("target-law", "residual", "position-shift"),
    ),
    Choice(
        "leaving the last draft out of the bonus row",
        lambda p, q, x, j: without(p[j], x[j - 1]),
        ("target-law", "position-shift"),
    ),
    Choice(
        "giving the last draft again as the bonus token",
        lambda p, q, x, j: certain(x[j - 1], p[j]),
        ("position-shift", "target-law"),
    ),
    Choice(
        "always giving id 0 as the bonus token",
        lambda p, q, x, j: certain(0, p[j]),
        ("target-law", "position-shift"),
    ),
    Choice(
        "drawing the bonus token evenly",
        lambda p, q, x, j: normal([1.0] * len(p[j]), p[j]),
        ("target-law",),
    ),
)
