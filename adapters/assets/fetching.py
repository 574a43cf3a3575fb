"""Pinned assets in the cache: there already, or fetched, checked and put there in one step.

A folder in the cache is complete or absent: everything happens in a scratch folder beside it, which
is renamed at the end. Two processes that fetch at once each do the work, and the second finds the
first one's folder.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .cache import cache_folder
from .catalogue import CATALOGUE, Archive, Asset
from .downloading import AssetError, check, download

FETCH_COMMAND = "make assets"


def find(name: str) -> Asset:
    """The asset called ``name``.

    Raises:
        AssetError: when there is none.
    """
    for pinned in CATALOGUE:
        if pinned.name == name:
            return pinned
    names = ", ".join(pinned.name for pinned in CATALOGUE)
    raise AssetError(f"no asset is called {name!r}; there are {names}")


def folder_of(pinned: Asset) -> Path:
    """Where an asset is kept, fetched or not."""
    return cache_folder() / "assets" / f"{pinned.name}-{pinned.version}"


def available(name: str) -> Path | None:
    """The folder of an asset if it is there; never fetches.

    Raises:
        AssetError: when no asset is called so.
    """
    return _complete(find(name))


def asset(name: str) -> Path:
    """The folder of an asset, fetched unless it is there.

    Raises:
        AssetError: when no asset is called so, or it could not be fetched in three tries, or is not
            what was pinned.
    """
    return fetch(find(name))


def fetch(pinned: Asset) -> Path:
    """The folder of ``pinned``, fetched unless it is there; raises `AssetError`."""
    if there := _complete(pinned):
        return there
    folder = folder_of(pinned)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as scratch:
            unpacked = Path(scratch) / "unpacked"
            unpacked.mkdir()
            for archive in pinned.archives:
                unpack(download(archive, Path(scratch)), archive, unpacked)
            if pinned.joined is not None:
                _join(pinned, unpacked)
            _put(unpacked, folder, Path(scratch))
    except OSError as raised:
        raise AssetError(f"{pinned.name} cannot be kept in {folder}: {raised}") from None
    if there := _complete(pinned):
        return there
    raise AssetError(f"{pinned.name}: {folder} was taken by something else")


def unpack(file: Path, archive: Archive, folder: Path) -> None:
    """The members of an archive into ``folder``, each under the last part of its name.

    Only names pinned in the catalogue are read, and only last parts are written: nothing that an
    archive says of itself decides where a file goes.

    Raises:
        AssetError: when the file is no archive, or a member is missing or is no plain file.
    """
    missing = set(archive.members)
    try:
        # One pass: a compressed tar has no index, and every look-up would read all of it.
        for member, source in _opened(file, missing):
            with source, (folder / member.rpartition("/")[2]).open("wb") as out:
                shutil.copyfileobj(source, out)
            missing.remove(member)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as raised:
        raise AssetError(f"{file.name} cannot be read: {raised}") from None
    if missing:
        raise AssetError(f"{file.name} holds no file {min(missing)}")


def _opened(file: Path, wanted: set[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The plain files of an archive whose names are wanted, each open for reading."""
    if file.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name in wanted:
                    yield name, archive.open(name)
        return
    with tarfile.open(file) as packed:
        for entry in packed:
            if entry.name in wanted and entry.isreg() and (source := packed.extractfile(entry)):
                yield entry.name, source
            if not wanted:
                return


def _join(pinned: Asset, folder: Path) -> None:
    """Replace the parts of an asset by the whole, its checksum checked."""
    assert pinned.joined is not None and pinned.joined_sha256 is not None
    whole = folder / pinned.joined
    with whole.open("wb") as out:
        for member in pinned.members:
            part = folder / member.rpartition("/")[2]
            with part.open("rb") as source:
                shutil.copyfileobj(source, out)
            part.unlink()
    check(whole, pinned.joined_sha256)


def _put(unpacked: Path, folder: Path, scratch: Path) -> None:
    """Rename ``unpacked`` to ``folder``; what another process put there meanwhile stays."""
    if folder.exists():
        # Incomplete, else it would not be fetched: an older catalogue kept fewer files.
        folder.rename(scratch / "replaced")
    try:
        unpacked.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _complete(pinned: Asset) -> Path | None:
    folder = folder_of(pinned)
    return folder if all((folder / name).is_file() for name in pinned.files) else None
