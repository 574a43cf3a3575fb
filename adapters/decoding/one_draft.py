"""psi on real vocabularies, for a draft of one token.

A draft of one token d proposes T(text of d), whatever d's context was. So psi is the drafter's law
pushed forward along d -> t_1, and psi_{k+1}( . | t_1..t_k) along d -> t_{k+1} over the ids d whose
proposal begins with t_1..t_k. The map is found once for a pair, by running `propose` itself with
every id as the draft; after that a psi costs one sum over the drafter's vocabulary, on its device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch

from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.proposals import propose
from ...reference.stop_rules import Fixed
from ..huggingface.tensors import TensorDistribution, added_up

#: What stands in the table where a proposal has no further token.
_NONE = -1


class OneDraft:
    """psi and psi_k of the stop rule ``fixed:1`` for a pair whose laws are tensors.

    Attributes:
        candidates: for every drafter id d the target ids that it proposes; empty for none.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.candidates = proposals(pair)
        longest = max(map(len, self.candidates), default=0)
        self._table = torch.full((len(self.candidates), longest + 1), _NONE)
        for d, proposed in enumerate(self.candidates):
            self._table[d, : len(proposed)] = torch.tensor(proposed, dtype=torch.long)

    def after(self, context: Ids) -> Callable[[Ids], TensorDistribution]:
        """``accepted -> psi_{k+1}( . | accepted)`` after ``context``; sub-stochastic laws."""
        read = self.pair.drafter_context(context)
        laws: dict[Ids, TensorDistribution] = {}

        def psi_after(accepted: Ids) -> TensorDistribution:
            if accepted not in laws:
                laws[accepted] = self._psi(self._law(read), accepted)
            return laws[accepted]

        return psi_after

    def _law(self, read: Ids | None) -> torch.Tensor:
        law: Any = self.pair.drafter.distributions(read)[0] if read is not None else None
        return torch.zeros(len(self.candidates)) if law is None else law.row

    def _psi(self, row: torch.Tensor, accepted: Ids) -> TensorDistribution:
        if self._table.device != row.device:
            self._table = self._table.to(row.device)
        k = len(accepted)
        size = self.pair.target.size
        if k >= self._table.shape[1]:
            return TensorDistribution(row.new_zeros(size))
        if accepted:
            begins = self._table[:, :k] == torch.tensor(accepted, device=row.device)
            row = torch.where(begins.all(1), row, 0.0)
            mass = row.sum(dtype=torch.float64).to(row.dtype)
            row = row / torch.where(mass > 0, mass, 1.0)
        # "No further token" goes into a column behind the vocabulary, which is then left out.
        image = self._table[:, k]
        index = torch.where(image == _NONE, size, image)
        return TensorDistribution(added_up(row, index, size + 1)[:size])


def proposals(pair: Pair) -> list[Ids]:
    """For every drafter id the target ids that `propose` makes of a draft of it alone."""
    silent: Any = _Silent(pair.drafter.size)
    reading: Any = pair.drafter_tokenizer if pair.same_vocabulary else _Readable(pair)
    deaf = replace(pair, drafter=silent, drafter_tokenizer=reading)
    chance: Any = _Given()
    found: list[Ids] = []
    for chance.token in range(pair.drafter.size):
        found.append(propose(deaf, (), Fixed(1), chance).candidates)
    return found


class _Silent:
    """A model that is asked, and whose answer nobody reads."""

    def __init__(self, size: int) -> None:
        self.size = size

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[None]:
        """One answer."""
        del context, continuation
        return (None,)


class _Readable:
    """The drafter's tokenizer, to which every context is readable."""

    def __init__(self, pair: Pair) -> None:
        self.vocabulary = pair.drafter_tokenizer.vocabulary
        self.end_of_sequence = pair.drafter_tokenizer.end_of_sequence
        self.laws = pair.drafter_tokenizer.laws
        self.decode = pair.drafter_tokenizer.decode

    def encode(self, text: str) -> Ids:
        """Some ids."""
        del text
        return (0,)


class _Given:
    """Chance that draws a given id."""

    token = 0

    def draw(self, law: Any, what: str = "") -> int:
        """The id."""
        del law, what
        return self.token
