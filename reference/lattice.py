"""Token lattices: all ways to cut one string into tokens of a vocabulary, as a graph.

Nodes are the positions between bytes, 0 .. len(text); an edge is a token that spells the bytes from
one position to another. A path from the first position to the last is a segmentation. What a
tokenizer makes of the string is one of them at most: a count of paths is no count of encodings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import networkx as nx

from .models import Ids
from .tokenizers import Tokenizer

if TYPE_CHECKING:
    # The class takes a parameter in the type checker's eyes only.
    Lattice = nx.MultiDiGraph[int]


def token_lattice(text: bytes, tokenizer: Tokenizer) -> Lattice:
    """The lattice of ``text``: nodes 0 .. len(text), one edge for each place a token fits.

    An edge's key is the token's id; its attributes are ``token``, the same id, and ``spelling``,
    its bytes. Ids without text have no edge. The text itself is ``lattice.graph["text"]``.
    """
    lattice = _positions(text)
    for start, end, token, spelling in _places(text, tokenizer):
        lattice.add_edge(start, end, key=token, token=token, spelling=spelling)
    return lattice


def two_sided_lattice(
    text: bytes, target_tokenizer: Tokenizer, drafter_tokenizer: Tokenizer
) -> Lattice:
    """The lattice of ``text`` under two vocabularies at once.

    As `token_lattice`, with the further edge attribute ``side``, "target" or "drafter"; an edge's
    key is the pair (side, id). `one_side` gives back the lattice of either.
    """
    lattice = _positions(text)
    for side, tokenizer in (("target", target_tokenizer), ("drafter", drafter_tokenizer)):
        for start, end, token, spelling in _places(text, tokenizer):
            lattice.add_edge(
                start, end, key=(side, token), token=token, spelling=spelling, side=side
            )
    return lattice


def one_side(lattice: Lattice, side: str) -> Lattice:
    """The lattice that one side's edges of a `two_sided_lattice` make.

    Raises:
        ValueError: for a side that is neither "target" nor "drafter".
    """
    if side not in ("target", "drafter"):
        raise ValueError(f"side is {side!r}; it is target or drafter")
    part = _positions(lattice.graph["text"])
    for start, end, data in lattice.edges(data=True):
        if data["side"] == side:
            token: int = data["token"]
            part.add_edge(start, end, key=token, token=token, spelling=data["spelling"])
    return part


def shared_positions(lattice: Lattice) -> tuple[int, ...]:
    """The positions of a `two_sided_lattice` where a segmentation of either side can have a cut.

    Both ends are among them when both sides can cut the text at all; the tuple is empty otherwise.
    """
    through = [_on_paths(one_side(lattice, side)) for side in ("target", "drafter")]
    return tuple(sorted(through[0] & through[1]))


def segmentations(lattice: Lattice) -> Iterator[Ids]:
    """Every segmentation as a sequence of ids, ascending; for the empty text the empty one.

    ``lattice`` is that of one vocabulary, from `token_lattice` or `one_side`.
    """
    end = _end(lattice)
    on_paths = _on_paths(lattice)

    def paths_from(position: int) -> Iterator[Ids]:
        if position == end:
            yield ()
            return
        for token, following in sorted(
            (token, following) for _, following, token in _edges_from(lattice, position)
        ):
            if following in on_paths:
                for rest in paths_from(following):
                    yield (token, *rest)

    return paths_from(0)


def count_segmentations(lattice: Lattice) -> int:
    """How many segmentations there are, without listing them."""
    end = _end(lattice)
    counts = [0] * end + [1]
    for position in range(end - 1, -1, -1):
        counts[position] = sum(
            counts[following] for _, following, _ in _edges_from(lattice, position)
        )
    return counts[0]


def _positions(text: bytes) -> Lattice:
    lattice: Lattice = nx.MultiDiGraph(text=text)
    lattice.add_nodes_from(range(len(text) + 1))
    return lattice


def _places(text: bytes, tokenizer: Tokenizer) -> Iterator[tuple[int, int, int, bytes]]:
    """Start, end, id and bytes of every token at every place where it occurs in ``text``."""
    for start in range(len(text)):
        for token, spelling in enumerate(tokenizer.vocabulary):
            if spelling and text.startswith(spelling, start):
                yield start, start + len(spelling), token, spelling


def _end(lattice: Lattice) -> int:
    return lattice.number_of_nodes() - 1


def _edges_from(lattice: Lattice, position: int) -> Iterator[tuple[int, int, int]]:
    for start, following, data in lattice.out_edges(position, data=True):
        yield start, following, data["token"]


def _on_paths(lattice: Lattice) -> set[int]:
    """The positions that lie on a path from the first to the last."""
    end = _end(lattice)
    reached = {0}
    for position in range(end):  # edges lead forward, so one sweep each way finds everything
        if position in reached:
            reached |= {following for _, following, _ in _edges_from(lattice, position)}
    leading = {end}
    for position in range(end - 1, -1, -1):
        if any(following in leading for _, following, _ in _edges_from(lattice, position)):
            leading.add(position)
    return reached & leading
