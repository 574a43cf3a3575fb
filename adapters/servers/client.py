"""A client of the OpenAI completions protocol that loses nothing: it asks again, and counts.

Disconnections, time-outs, rate limits (429) and errors of the server (5xx) are followed by the same
request again, after a while that doubles, or after what ``Retry-After`` says. The seed stays the
same, so that a reply that came twice is one reply.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

#: Requests in a row that may fail before it is given up, and seconds before the second of them.
ATTEMPTS, FIRST_WAIT = 8, 0.1
#: Nobody waits longer between two attempts.
LONGEST_WAIT = 20.0
#: Seconds for one reply.
SECONDS = 120.0
#: Statuses after which asking again makes sense.
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class ServerError(ValueError):
    """The server cannot be asked, or refuses: one line."""


@dataclass
class Client:
    """Asks one server.

    Attributes:
        url: such as ``http://127.0.0.1:8000`` or ``.../v1``.
        key: sent as a bearer token, if given.
        attempts, first_wait: how often a request is made, and the first pause in seconds.
        seconds: for one reply.
        deadline: on `time.monotonic`, behind which nothing is waited for any more.
        failures: what went wrong and was made good, by kind.
    """

    url: str
    key: str | None = None
    attempts: int = ATTEMPTS
    first_wait: float = FIRST_WAIT
    seconds: float = SECONDS
    deadline: float | None = None
    failures: Counter[str] = field(default_factory=Counter)
    _local: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        try:
            port, is_one = parts.port, True
        except ValueError:
            port, is_one = None, False
        if not is_one or parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError(f"{self.url!r} is no address of a server, such as http://host:8000")
        self._host, self._port = parts.hostname, port
        self._secure = parts.scheme == "https"
        path = parts.path.rstrip("/")
        self._path = path if path.endswith("/v1") else f"{path}/v1"

    def models(self) -> list[str]:
        """The names of the models that the server offers.

        Raises:
            ServerError: when it does not say.
        """
        found = self._asked("GET", "/models", None)
        try:
            return [str(model["id"]) for model in found["data"]]
        except (KeyError, TypeError):
            raise ServerError(f"{self.url} lists no models") from None

    def complete(self, **request: Any) -> dict[str, Any]:
        """The first choice of a reply to a completions request.

        Raises:
            ServerError: when the server refuses, or fails every time.
        """
        found = self._asked("POST", "/completions", request)
        choices = found.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise ServerError(f"{self.url} answered without choices")
        return choices[0]

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _asked(self, method: str, path: str, request: Any) -> dict[str, Any]:
        wait = self.first_wait
        asked_for = 0.0
        last = ""
        for attempt in range(self.attempts):
            if attempt:
                pause = min(wait, LONGEST_WAIT) * random.uniform(0.5, 1.0)
                pause = max(pause, min(asked_for, LONGEST_WAIT))
                if self.deadline is not None:
                    pause = min(pause, max(0.0, self._left()))
                time.sleep(pause)
                wait, asked_for = 2 * wait, 0.0
            if self._left() <= 0:
                raise ServerError(f"{self.url} had not answered when the budget was spent")
            try:
                status, headers, body = self._once(method, self._path + path, request)
            except (OSError, http.client.HTTPException) as problem:
                self.close()
                last = type(problem).__name__
                self._count("disconnected")
                continue
            if status in AGAIN:
                last = f"status {status}"
                self._count("rate limit" if status == 429 else f"status {status}")
                asked_for = _seconds(headers.get("retry-after"))
                wait = max(wait, asked_for)
                continue
            return self._read(status, body)
        raise ServerError(f"{self.url} failed {self.attempts} times in a row, the last: {last}")

    def _left(self) -> float:
        """Seconds that one reply may still take."""
        if self.deadline is None:
            return self.seconds
        return min(self.seconds, self.deadline - time.monotonic())

    def _once(self, method: str, path: str, request: Any) -> tuple[int, dict[str, str], bytes]:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            connection = kind(self._host, self._port, timeout=max(0.01, self._left()))
            self._local.connection = connection
        elif connection.sock is not None:
            connection.sock.settimeout(max(0.01, self._left()))
        headers = {"Accept": "application/json"}
        body = None
        if request is not None:
            body = json.dumps(request).encode()
            headers["Content-Type"] = "application/json"
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        data = reply.read()
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, data

    def _read(self, status: int, body: bytes) -> dict[str, Any]:
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if status != 200:
            said = found.get("error") if isinstance(found, dict) else None
            text = said.get("message") if isinstance(said, dict) else said
            text = " ".join(str(text or body[:80].decode(errors="replace")).split())
            raise ServerError(f"{self.url} refuses with status {status}: {text}")
        if not isinstance(found, dict):
            raise ServerError(f"{self.url} answered with no JSON object")
        return found

    def _count(self, what: str) -> None:
        with self._lock:
            self.failures[what] += 1


def _seconds(text: str | None) -> float:
    """Seconds of a ``Retry-After``; 0 where it is a date or nothing."""
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0
