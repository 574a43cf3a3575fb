"""Demand 5: each kind of bad input is one line that names value and place, with exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from draftproof.cli import main

Capture = pytest.CaptureFixture[str]

#: Arguments, and what the line must name: the value, and where it was given or what there is.
BAD: list[tuple[str, tuple[str, ...]]] = [
    # No such command, subject, algorithm, pair, form.
    ("", ("COMMAND",)),
    ("audi", ("audi", "COMMAND")),
    ("audit nonsense", ("'nonsense'", "builtin")),
    ("audit builtin:slrx", ("'builtin:slrx'", "did you mean builtin:slrs")),
    ("audit builtin:", ("'builtin:'", "slrs")),
    ("audit example:nothing", ("'example:nothing'", "resample-from-p")),
    ("audit vllm:sampler", ("'vllm:sampler'",)),
    ("audit package.module:name", ("package.module:name",)),
    ("audit missing.py:f --as rule", ()),
    ("audit builtin:slem --as rule", ()),
    ("audit builtin:slem --pair bas", ("'bas'", "near names: base")),
    ("audit builtin:slem --pair base --pair xyzzy", ("'xyzzy'", "gallery pair")),
    ("trace nothing", ("'nothing'", "standard")),
    ("trace slem --pair bas", ("'bas'",)),
    ("trace slem --form fixed:two", ("'fixed:two'", "fixed:3")),
    ("trace slem --form fixed:0", ("lookahead is 0",)),
    ("trace slem --form fixed:2/one-token", ("'fixed:2/one-token'",)),
    ("trace standard --form characters:2/cap:3", ("standard", "'characters:2/cap:3'")),
    ("trace autoregressive --form nonsense", ("'nonsense'",)),
    ("trace tli --pair empty-intersection", ("share no token",)),
    # Numbers.
    ("audit builtin:slem --lookahead 0", ("--lookahead", "0 is below 1")),
    ("audit builtin:slem --lookahead -2", ("--lookahead", "-2 is below 1")),
    ("audit builtin:slem --lookahead two", ("--lookahead", "'two'")),
    ("audit builtin:slem --lookahead 1.5", ("--lookahead", "'1.5'")),
    ("audit builtin:slem --horizon 0", ("--horizon", "0 is below 1")),
    ("audit builtin:slem --horizon x", ("--horizon", "'x'")),
    ("audit builtin --random 0", ("--random", "0 is below 1")),
    ("audit builtin --random -5", ("--random", "-5 is below 1")),
    ("audit builtin --random some", ("--random", "'some'")),
    ("audit builtin --random 2 --seed -1", ("--seed", "-1 is below 0")),
    ("audit builtin --random 2 --seed x", ("--seed", "'x'")),
    ("audit builtin:slem --budget nan", ("--budget", "nan")),
    ("audit builtin:slem --budget inf", ("--budget", "inf")),
    ("audit builtin:slem --budget -1", ("--budget", "-1")),
    ("audit builtin:slem --budget soon", ("--budget", "'soon'")),
    ("audit builtin:slem --budget 0", ("budget is 0.0",)),
    ("audit builtin:slem --random 2 --budget 0", ("budget is 0.0",)),
    ("audit builtin:slem --tolerance nan", ("--tolerance", "nan")),
    ("audit builtin:slem --tolerance -0.1", ("--tolerance", "-0.1")),
    ("trace slem --seed -1", ("--seed", "-1 is below 0")),
    ("trace slem --lookahead 0", ("--lookahead", "0 is below 1")),
    # Options that do not go together, lack a value, or do not exist.
    ("audit builtin --random 3 --pair base", ("--random", "--pair")),
    ("trace slem --form fixed:2 --lookahead 2", ("--form", "--lookahead")),
    ("audit builtin:slem --pair", ("--pair", "one argument")),
    ("audit builtin:slem --nonsense", ("--nonsense",)),
    ("audit builtin:slem more", ("more",)),
    ("trace", ("ALGORITHM",)),
    ("gallery base", ("base",)),
    # Files.
    ("audit builtin:slem --json /nonexistent/r.json", ("/nonexistent/r.json", "No such file")),
    ("audit builtin:slem --junit /nonexistent/r.xml", ("/nonexistent/r.xml", "No such file")),
    ("audit builtin:slem --json /", ("'/'", "directory")),
    ("gallery --json /nonexistent/g.json", ("/nonexistent/g.json",)),
    ("trace slem --json /nonexistent/t.json", ("/nonexistent/t.json",)),
]


def ended(arguments: list[str]) -> int:
    """The exit code, however it is given."""
    try:
        return main(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code


def check_refusal(code: int, out: str, err: str, named: tuple[str, ...]) -> None:
    assert code == 2
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    assert err.startswith("draftproof")
    assert "Traceback" not in err
    assert "internal error" not in err
    for part in named:
        assert part in err


@pytest.mark.parametrize(("command", "named"), BAD, ids=[command for command, _ in BAD])
def test_one_line_that_names_value_and_place(
    command: str, named: tuple[str, ...], capsys: Capture
) -> None:
    code = ended(command.split())
    check_refusal(code, *capsys.readouterr(), named)


@pytest.mark.parametrize("text", ["", "   "])
def test_a_relaxation_without_a_name(text: str, capsys: Capture) -> None:
    code = ended(["audit", "example:one-preimage", "--relaxed", text])
    check_refusal(code, *capsys.readouterr(), ("--relaxed", "names the property"))


@pytest.mark.parametrize(
    "command",
    ["audit builtin:slem --lookahead 0", "audit nonsense", "trace slem --json /nonexistent/x"],
)
def test_as_a_process(command: str) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "draftproof", *command.split()],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    check_refusal(found.returncode, found.stdout, found.stderr, ())


def test_a_refusal_leaves_no_file_behind(tmp_path: Path, capsys: Capture) -> None:
    """Nor does it touch one that is there."""
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    old.write_text("kept")
    for path in (new, old):
        assert ended(["audit", "nonsense", "--json", str(path)]) == 2
    assert not new.exists()
    assert old.read_text() == "kept"
    capsys.readouterr()


def test_an_error_of_ours_is_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """And DRAFTPROOF_TRACEBACK shows where it came from."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("draftproof.audit.running.run_named", broken)
    assert ended(["audit", "builtin:slem"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "internal error, RuntimeError: two lines" in err
    monkeypatch.setenv("DRAFTPROOF_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main(["audit", "builtin:slem"])


def test_the_check_can_fail(capsys: Capture) -> None:
    """Planted: usage before the line, output before the refusal, another exit code, a traceback."""
    line = "draftproof: no such thing\n"
    check_refusal(2, "", line, ("no such thing",))
    for code, out, err in (
        (2, "", f"usage: draftproof\n{line}"),
        (2, "a table\n", line),
        (1, "", line),
        (2, "", "Traceback (most recent call last):\n"),
        (2, "", "draftproof: internal error, KeyError: 'x'\n"),
        (2, "", ""),
    ):
        with pytest.raises(AssertionError):
            check_refusal(code, out, err, ())
    assert capsys.readouterr() == ("", "")
