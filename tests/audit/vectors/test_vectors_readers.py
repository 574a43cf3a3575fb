"""The readers in Python, C++ and JavaScript: right as they are, wrong with each planted fault.

Five faults are planted by editing their text. Each must fail the vectors that are there for it, and
the same ones in every language.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from vector_models import FOLDER, exact, load, played

READERS = Path(str(FOLDER.joinpath("readers")))
COMPILER = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
NODE = shutil.which("node")

#: For each language what is edited, by fault: the text that is there, and what stands instead.
EDITS = {
    "py": {
        "at-most": ("if not coin < acceptance", "if not coin <= acceptance"),
        "reused": ("inverted(residual(p, q) or [], final)", "inverted(residual(p, q) or [], coin)"),
        "fall-through": ("return last", "return len(law) - 1"),
        "not-clamped": ("max(0.0, a - b)", "a - b"),
        "turned-over": ("p[x] / q[x]", "(q[x] / p[x] if p[x] else 2.0)"),
    },
    "js": {
        "at-most": ("if (!(coin < acceptance", "if (!(coin <= acceptance"),
        "reused": ("inverted(residual(p, q) || [], final)", "inverted(residual(p, q) || [], coin)"),
        "fall-through": ("return last", "return law.length - 1"),
        "not-clamped": ("Math.max(0, value - q[x])", "value - q[x]"),
        "turned-over": ("p[x] / q[x]", "q[x] / p[x]"),
    },
    "cpp": {
        "at-most": ("accept[out.size()] < acceptance", "accept[out.size()] <= acceptance"),
        "reused": (
            "inverted(residual(p, q), final)",
            "inverted(residual(p, q), accept[out.size()])",
        ),
        "fall-through": ("return last", "return int(law.size()) - 1"),
        "not-clamped": ("std::max(0.0, p[x] - q[x])", "p[x] - q[x]"),
        "turned-over": ("p[x] / q[x]", "q[x] / p[x]"),
    },
}
LANGUAGES = [
    "py",
    pytest.param("js", marks=pytest.mark.skipif(not NODE, reason="node is not installed")),
    pytest.param("cpp", marks=pytest.mark.skipif(not COMPILER, reason="no C++ compiler found")),
]
each_language = pytest.mark.parametrize("language", LANGUAGES)


def run(language, tmp_path, fault=None):
    """The ids that a reader says fail, its last line, and its exit code."""
    text = (READERS / f"reader.{language}").read_text(encoding="utf-8")
    if fault:
        old, new = EDITS[language][fault]
        assert text.count(old) == 1, f"{fault}: the edit of reader.{language} no longer fits"
        text = text.replace(old, new)
    file = tmp_path / f"reader.{language}"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable if language == "py" else str(NODE), str(file)]
    if language == "cpp":
        command = [str(tmp_path / "reader")]
        warnings = [] if fault else ["-Wall", "-Wextra", "-Werror"]
        build = [str(COMPILER), "-std=c++17", "-O0", *warnings, str(file), "-o", command[0]]
        subprocess.run(build, check=True, timeout=120)
    done = subprocess.run(
        [*command, str(FOLDER)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    *failed, last = done.stdout.splitlines()
    return set(failed), last, done.returncode


def due(fault):
    """The ids that a decoder with ``fault`` must fail, where coins alone tell it."""
    return {
        vector["id"]
        for vector in load("coin")
        if vector["result"] == "valid" and played(vector["given"], fault) != vector["expect"]["ids"]
    }


def chosen():
    """Every vector that the readers look at."""
    laws = [v for v in load("law") if v["given"]["rule"] == "standard"]
    return [v for v in (*load("coin"), *load("rows"), *laws) if v["result"] == "valid"]


@each_language
def test_a_correct_rule_passes_every_vector(language, tmp_path):
    count = len(chosen())
    assert count > 700
    assert run(language, tmp_path) == (set(), f"{count} of {count} vectors passed", 0)


@each_language
@pytest.mark.parametrize("fault", ["at-most", "reused"])
def test_faults_of_coins_fail_the_coin_vectors_that_show_them_and_no_others(
    language, fault, tmp_path
):
    failed, _, code = run(language, tmp_path, fault)
    assert code == 1
    assert failed == due(fault) != set()
    flags = {v["id"]: set(v["flags"]) for v in load("coin")}
    meant = {"accept-boundary", "zero-probability"} if fault == "at-most" else {"coin-reuse"}
    assert all(flags[name] & meant for name in failed)
    if fault == "at-most":  # the coin 0 with p = 0: an id that the target excludes
        assert "coin-excluded-draft-accept-1-zero-low-float64" in failed


@each_language
def test_falling_through_to_the_last_id_fails_where_rounding_leads_there(language, tmp_path):
    failed, _, code = run(language, tmp_path, "fall-through")
    assert code == 1
    assert failed == {
        "coin-ten-tenths-padded-final-below-one-float64",
        "coin-ten-tenths-after-a-draft-final-below-one-float64",
    }


@each_language
@pytest.mark.parametrize("fault", ["not-clamped", "turned-over"])
def test_faults_of_the_rule_fail_vectors_of_every_kind(language, fault, tmp_path):
    failed, _, code = run(language, tmp_path, fault)
    assert code == 1
    assert {"rows-two-left", "law-given-standard-two-left-2"} <= failed
    assert any(name.startswith("coin-two-left") for name in failed)
    for vector in load("rows"):
        if vector["result"] == "valid":
            assert (vector["id"] in failed) == differs(vector["given"], fault), vector["id"]


def differs(given, fault):
    """Whether the fault changes a number of an acceptance and residual vector."""
    p, q = exact(given["target_row"]), exact(given["draft_row"])
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if b]
    if fault == "turned-over":
        return any(min(1, a / b) != (min(1, b / a) if a else 1) for a, b in pairs)
    return any(a > b for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("language", ["py", "js", "cpp"])
def test_every_reader_is_short_and_has_no_dependencies(language):
    lines = (READERS / f"reader.{language}").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 100
    assert max(map(len, lines)) <= 100
    if language == "py":
        imports = [line for line in lines if line.startswith(("import", "from"))]
        assert imports == ["import json", "import sys", "from pathlib import Path"]


@each_language
def test_nothing_to_read_is_no_pass(language, tmp_path):
    for name in ("coin", "rows", "law", "block"):
        (tmp_path / f"{name}.json").write_text('{"vectors": []}', encoding="utf-8")
        (tmp_path / f"{name}.txt").write_text("", encoding="utf-8")
    source = READERS / f"reader.{language}"
    command = [sys.executable if language == "py" else str(NODE), str(source)]
    if language == "cpp":
        command = [str(tmp_path / "reader")]
        subprocess.run([str(COMPILER), "-std=c++17", str(source), "-o", command[0]], check=True)
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, check=False, timeout=60)
    assert done.returncode == 1


@pytest.mark.parametrize("language", LANGUAGES[:2])
def test_a_residual_of_no_numbers_fails(language, tmp_path):
    old, new = {
        "py": (
            "return [value / sum(left) for value in left] if sum(left) > 0 else None",
            "return []",
        ),
        "js": ("return total > 0 ? left.map((value) => value / total) : null", "return []"),
    }[language]
    text = (READERS / f"reader.{language}").read_text(encoding="utf-8")
    assert text.count(old) == 1
    file = tmp_path / f"reader.{language}"
    file.write_text(text.replace(old, new), encoding="utf-8")
    command = [sys.executable if language == "py" else str(NODE), str(file), str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    rows = {vector["id"] for vector in load("rows") if vector["result"] == "valid"}
    assert done.returncode == 1
    assert rows <= set(done.stdout.splitlines())


def test_a_rule_that_returns_nothing_fails():
    from draftproof.audit.vectors.trying import try_vectors

    found = try_vectors(lambda target_rows, draft_rows, drafts: [], "rule")
    assert found.failed
    assert not [name for name in found.passed if name.startswith("law")]
