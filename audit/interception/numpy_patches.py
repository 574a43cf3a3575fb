"""What is replaced in `numpy` while a path runs, and the methods that are refused by name."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .numpy_calls import Draws
from .numpy_generators import (
    FakeBitGenerator,
    FakeGenerator,
    FakeRandomState,
    RealGenerator,
    RealRandomState,
)
from .numpy_states import state_key
from .session import active, current
from .streams import Stream, Unseeded
from .undrawn_numpy import UndrawnArray, as_cells, dtype_of, holds_undrawn


def _refusing(owner: Any, name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        session = current()
        if session is None:
            return self.outside(name, args, kwargs)
        raise session.refuse(f"numpy.random.{owner.__name__}.{name}")

    method.__name__ = name
    return method


for _fake, _real in ((FakeGenerator, RealGenerator), (FakeRandomState, RealRandomState)):
    for _name in dir(_real):
        modelled = any(_name in cls.__dict__ for cls in _fake.__mro__[:2])
        if not _name.startswith("_") and not modelled:
            setattr(_fake, _name, _refusing(_real, _name))

_global: Any = np.random.mtrand._rand  # pyright: ignore[reportAttributeAccessIssue]
_FAKE_GLOBAL: Any = FakeRandomState(0)
_FAKE_GLOBAL._stream = Stream(Unseeded())
_FAKE_GLOBAL._real = _global


def fake_default_rng(seed: Any = None) -> Any:
    """`numpy.random.default_rng`: a generator with the stream of this seed."""
    if isinstance(seed, (FakeGenerator, RealGenerator)):
        return seed
    return FakeGenerator(seed)


class _GeneratorMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, RealGenerator)

    def __call__(cls, bit_generator: Any) -> Any:
        if isinstance(bit_generator, FakeBitGenerator):
            return FakeGenerator(bit_generator)
        if current() is not None:
            raise active().refuse("numpy.random.Generator of a bit generator from elsewhere")
        return RealGenerator(bit_generator)


class GeneratorName(metaclass=_GeneratorMeta):
    """What stands for the name `numpy.random.Generator`: makes fakes, recognises all."""


def _bit_generator(name: str) -> type:
    real = getattr(np.random, name)
    return type(name, (FakeBitGenerator,), {"real": real, "__doc__": f"A fake of {name}."})


def _containing(real: Callable[..., Any]) -> Callable[..., Any]:
    """``numpy.array`` and its like, for lists that hold undrawn numbers."""

    def function(value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if current() is not None and holds_undrawn(value):
            cells = as_cells(list(value) if isinstance(value, tuple) else value)
            found = dtype if dtype is not None else dtype_of(value)
            return UndrawnArray(cells, found).astype(found)
        return real(value, dtype, *args, **kwargs)

    function.__name__ = real.__name__
    return function


_BIT_GENERATORS = tuple(
    name
    for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
    if hasattr(np.random, name)
)
_FUNCTIONS = tuple(
    name
    for name in dir(RealRandomState)
    if not name.startswith("_") and callable(getattr(np.random, name, None))
)


def patches() -> list[tuple[Any, str, Any]]:
    """What to replace: (module, name, fake)."""
    found: list[tuple[Any, str, Any]] = [
        (np.random, name, getattr(_FAKE_GLOBAL, name)) for name in _FUNCTIONS
    ]
    found += [(np.random, name, _FAKES[name]) for name in _BIT_GENERATORS]
    found += [(np, name, _ARRAYS[name]) for name in _ARRAYS]
    return [
        *found,
        (np.random, "ranf", _FAKE_GLOBAL.random_sample),
        (np.random, "sample", _FAKE_GLOBAL.random_sample),
        (np.random, "default_rng", fake_default_rng),
        (np.random, "Generator", GeneratorName),
        (np.random, "RandomState", FakeRandomState),
        (np.random.mtrand, "_rand", _FAKE_GLOBAL),
        *_of_scipy(),
    ]


def _of_scipy() -> list[tuple[Any, str, Any]]:
    """The distributions of `scipy.stats`, each of which keeps the global generator."""
    stats = sys.modules.get("scipy.stats")
    kept = [] if stats is None else list(vars(stats).values())
    return [
        (kind, "_random_state", _FAKE_GLOBAL)
        for kind in kept
        if getattr(kind, "_random_state", None) is _global
    ]


_FAKES = {name: _bit_generator(name) for name in _BIT_GENERATORS}
_ARRAYS = {name: _containing(getattr(np, name)) for name in ("array", "asarray", "asanyarray")}


def state_of(generator: Any) -> Any:
    """A value that changes when a real `Generator` or `RandomState` is drawn from.

    One that was made without being set up has nothing to draw from, and None for a state.
    """
    is_new = isinstance(generator, RealGenerator)
    bits = getattr(generator, "bit_generator" if is_new else "_bit_generator", None)
    return None if bits is None else state_key(bits)


def everywhere() -> list[Any]:
    """All real generators that memory holds, which is searched, but for the global one."""
    kinds = (RealGenerator, RealRandomState)
    # By type: isinstance would ask objects for a class, and deprecated ones warn when asked.
    found = [g for g in gc.get_objects() if issubclass(type(g), kinds)]
    return [g for g in found if g is not _global and not isinstance(g, Draws)]


def adopted(generator: Any) -> Any:
    """A fake in the place of a real generator that was made before: it starts where that is."""
    if generator is _global:
        return _FAKE_GLOBAL
    is_new = isinstance(generator, RealGenerator)
    fake = FakeGenerator(0) if is_new else FakeRandomState(0)
    fake._stream = Stream(state_of(generator))
    fake._real = generator
    return fake


_address = ctypes.cast(_global._bit_generator.ctypes.state_address, ctypes.c_void_p).value


def global_state() -> bytes:
    """The state of NumPy's global generator: the key and the position in it."""
    assert _address is not None
    return ctypes.string_at(_address, 624 * 4 + 4)


def set_global_state(state: bytes) -> None:
    """Put NumPy's global generator back."""
    assert _address is not None
    ctypes.memmove(_address, state, len(state))
