"""Samplers of the pinned vLLM releases: laws, keys, batches, and faults planted in copies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="needs numpy, torch and triton: pip install torch triton")
torch = pytest.importorskip("torch", reason="needs torch: pip install torch")

from draftproof.adapters.vllm import batches, engine_sampler, keys, laws, vocabulary  # noqa: E402
from draftproof.adapters.vllm.coins import Recorder  # noqa: E402
from draftproof.adapters.vllm.engine_sampler import EngineSampler  # noqa: E402
from draftproof.adapters.vllm.faults import FAULTS, Fault  # noqa: E402
from draftproof.adapters.vllm.gpu_sampler import (  # noqa: E402
    GUMBEL,
    UTILITIES,
    GpuSampler,
    Request,
    verifying,
)
from draftproof.adapters.vllm.loading import Tree  # noqa: E402
from draftproof.adapters.vllm.releases import FETCH_COMMAND, RELEASES, folder_of  # noqa: E402
from draftproof.audit.kinds.auditing import audit_callable  # noqa: E402
from draftproof.audit.report import LOSSLESS, LOSSY, Report  # noqa: E402

NEWEST, OLDER = (release.version for release in RELEASES)


def tree(version: str) -> Tree:
    release = next(r for r in RELEASES if r.version == version)
    if not (folder_of(release) / "vllm").is_dir():
        pytest.skip(f"needs the files of vllm {version}: {FETCH_COMMAND}")
    return Tree(folder_of(release), version)


def law(kernel: Any, pair: str, lookahead: int) -> Report:
    return audit_callable(kernel, "kernel", pairs=[pair], lookahead=lookahead, shrink=False)


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_the_standard_rule_is_lossless_given_its_structure(version: str):
    report = law(verifying(GpuSampler(tree(version))), "contexts", 1)
    assert report.verdict == LOSSLESS
    for result in report.results:
        assert result.reason is not None and result.reason.startswith("given structure")
        assert result.total_variation is not None and result.total_variation.float < 1e-6
        assert result.tolerance == pytest.approx(1e-5, rel=0.01), "float32 was seen"


def test_certain_drafts_under_both_rules():
    for block in (False, True):
        sampler = GpuSampler(tree(NEWEST), block=block)
        assert law(verifying(sampler, certain=True), "one-hot", 1).verdict == LOSSLESS


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_the_engines_sampler_is_lossless_given_its_structure(version: str):
    sampler = EngineSampler(tree(version))
    assert law(engine_sampler.verifying(sampler), "contexts", 1).verdict == LOSSLESS
    report = law(engine_sampler.verifying(sampler, certain=True), "one-hot", 1)
    assert report.verdict == LOSSLESS


@pytest.mark.parametrize("fault", [f for f in FAULTS if not f.run], ids=lambda f: f.name)
def test_planted_faults_are_lossy(fault: Fault):
    sampler = GpuSampler(tree(NEWEST), block=fault.block, patches=fault.patches)
    report = law(verifying(sampler, certain=fault.certain), fault.pair, fault.lookahead)
    worst = [r for r in report.results if r.verdict == LOSSY]
    assert worst, fault.says
    assert set(fault.classes) & set(worst[-1].fault_candidates), worst[-1].fault_candidates
    assert worst[-1].total_variation is not None and worst[-1].total_variation.float > 0.05


def test_drafts_and_replacements_that_share_noise_are_lossy():
    """Planted in the newest release, where a salt keeps them apart; the older one's own doing."""
    fault = next(f for f in FAULTS if f.run)
    rows = {"target": (0.5, 0.4, 0.1), "drafter": (0.1, 0.3, 0.6)}
    distance = 11 / 210  # 2 is drafted, loses, and the residual races on the noise it won with
    for sampler in (GpuSampler(tree(NEWEST), patches=fault.patches), GpuSampler(tree(OLDER))):
        shared = set(keys.reuse(keys.rounds(sampler, 2, 1, certain=False)))
        assert any("a draft and the token that replaces it" in line for line in shared)
        result = laws.run_result("x", sampler, **rows, pair="p", lookahead=1, horizon=1)
        assert result.verdict == LOSSY and result.fault == "coupled-randomness"
        assert result.total_variation is not None
        assert result.total_variation.float == pytest.approx(distance, abs=1e-6)
    apart = GpuSampler(tree(NEWEST))
    assert not set(keys.reuse(keys.rounds(apart, 2, 1, certain=False)))


@pytest.mark.parametrize("version", [NEWEST, OLDER])
def test_block_verification_reads_the_coin_of_a_position_in_two_rounds(version: str):
    """After [1] comes 0 with probability 1/3; 1/2 is due: worked by hand in docs/vllm.md."""
    sampler = GpuSampler(tree(version), block=True)
    shared = list(keys.reuse(keys.rounds(sampler, 3, 2, certain=True)))
    assert any("an acceptance of a round that kept 1 token(s)" in line for line in shared)
    result = laws.run_result(
        "x", sampler, (0.5, 0.5), (1.0, 0.0), pair="p", lookahead=2, horizon=2, certain=True
    )
    assert result.verdict == LOSSY and result.refutes == ("run",)
    assert result.total_variation is not None and result.witness is not None
    assert result.total_variation.float == pytest.approx(1 / 12, abs=1e-6)
    assert result.witness.continuation == (1, 1)
    assert result.witness.given.float == pytest.approx(1 / 3, abs=1e-6)


