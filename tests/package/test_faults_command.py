"""`draftproof faults`: what it prints, its JSON, its exit codes."""

import json
from importlib import resources

import jsonschema
import pytest
from draftproof.audit.bank import BANK
from draftproof.cli import main

pytest.importorskip("numpy")


def test_one_entry_in_full(capsys):
    assert main(["faults", "--entry", "coin-reused-for-residual"]) == 0
    shown = capsys.readouterr().out
    assert "due 2/5        given 3/10" in shown
    assert "sgl-project/sglang #7207" in shown
    assert "# WRONG: u lies above p/q" in shown
    assert "LOSSY" in shown
    assert "1 of 1 faults seen" in shown


def test_json_alone_on_standard_output(capsys):
    chosen = ["--entry", "always-accept", "--entry", "match-rule", "--entry", "typical-acceptance"]
    assert main(["faults", *chosen, "--json", "-"]) == 0
    value = json.loads(capsys.readouterr().out)
    schema = resources.files("draftproof.audit").joinpath("schemas/faults.json").read_text("utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(value)
    first, second, third = value["entries"]
    assert first["given"][0] == {"ids": [0], "probability": "1/5"}
    assert first["levels"]["next-token"] == "LOSSY"
    assert second["verdict"] == "LOSSLESS"
    assert (third["verdict"], third["undeclared"]) == ("RELAXED", "LOSSY")
    assert all(entry["problems"] == [] for entry in value["entries"])


def test_every_entry_is_listed_without_an_audit(capsys):
    assert main(["faults", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in BANK)


@pytest.mark.parametrize(
    "arguments", [["--entry", "no-such-fault"], ["--list", "--json", "-"], ["--entries"]]
)
def test_bad_input_is_one_line(arguments, capsys):
    try:
        code = main(["faults", *arguments])
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["faults", "--help"])
    shown = capsys.readouterr().out
    assert "next token" in shown
    assert "examples:" in shown
    assert "exit codes:" in shown
