"""Finding a subject, refusing what is none in one line, and keeping it in its own process."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import kind_subjects as subjects
import pytest
from draftproof.audit import run
from draftproof.audit.kinds import audit_callable, load
from draftproof.audit.subjects import SubjectError

HERE = Path(__file__).parent
FILE = str(HERE / "kind_subjects.py")


def rule(text, tmp_path, name="subject.py"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


RULE = """
import numpy as np
def f(target_rows, draft_rows, drafts):
    BODY
    return [int(np.random.default_rng().choice(len(target_rows[0]), p=target_rows[0]))]
f.array = "numpy"
"""


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        (f"{FILE}:standard", None, "--as, rule, generate, batch_rule, kernel or transformers"),
        (f"{FILE}:standard", "rul", "did you mean rule?"),
        (f"{FILE}:standar", "rule", "did you mean standard?"),
        (f"{HERE}/kind_subject.py:standard", "rule", "there is no file"),
        ("no.such.module:f", "rule", "cannot be imported: ModuleNotFoundError"),
        (f"{FILE}:rng", "rule", "is not callable"),
        (f"{FILE}:standard", "batch_rule", "batch_rule is called as f(target_rows"),
        (f"{FILE}:standard", "generate", "does not fit its kind"),
        (f"{FILE}:batch", "kernel", "declares no coins"),
        (FILE, "rule", "names no callable"),
    ],
)
def test_what_is_no_subject_is_refused_in_one_line(spec, kind, message):
    with pytest.raises(SubjectError) as refused:
        load(spec, kind)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_kernel_declares_its_coins():
    def kernel(target_rows, draft_rows, drafts, coins):
        return [0]

    kernel.array = "numpy"
    with pytest.raises(SubjectError, match="declares no coins"):
        audit_callable(kernel, "kernel")
    kernel.coins = [("u", "J", "uniform")]
    with pytest.raises(SubjectError, match="a shape has integers"):
        audit_callable(kernel, "kernel")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "it returned None"),
        ([], "no ids"),
        ([0.0], "a float"),
        ([[0]], "a list inside the list"),
        ((i for i in [0]), "a generator"),
        ("0", "a str"),
        ([True], "a bool"),
        ([float("nan")], "a float"),
    ],
)
def test_a_wrong_return_value_everywhere_is_bad_input(value, message):
    wrong = subjects.numpy_rule(lambda target_rows, draft_rows, drafts: value)
    with pytest.raises(SubjectError, match=message):
        audit_callable(wrong, "rule")


def test_raising_on_every_path_of_every_check_is_bad_input():
    def wrong(target_rows, draft_rows, drafts):
        raise KeyError("nothing works")

    with pytest.raises(SubjectError, match="raises on every path of every check: KeyError"):
        audit_callable(subjects.numpy_rule(wrong), "rule")


def test_run_takes_callables_and_names():
    report = run(subjects.standard, kind="rule", pairs=["base"], lookahead=1)
    assert report.verdict == "LOSSLESS"
    assert run(f"{FILE}:T1", kind="rule", pairs=["base"], lookahead=1).verdict == "LOSSY"
    with pytest.raises(SubjectError, match="--as"):
        run(subjects.standard)


def test_a_private_module_generator_is_followed(tmp_path):
    text = RULE.replace("BODY", "x = rng.random() < 0.5").replace(
        "import numpy as np",
        "import numpy as np\nfrom numpy.random import default_rng\nrng = default_rng(3)",
    )
    assert run(rule(text, tmp_path) + ":f", kind="rule", pairs=["base"]).verdict == "LOSSLESS"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if len(drafts) > 1:\n        while True: pass", "did not end within 1 s"),
        ("if len(drafts) > 1:\n        import os; os._exit(7)", "exit code 7"),
        (
            "if len(drafts) > 1:\n        import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            "SIGSEGV",
        ),
    ],
)
def test_hangs_and_crashes_are_undecided_and_the_rest_is_known(body, reason, tmp_path):
    started = time.monotonic()
    report = run(
        rule(RULE.replace("BODY", body), tmp_path) + ":f",
        kind="rule",
        isolate=True,
        path_seconds=1.0,
        pairs=["base"],
    )
    assert report.verdict == "UNDECIDED"
    first = {r.check: r.verdict for r in report.results if r.lookahead == 1}
    assert first == dict.fromkeys(("next-token", "one-round", "second-request"), "LOSSLESS")
    assert any(reason in (r.reason or "") for r in report.results)
    assert time.monotonic() - started < 25


def test_output_of_the_subject_goes_nowhere(tmp_path, capfd):
    body = "print('x' * 100_000); import sys; sys.stderr.write('y' * 100_000)"
    path = rule(RULE.replace("BODY", body), tmp_path)
    report = run(f"{path}:f", kind="rule", isolate=True, pairs=["base"], lookahead=1)
    assert report.verdict == "LOSSLESS"
    assert capfd.readouterr() == ("", "")


def draftproof(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "draftproof", "audit", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        env={**os.environ, "COLUMNS": "120"},
    )


def test_the_first_audit_of_ones_own_rule(tmp_path):
    started = time.monotonic()
    done = draftproof(f"{FILE}:standard", "--as", "rule", "--json", "-")
    assert time.monotonic() - started < 20  # 10 on a machine of its own
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["subjects"][0]["verdict"] == "LOSSLESS"
    from importlib import resources

    jsonschema = pytest.importorskip("jsonschema")
    schema = resources.files("draftproof.audit").joinpath("schemas/report.json").read_text()
    jsonschema.validate(report, json.loads(schema))


def test_exit_codes_of_the_command_line(tmp_path):
    options = ("--as", "rule", "--pair", "base", "--lookahead", "1")
    lossy = draftproof(f"{FILE}:T1", *options)
    assert lossy.returncode == 1
    assert "residual" in lossy.stdout
    assert draftproof(f"{FILE}:T1", *options, "--relaxed", "on purpose").returncode == 0
    undecided = draftproof(f"{FILE}:standard", *options, "--budget", "0.000001")
    assert undecided.returncode == 3
    for arguments in ((f"{FILE}:standard",), (f"{FILE}:nothing", *options), ("x.py:f", *options)):
        refused = draftproof(*arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.count("\n") == 1
