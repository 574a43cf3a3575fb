"""Reductions, races and searches over undrawn tensors; see `torch_functions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from . import cells as cellwise
from .lazy import decided
from .undrawn_torch import Register


class TorchReductions:
    """What reductions give on tensors of a register."""

    def __init__(self, register: Register, elementwise: Callable[..., Any]) -> None:
        self._register = register
        self._elementwise = elementwise
        self.modelled: dict[str, Callable[..., Any]] = {
            "argmax": self._reduction("argmax"),
            "argmin": self._reduction("argmin"),
            "all": self._reduction("all"),
            "any": self._reduction("any"),
            "sum": self._reduction("sum"),
            "amax": self._reduction("max"),
            "amin": self._reduction("min"),
            "max": self._extreme("max"),
            "min": self._extreme("min"),
            "topk": self._topk,
            "sort": self._sort,
            "argsort": lambda *args, **kwargs: self._sort(*args, **kwargs)[1],
            "cumsum": self._running("cumsum"),
            "cumprod": self._running("cumprod"),
            "searchsorted": self._searchsorted,
            "bucketize": lambda t, bounds, **options: self._searchsorted(bounds, t, **options),
        }

    def _reduction(self, name: str) -> Callable[..., Any]:
        def function(input: Any, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
            dim = options.pop("axis", dim)
            if options or not (dim is None or isinstance(dim, int) or len(dim) == 1):
                raise NotImplementedError
            dim = dim if dim is None or isinstance(dim, int) else dim[0]
            cells = cellwise.reduce(name, self._register.cells(input), dim)
            real = getattr(torch, {"max": "amax", "min": "amin"}.get(name, name))
            shadow = real(input) if dim is None else real(input, dim=dim, keepdim=keepdim)
            return self._register.attach(shadow, cells)

        return function

    def _extreme(self, name: str) -> Callable[..., Any]:
        def function(input: Any, *args: Any, **options: Any) -> Any:
            other = options.get("other", args[0] if args else None)
            if isinstance(other, torch.Tensor):
                func = getattr(torch, f"{name}imum")
                return self._elementwise(func.__name__, func, (input, other), {})
            dim = options.get("dim", other)
            keep = options.get("keepdim", args[1] if len(args) > 1 else False)
            if dim is None:
                return self._reduction(name)(input)
            return self._best(input, getattr(torch, name)(input, dim, keep), 1, dim, name == "max")

        return function

    def _best(self, input: Any, shadow: Any, count: int, dim: int, largest: bool) -> Any:
        """The best numbers along an axis and their indices, into what torch made for them."""
        moved = self._register.cells(input)
        all_lines, rest = cellwise.lines(moved, dim)
        orders = [cellwise.order(line, count, largest) for line in all_lines]
        for tensor, values in (
            (
                shadow[0],
                [[decided(li[k]) for k in o] for li, o in zip(all_lines, orders, strict=True)],
            ),
            (shadow[1], orders),
        ):
            cells = cellwise.of([v for line in values for v in line], (*rest, count))
            if tensor.dim() == moved.ndim:
                cells = np.moveaxis(cells, -1, dim)
            self._register.attach(tensor, cells)
        return shadow

    def _topk(
        self, input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, **_: Any
    ) -> Any:
        return self._best(input, torch.topk(input, k, dim), k, dim, largest)

    def _sort(self, input: Any, dim: int = -1, descending: bool = False, **options: Any) -> Any:
        if cellwise.undecidable(self._register.cells(input)) is None or options.get("stable"):
            raise NotImplementedError
        return self._best(input, torch.sort(input, dim), input.shape[dim], dim, descending)

    def _running(self, name: str) -> Callable[..., Any]:
        def function(input: Any, dim: int, **options: Any) -> Any:
            if options:
                raise NotImplementedError
            cells = cellwise.accumulate(name, self._register.cells(input), dim)
            if cells is None:
                raise NotImplementedError
            return self._register.attach(getattr(torch, name)(input, dim), cells)

        return function

    def _searchsorted(
        self,
        bounds: Any,
        values: Any,
        *,
        right: bool = False,
        side: str | None = None,
        sorter: Any = None,
        out_int32: bool = False,
        out: Any = None,
    ) -> Any:
        if sorter is not None or out is not None:
            raise NotImplementedError
        right = side == "right" if side is not None else right
        if self._register.knows(bounds):
            self._register.settle(bounds, "torch.searchsorted in it")
        cells = self._register.cells(values)
        rows = self._register.numbers(bounds).reshape(-1, bounds.shape[-1]).tolist()
        flat = list(cells.flat)
        each = len(flat) // len(rows)
        found = [cellwise.searchsorted(rows[k // each], cell, right) for k, cell in enumerate(flat)]
        dtype = torch.int32 if out_int32 else torch.int64
        return torch.tensor(found, dtype=dtype, device=bounds.device).reshape(cells.shape)
