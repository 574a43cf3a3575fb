"""Demand 2: acceptance is Table 3's formula exactly, and the orderings between algorithms hold."""

from __future__ import annotations

from dataclasses import dataclass

import brute_force
import pytest
from draftproof.reference import (
    ALGORITHMS,
    EmptyIntersectionError,
    Ids,
    Pair,
    Program,
    Rational,
    branches,
    forms,
    program,
    rational,
)
from draftproof.toymodels import GALLERY, GalleryPair, NgramModel, gallery_pair, greedy
from draftproof.toymodels.strategies import pairs
from hypothesis import given, settings

PROPOSING = ALGORITHMS[1:]


@dataclass(frozen=True)
class FirstRound:
    """One round's acceptance of the first candidate and its expected tokens, by enumeration."""

    acceptance: Rational
    tokens: Rational
    accepted: Rational


def first_round(made: Program, pair: Pair, context: Ids) -> FirstRound:
    acceptance = tokens = accepted = rational(0)
    for leaf in branches(lambda chance: made.run_round(pair, context, chance, None)):
        acceptance += leaf.probability * (leaf.result.accepted > 0)
        tokens += leaf.probability * len(leaf.result.emitted)
        accepted += leaf.probability * leaf.result.accepted
    return FirstRound(acceptance, tokens, accepted)


def rule_of(form: str) -> str:
    return form.removesuffix("/one-token").removesuffix("/block")


def check_formulas(pair: Pair, context: Ids, lookahead: int) -> None:
    """Enumerated acceptance, the code's formula and the brute-force one agree; orderings hold."""
    found: dict[tuple[str, str], FirstRound] = {}
    for name in PROPOSING:
        for form in forms(name, lookahead):
            made = program(name, form)
            if made.acceptance is None:
                assert "look-behind" in form
                continue
            if name == "tli" and not pair.intersection:
                with pytest.raises(EmptyIntersectionError):
                    first_round(made, pair, context)
                continue
            found[name, form] = first_round(made, pair, context)
            formula = made.acceptance(pair, context)
            assert found[name, form].acceptance == formula, (name, form)
            expected = brute_force.table_3(pair, context, name, rule_of(form))
            assert brute_force.exactly(formula) == expected, (name, form)
    fixed = f"fixed:{lookahead}"
    for name, form in found:
        if name == "slem":
            assert found["slrs", form].acceptance >= found["slem", form].acceptance
    assert found["block", fixed].tokens >= found["standard", fixed].tokens
    assert found["block", fixed].accepted >= found["standard", fixed].accepted
    assert found["standard", fixed].acceptance >= found["exact-match", fixed].acceptance
    if (spelled := f"spelled:{lookahead}") in forms("slrs", lookahead):
        assert found["slrs", f"{spelled}/block"].accepted >= found["slrs", spelled].accepted
    assert found["union", fixed] == found["standard", fixed]
    if ("tli", fixed) in found:
        assert found["tli", fixed].acceptance >= found["union", fixed].acceptance


@pytest.mark.parametrize("pair_name", GALLERY)
def test_formulas_at_the_contexts_of_the_first_two_tokens(pair_name: str) -> None:
    named = gallery_pair(pair_name)
    for context in brute_force.reachable(named.pair, named.prompt, 2):
        check_formulas(named.pair, context, 2)


@pytest.mark.parametrize("pair_name", GALLERY)
@pytest.mark.parametrize("name", PROPOSING)
def test_the_code_and_brute_force_have_one_formula(pair_name: str, name: str) -> None:
    """Formulas alone, which is cheap: every context within three tokens, lookahead 1 to 3."""
    named = gallery_pair(pair_name)
    for lookahead in (1, 2, 3):
        for form in forms(name, lookahead):
            formula = program(name, form).acceptance
            if formula is None or rule_of(form) != form:
                continue
            for context in brute_force.reachable(named.pair, named.prompt, 3):
                expected = brute_force.table_3(named.pair, context, name, form)
                assert brute_force.exactly(formula(named.pair, context)) == expected
                assert 0 <= expected <= 1


@settings(max_examples=150)
@given(pairs())
def test_formulas_on_random_pairs(named: GalleryPair) -> None:
    check_formulas(named.pair, named.prompt, 2)


@settings(max_examples=50)
@given(pairs())
def test_formulas_on_random_pairs_with_one_draft(named: GalleryPair) -> None:
    check_formulas(named.pair, named.prompt, 1)


def test_without_mass_in_the_intersection_tli_accepts_nothing() -> None:
    """The vocabularies share b, which the drafter never says: 0, and the token comes from p."""
    pair = Pair(
        NgramModel.constant(["1/3", "2/3"]),
        NgramModel.constant(["0", "1"]),
        greedy(["a", "b"]),
        greedy(["b", "c"]),
    )
    made = program("tli", 2)
    assert made.acceptance is not None
    assert made.acceptance(pair, (0,)) == 0
    assert first_round(made, pair, (0,)) == FirstRound(rational(0), rational(1), rational(0))
    leaves = list(branches(lambda chance: made.run_round(pair, (0,), chance, None)))
    assert [(leaf.result.emitted, leaf.probability) for leaf in leaves] == [
        ((0,), rational("1/3")),
        ((1,), rational("2/3")),
    ]


def test_block_verification_accepts_more_on_the_toy_pair() -> None:
    """p = (1/3, 2/3), q = (2/3, 1/3), two drafts: 10/9 token by token, 11/9 as a block."""
    tokenizer = greedy(["a", "b"])
    pair = Pair(
        NgramModel.constant(["1/3", "2/3"]),
        NgramModel.constant(["2/3", "1/3"]),
        tokenizer,
        tokenizer,
    )
    assert first_round(program("standard", 2), pair, (0,)).accepted == rational("10/9")
    assert first_round(program("block", 2), pair, (0,)).accepted == rational("11/9")
    assert first_round(program("block", 2), pair, (0,)).tokens == rational("20/9")


@pytest.mark.parametrize("lookahead", [1, 2, 3, 4])
@pytest.mark.parametrize("pair_name", ["base", "composition", "many-to-one"])
def test_expected_tokens_of_context_free_pairs(pair_name: str, lookahead: int) -> None:
    """E[tokens] = (1 - a^(k+1)) / (1 - a) for standard decoding with the same p, q everywhere."""
    named = gallery_pair(pair_name)
    made = program("standard", lookahead)
    a = brute_force.table_3(named.pair, named.prompt, "standard", "")
    found = first_round(made, named.pair, named.prompt)
    assert 0 < a < 1
    assert brute_force.exactly(found.tokens) == (1 - a ** (lookahead + 1)) / (1 - a)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("exact-match", "standard"),
        ("standard", "exact-match"),
        ("slem", "slrs"),
        ("slrs", "slem"),
        ("tli", "union"),
    ],
)
def test_a_wrong_formula_is_noticed(name: str, wrong: str) -> None:
    """Each formula put in another one's place is refuted by enumeration on some gallery pair."""
    refuted = 0
    for named in map(gallery_pair, GALLERY):
        if name == "tli" and not named.pair.intersection:
            continue
        found = first_round(program(name, 1), named.pair, named.prompt)
        formula = program(wrong, 1).acceptance
        assert formula is not None
        refuted += found.acceptance != formula(named.pair, named.prompt)
    assert refuted > 0
