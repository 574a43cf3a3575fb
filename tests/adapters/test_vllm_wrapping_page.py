"""The page on wrapping an engine: its blocks are run, and what they wrap is audited."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "wrapping-an-engine.md"
BLOCKS = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
pytest.importorskip("torch", reason="needs torch: pip install torch")

from draftproof.adapters.vllm.releases import FETCH_COMMAND, available  # noqa: E402
from draftproof.audit.kinds.auditing import audit_callable  # noqa: E402
from draftproof.audit.report import LOSSLESS  # noqa: E402


def run(*places: int) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for place in places:
        exec(compile(BLOCKS[place], f"<block {place} of {PAGE.name}>", "exec"), names)
    return names


def test_every_wrapper_is_under_forty_lines():
    assert len(BLOCKS) == 4
    assert all(len(block.strip().splitlines()) < 48 for block in BLOCKS), "imports included"
    for block in BLOCKS:
        for body in re.findall(r"^def .*?(?=^\S|\Z)", block, re.DOTALL | re.MULTILINE):
            assert len(body.strip().splitlines()) < 40


def test_the_rule_and_the_generator_are_audited():
    pytest.importorskip("transformers", reason="needs transformers")
    names = run(0, 3)
    rule = audit_callable(names["transformers_rule"], "rule", pairs=["base"], lookahead=1)
    assert rule.verdict == LOSSLESS, rule
    whole = audit_callable(
        names["generate"], "generate", pairs=["fair-coins"], lookahead=1, horizon=2
    )
    assert whole.verdict == LOSSLESS, whole


def test_the_kernel_and_the_batch_are_audited():
    if not available():
        pytest.skip(f"needs the files of vllm: {FETCH_COMMAND}")
    names = run(1, 2)
    kernel = audit_callable(names["vllm_kernel"], "kernel", pairs=["fair-coins"], lookahead=1)
    assert kernel.verdict == LOSSLESS, kernel
    assert set(names["problems"].values()) == {None}, names["problems"]
