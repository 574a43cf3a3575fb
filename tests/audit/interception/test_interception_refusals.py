"""What is not modelled is refused by name, and cannot be hidden; what is replaced is put back."""

from __future__ import annotations

import _thread
import itertools
import math
import multiprocessing
import os
import random
import secrets
import subprocess
import sys
import threading
import types
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from draftproof.audit.interception import (
    Enumeration,
    UnmodelledRandomCall,
    enumerate_law,
    loading,
    run_with_coins,
)


def refused(found: Enumeration[Any], name: str) -> bool:
    """No number is given, and the reason names the call."""
    assert found.law == {} and found.unexplored_mass == 1.0, found
    assert name in (found.reason or ""), found.reason
    return True


def in_a_thread() -> float:
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(random.random()))
    thread.start()
    thread.join()
    return found[0]


PYTHON: dict[str, Callable[[], Any]] = {
    "os.urandom": lambda: os.urandom(1),
    "random.gauss": lambda: random.gauss(0, 1),
    "random.normalvariate": lambda: random.normalvariate(0, 1),
    "random.triangular": lambda: random.triangular(),
    "random.betavariate": lambda: random.Random(0).betavariate(1, 1),
    "an integer from random below": lambda: random.getrandbits(64),
    "random.SystemRandom": lambda: random.SystemRandom().random(),
    "starting a thread ": in_a_thread,
    "starting a thread": lambda: _thread.start_new_thread(int, ()),
    "starting a process ": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "starting a process": lambda: multiprocessing.get_context("spawn").Process().start(),
    "hash() of an undrawn": lambda: random.random(),
    "repr() of an undrawn": lambda: str(random.random()),
    "format() of an undrawn": lambda: f"{random.random():.3f}",
    "a sum with another": lambda: random.random() + random.random() < 1,
    "a product with another": lambda: random.random() * random.random() < 1,
    "a quotient with another": lambda: random.random() / random.random() < 1,
    "rounding": lambda: math.floor(-math.log(random.random())),
    "power": lambda: (random.random() - 0.5) ** 2 < 0.1,
    "logarithm": lambda: math.log(random.random() + 0.5) < 0,
}


@pytest.mark.parametrize("name", PYTHON)
def test_python_calls_and_uses_are_refused_by_name(name: str):
    assert refused(enumerate_law(PYTHON[name]), name.strip())


def test_draws_in_a_thread_that_was_there_before_are_refused():
    with ThreadPoolExecutor(1) as threads:
        threads.submit(int).result()
        found = enumerate_law(lambda: threads.submit(random.random).result() < 2)
        assert refused(found, "in another thread")


@pytest.mark.parametrize("draw", [lambda: secrets.token_hex(4), lambda: uuid.uuid4().hex])
def test_secrets_are_refused(draw: Callable[[], Any]):
    assert refused(enumerate_law(draw), "os.urandom")


def test_numpy_calls_and_uses_are_refused_by_name():
    np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")
    rng = np.random.default_rng
    calls: dict[str, Callable[[], Any]] = {
        "numpy.random.Generator.normal": lambda: rng(0).normal(),
        "numpy.random.RandomState.randn": lambda: np.random.randn(2),
        "numpy.random.RandomState.normal": lambda: np.random.RandomState(0).normal(),
        "numpy.random.Generator.dirichlet": lambda: rng(0).dirichlet([1, 1]),
        "numpy.random.Generator.bytes": lambda: rng(0).bytes(2),
        "numpy.random.PCG64.random_raw": lambda: np.random.PCG64(0).random_raw(),
        "numpy.random.PCG64.state": lambda: rng(0).bit_generator.state,
        "without replacement": lambda: rng(0).choice(3, 2, replace=False),
        "multinomial of more than one draw": lambda: rng(0).multinomial(2, [0.5, 0.5]),
        "numpy.random with out=": lambda: rng(0).random(2, out=np.empty(2)),
        "an integer from numpy.random below": lambda: rng(0).integers(2**40),
        "numpy.sin": lambda: np.sin(rng(0).random(2)) < 0.5,
        "numpy.median": lambda: np.median(rng(0).random(3)) < 0.5,
        "numpy.dot": lambda: np.dot(rng(0).random(2), np.ones(2)),
        "a sum with another": lambda: rng(0).random(2).sum() < 1,
        "repr()": lambda: str(rng(0).random(2)),
        "numpy.partition": lambda: rng(0).random(2).partition(1),
        "numpy.isclose": lambda: bool(np.isclose(rng(0).random(2), 0.5)[0]),
        "a seed": lambda: rng(rng(0).random()),
    }
    for name, call in calls.items():
        assert refused(enumerate_law(call), name)


