"""The text that our drafters are trained on: what lies on every machine that can train them.

Python's own library (sources and docstrings), its topics for `help()`, the descriptions of the
installed packages, and the docstrings of torch. The same machine gives the same text in the same
order; another Python gives other text, so drafters differ from machine to machine.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

#: Modules of the library whose text is never trained on, for prompts and for measuring.
HELD_OUT = frozenset(
    {
        "bisect.py", "calendar.py", "csv.py", "fractions.py", "getpass.py", "heapq.py", "html",
        "json", "linecache.py", "numbers.py", "queue.py", "random.py", "sched.py", "shlex.py",
        "statistics.py", "string.py", "textwrap.py", "timeit.py", "wave.py", "zipapp.py",
    }
)  # fmt: skip
#: Folders of the library with little prose, tables, or that some distributions leave out.
_PASSED_OVER = frozenset(
    {"test", "tests", "idlelib", "lib2to3", "encodings", "site-packages", "dist-packages"}
    | {"pydoc_data", "ensurepip", "turtledemo", "__pycache__"}
)
#: A string in three quotes, which in the sources read here is a docstring nearly always.
_DOCSTRING = re.compile(r'"""(.+?)"""', re.DOTALL)
#: Shorter ones are mostly not sentences.
_SHORTEST = 60


@dataclass(frozen=True)
class Document:
    """A text and where it is from: "code" or "english"."""

    kind: str
    text: str


def documents(megabytes: float | None = None) -> list[Document]:
    """What to train on, in a fixed order; code and English in turn, up to so much text.

    Args:
        megabytes: of text at most, half of either kind as far as there is so much; all without.
    """
    code = [Document("code", text) for text in library()]
    english = [Document("english", text) for text in prose()]
    if megabytes is not None:
        most = int(megabytes * 1e6) // 2
        code, english = _at_most(code, most), _at_most(english, most)
    return code + english


def held_out() -> list[Document]:
    """Documents that are never trained on: modules of the library, and their docstrings."""
    texts = list(_sources(_library_folder(), held=True))
    return [Document("code", text) for text in texts] + [
        Document("english", text) for source in texts for text in docstrings(source)
    ]


def library() -> Iterator[str]:
    """The sources of Python's library, without those held out."""
    yield from _sources(_library_folder(), held=False)


def prose() -> Iterator[str]:
    """English about programs: topics, package descriptions, docstrings."""
    from pydoc_data.topics import topics

    yield from (topics[name] for name in sorted(topics))
    described: dict[str, str] = {}
    for package in metadata.distributions():
        head: Any = package.metadata  # an email message: the description is its body
        described[str(head["Name"])] = str(head.get_payload() or "")
    described.pop("draftproof", None)
    yield from (described[name] for name in sorted(described) if described[name])
    for source in library():
        yield from docstrings(source)
    spec = find_spec("torch")
    if spec is not None and spec.origin is not None:
        root = Path(spec.origin).parent
        for folder in (root / "nn", root / "optim", root / "utils", root / "distributions"):
            for source in _sources(folder, held=False):
                yield from docstrings(source)
        for file in ("_torch_docs.py", "_tensor_docs.py", "functional.py"):
            if (root / file).is_file():
                yield from docstrings((root / file).read_text("utf-8"))


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a source, without their indentation."""
    for found in _DOCSTRING.finditer(source):
        text = found[1].strip("\n")
        first, _, rest = text.partition("\n")
        text = (first.strip() + "\n" + dedent(rest)).strip()
        if len(text) >= _SHORTEST:
            yield text


def _library_folder() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _sources(folder: Path, *, held: bool) -> Iterator[str]:
    for file in _files(folder, held=held):
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if text.strip():
            yield text


def _files(folder: Path, *, held: bool) -> list[Path]:
    found: list[Path] = []
    for where, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in _PASSED_OVER]
        found += [Path(where, each) for each in files if each.endswith(".py")]
    return sorted(file for file in found if (file.relative_to(folder).parts[0] in HELD_OUT) == held)


def _at_most(listed: list[Document], most: int) -> list[Document]:
    """Every so many-th document, so that what is kept is from everywhere."""
    whole = sum(len(each.text) for each in listed)
    if whole <= most:
        return listed
    kept: list[Document] = []
    seen = taken = 0
    for each in listed:
        seen += len(each.text)
        if taken < seen * most / whole:
            kept.append(each)
            taken += len(each.text)
    return kept
