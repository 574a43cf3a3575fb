"""``draftproof tokenizers``: its output, its JSON, and each kind of bad input in one line."""

from __future__ import annotations

import json
import sys

import pytest
from draftproof.cli import main

PAIR = ["builtin:many-to-one", "builtin:many-to-one", "--quick"]


def run(*arguments):
    return main(["tokenizers", *arguments])


def test_a_readable_report(capsys):
    assert run(*PAIR) == 0
    out, error = capsys.readouterr()
    assert error == ""
    lines = [line.split() for line in out.splitlines()]
    assert ["ids", "2", "3"] in lines
    assert ["ids", "in", "the", "intersection", "2", "3"] in lines
    assert ["target", "ids", "that", "several", "drafter", "ids", "mean", "1"] in lines
    assert "Advice" in out
    assert "Traceback" not in out


def test_json_alone_on_standard_output(capsys):
    assert run(*PAIR, "--json", "-") == 0
    out, error = capsys.readouterr()
    value = json.loads(out)
    assert value["schema"] == "draftproof/tokenizers/1"
    assert value["facts"]["drafter"]["ids"] == 3
    assert value["facts"]["drafter"]["name"] == "builtin:many-to-one (drafter)"
    assert "Advice" in error


def test_json_to_a_file_and_text_of_ones_own(tmp_path, capsys):
    text = tmp_path / "own.txt"
    text.write_text("abab", encoding="utf-8")
    path = tmp_path / "report.json"
    assert run(*PAIR, "--corpus", str(text), "--seed", "3", "--json", str(path)) == 0
    value = json.loads(path.read_text("utf-8"))
    assert [each["section"] for each in value["coverage"]] == ["own.txt"]
    assert value["coverage"][0]["target"]["tokens"] == 4
    assert value["settings"]["seed"] == 3
    assert "own.txt" in capsys.readouterr().out


def test_the_built_in_corpus_beside_ones_own(tmp_path, capsys):
    text = tmp_path / "own.txt"
    text.write_text("ab", encoding="utf-8")
    assert run(*PAIR, "--corpus", "builtin", "--corpus", str(text), "--json", "-") == 0
    value = json.loads(capsys.readouterr().out)
    sections = [each["section"] for each in value["coverage"]]
    assert sections[0] == "English" and sections[-2:] == ["own.txt", "all"]


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as end:
        run("--help")
    assert end.value.code == 0
    assert "draftproof tokenizers gpt2 gemma3" in capsys.readouterr().out


def test_the_names_are_listed(capsys):
    assert run("--list") == 0
    out = capsys.readouterr().out
    for name in ("gpt2", "gemma3", "llama3", "mistral"):
        assert name in out


BAD = [
    ([], ("T and D",)),
    (["gpt2"], ("D missing",)),
    (["gpt2", "gemma3", "--list"], ("--list",)),
    (["--list", "--json", "-"], ("--list",)),
    (["builtin:nothing-like-it", "builtin:base"], ("'nothing-like-it'", "gallery pair")),
    (["builtin:base", "builtin:bas"], ("'bas'", "near names: base")),
    ([*PAIR, "--seed", "-1"], ("--seed", "-1")),
    ([*PAIR, "--seed", "x"], ("--seed", "'x'")),
    ([*PAIR, "--json", "no/such/folder/x.json"], ("no/such/folder/x.json",)),
    ([*PAIR, "--corpus", "no/such/file.txt"], ("no/such/file.txt",)),
    ([*PAIR, "--plot", "lengths.gif"], ("lengths.gif", ".svg or .png")),
    ([*PAIR, "--colour"], ("--colour",)),
    (["no-such-tokenizer.json", "builtin:base"], ("no-such-tokenizer.json",)),
    (["builtin:base", "no/such/folder"], ("no/such/folder",)),
]


@pytest.mark.parametrize(("arguments", "named"), BAD, ids=lambda part: " ".join(part))
def test_bad_input_is_one_line(arguments, named, capsys):
    try:
        code = run(*arguments)
    except SystemExit as end:
        code = end.code
    out, error = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert error.count("\n") == 1 and error.startswith("draftproof")
    assert "internal error" not in error
    for each in named:
        assert each in error


def test_what_is_no_utf_8_is_one_line(tmp_path, capsys):
    text = tmp_path / "own.txt"
    text.write_bytes(b"ab\xff")
    assert run(*PAIR, "--corpus", str(text)) == 2
    assert "byte 0xff at offset 2" in capsys.readouterr().err


def test_a_plot_without_matplotlib_is_one_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(*PAIR, "--plot", str(tmp_path / "x.svg")) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x.svg").exists()


def test_a_plot(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="the picture needs draftproof[plots]")
    assert run(*PAIR, "--plot", str(tmp_path / "x.svg")) == 0
    assert (tmp_path / "x.svg").read_text("utf-8").lstrip().startswith("<?xml")
    assert "Advice" in capsys.readouterr().out
