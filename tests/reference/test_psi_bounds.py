"""psi between bounds: the bounds close, and every coin falls as it would with the number itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from draftproof.reference import (
    BoundedPsi,
    CoinTape,
    LazyPsi,
    Rational,
    Sampler,
    candidate_law,
    rational,
    slrs_block_kept_round,
    slrs_round,
    stop_rule,
)
from draftproof.reference.distribution import ratio
from draftproof.reference.psi_bounds import Deferred
from draftproof.reference.psi_tree import tree_law
from draftproof.toymodels import gallery
from draftproof.toymodels.pairs import GalleryPair
from draftproof.toymodels.strategies import two_vocabulary_pairs
from hypothesis import given, settings
from hypothesis import strategies as st

RULES = ("fixed:2", "fixed:3", "determined:1/cap:3", "lookup:2/cap:3", "longest:2")
ONE = rational(1)


def bounds_on_the_way(number: Any) -> list[tuple[Any, Any]]:
    """The bounds before each refinement, and at last."""
    if not isinstance(number, Deferred):  # psi was seen to be zero at once
        return [(number, number)]
    seen = [number.bounds()]
    while number.refine():
        seen.append(number.bounds())
    return seen


def coins_around(points: list[Any]) -> list[Rational]:
    """In [0, 1): the points, the middles between them, and 0."""
    inside = sorted({rational(0), *(rational(x) for x in points if x is not None and 0 <= x < 1)})
    middles = [(one + two) / 2 for one, two in pairwise([*inside, ONE])]
    return [*inside, *middles]


def decisions(named: GalleryPair, slug: str, wrong: int = 0) -> int:
    """Hold every decision on the first candidates against psi itself; how many there were."""
    pair, context, rule = named.pair, named.prompt, stop_rule(slug)
    (p,) = pair.target.distributions(context)
    due = candidate_law(pair, context, rule).next_token()
    count = 0
    for token in range(pair.target.size):
        if not p[token]:
            continue
        for what in ("accept", "keep"):

            def fresh(token: int = token, what: str = what) -> Any:
                number = BoundedPsi(pair, context, rule).after(())[token]
                return ratio(p[token], number) if what == "accept" else 1 - number / p[token]

            exact = ratio(p[token], due[token]) if what == "accept" else 1 - due[token] / p[token]
            seen = bounds_on_the_way(fresh())
            assert seen[-1] == (exact, exact)
            # A ratio above 1 accepts surely, like one by zero, which counts as 1.
            clipped = [
                (min(low, ONE), ONE if high is None else min(high, ONE)) for low, high in seen
            ]
            assert all(low <= exact and min(exact, ONE) <= high for low, high in clipped)
            assert all(one[0] <= two[0] and two[1] <= one[1] for one, two in pairwise(clipped))
            for coin in coins_around([exact, *(x for bounds in seen for x in bounds)]):
                assert bool(coin < fresh()) == bool(coin < exact + wrong), (coin, exact)
                count += 1
    return count


@pytest.mark.parametrize("slug", RULES)
def test_every_decision_is_the_same_on_the_gallery(slug: str) -> None:
    """Coins at every bound, between any two of them, and at the number itself."""
    assert sum(decisions(named, slug) for named in gallery()) > 500


@settings(max_examples=40)
@given(two_vocabulary_pairs(), st.sampled_from(RULES))
def test_every_decision_is_the_same_on_random_pairs(named: GalleryPair, slug: str) -> None:
    decisions(named, slug)


def test_a_shifted_number_is_noticed() -> None:
    with pytest.raises(AssertionError):
        for named in gallery():
            decisions(named, "fixed:2", wrong=1)


@pytest.mark.parametrize("several", [slrs_round, slrs_block_kept_round])
def test_the_same_coins_give_the_same_rounds(several: Any) -> None:
    """Whole rounds from one tape: psi by definition, token by token, and between bounds."""
    for named in gallery():
        pair, context, rule = named.pair, named.prompt, stop_rule("fixed:3")
        tree_work = LazyPsi(pair, context, rule).work
        tree_law(pair, context, rule, tree_work)
        for seed in range(20):
            rounds = []
            for version in (None, LazyPsi, BoundedPsi):
                psi_after = version and version(pair, context, rule).after
                chance = Sampler(seed)
                block = several(pair, context, rule, chance, psi_after=psi_after)
                rounds.append((block, chance.spent, [step.outcome for step in chance.steps]))
            assert rounds[0] == rounds[1] == rounds[2]


def expected_evaluations(named: GalleryPair, slug: str, token: int) -> tuple[Rational, int]:
    """Drafter contexts asked to accept ``token``, on average over its coin; and for psi itself."""
    pair, context, rule = named.pair, named.prompt, stop_rule(slug)
    (p,) = pair.target.distributions(context)

    def accepted_with(coin: Rational) -> int:
        psi = BoundedPsi(pair, context, rule)
        CoinTape([coin]).accept(ratio(p[token], psi.after(())[token]))
        return psi.work.evaluations

    seen = bounds_on_the_way(ratio(p[token], BoundedPsi(pair, context, rule).after(())[token]))
    points = sorted(
        {rational(0), ONE} | {x for b in seen for x in b if x is not None and 0 < x < 1}
    )
    average = sum(
        ((two - one) * accepted_with((one + two) / 2) for one, two in pairwise(points)), rational(0)
    )
    lazy = LazyPsi(pair, context, rule)
    lazy.number((), token)
    return average, lazy.work.evaluations


def test_less_is_asked_and_never_more() -> None:
    """Over all first candidates of the gallery; the sum is what the docs print."""
    least = most = rational(0)
    for named in gallery():
        law = candidate_law(named.pair, named.prompt, stop_rule("fixed:3")).next_token()
        for token, mass in law.items():
            with_bounds, without = expected_evaluations(named, "fixed:3", token)
            assert with_bounds <= without
            least, most = least + mass * with_bounds, most + mass * without
    assert least < most


def test_deferred_numbers() -> None:
    def number(low: str, high: str, exact: str) -> Deferred:
        bounds = [(rational(low), rational(high))]

        def refine() -> bool:
            if bounds[-1] == (rational(exact),) * 2:
                return False
            bounds.append((rational(exact),) * 2)
            return True

        return Deferred(lambda: bounds[-1], refine)

    half = number("1/4", "3/4", "1/2")
    assert half > rational(1, 8)
    assert half.bounds() == (rational(1, 4), rational(3, 4))  # decided without another look
    assert half >= rational(1, 2)
    assert half.bounds() == (rational(1, 2), rational(1, 2))
    assert half <= rational(1, 2)
    assert not half > rational(1, 2)
    assert not half < rational(1, 2)
    assert rational(1, 3) * half == rational(1, 6)
    assert half == rational(1, 2)
    assert number("0", "1", "1/2") == half
    assert number("0", "1", "1/2") != rational(1, 2)  # not known yet
    assert (1 - half / rational(2)).exact() == rational(3, 4)
    assert (rational(1, 4) / half).exact() == rational(1, 2)
    zero = number("0", "1/2", "0")
    assert (rational(1, 4) / zero).bounds() == (rational(1, 2), None)
    assert (rational(1, 4) / zero).exact() == 1  # as `ratio` has it
    assert (rational(0) / zero).exact() == 0
