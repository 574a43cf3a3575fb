"""The docs say what the code does: blocks are current, links lead somewhere, examples run."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from draftproof.audit import EXAMPLES
from draftproof.reference import ALGORITHMS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: Packages beyond the core; blocks that need one are skipped by name where it is not installed.
OPTIONAL = {"numpy", "scipy", "sympy", "torch", "transformers", "z3"}

HEADINGS = [
    "What it emits",
    "The box, in our words",
    "The code",
    "A worked round",
    "The law of one token",
    "Expected acceptance",
    "Why it is lossless",
    "Where it breaks",
    "Names elsewhere",
]


@cache
def _generate():
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = sorted(DOCS.rglob("*.md"))
DOCUMENTS = [*PAGES, *(path for path in [ROOT / "README.md"] if path.exists())]
each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT))
)


@each_document
def test_generated_blocks_are_current(path):
    text = path.read_text(encoding="utf-8")
    _, stale = _generate().regenerated(text)
    assert not stale, "run `python docs/generate.py`"


def test_pictures_are_current():
    for path, picture in _generate().pictures().items():
        assert path.read_text(encoding="utf-8") == picture, "run `python docs/generate.py`"


@pytest.mark.long
@each_document
def test_slow_blocks_are_current(path):
    generate = _generate()
    _, stale = generate.regenerated(path.read_text(encoding="utf-8"), generate.SLOW)
    assert not stale, "run `python docs/generate.py --slow`"


@each_document
def test_blocks_that_are_not_checked_were_filled(path):
    for match in _generate().BLOCK.finditer(path.read_text(encoding="utf-8")):
        assert "internal error" not in match["body"], match["command"]
        filled = match["body"].strip() or match["kind"] == "-torch"
        assert filled, f"run `python docs/generate.py --slow`: {match['command']}"


@each_document
def test_links_lead_somewhere(path):
    for target, anchor in _links(path):
        file = (path.parent / target).resolve() if target else path
        assert file.is_file(), f"{target}: no such file"
        assert file.is_relative_to(ROOT), f"{target}: outside the repository"
        if anchor:
            assert anchor in _anchors(file), f"{target}#{anchor}: no such heading"


@each_document
def test_python_blocks_run(path):
    lacking = set()
    for start, code in _python_blocks(path):
        source = "\n" * start + code  # so that a traceback names the line of the page
        try:
            exec(compile(ast.parse(source, str(path)), str(path), "exec"), {"__name__": "docs"})
        except ModuleNotFoundError as absent:
            if absent.name not in OPTIONAL:
                raise
            lacking.add(absent.name)
    if lacking:
        pytest.skip(f"some blocks need {', '.join(sorted(lacking))}: pip install 'draftproof[all]'")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_its_page(name):
    text = (DOCS / "algorithms" / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", _without_fences(text), re.MULTILINE) == HEADINGS
    assert re.search(r"\]\(\.\./\.\./reference/\w+\.py\)", text)
    assert f"draftproof trace {name} --pair" in text
    assert f"worked first-token {name} " in text


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_lossy_example_is_on_a_page(name):
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "algorithms").glob("*.md")]
    assert any(f"worked example {name} " in page or f"example:{name} " in page for page in pages)


def test_every_field_of_the_report_is_explained():
    schema = json.loads((ROOT / "audit/schemas/report.json").read_text(encoding="utf-8"))
    text = (DOCS / "reports.md").read_text(encoding="utf-8")
    fields = {*schema["properties"], *schema["$defs"]["result"]["properties"]}
    fields |= set(schema["properties"]["subjects"]["items"]["properties"])
    assert not [field for field in sorted(fields) if f"`{field}`" not in text]
    for verdict in schema["$defs"]["verdict"]["enum"]:
        assert f"| {verdict} |" in text


def test_the_navigation_holds_every_page():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- .+: (\S+\.md)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


def test_the_pages_need_no_network():
    for page in PAGES:
        assert not re.search(r"<(script|link|iframe)\b", page.read_text(encoding="utf-8"))


@pytest.mark.skipif(not importlib.util.find_spec("mkdocs"), reason="mkdocs is not installed")
def test_the_site_builds(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "code/reference/slrs.py.html").is_file()


# ---- the checker itself -------------------------------------------------------------------------

BLOCK = "before\n<!-- begin: {} -->\n{}<!-- end -->\nbehind\n"


def test_a_planted_stale_block_is_noticed_and_renewed(tmp_path, capsys):
    command = "worked temperature-dropped"
    page = tmp_path / "page.md"
    page.write_text(BLOCK.format(command, "\n```text\ntotal variation: 5/21\n```\n\n"))
    generate = _generate()
    assert generate.main(["--check", str(page)]) == 1
    assert f"stale: {command}" in capsys.readouterr().out
    assert "5/21" in page.read_text()
    assert generate.main([str(page)]) == 0
    assert "total variation: 4/21" in page.read_text()
    assert generate.main(["--check", str(page)]) == 0
    assert page.read_text().startswith("before\n") and page.read_text().endswith("\nbehind\n")


def test_one_changed_digit_of_a_real_page_is_noticed():
    text = (DOCS / "algorithms/standard.md").read_text(encoding="utf-8")
    assert "39/100" in text
    _, stale = _generate().regenerated(text.replace("39/100", "38/100"))
    assert stale == ["worked example resample-from-p 1"]


def test_slow_blocks_are_left_alone_unless_asked_for():
    text = BLOCK.format("worked temperature-dropped", "old\n").replace("begin:", "begin-slow:")
    generate = _generate()
    assert generate.regenerated(text) == (text, [])
    new, stale = generate.regenerated(text, generate.SLOW)
    assert stale and "4/21" in new


@pytest.mark.parametrize(
    "text",
    [
        "<!-- begin: worked temperature-dropped -->\nno end\n",
        "no begin\n<!-- end -->\n",
        BLOCK.format("worked there-is-none", ""),
        BLOCK.format("ls -l", ""),
        "<!-- begin-slwo: worked temperature-dropped -->\n<!-- end -->\n",
    ],
)
def test_blocks_that_cannot_be_generated_are_errors(text, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(text)
    assert _generate().main(["--check", str(page)]) == 2
    assert str(page) in capsys.readouterr().err


def test_commands_show_their_exit_code_and_keep_standard_error_apart():
    run = _generate().run
    assert run(["audit", "builtin:nothing"]).endswith("(exit code 2)")
    assert run(["audit", "builtin:nothing", "2>/dev/null"]) == "(exit code 2)"
    shown = run(["audit", "builtin:standard", "--pair", "base", "--json", "-", "2>/dev/null"])
    report = json.loads(shown)
    assert {result["seconds"] for result in report["results"]} == {0.0}
    assert set(report["versions"].values()) == {"..."}


# ---- reading pages ------------------------------------------------------------------------------


def _without_fences(text):
    return re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def _links(path):
    text = re.sub(r"`[^`\n]*`", "", _without_fences(path.read_text(encoding="utf-8")))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", link):
            target, _, anchor = link.partition("#")
            yield target, anchor


@cache
def _anchors(file):
    text = _without_fences(file.read_text(encoding="utf-8"))
    anchors = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        plain = re.sub(r"[^\w\s-]", "", plain).strip().lower()
        anchors.add(re.sub(r"[-\s]+", "-", plain))
    return anchors


def _python_blocks(path):
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text[: match.start(1)].count("\n"), match[1]
