"""Tensors of numbers that are not drawn yet: plain tensors whose storage is in a register.

Whether a number is drawn is a property of the memory that holds it, not of the tensor object: torch
makes views, in-place calls write through them, and `q[i].exponential_()` has to make a part of `q`
undrawn. So undrawn tensors are ordinary tensors (their memory holds NaN, or an integer that is no
index), and the `Register` keeps the cells of every storage that has some.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import torch

from . import cells as cellwise
from .elements import Element
from .lazy import Lazy, decided
from .session import Session

#: How many own a storage; a release without this count forgets nothing.
_uses = getattr(torch._C, "_storage_Use_Count", lambda _: 0)
_as_strided = np.lib.stride_tricks.as_strided
_NAMES = {
    torch.float64: "float64",
    torch.float32: "float32",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
}


class _Storage:
    """The cells of one storage, and what keeps it alive."""

    __slots__ = ("cells", "tensor")

    def __init__(self, cells: Any, tensor: torch.Tensor) -> None:
        self.cells = cells
        self.tensor = tensor


class Register:
    """The storages with undrawn numbers, on one path.

    Attributes:
        session: the path.
        storages: by address.
        inside: how many models are at work; what they do to memory is not the program's.
        watched: whether the backstop watches the path.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.storages: dict[int, _Storage] = {}
        self.inside = 0
        self.watched = False

    def knows(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor's memory has undrawn numbers somewhere."""
        return tensor.untyped_storage()._cdata in self.storages

    def forget_the_dead(self) -> None:
        """Drop storages that only this register still holds: nobody can look at them."""
        for key, storage in list(self.storages.items()):
            tensor = storage.tensor
            # Three references are ours; torch counts its own objects, and a storage for each.
            if (
                sys.getrefcount(tensor) == 3
                and tensor._use_count() == 1  # type: ignore[attr-defined]
                and _uses(tensor.untyped_storage()._cdata) == 2
            ):
                del self.storages[key]

    def forget_the_settled(self) -> None:
        """Drop all storages if nothing in them is left to be decided."""
        for storage in self.storages.values():
            for cell in storage.cells:
                if isinstance(cell, Element) or (isinstance(cell, Lazy) and not cell.is_decided()):
                    return
        for storage in self.storages.values():
            plain = cellwise.of([decided(cell) for cell in storage.cells], storage.cells.shape)
            _write(storage.tensor.reshape(-1), plain)
        self.storages.clear()

    def view(self, tensor: torch.Tensor) -> Any | None:
        """The tensor's own cells, to read and to write; None if its memory is plain."""
        storage = self.storages.get(tensor.untyped_storage()._cdata)
        if storage is None:
            return None
        flat = storage.cells
        shape, offset = tuple(tensor.shape), tensor.storage_offset()
        if offset == 0 and tensor.numel() == len(flat) and tensor.is_contiguous():
            return flat.reshape(shape)
        strides = [stride * flat.itemsize for stride in tensor.stride()]
        return _as_strided(flat[offset:], shape, strides)

    def cells(self, value: Any) -> Any:
        """A tensor or a number as cells; the dtype of plain fractions is noted."""
        if isinstance(value, torch.Tensor):
            known = self.view(value)
            return self.numbers(value) if known is None else known
        element = getattr(value, "element", None)
        return cellwise.of([value if element is None else element], ())

    def numbers(self, tensor: torch.Tensor) -> Any:
        """A plain tensor as cells."""
        name = _NAMES.get(tensor.dtype)
        values = tensor.tolist() if tensor.dim() == 1 else tensor.reshape(-1).tolist()
        if name == "float64" or (name is not None and any(map(_is_fraction, values))):
            self.session.saw(name)
        return cellwise.of(values, tuple(tensor.shape))

    def attach(self, tensor: torch.Tensor, cells: Any, is_nonsense: bool = False) -> torch.Tensor:
        """Give a tensor with memory of its own these cells, one for each of its numbers.

        Args:
            tensor: what it holds is not looked at.
            cells: in the order of its numbers.
            is_nonsense: whether it was computed from nonsense, and so is loud already.
        """
        if cellwise.is_plain(cells):
            return _write(tensor, cells.reshape(tuple(tensor.shape)))
        if not tensor.is_contiguous() or tensor.storage_offset():
            tensor = torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device)
            is_nonsense = False
        if not is_nonsense:
            tensor.fill_(_nonsense(tensor.dtype))
        key = tensor.untyped_storage()._cdata
        self.storages[key] = _Storage(cells.reshape(-1), tensor)
        return tensor

    def assign(self, tensor: torch.Tensor, cells: Any) -> torch.Tensor:
        """Write cells into a tensor that may share its memory with others."""
        cells = np.broadcast_to(cells, tuple(tensor.shape))
        known = self.view(tensor)
        if known is None:
            if cellwise.is_plain(cells):
                return _write(tensor, cells)
            known = self._registered(tensor)
        if cellwise.is_plain(cells):
            _write(tensor, cells)
        else:
            with torch.no_grad():
                tensor.detach().fill_(_nonsense(tensor.dtype))
        known[...] = cells
        return tensor

    def _registered(self, tensor: torch.Tensor) -> Any:
        """Make the cells of plain memory, and give those of this tensor."""
        untyped = tensor.untyped_storage()
        whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        count = untyped.nbytes() // tensor.element_size()
        whole.set_(untyped, 0, (count,))  # pyright: ignore[reportArgumentType, reportCallIssue]
        cells = cellwise.of(whole.tolist(), (count,))
        self.storages[untyped._cdata] = _Storage(cells, whole)
        view = self.view(tensor)
        assert view is not None
        return view

    def settle(self, tensor: torch.Tensor, use: str, whole: bool = False) -> None:
        """Decide a tensor's numbers and put them into its memory.

        Args:
            tensor: plain, or with undrawn numbers.
            use: named in the refusal if one of them is not an integer in waiting.
            whole: decide all of the memory, since the use writes to it; it is plain from then on.
        """
        key = tensor.untyped_storage()._cdata
        storage = self.storages.get(key)
        if storage is None:
            return
        if whole:
            tensor = storage.tensor.reshape(-1)
        cells = self.view(tensor)
        assert cells is not None
        element = cellwise.undecidable(cells)
        if element is not None:
            raise element.refuse(use)
        plain = cellwise.of([decided(cell) for cell in cells.flat], cells.shape)
        cells[...] = plain
        _write(tensor, plain)
        if whole or cellwise.is_plain(storage.cells):
            if not whole:  # the rest of the memory holds nonsense still
                _write(storage.tensor.reshape(-1), storage.cells)
            del self.storages[key]

    def positions(self, tensor: torch.Tensor, start: int = 0) -> tuple[torch.Tensor, Any]:
        """Places in memory, shaped like a tensor, and the cells that they are places in."""
        storage = self.storages.get(tensor.untyped_storage()._cdata)
        if storage is None:
            flat = self.numbers(tensor).reshape(-1)
            return torch.arange(start, start + len(flat)).reshape(tensor.shape), flat
        places = torch.arange(start, start + len(storage.cells))
        strided = places.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        return strided, storage.cells


