"""`generate` and `batch_rule` subjects."""

import kind_subjects as subjects
import pytest
from draftproof.audit.kinds import audit_callable
from draftproof.audit.subjects import SubjectError


def one(subject, kind, pair, check, **options):
    report = audit_callable(subject, kind, pairs=[pair], lookahead=1, shrink=False, **options)
    (found,) = [r for r in report.results if r.check == check]
    return found


def test_a_correct_run_is_lossless():
    report = audit_callable(subjects.run, "generate")
    assert report.verdict == "LOSSLESS"
    checks = {r.check for r in report.results if r.verdict == "LOSSLESS"}
    assert {"next-token", "run", "dtype", "second-request", "stop-positions"} <= checks
    assert all(r.acceptance is None and r.tokens_per_pass is None for r in report.results)


def test_a_greedy_draft_that_is_scored_with_q_has_its_exact_distance():
    found = one(subjects.T4, "generate", "base", "next-token", horizon=2)
    assert found.total_variation.float == pytest.approx(3 / 10)
    assert "proposal-law" in found.fault_candidates


def test_a_rejected_id_left_in_the_context_shows_in_the_second_round_only():
    first = one(subjects.T21, "generate", "certain-draft", "next-token", horizon=2)
    both = one(subjects.T21, "generate", "certain-draft", "run", horizon=2)
    assert first.verdict == "LOSSLESS"
    assert both.total_variation.float == pytest.approx(2 / 5)
    assert both.refutes == ("run",)
    assert both.fault == "state-not-rolled-back"


def test_a_run_that_stops_short_is_a_stopping_fault():
    @subjects.numpy_rule
    def short(target, drafter, prompt, lookahead, max_new_tokens):
        return subjects.run(target, drafter, prompt, lookahead, max(1, max_new_tokens - 1))

    found = one(short, "generate", "base", "run", horizon=3)
    assert (found.verdict, found.fault) == ("LOSSY", "stopping")


def test_the_prompt_in_what_is_returned_is_bad_input():
    @subjects.numpy_rule
    def with_prompt(target, drafter, prompt, lookahead, max_new_tokens):
        return prompt + subjects.run(target, drafter, prompt, lookahead, max_new_tokens)

    with pytest.raises(SubjectError, match="the prompt too"):
        audit_callable(with_prompt, "generate", pairs=["base"], lookahead=1, horizon=2)


def test_state_kept_from_run_to_run_is_seen_at_the_second_request():
    kept = []

    @subjects.numpy_rule
    def stale(target, drafter, prompt, lookahead, max_new_tokens):
        read = kept[-1:] if kept else prompt
        kept[:] = subjects.run(target, drafter, read, lookahead, max_new_tokens)
        return list(kept)

    report = audit_callable(stale, "generate", shrink=False)
    assert {r.check for r in report.results if r.verdict == "LOSSY"} == {"second-request"}


def test_a_pair_over_two_vocabularies_needs_tokenizers():
    found = one(subjects.run, "generate", "merging-target", "run")
    assert found.verdict == "NOT_APPLICABLE"
    assert "drafter_tokenizer, target_tokenizer" in found.reason


@subjects.numpy_rule
def exact_match(
    target, drafter, prompt, lookahead, max_new_tokens, target_tokenizer, drafter_tokenizer
):
    """String-level exact match over two vocabularies; the drafter may have nothing to say."""
    new = []
    while len(new) < max_new_tokens:
        ids = [*prompt, *new]
        text = target_tokenizer.decode(ids)
        read = list(drafter_tokenizer.encode(text))
        drafts = []
        for _ in range(lookahead if read else 0):
            drafts.append(subjects.pick(drafter(read + drafts)[-1]))
        candidates = list(target_tokenizer.encode(drafter_tokenizer.decode(drafts)))
        rows = target(ids + candidates)[len(ids) - 1 :]
        new += subjects.match(rows, None, candidates)
    return new[:max_new_tokens]


def test_two_vocabularies_with_tokenizers():
    assert one(exact_match, "generate", "merging-target", "run", horizon=3).verdict == "LOSSLESS"
    assert one(exact_match, "generate", "base", "run", horizon=2).verdict == "LOSSLESS"


def test_a_correct_batch_is_lossless():
    report = audit_callable(subjects.batch, "batch_rule")
    assert report.verdict == "LOSSLESS"
    checks = {r.check for r in report.results if r.verdict == "LOSSLESS"}
    assert {"next-token", "one-round", "batch", "ragged", "permutation", "dtype"} <= checks


def test_requests_that_share_a_stream_are_lossy_as_a_batch_only():
    report = audit_callable(subjects.one_stream, "batch_rule", pairs=["fair-coins"], lookahead=1)
    found = {r.check: r for r in report.results if r.pair == "fair-coins"}
    assert (found["next-token"].verdict, found["one-round"].verdict) == ("LOSSLESS", "LOSSLESS")
    assert (found["batch"].verdict, found["batch"].refutes) == ("LOSSY", ("batch",))
    assert found["batch"].fault == "coupled-randomness"


def test_rows_of_another_request_are_a_shift():
    report = audit_callable(subjects.first_rows, "batch_rule", shrink=False)
    lossy = [r for r in report.results if r.verdict == "LOSSY"]
    assert {r.guarantee for r in lossy} == {"batch", "run"}  # run: of a batch after another
    assert all("position-shift" in r.fault_candidates for r in lossy)


def test_a_wrong_number_of_blocks_is_bad_input():
    wrong = subjects.numpy_rule(lambda target_rows, draft_rows, drafts, lengths: [[0]] * 9)
    with pytest.raises(SubjectError, match="lists of ids is due"):
        audit_callable(wrong, "batch_rule")
