"""Budgets, error mass, programs that may go on for ever, and the ends of a generator's range."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from draftproof.audit.interception import BELOW_ONE, enumerate_law, run_with_coins
from draftproof.audit.interception.choices import Choices, DivergenceError

P = (1 / 2, 1 / 4, 1 / 4)


def draw() -> int:
    return random.choices(range(3), P)[0]


def test_paths_that_raise_count_as_error_mass():
    def program() -> int:
        drawn = draw()
        if drawn == 1:
            raise ValueError("one\ntwo")
        return drawn

    found = enumerate_law(program)
    assert found.law == {0: 0.5, 2: 0.25} and found.errors == {"ValueError: one two": 0.25}
    assert found.error_mass == 0.25 and found.unexplored_mass == 0.0 and found.reason is None


def test_what_the_budget_leaves_is_unexplored_mass():
    found = enumerate_law(draw, max_paths=2)
    assert found.unexplored_mass == 0.25 and "budget" in (found.reason or "")
    assert found.law == {0: 0.5, 1: 0.25}
    assert enumerate_law(draw, seconds=0.0).paths == 1
    assert enumerate_law(draw, max_paths=3).reason is None


def test_the_heaviest_paths_come_first():
    found = enumerate_law(lambda: (draw(), draw(), draw()), max_paths=10)
    assert sorted(found.law.values(), reverse=True)[0] == 0.125
    assert found.unexplored_mass == pytest.approx(1.0 - sum(found.law.values()), abs=1e-12)
    assert min(found.law.values()) >= 0.03125


def test_a_rejection_loop_has_a_law():
    keep = (0.4, 0.0, 1.0)

    def program() -> int:
        while True:
            drawn = draw()
            if random.random() < keep[drawn]:
                return drawn

    found = enumerate_law(program, max_paths=500)
    total = sum(p * k for p, k in zip(P, keep, strict=True))
    share = found.law[0] / (found.law[0] + found.law[2])
    assert share == pytest.approx(P[0] * keep[0] / total, abs=found.unexplored_mass)
    assert found.unexplored_mass < 0.1  # two ways to be rejected: the tree is wide


def test_a_loop_with_one_way_to_go_on_is_explored_to_the_floor():
    def program() -> int:
        count = 0
        while random.random() < 0.5:
            count += 1
        return count

    found = enumerate_law(program)
    assert found.reason is None and 0.0 < found.unexplored_mass <= 1e-12
    assert found.law[3] == 0.0625 and found.paths < 80
    assert enumerate_law(program, mass_floor=1e-3).paths < 15


def test_a_loop_that_mostly_goes_on_does_not_starve_the_rest():
    def program() -> int:
        if random.random() < 0.4:
            return -1
        count = 0
        while random.random() < 0.99:
            count += 1
        return min(count, 3)

    found = enumerate_law(program, max_paths=150)
    assert found.law[-1] == 0.4 and found.law[3] > 0.4
    assert found.law[0] == pytest.approx(0.006) and found.unexplored_mass < 0.2


def test_a_program_that_draws_for_ever_is_stopped_by_its_budget():
    def program() -> int:
        while random.random() < 2.0 and random.random() < 0.999999:
            pass
        return 0

    started = time.monotonic()
    found = enumerate_law(program, seconds=0.2)
    assert time.monotonic() - started < 5.0
    assert found.reason is not None and found.unexplored_mass > 0.0


def test_what_ends_a_path_cannot_be_swallowed():
    def program() -> int:
        while True:
            try:
                if random.random() < 0.5:
                    return 0
            except Exception:
                return 1

    found = enumerate_law(program)
    assert found.law.keys() == {0} and found.unexplored_mass <= 1e-12


def test_outcomes_may_be_anything_that_has_a_hash():
    assert enumerate_law(lambda: (draw(), "x")).law[0, "x"] == 0.5
    found = enumerate_law(lambda: [draw()])  # type: ignore[type-var]
    assert found.law == {} and found.error_mass == 1.0


def test_a_module_that_is_imported_on_a_path_may_draw(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "imported_on_a_path.py").write_text("import random\nX = random.randrange(10**6)\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def program() -> int:
        import imported_on_a_path  # type: ignore[import-not-found]  # noqa: F401

        return draw()

    found = enumerate_law(program)
    assert found.reason is None and found.law[0] == 0.5


def test_choices_refuse_to_diverge():
    choices = Choices()
    choices.start()
    assert choices.choose("a", (), (0.25, 0.75)) == 1
    choices.finish()
    assert choices.advance()
    choices.start()
    with pytest.raises(DivergenceError):
        choices.choose("a", (), (0.5, 0.5))
    assert choices.refusals


# ---- the ends of a generator's range ------------------------------------------------------------

ENDS: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "random": (lambda: random.random(), 0.0, BELOW_ONE["float64"]),
    "choices": (lambda: random.choices(range(3), (0, 1, 1))[0], 1, 2),
    "choices at the end": (lambda: random.choices(range(3), (1, 1, 0))[0], 0, 1),
    "randrange": (lambda: random.randrange(3), 0, 2),
    "accepts everything": (lambda: random.random() <= 0.0, True, False),
    "log": (lambda: _log(), "raises", "finite"),
}


def _log() -> str:
    try:
        return "finite" if math.isfinite(math.log(random.random())) else "infinite"
    except ValueError:
        return "raises"


@pytest.mark.parametrize("name", ENDS)
def test_programs_at_the_ends_of_a_generator_s_range(name: str):
    program, low, high = ENDS[name]
    assert run_with_coins(program, 0.0) == low
    assert run_with_coins(program, BELOW_ONE["float64"]) == high


def test_numpy_at_the_ends():
    np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")
    one = BELOW_ONE["float64"]

    def numbers() -> tuple[float, ...]:
        rng = np.random.default_rng()
        return tuple(map(float, (*rng.random(2), rng.exponential(), rng.gumbel())))

    low, high = run_with_coins(numbers, 0.0), run_with_coins(numbers, one)
    assert low[:2] == (0.0, 0.0) and high[:2] == (one, one)
    assert 0.0 < low[2] < 1e-30 and high[2] > 36.0 and low[3] > 80.0 and high[3] < -3.0
    p = np.array((0.0, 0.5, 0.5, 0.0))
    assert run_with_coins(lambda: int(np.random.choice(4, p=p)), 0.0) == 1
    assert run_with_coins(lambda: int(np.random.choice(4, p=p)), one) == 2
    assert run_with_coins(lambda: int(np.searchsorted(p.cumsum(), np.random.rand())), 0.0) == 0


def test_torch_at_the_ends():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
    one = BELOW_ONE["float64"]

    def numbers() -> tuple[float, ...]:
        return (*torch.rand(2).tolist(), float(torch.empty(1, dtype=torch.float64).exponential_()))

    assert run_with_coins(numbers, 0.0)[:2] == (0.0, 0.0)
    assert run_with_coins(numbers, one)[:2] == (BELOW_ONE["float32"],) * 2
    p = torch.tensor((0.0, 0.5, 0.5, 0.0))
    assert run_with_coins(lambda: torch.multinomial(p, 2).tolist(), 0.0) == [1, 2]
    assert run_with_coins(lambda: torch.multinomial(p, 1).tolist(), one) == [2]
    assert run_with_coins(lambda: torch.bernoulli(p).tolist(), 0.0) == [0, 1, 1, 0]
    assert run_with_coins(lambda: torch.bernoulli(p).tolist(), one) == [0, 0, 0, 0]
    cdf = p.cumsum(0)
    # T29: a coin of exactly 0 accepts a token without probability.
    assert run_with_coins(lambda: bool(torch.rand(1) <= p[0]), 0.0) is True
    assert run_with_coins(lambda: int((cdf > torch.rand(1)).nonzero()[0]), 0.0) == 1


def test_the_examples_in_the_docs_run():
    page = Path(__file__).parents[3] / "docs" / "interception.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        exec(example, {"__name__": "an_example"})
