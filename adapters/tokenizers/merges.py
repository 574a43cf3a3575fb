"""Which tokens of a byte-pair encoding can stand behind which: from the merges, without encoding.

A sequence of tokens is an encoding if and only if each two neighbours are one: what is merged
within a token does not depend on others until a merge takes place across a boundary, and that is
between two neighbours. So it is enough to know of two tokens b and x whether b x is an encoding.

Merges take place in the order of their ranks, from left to right within one rank; that is so where
every merge ranks behind those that made its parts. Undo b's last merges one after the other: its
last part L is there from the rank that made it to the rank p(L) that used it up. So is the first
part R of x. A merge (L, R) of rank m takes place across the boundary if m < p(L) and m <= p(R): of
two merges of one rank the left one comes first, which uses L up, or comes before R is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

Numbers = Any  # a numpy array of whole numbers

#: The rank of what never happens.
NEVER = 1 << 62


class Neighbours:
    """The tokens of a byte-pair encoding and what can stand beside them.

    Args:
        ids: the id of each piece.
        merges: (left piece, right piece) in the order of their ranks.

    Raises:
        ValueError: where two merges make one piece, or one comes before its parts are made.
    """

    def __init__(self, ids: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> None:
        #: For each token its parts and the rank of the merge that makes it.
        self._made: dict[int, tuple[int, int, int]] = {}
        #: For each token the merges that it is the left part of: right part and rank.
        self._behind: dict[int, list[tuple[int, int]]] = {}
        for rank, (left, right) in enumerate(merges):
            token, one, two = ids[left + right], ids[left], ids[right]
            if token in self._made:
                raise ValueError(f"two merges make {left + right!r}")
            self._made[token] = one, two, rank
            self._behind.setdefault(one, []).append((two, rank))
        for one, two, rank in self._made.values():
            for part in (one, two):
                if part in self._made and self._made[part][2] > rank:
                    raise ValueError(f"token {part} is used before it is made")
        self._size = 1 + max(ids.values(), default=0)
        self._firsts, self._used = self._first_parts()
        self._across = lru_cache(1 << 8)(self._merges_across)

    def stand(self, before: int, tokens: Sequence[int]) -> list[bool]:
        """For each of ``tokens`` whether it and ``before`` in front of it are an encoding.

        All must be tokens that encode to themselves.
        """
        asked = np.asarray(tokens, dtype=np.intp)
        first_merge = self._across(before)[self._firsts[asked]]
        return (first_merge > self._used[asked]).all(1).tolist()

    def _merges_across(self, before: int) -> Numbers:
        """[tokens + 1], for a first part R the least rank of a merge (L, R) that L lives to see."""
        found = np.full(self._size + 1, NEVER)
        last, used = before, NEVER
        while True:
            for first, rank in self._behind.get(last, ()):
                if rank < used and rank < found[first]:
                    found[first] = rank
            made = self._made.get(last)
            if made is None:
                return found
            _, last, used = made

    def _first_parts(self) -> tuple[Numbers, Numbers]:
        """Two of [tokens, depth]: the first parts of each token, and the rank that uses each up.

        The token itself is among them, and no rank uses that up. Rows are filled up with a part
        that no merge has.
        """
        chains: list[list[tuple[int, int]]] = []
        for token in range(self._size):
            chain = [(token, NEVER - 1)]
            first = token
            while (made := self._made.get(first)) is not None:
                first = made[0]
                chain.append((first, made[2]))
            chains.append(chain)
        depth = max(map(len, chains))
        firsts = np.full((self._size, depth), self._size)
        used = np.zeros((self._size, depth), dtype=np.int64)
        for token, chain in enumerate(chains):
            firsts[token, : len(chain)] = [part for part, _ in chain]
            used[token, : len(chain)] = [rank for _, rank in chain]
        return firsts, used
