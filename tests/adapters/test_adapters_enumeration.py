"""Exact laws of small torch programs, right ones and faulty ones, and what must be refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
torch = pytest.importorskip("torch", reason=NEEDS)

import numpy as np  # noqa: E402
from draftproof.adapters.enumeration import Enumeration, enumerate_law  # noqa: E402

BASE = (1 / 2, 3 / 10, 1 / 5), (1 / 5, 3 / 10, 1 / 2)
REUSE = (2 / 5, 2 / 5, 1 / 5), (1 / 10, 1 / 10, 4 / 5)


def row(probabilities: tuple[float, ...]) -> Any:
    return torch.tensor(probabilities, dtype=torch.float64)


def one_token(
    p: Any, q: Any, ratio: Callable[[Any], Any], final: Callable[[Any, Any, Any], Any]
) -> int:
    """One round with one draft: the first token emitted."""
    draft = torch.multinomial(q, 1)
    ratios = ratio(p[draft] / q[draft])
    coin = torch.rand_like(ratios)
    if bool(coin <= ratios):
        return int(draft)
    return int(final(p, q, coin))


def from_residual(p: Any, q: Any, coin: Any) -> Any:
    residual = (p - q).clamp(min=0)
    return torch.multinomial(residual / residual.sum(), 1)


def from_target(p: Any, q: Any, coin: Any) -> Any:
    return torch.multinomial(p, 1)


def with_the_same_coin(p: Any, q: Any, coin: Any) -> Any:
    residual = (p - q).clamp(min=0)
    return (coin > (residual / residual.sum()).cumsum(0)).sum()


@pytest.mark.parametrize(
    ("pair", "ratio", "final", "law"),
    [
        pytest.param(BASE, lambda r: r, from_residual, BASE[0], id="right"),
        pytest.param(REUSE, lambda r: r, from_residual, REUSE[0], id="right on another pair"),
        pytest.param(BASE, lambda r: r, from_target, (0.35, 0.39, 0.26), id="no residual"),
        pytest.param(BASE, torch.ones_like, from_residual, BASE[1], id="always accepts"),
        pytest.param(
            REUSE, lambda r: r, with_the_same_coin, (0.3, 0.5, 0.2), id="one coin used twice"
        ),
    ],
)
def test_laws_of_one_round_are_exact(
    pair: Any, ratio: Callable[[Any], Any], final: Callable[..., Any], law: tuple[float, ...]
):
    p, q = map(row, pair)
    found = enumerate_law(lambda: one_token(p, q, ratio, final))
    assert found.reason is None and found.error_mass == 0.0 and found.unexplored_mass == 0.0
    assert [found.law.get(token, 0.0) for token in range(3)] == pytest.approx(law, abs=1e-12)


def test_positions_that_share_a_coin_are_coupled():
    def program() -> tuple[bool, ...]:
        coin = torch.rand_like(torch.zeros(1))
        return tuple((coin.expand(2) < 0.5).tolist())

    assert enumerate_law(program).law == {(True, True): 0.5, (False, False): 0.5}


def test_moved_coins_keep_their_identity():
    def program() -> tuple[bool, ...]:
        coins = torch.rand_like(torch.zeros(2, 2))
        assert coins.shape == (2, 2) and coins.dtype == torch.float32 and len(coins) == 2
        first = bool(coins[0, 1] < 0.25)
        again = bool(torch.tensor(0.25) > coins.reshape(4)[1])
        return first, again, bool(coins[1, 1] >= 0.0)

    assert enumerate_law(program).law == {(True, True, True): 0.25, (False, False, True): 0.75}


def test_certain_and_impossible_comparisons_do_not_branch():
    thresholds = [1.0, 1.5, float("inf"), 0.0, -1.0, float("nan")]

    def program() -> tuple[bool, ...]:
        numbers = torch.tensor(thresholds)
        return tuple((torch.rand_like(numbers) <= numbers).tolist())

    found = enumerate_law(program)
    assert found.law == {(True, True, True, False, False, False): 1.0}
    assert found.paths == 1


def test_rows_are_drawn_independently_and_need_not_be_normalised():
    weights = torch.tensor([[1.0, 3.0], [2.0, 0.0]])
    found = enumerate_law(lambda: tuple(torch.multinomial(weights, num_samples=1)[:, 0].tolist()))
    assert found.law == {(0, 0): 0.25, (1, 0): 0.75}


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0, 2.0], [float("nan"), 1.0]])
def test_rows_that_torch_refuses_are_errors_of_the_subject(weights: list[float]):
    found = enumerate_law(lambda: int(torch.multinomial(torch.tensor(weights), 1)))
    assert found.error_mass == 1.0 and found.reason is None
    with pytest.raises(RuntimeError):
        torch.multinomial(torch.tensor(weights), 1)


def test_paths_that_raise_count_as_error_mass():
    def program() -> int:
        drawn = int(torch.multinomial(row((0.5, 0.25, 0.25)), 1))
        if drawn == 1:
            raise ValueError("one")
        return drawn

    found = enumerate_law(program)
    assert found.law == {0: 0.5, 2: 0.25}
    assert found.errors == {"ValueError: one": 0.25}
    assert found.unexplored_mass == 0.0 and found.reason is None


def test_what_the_budget_leaves_is_unexplored_mass():
    def program() -> int:
        return int(torch.multinomial(row((0.5, 0.25, 0.25)), 1))

    found = enumerate_law(program, max_paths=2)
    assert found.unexplored_mass == 0.25 and found.reason is not None
    assert enumerate_law(program, seconds=0.0).paths == 1
    assert enumerate_law(program, max_paths=3).reason is None


def refused(found: Enumeration[Any], name: str) -> bool:
    """No number is given, and the reason names the call."""
    return not found.law and found.unexplored_mass == 1.0 and name in (found.reason or "")


UNMODELLED: dict[str, Callable[[], Any]] = {
    "aten.randn": lambda: torch.randn(2),
    "aten.rand": lambda: torch.rand(2),
    "aten.randint": lambda: torch.randint(5, (2,)),
    "aten.randperm": lambda: torch.randperm(3),
    "aten.bernoulli": lambda: torch.bernoulli(torch.full((2,), 0.5)),
    "aten.uniform_": lambda: torch.empty(2).uniform_(),
    "aten.exponential_": lambda: torch.empty(2).exponential_(),
    "aten.normal_": lambda: torch.nn.init.normal_(torch.empty(2)),
    "aten.multinomial": lambda: torch.ones(2).multinomial(1),
    "num_samples=2": lambda: torch.multinomial(torch.ones(3), 2),
    "torch.multinomial with generator": lambda: torch.multinomial(
        torch.ones(3), 1, generator=torch.Generator()
    ),
    "aten.native_dropout": lambda: torch.native_dropout(torch.ones(2), 0.5, True),
}


@pytest.mark.parametrize("name", UNMODELLED)
def test_unmodelled_random_calls_are_refused_by_name(name: str):
    assert refused(enumerate_law(lambda: str(UNMODELLED[name]())), name)


READS: dict[str, Callable[[Any], Any]] = {
    "add": lambda u: u + 1,
    "mul": lambda u: 2 * u,
    "neg": lambda u: -u,
    "log": torch.log,
    "item": lambda u: u[0].item(),
    "tolist": lambda u: u.tolist(),
    "numpy": lambda u: u.numpy(),
    "__bool__": lambda u: bool(u[0]),
    "__float__": lambda u: float(u[0]),
    "__int__": lambda u: int(u[0]),
    "eq": lambda u: u == 0.5,
    "lt": lambda u: u[0] < u[1],
    "sort": torch.sort,
    "argmax": lambda u: u.argmax(),
    "cat": lambda u: torch.cat([torch.zeros(1), u]),
    "stack": lambda u: torch.stack([u, u]),
    "where": lambda u: torch.where(torch.tensor([True, False]), u, torch.zeros(2)),
    "__setitem__": lambda u: u.__setitem__(0, 0.5),
    "view": lambda u: u.view(torch.int32),
    "__getitem__": lambda u: torch.zeros(3)[u],
    "to": lambda u: u.to(torch.float64),
    "repr": repr,
}


@pytest.mark.parametrize("name", READS)
def test_other_uses_of_an_undrawn_uniform_are_refused(name: str):
    found = enumerate_law(lambda: str(READS[name](torch.rand_like(torch.zeros(2)))))
    assert refused(found, "" if name == "repr" else name)


def test_a_refusal_that_the_program_swallows_is_still_a_refusal():
    def program() -> int:
        try:
            return int(torch.randint(2, (1,)))
        except RuntimeError:
            return 0

    assert refused(enumerate_law(program), "aten.randint")


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (lambda: random.random(), "Python's global generator"),
        (lambda: np.random.rand(), "NumPy's global generator"),
    ],
)
def test_global_generators_of_others_are_watched(draw: Callable[[], float], name: str):
    assert refused(enumerate_law(draw), name)


def test_torch_s_generator_is_watched_where_operators_are_not():
    def program() -> int:
        drawn = int(torch.multinomial(torch.ones(2), 1))
        return drawn if drawn == 0 else int(torch.randint(9, (1,)))  # only on the second path

    assert refused(enumerate_law(program), "torch's global generator")


def test_state_that_leaks_from_path_to_path_is_refused():
    calls: list[int] = []

    def program() -> int:
        calls.append(0)
        return int(torch.multinomial(torch.tensor([1.0, float(len(calls))]), 1))

    assert refused(enumerate_law(program), "a replayed path")


def test_the_patched_functions_are_restored_whatever_happens():
    originals = torch.multinomial, torch.rand_like
    seen: list[bool] = []

    def program() -> int:
        seen.append(torch.multinomial is originals[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_law(program)
    assert seen == [False]
    assert (torch.multinomial, torch.rand_like) == originals
    enumerate_law(lambda: str(torch.randn(1)))
    assert (torch.multinomial, torch.rand_like) == originals
