"""Ways to accept a draft, right and wrong.

Each part of a rule is looked up by itself, so that two mistakes in two parts are named as
well as one. A *base* is what an acceptance test belongs to: the ratio p / q, or drafts that are
taken for certain (q is 1 at the draft), which is also what matching with a draw from p gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .settings import Ids, Row
from .wrong_rules import (
    At,
    cumulative,
    entropy_cut,
    likeliest,
    ratio,
)

What = TypeVar("What")
ACCEPT = "the comparison that accepts a draft"
FINAL = "the draw after a rejection"
BONUS = "the draw after all drafts are accepted"
RATIO, CERTAIN = "ratio", "certain"
_RELAXED = ("acceptance-rule", "relaxed-by-design")


@dataclass(frozen=True)
class Choice(Generic[What]):
    """One way to do a part of a rule.

    Attributes:
        what: in words, for "it behaves like ...".
        of: the number or the law at a position.
        faults: the classes if it is wrong, the likeliest first; none where it is right.
        base: what it is right with, None for what is right with nothing.
    """

    what: str
    of: What
    faults: tuple[str, ...] = ()
    base: str | None = None


def _reach(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    """The product of ratios so far, cut at one at every step."""
    product = 1.0
    for i in range(j + 1):
        if q[i][x[i]] > 0:
            product = min(1.0, product * p[i][x[i]] / q[i][x[i]])
    return product


def _typical(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    return float(p[j][x[j]] > entropy_cut(p[j]))


def _upside_down(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    return min(1.0, q[j][x[j]] / p[j][x[j]]) if p[j][x[j]] else 1.0


ACCEPTS: tuple[Choice[At], ...] = (
    Choice("", ratio, base=RATIO),
    Choice("", lambda p, q, x, j: p[j][x[j]], base=CERTAIN),
    Choice("accepting every draft", lambda p, q, x, j: 1.0, ("acceptance-rule", "proposal-law")),
    Choice(
        "never verifying the first draft",
        lambda p, q, x, j: 1.0 if j == 0 else ratio(p, q, x, j),
        ("acceptance-rule", "position-shift"),
        RATIO,
    ),
    Choice(
        "never verifying the first draft",
        lambda p, q, x, j: 1.0 if j == 0 else p[j][x[j]],
        ("acceptance-rule", "position-shift"),
        CERTAIN,
    ),
    Choice(
        "never verifying the last draft",
        lambda p, q, x, j: 1.0 if j == len(x) - 1 else ratio(p, q, x, j),
        ("acceptance-rule", "position-shift"),
        RATIO,
    ),
    Choice(
        "never verifying the last draft",
        lambda p, q, x, j: 1.0 if j == len(x) - 1 else p[j][x[j]],
        ("acceptance-rule", "position-shift"),
        CERTAIN,
    ),
    Choice("never accepting a draft", lambda p, q, x, j: 0.0, ("acceptance-rule", "proposal-law")),
    Choice("accepting with probability q / p", _upside_down, ("acceptance-rule",), RATIO),
    Choice(
        "accepting with probability 1 - p / q",
        lambda p, q, x, j: 1 - ratio(p, q, x, j),
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with probability 1 - p",
        lambda p, q, x, j: 1 - p[j][x[j]],
        ("acceptance-rule",),
        CERTAIN,
    ),
    Choice(
        "accepting with probability q",
        lambda p, q, x, j: q[j][x[j]],
        ("acceptance-rule", "proposal-law"),
        RATIO,
    ),
    Choice(
        "accepting with probability p q",
        lambda p, q, x, j: p[j][x[j]] * q[j][x[j]],
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with probability p / (p + q)",
        lambda p, q, x, j: p[j][x[j]] / (p[j][x[j]] + q[j][x[j]]) if q[j][x[j]] else 1.0,
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with probability (p / q)^2",
        lambda p, q, x, j: ratio(p, q, x, j) ** 2,
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with the square root of p / q",
        lambda p, q, x, j: math.sqrt(ratio(p, q, x, j)),
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with probability 1 - |p - q|",
        lambda p, q, x, j: 1 - abs(p[j][x[j]] - q[j][x[j]]),
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting with probability p / max p",
        lambda p, q, x, j: p[j][x[j]] / max(p[j]),
        _RELAXED,
        CERTAIN,
    ),
    Choice(
        "accepting wherever p is at least q",
        lambda p, q, x, j: float(p[j][x[j]] >= q[j][x[j]]),
        ("acceptance-rule",),
        RATIO,
    ),
    Choice(
        "accepting the likeliest id and nothing else",
        lambda p, q, x, j: likeliest(p[j])[x[j]],
        ("acceptance-rule", "target-law"),
    ),
    Choice(
        "accepting wherever p is positive",
        lambda p, q, x, j: float(p[j][x[j]] > 0),
        ("acceptance-rule", "proposal-law"),
    ),
    Choice("typical acceptance", _typical, _RELAXED),
    Choice(
        "accepting where p is at least 1/4", lambda p, q, x, j: float(p[j][x[j]] >= 0.25), _RELAXED
    ),
    Choice(
        "multiplying ratios up along the draft, position by position",
        cumulative,
        ("block-or-tree", "acceptance-rule"),
        RATIO,
    ),
    Choice(
        "multiplying ratios up along the draft, cut at one at every step",
        _reach,
        ("block-or-tree", "acceptance-rule"),
        RATIO,
    ),
    Choice(
        "multiplying p up along the draft, position by position",
        lambda p, q, x, j: math.prod(p[i][x[i]] for i in range(j + 1)),
        ("block-or-tree", "acceptance-rule"),
        CERTAIN,
    ),
)
