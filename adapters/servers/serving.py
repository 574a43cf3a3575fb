"""A small server of completions over an engine, with troubles on request: for trying audits out.

It has two models, "plain" and "speculative", and answers ``GET /v1/models`` and
``POST /v1/completions`` (prompt as text or ids, max_tokens, seed, logprobs, return_token_ids).
Only for one's own machine: it checks nothing but its input.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ...reference.models import Ids
from .engines import PLAIN, SPECULATIVE, Engine, likeliest

#: Bytes of a request, and new tokens of a reply, at most.
LARGEST, MOST = 1 << 20, 4096


@dataclass
class Troubles:
    """What goes wrong on purpose.

    Attributes:
        drop: every so many completions the connection is closed without a reply; 0 for never.
        limit: every so many completions are refused with status 429; 0 for never.
        retry_after: seconds that a refusal names.
        counts: how often each happened.
    """

    drop: int = 0
    limit: int = 0
    retry_after: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: {"dropped": 0, "refused": 0})
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self) -> str | None:
        """What happens to the next completion: "dropped", "refused", or None."""
        with self._lock:
            number = next(self._numbers)
            for name, every in (("dropped", self.drop), ("refused", self.limit)):
                if every and number % every == 0:
                    self.counts[name] += 1
                    return name
        return None


class Refused(ValueError):  # noqa: N818 - an answer, in words
    """A request that cannot be answered: status 400, and one line."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # replies are small, and nobody should wait for them
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        """The list of models."""
        if self.path.rstrip("/") not in ("/v1/models", "/models"):
            self._send(404, {"error": {"message": f"there is no {self.path}"}})
            return
        models = [{"id": name, "object": "model"} for name in (PLAIN, SPECULATIVE)]
        self._send(200, {"object": "list", "data": models})

    def do_POST(self) -> None:
        """A completion."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST:
            self.close_connection = True
            self._send(413, {"error": {"message": f"a request has {LARGEST} bytes at most"}})
            return
        body = self.rfile.read(length)
        if self.path.rstrip("/") not in ("/v1/completions", "/completions"):
            self._send(404, {"error": {"message": f"there is no {self.path}"}})
            return
        trouble = self.server.troubles.next()
        if trouble == "dropped":
            self.close_connection = True
            return
        if trouble == "refused":
            after = {"Retry-After": f"{self.server.troubles.retry_after:g}"}
            self._send(429, {"error": {"message": "too many requests"}}, after)
            return
        try:
            self._send(200, completion(self.server.engine, body))
        except ValueError as problem:
            self._send(400, {"error": {"message": " ".join(str(problem).split())}})

    def _send(self, status: int, value: Any, more: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (more or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], engine: Engine, troubles: Troubles) -> None:
        super().__init__(address, _Handler)
        self.engine = engine
        self.troubles = troubles

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


def bound(engine: Engine, host: str, port: int, troubles: Troubles | None = None) -> _Server:
    """A server that listens, on any free port for port 0; ``serve_forever`` answers."""
    return _Server((host, port), engine, troubles or Troubles())


@contextmanager
def serving(engine: Engine, troubles: Troubles | None = None) -> Iterator[str]:
    """The address of a server on this machine that answers until the block is left."""
    server = bound(engine, "127.0.0.1", 0, troubles)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(engine: Engine, body: bytes) -> dict[str, Any]:
    """The answer to a completions request.

    Raises:
        Refused: for what cannot be answered.
        ValueError: what the engine refuses.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("the request is no JSON") from None
    if not isinstance(request, dict):
        raise Refused("the request is no JSON object")
    mode = request.get("model", SPECULATIVE)
    if mode not in (PLAIN, SPECULATIVE):
        raise Refused(f"there is no model {mode!r}, only {PLAIN} and {SPECULATIVE}")
    most, seed = _number(request, "max_tokens", 16, 1), _number(request, "seed", 0, 0)
    if most > MOST:
        raise Refused(f"max_tokens is {most}; {MOST} is the most")
    if request.get("temperature", 1) != 1:
        raise Refused("the temperature is 1 here")
    prompt = _prompt(engine, request.get("prompt"))
    ids = engine.reply(mode, prompt, most, seed)
    choice: dict[str, Any] = {
        "index": 0,
        "text": engine.decode(ids),
        "finish_reason": "stop" if engine.ended(ids) else "length",
        "logprobs": None,
    }
    if request.get("return_token_ids"):
        choice["token_ids"] = list(ids)
    if (count := request.get("logprobs")) is not None:
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise Refused(f"logprobs is {count!r}; a whole number is due")
        choice["logprobs"] = _logprobs(engine, prompt, ids, count)
    usage = {"prompt_tokens": len(prompt), "completion_tokens": len(ids)}
    return {"object": "text_completion", "model": mode, "choices": [choice], "usage": usage}


def _logprobs(engine: Engine, prompt: Ids, ids: Ids, count: int) -> dict[str, Any]:
    """Of each new id and of the likeliest in its place, by id: "token_id:17"."""
    chosen: list[float | None] = []
    top: list[dict[str, float]] = []
    for place, token in enumerate(ids):
        law = engine.law(prompt + ids[:place])
        chosen.append(likeliest(law, len(law)).get(token))
        top.append({f"token_id:{t}": log for t, log in likeliest(law, count).items()})
    names = [f"token_id:{token}" for token in ids]
    return {"tokens": names, "token_logprobs": chosen, "top_logprobs": top}


def _number(request: dict[str, Any], name: str, otherwise: int, least: int) -> int:
    value = request.get(name)
    if value is None:
        return otherwise
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise Refused(f"{name} is {value!r}; a whole number from {least} on is due")
    return value


def _prompt(engine: Engine, prompt: Any) -> Ids:
    if isinstance(prompt, str):
        ids = engine.encode(prompt)
    elif isinstance(prompt, list) and all(type(token) is int for token in prompt):
        ids = tuple(prompt)
    else:
        raise Refused("the prompt must be a text or a list of ids")
    if not ids:
        raise Refused("the prompt gives no ids; a model continues something")
    engine.check(ids)
    return ids
