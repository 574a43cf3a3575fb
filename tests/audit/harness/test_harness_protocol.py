"""What a harness can do wrong: one clear error each, a new process, and nothing lost."""

import json
import sys
import time

import pytest
from draftproof.audit.harness.auditing import audit_harness, harness_trial, steps
from draftproof.audit.harness.session import HarnessError, HarnessFailure, Session, numbers
from draftproof.audit.kinds.auditing import Plan
from draftproof.audit.subjects import SubjectError
from draftproof.cli import main

#: A correct rule; ``TROUBLE`` is what it does at some requests, and stays in its own process.
HARNESS = """
import json, os, signal, sys, time
trouble, first = sys.argv[1], int(sys.argv[2])
asked = 0

def verify(p, q, drafts, coins):
    coins, out = iter(coins), []
    for row, other, x in zip(p, q, drafts):
        if next(coins) * other[x] < row[x]:
            out.append(x)
            continue
        return out + [inverse([max(0, a - b) for a, b in zip(row, other)], next(coins))]
    return out + [inverse(p[-1], next(coins))]

def inverse(weights, u):
    total, running, last = sum(weights), 0, None
    for token, weight in enumerate(weights):
        running += weight / total
        last = token if weight else last
        if u < running:
            return token
    return last

def say(number, **more):
    print(json.dumps({"id": number, **more}), flush=True)

for line in sys.stdin:
    request = json.loads(line)
    number, what = request["id"], request["do"]
    if what == "stop":
        break
    if what == "start":
        say(number, name="" if trouble == "nameless" else "trouble")
        continue
    if what == "capabilities":
        more = {"settings": ["temperature"]} if trouble == "settings" else {}
        kinds = ["rule"] if trouble != "kinds" else ["rules"]
        say(number, kinds=kinds, **more)
        continue
    asked += 1
    ids = verify(request["target_rows"], request["draft_rows"], request["drafts"], request["coins"])
    if trouble != "none" and (asked == first or first == 0):
        if trouble == "exit":
            print("it went wrong", file=sys.stderr)
            sys.exit(3)
        if trouble == "signal":
            os.kill(os.getpid(), signal.SIGKILL)
        if trouble == "hang":
            time.sleep(60)
        if trouble == "garbage":
            print("hello", flush=True)
            continue
        if trouble == "deep":
            print("[" * 200_000, flush=True)
            continue
        if trouble == "no-error":
            say(number, ids=ids, error=None)
            continue
        if trouble == "number":
            print("17", flush=True)
            continue
        if trouble == "partial":
            print('{"id": 4', end="", flush=True)
            time.sleep(60)
        if trouble == "half":
            print('{"id": 4', end="", flush=True)
            sys.exit(0)
        if trouble == "other":
            number += 1
        if trouble == "twice":
            say(number, ids=ids)
        if trouble == "flood":
            sys.stderr.write("x" * (2 << 20))
        if trouble == "endless":
            print("y" * (2 << 20), flush=True)
        if trouble == "no-ids":
            say(number, tokens=ids)
            continue
        if trouble == "utf-8":
            sys.stdout.buffer.write(b"\\xff\\n")
            sys.stdout.flush()
            continue
        if trouble == "error":
            say(number, error="not\\ntoday")
            continue
        if trouble == "float":
            ids = [0.5]
    say(number, ids=ids)
"""

ROWS = {"target_rows": [[0.5, 0.5], [0.5, 0.5]], "draft_rows": [[0.25, 0.75]], "drafts": [1]}


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    file = tmp_path_factory.mktemp("harness") / "harness.py"
    file.write_text(HARNESS, encoding="utf-8")
    return str(file)


def session(script, trouble, first=2, seconds=0.6):
    return Session([sys.executable, script, trouble, str(first)], seconds)


