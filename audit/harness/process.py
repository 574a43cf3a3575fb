"""A program that answers lines with lines: started, written to, read from within a time, ended.

Only what goes over its pipes is trusted. Whatever it does wrong becomes one `ProcessFailure`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence

from ..subjects import SubjectError

#: Bytes of one line, and of everything on standard error, at most.
LINE = 1 << 20
STANDARD_ERROR = 1 << 20
#: Seconds that a program is given to end after it was asked to.
TO_END = 1.0
#: Characters of what was written that an error shows.
SHOWN = 80


class ProcessFailure(Exception):  # noqa: N818 - what the program did, in words
    """The program crashed, hung, or wrote what the protocol does not have; one line."""


class Process:
    """One run of a program.

    Raises:
        SubjectError: when it cannot be started.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as problem:
            name = arguments[0]
            raise SubjectError(f"{name} cannot be started: {problem.strerror}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._data = b""
        self._noise = 0
        self._tail = b""
        self._listens_to_errors = True

    def ask(self, line: str, seconds: float) -> str:
        """The line that answers ``line``.

        Raises:
            ProcessFailure: when none comes within ``seconds``, or for what comes instead.
        """
        if self._data:
            raise ProcessFailure(f"it wrote what nobody asked for: {_shown(self._data)}")
        pending = line.encode() + b"\n"
        until = time.monotonic() + seconds
        while b"\n" not in self._data:
            left = until - time.monotonic()
            if left <= 0:
                raise ProcessFailure(self._late(seconds, bool(pending)))
            reading = [self._out, *([self._err] if self._listens_to_errors else [])]
            ready, writable, _ = select.select(reading, [self._in] if pending else [], [], left)
            if self._err in ready:
                self._listen()
            if writable:
                try:
                    pending = pending[os.write(self._in, pending) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    pending = b""  # how it ended is seen from its output
            if self._out in ready:
                chunk = os.read(self._out, 1 << 16)
                if not chunk:
                    raise ProcessFailure(self._ending())
                self._data += chunk
                if b"\n" not in self._data and len(self._data) > LINE:
                    raise ProcessFailure(f"it wrote a line of more than {LINE >> 20} MiB")
        answer, _, self._data = self._data.partition(b"\n")
        try:
            return answer.decode()
        except UnicodeDecodeError:
            raise ProcessFailure(f"it answered with no UTF-8: {_shown(answer)}") from None

    def tell(self, line: str) -> None:
        """Write a line that needs no answer, and give the program a moment to end."""
        with contextlib.suppress(OSError):
            os.write(self._in, line.encode() + b"\n")
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=TO_END)

    def end(self) -> None:
        """End it, and whatever it started, by its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _listen(self) -> None:
        chunk = os.read(self._err, 1 << 16)
        self._listens_to_errors = bool(chunk)
        self._noise += len(chunk)
        self._tail = (self._tail + chunk)[-2000:]
        if self._noise > STANDARD_ERROR:
            raise ProcessFailure(
                f"it wrote more than {STANDARD_ERROR >> 20} MiB to standard error, last "
                f"{_shown(_last_line(self._tail))}"
            )

    def _late(self, seconds: float, unread: bool) -> str:
        if self._data:
            return f"it did not finish its line within {seconds:g} s: {_shown(self._data)}"
        if unread:
            return f"it did not read the request within {seconds:g} s"
        return f"it did not answer within {seconds:g} s"

    def _ending(self) -> str:
        part = f" in the middle of a line: {_shown(self._data)}" if self._data else ""
        try:
            code = self._process.wait(timeout=TO_END)
        except subprocess.TimeoutExpired:
            return f"it closed its standard output{part}"
        with contextlib.suppress(OSError, ProcessFailure):
            while self._listens_to_errors:
                self._listen()
        said = f"; it said {_shown(_last_line(self._tail))}" if self._tail.strip() else ""
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return f"it was ended by signal {name}{part}{said}"
        return f"it ended with exit code {code}{part}{said}"


def _last_line(text: bytes) -> bytes:
    return text.strip().rpartition(b"\n")[2]


def _shown(text: bytes) -> str:
    line = " ".join(text.decode(errors="backslashreplace").split())
    return repr(line if len(line) <= SHOWN else line[:SHOWN] + "...")
