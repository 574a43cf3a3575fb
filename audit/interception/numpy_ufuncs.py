"""NumPy's ufuncs and operators on arrays of undrawn numbers; see `undrawn_numpy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import cells as cellwise
from .scalars import Scalar
from .undrawn_numpy import UndrawnArray, as_cells, dtype_of, finish

_UFUNC_NAMES: dict[str, str] = {
    "true_divide": "divide",
    "float_power": "power",
    "fabs": "absolute",
    "abs": "absolute",
}


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a ufunc gives on undrawn numbers."""
    name: str = ufunc.__name__
    name = _UFUNC_NAMES.get(name, name)
    out = kwargs.pop("out", None)
    if method == "reduce" and ufunc.__name__ in ("add", "logical_and", "logical_or", "maximum"):
        from .numpy_functions import apply_function

        function = {"add": np.sum, "logical_and": np.all, "logical_or": np.any}
        return apply_function(function.get(ufunc.__name__, np.max), inputs, kwargs)
    plain_mode = method == "__call__" and not kwargs
    arrays = [as_cells(value) for value in inputs]
    if ufunc.__name__ in ("bitwise_and", "bitwise_or", "invert"):
        logical = {"bitwise_and": "logical_and", "bitwise_or": "logical_or"}
        if all(np.dtype(getattr(v, "dtype", type(v))).kind == "b" for v in inputs):
            name = logical.get(name) or "logical_not"
    result = cellwise.elementwise(name, *arrays) if plain_mode else None
    if result is None:
        plain = [
            UndrawnArray(c, dtype_of(v)).numbers(f"numpy.{ufunc.__name__}")
            for c, v in zip(arrays, inputs, strict=True)
        ]
        return getattr(ufunc, method)(*plain, **kwargs)
    boolean = name in _BOOLEAN
    dtype = np.dtype(bool) if boolean else dtype_of(*inputs)
    if not boolean and dtype.kind in "iub" and name in ("divide", "log", "exp", "sqrt"):
        dtype = np.dtype(float)
    if out is not None:
        return store(out[0], result)
    return finish(result, dtype)


_BOOLEAN = frozenset(
    [
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        *("isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or"),
    ]
)


def store(out: Any, cells: Any) -> Any:
    """Write cells into ``out`` and give it."""
    if isinstance(out, UndrawnArray):
        out.cells[...] = cells
        return out
    element = cellwise.undecidable(cells)
    if element is not None:
        raise element.refuse("numpy's out=, into a plain array,")
    out[...] = cellwise.settled(cells)
    return out


def _operator(ufunc: Any, turned: bool = False) -> Any:
    def method(self: UndrawnArray, other: Any) -> Any:
        if hasattr(other, "__torch_function__") and not isinstance(other, Scalar):
            return NotImplemented
        inputs = (other, self) if turned else (self, other)
        return apply_ufunc(ufunc, "__call__", inputs, {})

    return method


def _in_place(ufunc: Any) -> Any:
    def method(self: UndrawnArray, other: Any) -> Any:
        return apply_ufunc(ufunc, "__call__", (self, other), {"out": (self,)})

    return method


for _name, _ufunc in {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "pow": np.power,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}.items():
    setattr(UndrawnArray, f"__{_name}__", _operator(_ufunc))
    setattr(UndrawnArray, f"__r{_name}__", _operator(_ufunc, True))
    setattr(UndrawnArray, f"__i{_name}__", _in_place(_ufunc))
for _name, _ufunc in {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}.items():
    setattr(UndrawnArray, f"__{_name}__", _operator(_ufunc))
for _name, _ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.absolute}.items():
    setattr(
        UndrawnArray, f"__{_name}__", lambda self, u=_ufunc: apply_ufunc(u, "__call__", (self,), {})
    )
UndrawnArray.__invert__ = lambda self: apply_ufunc(np.invert, "__call__", (self,), {})  # type: ignore[attr-defined]
