"""`rule` subjects: correct ones are LOSSLESS, classic faults LOSSY with their exact distances."""

import kind_subjects as subjects
import pytest
from draftproof.audit.kinds import audit_callable


def results(report, check, lookahead=1):
    return [r for r in report.results if r.check == check and r.lookahead == lookahead]


def one(subject, pair, check="next-token", lookahead=1, **options):
    report = audit_callable(
        subject, "rule", pairs=[pair], lookahead=lookahead, shrink=False, **options
    )
    (found,) = results(report, check, lookahead)
    return found


@pytest.mark.parametrize("name", ["standard", "match", "settled"])
def test_correct_rules_are_lossless_in_float64_and_float32(name):
    report = audit_callable(getattr(subjects, name), "rule")
    assert report.verdict == "LOSSLESS"
    tolerances = {r.check == "dtype": r.tolerance for r in report.results if r.tolerance}
    assert tolerances[False] < 1e-9 < tolerances[True] < 2e-5
    checks = {r.check for r in report.results if r.verdict == "LOSSLESS"}
    assert {"next-token", "one-round", "bonus", "p-equals-q", "disjoint", "zeros"} <= checks
    assert {"id-order", "padding", "no-drafts", "second-request", "dtype"} <= checks
    if name == "settled":
        assert {"temperature", "greedy", "near-greedy", "processor", "mask", "eos"} <= checks


CLASSIC = [
    # subject, pair, check, lookahead, total variation, the class among the candidates
    ("T1", "base", "next-token", 1, 3 / 20, "residual"),
    ("T2", "base", "next-token", 1, 3 / 10, "acceptance-rule"),
    ("T3", "base", "next-token", 1, 9 / 80, "residual"),
    ("reused_coin", "two-id-residual", "next-token", 1, 1 / 10, "coupled-randomness"),
    ("T18", "base", "next-token", 1, 3 / 10, "acceptance-rule"),
    ("T19", "certain-draft", "next-token", 1, 9 / 20, "position-shift"),
    ("T20", "shifted-rows", "bonus", 1, 2 / 5, "position-shift"),
    ("one_coin", "fair-coins", "one-round", 1, 1 / 4, "coupled-randomness"),
    ("T26", "two-id-residual", "next-token", 1, 3 / 10, "residual"),
    ("longest_prefix", "cumulative", "next-token", 2, 1 / 6, "block-or-tree"),
    ("typical", "base", "next-token", 1, 3 / 10, "relaxed-by-design"),
]


@pytest.mark.parametrize(("name", "pair", "check", "lookahead", "distance", "fault"), CLASSIC)
def test_a_classic_fault_has_its_exact_distance(name, pair, check, lookahead, distance, fault):
    found = one(getattr(subjects, name), pair, check, lookahead)
    assert found.verdict == "LOSSY"
    assert found.total_variation.float == pytest.approx(distance, abs=1e-12)
    assert found.guarantee in found.refutes
    assert found.samples_needed.n > 0


@pytest.mark.parametrize(("name", "fault"), sorted({(row[0], row[5]) for row in CLASSIC}))
def test_a_classic_fault_is_named(name, fault):
    report = audit_callable(getattr(subjects, name), "rule")
    assert report.verdict == "LOSSY"
    for result in report.results:
        if result.verdict == "LOSSY":
            assert result.fault == result.fault_candidates[0]
            assert len(result.fault_candidates) <= 3
            assert "look at" in result.reason
    assert any(fault in r.fault_candidates for r in report.results)


def test_the_wrong_law_is_in_the_witness():
    witness = one(subjects.T1, "base").witness
    assert witness.context == (0,)
    assert (witness.continuation, witness.vocabulary, witness.lookahead) == ((0,), 3, 1)
    assert witness.due.float == pytest.approx(1 / 2)
    assert witness.given.float == pytest.approx(7 / 20)


@pytest.mark.parametrize("name", ["T20", "one_coin"])
def test_exact_marginals_do_not_hide_a_wrong_joint_law(name):
    pair = {"T20": "shifted-rows", "one_coin": "fair-coins"}[name]
    assert one(getattr(subjects, name), pair).verdict == "LOSSLESS"
    check = {"T20": "bonus", "one_coin": "one-round"}[name]
    assert one(getattr(subjects, name), pair, check).refutes == ("block",)


def test_acceptance_and_tokens_are_those_of_the_rule():
    found = one(subjects.standard, "base", "one-round", 2)
    assert found.acceptance.float == pytest.approx(7 / 10)
    assert found.tokens_per_pass.float == pytest.approx(1 + 7 / 10 + 49 / 100)


def test_a_small_defect_is_seen_where_the_tolerance_allows_it():
    assert one(subjects.slightly(1e-6), "base").verdict == "LOSSY"
    assert one(subjects.slightly(4e-9), "base").verdict == "LOSSY"
    below = one(subjects.slightly(5e-10), "base")
    assert below.verdict == "LOSSLESS"
    assert below.total_variation.float > 1e-10  # and the report says what was found
    assert one(subjects.slightly(5e-10), "base", tolerance=1e-12).verdict == "LOSSY"


