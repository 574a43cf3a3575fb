"""`draftproof generate --certify`: the same text, and what rounding could have changed of it."""

import json

import pytest
from draftproof.cli import main

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

TINY = ("generate", "--target", "tiny-random", "--drafter", "tiny-random", "--device", "cpu")
REQUEST = ("--prompt", "abc", "--algorithm", "slrs", "--max-new-tokens", "8", "--seed", "5")


def value_of(capsys, *arguments):
    assert main([*TINY, *REQUEST, "--json", "-", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("rule", ["spelled", "spelled/block", "fixed:1"])
def test_a_certified_run_gives_the_same_text_and_counts(rule, capsys):
    plain = value_of(capsys, "--rule", rule)
    sure = value_of(capsys, "--rule", rule, "--certify")
    # Parts only where a coin lies within 1e-9 of a threshold: below 1e-7 for these few.
    assert sure["ids"] == plain["ids"]
    assert plain["runs"]["slrs"]["decisions"] is None
    counts = sure["runs"]["slrs"]
    assert counts["decisions"] > counts["rounds"]
    assert (counts["decisions_open"], counts["decisions_changed"]) == (0, 0)
    if rule == "spelled/block":
        assert counts["total_variation"] is None
    else:
        assert 0 < counts["total_variation"] < counts["total_variation_floats"] < 1e-4


def test_temperature_0_is_certified_too(capsys):
    counts = value_of(capsys, "--temperature", "0", "--certify")["runs"]["slrs"]
    assert counts["decisions"] > 0
    assert counts["decisions_changed"] == 0


def test_what_is_printed(capsys):
    assert main([*TINY, *REQUEST, "--certify", "--baseline"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert (
        "decisions as exact arithmetic takes them on the models' rows: 0 open to rounding" in said
    )
    assert "total variation from the exact law of so many tokens: at most" in said


def test_other_algorithms_have_no_bounds(capsys):
    arguments = ("--prompt", "abc", "--algorithm", "tli", "--certify")
    assert main([*TINY, *arguments]) == 2
    assert "--certify is slrs's; tli has no bounds" in capsys.readouterr().err
