"""`draftproof compare` from the command line: what it prints, writes and refuses."""

import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from draftproof import compare_command
from draftproof.adapters.choosing import recommendation
from draftproof.adapters.decoding import programs
from draftproof.adapters.tokenizers.patterns import UnknownWordsError
from draftproof.cli import main
from draftproof.toymodels.gallery import gallery_pair

# The toy pairs of the tests of adapters/choosing.
sys.path.insert(0, str(Path(__file__).parent.parent / "adapters" / "choosing"))
import choosing_toys as toys

PAIR = ["--target", "big", "--drafter", "small"]
SMALL = ["--positions", "4", "--max-lookahead", "3", "--repeats", "2"]


@pytest.fixture
def prompts(tmp_path):
    file = tmp_path / "prompts.txt"
    file.write_text("a\nab\nba\n", encoding="utf-8")
    return str(file)


@pytest.fixture
def toy(monkeypatch):
    """The models are those of a gallery pair; returns a function that says which."""
    chosen = {}

    def load(options, names):
        del options
        pair = gallery_pair(chosen.get("name", "composition")).pair
        sides = [toys.loaded_pair(pair)[0], *(toys.loaded_pair(pair)[1] for _ in names[1:])]
        for each, name in zip(sides, names, strict=True):
            each.name = name
        return sides

    monkeypatch.setattr(compare_command, "load_models", load)
    return lambda name: chosen.update(name=name)


def compare(*arguments):
    return main(["compare", *PAIR, *SMALL, *map(str, arguments)])


def test_the_whole_report(toy, prompts, tmp_path, capsys):
    del toy
    report, picture = tmp_path / "r.json", tmp_path / "picture.svg"
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'draftproof[plots]'")
    found = compare(
        *("--prompts", prompts, "--shrink", "--check", "--json", report, "--plot", picture),
        *("--rules", "fixed:2,lookup:1/cap:4/block"),
    )
    assert found == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "big after 3 prompts, 12 positions visited" in out
    assert re.search(r"^ tli +\d\.\d{3} \[", out, re.MULTILINE)
    assert "recommendation: " in out
    assert "check: " in out
    assert "few prompts" in out
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    said = json.loads(report.read_text(encoding="utf-8"))
    assert said["schema"] == "draftproof/compare/1"
    assert [each["name"] for each in said["drafters"]] == ["small"]
    assert len(said["prompts"]) == 3
    algorithms = {each["algorithm"] for each in said["acceptance"]}
    assert algorithms == {
        "tli",
        "slem",
        "slrs",
        "slrs-spelled",
        "slrs-spelled-block",
        "slrs-fixed:2",
        "slrs-lookup:1/cap:4/block",
        "standard",
        "block",
        "exact-match",
    }
    assert all(len(each["prompts"]) == 3 for each in said["acceptance"])
    assert len(said["predictions"]) == 7 * 3 + 1 + 2
    rules = {p["algorithm"]: p for p in said["predictions"] if ":" in p["algorithm"]}
    assert [each["lookahead"] for each in rules.values()] == [2, 4]  # the most drafts
    assert all(each["drafts_per_round"] >= 1 for each in rules.values())
    assert (said["rules"], said["remarks"]) == (["fixed:2", "lookup:1/cap:4/block"], [])
    assert re.search(r"^ slrs-fixed:2 +\d\.\d{3} \[", out, re.MULTILINE)
    assert "slrs-fixed:2" in picture.read_text(encoding="utf-8")
    assert said["shrink"][0]["fractions"][0] == 1
    assert said["recommendation"]["best"]["predicted_speedup"]["low"] is not None
    assert len(said["check"]["runs"]) == 3
    assert said["check"]["measured_speedup_after_prompts"]["value"] > 0
    assert {each["algorithm"] for each in said["costs"]["outside_share"]} == algorithms | {
        "autoregressive"
    }


def test_json_alone_on_standard_output_and_the_same_seed_the_same_figures(toy, prompts, capsys):
    toy("many-to-one")
    seen = []
    for seed in (3, 3, 4):
        assert compare("--prompts", prompts, "--json", "-", "--seed", seed) == 0
        out, err = capsys.readouterr()
        assert "recommendation: " in err
        seen.append(json.loads(out)["acceptance"])
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_drafters_are_compared_on_one_text(toy, prompts, capsys):
    toy("many-to-one")
    assert compare("--prompts", prompts, "--drafter", "other", "--json", "-") == 0
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert [each["name"] for each in said["drafters"]] == ["small", "other"]
    figures = {
        drafter: [
            {**each, "drafter": None} for each in said["acceptance"] if each["drafter"] == drafter
        ]
        for drafter in ("small", "other")
    }
    assert figures["small"] == figures["other"]  # the same model twice
    assert len(figures["small"]) == 10  # with the two usual rules
    assert "small: " in err
    assert "other: " in err


def test_one_prompt_has_no_intervals(toy, tmp_path, capsys):
    del toy
    file = tmp_path / "one.jsonl"
    file.write_text('{"prompt": "ab"}', encoding="utf-8")
    assert compare("--prompts", file) == 0
    out = capsys.readouterr().out
    assert "intervals: not available from one prompt" in out
    assert not re.search(r"\d \[", out)


