"""Faults and idioms that a hunt for false verdicts brought up, each the smallest that shows it."""

import time
import warnings
from dataclasses import replace

import kind_subjects as subjects
import numpy as np
import pytest
from draftproof.audit import run
from draftproof.audit.kinds import audit_callable, auditing, edges
from draftproof.audit.kinds.cases import Case
from draftproof.audit.kinds.judging import Given, judged, tolerance_for
from draftproof.audit.kinds.loading import subject_from
from draftproof.audit.kinds.pairs import named_pair
from draftproof.audit.kinds.rule import block_call, block_results, rule_law
from draftproof.audit.kinds.settings import Settings
from draftproof.audit.kinds.steps import Step
from draftproof.audit.kinds.trial import Trial
from draftproof.audit.report import NOT_APPLICABLE, Result
from draftproof.audit.subjects import SubjectError


def law(f, pair, **settings):
    """The verdict on the block's law, one draft."""
    trial = Trial(subject_from(f, "rule", "f"))
    cuts = bool({"top_k", "top_p"} & set(settings))
    case = Case(named_pair(pair), 1, settings=Settings(**settings), cut_ties=cuts)
    return block_results(trial, [case], rule_law)[-1]


# ---- small probabilities ------------------------------------------------------------------------


def with_ratio(of):
    return subjects.rule_with(lambda p, q, x, j: of(p[j][x[j]], q[j][x[j]]))


@pytest.mark.parametrize("floor", [1e-8, 1e-9])
def test_a_q_clamped_at_a_hundred_millionth_or_less_is_lossy(floor):
    found = law(with_ratio(lambda p, q: p / max(q, floor)), "tiniest")
    # 4 ids of p = q = c/2 lose p q / c each, or all but that
    expected = 4 * (5e-10 - 5e-10 * 5e-10 / floor)
    assert found.verdict == "LOSSY"
    assert found.total_variation.float == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    "ratio",
    [lambda p, q: p / (q + 1e-10), lambda p, q: p / max(q, 1e-10), lambda p, q: p / max(q, 1e-12)],
)
def test_what_guards_a_division_is_lossless(ratio):
    assert law(with_ratio(ratio), "tiniest").verdict == "LOSSLESS"


@pytest.mark.parametrize(("floor", "pair"), [(1e-6, "tiny"), (1e-9, "tiniest")])
def test_a_kernel_that_clamps_q_is_lossy(floor, pair):
    @subjects.numpy_rule
    def kernel(target_rows, draft_rows, drafts, coins):
        for j, x in enumerate(drafts):
            if coins["accept"][j] >= target_rows[j, x] / max(draft_rows[j, x], floor):
                left = np.maximum(target_rows[j] - draft_rows[j], 0)
                steps = np.cumsum(left)
                coin = coins["final"][0] * steps[-1]
                return [*drafts[:j], int(np.searchsorted(steps, coin, side="right"))]
        steps = np.cumsum(target_rows[-1])
        coin = coins["final"][0] * steps[-1]
        return [*drafts, int(np.searchsorted(steps, coin, side="right"))]

    kernel.coins = [("accept", "K", "uniform"), ("final", (1,), "uniform")]
    report = audit_callable(kernel, "kernel", pairs=[pair], lookahead=1, shrink=False)
    assert report.verdict == "LOSSY"
    floor = 0.0
    report = audit_callable(kernel, "kernel", pairs=[pair], lookahead=1, shrink=False)
    assert report.verdict == "LOSSLESS"


# ---- ties at the cut ----------------------------------------------------------------------------


def cut(row, count, keep):
    order = np.argsort(-row, kind="stable")
    if keep == "last":
        order = np.lexsort((-np.arange(len(row)), -row))
    kept = (
        row >= row[order[count - 1]]
        if keep == "all"
        else np.isin(np.arange(len(row)), order[:count])
    )
    left = np.where(kept, row, 0.0)
    return left / left.sum()


def truncating(accepting, resampling):
    """Truncates to two ids by top-k or top-p: one convention for each use of the target's rows."""

    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts, top_k=None, top_p=1.0):
        asked = top_k or top_p < 1.0
        p, r = (
            np.array([cut(row, 2, keep) for row in target_rows]) if asked else target_rows
            for keep in (accepting, resampling)
        )
        for j, x in enumerate(drafts):
            if subjects.rng.random() >= p[j, x] / draft_rows[j, x]:
                return [*drafts[:j], subjects.pick(subjects.residual(r[j], draft_rows[j]))]
        return [*drafts, subjects.pick(p[-1])]

    return f


@pytest.mark.parametrize("setting", [{"top_k": 2}, {"top_p": 0.7}], ids=["top-k", "top-p"])
@pytest.mark.parametrize("keep", ["all", "first", "last"])
def test_every_consistent_choice_among_ties_is_lossless(keep, setting):
    assert law(truncating(keep, keep), "tied-at-the-cut", **setting).verdict == "LOSSLESS"


@pytest.mark.parametrize("setting", [{"top_k": 2}, {"top_p": 0.7}], ids=["top-k", "top-p"])
@pytest.mark.parametrize("keep", ["all first", "first all", "last first", "first last"])
def test_an_inconsistent_choice_among_ties_is_lossy(keep, setting):
    assert law(truncating(*keep.split()), "tied-at-the-cut", **setting).verdict == "LOSSY"


