"""The sweep: every route of the installed `transformers` that toys can reach, under every setting.

Every case is a call of `generate()` with help, enumerated exactly, against the same call without,
enumerated likewise. The law compared is that of whole strings of new token ids, so what goes past
an end of sequence or past the length asked for shows as a difference.

Importable without torch or transformers; see `missing`.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ..audit.report import (
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Report,
    Result,
    Subject,
    subject_of,
)
from ..audit.running import Progress
from ..toymodels.huggingface import missing
from .judging import TOLERANCE, Findings, Frame, judge, past_an_end
from .known import mechanisms_of
from .routes import Case, cases_of, named_routes
from .routes.case import NotThereError

if TYPE_CHECKING:
    from .judging import Law
    from .routes.calls import Calls

#: Seconds that a sweep may take when nobody says otherwise.
BUDGET = 600.0
#: Seconds that one case may take.
CASE_BUDGET = 120.0
PLAIN_WORKS = "plain generate() works under the same settings"


def sweep(
    routes: Iterable[str] | None = None,
    *,
    quick: bool = False,
    budget: float | None = None,
    tolerance: float | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Run the cases of the installed `transformers`.

    Args:
        routes: keys of `routes.ROUTES`; None for all of them.
        quick: only the cases that tell most.
        budget: seconds for everything, `BUDGET` by default; what it cuts short is UNDECIDED, with
            its unexplored mass.
        tolerance: distances above this are LOSSY even where `TOLERANCE` would allow them.
        processes: how many to use.
        progress: called after each case.

    Returns:
        A `Report` with a subject for each route. A failure of any kind is a verdict in it with the
        exception named, never raised; without torch or transformers nothing applies.

    Raises:
        ValueError: for a route that there is not.
    """
    names = named_routes(routes)
    subjects = [f"transformers:{name}" for name in names]
    lacking = missing()
    if lacking is not None:
        return _nothing(subjects, NOT_APPLICABLE, lacking)
    try:
        from .generation import VERSIONS
    except Exception as raised:  # a release whose parts have moved
        return _nothing(subjects, UNDECIDED, f"cannot be swept: {_named(raised)}")
    deadline = time.time() + (BUDGET if budget is None else budget)
    tolerance = TOLERANCE if tolerance is None else min(TOLERANCE, tolerance)
    chosen = [case for name in names for case in cases_of(name) if case.quick or not quick]
    results: list[Result] = []
    tasks = [(case.key, deadline, tolerance) for case in chosen]
    for result in _run(tasks, processes):
        results.append(result)
        if progress is not None:
            progress(len(results), len(tasks), result.subject)
    order = {case.key: at for at, case in enumerate(chosen)}
    results.sort(key=lambda r: order[r.subject.partition(":")[2], r.pair or "", r.lookahead or 0])
    grouped = groupby(results, key=lambda result: result.subject)
    found = tuple(subject_of(name, "transformers", each) for name, each in grouped)
    return Report(found, tuple(results), versions=dict(VERSIONS))


Task = tuple[tuple[str, str, int], float, float]


def _run(tasks: Sequence[Task], processes: int) -> Iterator[Result]:
    if processes <= 1:
        yield from map(_run_task, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_run_task, tasks)


def _run_task(task: Task) -> Result:
    key, deadline, tolerance = task
    case = next(case for case in cases_of(key[0]) if case.key == key)
    return run_case(case, min(CASE_BUDGET, deadline - time.time()), tolerance)


def run_case(case: Case, seconds: float = CASE_BUDGET, tolerance: float = TOLERANCE) -> Result:
    """The `Result` of one case, within a budget of ``seconds``; never raises."""
    started = time.monotonic()
    found: Findings
    try:
        from .generation import quiet

        with quiet():
            found = _findings(case, seconds, tolerance)
    except NotThereError as lacking:
        found = {"verdict": NOT_APPLICABLE, "reason": str(lacking)}
    except Exception as raised:
        found = {"verdict": UNDECIDED, "reason": f"cannot be set up: {_named(raised)}"}
    return Result(
        case.subject,
        "transformers",
        case.pair,
        check="run",
        guarantee="run",
        lookahead=case.lookahead,
        horizon=case.horizon,
        tolerance=tolerance,
        seconds=time.monotonic() - started,
        **found,
    )


def _findings(case: Case, seconds: float, tolerance: float) -> Findings:
    from ..audit.interception.enumeration import enumerate_law
    from .routes.calls import Calls

    started = time.monotonic()
    calls = Calls(case)
    due = enumerate_law(calls.plain, seconds=max(0.0, seconds))
    if not due.law and due.errors:
        return _without_due(calls, _raised(due))
    calls.warm_up()
    left = seconds - (time.monotonic() - started)
    given = enumerate_law(calls.assisted, seconds=max(0.0, left))
    frame = Frame(case.prompt, calls.toys.vocabulary, case.lookahead)
    found = judge(frame, due, given, tolerance)
    if found["verdict"] == LOSSY:
        return found | _explained(case, calls, due, given)
    if found["verdict"] == UNDECIDED and given.errors and not due.errors and given.reason is None:
        found["reason"] = "; ".join([f"{found['reason']}; {PLAIN_WORKS}", *_crashes(case)])
    return found


def _explained(case: Case, calls: Calls, due: Law, given: Law) -> Findings:
    """The classes of a LOSSY result and its mechanisms, as far as they are known."""
    if case.relaxed is not None:
        classes = ("relaxed-by-design",)
        return {
            "verdict": RELAXED,
            "fault": classes[0],
            "fault_candidates": classes,
            "reason": f"declared: {case.relaxed}",
        }
    seen: list[str] = []
    if past_an_end(given, calls.toys.eos) and not past_an_end(due, calls.toys.eos):
        seen.append("past-an-end")
    if max(map(len, given.law)) > max(map(len, due.law)):
        seen.append("past-the-length")
    if () in given.law and () not in due.law:
        seen.append("empty-draft-after-an-end")
    if calls.columns_out_of_order():
        seen.insert(0, "vocabulary-order")
    known = [m for m in mechanisms_of(case, seen, _release()) if not m.crash]
    classes = tuple(dict.fromkeys(name for mechanism in known for name in mechanism.classes))[:3]
    return {
        "fault": classes[0] if classes else None,
        "fault_candidates": classes,
        "reason": "; also, ".join(mechanism.short for mechanism in known) or None,
    }


def _without_due(calls: Calls, raised: str) -> Findings:
    """What follows when plain `generate()` raises: nothing is due, or nothing can be enumerated."""
    try:
        calls.plain()
    except Exception:
        return {"verdict": NOT_APPLICABLE, "reason": f"plain generate() {raised}"}
    return {"verdict": UNDECIDED, "reason": f"plain generate() cannot be enumerated: {raised}"}


def _crashes(case: Case) -> list[str]:
    return [m.short for m in mechanisms_of(case, (), _release()) if m.crash]


def _release() -> str:
    from .generation import VERSIONS

    return VERSIONS["transformers"]


def _raised(law: Law) -> str:
    error, _ = max(law.errors.items(), key=lambda item: item[1])
    return f"raises: {error}"


def _nothing(subjects: Iterable[str], verdict: str, reason: str) -> Report:
    """A report with no result, for ``reason``."""
    each = tuple(Subject(name, "transformers", verdict, reason=reason) for name in subjects)
    return Report(each, ())


def _named(raised: Exception) -> str:
    return f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}"
