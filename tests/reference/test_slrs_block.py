"""SLRS with block verification: exact, never below token by token, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from draftproof.audit import Laws
from draftproof.reference import (
    Chance,
    Ids,
    LazyPsi,
    Pair,
    Program,
    Rational,
    Round,
    branches,
    candidate_law,
    exact_law,
    program,
    rational,
    slrs_block_kept_round,
    slrs_block_round,
    slrs_round,
    stop_rule,
)
from draftproof.reference.exact import ONE, ZERO
from draftproof.reference.proposals import propose
from draftproof.reference.rounds import finish
from draftproof.reference.slrs_block import _half, kept_together
from draftproof.toymodels import GALLERY, gallery, gallery_pair
from draftproof.toymodels.pairs import GalleryPair
from draftproof.toymodels.strategies import two_vocabulary_pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from lossless_rounds import is_lossless

RULES = ("fixed:1", "fixed:2", "characters:2/cap:3", "tokens:2/cap:3", "determined:1/cap:3")
LOOKUPS = ("lookup:1/cap:2", "lookup:2/cap:3", "longest:2", "longest:3")


@pytest.mark.parametrize("name", GALLERY)
def test_lossless_and_never_below_token_by_token(name: str) -> None:
    """Every rule, block and token-wise, at the prompt and one token later: distance exactly 0."""
    named = gallery_pair(name)
    for slug in (*RULES, *LOOKUPS):
        block, tokens = program("slrs", f"{slug}/block"), program("slrs", slug)
        assert block.stop_rule == f"{slug}/block"
        for made in (block, tokens, program("slrs", f"{slug}/one-token"), program("slem", slug)):
            assert is_lossless(made, named.pair, named.prompt), (made.name, made.stop_rule)
        together, apart = (
            Laws(made, named.pair).round_law(named.prompt) for made in (block, tokens)
        )
        assert together.tokens >= apart.tokens
        assert together.acceptance >= apart.acceptance


@settings(max_examples=40)
@given(two_vocabulary_pairs(), st.sampled_from((*RULES, *LOOKUPS)))
def test_lossless_on_random_pairs(named: GalleryPair, slug: str) -> None:
    assert is_lossless(program("slrs", f"{slug}/block"), named.pair, named.prompt, 1)
    assert is_lossless(program("slrs", slug), named.pair, named.prompt, 1)


def test_it_accepts_more_somewhere() -> None:
    """On base with three drafts: tokens of a round together, and token by token."""
    named = gallery_pair("base")
    tokens = [
        Laws(program("slrs", form), named.pair).round_law(named.prompt).tokens
        for form in ("fixed:3/block", "fixed:3")
    ]
    assert tokens == [rational(539, 200), rational(2533, 1000)]


def bonus_from_p(pair: Pair, context: Ids, chance: Chance, _: Any) -> Round:
    """As over one vocabulary: h_m = P_m, and the token after all candidates from p."""
    rule = stop_rule("fixed:2")
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates
    p = pair.target.distributions(context, t)
    law = candidate_law(pair, context, rule)
    psi = [law.next_token(t[:i]) for i in range(len(t) + 1)]
    kept = kept_together(p, psi, t)
    tau = 0
    for i in range(1, len(t) + 1):
        excess = p[i].excess(psi[i], kept[i])
        passes = excess / (excess + 1 - kept[i]) if excess + 1 != kept[i] else 1
        if chance.accept(kept[i] if i == len(t) else passes):
            tau = i
    final = p[tau] if t and tau == len(t) else p[tau].residual(psi[tau], kept[tau])
    return finish(pair, (*t[:tau], chance.draw(final)), tau, t)


def test_a_bonus_from_p_is_lossy() -> None:
    """The planted fault: exact only where no proposal is the beginning of another."""
    lossy = []
    for named in gallery():
        if not is_lossless(Program("bonus", bonus_from_p, 2), named.pair, named.prompt, 1):
            lossy.append(named.name)
    assert {"unreadable-context", "silent-drafts", "prefix-space-target"} <= set(lossy)
    assert "base" not in lossy
    assert len(lossy) == 10


@pytest.mark.parametrize("slug", ["fixed:2", "determined:1/cap:3", "lookup:2/cap:3", "longest:2"])
def test_without_a_sum_over_the_vocabulary_it_is_the_same_round(slug: str) -> None:
    rule = stop_rule(slug)
    for named in gallery():
        pair, context = named.pair, named.prompt
        due = exact_law(lambda c, p=pair, x=context: slrs_block_round(p, x, rule, c).emitted)
        assert due == exact_law(
            lambda c, p=pair, x=context: slrs_block_kept_round(p, x, rule, c).emitted
        )
        lazy = LazyPsi(pair, context, rule).after
        assert due == exact_law(
            lambda c, p=pair, x=context, psi=lazy: slrs_block_kept_round(p, x, rule, c, psi).emitted
        )


@pytest.mark.parametrize("slug", ["fixed:1", "fixed:2", "tokens:2/cap:3", "lookup:2/cap:3"])
def test_one_draw_is_tested_on_average_at_every_place(slug: str) -> None:
    """At each i = 0..m: P(it comes to i) / (Z + 1 - P_i) = 1, unless both are 0."""
    rule, places = stop_rule(slug), 0
    for named in gallery():
        pair, context = named.pair, named.prompt
        law = candidate_law(pair, context, rule)
        tested: dict[Ids, Rational] = {}
        for leaf in branches(lambda c, p=pair, x=context: slrs_block_kept_round(p, x, rule, c)):
            t = leaf.result.candidates
            p = pair.target.distributions(context, t)
            psi = [law.next_token(t[:i]) for i in range(len(t) + 1)]
            kept = kept_together(p, psi, t)
            draws = ZERO
            for step in leaf.steps:
                if step.verb == "draw_kept":
                    i = int(step.what.removeprefix("keep "))
                    one = 1 / (p[i].excess(psi[i], kept[i]) + 1 - kept[i])
                    tested[t[:i]] = tested.get(t[:i], ZERO) + leaf.probability * one
                    draws += one if i == 0 else 2 * one  # every other one says "fail"
            assert draws == leaf.expected_draws
        for begun, number in tested.items():
            reached = sum((n for ids, n in law.law.items() if ids[: len(begun)] == begun), ZERO)
            assert number == reached
            places += 1
    assert places > 60


def evaluations_by_position(named: GalleryPair, slug: str) -> dict[Ids, tuple[Rational, Rational]]:
    """For each accepted beginning: the probability of verifying there, and of psi evaluations."""
    pair, context, rule = named.pair, named.prompt, stop_rule(slug)
    found: dict[Ids, tuple[Rational, Rational]] = {}
    for leaf in branches(lambda chance: slrs_round(pair, context, rule, chance)):
        t, accepted = leaf.result.candidates, leaf.result.accepted
        verified = accepted + any(step.verb == "draw_kept" for step in leaf.steps)
        for k in range(verified):
            asked = (ONE if k < len(t) else ZERO) + (leaf.expected_draws if k == accepted else 0)
            reached, total = found.get(t[:k], (ZERO, ZERO))
            found[t[:k]] = reached + leaf.probability, total + leaf.probability * asked
    return found


@pytest.mark.parametrize("slug", ["fixed:1", "fixed:3", *RULES[2:], *LOOKUPS])
def test_kept_draws_ask_for_psi_once_and_once_more_for_a_proposal(slug: str) -> None:
    """At every verified position: 1 + P(proposal) evaluations, where a rejection is possible."""
    rule, possible = stop_rule(slug), 0
    for named in gallery():
        law = candidate_law(named.pair, named.prompt, rule)
        for begun, (reached, asked) in evaluations_by_position(named, slug).items():
            (p,) = named.pair.target.distributions(named.prompt + begun)
            psi = law.next_token(begun)
            rejection = p.overlap(psi) < 1
            assert asked / reached == psi.mass + rejection
            possible += rejection
    assert possible > 60


def test_half_of_a_law_of_any_kind() -> None:
    """Laws that are not exact are only drawn from: fail below one half, else the law's own coin."""

    class Row:
        def quantile(self, coin: Any) -> int:
            return 7 if coin < rational(1, 3) else 8

    half: Any = _half(Row())  # type: ignore[arg-type]
    coins = [rational(n, 12) for n in range(12)]
    assert [half.quantile(coin) for coin in coins] == [-1] * 6 + [7] * 2 + [8] * 4
