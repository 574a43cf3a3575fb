"""The wagers are e-processes: by exact enumeration, in rational numbers."""

import functools
import itertools
import math
from fractions import Fraction

import pytest
from draftproof.audit.samples.betting import (
    bounds,
    divergence,
    kt,
    log_kt,
    log_mean,
    log_wager,
    regret,
    wager,
)

wager_of = functools.lru_cache(wager)
BIASES = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(1, 100)]


def probability(sequence, bias):
    heads = sum(sequence)
    return bias**heads * (1 - bias) ** (len(sequence) - heads)


def expectation(bias, tosses, assumed):
    """Of the wager against ``assumed`` after so many tosses of a coin of ``bias``."""
    total = Fraction(0)
    for sequence in itertools.product((0, 1), repeat=tosses):
        heads = sum(sequence)
        total += probability(sequence, bias) * wager(heads, tosses - heads, assumed)
    return total


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("tosses", [1, 2, 5, 9])
def test_the_expectation_is_exactly_one(bias, tosses):
    assert expectation(bias, tosses, bias) == 1


def test_a_wager_against_the_wrong_bias_is_seen_by_that():
    assert expectation(Fraction(1, 2), 5, Fraction(1, 3)) > 1


def test_it_is_a_martingale_toss_by_toss():
    bias = Fraction(2, 7)
    for heads, tails in itertools.product(range(6), repeat=2):
        before = wager(heads, tails, bias)
        after = bias * wager(heads + 1, tails, bias) + (1 - bias) * wager(heads, tails + 1, bias)
        assert after == before


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 5), Fraction(1, 20)])
def test_ville_by_enumeration_of_all_sequences(bias, alpha):
    """The probability of ever reaching 1/alpha in 12 tosses, over all 4,096 sequences."""
    reached = Fraction(0)
    for sequence in itertools.product((0, 1), repeat=12):
        heads = tails = 0
        for toss in sequence:
            heads, tails = heads + toss, tails + 1 - toss
            if wager_of(heads, tails, bias) >= 1 / alpha:
                reached += probability(sequence, bias)
                break
    assert reached <= alpha


def test_ville_sees_a_wager_that_pays_too_much():
    """Twice what is due is paid: 1/2 is reached with more than its probability."""
    bias, reached = Fraction(1, 2), Fraction(0)
    for sequence in itertools.product((0, 1), repeat=10):
        heads = tails = 0
        for toss in sequence:
            heads, tails = heads + toss, tails + 1 - toss
            if 2 * wager_of(heads, tails, bias) >= 2:
                reached += probability(sequence, bias)
                break
    assert reached > Fraction(1, 2)


@pytest.mark.parametrize("slack", [Fraction(1, 100), Fraction(1, 10)])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_with_slack_the_expectation_is_at_most_one_for_every_bias_within_it(slack, off):
    assumed = Fraction(1, 3)
    bias = assumed + off * slack
    total = math.fsum(
        float(probability(sequence, bias))
        * math.exp(log_wager(sum(sequence), 8 - sum(sequence), float(assumed), float(slack)))
        for sequence in itertools.product((0, 1), repeat=8)
    )
    assert total <= 1 + 1e-12


def test_logarithms_are_those_of_the_exact_wagers():
    for heads, tails in itertools.product(range(12), repeat=2):
        assert math.isclose(log_kt(heads, tails), math.log(kt(heads, tails)), abs_tol=1e-12)
        for bias in BIASES:
            exact = math.log(wager(heads, tails, bias))
            assert math.isclose(log_wager(heads, tails, float(bias)), exact, abs_tol=1e-11)


def test_what_cannot_come_is_worth_everything():
    assert wager(1, 5, Fraction(0)) is None
    assert log_wager(1, 5, 0.0) == math.inf
    assert log_wager(5, 1, 1.0) == math.inf
    assert log_wager(0, 5, 0.0) == 0 == log_wager(5, 0, 1.0)
    assert wager(0, 5, Fraction(0)) == 1 == wager(5, 0, Fraction(1))
    assert log_mean([0.0, math.inf]) == math.inf


def test_the_regret_is_the_largest_there_is():
    for tosses in (1, 2, 7, 40, 200):
        for heads in range(tosses + 1):
            tails = tosses - heads
            best = sum(x * math.log(x / tosses) for x in (heads, tails) if x)
            assert best - log_kt(heads, tails) <= regret(tosses) + 1e-9


def test_divergences():
    assert divergence(0.5, 0.5) == 0
    assert divergence(1.0, 0.0) == math.inf
    assert math.isclose(divergence(1.0, 0.25), math.log(4))
    assert divergence(0.5, 0.5, 0.1) < 0


def test_bounds_hold_what_the_wager_does_not_exclude():
    low, high = bounds(30, 70, 0.01)
    assert low < 0.3 < high
    assert log_wager(30, 70, low) == pytest.approx(math.log(100), abs=1e-6)
    assert log_wager(30, 70, high) == pytest.approx(math.log(100), abs=1e-6)
    assert bounds(0, 0, 0.01) == (0.0, 1.0)
    assert bounds(0, 50, 0.01)[0] == 0.0
    assert bounds(50, 0, 0.01)[1] == 1.0
