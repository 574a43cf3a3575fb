"""How often text appended to a prefix changes the encoding of the prefix.

A drafted text is cut where the draft ends, not where the text does. T(draft) is then not a prefix
of T(draft + what follows), the last candidates are tokens that the target would not write, and a
drafter that encodes a growing context anew finds its last tokens replaced: what realignment is for.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .corpus import Passage
from .intersection import share
from .sides import Side


@dataclass(frozen=True, slots=True)
class Revision:
    """A cut that changes the encoding.

    Attributes:
        before: the end of the text before the cut, from where the encodings part.
        after: the beginning of what follows.
        revised: how many tokens of the prefix's encoding the longer text's does not begin with.
    """

    before: str
    after: str
    revised: int


@dataclass(frozen=True, slots=True)
class Revisions:
    """Passages cut at characters.

    Attributes:
        cuts: cuts tried, each between two characters of a passage.
        exhaustive: whether they are all there are; else drawn evenly, seeded.
        revised: cuts at which at least one token changes.
        tokens_back: for each number of changed tokens, how many cuts; 0 included.
        deepest: the cut that changes most tokens.
        unreadable: cuts left out since prefix or passage has no encoding.
    """

    cuts: int
    exhaustive: bool
    revised: int
    tokens_back: tuple[tuple[int, int], ...]
    deepest: Revision | None
    unreadable: int

    @property
    def revised_share(self) -> float | None:
        """The share of cuts that change a token."""
        return share(self.revised, self.cuts)


def revisions(side: Side, corpus: Sequence[Passage], sample: int, rng: random.Random) -> Revisions:
    """Cut the passages at ``sample`` places; at all where there are no more."""
    places = [(i, cut) for i, each in enumerate(corpus) for cut in range(1, len(each.text))]
    exhaustive = len(places) <= sample
    if not exhaustive:
        places = sorted(rng.sample(places, sample))
    whole = side.encode_many(each.text for each in corpus)
    prefixes = side.encode_many(corpus[i].text[:cut] for i, cut in places)
    back: Counter[int] = Counter()
    deepest: tuple[int, int, int] | None = None
    for (i, cut), prefix in zip(places, prefixes, strict=True):
        full = whole[i]
        if prefix is None or full is None:
            continue
        kept = 0
        while kept < min(len(prefix), len(full)) and prefix[kept] == full[kept]:
            kept += 1
        revised = len(prefix) - kept
        back[revised] += 1
        if revised and (deepest is None or revised > deepest[0]):
            deepest = (revised, i, cut)
    return Revisions(
        back.total(),
        exhaustive,
        back.total() - back[0],
        tuple(sorted((tokens, cuts) for tokens, cuts in back.items() if cuts)),
        None if deepest is None else _shown(corpus, *deepest),
        len(places) - back.total(),
    )


def _shown(corpus: Sequence[Passage], revised: int, index: int, cut: int) -> Revision:
    text = corpus[index].text
    return Revision(text[max(0, cut - 24) : cut], text[cut : cut + 12], revised)
