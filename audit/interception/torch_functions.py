"""Uses of undrawn tensors that are modelled, by the names that torch gives its functions.

Most of them are computed twice: by torch on the tensors' memory, which holds nonsense but gives the
right shape, dtype, device and errors, and by `cells` on the cells, which the result is then given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from . import arithmetic
from . import cells as cellwise
from .elements import Element
from .lazy import Lazy, decided
from .scalars import Scalar
from .torch_names import CASTS, DESCRIPTIONS, ELEMENTWISE, LOGICAL, MOVES, bare_name
from .torch_reductions import TorchReductions
from .undrawn_torch import Register, converted, out_of


class TorchFunctions:
    """What functions give on tensors of a register."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self.modelled: dict[str, Callable[..., Any]] = {
            "item": self._item,
            "tolist": self._tolist,
            "__bool__": lambda t: bool(self._plain_number(t, "bool()")),
            "is_nonzero": lambda t: bool(self._plain_number(t, "bool()")),
            "__int__": lambda t: int(self._number(t)),
            "__index__": lambda t: self._plain_number(t, "an index").__index__(),
            "__float__": lambda t: float(self._number(t)),
            "numpy": self._numpy,
            "__array__": self._array,
            "to": self._to,
            "type": self._to,
            "type_as": lambda t, other: self._to(t, other.dtype),
            "cpu": lambda t, *_, **__: self._to(t, "cpu"),
            "where": self._where,
            "masked_fill": lambda t, mask, value: self._where(mask, value, t),
            "clamp": self._clamp,
            "clip": self._clamp,
            "clamp_min": lambda t, low: self._clamp(t, low, None),
            "clamp_max": lambda t, high: self._clamp(t, None, high),
            "nan_to_num": self._nan_to_num,
            "__setitem__": self._setitem,
            "copy_": lambda t, source, *_: self._assign(t, source),
            "fill_": self._assign,
            "zero_": lambda t: self._assign(t, 0),
            "masked_fill_": lambda t, mask, value: self._assign(t, self._where(mask, value, t)),
            "tensor": self._tensor,
            "as_tensor": self._tensor,
            **TorchReductions(register, self._elementwise).modelled,
        }

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What ``func`` gives; refused by name if it is not modelled."""
        name: str = getattr(func, "__name__", "")
        if name in DESCRIPTIONS:
            return func(*args, **kwargs)
        if name in MOVES:
            return self._moved(func, args, kwargs)
        modelled = self.modelled.get(name)
        if modelled is not None:
            try:
                return modelled(*args, **kwargs)
            except NotImplementedError:
                return self._settled(func, args, kwargs)
        if name in CASTS:
            return self._to(args[0], CASTS[name])
        found = self._elementwise(name, func, args, kwargs)
        return self._settled(func, args, kwargs) if found is None else found

    # ---- anything else ------------------------------------------------------------------------

    def _settled(self, func: Any, args: Any, kwargs: Any) -> Any:
        """``func`` on decided numbers."""
        name: str = getattr(func, "__name__", "")
        use = torch.overrides.resolve_name(func) or f"torch's {name}"
        for value in leaves((args, kwargs)):
            if isinstance(value, Scalar):
                raise value.element.refuse(use)
            if isinstance(value, torch.Tensor):
                writes = name.endswith("_") or "out" in kwargs
                self._register.settle(value, use, whole=writes)
        return func(*args, **kwargs)

    def _moved(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func is torch.Tensor.__getitem__ and not self._register.knows(args[0]):
            self._index(args[1:], "an index")
            return func(*args)
        use = f"torch's {func.__name__}"
        if func.__name__ in ("__deepcopy__", "__copy__"):
            return self._moved(torch.clone, args[:1], {})
        first, rest = (args[0], args[1:]) if args else (None, ())
        rest = [self._index(value, use) for value in rest]
        kwargs = {
            key: value if key in ("tensors", "input") else self._index(value, use)
            for key, value in kwargs.items()
        }
        if first is None:
            first = kwargs.pop("tensors", kwargs.pop("input", None))
        if any(isinstance(value, torch.dtype) for value in rest):
            raise self._register.session.refuse(f"{use} as another dtype of an undrawn tensor")
        shadow = func(first, *rest, **kwargs)
        if not any(self._register.knows(t) for t in leaves(first) if isinstance(t, torch.Tensor)):
            return shadow  # only where to was undrawn
        results = [t for t in leaves(shadow) if isinstance(t, torch.Tensor)]
        sources = [t for t in leaves(first) if isinstance(t, torch.Tensor)]
        memory = {t.untyped_storage()._cdata for t in sources}
        if all(t.untyped_storage()._cdata in memory for t in results):
            return shadow  # views: the same memory, so the same cells
        places: dict[int, torch.Tensor] = {}
        flat: list[Any] = []
        for source in sources:
            places[id(source)], cells = self._register.positions(source, len(flat))
            flat.extend(cells)
        moved = func(_replaced(first, places), *rest, **kwargs)
        at = [t for t in leaves(moved) if isinstance(t, torch.Tensor)]
        for tensor, where in zip(results, at, strict=True):
            chosen = [flat[k] for k in where.reshape(-1).tolist()]
            self._register.attach(tensor, cellwise.of(chosen, tuple(tensor.shape)))
        return shadow

    def _index(self, value: Any, use: str) -> Any:
        """An argument that says where to: decided."""
        for part in leaves(value):
            if isinstance(part, torch.Tensor):
                self._register.settle(part, use)
        return value

    def _elementwise(
        self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        bare, in_place, turned = bare_name(name)
        known = ELEMENTWISE.get(bare) or LOGICAL.get(bare)
        tensors = [t for t in args if isinstance(t, torch.Tensor)]
        if known is None or len(args) > 2 or not tensors:
            return None
        out, alpha = kwargs.pop("out", None), kwargs.pop("alpha", 1)
        rounding = kwargs.pop("rounding_mode", None)
        if bare in LOGICAL and any(t.dtype != torch.bool for t in tensors):
            return None
        if rounding is not None or kwargs:
            raise self._register.session.refuse(f"torch's {name} of undrawn numbers with options")
        operands = [self._register.cells(value) for value in args]
        if alpha != 1:
            operands[1] = cellwise._map(lambda x: arithmetic.multiply(x, alpha), operands[1])
        if turned:
            operands.reverse()
        cells = cellwise.elementwise(known, *operands)
        if cells is None:
            return None
        if in_place:
            return self._register.assign(tensors[0], cells)
        shadow = func(*(math.nan if isinstance(value, Scalar) else value for value in args))
        if out is not None:
            return self._register.assign(out.resize_(shadow.shape), cells)
        return self._register.attach(shadow, cells, is_nonsense=known not in arithmetic.BINARY)

    # ---- reads --------------------------------------------------------------------------------

    def _number(self, tensor: torch.Tensor) -> Any:
        if tensor.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {tensor.numel()} elements cannot be converted to Scalar"
            )
        cells = self._register.cells(tensor)
        value = out_of(cells.reshape(-1)[0], tensor.dtype)
        return Scalar(value) if isinstance(value, Element) else value

    def _plain_number(self, tensor: torch.Tensor, use: str) -> Any:
        value = self._number(tensor)
        if isinstance(value, Scalar):
            if use == "bool()":
                return True
            raise value.element.refuse(use)
        return value

    def _item(self, tensor: torch.Tensor) -> Any:
        return self._number(tensor)

    def _tolist(self, tensor: torch.Tensor) -> Any:
        cells = self._register.cells(tensor)
        values = [out_of(cell, tensor.dtype) for cell in cells.flat]
        values = [Scalar(v) if isinstance(v, Element) else v for v in values]
        return cellwise.of(values, cells.shape).tolist()

    def _numpy(self, tensor: torch.Tensor, **_: Any) -> Any:
        from .undrawn_numpy import finish

        dtype = torch.empty(0, dtype=tensor.dtype).numpy().dtype
        return finish(self._register.cells(tensor), dtype)

    def _array(self, tensor: torch.Tensor, dtype: Any = None) -> Any:
        return self._settled(torch.Tensor.__array__, (tensor, dtype), {})

    def _tensor(self, data: Any, **options: Any) -> torch.Tensor:
        if isinstance(data, torch.Tensor):
            return self._to(data, *[v for k, v in options.items() if k in ("dtype", "device")])
        numbers = _map_nested(data, lambda v: math.nan if isinstance(v, Scalar) else v)
        shadow = torch.tensor(numbers, **options)
        values = [v.element if isinstance(v, Scalar) else v for v in leaves(data)]
        return self._register.attach(shadow, cellwise.of(values, tuple(shadow.shape)))

    # ---- dtypes -------------------------------------------------------------------------------

    def _to(self, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        shadow = tensor.to(*args, **kwargs) if args or kwargs else tensor
        if not isinstance(shadow, torch.Tensor) or shadow is tensor:
            return shadow
        return self._register.attach(shadow, converted(self._register.cells(tensor), shadow.dtype))

    # ---- choices between numbers --------------------------------------------------------------

    def _where(self, condition: torch.Tensor, *both: Any) -> Any:
        if len(both) != 2:
            raise NotImplementedError
        operands = [self._register.cells(value) for value in (condition, *both)]
        plain = [math.nan if isinstance(value, Scalar) else value for value in both]
        shadow = torch.where(torch.zeros_like(condition, dtype=torch.bool), *plain)
        cells = cellwise._map(_chosen, *operands)
        return self._register.attach(shadow, cells)

    def _clamp(self, tensor: torch.Tensor, low: Any = None, high: Any = None, **named: Any) -> Any:
        low, high = named.pop("min", low), named.pop("max", high)
        cells = cellwise.clip(
            self._register.cells(tensor),
            self._register.cells(-math.inf if low is None else low),
            self._register.cells(math.inf if high is None else high),
        )
        return self._register.attach(torch.clamp(tensor, low, high), cells)

    def _nan_to_num(self, tensor: torch.Tensor, *_: Any, **__: Any) -> Any:
        cells = self._register.cells(tensor)
        if not all(isinstance(cell, Element) for cell in cells.flat):
            raise NotImplementedError
        return self._register.attach(torch.empty_like(tensor), cells.copy())

    # ---- writes -------------------------------------------------------------------------------

    def _setitem(self, tensor: torch.Tensor, key: Any, value: Any) -> None:
        key = self._index(key, "an index")
        cells = self._register.cells(value).copy()
        for part in key if isinstance(key, tuple) else (key,):
            if isinstance(part, (list, torch.Tensor)):
                break
        else:
            self._register.assign(tensor[key], cells)
            return
        places = torch.arange(tensor.numel()).reshape(tensor.shape)[key]
        whole = self._register.cells(tensor).copy().reshape(-1)
        cells = np.broadcast_to(cells, tuple(places.shape))
        for place, cell in zip(places.reshape(-1).tolist(), cells.flat, strict=True):
            whole[place] = cell
        self._register.assign(tensor, whole.reshape(tuple(tensor.shape)))

    def _assign(self, tensor: torch.Tensor, value: Any) -> torch.Tensor:
        cells = converted(self._register.cells(value), tensor.dtype)
        return self._register.assign(tensor, cells)


def _chosen(condition: Any, x: Any, y: Any) -> Any:
    if not isinstance(condition, Lazy):
        return x if condition else y
    if isinstance(x, Element) or isinstance(y, Element):
        return x if condition.decide() else y
    return Lazy(lambda: decided(x) if condition.decide() else decided(y))


def leaves(value: Any) -> list[Any]:
    """The leaves of nested arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def _replaced(value: Any, places: dict[int, torch.Tensor]) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(part, places) for part in value)
    return places.get(id(value), value)


def _map_nested(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_map_nested(part, function) for part in value]
    return function(value)
