"""The pytest plugin: inert unless used; a fixture; a conformance run whose tests are results."""

import importlib.metadata
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from xml.etree import ElementTree

import plugin_subjects
import pytest
from draftproof import conformance, pytest_plugin  # here: inner runs forget what they imported
from draftproof.audit.kinds import audit_callable

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[3]
#: Where this checkout was installed before it had the entry point, the plugin is named instead.
IS_INSTALLED = bool(importlib.metadata.entry_points(group="pytest11", name="draftproof"))
LOADED = () if IS_INSTALLED else ("-p", "draftproof.pytest_plugin")
SUBJECT = ("--draftproof", "subjects.py:wrong", "--draftproof-kind", "rule")
QUICK = ("--draftproof-pair", "base", "--draftproof-lookahead", "1")
NEXT, ROUND = "draftproof::rule::next-token[base-1]", "draftproof::rule::one-round[base-1]"


@pytest.fixture
def folder(pytester):
    """A project with subjects and a test of its own."""
    source = Path(plugin_subjects.__file__).read_text(encoding="utf-8")
    pytester.makepyfile(subjects=source, test_own="def test_own(): pass")
    return pytester


@pytest.fixture
def run(folder):
    """Runs pytest in this process."""
    return lambda *arguments: folder.runpytest_inprocess(*LOADED, *arguments)


@pytest.fixture
def audited(monkeypatch):
    """Makes conformance runs find a report that was made here, of a subject by name."""

    def use(name, **options):
        report = audit_callable(getattr(plugin_subjects, name), "rule", name=name, **options)
        monkeypatch.setattr(conformance, "run_callable", lambda *a, **k: report)

    return use


@pytest.fixture
def wrong_on_base(audited):
    audited("wrong", pairs=["base"], lookahead=1)


@pytest.fixture
def expecting(folder, run):
    """A run with an expected-failure file of these lines."""

    def conform(*lines, more=()):
        folder.path.joinpath("known.txt").write_text("\n".join(lines), encoding="utf-8")
        return run(*SUBJECT, "--draftproof-xfail", "known.txt", "-rA", *more)

    return conform


def cases(path):
    """Test cases of a JUnit file by id."""
    return {
        f"{c.get('classname')}::{c.get('name')}": c
        for c in ElementTree.parse(path).iter("testcase")
    }


def shows(stream, *patterns):
    """The lines are there, in any order; * and ? are wildcards, brackets are none."""
    stream.fnmatch_lines_random([pattern.replace("[", "[[]") for pattern in patterns])


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
        "E * is LOSSY (rule, in 3 of 3 checks)",
        "E * total variation *",
        "E * class of fault: residual",
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


# ---- the conformance run -------------------------------------------------------------------------


def test_a_correct_subject_passes_without_a_terminal_plugin(folder, run):
    subject = ("--draftproof", "subjects.py:right", "--draftproof-kind", "rule", *QUICK)
    result = run(
        *subject, "-p", "no:terminal", "--draftproof-json", "r.json", "--junitxml", "o.xml"
    )
    assert result.ret == 0
    assert '"draftproof/report/1"' in (folder.path / "r.json").read_text(encoding="utf-8")
    assert set(cases(folder.path / "o.xml")) == {
        "draftproof.rule::next-token[base-1]",
        "draftproof.rule::one-round[base-1]",
    }


