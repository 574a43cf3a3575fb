"""Differences, their witnesses, and how many samples would show them."""

from __future__ import annotations

import math
import random
from itertools import product
from statistics import NormalDist

import pytest
from draftproof.audit import difference, samples_needed
from draftproof.audit.report import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    worst,
)
from draftproof.audit.verdicts import ALPHA, POWER
from draftproof.reference import ExactDistribution, Ids, Rational, rational, total_variation
from hypothesis import given
from hypothesis import strategies as st

STRINGS = [ids for ids in product(range(2), repeat=3) if 1 not in ids[:-1]] + [(1,), (0, 1)]
#: Strings over {0, end}: all that end with 1 or have three ids, some of them written twice.
ENDING = sorted({ids[: ids.index(1) + 1] if 1 in ids else ids for ids in STRINGS})
FREE = list(product(range(3), repeat=2))


@st.composite
def string_laws(draw: st.DrawFn, strings: list[Ids]) -> ExactDistribution[Ids]:
    weights = draw(st.lists(st.integers(0, 3), min_size=len(strings), max_size=len(strings)))
    if not any(weights):
        weights[0] = 1
    return ExactDistribution.from_weights(dict(zip(strings, weights, strict=True)))


def beginning(law: ExactDistribution[Ids], ids: Ids) -> Rational:
    return sum((n for s, n in law.items() if s[: len(ids)] == ids), rational(0))


@given(st.sampled_from([ENDING, FREE]), st.data())
def test_a_difference_is_one_and_the_shortest(strings: list[Ids], data: st.DataObject) -> None:
    """Prefix probabilities are those of the laws, differ, and no shorter prefix's do."""
    due, given_ = data.draw(string_laws(strings)), data.draw(string_laws(strings))
    found = difference(due, given_, (9,))
    if due == given_:
        assert found is None
        return
    assert found is not None
    assert found.context == (9,)
    assert found.distance == total_variation(due, given_)
    assert found.due == beginning(due, found.continuation)
    assert found.given == beginning(given_, found.continuation)
    assert found.due != found.given
    gap = abs(found.due - found.given)
    for length in range(1, len(found.continuation) + 1):
        for ids in {s[:length] for s in (*due, *given_) if len(s) >= length}:
            here = abs(beginning(due, ids) - beginning(given_, ids))
            if length < len(found.continuation):
                assert here == 0
            else:
                assert (here, ids) == (gap, ids) or here < gap
                assert here < gap or ids >= found.continuation
    assert found.event_given - found.event_due == found.distance


def test_a_string_that_should_end_is_no_difference_of_its_beginning() -> None:
    """After 1 nothing may come. Due (1), given (1, 0): both begin with 1, and (1, 0) is wrong."""
    half = rational(1, 2)
    due = ExactDistribution({(0,): half, (1,): half})
    given_ = ExactDistribution({(0,): half, (1, 0): half})
    found = difference(due, given_, ())
    assert found is not None
    assert (found.continuation, found.due, found.given) == ((1, 0), 0, half)


@given(string_laws(FREE), string_laws(FREE), st.fractions(0, 1, max_denominator=5).map(rational))
def test_missing_mass_counts_in_favour(
    due: ExactDistribution[Ids], given_: ExactDistribution[Ids], kept: Rational
) -> None:
    """The distance is the least over all ways to fill in the missing mass."""
    partial = given_.keep(lambda _: kept)
    found = difference(due, partial, ())
    least = sum((max(rational(0), partial[s] - due[s]) for s in FREE), rational(0))
    assert (found is None) == (least == 0)
    if found:
        assert found.distance == least
        assert found.distance <= total_variation(due, partial)
        assert found.given > found.due or partial.mass == 1


# --- samples needed --------------------------------------------------------------------------


def binomial(n: int, p: float) -> list[float]:
    def log_term(k: int) -> float:
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return ways + k * math.log(p) + (n - k) * math.log1p(-p)

    if p in (0.0, 1.0):
        return [float(k == n * p) for k in range(n + 1)]
    return [math.exp(log_term(k)) for k in range(n + 1)]


