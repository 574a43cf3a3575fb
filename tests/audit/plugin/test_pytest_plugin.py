"""The pytest plugin: inert unless used, clear where misused; the assertions and the fixture."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from draftproof import pytest_plugin
from plugin_helpers import IS_INSTALLED, QUICK, SUBJECT, cases, shows

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[3]


# ---- unless it is used -------------------------------------------------------------------------


def test_the_entry_point_names_the_plugin():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert table["entry-points"]["pytest11"] == {"draftproof": "draftproof.pytest_plugin"}
    assert hasattr(pytest_plugin, "draftproof_audit")


LIGHT = """
import sys
import pytest
before = set(sys.modules)
import draftproof.pytest_plugin
print(*sorted(set(sys.modules) - before))
"""


def test_it_imports_nothing_but_itself():
    command = [sys.executable, "-c", LIGHT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) <= {"draftproof", "draftproof.pytest_plugin"}


def test_a_run_without_it_is_as_it_was(run):
    result = run("-p", "no:cacheprovider", "-v")
    result.assert_outcomes(passed=1)
    said = [line for line in result.outlines if "draftproof" in line]
    # The list of plugins is pytest's own; hypothesis names the profile of the tests around us.
    assert all(line.startswith(("plugins: ", "hypothesis profile")) for line in said), said
    result = run("--markers")
    result.stdout.no_fnmatch_line("*edge*")


@pytest.mark.skipif(not IS_INSTALLED, reason="this checkout was installed without the entry point")
def test_it_can_be_left_out(folder):
    result = folder.runpytest_inprocess("-p", "no:draftproof", "--draftproof", "x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


# ---- the assertions and the fixture, in pytest ---------------------------------------------------


def test_a_failed_assertion_shows_the_verdict_and_none_of_our_frames(folder, run):
    folder.makepyfile(
        test_rule="""
        from draftproof.testing import assert_lossless_rule
        from subjects import right, wrong

        def test_right():
            assert_lossless_rule(right, pairs=["base"], lookahead=1)

        def test_wrong():
            assert_lossless_rule(wrong, pairs=["base"], lookahead=1)
        """
    )
    result = run("test_rule.py")
    result.assert_outcomes(passed=1, failed=1)
    shows(
        result.stdout,
        '>*assert_lossless_rule(wrong, pairs=["base"], lookahead=1)',
        "E * is LOSSY (rule, in 4 of 4 checks)",
        "E * total variation *",
        "E * class of fault: residual*",
        "test_rule.py:8: NotLosslessError",
    )
    result.stdout.no_fnmatch_line("*testing.py:*")


def test_the_fixture_attaches_the_report(folder, run):
    folder.makepyfile(
        test_fixture="""
        from subjects import right, wrong

        def test_both(draftproof_audit):
            quick = {"pairs": ["base"], "lookahead": 1}
            assert draftproof_audit(right, "rule", **quick).verdict == "LOSSLESS"
            assert draftproof_audit(wrong, "rule", **quick).verdict == "LOSSLESS"
        """
    )
    result = run("test_fixture.py", "--junitxml", "out.xml")
    result.assert_outcomes(failed=1)
    shows(result.stdout, "*Captured draftproof call*", "*LOSSLESS*", "*LOSSY*")
    (case,) = cases(folder.path / "out.xml").values()
    values = [each.get("value") for each in case.iter("property")]
    assert values == ["LOSSLESS", "LOSSY"]


# ---- bad usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--draftproof", "subjects.py:right"], "needs --draftproof-kind, one of rule, generate"),
        (["--draftproof-pair", "base"], "--draftproof-pair needs --draftproof SUBJECT"),
        (
            [*SUBJECT, "--draftproof-xfail", "none.txt"],
            "--draftproof-xfail cannot be read: *none.txt",
        ),
        ([*SUBJECT, "--draftproof-pair", "bse"], "no gallery pair is called 'bse'"),
        ([*SUBJECT, "--draftproof-budget", "0"], "the budget is 0.0 seconds"),
        (["--draftproof", "subjects.py:wrnog", "--draftproof-kind", "rule"], "did you mean wrong?"),
        (
            ["--draftproof", "subjects.py:right", "--draftproof-kind", "kernel"],
            "does not fit its kind",
        ),
        (
            ["--draftproof", "subjects.py:broken", "--draftproof-kind", "rule", *QUICK],
            "raises on every path of every check: RuntimeError: always",
        ),
    ],
)
def test_what_cannot_be_run_is_one_line_and_exit_code_4(run, arguments, says):
    result = run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in result.errlines if line]
    assert len(errors) == 1
    shows(result.stderr, f"ERROR: *{says}*")
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_a_kind_that_there_is_not(run):
    result = run("--draftproof", "subjects.py:right", "--draftproof-kind", "rules")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    shows(result.stderr, "*--draftproof-kind: invalid choice: 'rules'*")
