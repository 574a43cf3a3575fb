"""Exact laws of small torch programs, right ones and faulty ones, and what must be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
torch = pytest.importorskip("torch", reason=NEEDS)

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


# What else is modelled, and what is refused, is tested in tests/audit/interception.


def test_state_that_leaks_from_path_to_path_is_refused():
    calls: list[int] = []

    def program() -> int:
        calls.append(0)
        return int(torch.multinomial(torch.tensor([1.0, float(len(calls))]), 1))

    assert refused(enumerate_law(program), "a replayed path")
