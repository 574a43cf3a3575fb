"""The drafters that `make models` trains: what each is, and where it is kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ..huggingface.gguf_files import models_folder

#: Raised when training itself changes, so that older drafters are not taken for newer ones.
TRAINING = 1


@dataclass(frozen=True)
class NgramRecipe:
    """An n-gram drafter over bytes.

    Attributes:
        longest: bytes of the longest context that is counted.
        seldom: for context lengths, the occurrences below which a context is left out.
        megabytes: of text.
    """

    longest: int = 6
    seldom: tuple[tuple[int, int], ...] = ((4, 2), (5, 2), (6, 2))
    megabytes: float = 13


@dataclass(frozen=True)
class TransformerRecipe:
    """A small Llama.

    Attributes:
        vocabulary: "bytes", "bpe" or "target".
        ids: of a BPE vocabulary.
        hidden, between, layers, heads: sizes of the model.
        length: ids in a training window.
        window: `max_position_embeddings`.
        steps, rows: optimisation steps, and windows in each.
        rate: the highest learning rate.
        megabytes: of text.
        negatives: ids drawn at random into the softmax of a step; 0 takes all.
        seed: of weights, order and draws.
    """

    vocabulary: str
    hidden: int
    between: int
    layers: int
    heads: int
    length: int
    steps: int
    rows: int
    rate: float
    ids: int = 0
    window: int = 2048
    megabytes: float = 13
    negatives: int = 0
    seed: int = 1


RECIPES: dict[str, NgramRecipe | TransformerRecipe] = {
    "drafter-ngram": NgramRecipe(),
    "drafter-bytes": TransformerRecipe(
        "bytes", hidden=192, between=640, layers=2, heads=3, length=256, rows=8, steps=200,
        rate=0.02, megabytes=3,
    ),
    "drafter-bpe": TransformerRecipe(
        "bpe", ids=4096, hidden=128, between=448, layers=2, heads=2, length=128, rows=16,
        steps=400, rate=0.02, megabytes=6, negatives=1024,
    ),
    "drafter-shared": TransformerRecipe(
        "target", hidden=64, between=192, layers=2, heads=2, length=128, rows=32, steps=300,
        rate=0.02, megabytes=6, negatives=1024,
    ),
}  # fmt: skip


def folder_of(name: str) -> Path:
    """Where a drafter is kept, or would be: another recipe has another folder."""
    described = f"{RECIPES[name]!r} {TRAINING}"
    fingerprint = hashlib.sha256(described.encode()).hexdigest()[:12]
    return models_folder() / f"{name}-{fingerprint}"
