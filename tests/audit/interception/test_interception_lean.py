"""Lean paths: what is not looked at there is seen by another net, or by name, as on a full path."""

from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")

from draftproof.audit.interception import Enumeration, enumerate_law, torch_mode  # noqa: E402

torch.set_num_threads(1)
functional = torch.nn.functional
HALF = torch.tensor([0.5, 0.5])
BUFFER = torch.zeros(3)
#: Kept where names are not bound anew.
KEPT = {
    "multinomial": types.MappingProxyType({"f": torch.multinomial}),
    "rand": types.MappingProxyType({"f": torch.rand}),
    "exponential_": types.MappingProxyType({"f": torch.empty(3).exponential_}),
    "Generator": types.MappingProxyType({"f": torch.Generator}),
}


def much_else() -> None:
    """Calls of torch without a number that is undrawn, so that paths are lean."""
    for _ in range(30):
        torch.zeros(2).add_(1)


def on_a_later_path(call: Callable[[], Any]) -> Callable[[], Any]:
    """A program that makes ``call`` on its second path only, and then draws as it did before."""

    def program() -> Any:
        much_else()
        first = int(torch.multinomial(torch.tensor([0.75, 0.25]), 1))
        much_else()
        found = call() if first else 0
        much_else()
        return first, found, int(torch.multinomial(HALF, 1))

    return program


