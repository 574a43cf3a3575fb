"""The random calls of torch code, answered by `Choices` instead of a generator.

Two calls are modelled, the ones that `transformers` makes when it samples: `torch.multinomial` (one
draw a row, each row a choice) and `torch.rand_like` (see `undrawn`). Every other random operator
raises `UnmodelledRandomCall` by name, where `RefusedOperators` is in force; and
`GlobalGenerators` shows, whatever was called, whether a global generator was advanced. A private
generator used on a path without `RefusedOperators` is the one thing that neither sees.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .choices import Choices
from .undrawn import Coin, UndrawnUniform


@contextmanager
def intercepted(choices: Choices) -> Iterator[None]:
    """Let ``choices`` answer `torch.multinomial` and `torch.rand_like`; restored at the end."""
    saved = torch.multinomial, torch.rand_like
    torch.multinomial = _multinomial(choices)
    torch.rand_like = _rand_like(choices)
    try:
        yield
    finally:
        torch.multinomial, torch.rand_like = saved


def _multinomial(choices: Choices) -> Callable[..., torch.Tensor]:
    def multinomial(
        input: torch.Tensor, num_samples: int, replacement: bool = False, **options: Any
    ) -> torch.Tensor:
        """One index drawn from each row of ``input``, [V] or [rows, V]; [1] or [rows, 1]."""
        if isinstance(input, UndrawnUniform) or num_samples != 1:
            raise choices.refuse(f"torch.multinomial with num_samples={num_samples}")
        _refuse_options(choices, "torch.multinomial", options)
        rows = input.detach().reshape(-1, input.shape[-1]).to("cpu", torch.float64).tolist()
        drawn = [choices.choose("torch.multinomial", input.shape, _normalised(r)) for r in rows]
        return torch.tensor(drawn, device=input.device).reshape(*input.shape[:-1], 1)

    return multinomial


def _rand_like(choices: Choices) -> Callable[..., torch.Tensor]:
    def rand_like(
        input: torch.Tensor,
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
        **options: Any,
    ) -> torch.Tensor:
        """Uniform numbers in [0, 1), shaped like ``input``, none of them drawn yet."""
        _refuse_options(choices, "torch.rand_like", options)
        coins = [Coin() for _ in range(input.numel())]
        positions = torch.arange(len(coins)).reshape(tuple(input.shape))
        where = input.device if device is None else torch.device(device)
        return UndrawnUniform.of(coins, positions, choices, dtype or input.dtype, where)

    return rand_like


def _refuse_options(choices: Choices, call: str, options: dict[str, Any]) -> None:
    """Refuse arguments that could change the law or where it goes (``generator``, ``out``)."""
    given = sorted(name for name, value in options.items() if value not in (None, False))
    if given:
        raise choices.refuse(f"{call} with {', '.join(given)}")


def _normalised(weights: list[float]) -> list[float]:
    """Probabilities in float64 from the weights of a row.

    Raises:
        RuntimeError: for a row that `torch.multinomial` refuses too: a weight that is negative,
            infinite or not a number, or a sum of zero.
    """
    total = sum(weights)
    if not all(0.0 <= weight < float("inf") for weight in weights) or not total > 0.0:
        raise RuntimeError(f"torch.multinomial cannot draw from a row of weights {weights}")
    return [weight / total for weight in weights]


class RefusedOperators(TorchDispatchMode):
    """While active, every operator that torch tags as drawing from a generator raises by name.

    It sees inside C++ and whatever was bound before `intercepted`. It doubles the cost of a path.
    """

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self._choices = choices

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if torch.Tag.nondeterministic_seeded in getattr(func, "tags", ()):
            raise self._choices.refuse(f"the torch operator {func}")
        return func(*args, **(kwargs or {}))


class GlobalGenerators:
    """The states of the global generators of torch (CPU), NumPy and Python, at one moment."""

    def __init__(self) -> None:
        self._torch = torch.get_rng_state()
        self._numpy = np.random.get_state(legacy=True)
        self._python = random.getstate()

    def advanced(self) -> list[str]:
        """The names of the generators whose state has changed since."""
        now = GlobalGenerators()
        same = {
            "torch's global generator": torch.equal(self._torch, now._torch),
            "NumPy's global generator": all(
                np.array_equal(old, new) for old, new in zip(self._numpy, now._numpy, strict=True)
            ),
            "Python's global generator": self._python == now._python,
        }
        return [name for name, unchanged in same.items() if not unchanged]
