"""Uniform random numbers that have not been drawn: they are decided only where they are compared.

`torch.rand_like` is made to return an `UndrawnUniform`. The program may move its elements about,
and may compare them with numbers; every comparison that is not certain is a choice. An element
remembers the interval that its comparisons have left it in, so that a coin used twice is
conditioned on its first use. Any other use raises by name.

The numbers are real: ``u <= x`` has the probability ``x``, not a count on float32's grid, and the
difference between ``<`` and ``<=`` has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .choices import Choices


class Coin:
    """One undrawn uniform number, known to lie between ``low`` and ``high``."""

    def __init__(self) -> None:
        self.low = 0.0
        self.high = 1.0

    def below(self, threshold: float, choices: Choices) -> bool:
        """Whether the coin lies below ``threshold``: decided now, remembered from here on."""
        cut = min(max(threshold, self.low), self.high)
        probability = (cut - self.low) / (self.high - self.low)
        is_below = choices.choose("torch.rand_like", (), (probability, 1.0 - probability)) == 0
        if is_below:
            self.high = cut
        else:
            self.low = cut
        return is_below


#: Comparisons, by the names torch gives them; True where "the coin is below" makes them true.
_COMPARISONS = {
    **dict.fromkeys(("lt", "le", "less", "less_equal", "__lt__", "__le__"), True),
    **dict.fromkeys(("gt", "ge", "greater", "greater_equal", "__gt__", "__ge__"), False),
}
#: Functions that move elements and read none, so that they apply to the positions alone.
_MOVES = frozenset(
    [
        *("__getitem__", "clone", "contiguous", "detach", "expand", "flatten", "reshape"),
        *("select", "squeeze", "unsqueeze", "view"),
    ]
)
#: Reads of what a tensor is, not of what it holds.
_DESCRIPTIONS: frozenset[Callable[..., Any]] = frozenset(
    [
        *(
            getattr(torch.Tensor, name).__get__
            for name in ("shape", "dtype", "device", "ndim", "layout", "is_cuda", "requires_grad")
        ),
        *(
            getattr(torch.Tensor, name)
            for name in ("size", "dim", "numel", "__len__", "is_floating_point", "get_device")
        ),
    ]
)


class UndrawnUniform(torch.Tensor):
    """A tensor of coins, each of them known by identity.

    Moving elements about keeps their identity; comparing with a number or a plain tensor gives a
    plain bool tensor, decided element by element.

    Raises:
        UnmodelledRandomCall: on every other use.
    """

    _coins: Sequence[Coin]
    _positions: torch.Tensor
    _choices: Choices

    @staticmethod
    def of(
        coins: Sequence[Coin],
        positions: torch.Tensor,
        choices: Choices,
        dtype: torch.dtype,
        device: torch.device,
    ) -> UndrawnUniform:
        """The tensor, shaped like ``positions``, of the coins at these indices of ``coins``."""
        undrawn: UndrawnUniform = torch.Tensor._make_wrapper_subclass(  # pyright: ignore[reportAttributeAccessIssue]
            UndrawnUniform, positions.shape, dtype=dtype, device=device
        )
        undrawn._coins = coins
        undrawn._positions = positions
        undrawn._choices = choices
        return undrawn

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func in _DESCRIPTIONS:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        undrawn = [value for value in args if isinstance(value, UndrawnUniform)]
        if len(undrawn) == 1 and not kwargs:
            if func.__name__ in _COMPARISONS and len(args) == 2:
                return _compare(_COMPARISONS[func.__name__], args[0], args[1])
            # A view as another dtype reads the bits, so it is no move.
            as_dtype = any(isinstance(value, torch.dtype) for value in args)
            if func.__name__ in _MOVES and args[0] is undrawn[0] and not as_dtype:
                return undrawn[0]._moved(func(undrawn[0]._positions, *args[1:]))
        raise _some_choices(args, kwargs).refuse(f"{_name(func)} of torch.rand_like's result")

    @classmethod
    def __torch_dispatch__(
        cls,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        raise _some_choices(args, kwargs or {}).refuse(f"{func} of torch.rand_like's result")

    def _moved(self, positions: torch.Tensor) -> UndrawnUniform:
        return UndrawnUniform.of(self._coins, positions, self._choices, self.dtype, self.device)


def _compare(true_below: bool, left: Any, right: Any) -> torch.Tensor:
    """``left`` compared with ``right``, one of which is undrawn; a bool tensor, broadcast."""
    if isinstance(left, UndrawnUniform):
        undrawn, numbers = left, right
    else:
        undrawn, numbers, true_below = right, left, not true_below
    thresholds = torch.as_tensor(numbers, dtype=torch.float64).to("cpu")
    positions, thresholds = torch.broadcast_tensors(undrawn._positions, thresholds)
    answers = [
        # Nothing compares with NaN, whichever way the coin falls.
        not math.isnan(threshold)
        and undrawn._coins[position].below(threshold, undrawn._choices) == true_below
        for position, threshold in zip(
            positions.flatten().tolist(), thresholds.flatten().tolist(), strict=True
        )
    ]
    return torch.tensor(answers, device=undrawn.device).reshape(positions.shape)


def _some_choices(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Choices:
    """The choices of the first undrawn tensor found among arguments, nested ones included."""
    pending = [*args, *kwargs.values()]
    while pending:
        value = pending.pop(0)
        if isinstance(value, UndrawnUniform):
            return value._choices
        if isinstance(value, list | tuple):
            pending.extend(value)
    return Choices()


def _name(func: Callable[..., Any]) -> str:
    """The readable name of a function that torch passes to ``__torch_function__``."""
    return torch.overrides.resolve_name(func) or func.__name__
