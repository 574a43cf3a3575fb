"""Intervals: Student's t, the jackknife on known cases, and coverage by simulation."""

import math
import random

import pytest
from draftproof.adapters.choosing.intervals import (
    LEVEL,
    Estimate,
    estimate,
    remark,
    t_distribution,
    t_quantile,
)


def test_student_s_t_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    for freedom in range(1, 40):
        for probability in (0.6, 0.9, 0.975, 0.995):
            due = stats.t.ppf(probability, freedom)
            assert t_quantile(probability, freedom) == pytest.approx(due, rel=1e-8)
            assert t_distribution(due, freedom) == pytest.approx(probability, abs=1e-12)


def mean(some):
    return sum(some) / len(some)


def test_of_a_mean_it_is_the_textbook_s_interval():
    numbers = [1.0, 2.0, 4.0, 9.0]
    found = estimate(mean, numbers)
    spread = math.sqrt(sum((x - 4) ** 2 for x in numbers) / 3 / 4)
    assert found.value == 4
    assert found.low == pytest.approx(4 - t_quantile(0.975, 3) * spread)
    assert found.high == pytest.approx(4 + t_quantile(0.975, 3) * spread)


def test_one_prompt_has_no_interval_and_says_so():
    assert estimate(mean, [3.0]) == Estimate(3.0)
    assert remark(1) == "intervals: not available from one prompt"
    assert "rough" in remark(7)
    assert "rough" not in remark(8)


def test_a_statistic_with_gaps_has_no_interval():
    assert estimate(lambda some: None, [1.0, 2.0]) is None
    assert estimate(lambda some: 1.0 if len(some) == 2 else None, [1.0, 2.0]) == Estimate(1.0)


def test_what_cannot_be_is_left_out():
    assert Estimate(0.1, -0.2, 1.4).within(0, 1) == Estimate(0.1, 0, 1)
    assert Estimate(0.1).within(0, 1) == Estimate(0.1)


def covered(prompts, runs, interval, seed=7):
    """How often the interval of tokens over rounds holds the truth; prompts differ and are skewed.

    Each prompt has its own acceptance, drawn from a skewed law, and a number of rounds that depends
    on it: the ratio's truth is E[tokens] / E[rounds].
    """
    numbers = random.Random(seed)

    def cluster():
        tokens = 1 + 3 * numbers.random() ** 2
        rounds = max(1, round(32 / tokens + numbers.gauss(0, 1)))
        return tokens * rounds, rounds

    many = [cluster() for _ in range(200_000)]
    truth = sum(t for t, _ in many) / sum(r for _, r in many)
    hits = 0
    for _ in range(runs):
        found = interval([cluster() for _ in range(prompts)])
        hits += found.low <= truth <= found.high
    return hits / runs


def ratio(some):
    return sum(t for t, _ in some) / sum(r for _, r in some)


@pytest.mark.parametrize("prompts", [5, 8, 16])
def test_coverage_by_simulation(prompts):
    """2,000 simulations: the share's own standard error is 0.5 points, and the bias of a ratio of
    few skewed clusters is allowed another 2.5: within 0.92 .. 0.98 of a stated 0.95."""
    share = covered(prompts, 2000, lambda clusters: estimate(ratio, clusters))
    assert 0.92 <= share <= 0.98


def test_normal_quantiles_with_few_prompts_are_noticed():
    def normal(clusters):
        found = estimate(ratio, clusters)
        scale = 1.96 / t_quantile((1 + LEVEL) / 2, len(clusters) - 1)
        return Estimate(
            found.value,
            found.value - scale * (found.value - found.low),
            found.value + scale * (found.high - found.value),
        )

    assert covered(5, 2000, normal) < 0.92
