"""Greedy longest match over byte strings: the vocabulary files of RWKV."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from ...reference.models import Ids
from . import families
from .real import RealTokenizer, TextLaw, TokenizerError


class GreedyEncoder:
    """At every place the longest token that fits; any byte is a token, so that there is one.

    Args:
        table: the id of every token.
    """

    def __init__(self, table: dict[bytes, int]) -> None:
        self._table = table
        lengths: dict[bytes, set[int]] = {}
        for token in table:
            lengths.setdefault(token[:2], set()).add(len(token))
        # After its first two bytes, which lengths a token can have, longest first.
        self._lengths = {start: sorted(found)[::-1] for start, found in lengths.items()}

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone."""
        data, ids, place = text.encode(), [], 0
        while place < len(data):
            for length in self._lengths.get(data[place : place + 2], ()):
                found = self._table.get(data[place : place + length])
                if found is not None:
                    break
            else:
                length, found = 1, self._table[data[place : place + 1]]
            ids.append(found)
            place += length
        return tuple(ids)

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text."""
        return [self.encode(text) for text in texts]


def from_greedy_file(path: Path, name: str = "rwkv") -> RealTokenizer:
    """A vocabulary file with a line for each token: its id, a literal, its length in bytes.

    Id 0 is in no line; it is the end of text.

    Raises:
        TokenizerError: naming the first line that is not such a line, or a byte without a token.
    """
    table: dict[bytes, int] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                token, rest = line.split(" ", 1)
                literal, length = rest.rsplit(" ", 1)
                meant = ast.literal_eval(literal)
                spelled = meant.encode() if isinstance(meant, str) else meant
                if len(spelled) != int(length):
                    raise ValueError
                table[spelled] = int(token)
            except (ValueError, SyntaxError, AttributeError, TypeError):
                raise TokenizerError(
                    f"{path.name}, line {number}: no id, literal and length"
                ) from None
    if absent := set(range(256)) - {key[0] for key in table if len(key) == 1}:
        raise TokenizerError(f"{path.name}: byte 0x{min(absent):02X} has no token")
    vocabulary: list[bytes | None] = [None] * (max(table.values()) + 1)
    for spelled, token in table.items():
        vocabulary[token] = spelled
    return RealTokenizer(
        name=name,
        vocabulary=tuple(vocabulary),
        encoder=GreedyEncoder(table),
        laws=families.EXACT,
        text_law=TextLaw("nothing changes", str),
        family=families.GREEDY,
        end_of_sequence=0 if vocabulary[0] is None else None,
    )
