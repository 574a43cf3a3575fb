"""Isolated environments for releases of `transformers`, which share one torch.

Each release gets a virtual environment of its own with its pinned dependencies. A ``.pth`` file
there names the packages of the running interpreter, behind its own: torch and this project come
from there, transformers and what it pins do not. Environments are kept in ``DRAFTPROOF_CACHE``, or
in the user's cache folder, and used again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterable
from pathlib import Path

#: Dependencies of the releases that are tested, by the first release that they serve: the Hub's
#: client and the tokenizers are the ones whose versions the releases disagree on.
PINS: dict[tuple[int, int], tuple[str, ...]] = {
    (4, 48): ("huggingface_hub==0.36.2", "tokenizers==0.21.4"),
    (4, 56): ("huggingface_hub==0.36.2", "tokenizers==0.22.2"),
    (5, 0): ("huggingface_hub==1.33.0", "tokenizers==0.22.2"),
    (5, 24): ("huggingface_hub==2.4.0", "tokenizers==0.23.3"),
}
#: What every release is tested with.
SHARED_PINS = ("numpy==2.4.6", "regex==2026.11.19", "safetensors==0.8.0")
#: How often the package index is asked, and how long to wait before asking again, in seconds.
TRIES = 3
PAUSE = 5.0


class ReleaseError(ValueError):
    """A release that cannot be set up; the text is one line with the reason."""


def listed(text: str) -> tuple[str, ...]:
    """The releases in ``text``, separated by commas, oldest first.

    Raises:
        ReleaseError: for something that is no release.
    """
    releases = [part.strip() for part in text.split(",") if part.strip()]
    for release in releases:
        if not re.fullmatch(r"\d+\.\d+\.\d+", release):
            raise ReleaseError(f"{release!r} is no release of transformers, such as 5.24.0")
    if not releases:
        raise ReleaseError("no release was named, such as 4.48.3,5.24.0")
    return tuple(sorted(set(releases), key=_numbers))


def requirements_of(release: str) -> tuple[str, ...]:
    """What is installed for a release, as arguments of pip."""
    pins: tuple[str, ...] = ()
    for first, chosen in PINS.items():
        if _numbers(release)[:2] >= first:
            pins = chosen
    return (f"transformers=={release}", *pins, *(SHARED_PINS if pins else ()))


def cache_folder() -> Path:
    """Where environments are kept: ``DRAFTPROOF_CACHE``, or the user's cache folder."""
    named = os.environ.get("DRAFTPROOF_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "draftproof"


def environment(release: str, say: Callable[[str], None] = lambda line: None) -> Path:
    """The interpreter of a release's environment, made if it is not there.

    Args:
        release: of transformers, such as "5.24.0".
        say: told what takes time.

    Raises:
        ReleaseError: when it cannot be made, for example without a network.
    """
    wanted = requirements_of(release)
    folder = cache_folder() / "releases" / f"{release}-{_mark(wanted)}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "ready").exists():
        return python
    say(f"setting up transformers {release} in {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise ReleaseError(f"cannot make an environment in {folder}: {problem}") from None
    _install(python, release, wanted)
    _share(python)
    _check(python, release)
    (folder / "ready").write_text("\n".join(wanted) + "\n", encoding="utf-8")
    return python


def _install(python: Path, release: str, wanted: Iterable[str]) -> None:
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    said = ""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        said = (errors or done.stderr.splitlines() or ["pip failed"])[-1]
    raise ReleaseError(
        f"transformers {release} cannot be installed, after {TRIES} tries; is there a network? "
        f"{said}"
    )


def _share(python: Path) -> None:
    """Put the running interpreter's packages behind those of the environment."""
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True)
    folders = {
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
        *site.getsitepackages(),
    }
    lines = [f"import site; site.addsitedir({folder!r})" for folder in sorted(folders)]
    shared = Path(own.stdout.strip()) / "zz-shared.pth"
    shared.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _check(python: Path, release: str) -> None:
    """Import what will be used, once: a release that cannot be imported is said here."""
    asked = (
        "import torch, transformers, draftproof.adapters;"
        "from transformers import GenerationMixin; print(transformers.__version__)"
    )
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    if not lines or lines[-1] != release:
        said = lines[-1] if lines else "nothing was said"
        raise ReleaseError(f"transformers {release} cannot be used with this torch: {said}")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def _mark(wanted: Iterable[str]) -> str:
    """What tells environments apart: what is in them, and whose torch they share."""
    about = "\n".join([*wanted, sys.prefix, sys.version])
    return hashlib.sha256(about.encode()).hexdigest()[:10]
