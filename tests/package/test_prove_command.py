"""`draftproof prove`: what it prints, its JSON, its exit codes."""

import dataclasses
import json
from importlib import resources

import jsonschema
import pytest
from draftproof.cli import main
from draftproof.proofs import Check, ClaimError, claims


def ledger_of(text):
    value = json.loads(text)
    schema = resources.files("draftproof.proofs").joinpath("schemas/ledger.json").read_text("utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(value)
    return value


def test_one_claim_step_by_step(capsys):
    assert main(["prove", "psi-by-composition"]) == 0
    shown = capsys.readouterr().out
    assert "psi-by-composition: refuted" in shown
    assert "P(0,) = 1/6; 1/3 is due" in shown
    assert "total variation 1/6" in shown
    assert "smallest, of vocabularies that spell each other" in shown


def test_listed_without_running_anything(capsys):
    assert main(["prove", "--list", "--json", "-"]) == 0
    out, shown = capsys.readouterr()
    value = ledger_of(out)
    assert [claim["name"] for claim in value["claims"]] == list(claims.CLAIMS)
    assert all(claim["verdict"] is None for claim in value["claims"])
    assert all(name in shown for name in claims.CLAIMS)


def test_json_alone_on_standard_output(capsys):
    assert main(["prove", "lemma-3.1", "expected-tokens", "--json", "-"]) == 0
    value = ledger_of(capsys.readouterr().out)
    assert [claim["verdict"] for claim in value["claims"]] == ["holds", "holds"]
    assert value["claims"][0]["checks"][0]["how"] == "counterexample"


def test_an_entry_that_no_longer_holds_is_exit_code_1(capsys, monkeypatch):
    def fails():
        raise ClaimError("one is not two")

    broken = dataclasses.replace(
        claims.CLAIMS["lemma-3.1"], checks=(Check("instances", "planted", fails),)
    )
    monkeypatch.setitem(claims.CLAIMS, "lemma-3.1", broken)
    assert main(["prove", "lemma-3.1"]) == 1
    assert "one is not two" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["no-such-claim"], ["--lost"]])
def test_bad_input_is_one_line(arguments, capsys):
    try:
        code = main(["prove", *arguments])
    except SystemExit as end:
        code = end.code
    assert code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
