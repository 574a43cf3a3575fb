"""Random programs made of idioms against laws found without interception, and against samples."""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="needs NumPy: pip install numpy")

from draftproof.audit.interception import enumerate_law  # noqa: E402

Row = tuple[float, ...]
QUICK = settings(max_examples=25, deadline=None)


def rows(size: int, zeros: bool = True) -> st.SearchStrategy[Row]:
    """Rows of small weights, some of them zero."""
    weights = st.lists(st.integers(0 if zeros else 1, 6), min_size=size, max_size=size)
    return weights.filter(any).map(lambda w: tuple(x / sum(w) for x in w))


# ---- samplers, each for Python's random, NumPy or torch ------------------------------------------


def by_choices(row: Any) -> int:
    return random.choices(range(len(row)), row)[0]


def by_bisect(row: Any) -> int:
    return bisect(list(accumulate(row)), random.random() * math.fsum(row) * (1 - 1e-16))


def by_choice(row: Any) -> int:
    return int(np.random.default_rng().choice(len(row), p=row))


def by_race(row: Any) -> int:
    return int(np.argmax(np.array(row) / np.random.exponential(size=len(row))))


def by_gumbel(row: Any) -> int:
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(row) + np.random.gumbel(size=len(row))))


def by_inversion(row: Any) -> int:
    cdf = np.cumsum(row)
    return int(np.searchsorted(cdf / cdf[-1], np.random.rand(), side="right"))


SAMPLERS = (by_choices, by_bisect, by_choice, by_race, by_gumbel, by_inversion)
COINS: tuple[Callable[[float, float], bool], ...] = (
    lambda p, q: bool(random.random() * q < p),
    lambda p, q: bool(np.random.rand() < min(1.0, p / q)),
    lambda p, q: bool(np.log(np.random.rand(1))[0] < math.log(p / q)) if p > 0 else False,
    lambda p, q: bool(1.0 - random.random() <= p / q),
    lambda p, q: bool(-math.log(random.random()) > -math.log(p / q)) if p > 0 else False,
    lambda p, q: bool(np.minimum(1.0, p / q) > np.random.default_rng(5).random()),
)


def residual(p: Row, q: Row) -> Row:
    positive = [max(a - b, 0.0) for a, b in zip(p, q, strict=True)]
    total = math.fsum(positive)
    return tuple(x / total for x in positive) if total > 1e-12 else p


FAULTS: dict[str, Callable[[Row, Row], Row]] = {
    "right": residual,
    "residual is p": lambda p, q: p,
    "residual is q": lambda p, q: q,
}


def block_law(ps: Sequence[Row], qs: Sequence[Row], final: Callable[[Row, Row], Row]) -> Counter:
    """The law of a round of standard verification, written down."""
    law: Counter = Counter()
    size, lookahead = len(ps[0]), len(qs)
    for drafts in product(range(size), repeat=lookahead):
        mass = math.prod(q[d] for q, d in zip(qs, drafts, strict=True))
        if mass == 0.0:
            continue
        for k, draft in enumerate(drafts):
            accept = min(1.0, ps[k][draft] / qs[k][draft])
            for token, weight in enumerate(final(ps[k], qs[k])):
                law[(*drafts[:k], token)] += mass * (1.0 - accept) * weight
            mass *= accept
        for token, weight in enumerate(ps[lookahead]):
            law[(*drafts, token)] += mass * weight
    return law


@QUICK
@given(st.data(), st.integers(2, 4), st.integers(1, 2), st.sampled_from(sorted(FAULTS)))
def test_random_rules_have_the_law_that_is_written_down(
    data: Any, size: int, lookahead: int, fault: str
):
    ps = [data.draw(rows(size)) for _ in range(lookahead + 1)]
    qs = [data.draw(rows(size)) for _ in range(lookahead)]
    draw, last = data.draw(st.sampled_from(SAMPLERS)), data.draw(st.sampled_from(SAMPLERS))
    accepts = data.draw(st.sampled_from(COINS))

    def program() -> tuple[int, ...]:
        drafts = [draw(q) for q in qs]
        for k, draft in enumerate(drafts):
            if not accepts(ps[k][draft], qs[k][draft]):
                return (*drafts[:k], last(FAULTS[fault](ps[k], qs[k])))
        return (*drafts, last(ps[lookahead]))

    if accepts is COINS[-1] and lookahead == 2:
        return  # one seed for every coin: positions are coupled, and the law is another one
    found = enumerate_law(program)
    assert found.reason is None, found.reason
    due = block_law(ps, qs, FAULTS[fault])
    assert all(
        found.law.get(block, 0.0) == pytest.approx(due[block], abs=1e-9)
        for block in {*due, *found.law}
    )


# ---- one noise vector raced twice: the closed form ----------------------------------------------


def twice(a: Row, b: Row, i: int, j: int) -> float:
    """P(i has the least E/a and j the least E/b), piece by piece in the ratio E_j / E_i."""
    if not (a[i] and b[j]):
        return 0.0
    others = [k for k in range(len(a)) if k not in (i, j)]
    if i == j:
        rest = (max(a[k] / a[i], b[k] / b[i]) for k in range(len(a)) if k != i)
        return 1.0 / (1.0 + math.fsum(rest))
    low, high = a[j] / a[i], (b[j] / b[i] if b[i] else math.inf)
    if low >= high:
        return 0.0
    turns = {(a[k] / a[i]) * (b[j] / b[k]) for k in others if b[k]}
    ends = [low, *sorted(r for r in turns if low < r < high), high]
    total = []
    for r, s in pairwise(ends):
        middle = 2.0 * r + 1.0 if math.isinf(s) else (r + s) / 2.0
        constant, slope = 1.0, 1.0
        for k in others:
            if a[k] / a[i] >= b[k] * middle / b[j]:
                constant += a[k] / a[i]
            else:
                slope += b[k] / b[j]
        start = 1.0 / (constant + slope * r)
        end = 0.0 if math.isinf(s) else 1.0 / (constant + slope * s)
        total.append((start - end) / slope)
    return math.fsum(total)


