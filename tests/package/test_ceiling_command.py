"""draftproof ceiling: the table, the JSON, and what is said of bad input."""

from __future__ import annotations

import importlib.util
import json
from importlib import resources

import jsonschema
import pytest
from draftproof.cli import main

needs_scipy = pytest.mark.skipif(not importlib.util.find_spec("scipy"), reason="needs scipy")


@needs_scipy
def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ceiling", "--pair", "base", "--lookahead", "3"]) == 0
    out = capsys.readouterr().out
    assert "339/200" in out
    assert "1533/1000" in out
    assert "fixed:3: 1 bounds verified in rationals; block verification reaches 1 of them" in out


@needs_scipy
def test_json_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--pair", "composition", "--pair", "no-proposal", "--rule", "lookup:2/cap:3"]
    assert main(["ceiling", *arguments, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    schema = resources.files("draftproof.proofs").joinpath("schemas/ceiling.json")
    jsonschema.validate(found, json.loads(schema.read_text("utf-8")))
    assert found["stop_rule"] == "lookup:2/cap:3"
    assert [row["pair"] for row in found["pairs"]] == ["composition", "no-proposal"]
    assert all(row["gap"]["exact"] == "0/1" for row in found["pairs"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pair", "bse"], "no gallery pair is called 'bse'"),
        (["--rule", "nothing"], "no stop rule is called 'nothing'"),
        (["--lookahead", "0"], "0 is below 1"),
        (["--lookahead", "2", "--rule", "fixed:2"], "not allowed with argument"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["ceiling", *arguments])
    except SystemExit as end:
        code = end.code
    assert code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_without_scipy_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "scipy" else honest(name)
    )
    assert main(["ceiling", "--pair", "base"]) == 2
    assert "pip install 'draftproof[proofs]'" in capsys.readouterr().err