TROUBLES = {
    "exit": "it ended with exit code 3; it said 'it went wrong'",
    "signal": "it was ended by signal SIGKILL",
    "hang": "it did not answer within 0.6 s",
    "garbage": "it answered with no JSON: 'hello'",
    "deep": "it answered with no JSON: '[[[[",
    "number": "it answered with no JSON object: '17'",
    "partial": "it did not finish its line within 0.6 s: '{\"id\": 4'",
    "half": "it ended with exit code 0 in the middle of a line: '{\"id\": 4'",
    "other": "it answered request 3 with id 4",
    "flood": "it wrote more than 1 MiB to standard error",
    "endless": "it wrote a line of more than 1 MiB",
    "no-ids": "its answer has no ids",
    "utf-8": "it answered with no UTF-8",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_each_failure_has_one_line_and_a_new_process_goes_on(script, trouble):
    harness = session(script, trouble)
    try:
        assert harness.open().name == "trouble"
        assert harness.request("rule", coins=[0.9, 0.1], **ROWS) == [0]
        with pytest.raises(HarnessFailure) as raised:
            harness.request("rule", coins=[0.9, 0.1], **ROWS)
        assert TROUBLES[trouble] in str(raised.value)
        assert "\n" not in str(raised.value)
        assert [f.asked for f in harness.failures] == ["rule, drafts [1]"]
        assert harness.failures[0].request == 3
        assert harness.request("rule", coins=[0.1, 0.7], **ROWS) == [1, 1]
        assert harness.answered == 2
    finally:
        harness.close()


def test_a_second_answer_is_noticed_at_the_next_request(script):
    harness = session(script, "twice")
    try:
        harness.open()
        harness.request("rule", coins=[0.9, 0.1], **ROWS)
        harness.request("rule", coins=[0.9, 0.1], **ROWS)
        time.sleep(0.05)
        with pytest.raises(HarnessFailure, match=r"with id 3|nobody asked for"):
            harness.request("rule", coins=[0.9, 0.1], **ROWS)
    finally:
        harness.close()


def test_an_error_that_is_answered_is_no_failure(script):
    harness = session(script, "error")
    try:
        harness.open()
        harness.request("rule", coins=[0.9, 0.1], **ROWS)
        with pytest.raises(HarnessError, match=r"^not today$"):
            harness.request("rule", coins=[0.9, 0.1], **ROWS)
        assert harness.failures == []
    finally:
        harness.close()


def test_an_error_that_is_null_is_none(script):
    harness = session(script, "no-error")
    try:
        harness.open()
        for _ in range(3):
            assert harness.request("rule", coins=[0.9, 0.1], **ROWS) == [0]
    finally:
        harness.close()


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("nameless", "its answer to start has no name"),
        ("kinds", r"kinds \['rules'\]; a list of rule, kernel, batch_rule is due"),
    ],
)
def test_what_cannot_be_understood_is_refused(script, trouble, said):
    harness = session(script, trouble)
    try:
        with pytest.raises(SubjectError, match=said):
            harness.open()
    finally:
        harness.close()


def audited(script, trouble, first, pairs=("cumulative", "fair-coins"), seconds=0.6):
    said = []
    report = audit_harness(
        [sys.executable, script, trouble, str(first)],
        plan=Plan(pairs=pairs, lookaheads=(1,)),
        seconds=seconds,
        say=said.append,
    )
    return report, said


def test_what_was_answered_counts_and_the_report_says_what_was_not(script):
    """It dies early in every process: the first pair is left after three times, and the second."""
    report, said = audited(script, "signal", 40)
    assert report.verdict == "UNDECIDED"
    assert {r.verdict for r in report.results} == {"UNDECIDED"}
    assert "requests" in report.results[0].reason
    assert "failed, the last: request" in report.results[0].reason
    assert "it was ended by signal SIGKILL" in report.results[0].reason
    assert len(said) == 6
    assert all("rule, drafts" in line for line in said)


def test_one_failure_leaves_the_other_checks_alone(script):
    """It dies once, during the second pair; the law of the first is whole, and LOSSLESS."""
    report, said = audited(script, "exit", 1500)
    assert len(said) == 1
    verdicts = {r.pair: r.verdict for r in report.results}
    assert verdicts == {"cumulative": "LOSSLESS", "fair-coins": "UNDECIDED"}
    assert report.verdict == "UNDECIDED"
    assert "it ended with exit code 3; it said 'it went wrong'" in report.subjects[0].reason


def test_nothing_but_failures_is_bad_input(script):
    with pytest.raises(SubjectError, match=r"raises on every path of every check|signal SIGKILL"):
        report, _ = audited(script, "error", 0)
        raise SubjectError(report.subjects[0].reason)


