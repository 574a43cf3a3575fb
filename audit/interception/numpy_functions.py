"""NumPy's functions and methods on arrays of undrawn numbers; see `undrawn_numpy`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import cells as cellwise
from . import numpy_ufuncs  # noqa: F401 - gives arrays their operators
from .elements import Element
from .lazy import decided
from .scalars import Scalar
from .session import active
from .undrawn_numpy import MOVES, UndrawnArray, as_cells, dtype_of, finish, holds_undrawn


def apply_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What one of NumPy's functions gives on undrawn numbers."""
    name = func.__name__
    if name in MOVES:
        return _moved(func, args, kwargs)
    modelled = FUNCTIONS.get(name)
    if modelled is not None:
        result = modelled(*args, **kwargs)
        if result is not NotImplemented:
            return result
    plain = _numbers((args, kwargs), f"numpy.{name}")
    return func(*plain[0], **plain[1])


def method(array: UndrawnArray, name: str) -> Callable[..., Any]:
    """A method of arrays, by the function of the same name."""
    func = getattr(np, {"cumsum": "cumsum"}.get(name, name), None)
    if name.startswith("_") or not callable(func) or not hasattr(np.ndarray, name):
        if hasattr(np.ndarray, name) and not name.startswith("_"):
            if name == "flatten":
                return lambda *_: UndrawnArray(array.cells.ravel().copy(), array.dtype)
            raise active().refuse(f"ndarray.{name} of undrawn numbers")
        raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
    if name in ("reshape", "transpose"):
        moved = getattr(array.cells, name)
        return lambda *args, **kwargs: UndrawnArray(moved(*args, **kwargs), array.dtype)
    return lambda *args, **kwargs: apply_function(func, (array, *args), kwargs)


