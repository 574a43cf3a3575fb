"""Exact laws of programs that draw with the standard library, without NumPy or torch."""

from __future__ import annotations

import bisect
import heapq
import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import log
from random import choices
from random import random as uniform
from typing import Any

import pytest
from draftproof.audit.interception import enumerate_law

P = (1 / 2, 3 / 10, 1 / 5)


def law_of(program: Callable[[], Any], size: int = 3) -> list[float]:
    found = enumerate_law(program)
    assert found.reason is None, found.reason
    assert found.errors == {} and found.unexplored_mass <= 1e-12
    return [found.law.get(k, 0.0) for k in range(size)]


def near(law: Any, abs: float = 1e-12) -> Any:
    return pytest.approx(list(law), abs=abs)


def by_loop(p: Any) -> int:
    u, total = random.random(), 0.0
    for token, probability in enumerate(p):
        total += probability
        if u < total:
            return token
    return len(p) - 1


def by_subtraction(p: Any) -> int:
    u = uniform()
    for token, probability in enumerate(p):
        u -= probability
        if u <= 0:
            return token
    return len(p) - 1


def scores(p: Any) -> list[Any]:
    return [math.log(w) - math.log(-math.log(random.random())) for w in p]


SAMPLERS: dict[str, Callable[[Any], Any]] = {
    "choices": lambda p: random.choices(range(3), weights=p)[0],
    "choices, cumulative": lambda p: random.choices(range(3), cum_weights=[*accumulate(p)])[0],
    "choices, taken by name": lambda p: choices((0, 1, 2), p, k=2)[1],
    "loop": by_loop,
    "subtraction": by_subtraction,
    "bisect": lambda p: bisect.bisect(list(accumulate(p)), random.random()),
    "sum": lambda p: sum(random.random() > 0 and u > c for u in [uniform()] for c in accumulate(p)),
    "next": lambda p: next(k for u in [uniform()] for k, c in enumerate(accumulate(p)) if u < c),
    "Gumbel": lambda p: max(range(3), key=scores(p).__getitem__),
    "Gumbel, log taken by name": lambda p: max(
        (log(w) - log(-log(uniform())), k) for k, w in enumerate(p)
    )[1],
    "exponential": lambda p: min(range(3), key=[random.expovariate(w) for w in p].__getitem__),
    "heap": lambda p: heapq.nsmallest(1, [(-log(uniform()) / w, k) for k, w in enumerate(p)])[0][1],
    "sorted": lambda p: sorted(range(3), key=[-log(uniform()) / w for w in p].__getitem__)[0],
    "uniform to a weight": lambda p: max(
        range(3), key=[uniform() ** (1 / w) for w in p].__getitem__
    ),
    "an instance": lambda p: random.Random(5).choices(range(3), p)[0],
    "rejection by uniform()": lambda p: (
        0 if random.uniform(0, 2) < 2 * p[0] else 1 + (uniform() * 0.5 > p[1])
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_have_the_law_of_their_row(name: str):
    assert law_of(lambda: int(SAMPLERS[name](P))) == near(P)


ACCEPTANCES: dict[str, Callable[[float], Any]] = {
    "u < x": lambda x: random.random() < x,
    "x >= u": lambda x: x >= random.random(),
    "fraction": lambda x: random.random() < Fraction(1, 4),
    "affine": lambda x: 2 * random.random() - 1 < 2 * x - 1,
    "1 - u": lambda x: 1 - random.random() < x,
    "not >": lambda x: not random.random() > x,
    "float()": lambda x: float(random.random()) < x,
    "float() of a difference": lambda x: float(x - random.random()) > 0.0,
    "log": lambda x: math.log(random.random()) < math.log(x),
    "expovariate": lambda x: random.expovariate(1.0) > -math.log(x),
    "division": lambda x: random.random() / x < 1,
    "min": lambda x: min(random.random(), 1.0) < x,
    "floor": lambda x: math.floor(random.random() * 4) == 0,
    "int": lambda x: int(4 * random.random()) == 3,
    "floor division": lambda x: random.random() * 4 // 1 == 2,
    "remainder": lambda x: (random.random() + 0.5) % 1.0 < x,
    "round": lambda x: round(random.random() * 2 - 0.5) == 0 and random.random() < 0.5,
    "randrange": lambda x: random.randrange(4) == 1,
    "randint": lambda x: random.randint(1, 4) == 1,
    "choice": lambda x: random.choice("abcd") == "a",
    "getrandbits": lambda x: random.getrandbits(2) == 3,
    "sample": lambda x: random.sample(range(4), 2)[1] == 2,
    "isinstance": lambda x: isinstance(u := float(random.random()), float) and u < x,
}


@pytest.mark.parametrize("name", ACCEPTANCES)
def test_acceptance_tests_have_the_probability_of_their_ratio(name: str):
    assert law_of(lambda: bool(ACCEPTANCES[name](0.25)), 2) == near([0.75, 0.25])


def test_a_coin_used_twice_is_one_coin():
    p, q, residual = (2 / 5, 2 / 5, 1 / 5), (1 / 10, 1 / 10, 4 / 5), (1 / 2, 1 / 2, 0.0)

    def program() -> int:
        draft = random.choices(range(3), q)[0]
        u = random.random()
        if u < p[draft] / q[draft]:
            return draft
        return bisect.bisect_left(list(accumulate(residual)), u)

    assert law_of(program) == near([3 / 10, 1 / 2, 1 / 5])


def test_shuffles():
    def program() -> tuple[int, ...]:
        items = [0, 1, 2]
        random.shuffle(items)
        return tuple(items)

    assert list(enumerate_law(program).law.values()) == near([1 / 6] * 6)


def test_float_is_itself_again_afterwards():
    assert law_of(lambda: float(random.random()) < 0.5, 2) == near([0.5, 0.5])
    assert "float" not in globals() and type(random.random()) is float
