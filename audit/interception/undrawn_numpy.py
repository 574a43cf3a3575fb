"""Arrays of numbers that are not drawn yet, as NumPy code meets them.

An `UndrawnArray` is a duck array: NumPy's functions and operators come to it by NumPy's own
protocols. What only moves cells about is done by NumPy on the array of cells; arithmetic,
comparisons, races and searches by `cells`; anything else on decided numbers, or refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import cells as cellwise
from .elements import Element
from .lazy import Lazy, decided
from .scalars import Scalar
from .session import active

#: Functions that move cells and read none: NumPy applies them to the cells.
MOVES = frozenset(
    [
        *("append", "array_split", "atleast_1d", "atleast_2d", "broadcast_to", "column_stack"),
        *("concatenate", "copy", "delete", "dstack", "expand_dims", "flip", "fliplr", "flipud"),
        *("hsplit", "hstack", "insert", "moveaxis", "ravel", "repeat", "reshape", "roll"),
        *("rollaxis", "split", "squeeze", "stack", "swapaxes", "take", "take_along_axis", "tile"),
        *("transpose", "vsplit", "vstack", "diag", "ndarray_copy", "compress"),
    ]
)


class UndrawnArray:
    """Cells with the dtype that the numbers would have."""

    __slots__ = ("cells", "dtype")
    __array_priority__ = 1000.0

    def __init__(self, cells: Any, dtype: Any) -> None:
        self.cells = cells
        self.dtype = np.dtype(dtype)

    # ---- what the array is --------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.cells.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.cells.ndim

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.cells.size

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """The transpose."""
        return UndrawnArray(self.cells.T, self.dtype)

    @property
    def flat(self) -> Iterator[Any]:
        """Its cells, one after the other."""
        return (self._out(cell) for cell in self.cells.flat)

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def _out(self, cell: Any) -> Any:
        if isinstance(cell, Element):
            return Scalar(cell)
        return self.dtype.type(decided(cell))

    # ---- parts --------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        found = self.cells[_index(key)]
        if isinstance(found, np.ndarray):
            return UndrawnArray(found, self.dtype)
        return self._out(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.cells[_index(key)] = as_cells(value) if not _is_scalar(value) else _cell(value)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """As another dtype; undrawn numbers are rounded down where it is an integer."""
        dtype = np.dtype(dtype)
        if dtype.kind in "iu" and cellwise.undecidable(self.cells) is not None:
            return finish(cellwise.elementwise("trunc", self.cells), dtype)
        if dtype.kind == "b" and cellwise.undecidable(self.cells) is not None:
            return np.ones(self.shape, dtype=bool)
        return finish(self.cells.copy(), dtype)

    def item(self, *key: Any) -> Any:
        """One number."""
        value = self._out(self.cells.item(*key))
        return value.item()

    def tolist(self) -> Any:
        """Numbers in nested lists."""
        return cellwise.of([self._out(c).item() for c in self.cells.flat], self.shape).tolist()

    def copy(self, *_: Any) -> UndrawnArray:
        """A copy."""
        return UndrawnArray(self.cells.copy(), self.dtype)

    def fill(self, value: Any) -> None:
        """Set every cell."""
        self[...] = value

    # ---- as a plain array or number -----------------------------------------------------------

    def numbers(self, use: str) -> Any:
        """A plain array, decided now."""
        element = cellwise.undecidable(self.cells)
        if element is not None:
            raise element.refuse(use)
        return np.array([decided(c) for c in self.cells.flat], self.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if cellwise.undecidable(self.cells) is not None and dtype in (None, object):
            return cellwise.of([self._out(cell) for cell in self.cells.flat], self.shape)
        return np.asarray(self.numbers("numpy.asarray()"), dtype=dtype)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        return self.numbers("index").__index__()

    def __repr__(self) -> str:
        return repr(self.numbers("repr()"))

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __format__(self, spec: str) -> str:
        return format(self.numbers("format()"), spec)

    # ---- NumPy's protocols --------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .numpy_ufuncs import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .numpy_functions import apply_function

        return apply_function(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        from .numpy_functions import method

        return method(self, name)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (Scalar, int, float, np.generic))


def _cell(value: Any) -> Any:
    if isinstance(value, Scalar):
        return value.element
    return value.item() if isinstance(value, np.generic) else value


def _index(key: Any) -> Any:
    """An index in which undrawn integers and masks are decided."""
    if isinstance(key, UndrawnArray):
        return key.numbers("an index")
    if isinstance(key, tuple):
        return tuple(_index(part) for part in key)
    return key


def as_cells(value: Any) -> Any:
    """Anything array-like as cells; the dtype of what is plain is noted."""
    if isinstance(value, UndrawnArray):
        return value.cells
    if isinstance(value, (Element, Lazy)):
        return cellwise.of([value], ())
    if isinstance(value, Scalar):
        return cellwise.of([value.element], ())
    if isinstance(value, (list, tuple)) and any(
        isinstance(part, (Scalar, UndrawnArray, list, tuple)) for part in value
    ):
        parts = [as_cells(part) for part in value]
        return cellwise.of([c for p in parts for c in p.flat], (len(parts), *parts[0].shape))
    if isinstance(value, (bool, int, float)) and not hasattr(value, "dtype"):
        return cellwise.of([value], ())
    array = np.asarray(value)
    if array.dtype == object:
        return cellwise.of([_cell(c) for c in array.flat], array.shape)
    active().saw(array.dtype.name)
    return cellwise.from_numbers(array)


def holds_undrawn(value: Any) -> bool:
    """Whether nested lists have undrawn numbers in them."""
    if isinstance(value, (Scalar, UndrawnArray)):
        return True
    return isinstance(value, (list, tuple)) and any(holds_undrawn(part) for part in value)


def dtype_of(*values: Any) -> Any:
    """The floating or integer dtype that these would be promoted to."""
    dtypes: list[Any] = [
        getattr(value, "dtype", None) or np.min_scalar_type(value)
        for value in values
        if hasattr(value, "dtype") or isinstance(value, (bool, int, float))
    ]
    dtypes = [d if d.kind != "O" else np.dtype(float) for d in dtypes]
    found = np.result_type(*dtypes) if dtypes else np.dtype(float)
    return found if any(hasattr(v, "dtype") for v in values) else np.dtype(float)


def finish(cells: Any, dtype: Any) -> Any:
    """Cells as NumPy code gets them: a plain array or number where nothing is open."""
    dtype = np.dtype(dtype)
    if cells.ndim == 0:
        cell = decided(cells.item())
        return Scalar(cell) if isinstance(cell, Element) else dtype.type(cell)
    if cellwise.is_plain(cells):
        return np.array(cells.tolist(), dtype=dtype).reshape(cells.shape)
    return UndrawnArray(cells, dtype)
