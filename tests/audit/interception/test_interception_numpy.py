"""Exact laws of NumPy programs: the idioms in which samplers are written."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")

from draftproof.audit.interception import enumerate_law  # noqa: E402

P = np.array((1 / 2, 3 / 10, 1 / 5))
Q = np.array((1 / 5, 3 / 10, 1 / 2))
ZERO = np.array((0.0, 0.4, 0.6))
# Taken by name and made before any interception, as modules do.
from numpy.random import default_rng, rand  # noqa: E402

MODULE_RNG = np.random.default_rng(0)


def law_of(program: Callable[[], Any], size: int = 3) -> list[float]:
    found = enumerate_law(program)
    assert found.reason is None, found.reason
    assert found.errors == {} and found.unexplored_mass <= 1e-12
    return [found.law.get(k, 0.0) for k in range(size)]


def near(law: Any, abs: float = 1e-12) -> Any:
    return pytest.approx(list(law), abs=abs)


def by_loop(p: Any) -> int:
    u, total = np.random.random(), 0.0
    for token, probability in enumerate(p):
        total += probability
        if u < total:
            return token
    return len(p) - 1


SAMPLERS: dict[str, Callable[[Any], Any]] = {
    "choice": lambda p: np.random.default_rng().choice(3, p=p),
    "choice of a population": lambda p: np.random.default_rng().choice(["0", "1", "2"], p=p),
    "choice with a size": lambda p: np.random.default_rng().choice(3, size=(2, 2), p=p)[1, 0],
    "choice of the module": lambda p: np.random.choice(len(p), p=p),
    "choice of a RandomState": lambda p: np.random.RandomState(1).choice(3, p=p),
    "choice taken by name": lambda p: default_rng(3).choice(3, p=p),
    "choice of a generator made before": lambda p: MODULE_RNG.choice(3, p=p),
    "multinomial": lambda p: np.random.multinomial(1, p).argmax(),
    "multinomial of a generator": lambda p: np.random.default_rng().multinomial(1, p).argmax(),
    "searchsorted": lambda p: np.searchsorted(np.cumsum(p), np.random.rand()),
    "searchsorted right": lambda p: np.searchsorted(p.cumsum(), np.random.rand(1), side="right")[0],
    "searchsorted method": lambda p: p.cumsum().searchsorted(np.random.default_rng().random()),
    "searchsorted, taken by name": lambda p: np.searchsorted(p.cumsum(), rand()),
    "digitize": lambda p: np.digitize(np.random.default_rng().random(1), p.cumsum())[0],
    "bisect": lambda p: bisect.bisect(list(itertools.accumulate(p)), np.random.random()),
    "loop": by_loop,
    "count of sums below": lambda p: (np.random.random() > p.cumsum()).sum(),
    "count of sums below, by a generator": lambda p: np.sum(
        np.cumsum(p) < np.random.default_rng().random()
    ),
    "first sum above": lambda p: np.nonzero(p.cumsum() > np.random.random(1))[0][0],
    "first sum above by argmax": lambda p: np.argmax(p.cumsum() > np.random.random(1)),
    "exponential race": lambda p: np.argmax(p / np.random.default_rng().exponential(size=3)),
    "exponential race, scaled": lambda p: (p / np.random.exponential(2.0, size=3)).argmax(),
    "standard exponential race": lambda p: np.argmax(p / np.random.standard_exponential(3)),
    "least arrival": lambda p: np.argmin(-np.log(np.random.rand(3)) / p),
    "least arrival by scale": lambda p: np.random.default_rng().exponential(1 / p).argmin(),
    "Gumbel": lambda p: np.argmax(np.log(p) + np.random.default_rng().gumbel(size=3)),
    "Gumbel of the module": lambda p: (np.log(p) + np.random.gumbel(size=len(p))).argmax(),
    "Gumbel by location": lambda p: np.argmax(np.random.gumbel(np.log(p))),
    "Gumbel by uniforms": lambda p: np.argmax(np.log(p) - np.log(-np.log(np.random.rand(3)))),
    "Gumbel with guards": lambda p: np.argmax(
        np.log(p) - np.log(-np.log(np.random.rand(3) + 1e-20) + 1e-20)
    ),
    "Gumbel by uniform()": lambda p: np.argmax(
        np.log(p) - np.log(-np.log(np.random.uniform(size=3)))
    ),
    "Gumbel by argsort": lambda p: np.argsort(-np.log(p) - np.random.gumbel(size=3))[0],
    "uniform to a weight": lambda p: np.argmax(np.random.default_rng().random(3) ** (1 / p)),
    "list of scalars": lambda p: np.argmax(
        p / np.array([np.random.default_rng(k).exponential() for k in range(3)])
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_have_the_law_of_their_row(name: str):
    assert law_of(lambda: int(SAMPLERS[name](P))) == near(P)


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_tokens_without_probability_are_never_drawn(name: str):
    if name == "least arrival by scale":
        pytest.skip("NumPy refuses an infinite scale")
    assert law_of(lambda: int(SAMPLERS[name](ZERO))) == near(ZERO, 1e-9)


ACCEPTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "u < p/q": lambda p, q: np.random.rand(2) < p / q,
    "u <= p/q": lambda p, q: np.random.default_rng().random(2) <= p / q,
    "p/q > u": lambda p, q: p / q > np.random.random_sample(2),
    "min(1, p/q) > u": lambda p, q: np.minimum(1.0, p / q) > np.random.rand(2),
    "u * q < p": lambda p, q: np.random.rand(2) * q < p,
    "1 - u > 1 - p/q": lambda p, q: 1 - np.random.rand(2) > 1 - p / q,
    "log u": lambda p, q: np.log(np.random.rand(2)) < np.log(p) - np.log(q),
    "scalars": lambda p, q: [np.random.default_rng(7 + k).random() < p[k] / q[k] for k in range(2)],
    "turned scalars": lambda p, q: [p[k] / q[k] > np.random.random() for k in range(2)],
    "float()": lambda p, q: [float(np.random.rand()) < float(p[k] / q[k]) for k in range(2)],
    "uniform": lambda p, q: np.random.uniform(0, 1, 2) < p / q,
    "uniform with bounds": lambda p, q: np.random.default_rng().uniform(1, 3, 2) < 1 + 2 * p / q,
    "where": lambda p, q: np.where(np.random.rand(2) < p / q, 1, 0),
    "stacked": lambda p, q: np.stack([np.random.rand(), np.random.rand()]) < p / q,
    "concatenated": lambda p, q: np.concatenate([np.random.rand(1), np.random.rand(1)]) < p / q,
    "rearranged": lambda p, q: np.random.rand(3, 2).T.reshape(2, 3)[:, 1] < p / q,
    "exponential": lambda p, q: np.random.exponential(size=2) > np.log(q) - np.log(p),
    "astype": lambda p, q: (np.random.rand(2) < p / q).astype(np.int64),
    "float32": lambda p, q: np.random.default_rng().random(2, dtype=np.float32) < p / q,
    "in place": lambda p, q: _in_place(p, q),
}


def _in_place(p: Any, q: Any) -> Any:
    u = np.random.rand(2)
    u *= q
    u -= p
    return u < 0


@pytest.mark.parametrize("name", ACCEPTANCES)
def test_acceptance_tests_have_the_probability_of_their_ratio(name: str):
    p, q = np.array((0.3, 0.2)), np.array((0.4, 0.8))

    def program() -> int:
        a, b = ACCEPTANCES[name](p, q)
        return 2 * int(a) + int(b)

    assert law_of(program, 4) == near([3 / 16, 1 / 16, 9 / 16, 3 / 16])


LENGTHS: dict[str, Callable[[Any], Any]] = {
    "cumprod": lambda a: np.cumprod(a).sum(),
    "cumprod method": lambda a: a.cumprod().sum(),
    "cumsum of rejections": lambda a: (np.cumsum(~a) < 1).sum(),
    "argmin": lambda a: 3 if a.all() else np.argmin(a),
    "loop": lambda a: next((k for k in range(3) if not a[k]), 3),
    "where": lambda a: [*np.where(~a)[0], 3][0],
    "flatnonzero": lambda a: [*np.flatnonzero(~a), 3][0],
}


@pytest.mark.parametrize("name", LENGTHS)
def test_accepted_prefixes(name: str):
    ratios = np.array((0.5, 0.25, 0.75))
    found = enumerate_law(lambda: int(LENGTHS[name](np.random.rand(3) < ratios)))
    assert found.reason is None, found.reason
    due = [0.5, 0.5 * 0.75, 0.125 * 0.25, 0.125 * 0.75]
    assert [found.law.get(k, 0.0) for k in range(4)] == near(due)


def residual(p: Any, q: Any) -> Any:
    positive = np.maximum(p - q, 0)
    return positive / positive.sum()


@pytest.mark.parametrize("affine", [False, True])
def test_a_coin_used_twice_is_one_coin(affine: bool):
    p, q = np.array((2 / 5, 2 / 5, 1 / 5)), np.array((1 / 10, 1 / 10, 4 / 5))
    rng = np.random.default_rng(0)

    def program() -> int:
        draft = rng.choice(3, p=q)
        u, ratio = rng.random(), p[draft] / q[draft]
        if u < ratio:
            return int(draft)
        if affine:
            u = (u - ratio) / (1 - ratio)
        return int(np.searchsorted(residual(p, q).cumsum(), u))

    assert law_of(program) == near(p if affine else [3 / 10, 1 / 2, 1 / 5])


@pytest.mark.parametrize("kind", ["gumbel", "exponential"])
def test_noise_raced_twice_is_integrated_exactly(kind: str):
    p, q = np.array((1 / 2, 2 / 5, 1 / 10)), np.array((1 / 10, 3 / 10, 3 / 5))
    rng = np.random.default_rng(0)

    def winner(noise: Any, row: Any) -> int:
        with np.errstate(divide="ignore"):
            scores = np.log(row) + noise if kind == "gumbel" else row / noise
        return int(np.argmax(scores))

    def program() -> int:
        noise = getattr(rng, kind)(size=3)
        draft = winner(noise, q)
        if rng.random() < p[draft] / q[draft]:
            return draft
        return winner(noise, residual(p, q))

    assert law_of(program) == near([58 / 105, 73 / 210, 1 / 10])


def test_integers_and_permutations():
    rng = np.random.default_rng()
    assert law_of(lambda: int(rng.integers(3))) == near([1 / 3] * 3)
    assert law_of(lambda: int(rng.integers(1, 2, endpoint=True))) == near([0, 0.5, 0.5])
    assert law_of(lambda: int(np.random.randint(0, 3, size=2)[1])) == near([1 / 3] * 3)
    assert law_of(lambda: int(rng.random() * 3)) == near([1 / 3] * 3)
    assert law_of(lambda: int(np.floor(rng.random(2) * 3)[1])) == near([1 / 3] * 3)
    assert law_of(lambda: int((rng.random(2) * 3).astype(int)[0])) == near([1 / 3] * 3)
    assert law_of(lambda: int(rng.choice(3))) == near([1 / 3] * 3)
    found = enumerate_law(lambda: tuple(rng.permutation(3).tolist()))
    assert list(found.law.values()) == near([1 / 6] * 6)


def test_errors_of_numpy_are_errors_of_the_subject():
    rng = np.random.default_rng()
    for row in ([0.5, 0.2, 0.2], [0.5, 0.6, -0.1], [math.nan, 0.5, 0.5]):
        found = enumerate_law(lambda row=row: int(rng.choice(3, p=row)))
        assert found.error_mass == 1.0 and found.reason is None
        with pytest.raises(ValueError):
            rng.choice(3, p=row)


def test_the_narrowest_dtype_that_decided_is_reported():
    found = enumerate_law(lambda: bool(np.random.rand() < P.astype(np.float32)[0]))
    assert found.narrowest_dtype == "float32"
    assert enumerate_law(lambda: bool(np.random.rand() < P[0])).narrowest_dtype == "float64"


def test_fakes_are_what_code_asks_for():
    def program() -> bool:
        rng = np.random.default_rng(0)
        state = np.random.RandomState(0)
        return (
            isinstance(rng, np.random.Generator)
            and isinstance(state, np.random.RandomState)
            and isinstance(rng.bit_generator, object)
            and np.random.default_rng(rng) is rng
        )

    assert enumerate_law(program).law == {True: 1.0}
