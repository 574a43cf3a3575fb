"""`draftproof.testing`: each assertion passes, and fails with the verdict as its message."""

import plugin_subjects as subjects
import pytest
from draftproof import testing
from draftproof.testing import NotLosslessError, assert_lossless_rule

QUICK = {"pairs": ["base"], "lookahead": 1}
KINDS = {
    "rule": ("right", "wrong"),
    "generate": ("right_run", "wrong_run"),
    "batch_rule": ("right_batch", "wrong_batch"),
    "kernel": ("right_kernel", "wrong_kernel"),
}


def options(kind):
    return QUICK | ({"horizon": 2} if kind == "generate" else {})


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_lossless_passes_and_its_report_comes_back(kind):
    subject = getattr(subjects, KINDS[kind][0])
    report = getattr(testing, f"assert_lossless_{kind}")(subject, **options(kind))
    assert report.verdict == "LOSSLESS"
    assert {result.kind for result in report.results} == {kind}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_lossy_fails_with_its_verdict(kind):
    subject = getattr(subjects, KINDS[kind][1])
    with pytest.raises(NotLosslessError) as failure:
        getattr(testing, f"assert_lossless_{kind}")(subject, **options(kind))
    message = str(failure.value)
    assert f" is LOSSY ({kind}, in " in message
    for part in (
        "smallest counterexample: check ",
        "total variation 0.",
        "the tolerance is 5e-10",
        "with probability 0.",
        "due is 0.",
        "class of fault: residual",
        "what does not hold: next-token",
        "look at the draw after a rejection",
        "by sampling it takes",
        "lossy too: ",
    ):
        assert part in message
    assert isinstance(failure.value, AssertionError)
    assert failure.value.report.verdict == "LOSSY"


def test_numbers_of_the_message_are_those_of_the_report():
    with pytest.raises(NotLosslessError) as failure:
        assert_lossless_rule(subjects.wrong, shrink=False, **QUICK)
    message = str(failure.value)
    assert "after [0] comes [0] with probability 0.35; due is 0.5" in message
    assert "total variation 0.15" in message
    assert "lossy too: next-token (base), one-round (base)" in message


def test_lossy_by_design_passes_only_where_it_is_declared():
    assert assert_lossless_rule(subjects.relaxed, **QUICK).verdict == "RELAXED"
    report = assert_lossless_rule(subjects.wrong, relaxed="resampling from p", **QUICK)
    assert report.verdict == "RELAXED"
    with pytest.raises(NotLosslessError, match=r'relaxed="\.\.\."'):
        assert_lossless_rule(subjects.wrong, **QUICK)


def test_undecided_fails_with_its_reason_unless_it_is_allowed():
    with pytest.raises(NotLosslessError) as failure:
        assert_lossless_rule(subjects.shaky, **QUICK)
    message = str(failure.value)
    assert "shaky is UNDECIDED (rule, in 3 of 3 checks)" in message
    assert "raises on branches of mass 0.25: RuntimeError: no luck" in message
    assert "undecided is not lossless" in message
    report = assert_lossless_rule(subjects.shaky, allow_undecided=True, **QUICK)
    assert report.verdict == "UNDECIDED"
    with pytest.raises(NotLosslessError, match="LOSSY"):
        assert_lossless_rule(subjects.wrong, allow_undecided=True, **QUICK)


def test_edges_fail_only_where_that_is_asked_for():
    with pytest.raises(NotLosslessError) as failure:
        assert_lossless_rule(subjects.wrong, lookahead=1, shrink=False)
    assert "edges that failed (these alone would not fail the test):" in str(failure.value)
    with pytest.raises(NotLosslessError) as failure:
        assert_lossless_rule(subjects.relaxed, lookahead=1, shrink=False, strict_edges=True)
    message = str(failure.value)
    assert "is RELAXED" in message
    assert "edges that failed (these fail the test):" in message
    assert "check nan-drafter, pair base, lookahead 1: returns ids" in message


def test_what_the_subject_warns_of_decides_nothing(recwarn):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # 0/0 on rows that hold NaN, where pytest runs with -W error
        assert_lossless_rule(subjects.right, lookahead=1)
    assert not recwarn.list


def test_a_subject_named_by_a_text():
    report = assert_lossless_rule(f"{subjects.__file__}:right", **QUICK)
    assert report.subjects[0].subject.endswith("plugin_subjects.py:right")


@pytest.mark.parametrize(
    ("kind", "subject", "says"),
    [
        ("rule", subjects.right_run, "does not fit its kind"),
        ("rule", 3, "not callable"),
        ("rule", "nowhere.py:f", "there is no file nowhere.py"),
        ("kernel", lambda target_rows, draft_rows, drafts, coins: [], "torch|declares no coins"),
        (
            "transformers",
            "no callable",
            "names no callable",
        ),
    ],
)
def test_what_cannot_be_audited_is_one_line(kind, subject, says):
    with pytest.raises(ValueError, match=says) as failure:
        getattr(testing, f"assert_lossless_{kind}")(subject)
    assert "\n" not in str(failure.value)
    assert not isinstance(failure.value, AssertionError)


def test_an_option_that_there_is_not_is_refused():
    with pytest.raises(TypeError, match="lookahed"):
        assert_lossless_rule(subjects.right, lookahed=1)
