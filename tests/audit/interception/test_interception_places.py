"""Generators and their methods are found where programs keep them, and put back afterwards."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")

from draftproof.audit.interception import enumerate_law  # noqa: E402
from draftproof.audit.kinds.freshness import Snapshot  # noqa: E402

# Made before any interception.
GENERATOR = np.random.default_rng(0)
UNIFORM = GENERATOR.random
NESTED = {"deep": [np.random.RandomState(3)]}
IN_TUPLE = ("noise", (np.random.default_rng(5), GENERATOR.random))
PYTHON = random.Random(2).random
PYTHON_CHOICES = random.Random(4).choices


class Slotted:
    __slots__ = ("__private", "draw")

    def __init__(self) -> None:
        self.__private = np.random.default_rng(1)
        self.draw = np.random.default_rng(2).random

    def verify(self) -> int:
        return int(self.__private.random() < 0.25)


class Sampler:
    shared = np.random.default_rng(6)
    bound = shared.random

    def __init__(self) -> None:
        self.generator = np.random.default_rng(7)
        self.parts = {"again": [self.generator]}
        self.calls = 0

    def verify(self) -> int:
        self.calls += 1
        assert self.calls == 1
        assert self.parts["again"][0] is self.generator
        return int(self.generator.random() < 0.25)


SLOTTED, SAMPLER = Slotted(), Sampler()


def by_argument(draw: Callable[[], Any]) -> int:
    return int(draw() < 0.25)


PARTIAL = functools.partial(by_argument, GENERATOR.random)
PARTIAL_BY_NAME = functools.partial(by_argument, draw=GENERATOR.random)
PARTIAL_OF_METHOD = functools.partial(GENERATOR.random)


def by_default(_draw: Any = GENERATOR.random) -> int:
    return by_argument(_draw)


def by_keyword(*, _draw: Any = GENERATOR.random) -> int:
    return by_argument(_draw)


PROGRAMS: dict[str, Callable[[], int]] = {
    "bound": lambda: int(UNIFORM() < 0.25),
    "nested": lambda: int(NESTED["deep"][0].rand() < 0.25),
    "tuple": lambda: int(IN_TUPLE[1][0].random() < 0.25),
    "bound in a tuple": lambda: int(IN_TUPLE[1][1]() < 0.25),
    "random.Random": lambda: int(PYTHON() < 0.25),
    "choices of random.Random": lambda: PYTHON_CHOICES([0, 1], [3, 1])[0],
    "slots": lambda: SLOTTED.verify(),
    "bound in slots": lambda: int(SLOTTED.draw() < 0.25),
    "attribute": lambda: SAMPLER.verify(),
    "attribute of a class": lambda: int(Sampler.shared.random() < 0.25),
    "bound in a class": lambda: int(SAMPLER.bound() < 0.25),
    "default": by_default,
    "default of a keyword": by_keyword,
    "partial": PARTIAL,
    "partial, called": lambda: PARTIAL(),
    "partial by name": lambda: PARTIAL_BY_NAME(),
    "partial of a method": lambda: int(PARTIAL_OF_METHOD() < 0.25),
}


def kept() -> list[Any]:
    """What is in the places, by identity where it is not made anew."""
    return [
        *(UNIFORM, NESTED["deep"][0], IN_TUPLE[1][0], PYTHON, PYTHON_CHOICES, SLOTTED.draw),
        *(SAMPLER.generator, Sampler.shared, Sampler.bound, by_default.__defaults__),
        *((by_keyword.__kwdefaults__ or {})["_draw"], PARTIAL.args, PARTIAL_BY_NAME.keywords),
        *(PARTIAL_OF_METHOD.func, SAMPLER.parts["again"][0], GENERATOR),
    ]


@pytest.mark.parametrize("fresh", [False, True], ids=["", "with a snapshot"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_taken_by_name_is_answered_and_put_back(name: str, fresh: bool):
    program, before = PROGRAMS[name], kept()
    if name == "attribute" and not fresh:
        pytest.skip("it remembers its calls")
    snapshot = Snapshot(program)

    def path() -> int:
        if fresh:
            snapshot.restore()
        return program()

    path.__wrapped__ = program  # type: ignore[attr-defined]
    for _ in range(2):
        found = enumerate_law(path, search_memory=True)
        assert found.reason is None, found.reason
        assert found.errors == {}
        assert found.law == pytest.approx({0: 0.75, 1: 0.25}, abs=1e-12)
        assert kept() == before


@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
@pytest.mark.parametrize("draws", [2, 3, 4])
def test_choice_without_replacement_draws_from_what_is_left(make: str, draws: int):
    p = (0.5, 0.25, 0.0, 0.15, 0.1)
    options = {"size": draws, "replace": False, "p": p}
    found = enumerate_law(lambda: tuple(getattr(np.random, make)().choice(5, **options).tolist()))
    assert found.reason is None, found.reason
    expected: dict[tuple[int, ...], float] = {}
    for order in itertools.permutations((0, 1, 3, 4), draws):
        mass, left = 1.0, 1.0
        for index in order:
            mass *= p[index] / left
            left -= p[index]
        expected[order] = mass
    assert found.law == pytest.approx(expected, abs=1e-12)


def numpys_own_law(p: tuple[float, ...], draws: int) -> dict[tuple[int, ...], float]:
    """The law of what NumPy's source says: draw the missing ones, keep the new, draw again."""
    law: dict[tuple[int, ...], float] = {}

    def go(found: tuple[int, ...], mass: float) -> None:
        if len(found) == draws:
            law[found] = law.get(found, 0.0) + mass
            return
        left = [0.0 if k in found else weight for k, weight in enumerate(p)]
        total = sum(left)
        for new in itertools.product(range(len(p)), repeat=draws - len(found)):
            weight = mass
            for index in new:
                weight *= left[index] / total
            if weight:
                go((*found, *dict.fromkeys(new)), weight)

    go((), 1.0)
    return law


@pytest.mark.parametrize("draws", [2, 3])
def test_numpys_algorithm_has_the_law_that_is_modelled(draws: int):
    p = (0.4, 0.3, 0.2, 0.1)
    options = {"size": draws, "replace": False, "p": p}
    program = lambda: tuple(np.random.default_rng().choice(4, **options).tolist())  # noqa: E731
    assert enumerate_law(program).law == pytest.approx(numpys_own_law(p, draws), abs=1e-12)


def test_choice_without_replacement_raises_as_numpy_does():
    few = {"size": 3, "replace": False, "p": (0.5, 0.5, 0.0)}
    many = {"size": 3, "replace": False, "p": (0.5, 0.5)}
    for count, options in ((3, few), (2, many)):
        with pytest.raises(ValueError) as real:
            np.random.default_rng(0).choice(count, **options)
        program = lambda n=count, o=options: np.random.default_rng(0).choice(n, **o)  # noqa: E731
        assert list(enumerate_law(program).errors) == [f"ValueError: {real.value}"]


def test_a_seed_gives_the_same_choice_without_replacement_again():
    def program() -> bool:
        first, again = (
            np.random.default_rng(3).choice(3, size=2, replace=False, p=(0.5, 0.3, 0.2)).tolist()
            for _ in range(2)
        )
        return bool(first == again)

    found = enumerate_law(program)
    assert found.reason is None and found.law == pytest.approx({True: 1.0})
