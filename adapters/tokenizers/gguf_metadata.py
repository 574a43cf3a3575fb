"""The metadata of a GGUF file, without its tensors.

A file begins with the letters GGUF, its version, the number of tensors and the number of entries;
an entry is a name, a type and a value, all little-endian. The `gguf` library reads the same, but
takes many seconds for a vocabulary, since it keeps where in the file each string lies.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .real import TokenizerError

_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9


def read_metadata(path: Path, wanted: Callable[[str], bool] = bool) -> dict[str, Any]:
    """The entries whose names are ``wanted``: numbers, strings, and lists of them.

    Raises:
        TokenizerError: when the file is none, or ends too early.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).entries(wanted)
    except (OSError, ValueError, struct.error, KeyError, IndexError) as raised:
        raise TokenizerError(f"{path} is no GGUF file that can be read: {raised}") from None


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.place = 0

    def entries(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        if self.data[:4] != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        self.place = 4
        version = self.number("I")
        if version not in (2, 3):
            raise ValueError(f"version {version} is not known")
        self.number("Q")
        found: dict[str, Any] = {}
        for _ in range(self.number("Q")):
            name = self.string()
            value = self.value(self.number("I"))
            if wanted(name):
                found[name] = value
        return found

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.number(_NUMBERS[kind])
        inner, count = self.number("I"), self.number("Q")
        if inner in (_STRING, _ARRAY):
            return [self.value(inner) for _ in range(count)]
        form = f"<{count}{_NUMBERS[inner]}"
        values = struct.unpack_from(form, self.data, self.place)
        self.place += struct.calcsize(form)
        return list(values)

    def number(self, form: str) -> Any:
        (value,) = struct.unpack_from("<" + form, self.data, self.place)
        self.place += struct.calcsize("<" + form)
        return value

    def string(self) -> str:
        length = self.number("Q")
        if length > len(self.data) - self.place:
            raise ValueError("it ends within a string")
        end = self.place + length
        text = self.data[self.place : end].decode("utf-8", "replace")
        self.place = end
        return text
