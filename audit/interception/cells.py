"""Arrays of cells: NumPy object arrays that hold numbers, `Element`s and `Lazy` numbers.

Both front ends, `undrawn_numpy` and `undrawn_torch`, compute with these. Functions go by NumPy's
names. A function that is not here is applied to decided numbers where all cells can be decided, and
is refused by name where one cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from . import arithmetic
from .elements import Element
from .lazy import AllOf, AnyOf, Count, Lazy, Truth, decided, negation, test
from .races import race
from .session import active

Cells = Any  #: an `np.ndarray` of dtype object


def of(values: list[Any], shape: tuple[int, ...]) -> Cells:
    """Cells in this shape."""
    cells = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):
        cells[index] = value
    return cells.reshape(shape)


def from_numbers(array: Any) -> Cells:
    """Plain numbers as cells."""
    array = np.asarray(array)
    return of(array.ravel().tolist(), array.shape)


def undecidable(cells: Cells) -> Element | None:
    """Some element among the cells."""
    return next((cell for cell in cells.flat if isinstance(cell, Element)), None)


def settled(cells: Cells) -> Cells | None:
    """The cells as plain numbers, decided now; None if one of them is an element."""
    if undecidable(cells) is not None:
        return None
    return of([decided(cell) for cell in cells.flat], cells.shape)


def is_plain(cells: Cells) -> bool:
    """Whether all cells are numbers."""
    return not any(isinstance(cell, _OPEN) for cell in cells.flat)


_OPEN = (Element, Lazy)


def _map(function: Callable[..., Any], *arrays: Cells) -> Cells:
    """A function applied cell by cell, with broadcasting."""
    if len(arrays) == 1:
        return of([function(cell) for cell in arrays[0].flat], arrays[0].shape)
    if len(arrays) == 2 and arrays[0].shape == arrays[1].shape:
        x, y = arrays
        return of([function(*pair) for pair in zip(x.flat, y.flat, strict=True)], x.shape)
    both = np.broadcast_arrays(*arrays)
    values = [function(*group) for group in zip(*(a.flat for a in both), strict=True)]
    return of(values, both[0].shape)


def elementwise(name: str, *arrays: Cells) -> Cells | None:
    """A function of `arithmetic`, or a logical one; None if there is none of this name."""
    if name in arithmetic.COMPARISONS:
        return _map(lambda x, y: _compared(name, x, y), *arrays)
    if name == "logical_not":
        return _map(lambda x: not x if not isinstance(x, Lazy) else negation(x), *arrays)
    if name in ("logical_and", "logical_or"):
        both = AllOf if name == "logical_and" else AnyOf
        return _map(lambda x, y: both([x, y]), *arrays)
    function = arithmetic.BINARY.get(name) or arithmetic.UNARY.get(name)
    if function is None or (len(arrays) == 2) != (name in arithmetic.BINARY):
        return None
    active().operations += arrays[0].size
    return _map(lambda *xs: function(*map(decided, xs)), *arrays)


def _compared(name: str, x: Any, y: Any) -> Any:
    if isinstance(x, (Element, Lazy)) or isinstance(y, (Element, Lazy)):
        if isinstance(y, Count):
            x, y, turned = y, x, _TURNED[name]
            return test(turned, x, y)
        return test(name, x, y)
    return arithmetic.compare(name, x, y)


_TURNED = {
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}


def where(condition: Cells, x: Cells, y: Cells) -> Cells:
    """``x`` or ``y``, by a condition that is decided now."""
    return _map(lambda c, a, b: a if decided(c) else b, condition, x, y)


def clip(cells: Cells, low: Cells, high: Cells) -> Cells:
    """Kept between two bounds, which are plain."""
    cells = _map(lambda x, k: arithmetic.maximum(decided(x), decided(k)), cells, low)
    return _map(lambda x, k: arithmetic.minimum(decided(x), decided(k)), cells, high)


def lines(cells: Cells, axis: int | None) -> tuple[list[list[Any]], tuple[int, ...]]:
    """The lines of cells along an axis (all cells, for None), and the shape without it."""
    if axis is None or cells.ndim <= 1:
        return [list(cells.flat)], ()
    moved = np.moveaxis(cells, axis, -1)
    flat = moved.reshape(-1, moved.shape[-1]) if moved.size else moved.reshape(-1, 0)
    return [list(line) for line in flat], moved.shape[:-1]


def _first_best(line: list[Any], largest: bool) -> int:
    """argmax or argmin of a line; of truth values, asked only up to the first best."""
    if any(isinstance(cell, Element) for cell in line):
        return race([decided(cell) for cell in line], largest)
    if all(isinstance(cell, (bool, Truth)) for cell in line):
        return next((k for k, cell in enumerate(line) if decided(cell) == largest), 0)
    values = [decided(cell) for cell in line]
    return int(np.argmax(values) if largest else np.argmin(values))


def reduce(name: str, cells: Cells, axis: int | None) -> Cells | None:
    """A reduction along an axis, or of all cells; None if there is none of this name."""
    function = _REDUCTIONS.get(name)
    if function is None:
        return None
    all_lines, shape = lines(cells, axis)
    active().operations += cells.size
    return of([function(line) for line in all_lines], shape)


def _line_sum(line: list[Any]) -> Any:
    if len(line) > 1 and any(isinstance(cell, Element) for cell in line):
        total: Any = 0.0
        for cell in line:
            total = arithmetic.add(total, decided(cell))
        return total
    if line and all(isinstance(cell, (bool, Truth)) for cell in line):
        return Count(line)
    return sum(decided(cell) for cell in line) if len(line) != 1 else decided(line[0])


_REDUCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "argmax": lambda line: Lazy(lambda: _first_best(line, True)),
    "argmin": lambda line: Lazy(lambda: _first_best(line, False)),
    "max": lambda line: decided(line[_first_best(line, True)]),
    "min": lambda line: decided(line[_first_best(line, False)]),
    "all": AllOf,
    "any": AnyOf,
    "sum": _line_sum,
}


def order(line: list[Any], count: int, largest: bool) -> list[int]:
    """Indices of the ``count`` best cells of a line, best first: one race after another."""
    left = list(range(len(line)))
    found: list[int] = []
    values = [decided(cell) for cell in line]
    while left and len(found) < count:
        best = left[race([values[k] for k in left], largest)]
        found.append(best)
        left.remove(best)
    return found


def accumulate(name: str, cells: Cells, axis: int) -> Cells | None:
    """A running sum or product along an axis, of truth values only; None for other cells."""
    if not all(
        isinstance(c, Truth) or (type(c) in (bool, int, float) and c in (0, 1)) for c in cells.flat
    ):
        return None
    running = Count if name == "cumsum" else AllOf
    if cells.ndim == 1:
        line = list(cells)
        return of([running(line[: k + 1]) for k in range(len(line))], cells.shape)
    moved = np.moveaxis(cells, axis, -1)
    result = np.empty(moved.shape, dtype=object)
    for index in np.ndindex(moved.shape):
        result[index] = running(list(moved[index[:-1]][: index[-1] + 1]))
    return np.moveaxis(result, -1, axis)


def searchsorted(boundaries: list[float], cell: Any, right: bool) -> int:
    """Where a cell goes among ascending numbers."""
    cell = decided(cell)
    if not isinstance(cell, Element):
        return int(np.searchsorted(boundaries, cell, side="right" if right else "left"))
    session = active()
    session.operations += len(boundaries)
    if any(not a <= b for a, b in pairwise([-np.inf, *boundaries])):
        raise cell.refuse("a search among numbers that do not ascend")
    cuts = [cell.cut(boundary) for boundary in boundaries]
    if not cuts:
        return 0
    rising = cuts[0][1]
    thresholds = [cut for cut, _ in cuts]
    if rising:
        return cell.coin.interval(thresholds, session.choices)
    return len(cuts) - cell.coin.interval(thresholds[::-1], session.choices)
