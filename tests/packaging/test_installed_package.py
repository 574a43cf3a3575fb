"""What is installed: the wheel's contents, from a checkout and from an sdist, and the command."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import draftproof
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("reference", "toymodels", "audit", "proofs", "adapters", "vectors", "package")
#: What belongs into the package, by how its name ends.
SUFFIXES = (".py", ".json", ".v", ".md", ".txt", ".js", ".cpp")
BUILT = ("pyproject.toml", "README.md", "LICENSE", *FOLDERS)


def run(*command, cwd, **options):
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(what, source, out):
    """Build with the installed setuptools, without the network; the path of what was built."""
    code = (
        "import sys; from setuptools import build_meta; "
        f"print(build_meta.build_{what}(sys.argv[1]), file=sys.stderr)"
    )
    out.mkdir()
    run(sys.executable, "-c", code, out, cwd=source)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel from a copy of the checkout, an sdist, and a wheel from that sdist."""
    setuptools = pytest.importorskip("setuptools", minversion="77")
    assert setuptools
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    source.mkdir()
    for name in BUILT:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source / name)
    sdist = build("sdist", source, folder / "sdist")
    wheel = build("wheel", source, folder / "wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return {"wheel": wheel, "from sdist": build("wheel", unpacked, folder / "again")}


def due():
    """The files that belong into the package: every module, the marker and the schemas."""
    found = set()
    for folder in FOLDERS:
        inside = Path("draftproof") if folder == "package" else Path("draftproof", folder)
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in SUFFIXES or path.name == "py.typed":
                found.add((inside / path.relative_to(ROOT / folder)).as_posix())
    return found


@pytest.mark.parametrize("which", ["wheel", "from sdist"])
def test_the_wheel_holds_every_module_marker_and_schema(built, which):
    with zipfile.ZipFile(built[which]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {"draftproof/py.typed", "draftproof/cli.py", "draftproof/reference/tli.py"} <= names
    assert any(name.startswith("draftproof/audit/schemas/") for name in names)
    missing, unknown = sorted(due() - names), sorted(names - due())
    assert missing == [], "a new package belongs into `packages` of pyproject.toml"
    assert unknown == []


def test_the_wheel_works_from_another_directory(built, tmp_path):
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(unpacked)
    environment = os.environ | {"PYTHONPATH": str(unpacked)}
    where = run(
        sys.executable,
        "-c",
        "import draftproof.audit.report as r; print(r.__file__)",
        cwd=tmp_path,
        env=environment,
    )
    assert Path(where.strip()).is_relative_to(unpacked), "the test reached another installation"
    command = (sys.executable, "-m", "draftproof", "gallery", "--json", "-")
    pairs = json.loads(run(*command, cwd=tmp_path, env=environment))["pairs"]
    assert len(pairs) >= 14


def test_the_command_works_from_another_directory(tmp_path):
    script = Path(sysconfig.get_path("scripts"), "draftproof")
    if not script.exists():
        pytest.skip("draftproof is not installed in this environment, only importable")
    subject = ("audit", "builtin:slrs", "--pair", "base", "--lookahead", "2", "--horizon", "4")
    report = json.loads(run(script, *subject, "--json", "-", cwd=tmp_path))
    assert [subject["verdict"] for subject in report["subjects"]] == ["LOSSLESS"]
    assert all(result["total_variation"]["exact"] == "0/1" for result in report["results"])


def test_the_version_is_that_of_the_metadata():
    assert draftproof.__version__ == metadata.version("draftproof")


def test_the_core_needs_neither_torch_nor_z3():
    core = [line for line in metadata.requires("draftproof") if "extra ==" not in line]
    names = {line.split(">")[0].strip() for line in core}
    assert names == {"python-flint", "networkx", "hypothesis", "rich"}


@pytest.mark.skipif(not os.environ.get("CI"), reason="only CI must have torch and transformers")
def test_in_ci_no_test_is_skipped_for_want_of_torch():
    from draftproof.toymodels.huggingface import missing

    assert missing() is None
