"""Spelled proposals: exactly lossless, and psi is the law of the very program that spells."""

import pytest
from draftproof.reference import ExactDistribution, Pair
from draftproof.reference import slrs_spelled as module
from draftproof.reference.autoregressive import autoregressive_round
from draftproof.reference.enumeration import branches, exact_law, expectation
from draftproof.reference.rounds import generate
from draftproof.reference.slrs_spelled import SpelledLaw, spell, spelled_round, spellings
from draftproof.toymodels.gallery import gallery, gallery_pair
from draftproof.toymodels.models import NgramModel
from draftproof.toymodels.strategies import pairs
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given, settings

LENGTH = 3


def plain(pair, context, chance, state):
    del state
    return autoregressive_round(pair, context, chance)


def law_of_runs(run_round, pair, prompt, length):
    return exact_law(lambda chance: generate(run_round, pair, prompt, chance, length).ids)


def spelling(lookahead):
    return lambda pair, context, chance, state: spelled_round(pair, context, lookahead, chance)


def proposed(pair, read):
    def once(chance):
        found = spell(pair, read, chance)
        return None if found is None else found.token

    return exact_law(once)


@pytest.mark.parametrize("each", gallery(), ids=lambda each: each.name)
def test_the_law_is_the_targets(each):
    for lookahead, length in ((1, LENGTH), (2, LENGTH), (3, 2)):
        found = law_of_runs(spelling(lookahead), each.pair, each.prompt, length)
        assert found == law_of_runs(plain, each.pair, each.prompt, length)


@pytest.mark.parametrize("each", gallery(), ids=lambda each: each.name)
def test_psi_is_the_law_of_what_is_spelled(each):
    read = each.pair.drafter_context(each.prompt)
    if read is None:
        assert each.name == "unreadable-context"
        return
    due = proposed(each.pair, read)
    psi = SpelledLaw(each.pair, read)
    assert [psi[t] for t in range(each.pair.target.size)] == [
        due[t] for t in range(each.pair.target.size)
    ]
    assert psi.evaluations == each.pair.target.size


@given(pairs())
@settings(max_examples=40, deadline=None)
def test_random_pairs(each):
    found = law_of_runs(spelling(2), each.pair, each.prompt, 2)
    assert found == law_of_runs(plain, each.pair, each.prompt, 2)


def test_the_first_candidate_is_accepted_as_often_as_the_formula_says():
    compared = 0
    for each in gallery():
        read = each.pair.drafter_context(each.prompt)
        if read is None:
            continue
        (p,) = each.pair.target.distributions(each.prompt)
        psi = proposed(each.pair, read)
        due = sum(min(p[t], psi[t]) for t in range(each.pair.target.size))
        found = expectation(
            lambda chance, each=each: min(
                1, spelled_round(each.pair, each.prompt, 1, chance).accepted
            )
        )
        assert found == due
        compared += due > 0
    assert compared > 30


def test_kept_draws_cost_one_plus_the_probability_of_a_proposal():
    """Evaluations of psi at the first position: one for the candidate, one for each draw."""
    compared = 0
    for each in gallery():
        read = each.pair.drafter_context(each.prompt)
        if read is None:
            continue
        (p,) = each.pair.target.distributions(each.prompt)
        psi = proposed(each.pair, read)
        missing = psi[None]
        if sum(min(p[t], psi[t]) for t in range(each.pair.target.size)) == 1:
            continue
        evaluations = 0
        for leaf in branches(
            lambda chance, each=each: spelled_round(each.pair, each.prompt, 1, chance)
        ):
            evaluations += leaf.probability * (bool(leaf.result.candidates) + leaf.expected_draws)
        assert evaluations == 1 + (1 - missing)
        compared += 1
    assert compared > 20


def test_every_spelling_says_what_the_token_says():
    for each in gallery():
        vocabulary = each.pair.drafter_tokenizer.vocabulary
        for token, ids in spellings(each.pair).of_token.items():
            said = b"".join(vocabulary[d] or b"" for d in ids)
            assert said == (each.pair.target_tokenizer.vocabulary[token] or b"")


def test_tokens_of_several_pieces_are_proposed():
    """The gallery has them: a, ab spelled a b."""
    several = {
        each.name
        for each in gallery()
        if any(len(ids) > 1 for ids in spellings(each.pair).of_token.values())
    }
    assert len(several) >= 5


SPACES = Pair(
    NgramModel.from_seed(5, 2, seed=3),
    NgramModel.from_seed(3, 2, seed=4),
    greedy([" ", "  ", " a", "a", "b"]),
    greedy([" ", "a", "b"]),
)


def test_a_space_is_given_back():
    """Two spaces and a letter are cut as a space, then " a"; two spaces and b as two spaces, b."""
    node = spellings(SPACES).node((0, 0))
    assert (node.token, node.inside, node.giving_back) == (1, frozenset(), frozenset({1}))
    due = proposed(SPACES, (0,))
    psi = SpelledLaw(SPACES, (0,))
    assert [psi[t] for t in range(5)] == [due[t] for t in range(5)]
    assert due[0] > 0 and due[1] > 0
    for lookahead, length in ((1, 2), (2, 1)):
        found = law_of_runs(spelling(lookahead), SPACES, (0,), length)
        assert found == law_of_runs(plain, SPACES, (0,), length)


def test_a_space_given_back_and_not_counted_is_lossy(monkeypatch):
    monkeypatch.setattr(module.Spellings, "giving_back_to", lambda self, spelling: None)
    found = law_of_runs(spelling(1), SPACES, (0,), 1)
    assert found != law_of_runs(plain, SPACES, (0,), 1)


def test_psi_without_the_chance_to_stop_is_lossy(monkeypatch):
    """Planted: the probability that the text begins with the token's characters."""

    class Begins(SpelledLaw):
        def _product(self, spelling):
            rows = self._pair.drafter.distributions(self._read, spelling)
            product = 1
            for q, d in zip(rows, spelling, strict=False):
                product = product * q[d]
            return product

    each = gallery_pair("composition")
    monkeypatch.setattr(module, "SpelledLaw", Begins)
    found = law_of_runs(spelling(1), each.pair, each.prompt, 1)
    assert isinstance(found, ExactDistribution)
    assert found != law_of_runs(plain, each.pair, each.prompt, 1)


def test_psi_of_the_context_for_every_position_is_lossy(monkeypatch):
    """Planted: the law at the beginning, for later tokens too."""
    each = gallery_pair("contexts")

    class AtTheStart(SpelledLaw):
        def __init__(self, pair, read):
            super().__init__(pair, read[: len(each.prompt)])

    monkeypatch.setattr(module, "SpelledLaw", AtTheStart)
    found = law_of_runs(spelling(2), each.pair, each.prompt, 2)
    assert found != law_of_runs(plain, each.pair, each.prompt, 2)
