"""Texts by the target's own law: the contexts that any lossless algorithm visits.

Every algorithm here gives the target's law, so one text by the target stands for a run of each of
them. Where an algorithm's rounds begin on that text, and how much they keep, is a matter of
conditional probabilities (`given_text`), not of another run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...reference.chance import Chance
from ...reference.models import Ids, LanguageModel
from ..huggingface.tensors import TensorDistribution


@dataclass(frozen=True)
class Continuation:
    """A prompt and what the target went on with.

    Attributes:
        prompt: target ids.
        ids: x_1..x_n, up to and with the first end if one was met.
        laws: p_1..p_n, the law that each of them was drawn from.
        positions: how many contexts are visited: those after the first 0 .. positions - 1 ids. The
            ids behind serve as the last contexts' futures.
        ends: the ids that end a text.
    """

    prompt: Ids
    ids: Ids
    laws: Sequence[TensorDistribution]
    positions: int
    ends: frozenset[int]

    def context(self, position: int) -> Ids:
        """The target ids before x_{position + 1}."""
        return self.prompt + self.ids[:position]

    def future(self, position: int, most: int) -> Ids:
        """At most ``most`` ids from there on."""
        return self.ids[position : position + most]


def continued(
    target: LanguageModel,
    prompt: Ids,
    positions: int,
    margin: int,
    chance: Chance,
    ends: frozenset[int] = frozenset(),
) -> Continuation:
    """``prompt`` continued by ``positions + margin`` ids, or up to the first end.

    Args:
        target: a model with tensor laws.
        prompt: at least one id.
        positions: how many contexts to visit at most.
        margin: how many ids more are wanted behind the last of them.
        chance: draws the ids.
        ends: ids that end a text.

    Raises:
        ModelError: what the model refuses, a text beyond its window for one.
    """
    ids: Ids = ()
    laws: list[Any] = []
    while len(ids) < positions + margin and not (ids and ids[-1] in ends):
        (law,) = target.distributions(prompt + ids)
        ids += (chance.draw(law, f"text {len(ids) + 1}"),)
        laws.append(law)
    return Continuation(prompt, ids, laws, min(positions, len(ids)), ends)
