"""The parts of the adapters that need neither torch nor transformers."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from draftproof.adapters.choices import Choices, DivergenceError
from draftproof.adapters.scenarios import ASSISTED, EOS, SCENARIOS, TWO_TOKENIZERS
from draftproof.adapters.survey import survey
from draftproof.audit.report import NOT_APPLICABLE
from draftproof.toymodels.huggingface import INSTALL_COMMAND, missing, requirements


def test_importing_the_adapters_imports_no_torch():
    code = (
        "import sys, draftproof.adapters, draftproof.adapters.survey;"
        "sys.exit(bool({'torch', 'transformers', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_names_what_is_absent_and_the_remedy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name == "torch" else 1)
    assert missing() == f"torch is not installed: {INSTALL_COMMAND}"
    monkeypatch.setattr(requirements, "find_spec", lambda name: 1)
    assert missing() is None


def test_without_torch_the_survey_applies_to_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(requirements, "find_spec", lambda name: None)
    report = survey()
    assert [s.verdict for s in report.subjects] == [NOT_APPLICABLE, NOT_APPLICABLE]
    assert all(INSTALL_COMMAND in (s.reason or "") for s in report.subjects)
    assert report.to_json()["results"] == []


def test_the_choices_of_all_paths_are_a_tree_that_is_walked_once():
    choices = Choices()
    masses: dict[str, float] = {}
    while True:
        choices.start()
        word = "ab"[choices.choose("first", (), (0.25, 0.75))]
        if word == "b":
            word += "xyz"[choices.choose("second", (1,), (0.5, 0.0, 0.5))]
        choices.finish()
        assert word not in masses
        masses[word] = choices.mass
        assert math.isclose(sum(masses.values()) + choices.mass_beyond(), 1.0)
        if not choices.advance():
            break
    assert masses == {"a": 0.25, "bx": 0.375, "bz": 0.375}
    assert choices.refusals == []


def test_asking_for_something_else_on_a_replay_is_a_divergence():
    choices = Choices()
    choices.start()
    choices.choose("first", (), (0.5, 0.5))
    choices.choose("second", (), (0.5, 0.5))
    choices.finish()
    assert choices.advance() and choices.advance()  # the heaviest lead first
    choices.start()
    choices.choose("first", (), (0.5, 0.5))
    with pytest.raises(DivergenceError):
        choices.choose("second", (), (0.4, 0.6))
    assert choices.refusals


def test_a_replay_that_ends_early_is_refused():
    choices = Choices()
    choices.start()
    choices.choose("first", (), (0.5, 0.5))
    choices.finish()
    assert choices.advance()
    choices.start()
    choices.end()
    assert choices.refusals


def test_scenarios_vary_what_an_implementation_must_not_depend_on():
    assert {scenario.subject for scenario in SCENARIOS} == {ASSISTED, TWO_TOKENIZERS}
    for subject in (ASSISTED, TWO_TOKENIZERS):
        mine = [scenario for scenario in SCENARIOS if scenario.subject == subject]
        assert {scenario.lookahead for scenario in mine} >= {1, 2}
        assert any("temperature" in scenario.settings for scenario in mine)
        assert any(scenario.settings.get("top_k") for scenario in mine)
        assert len({(s.pair, s.lookahead) for s in mine}) == len(mine)
    assert len({s.target.index(EOS) for s in SCENARIOS}) > 1
    assert any(s.target.index(EOS) != s.drafter.index(EOS) for s in SCENARIOS)
    assert any(s.listing for s in SCENARIOS)
