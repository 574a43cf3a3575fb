"""Releases side by side: environments, the matrix and how it is printed. None of it needs torch."""

from __future__ import annotations

import json
import subprocess
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from draftproof.adapters import matrix as matrix_module
from draftproof.adapters import releases
from draftproof.adapters.matrix import cell, exit_code, markdown_of, merged, rows_of, text_of, told
from draftproof.adapters.releases import ReleaseError, cache_folder, environment, listed


def result(pair: str, verdict: str, tv: float | None = None, **more: Any) -> dict[str, Any]:
    return {
        "subject": "transformers:assisted",
        "pair": pair,
        "lookahead": 2,
        "verdict": verdict,
        "total_variation": None if tv is None else {"exact": None, "float": tv},
        "error_mass": None,
        "reason": None,
        **more,
    }


def report(*results: dict[str, Any]) -> dict[str, Any]:
    return {"versions": {"torch": "2.13.0", "transformers": "x"}, "results": list(results)}


MATRIX = merged(
    {
        "4.48.3": report(result("plain", "LOSSLESS", 1e-8), result("stop", "LOSSY", 0.35)),
        "5.24.0": report(
            result("plain", "LOSSLESS", 2e-8),
            result("stop", "UNDECIDED", error_mass=1.0),
            result("weight", "RELAXED", 0.1561),
        ),
    },
    "2026-01-02",
)


def test_every_release_has_its_column_and_what_all_pass_is_counted():
    telling, counted = told(MATRIX)
    assert telling == [
        ["assisted", "stop", "2", "LOSSY 0.350", "crashes"],
        ["assisted", "weight", "2", "·", "RELAXED 0.156"],
    ]
    assert counted == [["assisted", "every other setting", "", "1 LOSSLESS", "1 LOSSLESS"]]
    assert len(rows_of(MATRIX)) == 3


def test_the_matrix_follows_its_schema():
    schema = json.loads((files("draftproof.audit") / "schemas" / "releases.json").read_text())
    jsonschema.validate(json.loads(json.dumps(MATRIX)), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**MATRIX, "releases": {}}, schema)


def test_cells_say_what_happened():
    assert cell(None) == cell(result("x", "NOT_APPLICABLE")) == "·"
    assert cell(result("x", "UNDECIDED", error_mass=0.4)) == "crashes at times"
    assert cell(result("x", "UNDECIDED", error_mass=0.0)) == "UNDECIDED"


def test_the_exit_code_is_that_of_the_worst_release():
    assert exit_code(MATRIX) == 1
    assert exit_code(merged({"5.24.0": report(result("plain", "LOSSLESS"))}, "2026-01-02")) == 0
    crash = result("plain", "UNDECIDED", error_mass=1.0)
    assert exit_code(merged({"5.24.0": report(crash)}, "2026-01-02")) == 3


def test_text_and_markdown_name_releases_date_and_torch():
    for text in (text_of(MATRIX), markdown_of(MATRIX)):
        assert "4.48.3" in text and "5.24.0" in text
        assert "2026-01-02: transformers 4.48.3, 5.24.0; torch 2.13.0; 3 cases each" in text
    assert "| assisted | stop | 2 | LOSSY 0.350 | crashes |" in markdown_of(MATRIX)


def test_releases_are_listed_oldest_first_and_checked():
    assert listed("5.24.0, 4.48.3,5.4.0") == ("4.48.3", "5.4.0", "5.24.0")
    for wrong in ("", "5.24", "latest", "5.24.0; rm"):
        with pytest.raises(ReleaseError):
            listed(wrong)


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DRAFTPROOF_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.delenv("DRAFTPROOF_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert cache_folder() == Path("/cache/draftproof")


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """An installation that always fails, and what was asked of it."""
    asked: list[list[str]] = []

    def run(command: list[Any], **_: Any) -> Any:
        asked.append([str(part) for part in command])
        return SimpleNamespace(returncode=1, stdout="", stderr="ERROR: no route to the index")

    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr(releases, "PAUSE", 0.0)
    monkeypatch.setattr(releases.venv, "create", lambda folder, **_: None)
    monkeypatch.setattr(subprocess, "run", run)
    return asked


def test_without_an_index_three_tries_and_one_clear_line(no_index: list[list[str]]):
    with pytest.raises(ReleaseError) as raised:
        environment("5.15.0")
    text = str(raised.value)
    assert len(no_index) == 3 and "transformers==5.15.0" in no_index[0]
    assert "huggingface_hub==1.33.0" in no_index[0]
    assert "3 tries" in text and "no route to the index" in text and "\n" not in text


def test_an_environment_that_is_ready_is_used_again(tmp_path: Path, no_index: list[list[str]]):
    mark = releases._mark(releases.requirements_of("5.15.0"))
    folder = tmp_path / "releases" / f"5.15.0-{mark}"
    folder.mkdir(parents=True)
    (folder / "ready").touch()
    assert environment("5.15.0").is_relative_to(folder)
    assert no_index == []


def test_each_release_is_swept_by_its_own_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    used: list[str] = []

    def run(command: list[str], **_: Any) -> Any:
        used.append(command[0])
        file = Path(command[command.index("--json") + 1])
        file.write_text(json.dumps(report(result("plain", "LOSSLESS"))), encoding="utf-8")
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(matrix_module, "environment", lambda release, say: tmp_path / release)
    monkeypatch.setattr(matrix_module.subprocess, "run", run)
    found = matrix_module.run_releases(["4.48.3", "5.24.0"])
    assert used == [str(tmp_path / "4.48.3"), str(tmp_path / "5.24.0")]
    assert list(found["releases"]) == ["4.48.3", "5.24.0"]


def test_a_sweep_that_dies_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    dead = SimpleNamespace(returncode=1, stdout="", stderr="Traceback\nMemoryError")
    monkeypatch.setattr(matrix_module, "environment", lambda release, say: tmp_path)
    monkeypatch.setattr(matrix_module.subprocess, "run", lambda *_, **__: dead)
    with pytest.raises(ReleaseError, match=r"the sweep of transformers 5\.24\.0 failed: MemoryErr"):
        matrix_module.run_releases(["5.24.0"])