@QUICK
@given(st.data(), st.integers(2, 5))
def test_two_races_over_one_noise_have_the_integrated_law(data: Any, size: int):
    a, b = data.draw(rows(size)), data.draw(rows(size))

    def program() -> tuple[int, int]:
        noise = np.random.exponential(size=size)
        return int(np.argmax(np.array(a) / noise)), int(np.argmax(np.array(b) / noise))

    found = enumerate_law(program)
    assert found.reason is None, found.reason
    for pair in product(range(size), repeat=2):
        assert found.law.get(pair, 0.0) == pytest.approx(twice(a, b, *pair), abs=1e-10)


@QUICK
@given(rows(4, zeros=False))
def test_orders_of_arrival_have_the_law_of_successive_draws(row: Row):
    def program() -> tuple[int, ...]:
        return tuple(np.argsort(np.random.exponential(size=4) / np.array(row)).tolist())

    for order, mass in enumerate_law(program).law.items():
        due, left = 1.0, 1.0
        for k in order[:-1]:
            due *= row[k] / left
            left -= row[k]
        assert mass == pytest.approx(due, abs=1e-10)


@QUICK
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 3))
def test_a_coin_compared_many_times_is_one_number(cuts: list[int], shift: int):
    """All comparisons of one coin, in any order and form, agree with one number in [0, 1)."""
    forms: list[Callable[[Any, float], bool]] = [
        lambda u, x: bool(u < x),
        lambda u, x: bool(2 * u - 1 < 2 * x - 1),
        lambda u, x: not 1 - u < 1 - x,
        lambda u, x: bool(math.log(u) < math.log(x)),
    ]

    def program() -> tuple[bool, ...]:
        u = random.random()
        return tuple(forms[(k + shift) % 4](u, x / 10) for k, x in enumerate(cuts))

    due: Counter = Counter()
    ends = sorted({0, 10, *cuts})
    for low, high in pairwise(ends):
        due[tuple((low + high) / 2 < x for x in cuts)] += (high - low) / 10
    found = enumerate_law(program)
    assert found.law.keys() == due.keys()
    for key, mass in due.items():
        assert found.law[key] == pytest.approx(mass, abs=1e-12)


# ---- samples from the real generators -----------------------------------------------------------

SAMPLES = 8_000
#: Hoeffding's bound for 12 programs of at most 12 outcomes each: together, a false alarm has a
#: probability below 1e-6. The seeds are fixed, so a test that passes once passes always.
LARGEST_DIFFERENCE = math.sqrt(math.log(2 * 12 * 12 / 1e-6) / (2 * SAMPLES))

P, Q = np.array((1 / 2, 2 / 5, 1 / 10)), np.array((1 / 10, 3 / 10, 3 / 5))


def shared_gumbel() -> int:
    noise = np.random.gumbel(size=3)
    draft = int(np.argmax(np.log(Q) + noise))
    if np.random.rand() < P[draft] / Q[draft]:
        return draft
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(residual(P, Q)) + noise))


def three_races() -> tuple[int, ...]:
    noise = np.random.exponential(size=3)
    weights = (P, Q, np.array((1 / 3, 1 / 3, 1 / 3)))
    return tuple(int(np.argmin(noise / row)) for row in weights)


def accept_coin_is_a_word_of_the_noise() -> int:
    noise = np.random.rand(3)
    if noise[0] < 0.3:
        return 3
    return int(np.argmax(np.log(P) - np.log(-np.log(noise))))


def scaled_uniforms() -> int:
    return int(np.argmax(np.random.rand(3) * np.array((1.0, 0.8, 0.5))))


def reused_coin() -> int:
    u = random.random()
    if u < 0.4:
        return 0
    return 1 + int(u * 4)


def order_of_uniforms() -> tuple[int, ...]:
    return tuple(np.argsort(np.random.rand(3)).tolist())


def shuffled() -> tuple[int, ...]:
    items = [0, 1, 2]
    random.shuffle(items)
    return tuple(items)


def weighted_order() -> tuple[int, ...]:
    return tuple(np.argsort(np.random.rand(3) ** (1 / P))[::-1].tolist())


def least_gumbel() -> int:
    return int(np.argmin(np.log(P) + np.random.gumbel(size=3)))


def noise_against_a_number() -> int:
    return int(np.argmax(np.array([*np.random.exponential(size=2), 1.0])))


SAMPLED = (
    *(shared_gumbel, three_races, accept_coin_is_a_word_of_the_noise, scaled_uniforms),
    *(reused_coin, order_of_uniforms, shuffled, weighted_order, least_gumbel),
    noise_against_a_number,
)


@pytest.mark.parametrize("program", SAMPLED, ids=lambda program: program.__name__)
def test_laws_agree_with_samples_from_the_real_generators(program: Callable[[], Any]):
    found = enumerate_law(program)
    assert found.reason is None, found.reason
    np.random.seed(20_240_601)
    random.seed(20_240_601)
    seen = Counter(program() for _ in range(SAMPLES))
    assert seen.keys() <= found.law.keys()
    for outcome, mass in found.law.items():
        assert abs(seen[outcome] / SAMPLES - mass) < LARGEST_DIFFERENCE, outcome
