"""Imports go one way, files stay short, and the core stays lean."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Which of our folders each folder may import; `package` is draftproof itself.
MAY_IMPORT = {
    "reference": set(),
    "toymodels": {"reference"},
    "audit": {"reference", "toymodels"},
    "proofs": {"reference", "toymodels", "audit"},
    "adapters": {"reference", "toymodels", "audit"},
    "package": {"reference", "toymodels", "audit", "proofs", "adapters"},
}


def module_of(path, root):
    """The dotted name under which ``path`` is installed, and whether it is a package."""
    folder, *rest = path.relative_to(root).with_suffix("").parts
    parts = ["draftproof", *([] if folder == "package" else [folder]), *rest]
    is_package = parts[-1] == "__init__"
    return (parts[:-1] if is_package else parts), is_package


def folder_of(dotted):
    """The folder that holds the module ``dotted``, None for modules that are not ours."""
    top, *rest = dotted
    if top in MAY_IMPORT:
        return "its bare name"  # `import audit`: found in the checkout only, never once installed
    if top != "draftproof":
        return None
    return rest[0] if rest and rest[0] in MAY_IMPORT and rest[0] != "package" else "package"


def imported(tree, module, is_package):
    """Every module that ``tree`` imports, as (line, parts); computed names are not followed."""
    package = module if is_package else module[:-1]

    def absolute(dots, rest):
        base = package[: len(package) - (dots - 1)] if dots else []
        return [*base, *(rest.split(".") if rest else [])]

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node.level, node.module)
            # `from draftproof import audit` and `from .. import audit` name the folder here.
            for alias in node.names:
                yield node.lineno, [*base, alias.name]
        elif isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            first = node.args[0]
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
            if name in ("import_module", "__import__") and is_text:
                rest = first.value.lstrip(".")
                yield node.lineno, absolute(len(first.value) - len(rest), rest)


def violations(root):
    """Every import that goes the wrong way, as "file:line imports folder"."""
    found = []
    for folder, allowed in MAY_IMPORT.items():
        for path in sorted((root / folder).rglob("*.py")):
            module, is_package = module_of(path, root)
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for line, dotted in imported(tree, module, is_package):
                to = folder_of(dotted) if dotted else "what lies above draftproof"
                if to not in (None, folder, *allowed):
                    found.append(f"{path.relative_to(root).as_posix()}:{line} imports {to}")
    return found


def test_imports_go_one_way():
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("path", "line", "to"),
    [
        ("reference/a.py", "from ..toymodels.models import NgramModel", "toymodels"),
        ("reference/a.py", "from .. import toymodels", "toymodels"),
        ("reference/a.py", "import draftproof.audit.laws", "audit"),
        ("reference/a.py", "def f():\n    from draftproof import audit", "audit"),
        ("toymodels/a.py", "from draftproof.audit.laws import law", "audit"),
        ("toymodels/deep/a.py", "from ...audit import laws", "audit"),
        ("toymodels/deep/__init__.py", "from ...audit import laws", "audit"),
        ("toymodels/__init__.py", "from ..audit import laws", "audit"),
        ("audit/a.py", "from ..adapters.survey import survey", "adapters"),
        ("audit/a.py", "import importlib\nimportlib.import_module('..adapters', 'x')", "adapters"),
        ("audit/a.py", "from .. import __version__", "package"),
        ("audit/a.py", "from draftproof.cli import main", "package"),
        ("adapters/a.py", "from ..proofs import ledger", "proofs"),
        ("adapters/a.py", "import draftproof", "package"),
        ("package/a.py", "from ..audit import run", "its bare name"),
        ("audit/a.py", "import reference.tli", "its bare name"),
    ],
)
def test_an_import_the_wrong_way_is_found(tmp_path, path, line, to):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(line + "\n", encoding="utf-8")
    at = 2 if "\n" in line else 1
    assert violations(tmp_path) == [f"{path}:{at} imports {to}"]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("toymodels/a.py", "from ..reference.tli import tli"),
        ("audit/a.py", "from .laws import law"),
        ("audit/__init__.py", "from .laws import law"),
        ("adapters/a.py", "from draftproof.audit import run"),
        ("package/a.py", "from .audit import run"),
        ("package/a.py", "from draftproof.adapters.survey import survey"),
        ("package/__init__.py", "from .cli import main"),
        ("reference/a.py", "import networkx.algorithms\nfrom flint import fmpq"),
    ],
)
def test_an_import_the_right_way_is_not(tmp_path, path, line):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(line + "\n", encoding="utf-8")
    assert violations(tmp_path) == []


def test_no_file_is_over_300_lines():
    files = [path for folder in MAY_IMPORT for path in (ROOT / folder).rglob("*.py")]
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
    }
    assert len(lengths) > 20, "the folders were not found"
    assert {path: lines for path, lines in lengths.items() if lines > 300} == {}


LEAN = """
import importlib, pkgutil, sys
import draftproof.adapters, draftproof.audit, draftproof.cli
import draftproof.reference, draftproof.toymodels
for package in (draftproof, draftproof.audit, draftproof.reference, draftproof.toymodels):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
from draftproof.toymodels.huggingface import missing
missing()
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_the_core_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", LEAN], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert {"draftproof", "flint", "networkx"} <= loaded
    assert (
        loaded & {"torch", "transformers", "tokenizers", "sympy", "numpy", "scipy", "z3"} == set()
    )
