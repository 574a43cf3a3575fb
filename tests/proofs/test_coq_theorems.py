"""The machine-checked proofs compile, rest on nothing, and hold on the Python algorithms' laws."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from draftproof.proofs import coq_workshop, machine_checked
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