NEEDS_TORCH = "needs torch: pip install 'draftproof[torch]'"


def test_torch_calls_and_uses_are_refused_by_name():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)
    rand, functional = torch.rand, torch.nn.functional
    calls: dict[str, Callable[[], Any]] = {
        "torch.randn": lambda: torch.randn(2),
        "torch.randn_like": lambda: torch.randn_like(torch.ones(2)),
        "torch.normal": lambda: torch.normal(torch.zeros(2), torch.ones(2)),
        "torch.randperm": lambda: torch.randperm(3),
        "torch.poisson": lambda: torch.poisson(torch.ones(2)),
        "normal_": lambda: torch.empty(2).normal_(),
        "nn.init.normal_": lambda: torch.nn.init.normal_(torch.empty(2)),
        "aten.native_dropout": lambda: torch.native_dropout(torch.ones(2), 0.5, True),
        "aten.bernoulli_": lambda: functional.dropout(torch.ones(2)),
        "gumbel_softmax": lambda: functional.gumbel_softmax(torch.ones(2), hard=True),
        "softmax": lambda: rand(2).softmax(-1)[0] < 0.5,
        "an integer from torch": lambda: torch.randint(2**40, (1,)),
        "torch.seed": lambda: torch.seed(),
        "torch.initial_seed": lambda: torch.initial_seed(),
        "a product with another": lambda: rand(1) * rand(1) < 1,
        "torch.Tensor.prod": lambda: rand(2).prod() < 1,
        "a sum with another": lambda: rand(2).sum() < 1,
        "torch.sin": lambda: torch.sin(rand(2)) < 0.5,
        "as another dtype": lambda: rand(2).view(torch.int32),
        "__repr__": lambda: str(rand(2)),
        "an index": lambda: torch.zeros(3)[rand(2)],
        "torch.multinomial": lambda: int(torch.multinomial(rand(3), 1)),
        "torch.allclose": lambda: torch.allclose(rand(2), torch.ones(2)),
    }
    for name, call in calls.items():
        assert refused(enumerate_law(call), name)


def test_operators_that_the_mode_does_not_see_are_refused_by_the_backstop():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

    def hidden() -> int:
        with torch._C.DisableTorchFunction():
            return int(torch.randint(2, (1,)))

    assert refused(enumerate_law(hidden), "aten.randint")

    def hidden_read() -> bool:
        noise = torch.rand(2)
        with torch._C.DisableTorchFunction():
            return bool((noise + 1)[0] < 2)

    assert refused(enumerate_law(hidden_read), "of undrawn numbers")

    def later() -> int:  # on the second path only, where operators are not watched
        return 0 if torch.rand(1) < 0.75 else hidden()

    assert refused(enumerate_law(later), "torch's global generator")


@pytest.mark.parametrize("call", [lambda: random.gauss(0, 1), lambda: os.urandom(4)])
def test_a_refusal_that_the_program_swallows_is_still_a_refusal(call: Callable[[], Any]):
    def program() -> int:
        with suppress(Exception):
            call()
        return 0

    assert enumerate_law(program).law == {}


def test_global_generators_that_are_drawn_from_all_the_same_are_seen():
    hidden = random._inst  # type: ignore[attr-defined]
    draw = type(hidden).__mro__[1].random
    assert refused(enumerate_law(lambda: draw(hidden) < 2), "Python's global generator")
    np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")
    hidden_too = itertools.repeat(np.random.mtrand._rand)
    assert refused(enumerate_law(lambda: next(hidden_too).rand() < 2), "NumPy's global generator")


