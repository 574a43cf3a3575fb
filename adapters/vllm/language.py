"""The part of Triton's language that vLLM's samplers use, over NumPy: fast enough to enumerate.

Triton's own interpreter (``TRITON_INTERPRET=1``) takes some 20 ms for one verification, and a law
takes thousands. Here the same kernels, the release's own source, take about one: a kernel is its
Python function, a block of numbers an array, a pointer an array with an offset. Names and meanings
are those of ``triton.language``; what is not here fails with an AttributeError.

This is a model, so it is checked: every law found with it is repeated at random and coupled coins
in Triton's interpreter, and a single difference makes the result UNDECIDED (`crosscheck`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


class Block(np.ndarray):
    """A number or a block of numbers of one dtype."""

    def to(self, dtype: Any, bitcast: bool = False) -> Block:
        """The numbers in another dtype."""
        return (self.view(dtype) if bitcast else self.astype(dtype)).view(Block)


def block(value: Any, dtype: Any = None) -> Block:
    """``value`` as a `Block`."""
    return np.asarray(value, dtype=dtype).view(Block)


class Pointer:
    """Memory of a tensor and a place in it, or a block of places."""

    def __init__(self, memory: Any, place: Any = 0) -> None:
        self.memory = memory
        self.place = place
        self.dtype = SimpleNamespace(element_ty=memory.dtype)

    def __add__(self, distance: Any) -> Pointer:
        return Pointer(self.memory, self.place + np.asarray(distance).astype(np.int64))

    __radd__ = __add__

    def __sub__(self, distance: Any) -> Pointer:
        return self + -np.asarray(distance).astype(np.int64)


class Function:
    """What ``@triton.jit`` makes: a kernel to launch on a grid, or a function for kernels."""

    def __init__(self, fn: Callable[..., Any], language: Language) -> None:
        self.fn = fn
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        code = fn.__code__
        self.arg_names = list(code.co_varnames[: code.co_argcount])
        self._language = language

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Called by another kernel."""
        return self.fn(*args, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*args: Any, **kwargs: Any) -> None:
            named = {n: _argument(a) for n, a in kwargs.items() if n in self.arg_names}
            given = [_argument(a) for a in args]
            sizes = tuple(int(n) for n in grid) + (1,) * (3 - len(grid))
            self._language.sizes = sizes
            for place in itertools.product(*(range(n) for n in sizes)):
                self._language.place = place
                self.fn(*given, **named)

        return launch


def _argument(value: Any) -> Any:
    """Tensors as pointers, everything else as it is."""
    if not hasattr(value, "data_ptr"):
        return value
    import torch

    length = value.untyped_storage().nbytes() // value.element_size() - value.storage_offset()
    return Pointer(torch.as_strided(value, (length,), (1,), value.storage_offset()).numpy())


