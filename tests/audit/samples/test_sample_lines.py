"""Reading samples, and the command line on them."""

import json
import random
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from draftproof.audit.kinds.pair_building import shared
from draftproof.audit.samples.auditing import Settings, Watch, audit_samples
from draftproof.audit.samples.laws import StatedLaws, ToyLaws
from draftproof.audit.samples.lines import PLAIN, SPECULATIVE, Sample, named, read, written
from draftproof.cli import main
from draftproof.options import console
from draftproof.toymodels.gallery import gallery_pair
from draftproof.toymodels.pairs import context_free

GOOD = '{"prompt": "a", "mode": "plain", "ids": [1], "text": "b", "seed": 3}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "nested too deep"),
        ('{"prompt": "a", "mode": "law", "law": [[[1], 0]]}', "no string a probability above 0"),
        ('{"mode": "plain"}', "the prompt is null"),
        ('{"prompt": [1.5], "mode": "plain", "ids": []}', "the prompt is [1.5]"),
        ('{"prompt": "a", "mode": "fast", "ids": [1]}', 'the mode is "fast"'),
        ('{"prompt": "a", "mode": "plain", "ids": [true]}', "the ids are [true]"),
        ('{"prompt": "a", "mode": "plain", "ids": 7}', "the ids are 7"),
        ('{"prompt": "a", "mode": "plain"}', "neither ids nor a text"),
        ('{"prompt": "a", "mode": "plain", "ids": [1], "seed": 0.5}', "the seed is 0.5"),
        ('{"prompt": "a", "mode": "law"}', "needs a law"),
        ('{"prompt": "a", "mode": "law", "law": [[[1], 2]]}', "[[id, ...], p] is due"),
        ('{"prompt": "a", "mode": "law", "law": [[[1], 0.5], [[1, 2], 0.5]]}', "one length"),
        ('{"prompt": "a", "mode": "law", "law": [[[1], 0.6], [[2], 0.6]]}', "add up to 1.2"),
        ('{"prompt": "a", "mode": "law", "law": [[[1], 0.6], [[1], 0.2]]}', "lists [1] twice"),
    ],
)
def test_a_malformed_line_is_named(line, said):
    with pytest.raises(ValueError, match=r"^f, line 3: ") as raised:
        read([GOOD, "", line], "f")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_lines_are_read_and_written():
    sample = Sample((0, 1), SPECULATIVE, (2, 3), 7)
    text = Sample("prompt", PLAIN, ("x", "y"), None, by_ids=False)
    found = read([written(sample), written(text)], "f")
    assert found.samples == [sample, text]
    assert named((0, 1)) == "[0, 1]"
    assert len(named("x" * 100)) == 40


def test_a_line_ends_at_a_line_feed_alone(tmp_path, capsys):
    """JSON texts may hold other characters that end a line elsewhere; half a pair has no UTF-8."""
    for odd in ("\u2028", "\x85", "\ud800"):
        samples = [
            Sample(f"a{odd}", mode, ("b", odd, "c"), seed, by_ids=False)
            for seed in range(25)
            for mode in (PLAIN, SPECULATIVE)
        ]
        file = tmp_path / "replies.jsonl"
        file.write_text("".join(f"{written(s)}\n" for s in samples), encoding="utf-8")
        assert read(file.read_text(encoding="utf-8").split("\n"), "f").samples == samples
        if odd != "\ud800":
            raw = [json.dumps(json.loads(written(s)), ensure_ascii=False) for s in samples]
            file.write_text("\n".join(raw), encoding="utf-8")
        assert main(["audit", "--samples", str(file)]) == 3
        assert main(["audit", "--command", f"cat {file}"]) == 3
        assert capsys.readouterr().out.count("50 samples do not show a difference") == 2


def test_a_request_that_came_twice_counts_once():
    found = read([GOOD, GOOD.replace('"plain"', '"speculative"'), GOOD], "f")
    assert len(found.samples) == 2
    assert found.repeated == 1
    seedless = GOOD.replace("3}", "null}")
    assert len(read([seedless, seedless], "f").samples) == 2


def replies(law, count, mode=SPECULATIVE, seed=0, prompt=(0,)):
    drawn = random.Random(seed).choices(list(law), list(map(float, law.values())), k=count)
    return [Sample(prompt, mode, tokens, n) for n, tokens in enumerate(drawn)]


@pytest.fixture(scope="module")
def laws():
    return ToyLaws(gallery_pair("contexts").pair, 4)


def test_laws_of_a_toy_are_those_of_its_strings(laws):
    due = laws.after((0,))
    assert due.depth == 4
    assert sum(due.strings.values()) == 1
    assert sum(due.first(1).values()) == 1
    assert (2,) in due.strings  # it can end at once
    with pytest.raises(ValueError, match="prompt id 9"):
        laws.after((9,))


