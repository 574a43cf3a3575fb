"""Counts of what follows which bytes, in sorted arrays: looked up without a Python dictionary.

For every context length k there are the contexts (k bytes packed into one number, in ascending
order), and for each context the symbols that followed it with their counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: What follows the last byte of a document; symbols below are bytes.
END = 256
SYMBOLS = 257
#: Bits that a symbol takes beside a packed context.
_BITS = 9
#: The longest context whose packed bytes leave room for a symbol in 64 bits.
LONGEST = 6


@dataclass(frozen=True)
class Table:
    """The counts after contexts of one length.

    Attributes:
        contexts: [n] packed contexts, ascending.
        starts: [n + 1] where the symbols of each begin.
        symbols, counts: [m] what followed, and how often; symbols ascending within a context.
    """

    contexts: NDArray[np.uint64]
    starts: NDArray[np.uint32]
    symbols: NDArray[np.uint16]
    counts: NDArray[np.uint32]

    def after(self, context: int) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
        """Symbols seen after a packed context and their counts; empty where it was not seen."""
        place = int(self.contexts.searchsorted(np.uint64(context)))
        if place == len(self.contexts) or int(self.contexts[place]) != context:
            return self.symbols[:0], self.counts[:0]
        inside = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.symbols[inside], self.counts[inside]


def packed(context: bytes) -> int:
    """A context as one number."""
    return int.from_bytes(context, "big")


def count(texts: Iterable[bytes], longest: int, seldom: Mapping[int, int]) -> tuple[Table, ...]:
    """The tables of context lengths 0 .. ``longest`` over documents, each ended by `END`.

    Args:
        texts: the documents; no context reaches from one into another.
        longest: at most `LONGEST`.
        seldom: for a context length the occurrences below which a context is left out; 1 without.
    """
    if not 0 <= longest <= LONGEST:
        raise ValueError(f"contexts of 0 to {LONGEST} bytes are counted, not of {longest}")
    listed = list(texts)
    symbols = np.concatenate(
        [np.append(np.frombuffer(text, np.uint8).astype(np.uint16), END) for text in listed]
        or [np.empty(0, np.uint16)]
    )
    # How many bytes of its own document stand in front of each symbol.
    ahead = np.concatenate([np.arange(len(text) + 1) for text in listed] or [np.empty(0, int)])
    keys = np.zeros(len(symbols), np.uint64)
    made: list[Table] = []
    for length in range(longest + 1):
        if length:
            older = np.zeros_like(keys)
            older[length:] = symbols[:-length]
            keys |= older << np.uint64(8 * (length - 1))
        inside = ahead >= length
        made.append(_table(keys[inside], symbols[inside], seldom.get(length, 1)))
    return tuple(made)


def _table(keys: NDArray[np.uint64], symbols: NDArray[np.uint16], least: int) -> Table:
    both, counts = np.unique(
        (keys << np.uint64(_BITS)) | symbols.astype(np.uint64), return_counts=True
    )
    contexts, starts = np.unique(both >> np.uint64(_BITS), return_index=True)
    starts = np.append(starts, len(both))
    totals = np.add.reduceat(counts, starts[:-1]) if len(both) else counts
    kept = totals >= least
    sizes = np.diff(starts)
    rows = np.repeat(kept, sizes)
    return Table(
        contexts[kept],
        np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.uint32),
        (both[rows] & np.uint64((1 << _BITS) - 1)).astype(np.uint16),
        counts[rows].astype(np.uint32),
    )
