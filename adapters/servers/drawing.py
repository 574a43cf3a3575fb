"""Samples from a server: both modes, several requests at a time, given on in order."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from ...audit.samples.lines import PLAIN, SPECULATIVE, Prompt, Sample, Tokens
from .client import Client, ServerError

#: Likeliest tokens whose log-probabilities are asked for.
TOP = 5


@dataclass(frozen=True)
class Mode:
    """Where one mode is asked: a server, and the model's name there."""

    client: Client
    model: str


@dataclass(frozen=True)
class Request:
    """What every request has in common.

    Attributes:
        most: new tokens at most.
        temperature: 1 is the model's own law.
        first_seed: of the first request; every request has one of its own.
    """

    most: int
    temperature: float = 1.0
    first_seed: int = 0


def drawn(
    modes: dict[str, Mode], prompts: Sequence[Prompt], draws: int, request: Request, at_once: int
) -> Iterator[Sample]:
    """``draws`` samples of each mode after each prompt, in turn, ``at_once`` requests at a time.

    They come in the order of their numbers, whatever order the replies came in; a slow reply is
    waited for. No two requests have the same seed, so that no two replies share coins.

    Raises:
        ServerError: when a request is refused, or fails every time: what came before it counts.
    """
    seeds = itertools.count(request.first_seed)
    order = (
        (prompt, mode, next(seeds)) for _ in range(draws) for prompt in prompts for mode in modes
    )
    pending: deque[Future[Sample]] = deque()
    pool = ThreadPoolExecutor(at_once)
    try:
        for prompt, mode, seed in order:
            pending.append(pool.submit(_sample, modes[mode], mode, prompt, seed, request))
            if len(pending) >= 2 * at_once:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _sample(where: Mode, mode: str, prompt: Prompt, seed: int, request: Request) -> Sample:
    choice = where.client.complete(
        model=where.model,
        prompt=list(prompt) if isinstance(prompt, tuple) else prompt,
        max_tokens=request.most,
        temperature=request.temperature,
        seed=seed,
        return_token_ids=True,
        return_tokens=True,
    )
    ids = _ids(choice)
    if ids is not None:
        return Sample(prompt, mode, ids, seed)
    if not isinstance(choice.get("text"), str):
        raise ServerError(f"{where.client.url} answered with neither ids nor a text")
    return Sample(prompt, mode, tuple(choice["text"]), seed, by_ids=False)


def _ids(choice: dict[str, Any]) -> Tokens | None:
    """The new ids, as vLLM (``token_ids``) or llama.cpp (``tokens``) give them."""
    for name in ("token_ids", "tokens"):
        ids = choice.get(name)
        if isinstance(ids, list) and all(type(token) is int for token in ids):
            return tuple(ids)
    return None


def stated_law(where: Mode, prompt: Prompt, request: Request) -> dict[Tokens, float]:
    """The law of the next token as the server states it: of its likeliest tokens.

    Raises:
        ServerError: when it states none that can be matched with ids.
    """
    choice = where.client.complete(
        model=where.model,
        prompt=list(prompt) if isinstance(prompt, tuple) else prompt,
        max_tokens=1,
        temperature=request.temperature,
        seed=request.first_seed,
        logprobs=TOP,
        return_tokens_as_token_ids=True,
    )
    try:
        top = choice["logprobs"]["top_logprobs"][0]
        law = {(_id(token),): math.exp(float(log)) for token, log in top.items()}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise ServerError(
            f"{where.client.url} states no log-probabilities by id (top_logprobs with keys such as "
            "token_id:17); leave out --due logprobs, and the two modes are compared"
        ) from None
    total = math.fsum(law.values())
    return {token: mass / total for token, mass in law.items()} if total > 1 else law


def _id(token: str) -> int:
    name, _, number = token.rpartition(":")
    if name != "token_id":
        raise ValueError(token)
    return int(number)


def modes_of(plain: Mode | None, speculative: Mode) -> dict[str, Mode]:
    """The modes that are asked."""
    return ({} if plain is None else {PLAIN: plain}) | {SPECULATIVE: speculative}