def test_a_return_that_is_no_id_is_said(script):
    with pytest.raises(SubjectError, match=r"returned 0.5 among the ids"):
        audited(script, "float", 0)


def test_a_correct_rule_is_lossless_given_structure(script, capsys, tmp_path):
    command = f"{sys.executable} {script} none 0"
    options = ["--pair", "cumulative", "--lookahead", "1", "--json", str(tmp_path / "report.json")]
    assert main(["audit", "--harness", command, *options]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "LOSSLESS: 1 subject" in shown
    assert "given structure: thresholds and races" in shown
    assert "the width excluded: every coin was looked at in steps below 1/6" in shown
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["results"][0]["reason"].startswith("given structure")
    assert report["subjects"][0] == {
        "subject": "harness:trouble",
        "kind": "kernel",
        "verdict": "LOSSLESS",
        "edges": [],
        "reason": None,
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--harness", ""], "empty command"),
        (["--harness", "/no/such/program"], "cannot be started"),
        (["--harness", "cat"], "no name"),
        (["--harness", "false"], "ended with exit code 1"),
    ],
)
def test_a_command_that_is_no_harness_is_one_line(capsys, options, said):
    assert main(["audit", *options]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_kind_that_is_not_offered_is_refused(script, capsys):
    assert main(["audit", "--harness", f"{sys.executable} {script} none 0", "--as", "kernel"]) == 2
    assert "takes no kernel requests, only rule" in capsys.readouterr().err


#: A kernel that accepts by named coins and draws the last token by a race of exponential noise.
KERNEL = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    what, said = request["do"], {}
    if what == "stop":
        break
    if what == "start":
        said = {"name": "race"}
    if what == "capabilities":
        coins = [["accept", "K", "uniform"], ["noise", ["V"], "exponential"]]
        said = {"kinds": ["kernel"], "coins": coins, "relaxed": None}
    if what == "kernel":
        p, q, coins = request["target_rows"], request["draft_rows"], request["coins"]
        out, weights = [], p[-1]
        for j, x in enumerate(request["drafts"]):
            if coins["accept"][j] * q[j][x] >= p[j][x]:
                weights = [max(0, a - b) for a, b in zip(p[j], q[j])]
                break
            out.append(x)
        times = [e / w if w else float("inf") for e, w in zip(coins["noise"], weights)]
        said = {"ids": out + [times.index(min(times))]}
    print(json.dumps({"id": request["id"], **said}), flush=True)
"""


def test_named_coins_and_noise_along_the_vocabulary(tmp_path):
    file = tmp_path / "kernel.py"
    plan = Plan(pairs=("two-id-residual",), lookaheads=(1,), shrink=False)
    for text, verdict in ((KERNEL, "LOSSLESS"), (KERNEL.replace("max(0, a - b)", "a"), "LOSSY")):
        file.write_text(text, encoding="utf-8")
        report = audit_harness([sys.executable, str(file)], plan=plan)
        assert report.verdict == verdict
        assert report.subjects[0].subject == "harness:race"


def test_settings_are_asked_of_a_harness_that_offers_them(script):
    """It says that it takes a temperature, and ignores it: LOSSY where one is asked for."""
    harness = session(script, "settings", 10**9)
    try:
        trial = harness_trial(harness, harness.open(), "rule", Plan())
        asked = [
            s for s in steps(trial, None, (1,), 1) if s.blank.check in ("temperature", "top-k")
        ]
        found = {step.blank.check: step.run()[-1] for step in asked}
    finally:
        harness.close()
    assert found["temperature"].verdict == "LOSSY"
    assert found["top-k"].verdict == "NOT_APPLICABLE"


def test_numbers_that_json_lacks_are_texts():
    assert numbers([[0.5, float("nan")], [float("inf"), -float("inf")]]) == [
        [0.5, "NaN"],
        ["Infinity", "-Infinity"],
    ]


def test_a_coin_too_large_for_any_line_is_refused(tmp_path, capsys):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL.replace('["V"]', "[100000000]"), encoding="utf-8")
    assert main(["audit", "--harness", f"{sys.executable} {file}"]) == 2
    said = capsys.readouterr().err
    assert "integers up to 4096" in said
    assert "internal error" not in said