def test_a_faulty_subject_fails_test_by_test_under_xdist(folder):
    result = folder.runpytest_subprocess(
        *LOADED, *SUBJECT, *QUICK, "-n", "2", "--junitxml", "out.xml", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(failed=2)
    assert result.ret == 1
    shows(result.stdout, "draftproof: subjects.py:wrong as rule")
    shows(result.stdout, f"FAILED {NEXT} - *LOSSY: *", f"FAILED {ROUND} - *")
    found = cases(folder.path / "out.xml")
    case = found["draftproof.rule::one-round[base-1]"]
    assert len(found) == 2
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties["draftproof.verdict"] == "LOSSY"
    assert properties["draftproof.fault"] == "residual"
    assert float(properties["draftproof.total_variation"]) == pytest.approx(0.15)
    message = case.find("failure").text
    assert message.startswith(
        "LOSSY: subjects.py:wrong (rule), check one-round, pair base, lookahead 1"
    )
    assert "after [0] comes [0] with probability 0.35; due is 0.5" in message
    assert "smallest counterexample found: " in message
    assert "locally minimal" in message


@pytest.mark.usefixtures("wrong_on_base")
def test_tests_of_the_project_run_only_when_they_are_named(run):
    run(*SUBJECT).assert_outcomes(failed=2)
    run(*SUBJECT, "test_own.py").assert_outcomes(failed=2, passed=1)
    run(*SUBJECT, ROUND).assert_outcomes(failed=1, deselected=1)
    run(*SUBJECT, ROUND, "test_own.py").assert_outcomes(failed=1, deselected=1, passed=1)
    run(*SUBJECT, "-k", "next-token").assert_outcomes(failed=1, deselected=1)
    result = run(*SUBJECT, "draftproof::rule::one-round[bse-1]")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    shows(result.stderr, "*there is no test *; did you mean draftproof::*?")


def test_what_does_not_apply_is_skipped_and_edges_fail_where_asked_for(audited, run):
    with warnings.catch_warnings(action="ignore"):  # of NumPy, about rows that hold NaN
        audited("right", lookahead=1)
    result = run(*SUBJECT, "-rsx", "--strict-markers")
    assert result.ret == 0
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] > 5 and outcomes["xfailed"] >= 2 and outcomes["passed"] > 30
    shows(
        result.stdout,
        "SKIPPED * subjects.py:* the signature does not name temperature",
        "XFAIL draftproof::rule::nan-drafter[base-1] - *--draftproof-strict-edges only*",
    )
    result = run(*SUBJECT, "--draftproof-strict-edges", "-m", "edge")
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] >= 2 and outcomes["passed"] >= 8
    shows(result.stdout, "LOSSY: right (rule), check nan-drafter, *", "*a clear error is due")


def test_undecided_fails_in_words_of_its_own(audited, run):
    audited("shaky", pairs=["base"], lookahead=1)
    result = run(*SUBJECT)
    result.assert_outcomes(failed=2)
    shows(
        result.stdout,
        "UNDECIDED: shaky *: neither lossless nor lossy, since it could not be decided",
        "*raises on branches of mass 0.25: RuntimeError: no luck",
        "*known so far: error mass 0.25, *",
    )


def test_lossy_by_design_passes(folder, run):
    result = run(*SUBJECT, *QUICK, "--draftproof-relaxed", "resampling", "--junitxml", "out.xml")
    result.assert_outcomes(passed=2)
    values = {
        p.get("value") for c in cases(folder.path / "out.xml").values() for p in c.iter("property")
    }
    assert {"RELAXED", "relaxed-by-design"} <= values


# ---- the expected-failure file -------------------------------------------------------------------


@pytest.mark.usefixtures("wrong_on_base")
def test_failures_that_are_expected_pass_with_their_reason(expecting):
    result = expecting("# see issue 12", NEXT, "", "one-round[*]  # known")
    assert result.ret == 0
    result.assert_outcomes(xfailed=2, passed=1)
    shows(
        result.stdout,
        "XFAIL draftproof::rule::next-token[base-1] - see issue 12 (known.txt:2)",
        "XFAIL draftproof::rule::one-round[base-1] - known (known.txt:4)",
        "PASSED draftproof::rule::expected-failures",
    )


@pytest.mark.usefixtures("wrong_on_base")
def test_an_entry_that_matches_nothing_fails(expecting):
    lines = ("*[base-1]", "one-round[bse-1]  # brackets are no wildcard", "next-tokn[base-?]")
    result = expecting(*lines)
    assert result.ret == 1
    result.assert_outcomes(xfailed=2, failed=1)
    shows(
        result.stdout,
        "known.txt:2: * matches no test; did you mean 'one-round[base-1]'?",
        "known.txt:3: * matches no test*",
    )
    expecting(*lines, more=["--draftproof-no-strict"]).assert_outcomes(xfailed=2)


def test_an_entry_that_passes_fails(audited, expecting):
    audited("right", pairs=["base"], lookahead=1)
    result = expecting("one-round[base-1]  # gone since 2.0")
    assert result.ret == 1
    result.assert_outcomes(passed=2, failed=1)
    shows(
        result.stdout,
        "LOSSLESS, but known.txt:1 expects it to fail (gone since 2.0): take the entry *",
    )
    result = expecting("one-round[base-1]", more=["--draftproof-no-strict"])
    assert result.ret == 0
    result.assert_outcomes(passed=1, xpassed=1)


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
