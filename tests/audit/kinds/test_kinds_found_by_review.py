"""What a reviewer found: faults that were once taken for lossless, and bad input taken for good."""

import functools
import time

import kind_subjects as subjects
import numpy as np
import pytest
from draftproof.audit import run
from draftproof.audit.kinds import audit_callable, subject_from
from draftproof.audit.kinds.cases import combined, request_cases
from draftproof.audit.kinds.judging import Given, judged, tolerance_for
from draftproof.audit.kinds.pairs import named_pair
from draftproof.audit.kinds.settings import Settings
from draftproof.audit.report import NOT_APPLICABLE, Result
from draftproof.audit.subjects import SubjectError

KEPT = {}


def lossy(f, kind, pair, **options):
    report = audit_callable(f, kind, pairs=[pair], lookahead=1, shrink=False, **options)
    return {r.check: r for r in report.results if r.verdict == "LOSSY"}


def lossless(f, kind, pair, **options):
    report = audit_callable(f, kind, pairs=[pair], lookahead=1, shrink=False, **options)
    return report.verdict == "LOSSLESS"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_does_not_raise_the_tolerance_above_that_of_float32(dtype):
    assert tolerance_for(dtype, None) == tolerance_for("float32", None) < 2e-5
    blank = Result("f", "rule", None, "one-round", "block", NOT_APPLICABLE)
    given = Given({(0,): 0.501, (1,): 0.499}, dtype=dtype)
    found = judged(blank, {(0,): 0.5, (1,): 0.5}, given, (0,), 2, None, 0.0)
    assert (found.verdict, found.fault_candidates) == ("LOSSY", ("numerical-edge",))


def test_a_bonus_from_a_row_of_padding_is_lossy():
    @subjects.numpy_rule
    def last_row(target_rows, draft_rows, drafts, lengths):
        blocks = []
        for p, q, x, n in zip(target_rows, draft_rows, drafts, lengths, strict=True):
            rows = np.concatenate([p[:n], p[-1:]])
            blocks.append(subjects.standard(rows, q[:n], x[:n]))
        return blocks

    report = audit_callable(last_row, "batch_rule", shrink=False)
    found = {r.check for r in report.results if r.verdict == "LOSSY"}
    assert found == {"ragged", "permutation", "second-request"}  # where lengths differ


@subjects.numpy_rule
def stale_coins(target_rows, draft_rows, drafts):
    if "coin" not in KEPT:
        KEPT["coin"] = subjects.rng.random(8)
    for j, x in enumerate(drafts):
        if KEPT["coin"][j] >= target_rows[j, x] / draft_rows[j, x]:
            return [*drafts[:j], subjects.pick(subjects.residual(target_rows[j], draft_rows[j]))]
    return [*drafts, subjects.pick(target_rows[-1])]


def test_coins_kept_for_the_next_request_are_lossy():
    report = audit_callable(stale_coins, "rule", shrink=False)
    found = {(r.check, r.pair) for r in report.results if r.verdict == "LOSSY"}
    assert found == {("second-request", "fair-coins")}
    assert set(lossy(stale_coins, "rule", "context-dependent")) == {"second-request"}


def seeded(again):
    @subjects.numpy_rule
    def f(target, drafter, prompt, lookahead, max_new_tokens, seed=None):
        generator, new = np.random.default_rng(seed), []
        while len(new) < max_new_tokens:
            generator = np.random.default_rng(seed) if again else generator
            law = target([*prompt, *new])[-1]
            new.append(int(generator.choice(len(law), p=law)))
        return new

    return f


def test_seeding_anew_every_round_is_lossy_though_the_seed_has_a_default():
    assert set(lossy(seeded(True), "generate", "base", horizon=2)) == {"run", "second-request"}
    assert lossless(seeded(False), "generate", "base", horizon=2)


def test_a_generator_with_a_default_is_passed():
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts, generator=None):
        if generator is not None:
            return [int(target_rows[0].argmax())]
        return subjects.standard(target_rows, draft_rows, drafts)

    assert "next-token" in lossy(f, "rule", "base")


@pytest.mark.parametrize(
    ("pair", "floor", "seen"),
    [("small", 1e-2, True), ("tiny", 1e-6, True), ("small", 1e-6, False)],
)
def test_a_clamped_q_is_lossy(pair, floor, seen):
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts):
        chance = target_rows[0, drafts[0]] / max(draft_rows[0, drafts[0]], floor)
        if subjects.rng.random() < chance:
            return [*drafts, subjects.pick(target_rows[1])]
        return [subjects.pick(subjects.residual(target_rows[0], draft_rows[0]))]

    assert ("next-token" in lossy(f, "rule", pair)) == seen


@pytest.mark.parametrize("enough", [0.97, 0.94, 0.89, 0.84])
def test_a_ratio_near_one_taken_for_accepted_is_lossy(enough):
    @subjects.numpy_rule
    def f(target_rows, draft_rows, drafts):
        ratio = target_rows[0, drafts[0]] / draft_rows[0, drafts[0]]
        if ratio >= enough or subjects.rng.random() < ratio:
            return [*drafts, subjects.pick(target_rows[1])]
        return [subjects.pick(subjects.residual(target_rows[0], draft_rows[0]))]

    found = lossy(f, "rule", "near-ratios")
    assert "acceptance-rule" in found["next-token"].fault_candidates


