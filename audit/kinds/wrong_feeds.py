"""Rows and drafts that a rule, right by itself, is fed with instead of those that are due."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .settings import Ids, Row
from .wrong_choices import Choice
from .wrong_rules import likeliest, normal

#: Other rows and drafts than those given: what a rule that is right by itself may be fed with.
Feed = Callable[[Sequence[Row], Sequence[Row], Ids], tuple[Sequence[Row], Sequence[Row], Ids]]


def _softmax(row: Row) -> Row:
    return normal([math.exp(v) for v in row], row)


def _power(exponent: float) -> Callable[[Row], Row]:
    return lambda row: normal([v**exponent if v > 0 else 0.0 for v in row], row)


def top_two(row: Row) -> Row:
    """The two likeliest ids alone."""
    cut = sorted(row, reverse=True)[min(1, len(row) - 1)]
    return normal([v if v >= cut else 0.0 for v in row], row)


def even(row: Row) -> Row:
    """All ids alike."""
    return normal([1.0] * len(row), row)


def _of_p(change: Callable[[Row], Row]) -> Feed:
    return lambda p, q, x: ([change(row) for row in p], q, x)


def of_q(change: Callable[[Row], Row]) -> Feed:
    """The rows of q changed one by one."""
    return lambda p, q, x: (p, [change(row) for row in q], x)


def _folded(p: Sequence[Row], q: Sequence[Row], x: Ids) -> tuple[Sequence[Row], Sequence[Row], Ids]:
    """The last id mapped to the one before it, with the q of that one alone."""
    last = len(p[0]) - 1
    return p, [(*row[:last], 0.0) for row in q], tuple(min(t, last - 1) for t in x)


#: Laws that target rows, or drafter rows, are mistaken for.
CHANGES: tuple[tuple[str, Callable[[Row], Row]], ...] = (
    ("softmax of probabilities", _softmax),
    ("at temperature 1/2", _power(2.0)),
    ("at temperature 2", _power(0.5)),
    ("at temperature 0.8", _power(1.25)),
    ("at temperature 0.7", _power(1 / 0.7)),
    ("cut to the two likeliest ids", top_two),
    ("taken for its likeliest id", likeliest),
    ("taken for an even law", even),
)
MAPS: tuple[tuple[str, Callable[[Row], Row]], ...] = (
    ("in reverse order of ids", lambda row: row[::-1]),
    ("one id late", lambda row: (row[-1], *row[:-1])),
    ("one id early", lambda row: (*row[1:], row[0])),
)

FEEDS: tuple[Choice[Feed], ...] = (
    Choice("", lambda p, q, x: (p, q, x)),
    Choice(
        "scoring with q one row late",
        lambda p, q, x: (p, [q[max(j - 1, 0)] for j in range(len(q))], x),
        ("position-shift", "proposal-law"),
    ),
    Choice(
        "scoring with q one row early",
        lambda p, q, x: (p, [q[min(j + 1, len(q) - 1)] for j in range(len(q))], x),
        ("position-shift", "proposal-law"),
    ),
    Choice(
        "scoring every draft with the first row of q",
        lambda p, q, x: (p, [q[0]] * len(q), x),
        ("position-shift", "proposal-law"),
    ),
    Choice(
        "verifying every draft with the row before its own",
        lambda p, q, x: ([p[max(j - 1, 0)] for j in range(len(p))], q, x),
        ("position-shift", "target-law"),
    ),
    Choice(
        "verifying every draft with the row after its own",
        lambda p, q, x: ([p[min(j + 1, len(p) - 1)] for j in range(len(p))], q, x),
        ("position-shift", "target-law"),
    ),
    Choice(
        "verifying every draft with the first row",
        lambda p, q, x: ([p[0]] * len(p), q, x),
        ("position-shift", "target-law"),
    ),
    Choice(
        "exchanging p and q",
        lambda p, q, x: ((*q, p[-1]), p[:-1], x),
        ("acceptance-rule", "target-law", "residual"),
    ),
    *(
        Choice(f"verifying with p {what}", _of_p(change), ("target-law",))
        for what, change in CHANGES
    ),
    *(
        Choice(f"scoring with q {what}", of_q(change), ("proposal-law",))
        for what, change in CHANGES
    ),
    *(
        Choice(f"verifying with p {what}", _of_p(change), ("vocabulary-map", "target-law"))
        for what, change in MAPS
    ),
    *(
        Choice(f"scoring with q {what}", of_q(change), ("vocabulary-map", "proposal-law"))
        for what, change in MAPS
    ),
    Choice(
        "mapping the last id to the one before it, and scoring with the q of that one alone",
        _folded,
        ("vocabulary-map", "proposal-law"),
    ),
)