def test_due_replies_are_undecided_and_never_lossless(laws):
    report = audit_samples(replies(laws.after((0,)).strings, 3000), laws)
    assert report.verdict == "UNDECIDED"
    assert {r.verdict for r in report.results} == {"UNDECIDED"}
    assert [r.check for r in report.results] == [
        *("next-token", "first-2", "first-3", "length", "duplicates")
    ]
    for result in report.results:
        low, high = result.sampling.interval
        assert low == 0 < high < result.sampling.seen * 2
        assert "would have been seen with probability 0.9" in result.reason


def test_what_cannot_come_is_lossy_at_once(laws):
    samples = [*replies(laws.after((0,)).strings, 10), Sample((0,), SPECULATIVE, (1, 2)), *[]]
    samples.append(Sample((0,), SPECULATIVE, (1, 2)))
    assert float(laws.after((0,)).first(2).get((1, 2), 0)) == 0
    report = audit_samples(samples, laws)
    assert report.verdict == "LOSSY"
    lossy = [r for r in report.results if r.verdict == "LOSSY"]
    assert "what cannot come came 2 of 12" in lossy[0].reason
    assert lossy[0].refutes == ("block",)


def test_replies_cut_too_early_are_lossy_by_their_length(laws):
    """Every other reply lacks its last token: lengths alone would tell."""
    strings = [ids for ids in laws.after((0,)).strings if len(ids) > 1]
    cut = [ids[:-1] if n % 2 else ids for n, ids in enumerate(strings)]
    samples = [Sample((0,), SPECULATIVE, ids) for ids in cut]
    assert audit_samples(samples, laws).verdict == "LOSSY"


def test_laws_of_the_engines_own_are_taken_from_lines():
    lines = [
        json.dumps({"prompt": "a", "mode": "law", "law": [[[0], 0.5], [[1], 0.3]]}),
        *(written(s) for s in replies({(0, 4): 0.5, (1, 4): 0.3, (2, 4): 0.2}, 500, prompt="a")),
    ]
    found = read(lines, "f")
    report = audit_samples(found.samples, StatedLaws(found.laws))
    assert report.verdict == "UNDECIDED"
    checked = {r.check: r.verdict for r in report.results}
    assert checked == {
        "next-token": "UNDECIDED",
        **dict.fromkeys(("first-2", "first-3", "length", "duplicates"), "NOT_APPLICABLE"),
    }
    wrong = [Sample("a", SPECULATIVE, (1, 4)) for _ in range(40)]
    assert audit_samples(wrong, StatedLaws(found.laws)).verdict == "LOSSY"


def test_a_law_that_leaves_out_strings_says_nothing_of_how_they_begin():
    """What is missing to 1 may begin as the listed strings do: their sums are no law of less."""
    given = {(5, 7): 0.25, (9, 1): 0.4, (5, 8): 0.2, (9, 2): 0.15}
    samples = replies(given, 2000, prompt="a")
    part = {ids: given[ids] for ids in ((5, 7), (9, 1))}
    report = audit_samples(samples, StatedLaws({"a": part}))
    assert report.verdict == "UNDECIDED"
    assert {r.check for r in report.results if r.verdict == "UNDECIDED"} == {"first-2"}
    whole = audit_samples(samples, StatedLaws({"a": given}))
    assert whole.verdict == "UNDECIDED"
    assert {r.check for r in whole.results if r.verdict == "UNDECIDED"} == {"next-token", "first-2"}
    with pytest.raises(ValueError, match="one of ids, and a reply has none"):
        texts = [Sample("a", SPECULATIVE, ("x", "y"), None, by_ids=False)] * 2
        audit_samples(texts, StatedLaws({"a": given}))


def test_modes_with_ids_and_without_are_not_compared():
    watch = Watch(["a"], None)
    watch.add(Sample("a", PLAIN, (1,)))
    with pytest.raises(ValueError, match="cannot be mixed"):
        watch.add(Sample("a", SPECULATIVE, ("b",), None, by_ids=False))


def test_texts_are_compared_by_characters():
    def said(words, mode):
        return [Sample("p", mode, tuple(word), None, by_ids=False) for word in words]

    numbers = random.Random(4)
    plain = said(numbers.choices(["yes", "no"], [0.5, 0.5], k=400), PLAIN)
    same = said(numbers.choices(["yes", "no"], [0.5, 0.5], k=400), SPECULATIVE)
    other = said(numbers.choices(["yes", "no"], [0.9, 0.1], k=400), SPECULATIVE)
    assert audit_samples([*plain, *same]).verdict == "UNDECIDED"
    report = audit_samples([*plain, *other])
    assert report.verdict == "LOSSY"
    assert any("'y'" in r.reason or "3 came" in r.reason for r in report.results)


def test_a_tolerance_is_of_a_law_that_is_known(laws):
    given = {(0, 4): 0.52, (1, 4): 0.48}
    samples = replies(given, 20_000, prompt="a")
    stated = StatedLaws({"a": {(0,): 0.5, (1,): 0.5}})
    assert audit_samples(samples, stated).verdict == "LOSSY"
    report = audit_samples(samples, stated, settings=Settings(slack=0.03))
    assert report.verdict == "UNDECIDED"
    assert report.results[0].tolerance == 0.03
    plain = replies(given, 100, PLAIN, 1, "a")
    with pytest.raises(ValueError, match="a tolerance needs a law that is known"):
        audit_samples([*samples, *plain], settings=Settings(slack=0.03))


