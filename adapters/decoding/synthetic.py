"""Pairs of a set acceptance: real forward passes, laws from a table.

For measuring a machine without any weights. The models are of whatever size is asked for, with
random weights; each pass runs in full, and its logits are then replaced by a row of a table that is
chosen by the last id. The target's law p lives on the first half of the words, and the drafter's is
``acceptance * p`` plus the rest on the second half: the sum of min(p, q) is the acceptance set, at
every context. Words are five letters, so texts are cut the same by both tokenizers; the drafter's
ids are in another order, and it has some words that the target lacks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...reference.models import Ids
from ...reference.tokenizers import EncodeError, TokenizerLaws
from ..huggingface.models import CausalModel
from ..huggingface.settings import Settings

#: Different rows of a table; the last id, modulo this, chooses.
ROWS = 32
_LETTERS = "abcdefghijklmnop"
_WIDTH = 5


class Words:
    """A tokenizer whose tokens all are words of five letters."""

    laws = TokenizerLaws(
        injective=True, round_trips=True, total=False, concatenative=True, canonical=True
    )
    end_of_sequence = None
    beginning: Ids = ()

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._ids = {word: i for i, word in enumerate(words)}
        self.vocabulary: tuple[bytes | None, ...] = tuple(word.encode() for word in words)

    def encode(self, text: str) -> Ids:
        """The ids of ``text``, five letters at a time."""
        try:
            return tuple(self._ids[text[at : at + _WIDTH]] for at in range(0, len(text), _WIDTH))
        except KeyError as missing:
            raise EncodeError(f"{missing} is no word of this vocabulary") from None

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``."""
        return "".join(self._words[token] for token in ids)


class TableModel(CausalModel):
    """A causal model whose passes are real and whose logits are a table's.

    Attributes:
        table: logits [ROWS, size], on the model's device.
        row_of: for each id the row after it.
    """

    def __init__(self, model: Any, table: torch.Tensor, row_of: Sequence[int], **options: Any):
        super().__init__(model, Settings(), **options)
        self.table, self.row_of = table, row_of

    def logits(self, ids: Ids, rows: int) -> torch.Tensor:
        """The table's rows after the last ``rows`` ids; the pass is run all the same."""
        super().logits(ids, rows)
        chosen = [self.row_of[token] for token in ids[len(ids) - rows :]]
        return self.table[torch.tensor(chosen, device=self.table.device)]


@dataclass(frozen=True)
class Synthetic:
    """Either side of a synthetic pair; as `loading.Loaded` where `make_pair` looks.

    Attributes:
        model, tokenizer, name: as there.
        known: the target's ids that the drafter has too; prompts are made of these, since the
            drafter cannot read others.
    """

    model: TableModel
    tokenizer: Words
    name: str
    known: Ids = ()


def synthetic_pair(
    target: Any,
    drafter: Any,
    acceptance: float,
    *,
    own: float = 0.1,
    shared_ids: bool = False,
    seed: int = 0,
    timed: bool = False,
) -> tuple[Synthetic, Synthetic]:
    """Target and drafter over given model classes with laws of a set acceptance.

    Args:
        target, drafter: models of `transformers`; their heads' sizes are the vocabularies'.
        acceptance: the sum of min(p, q), between 0 and 1.
        own: share of the drafter's ids that the target lacks; their probability is zero.
        shared_ids: one vocabulary instead, for algorithms over one.
        seed: of tables and of the drafter's order.
        timed: as for `CausalModel`.
    """
    sizes = [int(model.config.vocab_size) for model in (target, drafter)]
    if shared_ids and sizes[0] != sizes[1]:
        raise ValueError(f"heads of {sizes[0]} and {sizes[1]} ids share no vocabulary")
    words = [_word(i) for i in range(sizes[0] + sizes[1])]
    chosen = random.Random(seed)
    theirs = list(range(sizes[0]))
    if not shared_ids:
        known = min(sizes[0], sizes[1] - int(own * sizes[1]))
        theirs = sorted(chosen.sample(theirs, known))
        theirs += range(sizes[0], sizes[0] + sizes[1] - known)
        chosen.shuffle(theirs)
    kept = torch.zeros(sizes[0])
    kept[[i for i in theirs if i < sizes[0]]] = 1
    generator = torch.Generator().manual_seed(seed)
    half = sizes[0] // 2
    p = torch.zeros(ROWS, sizes[0])
    rest = torch.zeros(ROWS, sizes[0])
    weights = (4 * torch.randn(ROWS, sizes[0], generator=generator)).exp() * kept
    p[:, :half], rest[:, half:] = weights[:, :half], weights[:, half:]
    p, rest = (law / law.sum(-1, keepdim=True) for law in (p, rest))
    q = acceptance * p + (1 - acceptance) * rest
    place = {word: at for at, word in enumerate(theirs)}
    mapped = torch.zeros(ROWS, sizes[1])
    inside = [i for i in theirs if i < sizes[0]]
    mapped[:, [place[i] for i in inside]] = q[:, inside]
    ours = Words(words[: sizes[0]])
    second = ours if shared_ids else Words([words[i] for i in theirs])
    sides = []
    for model, table, tokenizer, rows, name in (
        (target, p, ours, [i % ROWS for i in range(sizes[0])], "synthetic target"),
        (drafter, mapped, second, [i % ROWS for i in theirs], "synthetic drafter"),
    ):
        logits = table.log().to(model.device)
        made = TableModel(model, logits, rows, timed=timed)
        sides.append(Synthetic(made, tokenizer, name, tuple(sorted(inside))))
    return sides[0], sides[1]


def _word(number: int) -> str:
    letters = ""
    for _ in range(_WIDTH):
        number, letter = divmod(number, len(_LETTERS))
        letters += _LETTERS[letter]
    return letters
