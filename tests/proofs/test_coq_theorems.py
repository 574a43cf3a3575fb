"""The machine-checked proofs compile, rest on nothing, and hold on the Python algorithms' laws."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from draftproof.proofs import coq_tie, coq_workshop, machine_checked
from draftproof.proofs.coq_workshop import SOURCES, CoqError, Workshop, sources, statements

needs_coq = pytest.mark.skipif(coq_workshop.coqc() is None, reason=coq_workshop.NOT_INSTALLED)


@pytest.fixture(scope="module")
def result():
    return machine_checked.check()


@needs_coq
def test_every_statement_is_closed_under_the_global_context(result):
    assert result.failures == ()
    assert [one.statement.name for one in result.checked if not one.closed] == []
    assert result.proved
    kinds = [one.statement.kind for one in result.checked]
    assert kinds.count("Theorem") >= 45
    assert kinds.count("Example") >= 500  # the gallery, random pairs, the counterexamples
    assert result.theorem("standard_lossless").statement.file == "Block"
    assert result.theorem("Tie.agreement").seconds >= 0
    lines = machine_checked.report(result)
    assert "all closed" in lines[-1]
    assert sum("closed under the global context" in line for line in lines) == kinds.count(
        "Theorem"
    )


@needs_coq
def test_axioms_and_admitted_proofs_are_noticed():
    text = (
        "From mathcomp Require Import all_ssreflect.\n"
        "Axiom wishful : 0 = 1.\n"
        "Theorem from_an_axiom : 0 = 1.\nProof. exact: wishful. Qed.\n"
        "Theorem hoped : 1 = 2.\nProof.\nAdmitted.\n"
        "Theorem honest : 1 = 1.\nProof. by []. Qed.\n"
    )
    result = machine_checked.check({"Wishful": text})
    assert not result.proved
    assert {one.statement.name: one.closed for one in result.checked} == {
        "from_an_axiom": False,
        "hoped": False,
        "honest": True,
    }
    assert "wishful" in " ".join(result.theorem("from_an_axiom").assumptions)


@needs_coq
def test_a_proof_that_fails_is_reported_with_its_place():
    text = "From mathcomp Require Import all_ssreflect.\nTheorem no : 0 = 1.\nProof. by []. Qed.\n"
    result = machine_checked.check({"Wrong": text})
    assert not result.proved
    assert result.checked == ()
    (failure,) = result.failures
    assert (failure.file, failure.line) == ("Wrong", 3)
    assert machine_checked.report(result)[0].startswith("Wrong.v, line 3: ")


def test_without_coq_the_command_says_what_installs_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "draftproof.proofs.machine_checked"],
        env={"DRAFTPROOF_COQC": str(tmp_path / "no-coqc"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == machine_checked.EXIT_UNDECIDED
    assert done.stdout == ""
    assert done.stderr == coq_workshop.NOT_INSTALLED + "\n"


def test_without_coq_a_workshop_raises(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAFTPROOF_COQC", str(tmp_path / "no-coqc"))
    with pytest.raises(CoqError, match="apt-get install"):
        Workshop(tmp_path, {})


@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.v")), ids=lambda path: path.name)
def test_sources_are_short_plain_and_explained(path):
    text = path.read_text(encoding="ascii")  # positions in Coq's timings are then characters
    lines = text.splitlines()
    assert len(lines) < 300
    assert max(map(len, lines)) <= 110
    assert text.startswith("(** * ")
    assert text.index("*)") - text.index("\n\n") > 150, "a paragraph in words"
    assert not re.search(r"\b(Admitted|Axiom|Parameter|Conjecture|admit)\b", text)


def test_statements_are_found_with_their_spans():
    text = (
        "\nLemma one :\n  1 = 1.\nProof.\nby [].\nQed.\n\nTheorem two : 2 = 2. Proof. by []. Qed.\n"
    )
    first, second = statements("File", text)
    assert (first.name, first.kind, first.first_line, first.last_line) == ("one", "Lemma", 2, 6)
    assert first.text == "Lemma one :\n  1 = 1."
    assert (second.name, second.first_line, second.last_line) == ("two", 8, 8)
    assert text[second.start : second.end].startswith("Theorem two")


def test_dependencies_are_read_off_the_sources():
    texts = sources()
    assert coq_workshop.dependencies(texts["Run"]) == {
        "Distributions",
        "StandardRule",
        "Decoding",
        "Block",
    }
    assert all(coq_workshop.dependencies(text) <= texts.keys() for text in texts.values())


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
def test_a_number_changed_in_a_table_is_noticed(tmp_path):
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
    workshop = Workshop(tmp_path, sources())
    assert workshop.compile(["Tie"]) == ()
    for number, changed in enumerate((example, wrong, lacking)):
        proof = (
            "Proof. by vm_compute. Qed."
            if changed is example
            else "Proof. Fail by vm_compute. Abort."
        )
        workshop.write(f"Changed{number}", f"{head}\n{changed}\n{proof}\n")
        assert workshop.compile_file(f"Changed{number}") is None
