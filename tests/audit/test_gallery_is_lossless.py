"""Demand 1: every built-in algorithm, in every form, is exactly lossless on every gallery pair."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import brute_force
import pytest
from draftproof.audit import LOSSLESS, LOSSY, NOT_APPLICABLE, Result, audit_cell
from draftproof.audit.exact_audit import Cell
from draftproof.audit.subjects import cell
from draftproof.reference import ALGORITHMS, Chance, Ids, Pair, Program, Rational, forms, program
from draftproof.reference.drafting import draft_tokens
from draftproof.reference.exact_match import match
from draftproof.reference.rounds import Round, finish
from draftproof.reference.slrs import slrs_round
from draftproof.reference.standard import verify
from draftproof.reference.stop_rules import Fixed
from draftproof.toymodels import GALLERY, gallery_pair

HORIZON = 4
STRING_LEVEL = ("slem", "slrs")


def audited(name: str, form: str, pair: str) -> list[Result]:
    return audit_cell(cell(f"builtin:{name}", form, gallery_pair(pair)), HORIZON)


def is_exactly_lossless(result: Result) -> bool:
    value = result.total_variation
    return (
        result.verdict == LOSSLESS
        and value is not None
        and isinstance(value.exact, Rational)
        and value.exact == 0
        and result.error_mass == 0
        and result.unexplored_mass == 0
    )


def is_not_applicable(name: str, pair: str) -> bool:
    return (name, pair) == ("tli", "empty-intersection")


@pytest.mark.parametrize("lookahead", [1, 2, 3])
@pytest.mark.parametrize("pair_name", GALLERY)
def test_every_form_is_lossless_here(pair_name: str, lookahead: int) -> None:
    """One round at every reachable context and whole runs to 4 tokens: distance exactly 0.

    On the way: what the report says of the first round at the prompt (the acceptance is Table 3's,
    re-derived by brute force; the orderings between algorithms hold).
    """
    named = gallery_pair(pair_name)
    contexts = brute_force.reachable(named.pair, named.prompt, HORIZON)
    acceptance: dict[tuple[str, str], object] = {}
    tokens: dict[tuple[str, str], object] = {}
    names = ALGORITHMS if lookahead == 1 else ALGORITHMS[1:]  # autoregressive has no lookahead
    for name in names:
        for form in forms(name, lookahead):
            one_round, run = audited(name, form, pair_name)
            assert (one_round.check, run.check) == ("one-round", "run")
            if is_not_applicable(name, pair_name):
                assert one_round.verdict == run.verdict == NOT_APPLICABLE
                assert "share no token" in (one_round.reason or "")
                assert one_round.total_variation is None
                continue
            assert is_exactly_lossless(one_round), one_round
            assert is_exactly_lossless(run), run
            assert one_round.paths is not None
            assert one_round.paths > 0
            looked_at = one_round.contexts or 0
            if "look-behind" in form:  # carried states come on top
                assert looked_at >= len(contexts)
            else:
                assert looked_at == len(contexts)
            if name == "autoregressive":
                assert one_round.acceptance is None
                assert one_round.tokens_per_pass is not None
                assert one_round.tokens_per_pass.exact == 1
                continue
            assert one_round.acceptance == run.acceptance
            assert one_round.acceptance is not None
            assert one_round.tokens_per_pass is not None
            acceptance[name, form] = one_round.acceptance.exact
            tokens[name, form] = one_round.tokens_per_pass.exact
            if "look-behind" not in form:
                rule = form.removesuffix("/one-token").removesuffix("/block")
                expected = brute_force.table_3(named.pair, named.prompt, name, rule)
                assert brute_force.exactly(one_round.acceptance.exact) == expected

    fixed = f"fixed:{lookahead}"
    for form in forms("slrs", lookahead):
        if (other := ("slem", form)) in acceptance:
            assert acceptance["slrs", form] >= acceptance[other]
    assert tokens["slrs", f"{fixed}/block"] >= tokens["slrs", fixed]
    if (spelled := f"spelled:{lookahead}") in forms("slrs", lookahead):
        assert tokens["slrs", f"{spelled}/block"] >= tokens["slrs", spelled]
    assert tokens["block", fixed] >= tokens["standard", fixed]
    if not is_not_applicable("tli", pair_name):
        assert acceptance["tli", fixed] >= acceptance["union", fixed]
    for name in ("exact-match", "standard", "block", "union", "slem", "slrs"):
        assert tokens[name, fixed] >= 1


@pytest.mark.long
@pytest.mark.parametrize("pair_name", GALLERY)
@pytest.mark.parametrize("form", ["fixed:3/look-behind:2", "fixed:2/look-behind:1"])
def test_look_behind_with_more_drafts(pair_name: str, form: str) -> None:
    """Realignment with carried states, beyond what the audit goes through by default."""
    for result in audited("slem", form, pair_name):
        assert is_exactly_lossless(result)


def off_by_one(pair: Pair, context: Ids, chance: Chance, _: Hashable) -> Round:
    """Standard decoding whose bonus token comes from the row before the last."""
    drafts = draft_tokens(pair, context, 2, chance)
    rows = pair.target.distributions(context, drafts.verifiable(pair))

    class Shifted:
        size = pair.target.size

        def distributions(self, context: Ids, continuation: Ids = ()) -> object:
            del context, continuation
            return (*rows[:-1], rows[-2] if len(rows) > 1 else rows[-1])

    return verify(replace_target(pair, Shifted()), context, drafts, chance)


def replace_target(pair: Pair, target: object) -> Pair:
    return replace(pair, target=target)


def stale_row(pair: Pair, context: Ids, chance: Chance, _: Hashable) -> Round:
    """SLEM-like matching in which the second token is drawn from the first one's law."""
    drafts = draft_tokens(pair, context, 2, chance)
    first = pair.target.distributions(context)[0]

    class Stale:
        size = pair.target.size

        def distributions(self, context: Ids, continuation: Ids = ()) -> object:
            del context
            return (first,) * (len(continuation) + 1)

    emitted = match(
        replace_target(pair, Stale()), context, drafts.tokens, drafts.verifiable(pair), chance
    )
    return finish(pair, emitted)


