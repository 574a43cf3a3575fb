"""Auditing a subject in a process of its own, which may hang, crash or flood without harm.

The subject's process says when each path begins. If one does not end within its time, if the
process dies, or if it takes more memory than it may, what it was at is UNDECIDED with that reason,
and a new process goes on with the next check, a few times over. Its output goes nowhere.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..report import UNDECIDED, Report, Result
from ..subjects import SubjectError
from .auditing import Plan, Progress, check_plan, report_of
from .classify import classified
from .loading import Subject

#: Seconds that one path, or the import of the subject, may take.
PATH_SECONDS = 10.0
IMPORT_SECONDS = 60.0
#: Seconds beyond the budget after which a path that still runs is ended; a sign of life comes more
#: often than every `BETWEEN` seconds where paths are short.
GRACE = 1.0
BETWEEN = 3.0
#: Resident bytes that the subject's process may take.
MEMORY = 4 << 30
#: How often a process is started again after it hung or died.
RESTARTS = 3


@dataclass
class _State:
    """What is known so far."""

    results: dict[int, tuple[Result, bool]] = field(default_factory=dict)
    step: tuple[int, Result | None] = (-1, None)
    relaxed: str | None = None
    loaded: bool = False
    returned: bool = False
    first_error: str | None = None
    skip: frozenset[int] = frozenset()
    beats: int = 0


class _Lost(Exception):  # noqa: N818 - not an error of ours
    """The process hung, died or took too much; in words."""


def audit_isolated(
    spec: str,
    kind: str | None,
    plan: Plan,
    *,
    path_seconds: float = PATH_SECONDS,
    progress: Progress | None = None,
) -> Report:
    """Audit the subject that ``spec`` names, in a process of its own.

    Raises:
        SubjectError: for a subject that cannot be audited, in one line.
    """
    check_plan(plan)
    if kind is None:
        from .loading import load

        load(spec, kind)  # raises, naming the kinds
    state = _State()
    deadline = time.monotonic() + plan.budget
    partial = None
    for attempt in range(RESTARTS + 1):
        try:
            _watch(spec, kind, plan, state, deadline, path_seconds, progress)
            break
        except KeyboardInterrupt:
            partial = "interrupted; this report is partial"
            break
        except _Lost as lost:
            if not state.loaded:
                raise SubjectError(f"{spec} cannot be imported: {lost}") from None
            number, blank = state.step
            hung_at_once = number == 0 and not state.results and state.beats <= 1
            if blank is not None:
                undecided = replace(
                    blank, verdict=UNDECIDED, reason=f"{lost} ({blank.check})", unexplored_mass=1.0
                )
                is_edge = blank.guarantee in ("endpoint", "nan", "reporting")
                state.results.setdefault(4 * number, (undecided, is_edge))
            state.skip |= frozenset(range(number + 1))
            state.returned = True
            if attempt == RESTARTS or hung_at_once or time.monotonic() > deadline:
                often = f"{attempt + 1} times" if attempt else "once"
                partial = f"{lost}, {often}; what came after was not checked"
                break
    subject = Subject(_nothing, str(kind), spec, "torch", frozenset(), frozenset(), state.relaxed)
    if state.first_error and not state.returned and partial is None:
        from .auditing import useless

        raise SubjectError(useless(subject, state.first_error))
    ordered = _named([state.results[number] for number in sorted(state.results)], str(kind))
    return report_of(subject, plan, ordered, None, partial)


def _named(found: list[tuple[Result, bool]], kind: str) -> list[tuple[Result, bool]]:
    """``found`` with faults for what the subject's process had no time to name."""
    laws = [result for result, is_edge in found if not is_edge]
    named = iter(classified(laws, [], kind))
    return [(result, True) if is_edge else (next(named), False) for result, is_edge in found]


def _nothing() -> None:
    """Stands for the callable, which lives in another process."""


def _watch(
    spec: str,
    kind: str | None,
    plan: Plan,
    state: _State,
    deadline: float,
    path_seconds: float,
    progress: Progress | None,
) -> None:
    """Run one process to its end.

    Raises:
        _Lost: when it hangs, dies or takes too much memory.
        SubjectError: when it says that the subject cannot be audited.
    """
    left = max(0.0, deadline - time.monotonic())
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.worker", str(write)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(write,),
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    os.close(write)
    try:
        assert process.stdin is not None
        try:
            process.stdin.write(pickle.dumps((spec, kind, plan, state.skip, left, sys.path)))
            process.stdin.close()
        except BrokenPipeError:
            pass
        for message in _messages(process, read, state, path_seconds, deadline):
            if _take(message, state, progress):
                return
        raise _Lost(_ending(process))
    finally:
        os.close(read)
        _end(process)


def _take(message: tuple[Any, ...], state: _State, progress: Progress | None) -> bool:
    """Enter a message into ``state``; whether it was the last."""
    what, *rest = message
    if what == "step":
        state.step, state.beats = (rest[0], rest[1]), 0
    elif what == "beat":
        state.beats += 1
    elif what == "subject":
        state.loaded, state.relaxed = True, rest[0]
    elif what == "result":
        number, result, is_edge = rest
        state.results[number] = (result, is_edge)
    elif what == "progress" and progress:
        progress(*rest)
    elif what == "refused":
        raise SubjectError(rest[0])
    elif what == "invalid":
        raise ValueError(rest[0])
    elif what == "done":
        returned, error = rest
        state.returned = state.returned or returned
        state.first_error = state.first_error or error
        return True
    return False


def _messages(
    process: subprocess.Popen[bytes],
    read: int,
    state: _State,
    path_seconds: float,
    deadline: float,
) -> Iterator[tuple[Any, ...]]:
    """Messages as they come; ends when the process does."""
    data = b""
    last = time.monotonic()
    while True:
        ready, _, _ = select.select([read], [], [], 0.05)
        if ready:
            chunk = os.read(read, 1 << 20)
            if not chunk:
                return
            data += chunk
            last = time.monotonic()
            while len(data) >= 4 and len(data) >= 4 + (size := struct.unpack("<I", data[:4])[0]):
                message, data = pickle.loads(data[4 : 4 + size]), data[4 + size :]
                yield message
        limit = path_seconds if state.loaded else IMPORT_SECONDS
        if state.loaded and time.monotonic() > deadline + GRACE:
            limit = min(limit, BETWEEN)  # the budget is spent, and the path still runs
        if time.monotonic() - last > limit:
            what = "one path" if state.loaded else "importing it"
            if limit == BETWEEN:
                raise _Lost(f"{what} did not end within the budget")
            raise _Lost(f"{what} did not end within {limit:g} s")
        if _resident(process.pid) > MEMORY:
            raise _Lost(f"it took more than {MEMORY >> 30} GiB of memory")


def _resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where that cannot be told."""
    try:
        with open(f"/proc/{pid}/statm") as file:  # noqa: PTH123 - read twenty times a second
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _ending(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        return "the subject's process closed its line"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return f"the subject's process was ended by signal {name}"
    return f"the subject ended its process with exit code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the subject's process and whatever it started, by its session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
