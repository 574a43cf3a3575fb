"""Speaking the protocol: requests with ids, answers checked, a new process after every failure."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kinds.trial import SubjectLostError
from ..subjects import SubjectError
from .capabilities import Capabilities, capabilities
from .process import SHOWN, Process, ProcessFailure

PROTOCOL = "draftproof/harness/1"
#: Seconds for one answer, and for the first, which waits for the program to start.
REQUEST_SECONDS = 5.0
START_SECONDS = 20.0
#: Failures after which a check, and the whole audit, no longer asks.
OF_A_CHECK, IN_ALL = 3, 24


class HarnessError(Exception):
    """The harness answered that it cannot: its own words."""


class HarnessFailure(Exception):  # noqa: N818 - what it did, in words
    """The harness crashed, hung, or answered with what the protocol does not have."""


@dataclass(frozen=True)
class Failure:
    """A request that was not answered.

    Attributes:
        request: its number.
        asked: what it was, in words.
        what: what happened instead of an answer.
    """

    request: int
    asked: str
    what: str

    def __str__(self) -> str:
        return f"request {self.request} ({self.asked}): {self.what}"


@dataclass
class Session:
    """A harness that is kept running.

    Attributes:
        arguments: the command and its arguments.
        seconds: for one answer.
        failures: what was not answered, in order.
        answered: how many requests were.
    """

    arguments: Sequence[str]
    seconds: float = REQUEST_SECONDS
    failures: list[Failure] = field(default_factory=list)
    answered: int = 0
    _process: Process | None = None
    _number: int = -1
    _in_check: list[Failure] = field(default_factory=list)
    _name: str | None = None

    def open(self) -> Capabilities:
        """Start the program, and ask what it can.

        Raises:
            SubjectError: when it does not start, or does not say.
        """
        try:
            self._start()
            answer = self._exchange({"do": "capabilities"}, START_SECONDS)
        except (ProcessFailure, HarnessError) as failure:
            raise SubjectError(f"{self._name or self.arguments[0]}: {failure}") from None
        assert self._name is not None
        return capabilities(self._name, answer)

    def begin_check(self) -> None:
        """Another check begins, which may fail a few times of its own."""
        self._in_check = []

    def request(self, what: str, **parts: Any) -> Any:
        """The ids, or lists of ids, that the harness answers.

        Raises:
            HarnessError: when it answers with an error.
            HarnessFailure: when it does not answer; it is started again for the next request.
            SubjectLostError: when it has failed so often that it is not asked any more.
        """
        if len(self._in_check) >= OF_A_CHECK:
            raise SubjectLostError(self._lost(self._in_check, "this check is left at that"))
        if len(self.failures) >= IN_ALL:
            raise SubjectLostError(self._lost(self.failures, "it is not asked any more"))
        try:
            if self._process is None:
                self._start()
            answer = self._exchange({"do": what, **parts}, self.seconds)
            if "ids" not in answer:
                raise ProcessFailure(f"its answer has no ids: {_short(answer)}")
        except ProcessFailure as failure:
            drafts = parts.get("drafts")
            failed = Failure(self._number, f"{what}, drafts {drafts}", str(failure))
            self.failures.append(failed)
            self._in_check.append(failed)
            self._end()
            raise HarnessFailure(str(failure)) from None
        self.answered += 1
        return answer["ids"]

    def close(self) -> None:
        """Ask the program to stop, and see to it."""
        if self._process is not None:
            self._number += 1
            self._process.tell(json.dumps({"id": self._number, "do": "stop"}))
        self._end()

    def _start(self) -> None:
        self._process = Process(self.arguments)
        answer = self._exchange({"do": "start", "protocol": PROTOCOL}, START_SECONDS)
        name = answer.get("name")
        if not isinstance(name, str) or not name.strip():
            raise ProcessFailure(f"its answer to start has no name: {_short(answer)}")
        self._name = name

    def _exchange(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self._process is not None
        self._number += 1
        line = json.dumps({"id": self._number, **message}, separators=(",", ":"), allow_nan=False)
        text = self._process.ask(line, seconds)
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            raise ProcessFailure(f"it answered with no JSON: {_short(text)}") from None
        if not isinstance(answer, dict):
            raise ProcessFailure(f"it answered with no JSON object: {_short(text)}")
        if answer.get("id") != self._number:
            raise ProcessFailure(f"it answered request {self._number} with id {answer.get('id')!r}")
        if answer.get("error") is not None:
            raise HarnessError(" ".join(str(answer["error"]).split()))
        return answer

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _lost(self, failures: Sequence[Failure], what: str) -> str:
        numbers = [str(failure.request) for failure in failures]
        listed = f"{', '.join(numbers[:-1])} and {numbers[-1]}" if len(numbers) > 1 else numbers[0]
        return f"requests {listed} failed, the last: {failures[-1]}; {what}"


def numbers(values: Any) -> Any:
    """``values`` as JSON has them: what is no finite number as a text, "NaN" or "Infinity"."""
    if isinstance(values, list | tuple):
        return [numbers(value) for value in values]
    if isinstance(values, float) and not math.isfinite(values):
        return "NaN" if math.isnan(values) else "Infinity" if values > 0 else "-Infinity"
    return values


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
