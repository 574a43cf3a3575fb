"""Arithmetic and comparison of cells: numbers, and numbers that are not drawn yet.

Functions go by NumPy's names. Between two plain numbers they follow IEEE 754, as arrays do:
division by zero is infinite, and nothing compares with NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .elements import Element, exp_of, power_of
from .races import race
from .session import active

Cell = Any  #: a number, an `Element`, or (decided before it comes here) something lazy


def add(x: Cell, y: Cell) -> Cell:
    """``x + y``."""
    if isinstance(x, Element):
        return x.plus_element(y) if isinstance(y, Element) else x.plus(float(y))
    return y.plus(float(x)) if isinstance(y, Element) else x + y


def subtract(x: Cell, y: Cell) -> Cell:
    """``x - y``."""
    return add(x, negative(y))


def multiply(x: Cell, y: Cell) -> Cell:
    """``x * y``."""
    if isinstance(x, Element):
        if isinstance(y, Element):
            if x.coin is not y.coin:
                raise x.refuse("a product with another undrawn number")
            return divide(x, y.power(-1.0))
        return x.times(float(y))
    return y.times(float(x)) if isinstance(y, Element) else x * y


def divide(x: Cell, y: Cell) -> Cell:
    """``x / y``."""
    if isinstance(y, Element):
        if isinstance(x, Element):
            return x.over_element(y)
        x = float(x)
        if x == 0.0:
            return x
        inverse = y.power(-1.0)
        return inverse.times(x) if isinstance(inverse, Element) else multiply(inverse, x)
    y = float(y)
    if isinstance(x, Element):
        if y == 0.0:
            return x.times(math.copysign(math.inf, y))
        if not math.isfinite(y):
            return x.times(1.0 / y)
        return Element(x.coin, x.base, x.a / y, x.b / y, x.c, x.turned)
    x = float(x)
    if y == 0.0:
        return math.nan if x == 0.0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)
    return x / y


def power(x: Cell, y: Cell) -> Cell:
    """``x ** y``."""
    if isinstance(y, Element):
        if isinstance(x, Element) or not x > 0.0:
            raise y.refuse("a power with this as exponent")
        return exp(y.times(math.log(x)))
    if isinstance(x, Element):
        return x.power(float(y))
    return power_of(x, y) if x >= 0.0 else x**y


def negative(x: Cell) -> Cell:
    """``-x``."""
    return x.times(-1.0) if isinstance(x, Element) else -x


def absolute(x: Cell) -> Cell:
    """``|x|``."""
    if not isinstance(x, Element):
        return abs(x)
    low, high = x.ends()
    if low >= 0.0:
        return x
    if high <= 0.0:
        return x.times(-1.0)
    return x.times(-1.0) if x.below(0.0) else x


def exp(x: Cell) -> Cell:
    """The exponential."""
    return x.exp() if isinstance(x, Element) else exp_of(float(x))


def log(x: Cell) -> Cell:
    """The natural logarithm."""
    if isinstance(x, Element):
        return x.log()
    x = float(x)
    return math.log(x) if x > 0.0 else (-math.inf if x == 0.0 else math.nan)


def _scaled_log(factor: float) -> Callable[[Cell], Cell]:
    return lambda x: multiply(log(x), factor)


def floor(x: Cell) -> Cell:
    """The greatest integer not above."""
    return float(x.floor()) if isinstance(x, Element) else float(math.floor(x))


def ceil(x: Cell) -> Cell:
    """The least integer not below."""
    return negative(floor(negative(x)))


def trunc(x: Cell) -> Cell:
    """Rounded towards zero."""
    if isinstance(x, Element):
        low, high = x.ends()
        if low < 0.0 < high:
            raise x.refuse("rounding towards zero")
        return floor(x) if low >= 0.0 else ceil(x)
    return float(math.trunc(x))


def maximum(x: Cell, y: Cell) -> Cell:
    """The greater."""
    return _extreme(x, y, True)


def minimum(x: Cell, y: Cell) -> Cell:
    """The lesser."""
    return _extreme(x, y, False)


def _extreme(x: Cell, y: Cell, greatest: bool) -> Cell:
    if isinstance(x, Element) and isinstance(y, Element):
        return (x, y)[race([x, y], greatest)]
    if isinstance(y, Element):
        x, y = y, x
    if isinstance(x, Element):
        y = float(y)
        if y != y:
            return y
        return x.clamped(y, math.inf) if greatest else x.clamped(-math.inf, y)
    if x != x or y != y:
        return math.nan
    return max(x, y) if greatest else min(x, y)


def less(x: Cell, y: Cell) -> bool:
    """``x < y``, and ``x <= y`` where one of them is undrawn; decided now."""
    if isinstance(x, Element):
        if isinstance(y, Element):
            if x.coin is not y.coin:
                return race([x, y], False) == 0
            difference = x.plus_element(y.times(-1.0))  # type: ignore[arg-type]
            return less(difference, 0.0)
        return x.below(float(y))
    if isinstance(y, Element):
        x = float(x)
        return x == x and not y.below(x)
    return bool(x < y)


def equal(x: Cell, y: Cell) -> bool:
    """``x == y``: never, for an undrawn number and another one."""
    if isinstance(x, Element) or isinstance(y, Element):
        both = isinstance(x, Element) and isinstance(y, Element) and x.same_noise(y)
        return both and (x.a, x.b) == (y.a, y.b)
    return bool(x == y)


def compare(name: str, x: Cell, y: Cell) -> bool:
    """One of less, less_equal, greater, greater_equal, equal, not_equal."""
    active().operations += 1
    if name == "equal":
        return equal(x, y)
    if name == "not_equal":
        return not equal(x, y)
    if isinstance(x, Element) or isinstance(y, Element):
        return less(x, y) if name.startswith("less") else less(y, x)
    if name == "less":
        return bool(x < y)
    if name == "less_equal":
        return bool(x <= y)
    return bool(x > y) if name == "greater" else bool(x >= y)


COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")

BINARY: dict[str, Callable[[Cell, Cell], Cell]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "power": power,
    "floor_divide": lambda x, y: floor(divide(x, y)),
    "maximum": maximum,
    "minimum": minimum,
}
UNARY: dict[str, Callable[[Cell], Cell]] = {
    "negative": negative,
    "positive": lambda x: x,
    "absolute": absolute,
    "exp": exp,
    "log": log,
    "log2": _scaled_log(1.0 / math.log(2.0)),
    "log10": _scaled_log(1.0 / math.log(10.0)),
    "log1p": lambda x: log(add(x, 1.0)) if isinstance(x, Element) else math.log1p(x),
    "expm1": lambda x: subtract(exp(x), 1.0) if isinstance(x, Element) else math.expm1(x),
    "sqrt": lambda x: power(x, 0.5),
    "square": lambda x: power(x, 2.0),
    "reciprocal": lambda x: divide(1.0, x),
    "floor": floor,
    "ceil": ceil,
    "trunc": trunc,
    "rint": lambda x: floor(add(x, 0.5)) if isinstance(x, Element) else float(round(x)),
    "isnan": lambda x: not isinstance(x, Element) and x != x,
    "isinf": lambda x: not isinstance(x, Element) and math.isinf(x),
    "isfinite": lambda x: isinstance(x, Element) or math.isfinite(x),
}
