"""Processors and stopping criteria of the cases, made afresh for every call of `generate()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers
from transformers import LogitsProcessor, LogitsProcessorList, StoppingCriteria
from transformers import StoppingCriteriaList as Criteria

from .case import NotThereError


class CountsItsCalls(LogitsProcessor):
    """Forbids the first token from the third call on: right where one call is one new token."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores [1, V], from the third call on without the first token."""
        self.calls += 1
        if self.calls < 3:
            return scores
        return scores.index_fill(1, torch.tensor([0]), -torch.inf)


class StopsAt(StoppingCriteria):
    """Ends the sequence at one id."""

    def __init__(self, token: int) -> None:
        self.token = token

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """Whether the sequence [1, length] ends."""
        return input_ids[:, -1] == self.token


def _allowed_by_prefix() -> dict[str, Any]:
    return {"prefix_allowed_tokens_fn": lambda _, ids: [0, 1] if int(ids[-1]) == 1 else [0, 1, 2]}


def _watermark(name: str, **options: Any) -> dict[str, Any]:
    make = getattr(transformers, name, None)
    if make is None:
        raise NotThereError(f"no {name}")
    return {"watermarking_config": make(**options)}


#: Keywords of `generate()`, by name.
EXTRAS: dict[str, Callable[[], dict[str, Any]]] = {
    "allowed-by-prefix": _allowed_by_prefix,
    "counts-its-calls": lambda: {"logits_processor": LogitsProcessorList([CountsItsCalls()])},
    "stops-at-1": lambda: {"stopping_criteria": Criteria([StopsAt(1)])},
    "watermark": lambda: _watermark("WatermarkingConfig", greenlist_ratio=0.5, bias=1.0),
    "watermark-with-history": lambda: _watermark(
        "SynthIDTextWatermarkingConfig",
        ngram_len=2,
        keys=[3, 5],
        context_history_size=4,
        sampling_table_size=64,
    ),
}


def extras_of(names: tuple[str, ...]) -> dict[str, Any]:
    """The keywords that ``names`` stand for, with new objects."""
    return {key: value for name in names for key, value in EXTRAS[name]().items()}
