"""Spelled proposals judged together: exactly lossless, never below one by one, what psi costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import brute_blocks
import brute_force
import pytest
from draftproof.audit import Laws
from draftproof.reference import Ids, Pair, Program, branches, exact_law, program, rational
from draftproof.reference import slrs_spelled as spelling
from draftproof.reference import slrs_spelled_block as module
from draftproof.reference.enumeration import Branch
from draftproof.reference.exact import ZERO, Rational
from draftproof.reference.rounds import cut
from draftproof.reference.slrs_block import FAIL
from draftproof.reference.slrs_spelled_block import spelled_block_round
from draftproof.toymodels import GALLERY, gallery, gallery_pair
from draftproof.toymodels.models import NgramModel
from draftproof.toymodels.pairs import GalleryPair
from draftproof.toymodels.strategies import pairs
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given, settings
from hypothesis import strategies as st
from lossless_rounds import is_lossless

MOST = (1, 2, 3)


def block(tokens: int) -> Program:
    return program("slrs", f"spelled:{tokens}/block")


@pytest.mark.parametrize("name", GALLERY)
def test_lossless_and_never_below_token_by_token(name: str) -> None:
    """One, two and three tokens a round, at the prompt and one token later: distance exactly 0."""
    named = gallery_pair(name)
    for tokens in MOST:
        made = block(tokens)
        assert made.stop_rule == f"spelled:{tokens}/block"
        assert is_lossless(made, named.pair, named.prompt, 2 if tokens < 3 else 1)
        together, apart = (
            Laws(each, named.pair).round_law(named.prompt)
            for each in (made, program("slrs", f"spelled:{tokens}"))
        )
        assert together.tokens >= apart.tokens
        assert together.acceptance == apart.acceptance
        assert made.acceptance is not None
        assert together.acceptance == made.acceptance(named.pair, named.prompt)
        if tokens == 1:  # a block of one candidate is that candidate
            assert together.tokens == apart.tokens


@settings(max_examples=60, deadline=None)
@given(pairs(), st.sampled_from((1, 2)))
def test_random_pairs(named: GalleryPair, tokens: int) -> None:
    assert is_lossless(block(tokens), named.pair, named.prompt, 1)
    together, apart = (
        Laws(each, named.pair).round_law(named.prompt)
        for each in (block(tokens), program("slrs", f"spelled:{tokens}"))
    )
    assert together.tokens >= apart.tokens
    assert together.acceptance == apart.acceptance


def test_it_gives_more_somewhere() -> None:
    """On base with two tokens 9/4 together, 219/100 one by one; and on fourteen other pairs."""
    more: dict[str, tuple[Rational, Rational]] = {}
    for named in gallery():
        together, apart = (
            Laws(program("slrs", form), named.pair).round_law(named.prompt).tokens
            for form in ("spelled:2/block", "spelled:2")
        )
        if together > apart:
            more[named.name] = together, apart
    assert more["base"] == (rational(9, 4), rational(219, 100))
    assert len(more) == 15


def emitted_by(pair: Pair, context: Ids, tokens: int) -> dict[Ids, Fraction]:
    law = exact_law(lambda chance: spelled_block_round(pair, context, tokens, chance).emitted)
    return brute_force.as_fractions(law)


def listed(pair: Pair, context: Ids, tokens: int) -> dict[Ids, Fraction]:
    """The same by brute force."""
    law: dict[Ids, Fraction] = {}
    for ids, mass in brute_blocks.emitted(pair, context, tokens).items():
        ids = cut(ids, pair.end_of_sequence)
        law[ids] = law.get(ids, Fraction(0)) + mass
    return law


@pytest.mark.parametrize("name", GALLERY)
def test_the_round_has_the_law_of_the_sums(name: str) -> None:
    """Coins with h = Z/(Z + 1 - P), Z summed over T, the last that passes; and the target's law."""
    named = gallery_pair(name)
    for context in brute_force.reachable(named.pair, named.prompt, 2):
        for tokens in (1, 2):
            found = emitted_by(named.pair, context, tokens)
            assert found == listed(named.pair, context, tokens)
            length = max(map(len, found))
            due = brute_force.due(named.pair, context, length)
            assert brute_force.completed(named.pair, context, found) == due


