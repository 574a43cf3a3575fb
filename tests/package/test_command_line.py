"""The command line: exit codes, where output goes, JSON that validates, help that teaches."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import draftproof
import jsonschema
import pytest
from draftproof.cli import main
from draftproof.reference import ALGORITHMS, forms
from draftproof.toymodels import GALLERY

SMALL = ("--lookahead", "1", "--horizon", "2")

Capture = pytest.CaptureFixture[str]


def validated(text: str, name: str) -> dict[str, Any]:
    """``text`` as the one JSON object that it must be, after the schema had a look at it."""
    schema = resources.files("draftproof.audit").joinpath(f"schemas/{name}.json").read_text("utf-8")
    value = json.loads(text)
    jsonschema.Draft202012Validator(json.loads(schema)).validate(value)
    return value


def piped(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "draftproof", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (("builtin:slrs", "--pair", "base"), 0, "LOSSLESS"),
        (("example:one-preimage", "--pair", "many-to-one"), 1, "LOSSY"),
        (
            ("example:one-preimage", "--pair", "many-to-one", "--relaxed", "approximate"),
            0,
            "RELAXED",
        ),
        (("builtin:tli", "--pair", "empty-intersection"), 2, "NOT_APPLICABLE"),
        (("builtin:slrs", "--pair", "base", "--budget", "0.0001"), 3, "UNDECIDED"),
    ],
)
def test_exit_codes_and_json_alone_on_standard_output(
    arguments: tuple[str, ...], code: int, verdict: str, capsys: Capture
) -> None:
    assert main(["audit", *arguments, *SMALL, "--json", "-"]) == code
    out, err = capsys.readouterr()
    report = validated(out, "report")
    assert {subject["verdict"] for subject in report["subjects"]} == {verdict}
    assert verdict in err
    if verdict == "RELAXED":
        assert all(r["reason"] == "declared: approximate" for r in report["results"])
    if verdict == "NOT_APPLICABLE":
        assert "draftproof: nothing could be checked: the vocabularies share no token" in err


def test_tables_go_to_standard_output(capsys: Capture) -> None:
    assert main(["audit", "builtin:slem", "--pair", "base", *SMALL]) == 0
    out, err = capsys.readouterr()
    assert "LOSSLESS: 1 subject, 1 pair, 4 checks, every distance exactly 0" in out
    assert err == ""


def test_the_example_of_the_contract(capsys: Capture) -> None:
    command = "audit builtin:slrs --pair base --lookahead 2 --horizon 4 --json -"
    assert main(command.split()) == 0
    report = validated(capsys.readouterr().out, "report")
    forms_seen = {r["stop_rule"] for r in report["results"]}
    assert forms_seen == set(forms("slrs", 2))
    for result in report["results"]:
        assert result["total_variation"] == {"exact": "0/1", "float": 0.0}
        assert (result["lookahead"], result["horizon"], result["pair"]) == (2, 4, "base")


def test_pairs_may_be_repeated(capsys: Capture) -> None:
    pairs = ("--pair", "base", "--pair", "equal", "--pair", "base")
    assert main(["audit", "builtin:union", *pairs, *SMALL, "--json", "-"]) == 0
    report = validated(capsys.readouterr().out, "report")
    assert [r["pair"] for r in report["results"]] == ["base", "base", "equal", "equal"]


def test_files_are_written(tmp_path: Path, capsys: Capture) -> None:
    target, junit = tmp_path / "report.json", tmp_path / "junit.xml"
    command = ["audit", "example:one-preimage", "--pair", "many-to-one", *SMALL]
    assert main([*command, "--json", str(target), "--junit", str(junit)]) == 1
    report = validated(target.read_text("utf-8"), "report")
    root = ElementTree.parse(junit).getroot()
    assert len(root.findall(".//testcase/failure")) == len(report["results"]) == 2
    assert "LOSSY" in capsys.readouterr().out


def test_random_pairs(capsys: Capture) -> None:
    command = ["audit", "builtin", "--random", "5", "--seed", "1", *SMALL, "--json", "-"]
    outputs = []
    for _ in range(2):
        assert main(command) == 0
        report = validated(capsys.readouterr().out, "report")
        assert len({r["pair"] for r in report["results"]}) == 5
        outputs.append([{**r, "seconds": None} for r in report["results"]])
    assert outputs[0] == outputs[1]


def test_a_failure_on_a_random_pair_is_described(capsys: Capture) -> None:
    """Witness and pair are printed, and nothing on standard error when it is not a terminal."""
    assert main(["audit", "example:resample-from-p", "--random", "50", "--seed", "1"]) == 1
    out, err = capsys.readouterr()
    assert "random:1:smallest" in out
    assert "with probability" in out
    text = " ".join(out.split())
    assert "the pair is {'name': 'random'" in text
    assert "'target': {'size': 2" in text
    assert err == ""


def test_the_gallery(capsys: Capture) -> None:
    assert main(["gallery", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    listed = validated(out, "gallery")["pairs"]
    assert [pair["name"] for pair in listed] == list(GALLERY)
    assert all(pair["shows"] for pair in listed)
    assert "many-to-one" in err
    assert main(["gallery"]) == 0
    assert "many-to-one" in capsys.readouterr().out


@pytest.mark.parametrize("name", ALGORITHMS)
def test_traces(name: str, capsys: Capture) -> None:
    """Every form on a few pairs and seeds: JSON that validates, text that ends in the outcome."""
    for pair in ("base", "crossing-merges", "no-proposal", "unreadable-context", "end-ids-differ"):
        for form in forms(name, 2):
            command = ["trace", name, "--pair", pair, "--seed", "3", "--form", form]
            assert main([*command, "--json", "-"]) == 0
            out, err = capsys.readouterr()
            found = validated(out, "trace")
            assert found["algorithm"] == name
            assert found["emitted"]
            assert f"emitted   {found['emitted']}" in err
            for step in found["steps"]:
                if step["verb"] == "accept":
                    numerator, denominator = map(int, step["coin"].split("/"))
                    top, bottom = map(int, step["law"].split("/"))
                    assert step["outcome"] == (numerator * bottom < top * denominator)
            assert main(command) == 0
            assert capsys.readouterr().out == err


def test_a_trace_is_a_function_of_its_seed(capsys: Capture) -> None:
    def traced(seed: str) -> str:
        assert main(["trace", "slrs", "--seed", seed, "--json", "-"]) == 0
        return capsys.readouterr().out

    assert traced("1") == traced("1")
    assert len({traced(str(seed)) for seed in range(6)}) > 1


@pytest.mark.parametrize("command", ["audit", "gallery", "trace"])
def test_help_shows_examples(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert "examples:" in capsys.readouterr().out


def test_version_and_the_packages_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"draftproof {draftproof.__version__}\n"


def test_as_a_process() -> None:
    """The command as a shell runs it, its streams piped: no progress, no colours."""
    found = piped("audit", "example:resample-from-p", "--pair", "base", *SMALL, "--json", "-")
    assert found.returncode == 1
    report = validated(found.stdout, "report")
    assert report["subjects"][0]["verdict"] == "LOSSY"
    assert "\x1b" not in found.stdout + found.stderr
    assert "auditing" not in found.stderr


def test_a_reader_that_leaves_is_no_verdict() -> None:
    """A closed pipe is not exit code 1, which says LOSSY; and no traceback."""
    with subprocess.Popen(
        [sys.executable, "-m", "draftproof", "gallery"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=60) == 2
        assert b"Traceback" not in said


def test_the_library_runs_from_a_plain_script(tmp_path: Path) -> None:
    """No ``if __name__ == "__main__"`` is needed: the library starts no processes of its own."""
    script = tmp_path / "audit.py"
    script.write_text(
        "from draftproof.audit import run\n"
        "print(run('builtin:standard', lookaheads=(1,), horizon=1).verdict)\n"
    )
    found = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "LOSSLESS\n", "")
