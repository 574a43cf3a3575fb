"""`draftproof generate`: text, figures, JSON, and one line for what is wrong."""

import json

import pytest
from draftproof.cli import main

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

TINY = ("generate", "--target", "tiny-random", "--drafter", "tiny-random", "--device", "cpu")
SLRS = (*TINY, "--prompt", "a", "--algorithm", "slrs")
ALGORITHMS = ("tli", "slem", "slrs", "standard", "block", "union", "exact-match")


def value_of(capsys, *arguments):
    assert main([*TINY, "--json", "-", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", [*ALGORITHMS, "slrs spelled/block"])
def test_every_algorithm_is_greedy_at_temperature_0(name, capsys):
    name, _, rule = name.partition(" ")
    request = ("--prompt", "Once upon", "--temperature", "0", "--max-new-tokens", "12")
    ruled = ("--rule", rule) if rule else ()
    value = value_of(capsys, "--algorithm", name, *ruled, *request)
    plain = value_of(capsys, "--algorithm", "autoregressive", *request)
    assert value["ids"] == plain["ids"]
    counts = value["runs"][name]
    assert counts["new_tokens"] == len(value["ids"]) == 12
    # The drafter is the target, so every draft is what the target says; but by way of text, random
    # bytes that are no character are not what they were.
    whole = 1 if name in ("slem", "slrs") else counts["candidates"]
    assert counts["accepted"] >= whole > 0
    assert counts["target_passes"] < 12
    assert plain["runs"]["autoregressive"]["drafter_passes"] == 0
    assert plain["drafter"] == "tiny-random"


def test_text_goes_to_standard_output_and_figures_to_the_other(capsys):
    arguments = ("--prompt", "abc", "--algorithm", "block", "--max-new-tokens", "9", "--baseline")
    assert main([*TINY, *arguments]) == 0
    out, said = capsys.readouterr()
    assert out.endswith("\n")
    assert "tokens / target pass" in said
    assert "autoregressive" in said
    assert "times the tokens per second" in " ".join(said.split())


def test_a_seed_gives_the_same_text_and_another_seed_another(capsys):
    request = ("--prompt", "abc", "--algorithm", "tli", "--max-new-tokens", "10", "--seed")
    one, two, other = (value_of(capsys, *request, seed)["ids"] for seed in ("1", "1", "2"))
    assert one == two != other


def test_the_lookahead_may_be_chosen(capsys):
    value = value_of(capsys, "--prompt", "abc", "--lookahead", "auto", "--algorithm", "standard")
    assert value["lookahead"] == "auto"
    assert value["runs"]["standard"]["drafts"] > 0


def test_a_prompt_from_a_file_and_a_result_into_one(tmp_path, capsys):
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("żółw\n", encoding="utf-8")
    result = tmp_path / "run.json"
    arguments = ("--prompt-file", str(prompt), "--max-new-tokens", "4", "--json", str(result))
    assert main([*TINY, *arguments]) == 0
    value = json.loads(result.read_text(encoding="utf-8"))
    assert value["schema"] == "draftproof/generate/1"
    assert value["prompt"] == "żółw\n"
    assert capsys.readouterr().out


def test_the_space_in_front_of_what_continues_the_prompt_stays(capsys, monkeypatch):
    """SentencePiece tokenizers take a text's first space off; a continuation's is a real one."""
    from draftproof.adapters.huggingface import loading

    class Spaced:
        def __init__(self, inner, bare=None):
            self.inner, self.bare = inner, bare

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def decode(self, ids):
            text = "".join(" " + "ab"[token % 2] for token in ids)
            return text if self.bare is None else text[1:]

    whole = loading.load

    def load(*arguments, **options):
        loaded = whole(*arguments, **options)
        stripping = Spaced(loaded.tokenizer, Spaced(loaded.tokenizer))
        return loading.dataclasses.replace(loaded, tokenizer=stripping)

    monkeypatch.setattr(loading, "load", load)
    request = ("--prompt", "abc", "--algorithm", "autoregressive", "--max-new-tokens", "4")
    assert main([*TINY, *request]) == 0
    out = capsys.readouterr().out
    assert out.startswith(" ")
    assert value_of(capsys, *request)["text"] == out.removesuffix("\n")


def test_characters_that_are_not_whole_wait():
    from draftproof.generate_command import _Stream

    class Bytes:
        def decode(self, ids):
            return bytes(ids).decode("utf-8", "replace")

    import contextlib
    import io

    shown = io.StringIO()
    stream = _Stream(Bytes(), quiet=False)
    snow = tuple("☃!".encode())
    with contextlib.redirect_stdout(shown):
        stream.show(snow[:1])
        stream.show(snow[:2])
        assert shown.getvalue() == ""
        stream.show(snow[:3])
        assert shown.getvalue() == "☃"
        stream.show(snow)
        stream.end()
    assert shown.getvalue() == "☃!\n"


def test_a_rule_may_be_chosen_round_by_round(capsys):
    assert main([*SLRS, "--rule", "auto", "--max-new-tokens", "30", "--json", "-"]) == 0
    out, said = capsys.readouterr()
    ways = json.loads(out)["runs"]["slrs"]["ways"]
    assert {"spelled:2", "determined:1/cap:8", "plain decoding"} <= set(ways)
    assert "chosen round by round:" in said


@pytest.mark.parametrize("rule", ["fixed:2", "determined:1/cap:3/block"])
def test_stop_rules_on_real_models(rule, capsys):
    value = value_of(
        capsys, "--prompt", "a", "--algorithm", "slrs", "--rule", rule, "--max-new-tokens", "6"
    )
    counts = value["runs"]["slrs"]
    assert counts["new_tokens"] == 6
    assert counts["drafts"] > 0
    assert counts["ways"] is None


def test_a_rule_that_there_is_no_room_for_is_remarked(capsys):
    assert main([*SLRS, "--rule", "fixed:5000", "--max-new-tokens", "3"]) == 0
    assert "leave no room for drafts" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (TINY, "one of --prompt"),
        ((*TINY, "--prompt", ""), "the prompt is empty"),
        ((*TINY, "--prompt", "a", "--prompt-file", "b"), "one of --prompt"),
        ((*TINY, "--prompt-file", "/no/such/file"), "/no/such/file"),
        ((*TINY, "--prompt", "a", "--lookahead", "0"), "0 is below 1"),
        ((*TINY, "--prompt", "a", "--lookahead", "some"), "'some'"),
        ((*TINY, "--prompt", "a", "--top-p", "0"), "top_p is 0.0"),
        ((*TINY, "--prompt", "a", "--algorithm", "fast"), "'fast'"),
        (
            (*SLRS, "--rule", "fixed:1", "--lookahead", "3"),
            "ends drafts itself",
        ),
        ((*SLRS, "--rule", "nonsense"), "no rule 'nonsense' here; there are auto, spelled"),
        ((*SLRS, "--rule", ""), "no rule ''"),
        ((*SLRS, "--rule", "characters:2/cap:3"), "for toy models"),
        ((*SLRS, "--rule", "fixed:0"), "at least 1"),
        ((*TINY, "--prompt", "a", "--algorithm", "tli", "--rule", "spelled"), "--rule is slrs's"),
        ((*TINY, "--prompt", "a", "--algorithm", "tli", "--look-behind", "3"), "slem's"),
        ((*TINY, "--prompt", "a" * 2100), "context window of 2048"),
        (("generate", "--target", "tiny-random", "--prompt", "a"), "needs --drafter"),
        (("generate", "--target", "/no/such", "--drafter", "b", "--prompt", "a"), "/no/such"),
        ((*TINY, "--prompt", "a", "--json", "/no/such/folder/x.json"), "/no/such/folder"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, said, capsys):
    try:
        code = main(arguments)
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    lines = [line for line in err.splitlines() if line]
    assert len(lines) == 1
    assert said in lines[0]
    assert "Traceback" not in err


def test_a_file_that_is_not_text(tmp_path, capsys):
    file = tmp_path / "x.bin"
    file.write_bytes(b"\xff\xfe\x00")
    assert main([*TINY, "--prompt-file", str(file)]) == 2
    assert "is not UTF-8" in capsys.readouterr().err


def test_without_torch_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main([*TINY, "--prompt", "a"]) == 2
    assert "draftproof[models]" in capsys.readouterr().err