@settings(max_examples=40, deadline=None)
@given(pairs(), st.sampled_from((1, 2)))
def test_the_round_has_the_law_of_the_sums_on_random_pairs(named: GalleryPair, tokens: int) -> None:
    assert emitted_by(named.pair, named.prompt, tokens) == listed(named.pair, named.prompt, tokens)


#: ba is spelled b a, and T has no b: where the drafter never says a behind a b, a spelling that
#: begins with b comes to nothing.
UNPROPOSED = Pair(
    NgramModel(3, 2, {(): ["1/6", "1/2", "1/3"], (1,): ["1/4", "1/4", "1/2"]}),
    NgramModel(
        3, 3, {(): ["1/2", "1/4", "1/4"], (0, 1): ["0", "1/2", "1/2"], (2,): ["1/6", "2/3", "1/6"]}
    ),
    greedy(["a", "ba", "c"]),
    greedy(["a", "b", "c"]),
)


def test_a_spelling_that_comes_to_nothing_is_there() -> None:
    """Behind nothing, behind a and never behind c; no pair of the gallery has any at its prompt."""
    law = brute_blocks.SpelledProposals(UNPROPOSED, (0,), 2).law
    assert {ids for ids, nothing in law if nothing} == {(), (0,)}
    assert (2, 1) in {ids for ids, nothing in law if not nothing}
    for tokens in (1, 2):
        assert is_lossless(block(tokens), UNPROPOSED, (0,))
        assert emitted_by(UNPROPOSED, (0,), tokens) == listed(UNPROPOSED, (0,), tokens)
    for named in gallery():
        proposals = brute_blocks.SpelledProposals(named.pair, named.prompt, 2)
        assert not any(nothing for _, nothing in proposals.law)


class Asked(spelling.SpelledLaw):
    """psi that notes, in order, what it is asked for."""

    log: list[int]

    def __getitem__(self, token: int, /) -> Any:
        Asked.log.append(token)
        return super().__getitem__(token)


class Watched:
    """Chance that works out how many draws of kept draws are tokens, and so ask for psi."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self.tested: dict[int, Rational] = {}
        self.draw, self.accept = branch.draw, branch.accept

    def draw_kept(self, law: Any, keep: Any, what: str = "") -> Any:
        before = list(Asked.log)
        kept, tokens = law.keep(keep).mass, law.mass - law[FAIL]
        outcome = self._branch.draw_kept(law, keep, what)
        Asked.log[:] = before
        self.tested[int(what.removeprefix("keep "))] = tokens / kept
        return outcome


def evaluations(pair: Pair, context: Ids, tokens: int) -> dict[Ids, Fraction]:
    """Behind each t_1..t_i the expected number of psi evaluations, by enumeration."""

    def run(branch: Branch) -> tuple[Ids, int, dict[int, Rational]]:
        Asked.log = []
        watched = Watched(branch)
        found = spelled_block_round(pair, context, tokens, watched)
        assert tuple(Asked.log) == found.candidates[: len(Asked.log)]
        return found.candidates, len(Asked.log), watched.tested

    asked: dict[Ids, Fraction] = {}
    for leaf in branches(run):
        t, scored, tested = leaf.result
        for i in {*range(scored), *tested}:
            number = leaf.probability * ((1 if i < scored else 0) + tested.get(i, ZERO))
            asked[t[:i]] = asked.get(t[:i], Fraction(0)) + brute_force.exactly(number)
    return asked


@pytest.mark.parametrize("tokens", MOST)
def test_psi_is_asked_for_once_and_once_more_for_a_proposal(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind every t_1..t_i with P_i > 0 where more was to be proposed: P(proposal) + 1.

    Less the one where nothing can fail or pass there, psi = p and P_i = 1. P_i, the proposals and Z
    are brute force's.
    """
    monkeypatch.setattr(spelling, "SpelledLaw", Asked)
    places = without = never = 0
    where = [(named.pair, named.prompt) for named in gallery()]
    for pair, context in [*where, (UNPROPOSED, (0,))]:
        proposals = brute_blocks.SpelledProposals(pair, context, tokens)
        due: dict[Ids, Fraction] = {}
        for t in {ids[:i] for ids, _ in proposals.law for i in range(len(ids) + 1)}:
            kept = brute_blocks.kept_together(pair, context, proposals, t)
            if not proposals.goes_on(t):
                continue
            never += not kept
            if not kept:
                continue
            psi = proposals.psi(t)
            z = brute_blocks.excess(brute_force.law_at(pair.target, context + t), psi, kept)
            possible = z + 1 - kept > 0
            one = sum(psi.values(), Fraction(0)) + possible
            if one:
                due[t] = proposals.begins(t) * one
            places += 1
            without += not possible
        assert evaluations(pair, context, tokens) == due
    assert places > 40
    assert without
    assert never or tokens == 1


