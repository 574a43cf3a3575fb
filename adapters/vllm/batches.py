"""Batch independence: does a request get, in a batch, the ids that it gets alone?

With coins given by key a sampler is a function, so this needs no law: requests are verified
together and one by one at the same coins, and every difference is a fault. Batches are ragged,
permuted, mixed (greedy and not), padded with -1, and hold requests without drafts.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .coins import CoinSource, Key
from .engine_sampler import EngineSampler
from .gpu_sampler import GpuSampler, Request

#: The checks of the report, and batches tried for each.
CHECKS = ("ragged", "permutation", "mixed", "greedy", "padding")
BATCHES = 12
VOCABULARY = 4

#: Verifies a batch at the coins of ``number``; requests are told apart by their seeds.
Verify = Callable[[Sequence[Request], int], list[list[int]]]


class Hashed(CoinSource):
    """Coins that are a hash of their key and of a number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def accept(self, key: Key) -> float:
        """A number in (0, 1)."""
        return self._numbers(key, "accept").random()

    def noise(self, key: Key, ids: Any) -> Any:
        """Exponential noise."""
        numbers = self._numbers(key, "noise")
        drawn = np.full(ids.shape, 1e30)
        drawn[:VOCABULARY] = [numbers.expovariate(1.0) for _ in range(VOCABULARY)]
        return drawn

    def _numbers(self, key: Key, role: str) -> random.Random:
        return random.Random(zlib.crc32(f"{self._number} {key} {role}".encode()))


def by_key(sampler: GpuSampler) -> Verify:
    """The GPU runner's sampler, whose coins have keys."""
    return lambda requests, number: sampler.verify(requests, Hashed(number))


def by_row(sampler: EngineSampler) -> Verify:
    """The engine's sampler, whose coins lie in rows: each request brings its own."""

    def verify(requests: Sequence[Request], number: int) -> list[list[int]]:
        accept: list[float] = []
        rows: dict[str, list[list[float]]] = {"recovered": [], "bonus": []}
        for request in requests:
            numbers = random.Random(zlib.crc32(f"{number} {request.seed}".encode()))
            coins = [numbers.random() for _ in range(8)]
            accept += coins[: len(request.drafts)]
            for name in rows:
                rows[name].append([numbers.expovariate(1.0) for _ in range(VOCABULARY)])
        return sampler.verify(requests, np.array(accept), rows["recovered"], rows["bonus"])

    return verify


def difference(verify: Verify, check: str, certain: bool) -> str | None:
    """The first way in which ``check`` fails, in words; None if it does not."""
    numbers = random.Random(23)
    for number in range(BATCHES):
        requests = _requests(check, numbers, certain)
        together = verify(requests, number)
        if check == "permutation":
            order = numbers.sample(range(len(requests)), len(requests))
            shuffled = verify([requests[i] for i in order], number)
            alone = [shuffled[order.index(i)] for i in range(len(requests))]
            how = f"in the order {order}"
        else:
            alone = [_alone(verify, r, number, check) for r in requests]
            how = "without its -1" if check == "padding" else "alone"
        for request, one, other in zip(requests, together, alone, strict=True):
            if one != other:
                return (
                    f"a request with drafts {list(request.drafts)} at temperature "
                    f"{request.temperature:g} gets {one} in a batch of {len(requests)} and "
                    f"{other} {how}"
                )
            if request.temperature == 0 and one != (due := _greedy(request)):
                return f"a greedy request with drafts {list(request.drafts)} gets {one}, due {due}"
    return None


def _alone(verify: Verify, request: Request, number: int, check: str) -> list[int]:
    if check == "padding":  # a place that holds no draft ends the drafts
        kept = next((n for n, i in enumerate(request.drafts) if i < 0), len(request.drafts))
        drafter = None if request.drafter is None else request.drafter[:kept]
        request = replace(
            request,
            target=request.target[: kept + 1],
            drafter=drafter,
            drafts=request.drafts[:kept],
        )
    return verify([request], number)[0]


def _greedy(request: Request) -> list[int]:
    """What greedy decoding keeps."""
    out: list[int] = []
    for row, draft in zip(request.target, (*request.drafts, None), strict=True):
        out.append(int(np.argmax(row)))
        if out[-1] != draft:
            break
    return out


def _requests(check: str, numbers: random.Random, certain: bool) -> list[Request]:
    """Four requests of different lengths, some of them what ``check`` is about."""
    made: list[Request] = []
    for place in range(4):
        length = numbers.randint(1, 3) if check == "padding" else numbers.randint(0, 3)
        if place == 0:
            length = 3  # so that a batch always has drafts
        drafts = tuple(numbers.randrange(VOCABULARY) for _ in range(length))
        greedy = check == "greedy" or (check == "mixed" and numbers.random() < 0.5)
        target = np.array([_row(numbers) for _ in range(length + 1)])
        if greedy:  # so that greedy drafts are accepted half of the time
            for n, draft in enumerate(drafts):
                if numbers.random() < 0.6:
                    target[n, draft] += 1.0
            target /= target.sum(axis=1, keepdims=True)
        if check == "padding":
            valid = numbers.randint(0, length)
            drafts = drafts[:valid] + (-1,) * (length - valid)
        made.append(
            Request(
                target,
                None if certain else np.array([_row(numbers) for _ in range(length)]),
                drafts,
                seed=100 + place,
                position=numbers.randint(1, 50),
                temperature=0.0 if greedy else 1.0,
            )
        )
    return made


def _row(numbers: random.Random) -> list[float]:
    weights = [numbers.expovariate(1.0) for _ in range(VOCABULARY)]
    return [w / sum(weights) for w in weights]
