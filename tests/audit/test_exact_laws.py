"""The laws that verdicts rest on, held against enumeration without merging and brute force."""

from __future__ import annotations

import random
import time
from collections.abc import Hashable

import brute_force
import pytest
from draftproof.audit import LOSSLESS, LOSSY, NOT_APPLICABLE, UNDECIDED, Cell, Laws, audit_cell
from draftproof.reference import (
    ALGORITHMS,
    Chance,
    EmptyIntersectionError,
    Ids,
    Pair,
    Program,
    Round,
    exact_law,
    forms,
    generate,
    program,
    rational,
)
from draftproof.toymodels import GALLERY, GalleryPair, gallery_pair
from draftproof.toymodels.strategies import pairs
from hypothesis import given, settings

EVERY_FORM = [(name, form) for name in ALGORITHMS for form in forms(name, 2)]


@pytest.mark.parametrize(("name", "form"), EVERY_FORM)
@pytest.mark.parametrize("pair_name", ["contexts", "crossing-merges", "end-ids-differ"])
def test_merging_changes_nothing(pair_name: str, name: str, form: str) -> None:
    """The run law with equal (context, state) merged is that of the generation loop, unmerged."""
    named = gallery_pair(pair_name)
    made = program(name, form)
    merged = Laws(made, named.pair).run_law(named.prompt, 3)
    whole = exact_law(
        lambda chance: generate(made.run_round, named.pair, named.prompt, chance, 3).ids
    )
    assert merged == whole
    assert merged.mass == 1
    assert brute_force.as_fractions(merged) == brute_force.due(named.pair, named.prompt, 3)


@pytest.mark.parametrize("pair_name", GALLERY)
def test_the_due_law_is_the_chain_rule(pair_name: str) -> None:
    named = gallery_pair(pair_name)
    laws = Laws(program("autoregressive", 1), named.pair)
    for length in (1, 2, 4):
        law = laws.due_law(named.prompt, length)
        assert law.mass == 1
        assert brute_force.as_fractions(law) == brute_force.due(named.pair, named.prompt, length)


@pytest.mark.parametrize(("name", "form"), EVERY_FORM)
def test_a_completed_round_is_completed_to_the_longest_block(name: str, form: str) -> None:
    named = gallery_pair("end-ids-differ")
    laws = Laws(program(name, form), named.pair)
    law = laws.round_law(named.prompt)
    blocks = brute_force.as_fractions(law.blocks.push_forward(lambda block: block[0]))
    assert law.longest == max(map(len, blocks))
    given = brute_force.as_fractions(laws.completed_round(named.prompt))
    assert given == brute_force.completed(named.pair, named.prompt, blocks)
    assert sum(given.values()) == 1