def test_generators_that_cannot_be_replaced_are_seen():
    np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")

    def drawing(generator: Any) -> Iterator[bool]:
        while True:
            yield generator.random() < 2

    suspended = drawing(np.random.default_rng(0))
    assert next(suspended)  # from here on the generator is a local variable of what is suspended
    assert refused(enumerate_law(lambda: next(suspended)), "kept where it was not found")
    hidden = itertools.repeat(np.random.default_rng(0))  # leads nowhere
    found = enumerate_law(lambda: next(hidden).random() < 2, search_memory=True)
    assert refused(found, "kept where it was not found")


def test_state_that_leaks_from_path_to_path_is_refused():
    calls: list[int] = []

    def program() -> bool:
        calls.append(0)
        return random.random() < 1 / (1 + len(calls))

    assert refused(enumerate_law(program), "a replayed path")


def test_a_path_that_draws_less_than_before_is_refused():
    calls: list[int] = []

    def program() -> int:
        calls.append(0)
        return random.choices((0, 1), (1, 1))[0] if len(calls) < 2 else 0

    assert refused(enumerate_law(program), "a replayed path ended")


def replaced() -> list[Any]:
    """Everything that interception replaces."""
    found: list[Any] = [
        *(random.random, random.choices, random.seed, random.Random, random.SystemRandom),
        *(math.log, os.urandom, threading.Thread.start, subprocess.Popen.__init__),
    ]
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        found += [numpy.array, numpy.random.rand, numpy.random.default_rng, numpy.random.Generator]
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        found += [torch.rand, torch.multinomial, torch.seed, torch.compile]
        found.append(torch._C._len_torch_function_stack())
    return found


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit])
def test_everything_is_put_back_whatever_happens(raised: type[BaseException]):
    before, state = replaced(), random.getstate()

    def program() -> None:
        float(random.random())
        raise raised

    if issubclass(raised, Exception):
        assert enumerate_law(program).error_mass == 1.0
    else:
        with pytest.raises(raised):
            enumerate_law(program)
    assert replaced() == before and random.getstate() == state
    assert "float" not in globals() and isinstance(random.random(), float)
    with pytest.raises((UnmodelledRandomCall, ValueError, KeyboardInterrupt, SystemExit)):
        run_with_coins(program, 0.0)
    assert replaced() == before


SUBJECT = """
import random
from random import random as draw
from math import log

try:
    import numpy as np
    from numpy.random import default_rng, Generator
    RNG = default_rng(5)
    WEIGHTS = RNG.random(2).tolist()
except ImportError:
    RNG = None

HELD = random.Random(5)

class Sampler:
    def __init__(self):
        self.rng = HELD

    def __call__(self):
        return float(draw()) < 0.25, self.rng.random() < 0.25
"""


def load(inside: bool) -> types.ModuleType:
    module = types.ModuleType("a_subject_of_tests")
    if inside:
        with loading():
            exec(SUBJECT, module.__dict__)
    else:
        exec(SUBJECT, module.__dict__)
    return module


@pytest.mark.parametrize("inside", [True, False])
def test_what_a_module_took_by_name_is_answered_too(inside: bool):
    module = load(inside)
    found = enumerate_law(module.Sampler())
    assert found.reason is None, found.reason
    assert found.law[True, True] == 0.0625 and len(found.law) == 4
    # Outside of an enumeration the module draws real numbers.
    assert isinstance(module.draw(), float) and isinstance(module.HELD.random(), float)
    if module.RNG is not None:
        rng = module.RNG
        assert [0.0 <= w < 1.0 for w in module.WEIGHTS] == [True, True]
        found = enumerate_law(lambda: bool(rng.random() < 0.25))
        assert found.law == {True: 0.25, False: 0.75}
        assert isinstance(float(rng.random()), float)


def test_a_subject_in_a_file_is_imported_under_interception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "subject_in_a_file.py").write_text(
        "from random import choices\n\ndef draw():\n    return choices('ab', (1, 3))[0]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with loading():
        import subject_in_a_file  # type: ignore[import-not-found]
    assert enumerate_law(subject_in_a_file.draw).law == {"a": 0.25, "b": 0.75}
    assert subject_in_a_file.draw() in "ab"
