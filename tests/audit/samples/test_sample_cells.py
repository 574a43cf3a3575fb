"""What is bet on each statistic, and on all together, is an e-process: by enumeration."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from draftproof.audit.kinds.pair_building import shared
from draftproof.audit.samples.auditing import Settings, Watch
from draftproof.audit.samples.cells import OneSample, TwoSample
from draftproof.audit.samples.laws import ToyLaws
from draftproof.audit.samples.lines import PLAIN, SPECULATIVE, Sample
from draftproof.audit.samples.partitions import DUPLICATES, NEXT, Partition, known
from draftproof.toymodels.pairs import context_free

THREE = {(0,): Fraction(1, 2), (1,): Fraction(1, 3), (2,): Fraction(1, 6)}


def toy(law, most=1):
    """The laws of a context-free target."""
    return ToyLaws(shared(context_free(law), context_free(law)), most)


def sequences(law, count):
    """Every sequence of so many outcomes, with its probability."""
    for outcomes in itertools.product(law, repeat=count):
        yield outcomes, math.prod(law[outcome] for outcome in outcomes)


def sample(tokens, mode=SPECULATIVE, prompt=(0,)):
    return Sample(prompt, mode, tokens)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_mean_wager_against_a_law_has_expectation_one(count):
    due = toy("1/2 1/3 1/6").after((0,))
    total = 0.0
    for outcomes, mass in sequences(THREE, count):
        cell = OneSample(NEXT, known(NEXT, due), due.depth)
        for outcome in outcomes:
            cell.add(sample(outcome))
        total += float(mass) * math.exp(cell.log_evidence())
    assert total == pytest.approx(1, abs=1e-12)


def test_a_law_that_is_another_one_is_seen_by_that():
    due = toy("1/3 1/3 1/3").after((0,))
    total = 0.0
    for outcomes, mass in sequences(THREE, 4):
        cell = OneSample(NEXT, known(NEXT, due), due.depth)
        for outcome in outcomes:
            cell.add(sample(outcome))
        total += float(mass) * math.exp(cell.log_evidence())
    assert total > 1.01


def two_sample(pairs, joint):
    """The expectation of the mean wager over pairs of the joint law."""
    total = 0.0
    for drawn, mass in sequences(joint, pairs):
        cell = TwoSample(NEXT)
        cell.partition = Partition(
            "fixed", {(0,): 0, (1,): 1, (2,): 2}, 3, None, (), ("0", "1", "2", "other")
        )
        for plain, speculative in drawn:
            cell.add(sample(plain, PLAIN))
            cell.add(sample(speculative))
        total += float(mass) * math.exp(cell.log_evidence())
    return total


def independent(plain, speculative):
    return {(x, y): plain[x] * speculative[y] for x in plain for y in speculative}


@pytest.mark.parametrize("pairs", [1, 3])
def test_two_modes_of_one_law_whatever_it_is_have_expectation_one(pairs):
    assert two_sample(pairs, independent(THREE, THREE)) == pytest.approx(1, abs=1e-12)


def test_modes_that_share_coins_have_expectation_one_too():
    """Equal margins, yet (x, y) is not as likely as (y, x)."""
    third = Fraction(1, 3)
    around = {((0,), (1,)): third, ((1,), (2,)): third, ((2,), (0,)): third}
    assert two_sample(3, around) == pytest.approx(1, abs=1e-12)


def test_modes_of_two_laws_are_seen_by_that():
    other = {(0,): Fraction(1, 6), (1,): Fraction(1, 3), (2,): Fraction(1, 2)}
    assert two_sample(3, independent(THREE, other)) > 1.01


def watched(laws, law, count, prompts, alpha):
    """The expectation of all evidence after ``count`` samples in turn; how often it is LOSSY."""
    total = lossy = 0.0
    for outcomes, mass in sequences(law, count):
        watch = Watch(prompts, laws, Settings(alpha=alpha))
        for number, outcome in enumerate(outcomes):
            watch.add(sample(outcome, prompt=prompts[number % len(prompts)]))
            watch.look()
        total += float(mass) * math.exp(watch.log_evidence())
        lossy += float(mass) * watch.is_lossy
    return total, lossy


@pytest.mark.parametrize("prompts", [[(0,)], [(0,), (1,)]])
def test_all_together_have_expectation_one_and_reach_a_level_no_more_often(prompts):
    """Eight samples at one prompt or at two: 256 sequences; looked at after every one."""
    law = {(0,): Fraction(1, 4), (1,): Fraction(3, 4)}
    for alpha in (0.9, 0.5, 0.2):
        total, lossy = watched(toy("1/4 3/4"), law, 8, prompts, alpha)
        assert total == pytest.approx(1, abs=1e-12)
        assert lossy <= alpha


def test_statistics_of_two_replies_wait_for_both():
    """What is known of one reply must not be bet on the pair: odd samples change nothing."""
    watch = Watch([(0,)], toy("1/4 3/4"))
    watch.add(sample((0,)))
    assert watch.log_evidence() == pytest.approx(0, abs=1e-12)
    watch.add(sample((0,)))
    assert abs(watch.log_evidence()) > 0.01
    assert {s.name for s in watch.statistics} == {"next-token", "duplicates"}


def test_the_first_pairs_choose_categories_and_are_not_bet_on():
    watch = Watch([(0,)], None)
    for number in range(20):
        watch.add(sample((number % 2,), PLAIN))
        watch.add(sample((number % 2,)))
    cells = [cell for (statistic, _), cell in watch.cells.items() if statistic is NEXT]
    assert cells[0].draws == 0
    assert cells[0].partition.labels == ("[0]", "[1]", "any other")
    for _ in range(2):
        watch.add(sample((0,), PLAIN))
        watch.add(sample((1,)))
    assert cells[0].draws == 2


def test_levels_hold_in_a_simulation():
    """120 runs of 240 samples at level 0.1: with level 0.1 more than 22 have probability 0.002."""
    laws = toy("1/2 1/3 1/6", most=2)
    strings = list(laws.after((0,)).strings.items())
    outcomes = [ids for ids, _ in strings]
    weights = [float(mass) for _, mass in strings]
    for one in (laws, None):
        numbers = random.Random(20)
        lossy = 0
        for _ in range(120):
            watch = Watch([(0,)], one, Settings(alpha=0.1))
            for tokens in numbers.choices(outcomes, weights, k=240):
                watch.add(sample(tokens))
            if one is None:
                for tokens in numbers.choices(outcomes, weights, k=240):
                    watch.add(sample(tokens, PLAIN))
            watch.look()
            lossy += watch.is_lossy
        assert lossy <= 22


def test_repeated_streams_are_seen_where_every_margin_is_right():
    laws = toy("1/2 1/3 1/6", most=2)
    strings = list(laws.after((0,)).strings)
    numbers = random.Random(1)
    watch = Watch([(0,)], laws)
    for _ in range(60):
        tokens = numbers.choice(strings)
        watch.add(sample(tokens))
        watch.add(sample(tokens))
    watch.look()
    assert watch.is_lossy
    assert max(watch.most_of, key=watch.most_of.get)[0] is DUPLICATES