def _undrawn(value: Any) -> list[UndrawnArray]:
    """The undrawn arrays among arguments, nested ones included."""
    if isinstance(value, UndrawnArray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [found for part in value for found in _undrawn(part)]
    return []


def _numbers(value: Any, use: str) -> Any:
    """Arguments with plain arrays in the place of undrawn ones."""
    if isinstance(value, UndrawnArray):
        return value.numbers(use)
    if isinstance(value, Scalar):
        raise value.element.refuse(use)
    if isinstance(value, dict):
        return {key: _numbers(part, use) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_numbers(part, use) for part in value)
    return value


def _to_cells(value: Any) -> Any:
    if isinstance(value, UndrawnArray):
        return value.cells
    if isinstance(value, Scalar):
        return cellwise.of([value.element], ())
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return cellwise.from_numbers(value)
    if isinstance(value, (list, tuple)) and holds_undrawn(value):
        return type(value)(_to_cells(part) for part in value)
    return value


def _moved(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function that moves cells, applied to the cells by NumPy."""
    dtype = dtype_of(*_undrawn((args, kwargs)))
    first = _to_cells(args[0]) if args else None
    rest = [
        _to_cells(a) if func.__name__ in ("append", "insert") else _numbers(a, "an index")
        for a in args[1:]
    ]
    kwargs = {k: _to_cells(v) if k in ("a", "arrays") else v for k, v in kwargs.items()}
    result = func(*([first] if args else []), *rest, **kwargs)
    if isinstance(result, (list, tuple)):
        return type(result)(UndrawnArray(part, dtype) for part in result)
    return finish(np.asarray(result, dtype=object), dtype)


def _reduction(name: str) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, **kwargs: Any) -> Any:
        keep = kwargs.pop("keepdims", False)
        if any(value not in (None, np._NoValue) for value in kwargs.values()):
            return NotImplemented
        if isinstance(axis, tuple):
            return NotImplemented
        cells = as_cells(a)
        result: Any = cellwise.reduce(name, cells, axis)
        if keep is True:
            kept = (1,) * cells.ndim
            result = result.reshape(kept) if axis is None else np.expand_dims(result, axis)
        if name in ("all", "any"):
            return finish(result, bool)
        dtype = dtype_of(a)
        if name in ("argmax", "argmin") or (name == "sum" and dtype.kind == "b"):
            dtype = np.dtype(np.intp)
        return finish(result, dtype)

    return function


def _running(name: str) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        cells = as_cells(a)
        if axis is None:
            cells, axis = cells.ravel(), 0
        result = cellwise.accumulate(name, cells, axis) if out is None else None
        if result is None:
            return NotImplemented
        found = dtype_of(a)
        return finish(result, dtype or (np.intp if found.kind == "b" else found))

    return function


def _where(condition: Any, *both: Any) -> Any:
    if len(both) != 2:
        return NotImplemented
    cells = cellwise.where(as_cells(condition), as_cells(both[0]), as_cells(both[1]))
    return finish(cells, dtype_of(*both))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, **kwargs: Any) -> Any:
    low = kwargs.pop("min", a_min)
    high = kwargs.pop("max", a_max)
    if kwargs:
        return NotImplemented
    low = -np.inf if low is None else low
    high = np.inf if high is None else high
    return finish(cellwise.clip(as_cells(a), as_cells(low), as_cells(high)), dtype_of(a))


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    if sorter is not None or isinstance(a, UndrawnArray):
        return NotImplemented
    active().saw(np.asarray(a).dtype.name)
    boundaries = np.asarray(a, dtype=float).tolist()
    cells = as_cells(v)
    found = [cellwise.searchsorted(boundaries, cell, side == "right") for cell in cells.flat]
    return finish(cellwise.of(found, cells.shape), np.intp)


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    return _searchsorted(bins, x, "left" if right else "right")


def _order(a: Any, axis: Any = -1, **kwargs: Any) -> Any:
    cells = as_cells(a)
    if kwargs.get("order") is not None or cellwise.undecidable(cells) is None:
        return NotImplemented
    all_lines, _ = cellwise.lines(cells, axis)
    orders = [cellwise.order(line, len(line), largest=False) for line in all_lines]
    shape = cells.shape if axis is not None else (cells.size,)
    moved = np.moveaxis(cells, axis, -1).shape if axis is not None else shape
    result = np.array(orders, dtype=np.intp).reshape(moved)
    return np.moveaxis(result, -1, axis) if axis is not None else result


def _isclose(a: Any, b: Any, **_: Any) -> Any:
    """Undrawn numbers are close to nothing that is a point: refused, by the caller."""
    return NotImplemented


def _nan_to_num(x: Any, *_: Any, **__: Any) -> Any:
    cells = as_cells(x)
    if not all(isinstance(decided(cell), Element) for cell in cells.flat):
        return NotImplemented
    return finish(cells, dtype_of(x))


def _size(a: Any, axis: Any = None) -> int:
    return a.size if axis is None else a.shape[axis]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(name) for name in ("argmax", "argmin", "max", "min", "all", "any", "sum")},
    "amax": _reduction("max"),
    "amin": _reduction("min"),
    "cumsum": _running("cumsum"),
    "cumprod": _running("cumprod"),
    "where": _where,
    "clip": _clip,
    "searchsorted": _searchsorted,
    "digitize": _digitize,
    "argsort": _order,
    "nan_to_num": _nan_to_num,
    "isclose": _isclose,
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": _size,
    "empty_like": lambda a, *args, **kwargs: np.empty(a.shape, kwargs.get("dtype") or a.dtype),
    "zeros_like": lambda a, *args, **kwargs: np.zeros(a.shape, kwargs.get("dtype") or a.dtype),
    "ones_like": lambda a, *args, **kwargs: np.ones(a.shape, kwargs.get("dtype") or a.dtype),
    "full_like": lambda a, fill, *args, **kwargs: np.full(
        a.shape, fill, kwargs.get("dtype") or a.dtype
    ),
    "result_type": lambda *args: dtype_of(*args),
    "iscomplexobj": lambda a: False,
}
