"""Undrawn numbers as Python scalars: what ``random.random()`` and ``u.item()`` give.

Python's operators work on a `Scalar` and comparisons are decided at once. ``float()`` has to give a
true float, so it cannot be modelled from inside; it is reported to `Session.unread`, which knows
the way out (see `conversions`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import arithmetic
from .elements import Element
from .session import active


class Scalar:
    """One undrawn number with Python's operators."""

    __slots__ = ("element",)

    def __init__(self, element: Element) -> None:
        self.element = element

    # ---- numbers that have to be plain --------------------------------------------------------

    def __float__(self) -> float:
        raise active().unread("float()", self.element)

    def __int__(self) -> int:
        return int(arithmetic.trunc(self.element))

    __trunc__ = __int__

    def __floor__(self) -> int:
        return self.element.floor()

    def __ceil__(self) -> int:
        return int(arithmetic.ceil(self.element))

    def __round__(self, digits: int | None = None) -> int:
        if digits is not None:
            raise self.element.refuse(f"round(, {digits})")
        return int(arithmetic.UNARY["rint"](self.element))

    def __bool__(self) -> bool:
        return True  # zero has no mass

    def __hash__(self) -> int:
        raise self.element.refuse("hash()")

    def __repr__(self) -> str:
        raise self.element.refuse("repr()")

    def __format__(self, spec: str) -> str:
        raise self.element.refuse("format()")

    def __index__(self) -> int:
        raise TypeError("'float' object cannot be interpreted as an integer")

    # ---- what floats and NumPy's scalars can do ------------------------------------------------

    def item(self) -> Scalar:
        """Itself: NumPy's scalars have this."""
        return self

    def is_integer(self) -> bool:
        """Never, up to events without mass."""
        return False

    def __neg__(self) -> Any:
        return plain_or_scalar(arithmetic.negative(self.element))

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Any:
        return plain_or_scalar(arithmetic.absolute(self.element))

    def __mod__(self, other: Any) -> Any:
        return self - other * math.floor(self / other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .numpy_ufuncs import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .numpy_functions import apply_function

        return apply_function(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """An array of this object: what NumPy's methods do with it comes back to Python."""
        import numpy as np

        if dtype is not None and np.dtype(dtype) != object:
            raise self.element.refuse("numpy.asarray()")
        array = np.empty((), dtype=object)
        array[()] = self
        return array

    def log(self) -> Any:
        """The natural logarithm: NumPy asks the objects in an array for this."""
        return plain_or_scalar(arithmetic.log(self.element))

    def exp(self) -> Any:
        """The exponential: NumPy asks the objects in an array for this."""
        return plain_or_scalar(arithmetic.exp(self.element))

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        session = active()
        if session.torch is None:
            raise session.refuse(f"{func} of an undrawn number")
        return session.torch.scalars(func, types, args, kwargs)  # a mode that is on comes first


def plain_or_scalar(cell: Any) -> Any:
    """A cell as Python sees it."""
    return Scalar(cell) if isinstance(cell, Element) else cell


def operand(value: Any) -> Any:
    """What is combined with a scalar, as a cell; None if that is for the other to answer."""
    if isinstance(value, Scalar):
        return value.element
    if isinstance(value, (int, float)):
        if type(value) is not float and hasattr(value, "dtype"):
            active().saw(value.dtype.name)  # type: ignore[union-attr]
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "__array_interface__"):
        active().saw(value.dtype.name)
        return value.item()
    if hasattr(value, "__array_function__") or hasattr(value, "__torch_function__"):
        return None
    try:
        return float(value)  # fractions and the like
    except (TypeError, ValueError):
        return None


def _binary(name: str, turned: bool) -> Callable[[Scalar, Any], Any]:
    function = arithmetic.BINARY[name]

    def method(self: Scalar, other: Any) -> Any:
        cell = operand(other)
        if cell is None:
            return NotImplemented
        x, y = (cell, self.element) if turned else (self.element, cell)
        if name in ("divide", "floor_divide") and not isinstance(y, Element) and y == 0.0:
            raise ZeroDivisionError("float division by zero")
        return plain_or_scalar(function(x, y))

    return method


def _comparison(name: str) -> Callable[[Scalar, Any], Any]:
    def method(self: Scalar, other: Any) -> Any:
        cell = operand(other)
        if cell is None:
            return NotImplemented
        return arithmetic.compare(name, self.element, cell)

    return method


for _operator, _name in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "pow": "power",
    "floordiv": "floor_divide",
}.items():
    setattr(Scalar, f"__{_operator}__", _binary(_name, False))
    setattr(Scalar, f"__r{_operator}__", _binary(_name, True))
for _operator, _name in {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}.items():
    setattr(Scalar, f"__{_operator}__", _comparison(_name))
