"""The process that a subject runs in when it is kept apart; see `isolation`.

Started as ``python -m draftproof.audit.kinds.worker FD``: reads what to audit from standard input,
writes messages to file descriptor FD, and has nothing on standard output or standard error.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import time
from typing import Any

#: Seconds between two signs of life.
BEAT = 0.1
#: Bytes of address space beyond which memory is refused, on top of what is used at the start.
MEMORY = 6 << 30


class Line:
    """Messages to the process that watches."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._last = 0.0

    def send(self, *message: Any) -> None:
        """One message, as a tuple."""
        data = pickle.dumps(message)
        data = struct.pack("<I", len(data)) + data
        while data:
            data = data[os.write(self._descriptor, data) :]

    def beat(self) -> None:
        """A path begins."""
        now = time.monotonic()
        if now - self._last > BEAT:
            self._last = now
            self.send("beat")


def main(descriptor: int) -> None:
    """Audit what standard input says."""
    line = Line(descriptor)
    spec, kind, plan, skip, left, path = pickle.load(sys.stdin.buffer)
    sys.path[:] = path
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 - it stays open for good
    _limit_memory()
    from ..subjects import SubjectError
    from .auditing import audited
    from .loading import load
    from .trial import Trial

    try:
        line.send("step", -1, None)
        subject = load(spec, kind)
        line.send("subject", subject.relaxed)
        trial = Trial(subject, plan.tolerance, time.monotonic() + left, line.beat)
        for found in audited(
            trial,
            plan,
            progress=lambda *state: line.send("progress", *state),
            skip=skip,
            began=lambda number, step: line.send("step", number, step.blank),
        ):
            line.send("result", *found)
        line.send("done", trial.returned, trial.first_error)
    except SubjectError as problem:
        line.send("refused", str(problem))
    except ValueError as problem:
        line.send("invalid", f"{type(problem).__name__}: {problem}")


def _limit_memory() -> None:
    try:
        import resource

        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: SIM115, PTH123
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = used + MEMORY
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ImportError, OSError, ValueError):  # not this system's way
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]))
