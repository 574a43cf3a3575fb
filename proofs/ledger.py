"""The ledger: every claim about the algorithms, its status, and what establishes it.

A `Claim` holds a statement in words and in symbols, its source, its status, and the checks that the
machine runs for it. `verify` runs them; a claim whose check fails *no longer holds*, and
``draftproof prove`` says so. What Coq checks is compiled by ``draftproof prove --coq``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec

PROVED = "proved"
FIXED_SIZES = "proved at fixed sizes"
INSTANCES = "checked on instances"
REFUTED = "refuted"
CORRECTED = "corrected"
#: Every status, with what it asserts.
STATUSES = {
    PROVED: "for every finite vocabulary, by Coq",
    FIXED_SIZES: "for all positive p and q, at the vocabularies and lookaheads named",
    INSTANCES: "exactly, on the pairs named; not proved beyond them",
    REFUTED: "false as written; the smallest counterexample is exact",
    CORRECTED: "false as written, by an exact counterexample; the corrected statement holds",
}


class ClaimError(AssertionError):
    """A check that came out otherwise than its claim says; the message says how."""


#: What a check runs: lines that say what was found, or a `ClaimError`.
Run = Callable[[], Iterable[str]]


@dataclass(frozen=True)
class Check:
    """One thing that the machine does to establish a claim.

    Attributes:
        how: "symbolic", "instances", "counterexample" or "minimality".
        what: what is shown, in words.
        run: shows it.
        needs: the packages it needs beyond the core.
    """

    how: str
    what: str
    run: Run
    needs: tuple[str, ...] = ()

    def lacking(self) -> str | None:
        """The first package that is not installed, None if it can run."""
        return next((name for name in self.needs if find_spec(name) is None), None)


@dataclass(frozen=True)
class Claim:
    """A claim with its status.

    Attributes:
        name: what ``draftproof prove NAME`` takes.
        family: the docs page it is on.
        words, symbols: the statement as claimed.
        source: who claims it, by theorem or report.
        status: one of `STATUSES`.
        corrected: what is true instead, for `CORRECTED` and, where something is, for `REFUTED`.
        why: the idea of the proof, or of the counterexample, in a few sentences.
        theorems: of the Coq development, as File.theorem.
        checks: what ``draftproof prove`` runs.
        answers: the objection of the paper's review that this settles, if one.
    """

    name: str
    family: str
    words: str
    symbols: str
    source: str
    status: str
    why: str
    theorems: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    corrected: str | None = None
    answers: int | None = None


@dataclass
class Step:
    """What one check came to.

    Attributes:
        verdict: "holds", "fails" or "not run".
        lines: what was found, or why it was not run.
    """

    check: Check
    verdict: str
    lines: list[str]
    seconds: float


@dataclass
class Entry:
    """A claim after its checks were run."""

    claim: Claim
    steps: list[Step] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """ "fails" if any check does, "holds" if all were run and hold, else "not run"."""
        verdicts = {step.verdict for step in self.steps}
        if "fails" in verdicts:
            return "fails"
        return "not run" if "not run" in verdicts else "holds"

    @property
    def seconds(self) -> float:
        """Of all checks."""
        return sum(step.seconds for step in self.steps)


def run_check(check: Check) -> Step:
    """Run one check; whatever it raises is a failure, not the end."""
    lacking = check.lacking()
    if lacking is not None:
        said = f"{lacking} is not installed: pip install 'draftproof[proofs]'"
        return Step(check, "not run", [said], 0.0)
    started = time.perf_counter()
    lines: list[str] = []
    verdict = "holds"
    try:
        lines.extend(check.run())
        if not lines:
            verdict, lines = "fails", ["the check found nothing to say; it may have run on nothing"]
    except Exception as raised:
        verdict = "fails"
        kind = "" if isinstance(raised, ClaimError) else f"{type(raised).__name__}: "
        lines.append(kind + " ".join(str(raised).split()))
    return Step(check, verdict, lines, time.perf_counter() - started)


def verify(claims: Iterable[Claim]) -> Iterator[Entry]:
    """Run the checks of ``claims``, one entry after the other."""
    for claim in claims:
        yield Entry(claim, [run_check(check) for check in claim.checks])
