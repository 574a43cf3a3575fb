"""Segmentations: how a text is cut into pieces of a vocabulary.

Each takes characters and gives ids, with a character that no piece covers left as it is: what to do
with those is the tokenizer's fallback, not the segmentation's affair. All three cut a text that has
several segmentations into one of them, always the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

from ..reference.exact import ZERO, Rational, fraction_text
from .tables import Number, exact_number

#: A segmented text: ids, and characters that no piece covers.
Segments: TypeAlias = list[int | str]


class TokenizerError(ValueError):
    """A tokenizer that cannot be built: the message names the value and the place."""


class Segmentation(Protocol):
    """Cuts a text into pieces."""

    @property
    def name(self) -> str:
        """What this segmentation is called in descriptions."""
        ...

    @property
    def stable(self) -> bool:
        """Whether both sides of a boundary are always cut as if alone."""
        ...

    def segment(self, text: str) -> Segments:
        """Ids and uncovered characters, in the order of the text."""
        ...

    def describe(self) -> dict[str, Any]:
        """What is needed beside the vocabulary to segment by hand, fit for JSON."""
        ...


class GreedySegmentation:
    """The longest piece that matches at each position, from left to right.

    ``pieces`` maps each piece to its id. Where no piece matches, one character is left uncovered.
    """

    name = "greedy"
    stable = True

    def __init__(self, pieces: Mapping[str, int]) -> None:
        self._pieces = dict(pieces)
        self._lengths = sorted({len(piece) for piece in pieces}, reverse=True)

    def segment(self, text: str) -> Segments:
        """Ids and uncovered characters, in the order of the text."""
        segments: Segments = []
        position = 0
        while position < len(text):
            for length in self._lengths:
                token = self._pieces.get(text[position : position + length])
                if token is not None:
                    segments.append(token)
                    position += length
                    break
            else:
                segments.append(text[position])
                position += 1
        return segments

    def describe(self) -> dict[str, Any]:
        """The name alone."""
        return {"segmentation": self.name}


class BytePairSegmentation:
    """Byte-pair encoding (BPE): from characters, apply the earliest merge in the list that can be.

    ``merges`` are pairs of strings, in order of rank; all places of the best pair are merged, from
    left to right, before the next pair is looked for. A symbol that is no piece in the end is left
    as uncovered characters.

    Raises:
        TokenizerError: for a merge with an empty side, or one listed twice.
    """

    name = "bpe"

    def __init__(self, pieces: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> None:
        self._pieces = dict(pieces)
        self._merges = tuple(merges)
        self._ranks: dict[tuple[str, str], int] = {}
        for rank, (left, right) in enumerate(merges):
            if not left or not right:
                raise TokenizerError(f"merge {rank} is {(left, right)!r}; both sides need text")
            if (left, right) in self._ranks:
                raise TokenizerError(f"merge {rank} is {(left, right)!r} again")
            self._ranks[left, right] = rank
        #: A merge that makes no piece is undone at the end, which leaves boundaries of no merge.
        self.stable = all(left + right in pieces for left, right in merges)

    def segment(self, text: str) -> Segments:
        """Ids and uncovered characters, in the order of the text."""
        symbols = list(text)
        while len(symbols) > 1:
            ranked = [self._ranks.get(pair) for pair in pairwise(symbols)]
            best = min((rank for rank in ranked if rank is not None), default=None)
            if best is None:
                break
            symbols = _merged(symbols, self._merges[best])
        segments: Segments = []
        for symbol in symbols:
            token = self._pieces.get(symbol)
            segments += list(symbol) if token is None else [token]
        return segments

    def describe(self) -> dict[str, Any]:
        """The name and the merges, in order of rank."""
        return {"segmentation": self.name, "merges": [list(pair) for pair in self._merges]}


class UnigramSegmentation:
    """The segmentation of the highest total score, found by Viterbi.

    ``scores`` gives each piece an exact number, higher is better (a log-probability up to scale).
    Covering more characters comes before a higher score. Ties go to fewer tokens, then to the
    smallest ids from the left.

    Raises:
        TokenizerError: for a score of an unknown piece, or a piece without a score.
        ModelError: for a score that is a float or no number.
    """

    name = "unigram"
    stable = True

    def __init__(self, pieces: Mapping[str, int], scores: Mapping[str, Number]) -> None:
        for piece in scores:
            if piece not in pieces:
                raise TokenizerError(f"scores: {piece!r} is no piece of the vocabulary")
        for piece in pieces:
            if piece not in scores:
                raise TokenizerError(f"scores: the piece {piece!r} has none")
        self._scores = {
            piece: exact_number(scores[piece], f"score of {piece!r}") for piece in pieces
        }
        self._pieces = dict(pieces)
        self._longest = max(map(len, pieces), default=0)

    def segment(self, text: str) -> Segments:
        """Ids and uncovered characters, in the order of the text."""
        # best[end] is the least (uncovered, -score, tokens, ids) over all ways to cut text[:end];
        # an uncovered character is written as a negative number, to be comparable with ids.
        best: list[tuple[int, Rational, int, tuple[int, ...]]] = [(0, ZERO, 0, ())]
        for end in range(1, len(text) + 1):
            uncovered, cost, tokens, path = best[end - 1]
            options = [(uncovered + 1, cost, tokens + 1, (*path, -1 - ord(text[end - 1])))]
            for start in range(max(0, end - self._longest), end):
                token = self._pieces.get(text[start:end])
                if token is not None:
                    uncovered, cost, tokens, path = best[start]
                    score = self._scores[text[start:end]]
                    options.append((uncovered, cost - score, tokens + 1, (*path, token)))
            best.append(min(options))
        return [chr(-1 - token) if token < 0 else token for token in best[-1][3]]

    def describe(self) -> dict[str, Any]:
        """The name and the score of each piece as "n/d"."""
        scores = {piece: fraction_text(score) for piece, score in self._scores.items()}
        return {"segmentation": self.name, "scores": scores}


def _merged(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """``symbols`` with every occurrence of ``pair`` joined, from left to right."""
    joined: list[str] = []
    position = 0
    while position < len(symbols):
        if tuple(symbols[position : position + 2]) == pair:
            joined.append(pair[0] + pair[1])
            position += 2
        else:
            joined.append(symbols[position])
            position += 1
    return joined
