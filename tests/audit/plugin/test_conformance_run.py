"""The conformance run: results are tests, failures can be expected, files of those are strict."""

import warnings

import pytest
from plugin_helpers import LOADED, NEXT, QUICK, ROUND, SUBJECT, cases, shows

pytest_plugins = ["pytester"]


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
        "draftproof.rule::second-request[base-1]",
    }


def test_a_faulty_subject_fails_test_by_test_under_xdist(folder):
    result = folder.runpytest_subprocess(
        *LOADED, *SUBJECT, *QUICK, "-n", "2", "--junitxml", "out.xml", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(failed=3)
    assert result.ret == 1
    shows(result.stdout, "draftproof: subjects.py:wrong as rule")
    shows(result.stdout, f"FAILED {NEXT} - *LOSSY: *", f"FAILED {ROUND} - *")
    found = cases(folder.path / "out.xml")
    case = found["draftproof.rule::one-round[base-1]"]
    assert len(found) == 3
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
    run(*SUBJECT).assert_outcomes(failed=3)
    run(*SUBJECT, "test_own.py").assert_outcomes(failed=3, passed=1)
    run(*SUBJECT, ROUND).assert_outcomes(failed=1, deselected=2)
    run(*SUBJECT, ROUND, "test_own.py").assert_outcomes(failed=1, deselected=2, passed=1)
    run(*SUBJECT, "-k", "next-token").assert_outcomes(failed=1, deselected=2)
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
    result.assert_outcomes(failed=3)
    shows(
        result.stdout,
        "UNDECIDED: shaky *: neither lossless nor lossy, since it could not be decided",
        "*raises on branches of mass 0.25: RuntimeError: no luck",
        "*known so far: error mass 0.25, *",
    )


def test_lossy_by_design_passes(folder, run):
    result = run(*SUBJECT, *QUICK, "--draftproof-relaxed", "resampling", "--junitxml", "out.xml")
    result.assert_outcomes(passed=3)
    values = {
        p.get("value") for c in cases(folder.path / "out.xml").values() for p in c.iter("property")
    }
    assert {"RELAXED", "relaxed-by-design"} <= values


# ---- the expected-failure file -------------------------------------------------------------------


@pytest.mark.usefixtures("wrong_on_base")
def test_failures_that_are_expected_pass_with_their_reason(expecting):
    result = expecting("# see issue 12", NEXT, "", "one-round[*]  # known", "second-request[*]")
    assert result.ret == 0
    result.assert_outcomes(xfailed=3, passed=1)
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
    result.assert_outcomes(xfailed=3, failed=1)
    shows(
        result.stdout,
        "known.txt:2: * matches no test; did you mean 'one-round[base-1]'?",
        "known.txt:3: * matches no test*",
    )
    expecting(*lines, more=["--draftproof-no-strict"]).assert_outcomes(xfailed=3)


def test_an_entry_that_passes_fails(audited, expecting):
    audited("right", pairs=["base"], lookahead=1)
    result = expecting("one-round[base-1]  # gone since 2.0")
    assert result.ret == 1
    result.assert_outcomes(passed=3, failed=1)
    shows(
        result.stdout,
        "LOSSLESS, but known.txt:1 expects it to fail (gone since 2.0): take the entry *",
    )
    result = expecting("one-round[base-1]", more=["--draftproof-no-strict"])
    assert result.ret == 0
    result.assert_outcomes(passed=2, xpassed=1)