def wrong_psi(pair: Pair, context: Ids, chance: Chance, _: Hashable) -> Round:
    """SLRS scored by q itself, as if target and drafter had the same tokens."""
    law = pair.drafter.distributions(pair.drafter_context(context) or ())[0]
    return slrs_round(pair, context, Fixed(2), chance, True, lambda _: law)


@pytest.mark.parametrize(
    ("planted", "pair_name"),
    [(off_by_one, "contexts"), (stale_row, "contexts"), (wrong_psi, "merging-target")],
)
def test_the_check_fails_on_a_planted_fault(planted: object, pair_name: str) -> None:
    """The very criterion of demand 1 turns a copy with one thing wrong down."""
    named = gallery_pair(pair_name)
    faulty = Program("planted", planted, 2, "fixed:2")  # type: ignore[arg-type]
    results = audit_cell(Cell("planted", faulty, pair_name, named.pair, named.prompt), HORIZON)
    assert not all(map(is_exactly_lossless, results))
    assert results[0].verdict == LOSSY
    assert results[0].total_variation is not None
    assert results[0].total_variation.exact > 0


def test_the_gallery_is_as_large_as_asked() -> None:
    assert len(GALLERY) >= 14
    sides = [
        (g.pair.target_tokenizer.laws.injective, g.pair.drafter_tokenizer.laws.injective)
        for g in map(gallery_pair, GALLERY)
    ]
    assert sum(not all(side) for side in sides) >= 8


def test_program_is_what_the_audit_runs() -> None:
    """The cell's program is the named one, with its form."""
    made = cell("builtin:slrs", "fixed:2/one-token", gallery_pair("base")).program
    assert (made.name, made.stop_rule, made.lookahead) == ("slrs", "fixed:2/one-token", 2)
    assert program("slrs", 2).stop_rule == "fixed:2"
