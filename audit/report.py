"""The audit's results, and the JSON report that users' CI reads (schema ``draftproof/report/1``).

A `Result` is one check of one subject on one pair; a `Subject` is the worst of its law results;
a `Report` holds both and serialises them. Exact values are written as ``"n/d"`` beside a float.
"""

from __future__ import annotations

import html
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from importlib import metadata
from typing import Any

from ..reference.exact import Rational, fraction_text, rational
from .sampling import Sampling

SCHEMA = "draftproof/report/1"

LOSSLESS = "LOSSLESS"
LOSSY = "LOSSY"
RELAXED = "RELAXED"
UNDECIDED = "UNDECIDED"
NOT_APPLICABLE = "NOT_APPLICABLE"

#: From the worst down; NOT_APPLICABLE stands outside.
SEVERITY = (LOSSY, UNDECIDED, RELAXED, LOSSLESS)
EXIT_CODES = {LOSSLESS: 0, RELAXED: 0, LOSSY: 1, NOT_APPLICABLE: 2, UNDECIDED: 3}


@dataclass(frozen=True)
class Value:
    """A number as the report writes it: exact where the arithmetic was, and as a float."""

    exact: Rational | None
    float: float

    @staticmethod
    def of(number: Rational | float | None) -> Value | None:
        """Wrap a rational (exact) or a float (not exact); None stays None."""
        if number is None:
            return None
        if isinstance(number, float):
            return Value(None, number)
        return Value(rational(number), float(number))

    def to_json(self) -> dict[str, Any]:
        """``{"exact": "n/d" or null, "float": x}``."""
        return {
            "exact": None if self.exact is None else fraction_text(self.exact),
            "float": self.float,
        }


@dataclass(frozen=True)
class Witness:
    """The smallest counterexample found: after ``context``, ``continuation`` is due and given so.

    ``context`` and ``continuation`` are target ids; ``context`` includes the prompt. ``vocabulary``
    is the target's size.
    """

    context: tuple[int, ...]
    continuation: tuple[int, ...]
    due: Value
    given: Value
    vocabulary: int
    lookahead: int | None

    def to_json(self) -> dict[str, Any]:
        """The ``witness`` object of the report."""
        return {
            "context": list(self.context),
            "continuation": list(self.continuation),
            "due": self.due.to_json(),
            "given": self.given.to_json(),
            "vocabulary": self.vocabulary,
            "lookahead": self.lookahead,
        }


@dataclass(frozen=True)
class SamplesNeeded:
    """How many independent samples the named test needs to see the defect.

    ``alpha`` is its level, ``power`` the probability of seeing it, ``n`` the number of samples.
    """

    test: str
    alpha: float
    power: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """The ``samples_needed`` object of the report."""
        return {"test": self.test, "alpha": self.alpha, "power": self.power, "n": self.n}


@dataclass(frozen=True)
class Result:
    """One check of one subject on one pair; every field is defined in the contract's schema."""

    subject: str
    kind: str
    pair: str | None
    check: str
    guarantee: str
    verdict: str
    lookahead: int | None = None
    horizon: int | None = None
    stop_rule: str | None = None
    total_variation: Value | None = None
    tolerance: float | None = None
    acceptance: Value | None = None
    tokens_per_pass: Value | None = None
    fault: str | None = None
    fault_candidates: tuple[str, ...] = ()
    refutes: tuple[str, ...] = ()
    witness: Witness | None = None
    samples_needed: SamplesNeeded | None = None
    reason: str | None = None
    paths: int | None = None
    contexts: int | None = None
    error_mass: float | None = None
    unexplored_mass: float | None = None
    seconds: float | None = None
    sampling: Sampling | None = None

    def to_json(self) -> dict[str, Any]:
        """One element of ``results`` (or of a subject's ``edges``)."""
        out: dict[str, Any] = {}
        for name in RESULT_FIELDS:
            value = getattr(self, name)
            if name == "sampling" and value is None:
                continue  # results of samples alone have it
            if isinstance(value, Value | Witness | SamplesNeeded | Sampling):
                value = value.to_json()
            elif isinstance(value, tuple):
                value = list(value)
            out[name] = value
        return out


