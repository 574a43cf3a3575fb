"""Chance for tensor laws: coins as Python floats, from an explicit generator."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ...reference.chance import CoinTape

#: Coins drawn from the generator at a time.
_BLOCK = 64


class TensorSampler(CoinTape):
    """Chance that samples from a torch generator: a tape of its coins, multiples of 2**-53.

    The generator is on the CPU wherever the models are, so that a seed gives the same coins on
    every device, and drawing one waits for no accelerator.
    """

    def __init__(self, generator: int | torch.Generator) -> None:
        if isinstance(generator, int):
            seed, generator = generator, torch.Generator()
            generator.manual_seed(seed)
        super().__init__(_coins(generator))


def _coins(generator: torch.Generator) -> Iterator[float]:
    while True:
        yield from torch.rand(_BLOCK, generator=generator, dtype=torch.float64).tolist()