# Planted faults: the checks above fail on them.


def lossy_with(pair: Pair, prompt: Ids, tokens: int = 2) -> bool:
    return not is_lossless(block(tokens), pair, prompt, 1)


def test_a_bonus_after_an_unfinished_spelling_is_lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """h_m = P_m and a bonus from p, also where the next spelling came to nothing."""
    honest = module.propose_spelled

    def forgotten(*arguments: Any) -> Any:
        found = honest(*arguments)
        laws = found.laws[: len(found.candidates)]
        return spelling.SpelledProposal(found.candidates, found.drafts, laws)

    monkeypatch.setattr(module, "propose_spelled", forgotten)
    assert lossy_with(UNPROPOSED, (0,), 1)
    assert lossy_with(UNPROPOSED, (0,), 2)
    assert not lossy_with(*_at("base"))  # no spelling comes to nothing there


def test_psi_where_nothing_more_was_to_be_proposed_is_lossy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """psi_(K+1) behind the last of K tokens, as if one more might have been spelled."""
    honest = module.propose_spelled

    def one_more(pair: Pair, context: Ids, *arguments: Any) -> Any:
        found = honest(pair, context, *arguments)
        laws = found.laws
        if len(laws) == len(found.candidates) and laws:
            read = pair.drafter_context(context)
            assert read is not None
            laws += (spelling.SpelledLaw(pair, read + found.drafts),)
        return spelling.SpelledProposal(found.candidates, found.drafts, laws)

    monkeypatch.setattr(module, "propose_spelled", one_more)
    assert lossy_with(*_at("base"), 1)
    assert lossy_with(*_at("base"), 2)


def test_the_first_psi_everywhere_is_lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = module.propose_spelled

    def first(*arguments: Any) -> Any:
        found = honest(*arguments)
        laws = (found.laws[:1] * len(found.laws))[: len(found.laws)]
        return spelling.SpelledProposal(found.candidates, found.drafts, laws)

    monkeypatch.setattr(module, "propose_spelled", first)
    assert lossy_with(*_at("contexts"))


def test_products_of_single_acceptances_are_lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """P_i = min(1, r_1) .. min(1, r_i): token by token's, with the coins of a block."""

    def apart(p: Any, psi: Any, t: Ids) -> list[Any]:
        kept: list[Any] = [1]
        for i, token in enumerate(t):
            kept.append(kept[i] * min(1, p[i][token] / psi[i][token]))
        return kept

    monkeypatch.setattr(module, "kept_together", apart)
    assert lossy_with(*_at("base"))


def test_a_draw_that_forgets_what_is_kept_is_lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 - psi/p in place of P_i - psi/p."""
    honest = module.last_to_pass
    monkeypatch.setattr(
        module,
        "last_to_pass",
        lambda p, psi, kept, m, chance: honest(p, psi, [1 for _ in kept], m, chance),
    )
    assert lossy_with(*_at("base"), 3)


def test_psi_without_the_chance_to_stop_is_lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling.Node, "stops", lambda self, q: 1)
    assert lossy_with(*_at("composition"))


def _at(name: str) -> tuple[Pair, Ids]:
    named = gallery_pair(name)
    return named.pair, named.prompt