class Language:
    """Stands for ``triton.language``; see there for what the names mean."""

    constexpr = staticmethod(lambda value: value)
    int1 = np.bool_
    int8, int32, int64 = np.int8, np.int32, np.int64
    uint8, uint32, uint64 = np.uint8, np.uint32, np.uint64
    float32, float64 = np.float32, np.float64
    tensor = Block

    def __init__(self) -> None:
        self.sizes: tuple[int, ...] = (1, 1, 1)
        self.place: tuple[int, ...] = (0, 0, 0)

    def program_id(self, axis: int) -> Block:
        """Which program this is."""
        return block(self.place[axis], np.int32)

    def num_programs(self, axis: int) -> Block:
        """How many there are."""
        return block(self.sizes[axis], np.int32)

    def load(self, pointer: Pointer, mask: Any = None, other: Any = None) -> Block:
        """Read; where ``mask`` is false nothing is read and ``other`` stands for it."""
        places = np.asarray(pointer.place)
        if mask is None or (np.ndim(mask) == 0 and mask):
            return block(pointer.memory[places])
        inside = np.broadcast_to(np.asarray(mask), places.shape)
        read = np.full(places.shape, 0 if other is None else other, dtype=pointer.memory.dtype)
        read[inside] = pointer.memory[places[inside]]
        return block(read)

    def store(self, pointer: Pointer, value: Any, mask: Any = None) -> None:
        """Write, where ``mask`` is true."""
        places = np.asarray(pointer.place)
        values = np.broadcast_to(np.asarray(value), places.shape)
        if mask is None:
            pointer.memory[places] = values
            return
        inside = np.broadcast_to(np.asarray(mask), places.shape)
        pointer.memory[places[inside]] = values[inside]

    def arange(self, start: int, end: int) -> Block:
        """Whole numbers."""
        return block(np.arange(start, end, dtype=np.int32))

    def zeros(self, shape: Any, dtype: Any) -> Block:
        """Zeros."""
        return block(np.zeros(tuple(shape), dtype=dtype))

    def full(self, shape: Any, value: Any, dtype: Any) -> Block:
        """One number everywhere."""
        return block(np.full(tuple(shape), value, dtype=dtype))

    def where(self, condition: Any, yes: Any, no: Any) -> Block:
        """Elementwise choice; Python numbers take the other side's dtype."""
        yes, no = _alike(yes, no)
        return block(np.where(condition, yes, no))

    def maximum(self, a: Any, b: Any) -> Block:
        """The larger; of a number and NaN the number, as on a GPU."""
        return block(np.fmax(*_alike(a, b)))

    def minimum(self, a: Any, b: Any) -> Block:
        """The smaller; of a number and NaN the number."""
        return block(np.fmin(*_alike(a, b)))

    def exp(self, x: Any) -> Block:
        """Elementwise."""
        return block(np.exp(x))

    def log(self, x: Any) -> Block:
        """Elementwise."""
        return block(np.log(x))

    def sum(self, x: Any, axis: int | None = None) -> Block:
        """Along an axis, in the block's dtype."""
        return block(np.sum(x, axis=axis, dtype=x.dtype))

    def max(self, x: Any, axis: int, return_indices: bool = False) -> Any:
        """The largest, and the first place of it; NaN is passed over unless all are."""
        with _quiet():
            value = block(np.nanmax(x, axis=axis), x.dtype)
        return (value, self.argmax(x, axis)) if return_indices else value

    def argmax(self, x: Any, axis: int) -> Block:
        """The first place of the largest."""
        every = np.isnan(x).all() if x.dtype.kind == "f" else False
        return block(0 if every else np.nanargmax(x, axis=axis), np.int32)

    def rand(self, seed: Any, offset: Any) -> Any:
        """Random numbers come from a coin source (`coins.drawing`), never from here."""
        raise RuntimeError("a kernel drew a random number outside `drawing`")

    randint = randint4x = rand


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Python numbers beside a block get its dtype."""
    if isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        return a, np.asarray(b, dtype=a.dtype)
    if isinstance(b, np.ndarray) and not isinstance(a, np.ndarray):
        return np.asarray(a, dtype=b.dtype), b
    return a, b


def _quiet() -> Any:
    import warnings

    return warnings.catch_warnings(action="ignore")


def triton_and_language() -> tuple[Any, Language]:
    """What stands for the modules ``triton`` and ``triton.language``."""
    language = Language()

    def jit(fn: Any = None, **options: Any) -> Any:
        del options
        return jit_plain if fn is None else jit_plain(fn)

    def jit_plain(fn: Callable[..., Any]) -> Function:
        return Function(fn, language)

    def cdiv(a: int, b: int) -> int:
        return -(-a // b)

    def next_power_of_2(n: int) -> int:
        return 1 << max(0, n - 1).bit_length()

    # The warm-up helpers ask whether a kernel is autotuned; none of these is.
    tuner = SimpleNamespace(Autotuner=type("Autotuner", (), {}))
    triton = SimpleNamespace(
        jit=jit,
        cdiv=cdiv,
        next_power_of_2=next_power_of_2,
        runtime=SimpleNamespace(autotuner=tuner),
    )
    return triton, language