def test_a_tolerance_is_never_above_what_is_asked_for():
    assert one(subjects.standard, "base", tolerance=1e-12).tolerance == 1e-12
    assert one(subjects.standard, "base", tolerance=1.0).tolerance < 1e-9


def test_the_smallest_counterexample_is_found_and_called_locally_minimal():
    report = audit_callable(subjects.T1, "rule")
    (small,) = [r for r in report.results if r.pair == "smallest"]
    assert small.witness.vocabulary == 2
    assert small.lookahead == 1
    assert "locally minimal" in small.reason


def test_settings_that_are_dropped_are_lossy_at_their_check():
    report = audit_callable(subjects.cold, "rule")
    lossy = {r.check: r for r in report.results if r.verdict == "LOSSY"}
    assert {"temperature"} <= set(lossy) <= {"temperature", "greedy", "near-greedy"}
    assert lossy["temperature"].fault == "target-law"


def test_ids_after_an_end_of_sequence_are_a_stopping_fault():
    report = audit_callable(subjects.past_end, "rule")
    lossy = {r.check: r for r in report.results if r.verdict == "LOSSY"}
    assert set(lossy) == {"eos"}
    assert lossy["eos"].fault == "stopping"


def test_a_check_that_needs_an_unnamed_keyword_does_not_apply():
    report = audit_callable(subjects.standard, "rule")
    (found,) = results(report, "top-k", 2)
    assert (found.verdict, found.reason) == (
        "NOT_APPLICABLE",
        "the signature does not name top_k",
    )


def test_a_pair_over_two_vocabularies_does_not_apply():
    report = audit_callable(subjects.standard, "rule", pairs=["merging-target"])
    assert report.verdict == "NOT_APPLICABLE"
    assert "over one vocabulary" in report.subjects[0].reason
    assert report.exit_code() == 2


def test_what_is_remembered_from_another_request_is_lossy():
    report = audit_callable(subjects.remembers, "rule")
    lossy = {r.check: r for r in report.results if r.verdict == "LOSSY"}
    assert set(lossy) == {"second-request"}
    assert lossy["second-request"].fault == "state-not-rolled-back"


def test_a_coin_of_zero_is_an_edge_and_changes_the_exit_code_only_when_asked():
    report = audit_callable(subjects.zero_accepted, "rule")
    assert report.verdict == "LOSSLESS"
    failed = {e.check for e in report.edges if e.verdict == "LOSSY"}
    assert "endpoint-zero" in failed
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)
    assert not [
        e
        for e in audit_callable(subjects.standard, "rule").edges
        if "zero" in e.check and e.verdict != "LOSSLESS"
    ]


def test_wrong_log_probabilities_are_a_reporting_edge():
    report = audit_callable(subjects.reporting, "rule")
    (edge,) = [e for e in report.edges if e.check == "logprobs"]
    assert (report.verdict, edge.verdict, edge.fault) == ("LOSSLESS", "LOSSY", "reporting")


def test_an_id_outside_the_vocabulary_is_lossy_however_rare():
    @subjects.numpy_rule
    def rule(target_rows, draft_rows, drafts):
        if subjects.rng.random() < 1e-11:
            return [target_rows.shape[1]]
        return subjects.standard(target_rows, draft_rows, drafts)

    found = one(rule, "base", "one-round")
    assert found.verdict == "LOSSY"
    assert found.witness.due.float == 0.0
    negative = subjects.numpy_rule(lambda target_rows, draft_rows, drafts: [-1])
    assert one(negative, "base").witness.continuation == (-1,)


def test_raising_on_some_paths_is_undecided_and_lossy_only_beyond_the_error_mass():
    @subjects.numpy_rule
    def sometimes(target_rows, draft_rows, drafts):
        if subjects.rng.random() < 0.25:
            raise RuntimeError("out of luck")
        return subjects.standard(target_rows, draft_rows, drafts)

    found = one(sometimes, "base")
    assert (found.verdict, found.error_mass) == ("UNDECIDED", pytest.approx(0.25))
    assert "out of luck" in found.reason


def test_a_relaxed_rule_is_relaxed_only_when_declared():
    @subjects.numpy_rule
    def declared(target_rows, draft_rows, drafts):
        return subjects.typical(target_rows, draft_rows, drafts)

    declared.relaxed = "typical acceptance"
    report = audit_callable(declared, "rule", pairs=["base"])
    assert (report.verdict, report.exit_code()) == ("RELAXED", 0)
    assert "typical acceptance" in report.subjects[0].reason
    assert audit_callable(subjects.typical, "rule", pairs=["base"]).verdict == "LOSSY"


def test_random_pairs_are_repeatable():
    first, again = (
        audit_callable(subjects.T3, "rule", random=4, seed=3, lookahead=1, shrink=False)
        for _ in range(2)
    )
    assert first.verdict == "LOSSY"
    assert [r.witness for r in first.results] == [r.witness for r in again.results]


def test_a_spent_budget_is_undecided():
    report = audit_callable(subjects.standard, "rule", budget=1e-6)
    assert report.verdict == "UNDECIDED"
    assert "budget" in report.subjects[0].reason
