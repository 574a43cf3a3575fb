"""Pairs over one vocabulary from laws in words."""

from __future__ import annotations

from collections.abc import Mapping

from ...reference.pair import Pair
from ...toymodels.models import NgramModel
from ...toymodels.tokenizers import greedy


def shared(target: NgramModel, drafter: NgramModel, eos: int | None = None) -> Pair:
    """A pair over one vocabulary, spelled a, b, c, ..."""
    spelled = ["abcdefgh"[i] if i != eos else None for i in range(target.size)]
    tokenizer = greedy(spelled, end_of_sequence=eos)
    return Pair(target, drafter, tokenizer, tokenizer)


def trigram(size: int, rows: Mapping[str, str]) -> NgramModel:
    """A model of order 3 from laws by context, "" being the empty one and "01" two ids."""
    tables = {tuple(map(int, context)): law.split() for context, law in rows.items()}
    return NgramModel(size, 3, tables)
