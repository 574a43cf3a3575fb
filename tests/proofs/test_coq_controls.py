"""Negative controls of the machine-checked proofs: each mutation must break the proof it names."""

from __future__ import annotations

import pytest
from draftproof.proofs import coq_controls, coq_workshop
from draftproof.proofs.coq_controls import CONTROLS, Control, mutate, run_controls
from draftproof.proofs.coq_workshop import CoqError, Workshop, sources

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
def test_every_mutation_breaks_the_proof_it_names():
    outcomes = run_controls()
    assert [f"{one.control.name}: {one.said}" for one in outcomes if not one.refused] == []
    assert len(outcomes) == len(CONTROLS)


@needs_coq
def test_what_is_no_control_is_noticed():
    outcomes = run_controls(NO_CONTROLS)
    assert not any(one.refused for one in outcomes)
    unchanged, spaced, unreadable, unknown, elsewhere = (one.said for one in outcomes)
    assert unchanged == spaced == "Coq accepts the mutated file"
    assert "cannot be read" in unreadable
    assert "cannot be read" in unknown
    assert "not in the proof of standard_rule_lossless" in elsewhere


@needs_coq
def test_no_example_computes_to_its_denial(tmp_path):
    texts = sources()
    denied = coq_controls.refuted_examples(texts)
    assert set(denied) == {"DeniedCounterexamples"}
    workshop = Workshop(tmp_path, {**texts, **denied})
    assert workshop.compile(denied) == ()


@needs_coq
def test_a_denial_that_holds_is_noticed(tmp_path):
    false = {"Untrue": "Example no : 1 == 2.\nProof. by []. Qed."}
    (denial,) = coq_controls.refuted_examples(false).values()
    alone = denial.replace("From draftproof Require Import Untrue.\n", "")
    failure = Workshop(tmp_path, {"Denied": alone.replace("ring_scope", "nat_scope")}).compile_file(
        "Denied"
    )
    assert failure is not None
    assert "has not failed" in failure.message