# ---- loops, exits, warnings, edges --------------------------------------------------------------


def test_a_mass_far_below_the_tolerance_decides_nothing():
    blank = Result("f", "rule", None, "one-round", "block", NOT_APPLICABLE)
    due = {(0,): 0.5, (1,): 0.5}
    for share, verdict in ((0.09, "LOSSLESS"), (0.2, "UNDECIDED")):
        left = share * tolerance_for("float64", None)
        given = Given({(0,): 0.5, (1,): 0.5 - left}, unexplored=left, reason="budget spent")
        assert judged(blank, due, given, (0,), 2, None, 0.0).verdict == verdict


def test_a_rejection_loop_with_few_ways_ends_by_itself():
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts):
        if not len(drafts):
            return [subjects.pick(target_rows[0])]
        while True:
            y = int(subjects.rng.random() < 0.25)
            if subjects.rng.random() < (1.0, 1 / 3)[1 - y] or y:
                return [y]

    # y = 1 with 1/4, y = 0 with 3/4 of which a third is kept: even
    found = law(f, "fair-coins")
    assert found.verdict == "LOSSLESS"
    assert 0 < found.unexplored_mass < found.tolerance / 10


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt, GeneratorExit()])
def test_an_exit_of_the_subject_is_no_exit_of_the_audit(raised):
    @subjects.numpy_rule
    def always(target_rows, draft_rows, drafts):
        raise raised

    with pytest.raises(SubjectError, match=r"raises on every path .*: SubjectExit: it raised"):
        audit_callable(always, "rule", pairs=["base"], lookahead=1)

    @subjects.numpy_rule
    def sometimes(target_rows, draft_rows, drafts):
        if list(drafts) == [2]:
            raise raised
        return subjects.standard(target_rows, draft_rows, drafts)

    report = audit_callable(sometimes, "rule", pairs=["base"], lookahead=1)
    assert report.verdict == "UNDECIDED"
    assert "it raised" in report.results[0].reason


def test_what_the_subject_warns_of_is_not_shown_and_no_error():
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts):
        warnings.warn("look here", RuntimeWarning, stacklevel=1)
        np.log(np.zeros(1))
        return subjects.standard(target_rows, draft_rows, drafts)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(f, kind="rule", pairs=["base"], lookahead=1).verdict == "LOSSLESS"


def test_a_loop_that_waits_for_another_coin_ends_at_the_endpoints():
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts):
        while subjects.rng.random() >= 0.5:
            pass
        return subjects.standard(target_rows, draft_rows, drafts)

    trial = Trial(subject_from(f, "rule", "f"))
    steps = [s for s in edges.steps(trial, block_call) if s.blank.check == "endpoint-one"]
    for step in steps[:2]:
        (found,) = step.run()
        assert (found.verdict, found.reason.split(" with")[0]) == (NOT_APPLICABLE, "draws for ever")


@pytest.mark.parametrize("name", ["match", "one_hot"])
def test_a_rule_that_never_looks_at_the_drafters_rows_need_not_mind_what_they_hold(name):
    @subjects.numpy_rule
    def match(target_rows, draft_rows, drafts):
        block = []
        for row, x in zip(target_rows, [*drafts, -1], strict=True):
            block.append(subjects.pick(row))
            if block[-1] != x:
                break
        return block

    one_hot = subjects.rule_with(
        accept=lambda p, q, x, j: p[j][x[j]], final=lambda p, q, x, j: subjects.without(p[j], x[j])
    )
    for f, verdict in (
        ({"match": match, "one_hot": one_hot}[name], "LOSSLESS"),
        (with_ratio(lambda p, q: p / q), "LOSSY"),
    ):
        trial = Trial(subject_from(f, "rule", "f"))
        steps = [s for s in edges.steps(trial, block_call) if s.blank.check.endswith("-drafter")]
        assert [r.verdict for step in steps for r in step.run()] == [verdict, verdict]


def test_every_check_gets_a_share_of_the_budget_and_what_is_left_at_the_end(monkeypatch):
    trial = Trial(subject_from(subjects.standard, "rule", "f"), None, time.monotonic() + 40)
    trial.begin(10)
    assert 5 < trial.seconds_left() <= 6 and not trial.was_cut_short  # one and a half of a tenth
    trial.begin(1)
    assert 35 < trial.seconds_left() <= 40
    runs = []

    def step(name, verdicts):
        blank = trial.blank(Case(named_pair(name), 1))

        def run_step():
            runs.append(name)
            verdict = verdicts.pop(0)
            if verdict == "UNDECIDED":
                trial._until = time.monotonic()  # the share is used up
            return [replace(blank, verdict=verdict)]

        return Step(blank, run_step)

    planned = [step("base", ["UNDECIDED", "LOSSLESS"]), step("zeros", ["LOSSLESS"])]
    monkeypatch.setattr(auditing, "steps", lambda *_: planned)
    found = [(n, r.verdict) for n, r, _ in auditing.audited(trial, auditing.Plan())]
    assert runs == ["base", "zeros", "base"]
    assert found == [(0, "UNDECIDED"), (4, "LOSSLESS"), (0, "LOSSLESS")]
