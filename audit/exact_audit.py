"""The exact audit of one program on one pair: the one-round test, and the whole run.

*One round*: at every context that can be reached within the horizon, the block a round emits,
completed by the target's own draws to the longest block's length, must have the target's law. If it
has, every run without carried state is lossless (induction over rounds).
*Run*: the law of whole runs to the horizon, carried state included, must be the target's.

Branches on which the program raises are error mass, counted in its favour: a difference that
remains is LOSSY, and without one the verdict is UNDECIDED.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..reference.distribution import ExactDistribution
from ..reference.enumeration import DivergenceError
from ..reference.exact import ZERO, Rational
from ..reference.models import Ids
from ..reference.pair import Pair, PairError
from ..reference.programs import Program
from .laws import BudgetSpentError, Laws
from .report import LOSSLESS, LOSSY, NOT_APPLICABLE, UNDECIDED, Result, Value
from .verdicts import Difference, difference, samples_needed


@dataclass(frozen=True)
class Cell:
    """What one exact audit is about: a program on a pair, and how the report calls them.

    Attributes:
        fault: the class of fault that the program is known to have, if it is a lossy example.
    """

    subject: str
    program: Program
    pair_name: str
    pair: Pair
    prompt: Ids
    fault: str | None = None
    kind: str = "builtin"


def audit_cell(cell: Cell, horizon: int, deadline: float | None = None) -> list[Result]:
    """Both checks of one cell: their results, "one-round" first.

    ``deadline`` is a value of `time.monotonic`; past it the verdict is UNDECIDED unless a
    difference was found before.
    """
    laws = Laws(cell.program, cell.pair, _stop_at(deadline))
    return [
        _timed(cell, laws, horizon, _one_round, "one-round", "block"),
        _timed(cell, laws, horizon, _run, "run", "run"),
    ]


@dataclass
class _Findings:
    """What a check has seen so far.

    Attributes:
        largest, smallest: the largest difference, and the smallest counterexample.
        contexts: how many were compared.
        error: what the program raised first, on any branch.
        error_mass: the largest mass of branches that raised, over the laws compared.
    """

    largest: Difference | None = None
    smallest: Difference | None = None
    contexts: int = 0
    error: str | None = None
    error_mass: Rational = ZERO

    def compare(
        self,
        due: ExactDistribution[Ids],
        given: ExactDistribution[Ids],
        context: Ids,
        error: str | None,
    ) -> None:
        """Add the comparison of two laws of strings after ``context``."""
        self.contexts += 1
        self.error = self.error or error
        self.error_mass = max(self.error_mass, 1 - given.mass)
        if found := difference(due, given, context):
            self.largest = max(self.largest or found, found, key=lambda d: d.distance)
            self.smallest = min(self.smallest or found, found, key=lambda d: d.size)


def _one_round(cell: Cell, laws: Laws, horizon: int, findings: _Findings) -> None:
    for context, state in laws.contexts(cell.prompt, horizon):
        law = laws.round_law(context, state)
        due = laws.due_law(context, law.longest)
        findings.compare(due, laws.completed_round(context, state), context, law.error)


def _run(cell: Cell, laws: Laws, horizon: int, findings: _Findings) -> None:
    given = laws.run_law(cell.prompt, horizon)
    findings.compare(laws.due_law(cell.prompt, horizon), given, cell.prompt, laws.error)


def _timed(
    cell: Cell,
    laws: Laws,
    horizon: int,
    check: Callable[[Cell, Laws, int, _Findings], None],
    name: str,
    guarantee: str,
) -> Result:
    """Run a check, and make its findings a `Result`."""
    started, paths = time.perf_counter(), laws.paths
    findings = _Findings()
    blank = Result(
        subject=cell.subject,
        kind=cell.kind,
        pair=cell.pair_name,
        check=name,
        guarantee=guarantee,
        verdict=NOT_APPLICABLE,
        lookahead=cell.program.lookahead,
        horizon=horizon,
        stop_rule=cell.program.stop_rule,
    )
    spent = None
    try:
        check(cell, laws, horizon, findings)
        first = laws.round_law(cell.prompt)
    except PairError as problem:
        return replace(blank, reason=str(problem))
    except BudgetSpentError:
        spent, first = "the budget was spent", None
    except DivergenceError as problem:
        spent, first = f"the law cannot be found: {problem}", None
    if first is not None and first.error is not None:
        first = None  # an acceptance over the branches that do not raise would mislead
    measured = replace(
        blank,
        tolerance=0.0,
        acceptance=Value.of(first.acceptance) if first and cell.program.lookahead else None,
        tokens_per_pass=Value.of(first.tokens) if first else None,
        paths=laws.paths - paths,
        contexts=findings.contexts,
        error_mass=float(findings.error_mass),
        unexplored_mass=0.0 if spent is None else 1.0,
        seconds=time.perf_counter() - started,
    )
    return _judged(cell, measured, findings, spent)


def _judged(cell: Cell, measured: Result, findings: _Findings, spent: str | None) -> Result:
    """``measured`` with its verdict."""
    largest, smallest = findings.largest, findings.smallest
    if largest and smallest:
        first_token = len(smallest.continuation) == 1
        return replace(
            measured,
            verdict=LOSSY,
            total_variation=Value.of(largest.distance),
            witness=smallest.witness(cell.pair.target.size, cell.program.lookahead),
            samples_needed=samples_needed(float(largest.event_due), float(largest.event_given)),
            refutes=(*(("next-token",) if first_token else ()), measured.guarantee),
            fault=cell.fault,
            fault_candidates=(cell.fault,) if cell.fault else (),
        )
    reasons: list[str] = []
    if spent is not None:
        reasons.append(f"{spent}; no difference in the {findings.contexts} contexts compared")
    if findings.error is not None:
        mass = float(findings.error_mass)
        reasons.append(f"raises on branches of mass up to {mass:.3g}: {findings.error}")
    if reasons:
        return replace(measured, verdict=UNDECIDED, reason="; ".join(reasons))
    return replace(measured, verdict=LOSSLESS, total_variation=Value.of(ZERO))


def _stop_at(deadline: float | None) -> Callable[[], None]:
    def tick() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise BudgetSpentError("the budget was spent")

    return tick
