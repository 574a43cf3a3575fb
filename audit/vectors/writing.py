"""How vectors are written down: numbers exact and as float64, one vector a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...reference.distribution import Distribution
from ...reference.exact import Rational, fraction, rational
from ...reference.models import Ids

#: The version of the format; a vector's id keeps its meaning as long as this stays the same.
SCHEMA = "draftproof/vectors/1"

VALID, INVALID, RELAXED = "valid", "invalid", "relaxed"


@dataclass(frozen=True)
class Vector:
    """One vector.

    Attributes:
        id: names it for good, within one version of the format.
        shows: one line on what it is there for.
        property: what it tests; for a relaxed rule, what the rule declares.
        given: the input, fit for JSON.
        expect: the output, fit for JSON.
        result: `VALID`, `INVALID` (the input is outside of what the property speaks of) or
            `RELAXED` (the output is that of a rule that is lossy by design).
        flags: words by which users leave vectors out; see `FLAGS`.
        reports: public reports of the fault that it is there for, as "owner/repository #number".
    """

    id: str
    shows: str
    property: str
    given: Mapping[str, Any]
    expect: Mapping[str, Any]
    result: str = VALID
    flags: tuple[str, ...] = ()
    reports: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The vector as the files have it."""
        return {
            "id": self.id,
            "result": self.result,
            "property": self.property,
            "shows": self.shows,
            "flags": sorted(self.flags),
            "reports": list(self.reports),
            "given": dict(self.given),
            "expect": dict(self.expect),
        }


#: Every flag, and what it means.
FLAGS: Mapping[str, str] = {
    "final-inverse-cdf": "the id depends on the final coin, read by inverse CDF in id order: leave "
    "it out if your final draw is made otherwise",
    "accept-boundary": "an accept coin equals a threshold between 0 and 1: leave it out if you "
    "accept on u <= p/q, with coins in (0, 1]",
    "final-boundary": "the final coin equals a cumulative probability",
    "one-unit": "a coin lies one unit of its grid below or above a threshold",
    "coin-zero": "a coin that is looked at is 0",
    "coin-below-one": "a coin that is looked at is the largest one below 1",
    "float32": "coins are multiples of 2^-24, as float32 generators give them",
    "float64": "coins are multiples of 2^-53, as float64 generators give them",
    "zero-probability": "the target excludes the draft: p is 0",
    "excluded-by-drafter": "an id that the target may emit has q = 0",
    "coin-reuse": "the accept coin, read again for the final token, gives another id",
    "rounding": "probabilities that float64 does not hold; the ids are the same in any rounding",
    "residual": "a rejection with a residual of several ids",
    "shifted-rows": "the rows of different positions differ",
    "no-drafts": "nothing is drafted",
    "nan": "a row holds NaN, written null",
    "equal-laws": "p is q: a rejection has probability zero",
    "drawn": "drafts are drawn from the drafter; the law is the same for every lossless rule",
    "given-drafts": "drafts are given; the law is that of the rule that is named",
    "several-rounds": "a block may be shorter than the law: state carried from round to round "
    "counts",
    "batch": "several requests in one batch; the law is joint",
    "end-of-sequence": "an id ends the sequence",
    "request": "the request asks for filters, a temperature or a processor",
    "many-to-one": "several drafter ids stand for one text",
    "duplicate": "several target ids stand for one text",
    "filter-before-mask": "a filter of the drafter's law comes before the mask",
    "no-proposal": "drafts without a candidate have positive probability",
    "segmentation": "the tokenizers cut one text in different places",
    "quirk": "a tokenizer does not give back what it was given",
    "known-not-to-hold": "the property is known to fail here; what comes out instead is given",
    "unencodable": "a text without an encoding",
    "padded": "columns without an id",
    "empty-intersection": "no token in common",
    "zero-over-zero": "a ratio of 0/0 on the way",
}


def number(value: Any) -> dict[str, Any]:
    """``value``, a rational, exactly and as the nearest float64."""
    exact = as_fraction(value)
    return {"exact": text(exact), "float": float(exact)}


def row(values: Distribution[int] | Iterable[Any], size: int | None = None) -> dict[str, Any]:
    """Probabilities of the ids 0, 1, ..., exactly and as the nearest float64s.

    ``values`` is a law over ids, whose vocabulary has ``size`` of them, or the numbers in order.
    """
    if size is not None:
        law: Any = values
        values = [law[token] for token in range(size)]
    exact = [as_fraction(value) for value in values]  # type: ignore[union-attr]
    return {"exact": [text(value) for value in exact], "float": [float(value) for value in exact]}


def rows(laws: Iterable[Distribution[int]], size: int) -> list[dict[str, Any]]:
    """`row` for each of ``laws``."""
    return [row(law, size) for law in laws]


def law(items: Mapping[Ids, Any]) -> list[dict[str, Any]]:
    """A law over strings of ids: each with its probability, the zeros left out, in order."""
    return [
        {"ids": list(ids), "probability": number(value)}
        for ids, value in sorted(items.items())
        if as_fraction(value)
    ]


def as_fraction(value: Any) -> Fraction:
    """A rational of either kind, or text, as a `Fraction`."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        return fraction(value)
    return fraction(rational(value))


def text(value: Fraction) -> str:
    """``value`` as "n/d", zero as "0/1"."""
    return f"{value.numerator}/{value.denominator}"


def compact(value: Any) -> str:
    """JSON on one line; characters outside ASCII are escaped, NaN is refused."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def listing(head: Mapping[str, Any], name: str, items: Sequence[Any]) -> str:
    """A JSON object with ``head``'s members one a line, then the list ``name``, one item a line."""
    lines = [f" {compact(key)}: {compact(value)}," for key, value in head.items()]
    inside = ",\n".join(f"  {compact(item)}" for item in items)
    return "\n".join(["{", *lines, f" {compact(name)}: [", inside, " ]", "}"]) + "\n"