def test_one_vocabulary_and_an_empty_intersection_leave_out_tli(toy, prompts, capsys):
    for name, text, said in (
        ("base", "a\nb\n", "one vocabulary"),
        ("empty-intersection", "ab\nabba\n", " 0 of the target's"),
    ):
        toy(name)
        Path(prompts).write_text(text, encoding="utf-8")
        assert compare("--prompts", prompts) == 0
        out = capsys.readouterr().out
        assert said in out
        assert not re.search(r"^ tli ", out, re.MULTILINE)


def test_rules_are_chosen_or_left_out(toy, prompts, capsys, monkeypatch):
    toy("many-to-one")
    for arguments, names in (
        ([], {"slrs-fixed:2", "slrs-lookup:2/cap:8"}),
        (["--rules", "none"], set()),
        (["--rules", "tokens:1/cap:2"], {"slrs-tokens:1/cap:2"}),
    ):
        assert compare("--prompts", prompts, "--json", "-", *arguments) == 0
        said = json.loads(capsys.readouterr().out)
        assert {p["algorithm"] for p in said["predictions"] if ":" in p["algorithm"]} == names

    def refuse(pair, slug):
        raise UnknownWordsError(f"the rule {slug!r} cannot be used: it splits hairs")

    monkeypatch.setattr(programs, "TextRule", refuse)
    assert compare("--prompts", prompts) == 0
    out = capsys.readouterr().out
    assert out.count("left out: the rule 'fixed:2' cannot be used: it splits hairs") == 1
    assert "slrs-fixed" not in out


@pytest.mark.parametrize("rule", ["fixed:2", "spelled/block"])
def test_what_is_recommended_is_run_whatever_its_rule(toy, prompts, capsys, monkeypatch, rule):
    """A stop rule ends drafts itself, so no lookahead is said."""
    toy("composition")
    name = f"slrs-{rule}".replace("/", "-")
    monkeypatch.setattr(
        recommendation, "best_of", lambda made: next(p for p in made if p.algorithm == name)
    )
    assert compare("--prompts", prompts, "--check", "--rules", "fixed:2") == 0
    out = capsys.readouterr().out
    said = f"{name} with small" + ("" if ":" in rule else " and lookahead 1")
    assert re.search(rf"check: {said} was \d", " ".join(out.split()))


def test_real_models(tmp_path, capsys):
    pytest.importorskip("tokenizers")
    file = tmp_path / "prompts.txt"
    file.write_text("hello world\nabc\n", encoding="utf-8")
    arguments = ["--target", "tiny-random", "--drafter", "tiny-random", "--prompts", str(file)]
    assert main(["compare", *arguments, *SMALL, "--temperature", "0", "--device", "cpu"]) == 0
    out = capsys.readouterr().out
    assert "one vocabulary" in out
    assert re.search(r"^ slrs-lookup:2/cap:8 +1\.000 ", out, re.MULTILINE)
    # Greedy, and the drafter is the target: every draft is kept.
    assert re.search(r"^ standard +1\.000 \[1\.000, 1\.000\] +\d", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--prompts", "nowhere.txt"], "nowhere.txt"),
        (["--prompts", "builtin:nothing-like-this"], "no kind of prompts"),
        (["--prompts", "{prompts}", "--drafter", "small"], "--drafter small is given twice"),
        (["--prompts", "{prompts}", "--plot", "picture.gif"], "must end in .svg or .png"),
        (["--prompts", "{prompts}", "--json", "no/such/folder.json"], "no/such/folder.json"),
        (["--prompts", "{prompts}", "--positions", "0"], "0 is below 1"),
        (["--prompts", "{prompts}", "--rules", "sometimes"], "no stop rule is called"),
        (["--prompts", "{prompts}", "--rules", "characters:2/cap:3"], "is for toy models"),
        (["--prompts", "{prompts}", "--rules", "fixed:2,fixed:2"], "--rules: fixed:2 is given"),
        ([], "--prompts"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(toy, prompts, capsys, arguments, said):
    del toy
    arguments = [each.format(prompts=prompts) for each in arguments]
    try:
        code = compare(*arguments)
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_prompt_beyond_the_window_is_named(toy, tmp_path, capsys, monkeypatch):
    del toy
    monkeypatch.setattr(toys.Rows, "window", 12)
    file = tmp_path / "prompts.txt"
    file.write_text("a\n" + "ab" * 20 + "\n", encoding="utf-8")
    assert compare("--prompts", file, "--rules", "none") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(r"prompt 2 has 20 ids; .* context window of big is 12: shorten it", err)
    assert err.count("\n") == 1


def test_unknown_models_and_missing_matplotlib(prompts, capsys, monkeypatch):
    assert main(["compare", *PAIR, "--prompts", prompts]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "big" in err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert compare("--prompts", prompts, "--plot", "picture.svg") == 2
    assert "draftproof[plots]" in capsys.readouterr().err


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    said = capsys.readouterr().out
    for word in ("sum min(p, q)", "needed", "--shrink --check", "builtin:mixed", "examples:"):
        assert word in said
