"""Helpers of the library that the interception does not follow, replaced by ones that it does.

A watermark chooses its tokens by a permutation, or a hash, that its context determines: nothing is
drawn. The permutation, or the table of bits, comes from a generator with a seed of its own, so any
function of that seed serves; the hash is mapped over rows by ``torch.vmap``, which a loop does as
well. Both calls, with help and without, see the same replacement. Drafting layers are read from
their checkpoint once for each model, not in every call: reading fills weights from torch's
generator before it writes what the file holds, draws that decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import torch


@contextmanager
def followed() -> Iterator[None]:
    """Within: what seeded generators give, and ``torch.vmap``, as plain arithmetic."""
    permuted, whole, mapped = torch.randperm, torch.randint, torch.vmap

    def randint(low: int, high: int, size: Any, *, generator: Any = None, **options: Any) -> Any:
        if generator is None:
            return whole(low, high, size, **options)
        count = torch.Size(size).numel()
        return torch.tensor([low + at * (at + 3) // 2 % (high - low) for at in range(count)])

    def randperm(size: int, *arguments: Any, generator: Any = None, **options: Any) -> Any:
        if generator is None:
            return permuted(size, *arguments, **options)
        seed = generator.initial_seed() % size
        step = next(step for step in range(seed + 1, 2 * size + 2) if math.gcd(step, size) == 1)
        return (torch.arange(size) * step + seed) % size

    torch.randperm, torch.randint, torch.vmap = randperm, randint, _looped
    try:
        with _read_once():
            yield
    finally:
        torch.randperm, torch.randint, torch.vmap = permuted, whole, mapped


_READ: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


@contextmanager
def _read_once() -> Iterator[None]:
    try:
        from transformers.modeling_layers import MtpModel
    except ImportError:  # a release without drafting layers
        yield
        return
    read = MtpModel.__dict__["from_pretrained"]

    def from_pretrained(model_class: Any, main_model: Any, **options: Any) -> Any:
        if main_model not in _READ:
            _READ[main_model] = read.__get__(None, model_class)(main_model, **options)
        return _READ[main_model]

    MtpModel.from_pretrained = classmethod(from_pretrained)  # pyright: ignore
    try:
        yield
    finally:
        MtpModel.from_pretrained = read


def _looped(function: Callable[..., Any], in_dims: Any = 0, out_dims: int = 0) -> Any:
    """``torch.vmap``, one row after the other."""

    def mapped(*arguments: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(arguments)
        size = next(a.shape[d] for a, d in zip(arguments, dims, strict=True) if d is not None)
        rows = [
            function(
                *(
                    argument if dim is None else argument.select(dim, at)
                    for argument, dim in zip(arguments, dims, strict=True)
                )
            )
            for at in range(size)
        ]
        return torch.stack(rows, dim=out_dims)

    return mapped