@pytest.mark.parametrize(("name", "form"), EVERY_FORM)
@pytest.mark.parametrize("pair_name", ["contexts", "crossing-merges"])
def test_every_context_and_state_is_visited(pair_name: str, name: str, form: str) -> None:
    """All that the target can say with no state, all that runs pass through with theirs."""
    named = gallery_pair(pair_name)
    made = program(name, form)
    visited = list(Laws(made, named.pair).contexts(named.prompt, 3))
    assert len(set(visited)) == len(visited)
    stateless = [context for context, state in visited if state is None]
    assert set(stateless) == set(brute_force.reachable(named.pair, named.prompt, 3))

    arrived: set[tuple[Ids, Hashable]] = set()

    def spied(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        arrived.add((context, state))
        return made.run_round(pair, context, chance, state)

    exact_law(lambda chance: generate(spied, named.pair, named.prompt, chance, 3).ids)
    assert arrived <= set(visited)
    assert {pair for pair in visited if pair[1] is not None} <= arrived


def audited(run_round: object, pair_name: str = "contexts", horizon: int = 3) -> list:
    named = gallery_pair(pair_name)
    made = Program("planted", run_round, 1, "fixed:1")  # type: ignore[arg-type]
    return audit_cell(Cell("planted", made, pair_name, named.pair, named.prompt), horizon)


def plain(pair: Pair, context: Ids, chance: Chance) -> int:
    return chance.draw(pair.target.distributions(context)[0])


def stale_state(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
    """Exact in the first round; later ones believe the context to end where the last one began."""
    seen = context if state is None else state
    assert isinstance(seen, tuple)
    return Round((plain(pair, seen, chance),), state=context)


def test_a_fault_of_carried_state_is_seen() -> None:
    """Without state every round is exact; both checks follow the states, and see it."""
    one_round, run = audited(stale_state)
    named = gallery_pair("contexts")
    laws = Laws(Program("planted", stale_state), named.pair)
    for context in brute_force.reachable(named.pair, named.prompt, 3):
        assert laws.completed_round(context) == laws.due_law(context, 1)
    assert one_round.verdict == run.verdict == LOSSY
    assert run.witness is not None
    assert len(run.witness.continuation) == 2  # the first token is right


def test_states_are_not_mistaken_for_each_other() -> None:
    """Equal contexts with unequal states are kept apart: each state's own next token comes."""

    def remembers(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        if isinstance(state, int):
            return Round((state,))
        coin = chance.accept(rational(1, 3))
        return Round((0,), state=1 if coin else 0)

    law = Laws(Program("planted", remembers), gallery_pair("base").pair).run_law((0,), 2)
    assert dict(law) == {(0, 0): rational(2, 3), (0, 1): rational(1, 3)}


def test_ids_behind_an_end_are_seen() -> None:
    """A block that goes on after an end of sequence: the witness is the string that should end."""

    def runs_on(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        token = plain(pair, context, chance)
        return Round((token, 0) if token == pair.end_of_sequence else (token,))

    one_round, run = audited(runs_on)
    assert one_round.verdict == run.verdict == LOSSY
    for result in (one_round, run):
        assert result.witness is not None
        assert result.witness.continuation == (2, 0)
        assert result.witness.due.exact == 0
        assert result.witness.given.exact == rational(1, 6)
        assert "next-token" not in result.refutes


def test_raising_on_some_branches_is_undecided_with_its_mass() -> None:
    """The branches that do not raise are right: nothing is known against it, nothing proved."""

    def breaks(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        token = plain(pair, context, chance)
        if token == 1:
            raise RuntimeError("no such cache")
        return Round((token,))

    one_round, run = audited(breaks, "base")
    assert one_round.verdict == run.verdict == UNDECIDED
    assert one_round.error_mass == pytest.approx(0.3)
    assert run.error_mass == pytest.approx(1 - 0.7**3)
    assert "no such cache" in (one_round.reason or "")
    assert one_round.total_variation is None


def test_a_difference_beyond_the_error_mass_is_lossy() -> None:
    """Mass that raises is counted in the program's favour, and what remains is too much."""

    def breaks(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        if chance.accept(rational(1, 4)):
            raise RuntimeError("now and then")
        return Round((2,))

    one_round, _ = audited(breaks, "base", 1)
    assert one_round.verdict == LOSSY
    assert one_round.total_variation is not None
    assert one_round.total_variation.exact == rational(3, 4) - rational(1, 5)
    assert one_round.error_mass == 0.25


def test_a_round_that_emits_nothing_is_an_error() -> None:
    results = audited(lambda *_: Round(()))
    assert [r.verdict for r in results] == [UNDECIDED, UNDECIDED]
    assert all(r.error_mass == 1 for r in results)
    assert all("raises on branches of mass up to 1" in (r.reason or "") for r in results)


@pytest.mark.parametrize("token", [-1, 3, 7])
def test_an_id_outside_the_vocabulary_is_lossy(token: int) -> None:
    named = gallery_pair("base")

    def run(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        return Round((0, token))

    cell = Cell("planted", Program("planted", run, 1), named.name, named.pair, named.prompt)
    one_round, whole = audit_cell(cell, 2)
    for result in (one_round, whole):
        assert result.verdict == LOSSY
        assert result.total_variation is not None
        assert result.total_variation.exact == 1
        assert result.witness is not None
        assert result.witness.continuation in ((0,), (0, token))


@pytest.mark.parametrize("returned", [None, (), 3])
def test_a_round_that_is_no_round_is_undecided(returned: object) -> None:
    named = gallery_pair("base")

    def run(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        return returned  # type: ignore[return-value]

    cell = Cell("planted", Program("planted", run, 1), named.name, named.pair, named.prompt)
    for result in audit_cell(cell, 2):
        assert result.verdict == UNDECIDED
        assert result.error_mass == 1
        assert "AttributeError" in (result.reason or "")


def test_a_budget_reaches_into_what_a_round_enumerates_itself() -> None:
    """psi of twelve drafts is an enumeration of half a million drafts inside the first round."""
    named = gallery_pair("base")
    cell = Cell("slrs", program("slrs", 12), named.name, named.pair, named.prompt)
    started = time.monotonic()
    results = audit_cell(cell, 4, started + 0.2)
    assert {result.verdict for result in results} == {UNDECIDED}
    assert time.monotonic() - started < 10  # unwatched, it is minutes


def test_a_program_with_hidden_state_is_undecided() -> None:
    calls = iter(range(1000))

    def counts(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        return Round(tuple(plain(pair, context, chance) for _ in range(1 + next(calls) % 3)))

    for result in audited(counts):
        assert result.verdict == UNDECIDED
        assert "a state of its own" in (result.reason or "")


def test_a_program_with_randomness_of_its_own_is_undecided() -> None:
    """It makes the same choices every time; only what it makes of them differs."""

    def strays(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        token = plain(pair, context, chance)
        return Round((0,) if random.random() < 0.02 else (token,))

    for result in audited(strays):
        assert result.verdict == UNDECIDED
        assert "drew from Python's own random numbers" in (result.reason or "")


def test_other_laws_at_the_same_choices_are_undecided() -> None:
    calls = iter(range(1000))

    def drifts(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        return Round((int(chance.accept(rational(1, 2 + next(calls) % 2))),))

    for result in audited(drifts):
        assert result.verdict == UNDECIDED


def test_a_pair_error_is_not_applicable() -> None:
    def refuses(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        raise EmptyIntersectionError("nothing shared here")

    results = audited(refuses)
    assert [r.verdict for r in results] == [NOT_APPLICABLE, NOT_APPLICABLE]
    assert {r.reason for r in results} == {"nothing shared here"}
    assert all(r.total_variation is None and r.error_mass is None for r in results)


@settings(max_examples=80)
@given(pairs())
def test_random_pairs_are_lossless(named: GalleryPair) -> None:
    """Every form with up to two drafts, one round and two-token runs: distance exactly 0."""
    for name, form in EVERY_FORM:
        cell = Cell(name, program(name, form), "random", named.pair, named.prompt)
        for result in audit_cell(cell, 2):
            if name == "tli" and not named.pair.intersection:
                assert result.verdict == NOT_APPLICABLE
                continue
            assert result.verdict == LOSSLESS, named
            assert result.total_variation is not None
            assert result.total_variation.exact == 0


@pytest.mark.long
@settings(max_examples=400)
@given(pairs())
def test_many_random_pairs_are_lossless(named: GalleryPair) -> None:
    """As above with three drafts as well, and three tokens."""
    for name in ALGORITHMS:
        for form in dict.fromkeys((*forms(name, 2), *forms(name, 3))):
            cell = Cell(name, program(name, form), "random", named.pair, named.prompt)
            for result in audit_cell(cell, 3):
                expected = {LOSSLESS}
                if name == "tli" and not named.pair.intersection:
                    expected = {NOT_APPLICABLE}
                assert {result.verdict} == expected, named