def _write(tensor: torch.Tensor, cells: Any) -> torch.Tensor:
    """Put plain cells into a tensor's memory."""
    if tensor.numel():
        with torch.no_grad():
            plain = torch.tensor(cells.tolist(), dtype=tensor.dtype, device=tensor.device)
            tensor.detach().copy_(plain)
    return tensor


def _nonsense(dtype: torch.dtype) -> Any:
    """What the memory of undrawn numbers holds: loud wherever it is read after all."""
    if dtype.is_floating_point or dtype.is_complex:
        return math.nan
    return False if dtype == torch.bool else torch.iinfo(dtype).min


def _is_fraction(value: float) -> bool:
    return value != value // 1 and math.isfinite(value)


def out_of(cell: Any, dtype: torch.dtype) -> Any:
    """One cell as a Python number, or an `Element`."""
    cell = decided(cell)
    if isinstance(cell, Element):
        return cell
    if dtype == torch.bool:
        return bool(cell)
    return float(cell) if dtype.is_floating_point else int(cell)


def converted(cells: Any, dtype: torch.dtype) -> Any:
    """Cells as they are in another dtype."""
    if dtype.is_floating_point:
        return cells.copy()

    def integer(cell: Any) -> Any:
        if isinstance(cell, Element):
            return True if dtype == torch.bool else int(_trunc(cell))
        if isinstance(cell, Lazy):
            return Lazy(lambda: bool(cell.decide())) if dtype == torch.bool else cell
        return bool(cell) if dtype == torch.bool else int(cell)

    return cellwise._map(integer, cells)


def _trunc(element: Element) -> float:
    from .arithmetic import trunc

    return trunc(element)
