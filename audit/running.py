"""Running an audit: subjects times forms times pairs, over the cores of the machine."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from ..toymodels.gallery import gallery, gallery_pair
from .exact_audit import audit_cell
from .report import Report, Result, subject_of
from .subjects import CellName, subject_forms, subjects_named

LOOKAHEADS = (1, 2, 3)
HORIZON = 4

#: Called after each cell with (cells done, cells in all, the subject just done).
Progress = Callable[[int, int, str], None]


class WorkerError(OSError):
    """A worker process died; the message says what to do."""


def run(subject: object = "builtin", kind: str | None = None, **options: Any) -> Report:
    """Audit ``subject`` and return the `Report`.

    A text names a built-in algorithm or a lossy example, with the options of `run_named`. A
    callable, or a text such as ``path/file.py:name`` that names one, is audited as the ``kind``
    says (rule, generate, batch_rule, kernel or transformers), with the options of
    `draftproof.audit.kinds.audit_callable`; ``isolate=True`` runs a named one in a process of its
    own.

    Raises:
        SubjectError: for a subject that does not exist or cannot be audited.
    """
    from .kinds.front import names_callable, run_callable

    if not isinstance(subject, str) or kind not in (None, "builtin") or names_callable(subject):
        return run_callable(subject, kind, **options)
    return run_named(subject, **options)


def run_named(
    subject: str = "builtin",
    *,
    pairs: Sequence[str] = (),
    lookaheads: Sequence[int] = LOOKAHEADS,
    horizon: int = HORIZON,
    budget: float | None = None,
    processes: int | None = 1,
    progress: Progress | None = None,
) -> Report:
    """Audit a built-in algorithm or a lossy example, exactly.

    Args:
        subject: ``builtin``, ``builtin:NAME``, ``example`` or ``example:NAME``.
        pairs: names of gallery pairs; empty for all.
        lookaheads: largest numbers of drafts a round, each at least 1.
        horizon: how many new tokens whole runs have, and how far contexts reach.
        budget: seconds for everything; what is not finished by then is UNDECIDED.
        processes: how many to run side by side, None for one for each core. More than one import
            the calling script again, which then needs its ``if __name__ == "__main__":``.
        progress: called after each cell.

    Raises:
        SubjectError: for a subject that does not exist.
        ValueError: for a pair that does not exist, or numbers below one.
    """
    check_numbers(lookaheads, horizon, budget)
    if isinstance(pairs, str):
        raise ValueError(f"pairs is {pairs!r}; it must be a list of names: [{pairs!r}]")
    subjects = subjects_named(subject)
    chosen = [gallery_pair(name).name for name in pairs] or [each.name for each in gallery()]
    cells = [
        CellName(name, form, pair)
        for name in subjects
        for form in subject_forms(name, lookaheads)
        for pair in dict.fromkeys(chosen)
    ]
    deadline = None if budget is None else time.monotonic() + budget
    results: dict[CellName, list[Result]] = {}
    for name, found in _all(cells, horizon, deadline, processes):
        results[name] = found
        if progress:
            progress(len(results), len(cells), name.subject)
    ordered = [result for name in cells for result in results[name]]
    return Report(
        tuple(
            subject_of(name, "builtin", (r for r in ordered if r.subject == name))
            for name in subjects
        ),
        tuple(ordered),
    )


def check_numbers(lookaheads: Sequence[int], horizon: int, budget: float | None) -> None:
    """Raise `ValueError`, naming the number, unless an audit can run with these."""
    if not lookaheads:
        raise ValueError("there is no lookahead; at least one is needed")
    for what, number in (("horizon", horizon), *(("lookahead", k) for k in lookaheads)):
        if number < 1:
            raise ValueError(f"the {what} is {number}; at least 1 is needed")
    if budget is not None and not budget > 0:
        raise ValueError(f"the budget is {budget} seconds; it must be above 0")


def _all(
    cells: Sequence[CellName], horizon: int, deadline: float | None, processes: int | None
) -> Iterator[tuple[CellName, list[Result]]]:
    workers = min(processes or os.cpu_count() or 1, len(cells))
    if workers == 1 or len(cells) < 8:
        for name in cells:
            yield name, audit_cell(name.cell(), horizon, deadline)
        return
    # Largest lookahead first: the longest cells must not be left to the end. Where the time is
    # limited, they come last, so that it suffices for as many as possible.
    order = sorted(cells, key=lambda name: _draft_count(name.form), reverse=deadline is None)
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts
    )
    finished = False
    try:
        waiting = {pool.submit(_audit_named, name, horizon, deadline): name for name in order}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
        finished = True
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process was killed or could not start: perhaps for want of memory (try a "
            "smaller lookahead or horizon), or because the calling script has no "
            '``if __name__ == "__main__":`` (or use processes=1)'
        ) from None
    finally:
        if not finished:
            # An interrupted audit must not wait for the cells under way.
            for worker in list((getattr(pool, "_processes", None) or {}).values()):
                worker.terminate()
        pool.shutdown(wait=finished, cancel_futures=True)


def _ignore_interrupts() -> None:
    """A Ctrl-C is for the parent, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _audit_named(name: CellName, horizon: int, deadline: float | None) -> list[Result]:
    return audit_cell(name.cell(), horizon, deadline)


def _draft_count(form: str) -> int:
    return max((int(part) for part in _numbers(form)), default=0)


def _numbers(text: str) -> Iterable[str]:
    return "".join(c if c.isdigit() else " " for c in text).split()