def test_a_tolerance_holds_for_pairs_of_replies_too():
    """The law is 0.08 off, as allowed; how often two replies are alike is by up to twice that.

    The level is 0.01 for each of five seeds; against a tolerance of 0.08 for pairs some are LOSSY.
    """
    pair = shared(context_free("9/10 1/10"), context_free("9/10 1/10"))
    for seed in range(5):
        samples = replies({(0,): 0.98, (1,): 0.02}, 6000, seed=seed)
        report = audit_samples(samples, ToyLaws(pair, 1), settings=Settings(slack=0.08))
        assert report.verdict == "UNDECIDED"


def test_the_samples_of_the_pages_are_what_their_script_prints():
    folder = Path(__file__).resolve().parents[3] / "docs" / "scripts" / "samples"
    for decoder in ("correct", "wrong"):
        printed = subprocess.run(
            [sys.executable, str(folder / "draw.py"), decoder, "600"],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        assert (folder / f"{decoder}.jsonl").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([Sample("p", PLAIN, (1,))], "no samples of mode speculative"),
        ([Sample("p", SPECULATIVE, (1,))], "no samples of mode plain to compare with"),
        (
            [Sample("p", PLAIN, (1,)), Sample("p", SPECULATIVE, ("a",), None, by_ids=False)],
            "cannot be mixed",
        ),
    ],
)
def test_nothing_to_compare_is_refused(samples, said):
    with pytest.raises(ValueError, match=said):
        audit_samples(samples)


def schema():
    text = resources.files("draftproof.audit").joinpath("schemas/report.json").read_text("utf-8")
    return json.loads(text)


@pytest.mark.parametrize(("shift", "code", "verdict"), [(0, 3, "UNDECIDED"), (1, 1, "LOSSY")])
def test_the_command_reports_in_the_reports_schema(tmp_path, capsys, laws, shift, code, verdict):
    strings = laws.after((0,)).strings
    samples = replies(strings, 600)
    if shift:
        samples = [Sample(s.prompt, s.mode, (1, *s.tokens[1:]), s.seed) for s in samples]
    file = tmp_path / "replies.jsonl"
    file.write_text("\n".join(map(written, samples)) + "\n", encoding="utf-8")
    options = ["--samples", str(file), "--due", "contexts", "--max-tokens", "4", "--json", "-"]
    assert main(["audit", *options]) == code
    shown = capsys.readouterr()
    report = json.loads(shown.out)
    jsonschema.validate(report, schema())
    assert report["subjects"][0]["verdict"] == verdict
    assert "LOSSLESS" not in shown.out
    assert "samples never show that there is none" in shown.err or verdict == "LOSSY"
    assert "0.05 is seen within" in shown.err


def test_a_program_that_prints_samples(tmp_path, capsys, laws):
    lines = "\n".join(written(s) for s in replies(laws.after((0,)).strings, 50))
    file = tmp_path / "lines"
    file.write_text(lines, encoding="utf-8")
    due = ["--due", "contexts", "--max-tokens", "4"]
    assert main(["audit", "--command", f"cat {file}", *due]) == 3
    assert "50 samples do not show a difference" in " ".join(capsys.readouterr().out.split())
    assert main(["audit", "--command", f"cat {file}.no", *due]) == 2
    assert "ended with exit code 1" in capsys.readouterr().err
    script = tmp_path / "fails"
    script.write_text(f"cat {file}; echo; printf half-a-line; exit 7\n", encoding="utf-8")
    assert main(["audit", "--command", f"sh {script}", *due]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "50 samples do not show a difference" in shown
    assert "ended with exit code 7; what it had printed counts" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--samples", "no-such-file"], "no-such-file"),
        (["--samples", "a", "--server", "b"], "name two engines"),
        (["--samples", "a", "builtin"], "leave out builtin"),
        (["--samples", "a", "--draws", "3"], "--draws does not apply"),
        (["--samples", "a", "--pair", "base"], "--pair does not apply"),
        (["--samples", "a", "--due", "logprobs"], "needs --server"),
        (["--samples", "a", "--due", "base"], "needs --max-tokens"),
        (["--server", "http://x"], "at least one --prompt"),
        (["--server", "x:1", "--prompt", "a"], "no address of a server"),
        (["--draws", "3"], "needs one of"),
        (["--harness", "x", "--due", "base"], "--due does not apply"),
        (["--command", ""], "empty"),
        (["--command", "/no/such/program"], "cannot be started"),
    ],
)
def test_bad_usage_is_one_line(capsys, options, said):
    assert main(["audit", *options]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""
    assert shown.err.count("\n") == 1


def test_names_with_colons_are_shown_as_they_are():
    """Rich makes pictures of such names, even where it is told to read no markup."""
    shown = console(stderr=False)
    with shown.capture() as caught:
        shown.print("my.py:one: no difference", markup=False)
    assert caught.get() == "my.py:one: no difference\n"
