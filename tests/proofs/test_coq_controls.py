"""Negative controls of the machine-checked proofs: each mutation must break the proof it names."""

from __future__ import annotations

import pytest
from draftproof.proofs import coq_controls, coq_workshop
from draftproof.proofs.coq_controls import CONTROLS, Control, mutate, run_controls
from draftproof.proofs.coq_workshop import CoqError, sources

needs_coq = pytest.mark.skipif(coq_workshop.coqc() is None, reason=coq_workshop.NOT_INSTALLED)

#: The harness must notice each of these: no control at all, in one way or another.
NO_CONTROLS = (
    # Nothing is changed, so nothing fails.
    Control("StandardRule.standard_rule_lossless", "p y * F y", "p y * F y"),
    # Spaces are.
    Control("StandardRule.standard_rule_lossless", "p y * F y", "p y  *  F y"),
    # The mutated text cannot be read.
    Control("StandardRule.standard_rule_lossless", "p y * F y", "p y * * F y"),
    # It names what is not there.
    Control("StandardRule.standard_rule_lossless", "p y * F y", "p y * nobody y"),
    # It breaks a lemma before the theorem it names.
    Control(
        "StandardRule.standard_rule_lossless",
        "Num.min 1 (ratio (p x) (psi x))",
        "Num.min 1 (2%:R * ratio (p x) (psi x))",
        False,
    ),
)


def test_every_theorem_has_a_control():
    assert coq_controls.uncontrolled(sources()) == []


def test_a_theorem_without_a_control_is_noticed():
    one_less = [one for one in CONTROLS if one.theorem != "Block.standard_lossless"]
    assert coq_controls.uncontrolled(sources(), one_less) == ["Block.standard_lossless"]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda one: one.name)
def test_every_mutation_finds_its_text(control):
    text = sources()[control.file]
    mutated, theorem = mutate(control, text)
    assert control.mutated in mutated
    assert mutated[theorem.start : theorem.end].rstrip().endswith("Qed.")


def test_a_text_that_is_not_there_is_refused():
    text = sources()["StandardRule"]
    with pytest.raises(CoqError, match="occurs 0 times"):
        mutate(Control("StandardRule.standard_rule_lossless", "no such text", ""), text)
    with pytest.raises(CoqError, match="0 statements called nobody"):
        mutate(Control("StandardRule.nobody", "p", "q"), text)


@needs_coq
def test_every_mutation_breaks_the_proof_it_names_and_what_is_no_control_is_noticed():
    """One run for both, since compiling the proofs is most of the time."""
    outcomes = run_controls([*CONTROLS, *NO_CONTROLS])
    controls, none = outcomes[: len(CONTROLS)], outcomes[len(CONTROLS) :]
    assert [f"{one.control.name}: {one.said}" for one in controls if not one.refused] == []
    assert not any(one.refused for one in none)
    unchanged, spaced, unreadable, unknown, elsewhere = (one.said for one in none)
    assert unchanged == spaced == "Coq accepts the mutated file"
    assert "cannot be read" in unreadable
    assert "cannot be read" in unknown
    assert "not in the proof of standard_rule_lossless" in elsewhere