def test_the_standard_rule_draws_nothing_twice():
    sampler = GpuSampler(tree(NEWEST))
    assert not list(keys.reuse(keys.rounds(sampler, 3, 2, certain=False)))
    result = laws.run_result(
        "x", sampler, (0.5, 0.5), (1.0, 0.0), pair="p", lookahead=2, horizon=3, certain=True
    )
    assert result.verdict == LOSSLESS, result.reason


def test_two_requests_share_no_key():
    sampler, source = GpuSampler(tree(NEWEST)), Recorder()
    rows = np.array([[0.5, 0.5]] * 3)
    both = [Request(rows, rows[:2], (0, 1), seed=seed, position=5) for seed in (1, 2)]
    sampler.verify(both, source)
    asked = [key for key, _ in source.asked]
    assert len(set(asked)) == len(asked) and {key.seed for key in asked} == {1, 2}


def test_drafts_that_a_grammar_excludes_bias_what_replaces_them():
    """q(excluded) times the distance of p and the residual: 1/2 times 1/2 on this pair."""
    report = law(verifying(GpuSampler(tree(NEWEST)), grammar=True), "zeros", 1)
    assert report.verdict == LOSSY
    distance = report.results[0].total_variation
    assert distance is not None and distance.float == pytest.approx(1 / 4, abs=1e-6)
    assert law(verifying(GpuSampler(tree(NEWEST))), "zeros", 1).verdict == LOSSLESS


@pytest.mark.parametrize("check", batches.CHECKS)
def test_a_batch_gives_each_request_what_it_gets_alone(check: str):
    assert batches.difference(batches.by_key(GpuSampler(tree(NEWEST))), check, False) is None
    if check != "padding":
        engine = EngineSampler(tree(NEWEST))
        assert batches.difference(batches.by_row(engine), check, True) is None


def test_a_batch_that_mixes_requests_up_is_noticed():
    """Drafts of one request scored with the next one's probabilities."""
    patch = {
        UTILITIES: [
            (
                "target_log_prob = target_logit - target_lse\n    if HAS_DRAFT_LOGITS:\n",
                "target_log_prob = target_logit - target_lse\n    req_state_idx = req_state_idx * 0"
                "\n    if HAS_DRAFT_LOGITS:\n",
            )
        ]
    }
    verify = batches.by_key(GpuSampler(tree(NEWEST), patches=patch))
    assert "in a batch of 4" in str(batches.difference(verify, "ragged", False))


def test_the_map_between_vocabularies_is_exact():
    for version in (NEWEST, OLDER):
        for result in vocabulary.results("vllm:vocabulary", tree(version)):
            assert result.verdict == LOSSLESS, result.reason
            assert result.total_variation is not None and result.total_variation.exact == 0


def test_a_map_that_forgets_the_order_of_ids_is_noticed(monkeypatch: pytest.MonkeyPatch):
    patch = {vocabulary.MODULE: [("draft_to_target[d_id] = t_id", "draft_to_target[d_id] = d_id")]}
    real = vocabulary.load
    monkeypatch.setattr(vocabulary, "load", lambda t, names: real(t, names, patches=patch))
    found = vocabulary.results("vllm:vocabulary", tree(NEWEST))
    assert any(r.verdict == LOSSY and r.fault == "vocabulary-map" for r in found)


def test_tritons_own_interpreter_agrees():
    """In a process of its own: the same coins, forty batches under each rule and release."""
    pytest.importorskip("triton", reason="needs triton: pip install triton")
    tree(NEWEST), tree(OLDER)
    code = """
import random
from draftproof.adapters.vllm.batches import Hashed, _requests
from draftproof.adapters.vllm.gpu_sampler import GpuSampler
from draftproof.adapters.vllm.releases import available
numbers = random.Random(3)
for tree in available():
    for block in (False, True):
        pair = [GpuSampler(tree, block=block, interpreter=i) for i in (False, True)]
        for n in range(3):
            for certain in (False, True):
                requests = _requests("mixed", numbers, certain)
                ours, theirs = (s.verify(requests, Hashed(n)) for s in pair)
                assert ours == theirs, (tree.version, block, requests, ours, theirs)
print("agreed")
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "agreed", done.stderr[-2000:]


def test_the_command_surveys_one_subject_of_one_release(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("triton", reason="needs triton: pip install triton")
    jsonschema = pytest.importorskip("jsonschema")
    from draftproof.cli import main

    tree(NEWEST)
    assert main(["audit", f"vllm:structured@{NEWEST}", "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out)
    schema = files("draftproof.audit").joinpath("schemas/report.json").read_text(encoding="utf-8")
    jsonschema.validate(report, json.loads(schema))
    assert [s["subject"] for s in report["subjects"]] == [f"vllm:structured@{NEWEST}"]
    assert NEWEST in report["versions"]["vllm"]
    assert main(["audit", f"vllm:vocabulary@{NEWEST}"]) == 0


def test_faults_are_distinct_and_at_least_five():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 5
    assert {m for f in FAULTS for m in f.patches} == {UTILITIES, GUMBEL}
    assert replace(FAULTS[0], name="other") != FAULTS[0]
