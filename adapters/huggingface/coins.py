"""Chance for tensor laws: coins as Python floats, from an explicit generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...reference.chance import CoinTape, CoinTapeError

#: Coins drawn from the generator at a time.
_BLOCK = 64
#: Draws that are thrown away in a row before one is taken as it is.
PATIENCE = 100_000


class TensorSampler(CoinTape):
    """Chance that samples from a torch generator: a tape of its coins, multiples of 2**-53.

    The generator is on the CPU wherever the models are, so that a seed gives the same coins on
    every device, and drawing one waits for no accelerator.
    """

    patience: int = PATIENCE

    def __init__(self, generator: int | torch.Generator) -> None:
        if isinstance(generator, int):
            seed, generator = generator, torch.Generator()
            generator.manual_seed(seed)
        super().__init__(_coins(generator))

    def draw_kept(self, law: Any, keep: Callable[[Any], Any], what: str = "") -> Any:
        """Draw and test until a draw is kept; after `PATIENCE` tests one more draw stands.

        With rounded numbers a residual can be asked for of which next to nothing, or nothing, is
        left; a rejection there has a probability of rounding's size. Of a residual with mass r the
        last draw is reached with probability r (1 - r) ** PATIENCE at the most, below 4e-6 for
        every r.
        """
        try:
            return super().draw_kept(law, keep, what)
        except CoinTapeError:
            return self.draw(law, what)

    def below(self, coin: float, probability: Any) -> bool:
        """Whether ``coin`` lies below ``probability``, compared in float64.

        Beside a float32 tensor a coin would be rounded to float32: the largest ones to 1, which is
        below no probability, so that what is certain would fail once in 2**25 times.
        """
        if isinstance(probability, torch.Tensor):
            probability = float(probability)
        return bool(coin < probability)  # which may be between bounds (`psi_bounds.Deferred`)


def _coins(generator: torch.Generator) -> Iterator[float]:
    while True:
        yield from torch.rand(_BLOCK, generator=generator, dtype=torch.float64).tolist()
