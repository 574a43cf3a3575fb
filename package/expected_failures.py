"""The file of tests that a conformance run expects to fail."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Expected:
    """An entry of the expected-failure file."""

    pattern: str
    reason: str
    place: str

    def matches(self, name: str, nodeid: str) -> bool:
        """Whether the entry names this test, by its whole id or by the last part of it.

        Only * and ? are special: ids have square brackets of their own.
        """
        parts = re.split(r"([*?])", self.pattern)
        wild = "".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in parts)
        return any(re.fullmatch(wild, text) for text in (name, nodeid))


def expected_failures(path: str) -> list[Expected]:
    """The entries of a file: an id a line, its reason behind #, or in the comment above.

    Raises:
        pytest.UsageError: when the file cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise pytest.UsageError(f"--draftproof-xfail cannot be read: {problem}") from None
    entries: list[Expected] = []
    above = ""
    for number, line in enumerate(lines, 1):
        pattern, _, comment = (part.strip() for part in line.partition("#"))
        if pattern:
            reason = comment or above or "no reason given"
            entries.append(Expected(pattern, reason, f"{path}:{number}"))
        else:
            above = comment
    return entries
