"""Seeds: the same place of the same stream is the same variable, another stream is another."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from draftproof.audit.interception import Enumeration, enumerate_law


def pairs(first: Callable[[], Any], second: Callable[[], Any]) -> Enumeration[tuple[bool, bool]]:
    return enumerate_law(lambda: (bool(first()), bool(second())))


def same(found: Enumeration[Any]) -> bool:
    assert found.reason is None, found.reason
    return found.law == {(True, True): 0.25, (False, False): 0.75}


def independent(found: Enumeration[Any]) -> bool:
    assert found.reason is None, found.reason
    return found.law == {
        (True, True): 0.0625,
        (True, False): 0.1875,
        (False, True): 0.1875,
        (False, False): 0.5625,
    }


def seeded_python(seed: Any) -> Any:
    random.seed(seed)
    return random.random() < 0.25


def test_python_s_generators():
    assert same(pairs(lambda: seeded_python(0), lambda: seeded_python(0)))
    assert independent(pairs(lambda: seeded_python(0), lambda: seeded_python(1)))
    assert independent(pairs(lambda: seeded_python(None), lambda: seeded_python(None)))
    assert same(pairs(*[lambda: random.Random(3).random() < 0.25] * 2))
    assert same(pairs(lambda: seeded_python(3), lambda: random.Random(3).random() < 0.25))
    assert independent(pairs(*[lambda: random.Random().random() < 0.25] * 2))


def test_python_s_saved_states():
    def program() -> tuple[bool, bool]:
        state = random.getstate()
        first = random.random() < 0.25
        random.setstate(state)
        return first, random.random() < 0.25

    assert same(enumerate_law(program))


def test_choices_and_random_share_python_s_stream():
    def first() -> bool:
        random.seed(0)
        return random.choices((True, False), (1, 3))[0]

    assert same(pairs(first, lambda: seeded_python(0)))


def test_draws_of_another_kind_at_the_same_place_are_refused():
    def first() -> bool:
        random.seed(0)
        return random.randrange(4) == 0

    found = pairs(first, lambda: seeded_python(0))
    assert found.law == {} and "was drawn before" in (found.reason or "")


NEEDS_NUMPY = "needs NumPy: pip install numpy"


def test_numpy_s_generators():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)

    def fresh(seed: Any) -> Callable[[], Any]:
        return lambda: np.random.default_rng(seed).random() < 0.25

    def state(seed: Any) -> Callable[[], Any]:
        return lambda: np.random.RandomState(seed).rand() < 0.25

    def module(seed: Any) -> Any:
        np.random.seed(seed)
        return np.random.rand(1)[0] < 0.25

    assert same(pairs(fresh(0), fresh(0)))
    assert same(pairs(fresh(np.int64(0)), fresh(0)))
    assert same(pairs(fresh([1, 2]), fresh([1, 2])))
    assert same(pairs(fresh(np.random.SeedSequence(5)), fresh(np.random.SeedSequence(5))))
    assert same(pairs(state(7), state(7)))
    assert same(pairs(state(7), lambda: module(7)))
    assert independent(pairs(fresh(0), fresh(1)))
    assert independent(pairs(fresh(None), fresh(None)))
    assert independent(pairs(fresh(0), state(0)))
    assert independent(pairs(lambda: np.random.rand() < 0.25, lambda: np.random.rand() < 0.25))
    built = lambda: np.random.Generator(np.random.PCG64(0)).random() < 0.25  # noqa: E731
    assert same(pairs(built, fresh(0)))


def test_numpy_s_spawned_generators_are_independent():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)

    def program() -> tuple[bool, ...]:
        return tuple(bool(g.random() < 0.25) for g in np.random.default_rng(0).spawn(2))

    assert independent(enumerate_law(program))


def test_numpy_s_saved_states():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)

    def program() -> tuple[bool, bool]:
        state = np.random.get_state()
        first = bool(np.random.rand() < 0.25)
        np.random.set_state(state)
        return first, bool(np.random.rand() < 0.25)

    assert same(enumerate_law(program))


def test_noise_from_the_same_seed_is_the_same_noise():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)
    p, q = np.array((1 / 2, 2 / 5, 1 / 10)), np.array((1 / 10, 3 / 10, 3 / 5))
    residual = np.array((4 / 5, 1 / 5, 0))

    def race(row: Any) -> int:
        return int(np.argmax(row / np.random.default_rng(0).exponential(size=3)))

    def program() -> int:
        draft = race(q)
        return draft if random.random() < p[draft] / q[draft] else race(residual)

    law = enumerate_law(program).law
    assert [law[k] for k in range(3)] == pytest.approx([58 / 105, 73 / 210, 1 / 10], abs=1e-12)


MODULE_LEVEL = None


def test_a_generator_made_before_goes_on_where_it_was_on_every_path():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)
    rng, held = np.random.default_rng(0), random.Random(0)
    state = rng.bit_generator.state["state"]["state"], held.getstate()

    def program() -> tuple[bool, bool]:
        return bool(rng.random() < 0.25), bool(rng.random() < 0.25)

    assert independent(enumerate_law(program))
    assert independent(pairs(lambda: held.random() < 0.25, lambda: held.random() < 0.25))
    assert state == (rng.bit_generator.state["state"]["state"], held.getstate())


NEEDS_TORCH = "needs torch: pip install 'draftproof[torch]'"


def test_torch_s_generators():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

    def globally(seed: int) -> Callable[[], Any]:
        def draw() -> Any:
            torch.manual_seed(seed)
            return torch.rand(1) < 0.25

        return draw

    def generator(seed: int | None) -> Callable[[], Any]:
        def draw() -> Any:
            made = torch.Generator()
            if seed is not None:
                made.manual_seed(seed)
            return torch.rand(1, generator=made) < 0.25

        return draw

    def plain() -> Any:
        return torch.rand(1) < 0.25

    def forked() -> Any:
        with torch.random.fork_rng(devices=[]):
            return torch.rand(1) < 0.25

    assert same(pairs(globally(0), globally(0)))
    assert independent(pairs(globally(0), globally(1)))
    assert independent(pairs(plain, plain))
    assert same(pairs(generator(7), generator(7)))
    assert same(pairs(generator(7), globally(7)))
    assert same(pairs(generator(None), generator(None)))  # torch's own default seed
    assert independent(pairs(generator(7), generator(8)))
    assert same(pairs(forked, plain))
    assert same(pairs(forked, forked))


def test_torch_s_saved_states():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)

    def program() -> tuple[bool, ...]:
        generator = torch.Generator()
        state, own = torch.get_rng_state(), generator.get_state()
        first = torch.rand(1) < 0.25, torch.rand(1, generator=generator) < 0.25
        torch.set_rng_state(state)
        generator.set_state(own)
        second = torch.rand(1) < 0.25, torch.rand(1, generator=generator) < 0.25
        return bool(first[0] == second[0]), bool(first[1] == second[1])

    assert enumerate_law(program).law.keys() == {(True, True)}


def test_multinomial_races_over_the_noise_of_its_seed():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)
    p, q, residual = (
        torch.tensor(row, dtype=torch.float64)
        for row in ((1 / 2, 2 / 5, 1 / 10), (1 / 10, 3 / 10, 3 / 5), (4 / 5, 1 / 5, 0))
    )

    def seeded(row: Any) -> int:
        torch.manual_seed(0)
        return int(torch.multinomial(row, 1))

    def program() -> int:
        draft = seeded(q)
        torch.manual_seed(1)
        return draft if torch.rand(1) < p[draft] / q[draft] else seeded(residual)

    law = enumerate_law(program).law
    assert [law[k] for k in range(3)] == pytest.approx([58 / 105, 73 / 210, 1 / 10], abs=1e-12)
    # And so it is in torch, on a sample: the same seeds give the same winners for the same row.
    for seed in range(50):
        torch.manual_seed(seed)
        noise = torch.empty(3, dtype=torch.float64).exponential_()
        torch.manual_seed(seed)
        assert int(torch.multinomial(p, 1)) == int((p / noise).argmax())


def test_a_torch_generator_made_before_is_as_it_was_afterwards():
    torch = pytest.importorskip("torch", reason=NEEDS_TORCH)
    held = torch.Generator().manual_seed(3)
    torch.rand(5, generator=held)
    before, everywhere = held.get_state(), torch.get_rng_state()

    def program() -> tuple[bool, bool]:
        draws = torch.rand(2, generator=held) < 0.25
        return bool(draws[0]), bool(draws[1])

    assert independent(enumerate_law(program))
    assert torch.equal(held.get_state(), before)
    assert torch.equal(torch.get_rng_state(), everywhere)


def test_two_requests_that_share_a_seed_are_coupled():
    np = pytest.importorskip("numpy", reason=NEEDS_NUMPY)

    def request() -> int:
        return int(np.random.default_rng(1234).choice(2, p=[0.5, 0.5]))

    assert enumerate_law(lambda: (request(), request())).law == {(0, 0): 0.5, (1, 1): 0.5}
