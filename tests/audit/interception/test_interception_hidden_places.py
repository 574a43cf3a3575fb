"""Generators kept in unusual places, and NumPy's classes taken by name before interception."""

from __future__ import annotations

import functools
import itertools
import threading
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")

from draftproof.audit.interception import enumerate_law, places  # noqa: E402
from draftproof.audit.kinds.freshness import Snapshot  # noqa: E402
from numpy.random import PCG64, Generator, RandomState, default_rng  # noqa: E402

Named = namedtuple("Named", "noise weight")

IN_DEQUE = deque([default_rng(1)])
IN_SET = {default_rng(2)}
IN_FROZENSET = frozenset([RandomState(3)])
IN_DICT = {"frozen": frozenset([default_rng(4)])}
IN_NAMED = Named(default_rng(5), 1)
ORDERED = OrderedDict(noise=default_rng(6))
DEFAULT = defaultdict(list, {"noise": [default_rng(7)]})
NAMESPACE = types.SimpleNamespace(noise=default_rng(8))
LOCAL = threading.local()
LOCAL.noise = default_rng(9)
KEPT, IN_CONTEXT = default_rng(12), default_rng(10)
CONTEXT: ContextVar[Any] = ContextVar("CONTEXT", default=IN_CONTEXT)


def with_attribute() -> int:
    return int(with_attribute.noise.random() < 0.25)  # type: ignore[attr-defined]


with_attribute.noise = default_rng(11)  # type: ignore[attr-defined]


class WithProperty:
    @property
    def noise(self, kept: Any = KEPT) -> Any:
        return kept


PROGRAMS: dict[str, Callable[[], int]] = {
    "deque": lambda: int(IN_DEQUE[0].random() < 0.25),
    "set": lambda: int(next(iter(IN_SET)).random() < 0.25),
    "frozenset": lambda: int(next(iter(IN_FROZENSET)).rand() < 0.25),
    "frozenset in a dict": lambda: int(next(iter(IN_DICT["frozen"])).random() < 0.25),
    "named tuple": lambda: int(IN_NAMED.noise.random() < 0.25),
    "OrderedDict": lambda: int(ORDERED["noise"].random() < 0.25),
    "defaultdict": lambda: int(DEFAULT["noise"][0].random() < 0.25),
    "namespace": lambda: int(NAMESPACE.noise.random() < 0.25),
    "threading.local": lambda: int(LOCAL.noise.random() < 0.25),
    "context variable": lambda: int(CONTEXT.get().random() < 0.25),
    "attribute of a function": with_attribute,
    "default of a property": lambda: int(WithProperty().noise.random() < 0.25),
    "default_rng by name": lambda: int(default_rng().random() < 0.25),
    "RandomState by name": lambda: int(RandomState().rand() < 0.25),
    "RandomState by name, seeded": lambda: int(RandomState(3).rand() < 0.25),
    "Generator by name": lambda: int(Generator(PCG64()).random() < 0.25),
    "Generator by name, seeded": lambda: int(Generator(PCG64(5)).random() < 0.25),
    "the global RandomState": lambda: int(np.random.mtrand._rand.rand() < 0.25),
}


@pytest.mark.parametrize("fresh", [False, True], ids=["", "with a snapshot"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_generators_in_unusual_places_are_answered_and_put_back(name: str, fresh: bool):
    program, real = PROGRAMS[name], CONTEXT.get()
    snapshot = Snapshot(program)

    def path() -> int:
        if fresh:
            snapshot.restore()
        return program()

    path.__wrapped__ = program  # type: ignore[attr-defined]
    for _ in range(2):
        found = enumerate_law(path)
        assert found.reason is None, found.reason
        assert found.errors == {}
        assert found.law == pytest.approx({0: 0.75, 1: 0.25}, abs=1e-12)
        kept = [*IN_DEQUE, *IN_SET, IN_NAMED.noise, ORDERED["noise"], NAMESPACE.noise, LOCAL.noise]
        assert {type(generator) for generator in kept} == {Generator}
        assert [type(generator) for generator in IN_FROZENSET] == [RandomState]
        assert CONTEXT.get() is real


@functools.lru_cache
def kept_generator() -> Any:
    return default_rng(20)


@functools.cache
def kept_coin(place: int) -> Any:
    return default_rng().random()


def test_what_lru_cache_keeps_does_not_outlive_a_path():
    assert type(kept_generator()) is Generator  # made before

    def program() -> tuple[bool, bool, bool]:
        again = [kept_coin(0) < 0.5, kept_coin(0) < 0.5]
        return bool(kept_generator().random() < 0.25), *map(bool, again)  # type: ignore

    snapshot = Snapshot(program)

    def path() -> Any:
        snapshot.restore()
        return program()

    path.__wrapped__ = program  # type: ignore[attr-defined]
    found = enumerate_law(path)
    law = {(a, b, b): (0.25 if a else 0.75) / 2 for a in (True, False) for b in (True, False)}
    assert found.reason is None and found.law == pytest.approx(law, abs=1e-12)


def drawing(generator: Any) -> Iterator[bool]:
    while True:
        yield bool(generator.random() < 2)


HIDDEN = itertools.repeat(default_rng(21))
SUSPENDED = drawing(default_rng(22))
next(SUSPENDED)


@pytest.mark.parametrize(
    "program", [lambda: next(HIDDEN).random() < 2, lambda: next(SUSPENDED)], ids=["C", "suspended"]
)
def test_what_cannot_be_reached_is_watched_and_never_gives_a_law(program: Callable[[], bool]):
    places.search_memory()
    found = enumerate_law(program)
    assert found.law == {} and "kept where it was not found" in (found.reason or "")


def test_scipy_draws_from_the_generator_that_is_modelled():
    stats = pytest.importorskip("scipy.stats", reason="needs SciPy: pip install scipy")
    found = enumerate_law(lambda: bool(stats.uniform.rvs() < 0.25))
    assert found.reason is None
    assert found.law == pytest.approx({True: 0.25, False: 0.75}, abs=1e-12)


def test_a_generator_that_was_never_set_up_is_passed_over():
    """Memory holds some: copies under construction, and what a failed constructor left behind."""
    half = np.random.RandomState.__new__(np.random.RandomState)
    found = enumerate_law(lambda: int(np.random.random() < 0.25), search_memory=True)
    assert found.reason is None
    assert found.law == {1: 0.25, 0: 0.75}
    del half