def test_six_ids_leave_four_that_differ_after_a_rejection():
    due = named_pair("six-ids").pair
    (p,), (q,) = due.target.distributions((0,)), due.drafter.distributions((0,))
    left = [p[t] - q[t] for t in range(6) if p[t] > q[t]]
    assert len(left) == len(set(left)) == 4
    assert all(p[t] > 0 and q[t] > 0 for t in range(6))
    assert lossless(subjects.standard, "rule", "six-ids")


def test_the_settings_that_are_named_are_combined():
    row = (0.4, 0.3, 0.2, 0.1)
    both = combined(frozenset({"temperature", "min_p"}))
    assert both.needs == {"temperature", "min_p"}
    assert both.due(row, ()) != combined(frozenset({"min_p", "top_p"})).due(row, ())
    for pair in ({"temperature", "top_p"}, {"temperature", "min_p"}, {"top_k", "top_p"}):
        asked = combined(frozenset(pair))
        rows = [(0.4, 0.3, 0.2, 0.1), (0.1, 0.4, 0.3, 0.2)]
        one, other = (Settings(**{name: getattr(asked, name)}) for name in sorted(pair))
        laws = [(one.due(other.due(r, ()), ()), other.due(one.due(r, ()), ())) for r in rows]
        assert any(abs(a - b) > 0.01 for x, y in laws for a, b in zip(x, y, strict=True)), pair
    assert len(combined(frozenset({"temperature"})).needs) == 4
    tried = {c.settings.top_k for c in request_cases(1) if c.check == "top-k"}
    assert tried == {1, 2, 3}


def test_the_wrong_order_of_temperature_and_min_p_is_lossy():
    def f(first):
        @subjects.numpy_rule
        def rule(target_rows, draft_rows, drafts, temperature=1.0, min_p=0.0):
            def cut(p):
                p = np.where(p >= min_p * p.max(axis=-1, keepdims=True), p, 0)
                return p / p.sum(axis=-1, keepdims=True)

            def heat(p):
                p = p ** (1 / temperature) if temperature else 1.0 * (p == p.max(-1)[:, None])
                return p / p.sum(axis=-1, keepdims=True)

            rows = heat(cut(target_rows)) if first == "cut" else cut(heat(target_rows))
            return subjects.standard(rows, draft_rows, drafts)

        return rule

    def verdicts(subject):
        report = audit_callable(subject, "rule", lookahead=1, shrink=False)
        return {r.check: r.verdict for r in report.results}

    assert verdicts(f("cut"))["combined"] == "LOSSY"
    assert verdicts(f("heat"))["combined"] == "LOSSLESS"


def test_minus_one_is_said_to_look_like_padding():
    @subjects.numpy_rule
    def padded(target_rows, draft_rows, drafts):
        block = subjects.standard(target_rows, draft_rows, drafts)
        return [*block, *[-1] * (len(drafts) + 1 - len(block))]

    assert "looks like padding" in lossy(padded, "rule", "base")["one-round"].reason


def test_the_prompt_in_what_is_returned_is_bad_input_in_a_whole_audit():
    @subjects.numpy_rule
    def f(target, drafter, prompt, lookahead, max_new_tokens):
        law = target(prompt)[-1]
        return [*prompt, *(subjects.pick(law) for _ in range(max_new_tokens))]

    with pytest.raises(SubjectError, match="the prompt too"):
        audit_callable(f, "generate", lookahead=1, horizon=2, shrink=False)


def test_parameters_in_another_order_are_named():
    with pytest.raises(SubjectError, match="in another order"):
        subject_from(subjects.numpy_rule(lambda draft_rows, target_rows, drafts: [0]), "rule")


def test_what_is_declared_is_found_on_the_owner_and_on_the_whole_of_a_partial():
    class Verifier:
        array = "numpy"
        relaxed = "by design"

        def verify(self, target_rows, draft_rows, drafts):
            return [0]

    @subjects.numpy_rule
    def whole(scale, target_rows, draft_rows, drafts):
        return [0]

    for call in (Verifier().verify, functools.partial(whole, 1.0)):
        assert subject_from(call, "rule").array == "numpy"
    assert subject_from(Verifier().verify, "rule").relaxed == "by design"
    assert subject_from(functools.partial(Verifier().verify), "rule").array == "numpy"


@pytest.mark.parametrize("options", [{"path_seconds": 1.0}, {"budget": 1.0}])
def test_a_subject_that_hangs_at_once_is_given_up_soon(tmp_path, options):
    path = tmp_path / "hanging.py"
    path.write_text(
        "def f(target_rows, draft_rows, drafts):\n    while True: pass\nf.array = 'numpy'\n"
    )
    started = time.monotonic()
    report = run(f"{path}:f", kind="rule", isolate=True, **options)
    assert report.verdict == "UNDECIDED"
    assert any("did not end within" in (r.reason or "") for r in report.results)
    assert time.monotonic() - started < 9