def found_of(
    program: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> tuple[Enumeration[Any], list[bool]]:
    """What was found, and which runs were lean."""
    runs: list[bool] = []
    real = torch_mode.Mode.path

    def path(self: Any, lean: bool) -> Any:
        runs.append(lean)
        return real(self, lean)

    monkeypatch.setattr(torch_mode.Mode, "path", path)
    return enumerate_law(program), runs


def test_paths_are_lean_and_the_mode_is_on_only_while_something_is_undrawn(
    monkeypatch: pytest.MonkeyPatch,
):
    asked: list[bool] = []
    real = torch_mode.Mode.__torch_function__

    def function(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        asked.append(self.is_lean)
        return real(self, func, types, args, kwargs)

    monkeypatch.setattr(torch_mode.Mode, "__torch_function__", function)
    found, runs = found_of(on_a_later_path(lambda: 1), monkeypatch)
    assert found.law == {(k, k, j): (0.25 if k else 0.75) / 2 for k in (0, 1) for j in (0, 1)}
    assert runs == [False, True, True, True]
    assert asked.count(False) > 180 and asked.count(True) < 60


def test_programs_that_hold_undrawn_numbers_all_the_time_run_in_full(
    monkeypatch: pytest.MonkeyPatch,
):
    found, runs = found_of(lambda: int((torch.rand(3) < 0.5).sum()), monkeypatch)
    assert found.law == {0: 1 / 8, 1: 3 / 8, 2: 3 / 8, 3: 1 / 8}
    assert not any(runs)


#: Calls that are modelled, and the probability that they give 1.
MODELLED: dict[str, tuple[Callable[[], Any], float]] = {
    "rand": (lambda: int(torch.rand(1) < 0.25), 0.25),
    "rand out": (lambda: int(torch.rand(1, out=torch.empty(1)) < 0.25), 0.25),
    "rand_like": (lambda: int(torch.rand_like(HALF)[0] < 0.25), 0.25),
    "uniform_": (lambda: int(torch.empty(1).uniform_() < 0.25), 0.25),
    "exponential_": (lambda: int((HALF / torch.empty(2).exponential_()).argmax()), 0.5),
    "part of a tensor": (lambda: one_row(), 0.5),
    "of a buffer": (lambda: int(BUFFER.uniform_()[0] < 0.25), 0.25),
    "bernoulli_": (lambda: int(torch.empty(1).bernoulli_(0.25)), 0.25),
    "bernoulli": (lambda: int(torch.tensor([0.25]).bernoulli()), 0.25),
    "randint": (lambda: int(torch.randint(2, (1,))), 0.5),
    "random_": (lambda: int(torch.empty(1).random_(2)), 0.5),
    "multinomial out": (
        lambda: int(torch.multinomial(HALF, 1, out=torch.empty(0, dtype=torch.long))),
        0.5,
    ),
    "Categorical": (lambda: int(torch.distributions.Categorical(HALF).sample()), 0.5),
    "init": (lambda: int(torch.nn.init.uniform_(torch.empty(1)) < 0.25), 0.25),
    "a seeded generator": (
        lambda: int(torch.rand(1, generator=torch.Generator().manual_seed(3)) < 0.25),
        0.25,
    ),
    "taken before": (lambda: int(KEPT["multinomial"]["f"](HALF, 1)), 0.5),
    "taken before, with a generator": (
        lambda: int(KEPT["rand"]["f"](1, generator=torch.Generator()) < 0.25),
        0.25,
    ),
    "a method taken before": (lambda: int((KEPT["exponential_"]["f"]() > 0).sum()) - 2, 1.0),
    "under a device": (lambda: under_a_device(), 0.25),
    "a list with an undrawn number": (
        lambda: int(torch.tensor([torch.rand(1).item()]) < 0.25),
        0.25,
    ),
    "a number of Python": (lambda: number_of_python(), 0.25),
    "an alias": (lambda: int(torch.Tensor(torch.rand(2))[0] < 0.25), 0.25),
    "an alias by data": (lambda: by_data(), 0.25),
    "detached": (lambda: int(torch.rand(2).detach().view(2, 1)[1, 0] < 0.25), 0.25),
}


def one_row() -> int:
    noise = torch.empty(2, 2)
    for row in noise:
        row.exponential_()
    return int((HALF / noise[1]).argmax())


def under_a_device() -> int:
    with torch.device("cpu"):
        return int(torch.rand(1) < 0.25)


def number_of_python() -> int:
    import random

    return int(torch.tensor([0.25]) > random.random())


def by_data() -> int:
    other = torch.zeros(2)
    other.data = torch.rand(2)
    return int(other[0] < 0.25)


@pytest.mark.parametrize("name", MODELLED)
def test_calls_first_made_on_a_lean_path_have_their_law(name: str, monkeypatch: pytest.MonkeyPatch):
    call, due = MODELLED[name]
    found, runs = found_of(on_a_later_path(call), monkeypatch)
    assert found.reason is None and found.errors == {}, found
    assert any(runs)
    ones = sum(mass for outcome, mass in found.law.items() if outcome[0] and outcome[1] == 1)
    assert ones == pytest.approx(0.25 * due, abs=1e-9)


def test_the_same_calls_have_the_same_law_in_full():
    for name, (call, due) in MODELLED.items():
        found = enumerate_law(on_a_later_path(call), backstop_every=1)
        if found.reason is None and not found.errors:
            ones = sum(mass for outcome, mass in found.law.items() if outcome[:2] == (1, 1))
            assert ones == pytest.approx(0.25 * due, abs=1e-9), name


class Doubled(torch.autograd.Function):
    """The identity, in a function that torch does not ask modes for."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients


@torch.jit.script
def scripted_draw(x: torch.Tensor) -> torch.Tensor:
    return torch.rand_like(x)


#: Calls that have no model, first made on a lean path, and drawn over afterwards.
REFUSED: dict[str, Callable[[], Any]] = {
    "dropout": lambda: int(functional.dropout(torch.ones(3)).sum()),
    "native_dropout": lambda: int(torch.native_dropout(torch.ones(3), 0.5, True)[0].sum()),
    "rrelu": lambda: int(functional.rrelu(-torch.ones(3), training=True).sum()),
    "normal_": lambda: int(torch.empty(3).normal_().sum()),
    "init.normal_": lambda: int(torch.nn.init.normal_(torch.empty(3)).sum()),
    "kaiming": lambda: float(torch.nn.init.kaiming_normal_(torch.empty(3, 3)).sum()),
    "randn": lambda: int(torch.randn(2).sum()),
    "randperm": lambda: int(torch.randperm(3)[0]),
    "gumbel_softmax": lambda: int(functional.gumbel_softmax(HALF).argmax()),
    "a randint out": lambda: int(torch.randint(2, (1,), out=torch.empty(1, dtype=torch.long))),
    "hidden from functions": lambda: hidden(),
    "scripted": lambda: int(scripted_draw(HALF)[0] < 0.25),
    "an operator": lambda: int(torch.ops.aten.rand.default([1]) < 0.25),
    "Normal": lambda: int(torch.distributions.Normal(0.0, 1.0).sample() < 0),
    "Gamma": lambda: int(torch.distributions.Gamma(1.0, 1.0).sample() < 1),
}


def hidden() -> int:
    with torch._C.DisableTorchFunction():
        return int(torch._C._VariableFunctions.randint(2, (1,)))


@pytest.mark.parametrize("name", REFUSED)
def test_calls_without_a_model_are_refused_on_a_lean_path(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    found, runs = found_of(on_a_later_path(REFUSED[name]), monkeypatch)
    assert found.law == {} and found.reason, found
    assert any(runs)


TRACED = torch.jit.trace(lambda x: x < 0.25, (HALF,), check_trace=False)


def test_generators_of_torch_that_a_program_leads_to_make_all_paths_full(
    monkeypatch: pytest.MonkeyPatch,
):
    generator = torch.Generator()
    call = lambda: int(torch._VF.multinomial(HALF, 1, generator=generator))  # noqa: E731
    found, runs = found_of(on_a_later_path(call), monkeypatch)
    assert found.law[1, 0, 0] == found.law[1, 1, 1] == 1 / 16
    assert not any(runs)


def test_undrawn_numbers_are_not_read_by_torchscript(monkeypatch: pytest.MonkeyPatch):
    found, runs = found_of(on_a_later_path(lambda: int(TRACED(torch.rand(2))[0])), monkeypatch)
    assert found.law == {} and "TorchScript" in (found.reason or "") and any(runs)


@pytest.mark.parametrize("every", [1, 1000])
def test_a_real_draw_is_seen_also_if_a_modelled_one_comes_after_it(every: int):
    def program() -> Any:
        kept = int(torch.rand(1) < 0.5)
        if kept:
            functional.dropout(torch.ones(3))
        return kept, int(torch.rand(1) < 0.25)

    found = enumerate_law(program, backstop_every=every)
    assert found.law == {} and found.reason


def test_a_program_cannot_hide_that_a_path_has_to_be_run_in_full(monkeypatch: pytest.MonkeyPatch):
    def swallowing() -> int:
        with suppress(BaseException):
            torch.rand(1, generator=torch.Generator())
        return int(torch.rand(1) < 0.25)

    found, runs = found_of(on_a_later_path(swallowing), monkeypatch)
    assert found.reason is None
    lean = [number for number, is_lean in enumerate(runs) if is_lean]
    assert lean == list(range(1, len(lean) + 1)) and len(runs) > len(lean) + 1
