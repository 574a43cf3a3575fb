"""Where SLEM overtakes TLI as the shared vocabulary shrinks.

TLI can only draft what both vocabularies have; SLEM drafts text. Tokens are taken out of the
intersection at random, each smaller set a part of the larger ones. With q' the drafter's law given
that its token is in the set, TLI's figures are found anew at every visited position. The target's
law stays as it is, and so does everything of SLEM's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

from ...reference.pair import Pair

#: Shares of the intersection that are kept.
FRACTIONS = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.0)


class Shrinking:
    """Nested random subsets of the shared tokens of a pair.

    Attributes:
        fractions: shares kept, falling.
        sizes: how many tokens each subset has.
    """

    def __init__(self, pair: Pair, seed: int, fractions: Sequence[float] = FRACTIONS) -> None:
        shared = sorted(pair.intersection)
        random.Random(seed).shuffle(shared)
        self.fractions = tuple(fractions)
        self.sizes = tuple(round(share * len(shared)) for share in fractions)
        # The order in which tokens go: a subset is what comes before its size.
        self._order = torch.full((pair.target.size,), len(shared), dtype=torch.long)
        self._order[torch.tensor(shared, dtype=torch.long)] = torch.arange(len(shared))

    def subset(self, place: int) -> frozenset[int]:
        """The target ids of the subset at ``place``."""
        return frozenset(torch.nonzero(self._order < self.sizes[place])[:, 0].tolist())

    def laws(self, q: torch.Tensor, place: int) -> torch.Tensor:
        """q' for the subset at ``place``: the laws given that the token is in it.

        Args:
            q: [n, vocabulary], the drafter's laws as target ids, not masked.
            place: of the subset.

        Returns:
            [n, vocabulary]; a row without mass in the subset is zero.
        """
        if self._order.device != q.device:
            self._order = self._order.to(q.device)
        left = torch.where(self._order < self.sizes[place], q, 0.0)
        mass = left.sum(1, keepdim=True)
        return left / torch.where(mass > 0, mass, 1.0)


def crossing(fractions: Sequence[float], tli: Sequence[float], slem: float) -> float | None:
    """The share of the intersection at which a falling figure of TLI's is as large as SLEM's.

    Interpolated on straight lines between the fractions that were tried. None where TLI's is
    larger, or SLEM's, at all of them.

    Args:
        fractions: falling. tli: one number for each. slem: the same whatever is shared.
    """
    ahead = [each - slem for each in tli]
    for place in range(1, len(fractions)):
        if ahead[place - 1] > 0 >= ahead[place]:
            weight = ahead[place - 1] / (ahead[place - 1] - ahead[place])
            return fractions[place - 1] + weight * (fractions[place] - fractions[place - 1])
    return None