def rejection_rate(n: int, due: float, p: float) -> float:
    """How often the two-sided z-test of level `ALPHA` says "not ``due``" when ``p`` holds."""
    z = NormalDist().inv_cdf(1 - ALPHA / 2)
    spread = math.sqrt(n * due * (1 - due))
    terms = binomial(n, p)
    return sum(term for k, term in enumerate(terms) if abs(k - n * due) > z * spread)


@pytest.mark.parametrize(
    ("due", "given_"),
    [(0.5, 0.35), (0.2, 0.1), (0.05, 0.01), (0.6, 0.5), (1 / 3, 1 / 6), (0.001, 0.0001)],
)
def test_power_of_the_named_test(due: float, given_: float) -> None:
    """The exact binomial power at n is the stated one to within 0.025, far less n has far less.

    The number rests on the normal approximation, hence the tolerance.
    """
    needed = samples_needed(due, given_)
    assert needed is not None
    assert (needed.alpha, needed.power) == (ALPHA, POWER)
    assert "binomial z-test" in needed.test
    assert abs(rejection_rate(needed.n, due, given_) - POWER) < 0.025
    assert rejection_rate(needed.n, due, due) < 1.2 * ALPHA
    assert rejection_rate(needed.n // 2, due, given_) < 0.75


def test_power_by_simulation() -> None:
    """Resampling from p on the base pair: due 1/2, given 7/20, 161 samples.

    2,000 seeded experiments; by Hoeffding's bound the frequency of rejections is within 0.061 of
    the exact power but for a probability of 3e-7.
    """
    needed = samples_needed(0.5, 0.35)
    assert needed is not None
    assert needed.n == 161
    generator = random.Random(11)
    z = NormalDist().inv_cdf(1 - ALPHA / 2) * math.sqrt(needed.n / 4)
    experiments = 2000
    seen = 0
    for _ in range(experiments):
        count = sum(generator.random() < 0.35 for _ in range(needed.n))
        seen += abs(count - needed.n / 2) > z
    bound = math.sqrt(math.log(2 / 3e-7) / (2 * experiments))
    assert abs(seen / experiments - rejection_rate(needed.n, 0.5, 0.35)) <= bound
    assert seen / experiments > 0.8


@pytest.mark.parametrize(
    ("due", "given_", "n"), [(0.0, 0.75, 2), (0.0, 1.0, 1), (1.0, 0.5, 4), (0.0, 0.1, 22)]
)
def test_impossible_events_need_one_sighting(due: float, given_: float, n: int) -> None:
    """n is the first number of samples in which it shows with the stated power."""
    needed = samples_needed(due, given_)
    assert needed is not None
    assert needed.n == n
    contradicting = abs(due - given_)
    assert 1 - (1 - contradicting) ** n >= POWER
    assert n == 1 or 1 - (1 - contradicting) ** (n - 1) < POWER


def test_equal_probabilities_are_never_told_apart() -> None:
    assert samples_needed(0.25, 0.25) is None


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.2))
def test_smaller_differences_need_more(due: float, gap: float) -> None:
    if due + gap > 1:
        return
    wide, narrow = samples_needed(due, due + gap), samples_needed(due, due + gap / 4)
    assert wide is not None
    assert narrow is not None
    assert narrow.n > wide.n >= 1


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], NOT_APPLICABLE),
        ([NOT_APPLICABLE], NOT_APPLICABLE),
        ([LOSSLESS, NOT_APPLICABLE], LOSSLESS),
        ([LOSSLESS, RELAXED], RELAXED),
        ([RELAXED, UNDECIDED, LOSSLESS], UNDECIDED),
        ([UNDECIDED, LOSSY, RELAXED], LOSSY),
    ],
)
def test_the_worst_verdict(verdicts: list[str], expected: str) -> None:
    assert worst(verdicts) == expected
