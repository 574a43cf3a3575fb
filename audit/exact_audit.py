"""The exact audit of one program on one pair: the one-round test, and the whole run.

*One round*: at every context that can be reached within the horizon, the block a round emits,
completed by the target's own draws to the longest block's length, must have the target's law. If it
has, every run without carried state is lossless (induction over rounds).
*Run*: the law of whole runs to the horizon, carried state included, must be the target's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ..reference.exact import ZERO
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
    fault_candidates: tuple[str, ...] = ()
    kind: str = "builtin"


def audit_cell(cell: Cell, horizon: int, deadline: float | None = None) -> list[Result]:
    """Both checks of one cell: their results, "one-round" first.

    ``deadline`` is a value of `time.monotonic`; past it the verdict is UNDECIDED unless a
    difference was found before.
    """
    laws = Laws(cell.program, cell.pair, _stop_at(deadline))
    return [_one_round(cell, laws, horizon), _run(cell, laws, horizon)]


def _one_round(cell: Cell, laws: Laws, horizon: int) -> Result:
    started, paths = time.perf_counter(), laws.paths
    contexts = 0
    worst: Difference | None = None
    smallest: Difference | None = None
    reason = None
    first = None
    try:
        first = laws.round_law(cell.prompt)
        for context, state in laws.contexts(cell.prompt, horizon):
            given = laws.completed_round(context, state)
            due = laws.due_law(context, max(map(len, given)))
            found = difference(due, given, context)
            contexts += 1
            if found:
                worst = max(worst or found, found, key=lambda d: d.distance)
                smallest = min(smallest or found, found, key=lambda d: d.size)
    except PairError as problem:
        return _result(cell, "one-round", "block", horizon, NOT_APPLICABLE, reason=str(problem))
    except BudgetSpentError as problem:
        reason = f"{problem}; {contexts} contexts were exact until then"
    return _result(
        cell,
        "one-round",
        "block",
        horizon,
        LOSSY if worst else UNDECIDED if reason else LOSSLESS,
        worst,
        smallest,
        reason=reason if not worst else None,
        acceptance=Value.of(first.acceptance) if first and cell.program.lookahead else None,
        tokens_per_pass=Value.of(first.tokens) if first else None,
        paths=laws.paths - paths,
        contexts=contexts,
        unexplored_mass=None if reason else 0.0,
        seconds=time.perf_counter() - started,
    )


def _run(cell: Cell, laws: Laws, horizon: int) -> Result:
    started, paths = time.perf_counter(), laws.paths
    try:
        given = laws.run_law(cell.prompt, horizon)
        first = laws.round_law(cell.prompt)
        found = difference(laws.due_law(cell.prompt, horizon), given, cell.prompt)
    except PairError as problem:
        return _result(cell, "run", "run", horizon, NOT_APPLICABLE, reason=str(problem))
    except BudgetSpentError as problem:
        return _result(
            cell,
            "run",
            "run",
            horizon,
            UNDECIDED,
            reason=str(problem),
            paths=laws.paths - paths,
            unexplored_mass=1.0,
            seconds=time.perf_counter() - started,
        )
    return _result(
        cell,
        "run",
        "run",
        horizon,
        LOSSY if found else LOSSLESS,
        found,
        found,
        acceptance=Value.of(first.acceptance) if cell.program.lookahead else None,
        tokens_per_pass=Value.of(first.tokens),
        paths=laws.paths - paths,
        contexts=1,
        unexplored_mass=0.0,
        seconds=time.perf_counter() - started,
    )


def _result(
    cell: Cell,
    check: str,
    guarantee: str,
    horizon: int,
    verdict: str,
    worst: Difference | None = None,
    smallest: Difference | None = None,
    **fields: object,
) -> Result:
    measured = verdict not in (NOT_APPLICABLE, UNDECIDED)
    if worst and smallest:
        first_token = len(smallest.continuation) == 1
        fields |= {
            "witness": smallest.witness(cell.pair.target.size, cell.program.lookahead),
            "samples_needed": samples_needed(float(worst.event_due), float(worst.event_given)),
            "refutes": (*(("next-token",) if first_token else ()), guarantee),
            "fault": cell.fault,
            "fault_candidates": cell.fault_candidates,
        }
    distance = worst.distance if worst else ZERO
    return Result(
        subject=cell.subject,
        kind=cell.kind,
        pair=cell.pair_name,
        check=check,
        guarantee=guarantee,
        verdict=verdict,
        lookahead=cell.program.lookahead,
        horizon=horizon,
        stop_rule=cell.program.stop_rule,
        total_variation=Value.of(distance) if measured else None,
        tolerance=0.0,
        error_mass=0.0 if verdict != NOT_APPLICABLE else None,
        **fields,  # pyright: ignore[reportArgumentType]
    )


def _stop_at(deadline: float | None) -> Callable[[], None]:
    def tick() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise BudgetSpentError("the budget was spent")

    return tick
