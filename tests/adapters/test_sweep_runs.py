"""The sweep on unmodified `generate()`, on planted faults, and on what it must not flag.

Faults are planted in the library's own functions for one test each: a residual that is the target
(`no residual`), a sampler that raises, a setting that plain `generate()` refuses.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
torch = pytest.importorskip("torch", reason=NEEDS)
transformers = pytest.importorskip("transformers", reason=NEEDS)

from draftproof.adapters import sweep as sweep_module  # noqa: E402
from draftproof.adapters.confirmations import confirm  # noqa: E402
from draftproof.adapters.generation import quiet  # noqa: E402
from draftproof.adapters.routes import Case, cases_of  # noqa: E402
from draftproof.adapters.routes.calls import Calls  # noqa: E402
from draftproof.adapters.routes.followed import _looped, followed  # noqa: E402
from draftproof.adapters.sweep import run_case, sweep  # noqa: E402
from draftproof.audit.report import (  # noqa: E402
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Result,
)

RELEASE = transformers.__version__
ON_5_24 = pytest.mark.skipif(RELEASE != "5.24.0", reason="what release 5.24.0 is known to do")
GENERATION = transformers.generation.utils


def case(route: str, pair: str, lookahead: int) -> Case:
    return next(c for c in cases_of(route) if c.key == (route, pair, lookahead))


def run(route: str, pair: str, lookahead: int) -> Result:
    return run_case(case(route, pair, lookahead))


def distance(result: Result) -> float:
    assert result.total_variation is not None, result.reason
    return result.total_variation.float


@pytest.mark.parametrize(
    ("route", "pair", "lookahead"),
    [
        ("assisted", "temperature 0.7", 2),
        ("assisted", "top-k 2", 2),
        ("assisted", "top-p 0.8", 2),
        ("assisted", "drafter has another end of sequence", 2),
        ("assisted", "confidence threshold 0.35", 2),
        ("two-tokenizers-text", "token drafted in pieces", 2),
        ("prompt-lookup", "plain", 2),
        ("early-exit", "plain", 1),
        ("encoder-decoder", "plain", 1),
    ],
)
def test_what_is_exact_on_every_release_is_not_flagged(route: str, pair: str, lookahead: int):
    result = run(route, pair, lookahead)
    assert result.verdict == LOSSLESS, result.reason
    assert result.error_mass == result.unexplored_mass == 0.0
    assert distance(result) < 1e-6


@pytest.mark.parametrize("pair", ["plain", "top-k 2"])
def test_a_residual_that_is_the_target_is_found(pair: str, monkeypatch: pytest.MonkeyPatch):
    def planted(ids: Any, draft_logits: Any, drafted: int, target_logits: Any, *_: Any, **__: Any):
        q, p = draft_logits[0].softmax(-1), target_logits[0].softmax(-1)
        drafts = ids[0, ids.shape[1] - drafted :]
        ratio = p[torch.arange(drafted), drafts] / q[torch.arange(drafted), drafts]
        accepted = (torch.rand_like(ratio) <= ratio).tolist()
        kept = accepted.index(False) if False in accepted else drafted
        token = torch.multinomial(p[kept], 1)  # the fault: nothing is taken off
        return torch.cat([drafts[:kept], token])[None], torch.tensor(kept)

    monkeypatch.setattr(GENERATION, "_speculative_sampling", planted)
    result = run("assisted", pair, 2)
    assert result.verdict == LOSSY and distance(result) > 0.01
    assert result.witness is not None and result.fault is None and result.reason is None


def test_a_crash_is_undecided_named_and_said_not_to_be_the_settings(
    monkeypatch: pytest.MonkeyPatch,
):
    def planted(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(GENERATION, "_speculative_sampling", planted)
    result = run("assisted", "top-k 2", 2)
    assert (result.verdict, result.error_mass) == (UNDECIDED, 1.0)
    assert "ZeroDivisionError: planted" in (result.reason or "")
    assert sweep_module.PLAIN_WORKS in (result.reason or "")


def test_nothing_is_due_where_plain_generate_raises():
    broken = Case("assisted", "x", 1, {"no_such_setting": 1}, toys={"vocabulary": 3, "eos": 2})
    result = run_case(broken)
    assert result.verdict == NOT_APPLICABLE and "plain generate() raises" in (result.reason or "")


def test_a_setting_or_a_route_that_a_release_lacks_is_not_applicable():
    lacking = Case("assisted", "x", 1, toys={"vocabulary": 3}, assistance={"no_such_weight": 0.5})
    assert run_case(lacking).verdict == NOT_APPLICABLE


def test_an_overshot_stop_criterion_is_lossy_on_every_release():
    result = run("assisted", "stop criterion", 2)
    assert (result.verdict, result.fault) == (LOSSY, "stopping")
    assert distance(result) == pytest.approx(0.350, abs=5e-4)
    assert result.witness is not None and result.witness.due.float == 0.0


@ON_5_24
def test_the_documented_ensemble_weight_is_relaxed():
    result = run("assisted", "ensemble weight 0.5", 1)
    assert (result.verdict, result.fault) == (RELAXED, "relaxed-by-design")
    assert "assistant_ensemble_weight" in (result.reason or "")


@ON_5_24
@pytest.mark.parametrize(
    ("route", "pair", "lookahead", "fault", "least"),
    [
        ("single-position", "plain", 1, "proposal-law", 0.144),
        ("two-tokenizers", "listed in another order", 1, "vocabulary-map", 0.05),
        ("assisted", "watermark with a history", 2, "state-not-rolled-back", 0.05),
        ("prompt-lookup", "guidance", 2, "state-not-rolled-back", 0.1),
    ],
)
def test_what_5_24_is_known_to_do(route: str, pair: str, lookahead: int, fault: str, least: float):
    result = run(route, pair, lookahead)
    assert (result.verdict, result.fault) == (LOSSY, fault), result.reason
    assert distance(result) > least and result.reason


@ON_5_24
@pytest.mark.parametrize(
    ("route", "pair", "lookahead", "error"),
    [
        ("two-tokenizers", "drafter's tokens all shared", 1, "AttributeError"),
        ("two-tokenizers", "two assistants one after the other", 1, "shape mismatch"),
        ("two-tokenizers-text", "bad word", 2, "RuntimeError"),
        ("assisted", "stop string", 2, "could not locate a tokenizer"),
    ],
)
def test_crashes_of_5_24_are_undecided(route: str, pair: str, lookahead: int, error: str):
    result = run(route, pair, lookahead)
    assert (result.verdict, result.error_mass) == (UNDECIDED, 1.0)
    assert error in (result.reason or "") and sweep_module.PLAIN_WORKS in (result.reason or "")


def test_a_case_may_not_leave_its_settings_behind():
    chosen = case("assisted", "heuristic schedule, twice", 1)
    with quiet():
        calls = Calls(chosen)
        before = [model.generation_config.num_assistant_tokens for model in calls.toys.models]
        torch.manual_seed(0)
        calls.assisted(), calls._put_back()
        after = [model.generation_config.num_assistant_tokens for model in calls.toys.models]
    assert before == after


def test_the_sweep_reports_every_route_asked_for(monkeypatch: pytest.MonkeyPatch):
    chosen = {
        "assisted": (case("assisted", "top-k 2", 2),),
        "prompt-lookup": (case("prompt-lookup", "plain", 2),),
    }
    monkeypatch.setattr(sweep_module, "cases_of", chosen.__getitem__)
    told: list[tuple[int, int, str]] = []
    report = sweep(chosen, quick=False, progress=lambda *step: told.append(step))
    assert [s.subject for s in report.subjects] == [f"transformers:{name}" for name in chosen]
    assert [s.verdict for s in report.subjects] == [LOSSLESS, LOSSLESS]
    assert [step[:2] for step in told] == [(1, 2), (2, 2)]
    schema = json.loads((files("draftproof.audit") / "schemas" / "report.json").read_text())
    jsonschema.validate(json.loads(report.to_json_text()), schema)


def test_a_spent_budget_is_undecided(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sweep_module, "cases_of", lambda _: (case("assisted", "plain", 2),))
    (result,) = sweep(["assisted"], budget=0.0).results
    assert result.verdict == UNDECIDED and "budget" in (result.reason or "")


def test_helpers_that_are_followed_give_what_the_library_s_own_give():
    table = torch.arange(12).reshape(2, 3, 2)
    added = torch.tensor([3, 5])
    both = [
        each(lambda x, row: x * 7 + row.sum(-1), in_dims=(None, 1), out_dims=1)(added, table)
        for each in (torch.vmap, _looped)
    ]
    assert torch.equal(*both)
    generator = torch.Generator().manual_seed(11)
    with followed():
        first, again = (torch.randperm(7, generator=generator) for _ in range(2))
    assert sorted(first.tolist()) == list(range(7)) and torch.equal(first, again)
    assert not torch.equal(torch.randperm(1000), torch.randperm(1000))


def test_real_draws_refute_a_wrong_law_and_not_the_right_one():
    """1,000 draws, seed 1: a right law deviates by more than 4 sigma once in 30,000 seeds."""
    right, wrong = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.6, 0.2, 0.2])

    def drawn(weights: Any) -> tuple[int, ...]:
        return (int(torch.multinomial(weights, 1)),)

    found = confirm(lambda: drawn(right), lambda: drawn(wrong), draws=1000, seed=1)
    assert found.total_variation == pytest.approx(0.1)
    assert abs(found.given.deviation) < 4.0 < found.due.deviation
    certain = confirm(lambda: (0,), lambda: drawn(wrong), draws=1000, seed=1)
    assert certain.due.impossible > 300 and certain.due.deviation == float("inf")
