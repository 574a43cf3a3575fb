"""Training small Llamas on the CPU: minutes, and the same weights from the same seed and text.

The matrices between layers are trained by momentum made orthogonal (Muon, Jordan and others
2024), which learns from fewer tokens than Adam does at this size; embeddings and norms by Adam.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from .recipes import TransformerRecipe

#: Threads of a training; the sums of floats, and with them the weights, depend on it.
THREADS = 1
_WARM_UP = 0.05
_MOMENTUM = 0.95
#: Coefficients of the Newton-Schulz iteration of the authors of Muon.
_NEWTON = (3.4445, -4.7750, 2.0315)


def new_model(recipe: TransformerRecipe, size: int, begin: int | None, end: int) -> Any:
    """An untrained Llama of a recipe over ``size`` ids."""
    configuration = transformers.LlamaConfig(
        vocab_size=size,
        hidden_size=recipe.hidden,
        intermediate_size=recipe.between,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        max_position_embeddings=recipe.window,
        tie_word_embeddings=True,
        bos_token_id=begin,
        eos_token_id=end,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return transformers.LlamaForCausalLM(configuration)


def train(
    model: Any,
    stream: NDArray[np.integer[Any]],
    recipe: TransformerRecipe,
    begin: int | None,
    progress: Callable[[int, float], None] = lambda step, loss: None,
) -> list[float]:
    """Train on windows cut from a stream of ids; the loss of each step, in nats a token.

    Args:
        stream: [n] ids of documents one after the other, each followed by the end of sequence.
        begin: put in front of every window, where the vocabulary has a beginning.
        progress: told the step and its loss.
    """
    draws = np.random.default_rng(recipe.seed)
    generator = torch.Generator()
    generator.manual_seed(recipe.seed)
    matrices, others = _parts(model)
    adam = torch.optim.AdamW(others, lr=1.0, betas=(0.9, 0.95), weight_decay=0.0)
    momenta = [torch.zeros_like(each) for each in matrices]
    losses: list[float] = []
    model.train()
    with _threads(THREADS):
        for step in range(recipe.steps):
            rate = recipe.rate * _schedule(step, recipe.steps)
            loss = _loss(model, _windows(stream, recipe, begin, draws), recipe, generator)
            loss.backward()
            for group in adam.param_groups:
                group["lr"] = rate * 0.3
            adam.step()
            _orthogonal_step(matrices, momenta, rate)
            model.zero_grad(set_to_none=True)
            losses.append(float(loss.detach()))
            progress(step, losses[-1])
    model.eval()
    return losses


def _parts(model: Any) -> tuple[list[Any], list[Any]]:
    matrices, others = [], []
    for name, each in model.named_parameters():
        (matrices if each.dim() == 2 and "embed" not in name else others).append(each)
    return matrices, others


def _schedule(step: int, steps: int) -> float:
    """Up in a straight line, then down in one."""
    warm = max(1, round(_WARM_UP * steps))
    return min((step + 1) / warm, (steps - step) / (steps - warm + 1))


def _windows(
    stream: NDArray[Any], recipe: TransformerRecipe, begin: int | None, draws: np.random.Generator
) -> torch.Tensor:
    """[rows, length + 1] ids, cut anywhere."""
    length = recipe.length + 1 - (begin is not None)
    first = draws.integers(0, len(stream) - length, recipe.rows)
    cut = torch.from_numpy(stream[first[:, None] + np.arange(length)].astype(np.int64))
    if begin is None:
        return cut
    return torch.cat([cut.new_full((recipe.rows, 1), begin), cut], 1)


def _loss(
    model: Any, ids: torch.Tensor, recipe: TransformerRecipe, generator: torch.Generator
) -> torch.Tensor:
    asked, due = ids[:, :-1], ids[:, 1:].flatten()
    if not recipe.negatives:
        return cross_entropy(model(asked, use_cache=False).logits.flatten(0, 1), due)
    # The ids that are due somewhere in this step count as they are, a random part of the others
    # stands for all of them: the softmax over a large vocabulary would cost more than the model.
    hidden = model.model(asked, use_cache=False).last_hidden_state.flatten(0, 1)
    table = model.get_output_embeddings().weight
    present, place = due.unique(return_inverse=True)
    absent = torch.ones(len(table), dtype=torch.bool)
    absent[present] = False
    left = absent.nonzero()[:, 0]
    drawn = left[torch.randperm(len(left), generator=generator)[: recipe.negatives]]
    logits = hidden @ table[torch.cat([present, drawn])].T
    weight = torch.zeros(logits.shape[1])
    weight[len(present) :] = math.log(len(left) / max(1, len(drawn)))
    return cross_entropy(logits + weight, place)


def _orthogonal_step(matrices: list[Any], momenta: list[torch.Tensor], rate: float) -> None:
    first, second, third = _NEWTON
    with torch.no_grad():
        for each, momentum in zip(matrices, momenta, strict=True):
            momentum.mul_(_MOMENTUM).add_(each.grad)
            step = each.grad + _MOMENTUM * momentum
            tall = step.shape[0] > step.shape[1]
            if tall:
                step = step.T
            step = step / (step.norm() + 1e-7)
            for _ in range(5):
                gram = step @ step.T
                step = first * step + (second * gram + third * gram @ gram) @ step
            if tall:
                step = step.T
            each.add_(step, alpha=-rate * math.sqrt(max(1, each.shape[0] / each.shape[1])))


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
