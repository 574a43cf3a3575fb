"""The tie between the theorems and the code, and its controls: computed, and the truth."""

from __future__ import annotations

import re

import pytest
from draftproof.proofs import coq_controls, coq_tie, coq_workshop
from draftproof.proofs.coq_workshop import Workshop, sources

needs_coq = pytest.mark.skipif(coq_workshop.coqc() is None, reason=coq_workshop.NOT_INSTALLED)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """The proofs, compiled up to the counterexamples."""
    made = Workshop(tmp_path_factory.mktemp("tie"), sources())
    assert made.compile(["Counterexamples"]) == ()
    return made


def test_the_tie_covers_every_gallery_pair_and_repeats_itself():
    files = coq_tie.tie_files(random=2)
    assert files == coq_tie.tie_files(random=2)
    text = "".join(files.values())
    for place in ("base", "many_to_one", "no_proposal", "end_ids_differ", "random_2"):
        for algorithm in ("union", "block", "exact_match", "slem_1", "slrs_2", "slrs_one_1"):
            assert f"Example pair_{place}_{algorithm} :" in text
    assert "Example pair_many_to_one_tli :" in text
    assert "Example pair_empty_intersection_tli" not in text  # TLI has nothing to draft there


@needs_coq
def test_a_number_changed_in_a_table_is_noticed(workshop):
    """The tie's own control: a law that is off by a little, and one that lacks a row."""
    (place,) = [
        coq_tie.Place(one.name, one.pair, one.prompt)
        for one in coq_tie.gallery()
        if one.name == "base"
    ]
    lines = coq_tie.source([place], "one pair").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Example pair_base_union "))
    head = "\n".join(lines[:start])
    example = lines[start]
    wrong = example.replace("3 // 10)", "299 // 1000)", 1)
    lacking = re.sub(r"\[:: \(\[:: 0\], 3 // 10\); ", "[:: ", example, count=1)
    assert example not in (wrong, lacking)
    for number, changed in enumerate((example, wrong, lacking)):
        proof = (
            "Proof. by vm_compute. Qed."
            if changed is example
            else "Proof. Fail by vm_compute. Abort."
        )
        workshop.write(f"Changed{number}", f"{head}\n{changed}\n{proof}\n")
        assert workshop.compile_file(f"Changed{number}") is None


@needs_coq
def test_no_example_computes_to_its_denial(workshop):
    denied = coq_controls.refuted_examples(sources())
    assert set(denied) == {"DeniedCounterexamples"}
    for name, text in denied.items():
        workshop.write(name, text)
        assert workshop.compile_file(name) is None


@needs_coq
def test_a_denial_that_holds_is_noticed(tmp_path):
    mathcomp = "From mathcomp Require Import all_ssreflect ssralg ssrnum.\n"
    false = {"Untrue": f"{mathcomp}Example no : 1 == 2.\nProof. by []. Qed."}
    (denial,) = coq_controls.refuted_examples(false).values()
    alone = denial.replace("From draftproof Require Import Untrue.\n", "")
    failure = Workshop(tmp_path, {"Denied": alone.replace("ring_scope", "nat_scope")}).compile_file(
        "Denied"
    )
    assert failure is not None
    assert "has not failed" in failure.message