RESULT_FIELDS = tuple(each.name for each in fields(Result))


@dataclass(frozen=True)
class Subject:
    """One audited thing: its verdict is the worst of its law results."""

    subject: str
    kind: str
    verdict: str
    edges: tuple[Result, ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """One element of ``subjects``."""
        return {
            "subject": self.subject,
            "kind": self.kind,
            "verdict": self.verdict,
            "edges": [edge.to_json() for edge in self.edges],
            "reason": self.reason,
        }


def worst(verdicts: Iterable[str]) -> str:
    """The worst of ``verdicts`` (LOSSY, UNDECIDED, RELAXED, LOSSLESS); NOT_APPLICABLE if none."""
    seen = set(verdicts)
    return next((verdict for verdict in SEVERITY if verdict in seen), NOT_APPLICABLE)


def subject_of(
    name: str, kind: str, results: Iterable[Result], reason: str | None = None
) -> Subject:
    """The `Subject` that ``results`` amount to."""
    results = list(results)
    verdict = worst(result.verdict for result in results)
    if reason is None and verdict != LOSSLESS:
        reason = next((r.reason for r in results if r.verdict == verdict and r.reason), None)
    return Subject(name, kind, verdict, (), reason)


@dataclass(frozen=True, repr=False)
class Report:
    """What an audit found.

    ``subjects`` and ``results`` hold what decides the exit code; ``survey`` names the subjects
    that were surveyed for information only and never change it.
    """

    subjects: tuple[Subject, ...]
    results: tuple[Result, ...]
    survey: frozenset[str] = field(default_factory=frozenset)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The worst verdict of the audited subjects, the survey left out."""
        return worst(s.verdict for s in self.subjects if s.subject not in self.survey)

    @property
    def edges(self) -> tuple[Result, ...]:
        """Every edge result (endpoints, NaN rows, reporting) of every subject."""
        return tuple(edge for subject in self.subjects for edge in subject.edges)

    def relaxed(self, declared: str) -> Report:
        """This report with every LOSSY verdict made RELAXED, since ``declared`` names the property.

        Edges and surveyed subjects stay as they are.
        """
        results = tuple(
            replace(
                r,
                verdict=RELAXED,
                fault="relaxed-by-design",
                fault_candidates=tuple(dict.fromkeys(("relaxed-by-design", *r.fault_candidates)))[
                    :3
                ],
                reason="; ".join(filter(None, (f"declared: {declared}", r.reason))),
            )
            if r.verdict == LOSSY and r.subject not in self.survey
            else r
            for r in self.results
        )
        subjects = tuple(
            replace(
                subject_of(s.subject, s.kind, (r for r in results if r.subject == s.subject)),
                edges=s.edges,
            )
            for s in self.subjects
        )
        return replace(self, subjects=subjects, results=results)

    def exit_code(self, strict: bool = False) -> int:
        """0 LOSSLESS or RELAXED, 1 LOSSY, 2 nothing with a verdict, 3 UNDECIDED.

        With ``strict``, a failed edge of an audited subject counts as LOSSY.
        """
        failed = any(
            edge.verdict == LOSSY
            for subject in self.subjects
            if subject.subject not in self.survey
            for edge in subject.edges
        )
        return EXIT_CODES[LOSSY] if strict and failed else EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """The whole report as the JSON object of the contract."""
        return {
            "schema": SCHEMA,
            "versions": {
                "draftproof": metadata.version("draftproof"),
                "python": platform.python_version(),
                **self.versions,
            },
            "subjects": [subject.to_json() for subject in self.subjects],
            "results": [result.to_json() for result in self.results],
        }

    def to_json_text(self) -> str:
        """`to_json` as text, newline at the end."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __repr__(self) -> str:
        from .table import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"
