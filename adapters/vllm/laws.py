"""Law results of one sampler of one release: audited, then repeated in Triton's interpreter."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...audit.kinds.auditing import audit_callable
from ...audit.kinds.edges import kernel_steps
from ...audit.kinds.kernel_coins import StructureError
from ...audit.kinds.loading import subject_from
from ...audit.kinds.trial import Trial
from ...audit.report import LOSSLESS, LOSSY, UNDECIDED, Result, Value, Witness
from ...audit.verdicts import samples_needed
from .gpu_sampler import GpuSampler
from .runs import Runs, SharedTooOftenError, due_law

#: Of all calls that a law took, so many are repeated in Triton's interpreter.
REPEATED = 6
#: Kernels compute in float32; see `draftproof.adapters.survey`.
TOLERANCE = 1e-5

Ids = tuple[int, ...]
#: Makes the kernel; with True, one that runs in Triton's interpreter.
Maker = Callable[[bool], Any]


def law_results(
    subject: str,
    make: Maker,
    pair: str,
    lookahead: int,
    seconds: float,
    tolerance: float | None = None,
) -> list[Result]:
    """The results of `audit_callable` on one pair, or UNDECIDED where Triton disagrees."""
    kernel = make(False)
    report = audit_callable(
        kernel,
        "kernel",
        name=subject,
        pairs=[pair],
        lookahead=lookahead,
        budget=max(seconds, 1.0),
        tolerance=tolerance,
        shrink=False,
    )
    problem = disagreement(kernel, make(True))
    note = f"{min(REPEATED, len(kernel.seen))} of its calls repeated in Triton's interpreter"
    return [_noted(result, note, problem) for result in report.results]


def edge_results(subject: str, kernel: Any, seconds: float) -> list[Result]:
    """Edges of a kernel: coins at both ends, rows that hold NaN or infinity."""
    trial = Trial(subject_from(kernel, "kernel", subject), None, time.monotonic() + seconds)
    return [result for step in kernel_steps(trial) for result in step.run()]


def disagreement(kernel: Any, other: Any) -> str | None:
    """The first of some remembered calls of ``kernel`` to which ``other`` answers differently."""
    remembered = list(kernel.seen.values())
    step = max(1, len(remembered) // REPEATED)
    for arguments, ids in remembered[::step][:REPEATED]:
        answer = other(*arguments)
        if answer != ids:
            return f"gives {ids} where Triton's interpreter gives {answer}"
    return None


def _noted(result: Result, note: str, problem: str | None) -> Result:
    if problem is not None:
        return replace(result, verdict=UNDECIDED, reason=problem, fault=None, witness=None)
    return replace(result, reason=f"{result.reason}; {note}" if result.reason else note)


def run_result(
    subject: str,
    sampler: GpuSampler,
    target: Sequence[float],
    drafter: Sequence[float],
    *,
    pair: str,
    lookahead: int,
    horizon: int,
    certain: bool = False,
    fault: str = "coupled-randomness",
) -> Result:
    """The law of whole runs with the keys that are really drawn under, against the target's own."""
    started = time.monotonic()
    blank = Result(
        subject, "kernel", pair, "run", "run", UNDECIDED, lookahead=lookahead, horizon=horizon,
        tolerance=TOLERANCE, unexplored_mass=0.0, error_mass=0.0,
    )  # fmt: skip
    runs = Runs(sampler, target, drafter, lookahead, certain)
    try:
        given = runs.law(horizon)
    except (StructureError, SharedTooOftenError) as raised:
        return replace(
            blank,
            reason=f"noise or coins are used in a way that is not integrated: {raised}",
            unexplored_mass=1.0,
            error_mass=None,
        )
    due = due_law(target, horizon)
    distance = sum(max(0.0, mass - due.get(ids, 0.0)) for ids, mass in given.items())
    found = replace(
        blank,
        total_variation=Value.of(distance),
        paths=runs.calls,
        seconds=time.monotonic() - started,
    )
    if distance <= TOLERANCE:
        reason = (
            "given structure: a tree of thresholds and races for each round, tested at 24 random "
            "and coupled coins; coins of one key are one variable"
        )
        return replace(found, verdict=LOSSLESS, reason=reason)
    ids, due_mass, given_mass = _first_difference(due, given, horizon)
    more = [i for i, mass in given.items() if mass > due.get(i, 0.0)]
    return replace(
        found,
        verdict=LOSSY,
        fault=fault,
        fault_candidates=(fault,),
        refutes=("next-token", "run") if len(ids) == 1 else ("run",),
        witness=Witness(
            (), ids, Value(None, due_mass), Value(None, given_mass), len(target), lookahead
        ),
        samples_needed=samples_needed(
            min(1.0, sum(due[i] for i in more)), min(1.0, sum(given[i] for i in more))
        ),
    )


def _first_difference(
    due: dict[Ids, float], given: dict[Ids, float], horizon: int
) -> tuple[Ids, float, float]:
    """The shortest beginning that is given more often than due; of those, the worst."""
    for length in range(1, horizon + 1):
        sums: list[dict[Ids, float]] = [{}, {}]
        for law, total in zip((due, given), sums, strict=True):
            for ids, mass in law.items():
                total[ids[:length]] = total.get(ids[:length], 0.0) + mass
        worst = max(sums[1], key=lambda ids: sums[1][ids] - sums[0].get(ids, 0.0))
        if sums[1][worst] - sums[0].get(worst, 0.0) > TOLERANCE or length == horizon:
            return worst, sums[0].get(worst, 0.0), sums[1][worst]
    raise AssertionError("a horizon of at least 1 was asked for")
