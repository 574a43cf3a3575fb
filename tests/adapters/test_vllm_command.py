"""``draftproof audit vllm`` where something is missing or misspelt: one line, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from draftproof.adapters.vllm import survey
from draftproof.audit.report import NOT_APPLICABLE
from draftproof.cli import main


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr(survey, "available", list)


def test_without_a_release_it_says_how_to_get_one(
    nothing_here: None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(survey, "find_spec", lambda name: object())
    report = survey.survey_vllm("standard")
    assert report.verdict == NOT_APPLICABLE
    assert report.subjects[0].reason == (
        "no release of vllm is here: make vllm fetches the pinned ones"
    )


def test_without_triton_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(survey, "find_spec", lambda n: None if n == "triton" else object())
    assert survey.missing() == "triton is not installed: pip install torch numpy triton"
    assert main(["audit", "vllm:block"]) == 2
    said = capsys.readouterr()
    assert "nothing could be checked: triton is not installed: pip install" in said.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["vllm:stanard"], "no subject is called 'vllm:stanard'; there are standard,"),
        (["vllm", "--pair", "base"], "--pair does not apply to vllm"),
        (["vllm:block", "--as", "rule"], "--as does not apply to vllm"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]):
    assert main(["audit", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and line in said.err and said.err.count("\n") == 1


def test_names_and_versions_are_told_apart(nothing_here: None):
    assert survey.named(None) == (list(survey.SUBJECTS), None)
    assert survey.named("block@0.32.0") == (["block"], "0.32.0")
    assert survey.named("@0.32.0") == (list(survey.SUBJECTS), "0.32.0")
