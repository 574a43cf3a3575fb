"""Demand 4: what the sampler draws has the law that the enumerator finds.

The bound is that of Dvoretzky, Kiefer and Wolfowitz with Massart's constant: over n samples the
empirical and the true cumulative distribution differ somewhere by more than e with probability at
most 2 exp(-2 n e^2), for any law. Strings are compared in lexicographic order. Each test's false
alarm rate is `ALARM`; seeds are fixed, so a test that passes once passes always.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import pytest
from draftproof.audit import EXAMPLES
from draftproof.reference import (
    ALGORITHMS,
    Chance,
    ExactDistribution,
    Ids,
    Pair,
    Sampler,
    branches,
    exact_law,
    generate,
    program,
    rational,
)
from draftproof.toymodels import NgramModel, gallery_pair, greedy

ALARM = 1e-7
SAMPLES = 6000
#: What the largest difference of cumulative frequencies may be: about 0.0374.
BOUND = math.sqrt(math.log(2 / ALARM) / (2 * SAMPLES))

Run = Callable[[Chance], Any]


def cumulative_difference(law: ExactDistribution[Any], drawn: Counter[Any]) -> float:
    """The largest difference between the two cumulative distributions."""
    total = drawn.total()
    assert set(drawn) <= set(law), "an outcome of probability zero"
    seen = due = 0.0
    largest = 0.0
    for outcome, number in law.items():
        due += float(number)
        seen += drawn[outcome] / total
        largest = max(largest, abs(due - seen))
    return largest


def sample(run: Run, seed: int, sampler: type[Sampler] = Sampler) -> Counter[Any]:
    chance = sampler(seed)
    drawn: Counter[Any] = Counter()
    for _ in range(SAMPLES):
        chance.steps.clear()
        drawn[run(chance)] += 1
    return drawn


def tokens(name: str, form: str | int, pair_name: str, count: int) -> Callable[[Chance], Ids]:
    named = gallery_pair(pair_name)
    made = program(name, form)
    return lambda chance: generate(made.run_round, named.pair, named.prompt, chance, count).ids


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("pair_name", ["base", "no-proposal"])
def test_frequencies_of_two_tokens(name: str, pair_name: str) -> None:
    """False alarm rate 1e-7."""
    run = tokens(name, 2, pair_name, 2)
    assert cumulative_difference(exact_law(run), sample(run, 1)) <= BOUND


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("slrs", "fixed:2/one-token"),
        ("slrs", "characters:2/cap:3"),
        ("slem", "fixed:2/look-behind:2"),
    ],
)
def test_frequencies_of_other_forms(name: str, form: str) -> None:
    """Non-injective tokens on both sides, and a state carried; false alarm rate 1e-7."""
    run = tokens(name, form, "crossing-merges", 3)
    assert cumulative_difference(exact_law(run), sample(run, 2)) <= BOUND


@pytest.mark.parametrize("name", ["resample-from-p", "no-proposal-from-p", "one-preimage"])
def test_lossy_examples_are_sampled_as_enumerated(name: str) -> None:
    """The wrong law is the sampled one too, and plain decoding's is not; false alarm rate 1e-7.

    This is also the control that the check can fail: against the due law it does.
    """
    named = gallery_pair(EXAMPLES[name].home)
    wrong = EXAMPLES[name].program(2)

    def run(chance: Chance) -> Ids:
        return generate(wrong.run_round, named.pair, named.prompt, chance, 1).ids

    drawn = sample(run, 3)
    assert cumulative_difference(exact_law(run), drawn) <= BOUND
    due = exact_law(tokens("autoregressive", 1, EXAMPLES[name].home, 1))
    assert cumulative_difference(due, drawn) > BOUND


class AcceptsTooOften(Sampler):
    """Planted: every probability of acceptance is 3/2 of what it should be."""

    def accept(self, probability: Any, what: str = "") -> bool:
        return super().accept(probability * 3 / 2, what)


class KeepsTheFirst(Sampler):
    """Planted: kept draws are not tested."""

    def draw_kept(self, law: Any, keep: Callable[[Any], Any], what: str = "") -> Any:
        del keep
        return super().draw(law, what)


class SharesCoins(Sampler):
    """Planted: the coin that accepted is used again by the next draw."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._last: Any = None

    def accept(self, probability: Any, what: str = "") -> bool:
        accepted = super().accept(probability, what)
        self._last = self.steps[-1].coin
        return accepted

    def draw(self, law: Any, what: str = "") -> Any:
        if self._last is None:
            return super().draw(law, what)
        coin, self._last = self._last, None
        return law.quantile(coin)


@pytest.mark.parametrize(
    ("planted", "name"),
    [(AcceptsTooOften, "standard"), (KeepsTheFirst, "slrs")],
)
def test_a_planted_fault_is_seen(planted: type[Sampler], name: str) -> None:
    """The check of `test_frequencies_of_two_tokens` fails when the sampler is at fault."""
    run = tokens(name, 2, "base", 2)
    assert cumulative_difference(exact_law(run), sample(run, 1, planted)) > BOUND


def test_coins_used_twice_are_seen() -> None:
    """p = (2/5, 2/5, 1/5), q = (1/10, 1/10, 4/5): the acceptance's coin decides the residual too.

    The output is (3/10, 1/2, 1/5), though the acceptance rate is right. (On the pair `base` the
    residual is certain, so that there the same fault changes nothing.)
    """
    tokenizer = greedy(["a", "b", "c"])
    pair = Pair(
        NgramModel.constant(["2/5", "2/5", "1/5"]),
        NgramModel.constant(["1/10", "1/10", "4/5"]),
        tokenizer,
        tokenizer,
    )
    made = program("standard", 1)

    def run(chance: Chance) -> int:
        return made.run_round(pair, (0,), chance, None).emitted[0]

    law = exact_law(run)
    assert cumulative_difference(law, sample(run, 1)) <= BOUND
    assert cumulative_difference(law, sample(run, 1, SharesCoins)) > BOUND


def test_an_impossible_outcome_is_seen() -> None:
    law = exact_law(tokens("autoregressive", 1, "base", 1))
    with pytest.raises(AssertionError, match="probability zero"):
        cumulative_difference(law, Counter({(7,): 1}))


def test_expected_draws_are_those_of_the_sampler() -> None:
    """After a rejection a draw from p is kept with probability 1 - sum min(p, psi) = 3/10.

    That is one over the expected number of draws which the enumerator reports. Hoeffding's bound
    for a frequency, 2 exp(-2 n e^2): false alarm rate 1e-7.
    """
    named = gallery_pair("base")
    made = program("slrs", 1)
    chance = Sampler(5)
    first = kept_at_once = 0
    state: Hashable = None
    for _ in range(SAMPLES):
        chance.steps.clear()
        made.run_round(named.pair, named.prompt, chance, state)
        residual = [s.verb for s in chance.steps if s.what == "residual"]
        if residual and not any(s.verb == "accept" and s.outcome for s in chance.steps):
            first += 1
            kept_at_once += residual[0] == "draw_kept"
    bound = math.sqrt(math.log(2 / ALARM) / (2 * first))
    assert first > 1000
    assert abs(kept_at_once / first - 0.3) <= bound
    assert abs(kept_at_once / first - 0.4) > bound
    leaves = branches(lambda chance: made.run_round(named.pair, named.prompt, chance, None))
    assert {leaf.expected_draws for leaf in leaves} == {1, rational(10, 3)}
