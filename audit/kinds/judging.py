"""From a law given and a law due to a verdict; what is not known counts in the subject's favour."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..report import LOSSLESS, LOSSY, NOT_APPLICABLE, UNDECIDED, Result, Value, Witness
from ..verdicts import samples_needed
from .due import Law, longest, prefixes
from .settings import Ids

#: Half the distance between neighbouring numbers just above 1, by dtype.
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
#: Roundings along one path that reach its probability, at the sizes used here.
ROUNDINGS = 168
#: Below this no float64 distance is asserted: code guards its divisions with 1e-10 and the like.
GUARD = 5e-10
#: A law that is not complete is good enough if less than this part of the tolerance is missing.
WORTH_KNOWING = 0.1


def tolerance_for(dtype: str, asked: float | None) -> float:
    """The largest distance that rounding may explain where ``dtype`` is the narrowest seen.

    A path's probability is a product of numbers that about `ROUNDINGS` roundings went into; a
    relative error of ``e`` in every path's probability moves a law by at most ``e``. For float64
    the bound is below what implementations add to avoid a division by zero, hence `GUARD`. It is
    never above float32's: one cast to a half-precision format somewhere must not excuse the rest.
    """
    bound = max(ROUNDINGS * ROUNDOFF.get(dtype, ROUNDOFF["float32"]), GUARD)
    bound = min(bound, ROUNDINGS * ROUNDOFF["float32"])
    return bound if asked is None else min(bound, asked)


def halved(dtype: str) -> bool:
    """Whether ``dtype`` is narrower than float32, so that rounding may be the fault."""
    return ROUNDOFF.get(dtype, 0.0) > ROUNDOFF["float32"]


def narrower(first: str, second: str | None) -> str:
    """The narrower of two dtypes by name; None counts as float64."""
    return max(first, second or "float64", key=lambda name: ROUNDOFF.get(name, 0.0))


class Found(Protocol):
    """What finding a law by enumeration or from thresholds reports."""

    law: dict[Any, float]
    errors: dict[str, float]
    unexplored_mass: float
    paths: int
    reason: str | None


@dataclass
class Given:
    """A law given, put together from parts, with what is missing from it.

    Attributes:
        law: of strings (or of tuples of strings, for several requests).
        errors: mass by what was raised.
        unexplored: mass of what was not run.
        reason: why something is missing, if anything is.
        dtype: the narrowest seen.
        parts, weights: for rules, the law of the block for each draft, and its probability.
        note: what a LOSSLESS verdict must say.
    """

    law: dict[Any, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    unexplored: float = 0.0
    paths: int = 0
    reason: str | None = None
    dtype: str = "float64"
    parts: dict[Any, dict[Any, float]] = field(default_factory=dict)
    weights: dict[Any, float] = field(default_factory=dict)
    note: str | None = None

    def add(self, found: Found, weight: float = 1.0, key: Any = None) -> None:
        """Add the law that ``found`` has, with probability ``weight``."""
        self.paths += found.paths
        self.reason = self.reason or found.reason
        self.dtype = narrower(self.dtype, getattr(found, "narrowest_dtype", None))
        self.note = self.note or getattr(found, "note", None)
        idealised = getattr(found, "idealised", 0.0)  # what the models of random calls leave out
        self.unexplored += weight * (found.unexplored_mass + idealised)
        for error, mass in found.errors.items():
            self.errors[error] = self.errors.get(error, 0.0) + weight * mass
        for outcome, mass in found.law.items():
            self.law[outcome] = self.law.get(outcome, 0.0) + weight * float(mass)
        if key is not None:
            self.parts[key] = dict(found.law)
            self.weights[key] = weight

    @property
    def error_mass(self) -> float:
        """Probability of what raised."""
        return math.fsum(self.errors.values())

    @property
    def first_error(self) -> str | None:
        """What was raised, the most frequent first."""
        return max(self.errors, key=lambda e: self.errors[e]) if self.errors else None

    @property
    def raises_always(self) -> bool:
        """Whether nothing but exceptions came of it."""
        return not self.law and bool(self.errors) and self.unexplored < 1e-9


@dataclass
class Comparison:
    """Where a law given differs from the law due."""

    distance: float
    context: Ids
    continuation: Ids
    due: float
    given: float
    event_due: float
    event_given: float
    first_token: bool


def compare(
    due: Law, given: Given, context: Ids, vocabulary: int, asked: float | None
) -> Comparison | None:
    """The difference of two laws of strings if it exceeds the tolerance, what is missing aside."""
    tolerance = tolerance_for(given.dtype, asked)
    law = given.law
    distance = math.fsum(max(0.0, mass - due.get(ids, 0.0)) for ids, mass in law.items())
    outside = any(not 0 <= token < vocabulary for ids in law for token in ids)
    if distance <= tolerance and not outside:
        return None
    complete = given.error_mass + given.unexplored <= WORTH_KNOWING * tolerance
    best: tuple[Ids, float, float] | None = None
    for length in range(1, longest(law) + 1):
        due_, given_ = prefixes(due, length), prefixes(law, length)
        differing = [
            (len(ids) < length, -abs(d - g), ids, d, g)
            for ids in {**due_, **given_}
            if (d := due_.get(ids, 0.0)) != (g := given_.get(ids, 0.0))
            and (g > d or complete)
            and abs(g - d) > max(tolerance / 2, distance / 100)
        ]
        if differing:
            *_, ids, d, g = min(differing)
            best = ids, d, g
            break
    if best is None:
        ids = max(law, key=lambda ids: law[ids] - due.get(ids, 0.0))
        best = ids, due.get(ids, 0.0), law[ids]
    more = [ids for ids in law if law[ids] > due.get(ids, 0.0)]
    first = prefixes(law, 1)
    first_due = prefixes(due, 1)
    marginal = math.fsum(max(0.0, mass - first_due.get(ids, 0.0)) for ids, mass in first.items())
    return Comparison(
        distance,
        context,
        *best,
        event_due=min(1.0, math.fsum(due.get(ids, 0.0) for ids in more)),
        event_given=min(1.0, math.fsum(law[ids] for ids in more)),
        first_token=marginal > tolerance,
    )


def judged(
    blank: Result,
    due: Law,
    given: Given,
    context: Ids,
    vocabulary: int,
    asked: float | None,
    started: float,
    contexts: int = 1,
) -> Result:
    """``blank`` with a verdict and all numbers."""
    tolerance = tolerance_for(given.dtype, asked)
    measured = replace(
        blank,
        tolerance=tolerance,
        paths=given.paths,
        contexts=contexts,
        error_mass=min(1.0, given.error_mass),
        unexplored_mass=min(1.0, max(0.0, given.unexplored)),
        seconds=time.perf_counter() - started,
    )
    if found := compare(due, given, context, vocabulary, asked):
        return replace(
            measured,
            verdict=LOSSY,
            reason=_outside(given, vocabulary),
            fault_candidates=("numerical-edge",) if halved(given.dtype) else (),
            total_variation=Value(None, min(1.0, found.distance)),
            witness=Witness(
                found.context,
                found.continuation,
                Value(None, min(1.0, found.due)),
                Value(None, min(1.0, found.given)),
                vocabulary,
                blank.lookahead,
            ),
            refutes=tuple(
                dict.fromkeys((*(("next-token",) if found.first_token else ()), blank.guarantee))
            ),
            samples_needed=samples_needed(found.event_due, found.event_given),
        )
    reasons = missing(given)
    distance = math.fsum(max(0.0, mass - due.get(ids, 0.0)) for ids, mass in given.law.items())
    unknown = given.error_mass + given.unexplored
    if reasons and (
        distance + unknown > tolerance
        or (given.reason is not None and unknown > WORTH_KNOWING * tolerance)
    ):
        return replace(measured, verdict=UNDECIDED, reason="; ".join(reasons))
    # What raises only where rounding leads, as 0/0 does where p is q, cannot change the verdict.
    return replace(
        measured,
        verdict=LOSSLESS,
        total_variation=Value(None, distance),
        reason="; ".join(filter(None, (given.note, *reasons))) or None,
    )


def likeliest_convention(results: Sequence[Result]) -> int:
    """Which of several laws, each of which may be due, the subject keeps, judged by each."""
    order = {LOSSLESS: 0, LOSSY: 1}
    return min(
        range(len(results)),
        key=lambda n: (
            order.get(results[n].verdict, 2),
            value.float if (value := results[n].total_variation) else 0.0,
        ),
    )


def _outside(given: Given, vocabulary: int) -> str | None:
    """What to say of ids that are none, None where there are none."""
    mass: dict[int, float] = {}
    for ids, share in given.law.items():
        for token in {token for token in ids if not 0 <= token < vocabulary}:
            mass[token] = mass.get(token, 0.0) + share
    if not mass:
        return None
    token = max(mass, key=lambda token: mass[token])
    text = (
        f"id {token} is outside the vocabulary of {vocabulary}, whose ids are 0 to "
        f"{vocabulary - 1}; it comes with probability {mass[token]:.3g}"
    )
    if token == vocabulary and mass[token] < tolerance_for("float32", None):
        dtype = "float32" if given.dtype == "float64" and mass[token] > 1e-12 else given.dtype
        text += (
            f", as from an inverse of a cumulative sum: the last cumulative sum is below 1 in "
            f"{dtype}, and a coin above it finds no id"
        )
    return text


def missing(given: Given) -> list[str]:
    """Why ``given`` is not a complete law, in words; empty if it is."""
    reasons: list[str] = []
    if given.reason is not None:
        reasons.append(given.reason)
    elif given.unexplored > 1e-12:
        reasons.append("not every path was run")
    if given.errors:
        reasons.append(f"raises on branches of mass {given.error_mass:.3g}: {given.first_error}")
    return reasons


def refused(blank: Result, given: Given, what: str) -> Result | None:
    """NOT_APPLICABLE where the subject raises on every path of a request that it may refuse."""
    if not given.raises_always:
        return None
    return replace(
        blank,
        verdict=NOT_APPLICABLE,
        reason=f"the subject refuses {what}: {given.first_error}",
        paths=given.paths,
        error_mass=1.0,
    )
