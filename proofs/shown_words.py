"""What is shown of byte-pair encoding: neighbours decide what is an encoding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ..reference.models import Ids
from ..toymodels.tokenizers import ToyTokenizer, bpe, greedy
from .ledger import ClaimError

_LETTERS = ("a", "b")
_LONGEST = 6
Merges = tuple[tuple[str, str], ...]


def _lists(most: int = 3) -> Iterator[Merges]:
    """All lists of merges of what there is by then; no two make one piece."""
    open_: list[Merges] = [()]
    while open_:
        merges = open_.pop()
        if merges:
            yield merges
        if len(merges) < most:
            pieces = (*_LETTERS, *(left + right for left, right in merges))
            open_ += [
                (*merges, pair) for pair in product(pieces, repeat=2) if "".join(pair) not in pieces
            ]


def _tokenizer(merges: Merges) -> ToyTokenizer:
    return bpe([*_LETTERS, *(left + right for left, right in merges)], merges)


def _written(tokenizer: ToyTokenizer, ids: Ids) -> bool:
    return tokenizer.encode(tokenizer.decode(ids)) == ids


def _decided_by_neighbours(tokenizer: ToyTokenizer) -> bool:
    """Whether the encodings of all texts are all strings whose neighbours are encodings."""
    size = len(tokenizer.vocabulary)
    written = [(token,) for token in range(size) if _written(tokenizer, (token,))]
    pairs = {one + two for one in written for two in written if _written(tokenizer, one + two)}
    found: set[Ids] = set()
    open_: list[Ids] = list(written)
    while open_:
        ids = open_.pop()
        if len(tokenizer.decode(ids)) <= _LONGEST:
            found.add(ids)
            open_ += [(*ids, two) for one, two in pairs if one == ids[-1]]
    texts = ("".join(s) for n in range(1, _LONGEST + 1) for s in product(_LETTERS, repeat=n))
    return found == {tokenizer.encode(text) for text in texts}


def neighbours() -> Iterator[str]:
    """Every string of tokens, against every text; and longest match, where it is not so."""
    count = 0
    for merges in _lists():
        if not _decided_by_neighbours(_tokenizer(merges)):
            raise ClaimError(f"merges {merges}: neighbours do not decide")
        count += 1
    if _decided_by_neighbours(greedy(["a", "b", "aab"])):
        raise ClaimError("a a b is no encoding under longest match, and its neighbours are")
    yield f"{count} lists of merges, all texts of up to {_LONGEST} letters; longest match differs"


def across(merges: Merges, one: str, two: str) -> bool:
    """Whether some merge takes place between the pieces ``one`` and ``two``, from ranks alone."""
    made = {left + right: (left, right, rank) for rank, (left, right) in enumerate(merges)}
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    never = len(merges)

    def parts(piece: str, side: int) -> Iterator[tuple[str, int]]:
        """The piece and its last (1) or first (0) parts, each with the rank that uses it up."""
        used = never
        yield piece, used
        while piece in made:
            used = made[piece][2]
            piece = made[piece][side]
            yield piece, used

    for last, last_used in parts(one, 1):
        for first, first_used in parts(two, 0):
            rank = ranks.get((last, first), never)
            # Of two merges of one rank the left one comes first.
            if rank < last_used and rank <= first_used and rank < never:
                return True
    return False


def by_ranks() -> Iterator[str]:
    """Two pieces that are written: whether they are an encoding, against the ranks."""
    count = 0
    for merges in _lists():
        tokenizer = _tokenizer(merges)
        pieces = (*_LETTERS, *(left + right for left, right in merges))
        written = [t for t in range(len(pieces)) if _written(tokenizer, (t,))]
        for one, two in product(written, repeat=2):
            if _written(tokenizer, (one, two)) is across(merges, pieces[one], pieces[two]):
                raise ClaimError(f"merges {merges}: {pieces[one]!r} and {pieces[two]!r}")
            count += 1
    yield f"{count} pairs of pieces"
