"""Chance: what each verb's law is, whoever stands behind it, and tapes that are no tapes."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from draftproof.reference import (
    Chance,
    CoinTape,
    CoinTapeError,
    DistributionError,
    ExactDistribution,
    Rational,
    Sampler,
    Step,
    branches,
    exact_law,
    expectation,
    rational,
)
from draftproof.toymodels.strategies import distributions
from hypothesis import given
from hypothesis import strategies as st

SIZE = 4
LAWS = distributions(SIZE)
CHANCES = st.lists(
    st.fractions(-1, 2, max_denominator=6).map(rational), min_size=SIZE, max_size=SIZE
)
THIRDS = ExactDistribution({0: rational(1, 3), 1: rational(1, 3), 2: rational(1, 3)})


@given(LAWS)
def test_a_draw_has_the_law_it_is_drawn_from(law: ExactDistribution) -> None:
    assert exact_law(lambda chance: chance.draw(law)) == law


@given(st.fractions(-2, 3, max_denominator=12).map(rational))
def test_acceptance_is_clipped(probability: Rational) -> None:
    """True with probability min(1, max(0, probability))."""
    clipped = max(rational(0), min(rational(1), probability))
    law = exact_law(lambda chance: chance.accept(probability))
    assert law[True] == clipped
    assert law.mass == 1
    certain = [leaf.result for leaf in branches(lambda chance: chance.accept(probability))]
    assert len(certain) == (2 if 0 < clipped < 1 else 1)  # certain answers are no choices


@given(LAWS, CHANCES)
def test_kept_draws_have_the_normalised_law(law: ExactDistribution, keep: list[Rational]) -> None:
    """p * keep normalised; on average one over the mass kept draws are needed."""
    kept = law.keep(keep.__getitem__)
    if not kept.mass:
        with pytest.raises(DistributionError, match="is ever kept"):
            exact_law(lambda chance: chance.draw_kept(law, keep.__getitem__))
        return
    leaves = list(branches(lambda chance: chance.draw_kept(law, keep.__getitem__)))
    assert (
        ExactDistribution((leaf.result, leaf.probability) for leaf in leaves) == kept.normalised()
    )
    assert {leaf.expected_draws for leaf in leaves} == {1 / kept.mass}


@given(LAWS, LAWS)
def test_keeping_makes_the_residual(p: ExactDistribution, q: ExactDistribution) -> None:
    """Draws from p kept with probability 1 - q/p have the law of (p - q)+; kept 1 - overlap."""
    if p.overlap(q) == 1:
        return
    program = lambda chance: chance.draw_kept(p, lambda x: 1 - q[x] / p[x])  # noqa: E731
    assert exact_law(program) == p.residual(q)
    assert next(branches(program)).expected_draws == 1 / (1 - p.overlap(q))


def test_a_coin_decides_a_draw_by_cumulative_probability() -> None:
    """The first outcome whose cumulative probability exceeds the coin: ends belong to the next."""
    coins = [rational(0), rational(1, 3), rational(2, 3) - rational(1, 10**30), rational(2, 3)]
    tape = CoinTape(coins)
    assert [tape.draw(THIRDS) for _ in coins] == [0, 1, 1, 2]
    assert tape.spent == 4


def test_a_coin_accepts_when_it_lies_below() -> None:
    """At the probability itself it does not: a coin of 0 never accepts what has probability 0."""
    tape = CoinTape([rational(0), rational(0), rational(1, 2), rational(1, 2)])
    assert tape.accept(rational(0)) is False
    assert tape.accept(rational(1, 10**30)) is True
    assert tape.accept(rational(1, 2)) is False
    assert tape.accept(rational(3, 2)) is True
    assert [step.verb for step in tape.steps] == ["accept"] * 4


def test_kept_draws_spend_two_coins_each_and_record_what_they_throw_away() -> None:
    coins = [rational(0), rational(1, 2), rational(1, 2), rational(1, 4)]
    tape = CoinTape(coins)
    assert tape.draw_kept(THIRDS, lambda x: rational(x, 2), "residual") == 1
    assert tape.spent == 4
    assert tape.steps == [
        Step("discarded", "residual", 0, THIRDS),
        Step("draw_kept", "residual", 1, THIRDS),
    ]
    assert [step.coin for step in tape.steps] == [tuple(coins[:2]), tuple(coins[2:])]


def test_a_draw_that_is_never_kept_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("draftproof.reference.chance.CoinTape.patience", 50)
    with pytest.raises(CoinTapeError, match="residual: 50 draws were thrown away in a row"):
        Sampler(0).draw_kept(ExactDistribution({0: 1}), lambda _: 0, "residual")


def test_steps_are_compared_without_coins() -> None:
    assert Step("draw", "x", 1, THIRDS, rational(1, 2)) == Step("draw", "x", 1, THIRDS)
    assert Step("draw", "x", 1, THIRDS) != Step("draw", "x", 2, THIRDS)
    assert Step("draw", "x", 1, THIRDS) != Step("draw", "y", 1, THIRDS)


def test_a_tape_that_runs_out() -> None:
    tape = CoinTape([rational(1, 2)])
    tape.draw(THIRDS)
    with pytest.raises(CoinTapeError, match="ran out after 1 coins"):
        tape.accept(rational(1, 2))


@pytest.mark.parametrize("coin", [rational(1), rational(-1, 2), 1.0, float("nan")])
def test_no_coin(coin: object) -> None:
    """The end of the unit interval is no coin; neither is anything that is not a number in it."""
    tape = CoinTape([rational(1, 2), coin])
    tape.draw(THIRDS)
    with pytest.raises(CoinTapeError, match=r"coin 1 is .*, outside \[0, 1\)"):
        tape.draw(THIRDS)


def test_sampling_is_a_function_of_the_seed() -> None:
    def text(chance: Chance) -> list[int]:
        return [chance.draw(THIRDS) for _ in range(50)]

    assert text(Sampler(7)) == text(Sampler(7)) == text(Sampler(random.Random(7)))
    assert text(Sampler(7)) != text(Sampler(8))


def test_sampled_coins_are_multiples_of_two_to_the_minus_64() -> None:
    sampler = Sampler(1)
    for _ in range(20):
        sampler.accept(rational(1, 2))
    coins = list(islice((step.coin for step in sampler.steps), 20))
    assert all((coin * 2**64).denominator == 1 for coin in coins)
    assert len(set(coins)) == 20


@given(LAWS, st.lists(LAWS, min_size=SIZE, max_size=SIZE))
def test_expectation(first: ExactDistribution, second: list[ExactDistribution]) -> None:
    """The mean over two dependent draws, against the double sum."""

    def program(chance: Chance) -> Rational:
        x = chance.draw(first)
        return rational(x + 10 * chance.draw(second[x]))

    by_hand = sum(
        (first[x] * second[x][y] * (x + 10 * y) for x in range(SIZE) for y in range(SIZE)),
        rational(0),
    )
    assert expectation(program) == by_hand
