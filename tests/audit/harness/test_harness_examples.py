"""The worked examples in C++ and JavaScript: lossless as they are, and seen with planted faults.

Faults are planted by changing the text. Those that ideal coins show are LOSSY in the law of a pair;
those at the ends of [0, 1) are failed edges.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from draftproof.audit.harness.auditing import audit_harness, harness_trial, steps
from draftproof.audit.harness.session import Session
from draftproof.audit.kinds.auditing import Plan

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "scripts" / "harness"
SOURCES = {"c++": "sampler.cpp", "javascript": "sampler.mjs"}
TOOLS = {"c++": shutil.which("g++") or shutil.which("clang++"), "javascript": shutil.which("node")}
ACCEPT = "u * q[x] < p[x]"
#: What is replaced by what, in both languages or one by one; and where it must show.
FAULTS = {
    "coin-reused": ({"c++": "v = coin()", "javascript": "v = coin()"}, "v = u", "law"),
    "not-clamped": (
        {"c++": "std::max(0.0, p[id] - q[id])", "javascript": "Math.max(0, mass - q[id])"},
        {"c++": "p[id] - q[id]", "javascript": "mass - q[id]"},
        "law",
    ),
    "ratio-inverted": (ACCEPT, "u * p[x] < q[x]", "law"),
    "lenient": (ACCEPT, f"(0.9 * q[x] <= p[x] || {ACCEPT})", "law"),
    "inflated": (ACCEPT, "u * q[x] < 1.01 * p[x]", "law"),
    "less-or-equal": (ACCEPT, "u * q[x] <= p[x]", "endpoint-zero"),
    "falls-through": (
        "return last;",
        {"c++": "return weights.size() - 1;", "javascript": "return weights.length - 1;"},
        "endpoint-one",
    ),
}


def command(language, text, folder):
    """The command that runs the source ``text``."""
    file = folder / SOURCES[language]
    file.write_text(text, encoding="utf-8")
    if language == "javascript":
        return [TOOLS[language], str(file)]
    binary = folder / "sampler"
    build = [TOOLS[language], "-std=c++17", "-Wall", "-Wextra", "-o", str(binary), str(file)]
    done = subprocess.run(build, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    is_planted = text != (FOLDER / SOURCES[language]).read_text(encoding="utf-8")
    assert is_planted or not done.stderr  # no warnings
    return [str(binary)]


@pytest.fixture(params=SOURCES)
def language(request):
    if TOOLS[request.param] is None:
        pytest.skip(f"no compiler or interpreter of {request.param} here")
    return request.param


def of(language, part):
    return part[language] if isinstance(part, dict) else part


def edges(arguments, check):
    """The edges of one check, by pair."""
    session = Session(arguments)
    try:
        trial = harness_trial(session, session.open(), "rule", Plan())
        planned = [s for s in steps(trial, None, (1,), 1) if s.is_edge and s.blank.check == check]
        return {result.pair: result for step in planned for result in step.run()}
    finally:
        session.close()


@pytest.mark.parametrize("fault", [None, *FAULTS])
def test_an_example_passes_and_fails_with_a_planted_fault(tmp_path, language, fault):
    text = (FOLDER / SOURCES[language]).read_text(encoding="utf-8")
    where = None
    if fault is not None:
        before, after, where = FAULTS[fault]
        assert text.count(of(language, before)) == 1
        text = text.replace(of(language, before), of(language, after))
    arguments = command(language, text, tmp_path)
    if where in ("law", None):
        pair = "near-ratios" if fault in ("lenient", "inflated") else "two-id-residual"
        plan = Plan(pairs=(pair,), lookaheads=(1,), shrink=False)
        report = audit_harness(arguments, "rule", plan=plan)
        assert report.verdict == ("LOSSLESS" if fault is None else "LOSSY")
        assert report.results[0].reason.startswith("given structure") or fault is not None
    for check in ("endpoint-zero", "endpoint-one"):
        if fault is None or check == where:
            found = edges(arguments, check)
            failing = {pair for pair, edge in found.items() if edge.verdict == "LOSSY"}
            expected = {
                None: set(),
                "less-or-equal": {"impossible-draft"},
                "falls-through": {"short-sum", "short-normalised-sum"},
            }[fault]
            assert failing <= expected or fault is not None
            assert bool(failing & expected) == (fault is not None)


def test_a_batch_that_shares_a_coin_is_lossy(tmp_path, language):
    """Requests of a batch have coins of their own; in the fault all take the first one's."""
    text = (FOLDER / SOURCES[language]).read_text(encoding="utf-8")
    own = {"c++": 'coins.members["tape"].list[b]', "javascript": "coins.tape[b]"}[language]
    assert text.count(own) == 1
    plan = Plan(pairs=("fair-coins",), lookaheads=(1,))
    for shared, verdict in ((False, "LOSSLESS"), (True, "LOSSY")):
        changed = text.replace(own, own.replace("[b]", "[0]")) if shared else text
        folder = tmp_path / verdict
        folder.mkdir()
        report = audit_harness(command(language, changed, folder), "batch_rule", plan=plan)
        assert report.verdict == verdict
        if shared:
            lossy = [r for r in report.results if r.verdict == "LOSSY"]
            assert [r.refutes for r in lossy] == [("batch",)]
