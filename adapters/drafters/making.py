"""Making the drafters: each is skipped where it is there already."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..huggingface.gguf_files import new_folder
from ..huggingface.quiet import silence
from .corpus import documents
from .counts import count
from .ngram import NgramModel
from .recipes import RECIPES, NgramRecipe, TransformerRecipe, folder_of
from .vocabulary import bpe_tokenizer, byte_tokenizer

#: Takes one line of progress.
Progress = Callable[[str], None]
#: Lines of progress in a training.
_LINES = 4


def make(name: str, progress: Progress, target: Path | None = None) -> Path:
    """The folder of a drafter, trained unless it is there.

    Args:
        target: the folder of the target, for a drafter over the target's vocabulary.
    """
    folder = folder_of(name)
    if folder.is_dir():
        progress(f"{name}: there already")
        return folder
    started = time.perf_counter()
    recipe = RECIPES[name]
    texts = [each.text for each in documents(recipe.megabytes)]
    with new_folder(folder) as scratch:
        if isinstance(recipe, NgramRecipe):
            counted = make_ngram(recipe, texts)
            counted.save(scratch)
            byte_tokenizer().save_pretrained(scratch)
            said = f"{counted.parameters:,} counts"
        else:
            tokenizer = tokenizer_of(recipe, texts, target)
            model, losses = make_transformer(
                recipe, tokenizer, texts, lambda line: progress(f"{name}: {line}")
            )
            with silence():
                model.save_pretrained(scratch)
                tokenizer.save_pretrained(scratch)
            said = f"{model.num_parameters():,} parameters, loss {losses[0]:.2f} to "
            said += f"{np.mean(losses[-10:]):.2f} nats a token"
    progress(f"{name}: made, {said}, {time.perf_counter() - started:.0f} s")
    return folder


def make_ngram(recipe: NgramRecipe, texts: Sequence[str]) -> NgramModel:
    """The n-gram drafter of a recipe on these texts."""
    encoded = (text.encode("utf-8", "replace") for text in texts)
    return NgramModel(count(encoded, recipe.longest, dict(recipe.seldom)))


def tokenizer_of(recipe: TransformerRecipe, texts: Sequence[str], target: Path | None) -> Any:
    """The tokenizer of a recipe: bytes, a BPE learnt from the texts, or the target's."""
    if recipe.vocabulary == "bytes":
        return byte_tokenizer()
    if recipe.vocabulary == "bpe":
        return bpe_tokenizer(texts, recipe.ids)
    if target is None:
        raise ValueError("a drafter over the target's vocabulary needs the target's folder")
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(target)


def make_transformer(
    recipe: TransformerRecipe, tokenizer: Any, texts: Sequence[str], progress: Progress
) -> tuple[Any, list[float]]:
    """The trained model of a recipe, and its loss at each step."""
    from .training import new_model, train

    end = tokenizer.eos_token_id
    # A beginning that the tokenizer itself does not put in front of a text is none.
    own = tokenizer("").input_ids
    begin = own[0] if own else None
    stream = encoded(tokenizer, texts, end)
    model = new_model(recipe, len(tokenizer), begin, end)

    def told(step: int, loss: float) -> None:
        if step and step % max(1, recipe.steps // _LINES) == 0:
            progress(f"step {step} of {recipe.steps}, loss {loss:.2f}")

    return model, train(model, stream, recipe, begin, told)


def encoded(tokenizer: Any, texts: Sequence[str], end: int) -> NDArray[np.int32]:
    """The ids of all texts one after the other, each followed by ``end``."""
    parts: list[NDArray[np.int32]] = []
    found = tokenizer.backend_tokenizer.encode_batch(list(texts), add_special_tokens=False)
    for each in found:
        parts += [np.array(each.ids, np.int32), np.array([end], np.int32)]
    return np.concatenate(parts)
