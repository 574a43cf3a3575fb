"""Fakes of NumPy's generators, each with its stream.

They are subclasses of the real classes, so that code which asks for those is content. Every public
method is modelled (`numpy_calls`) or refuses by name (`numpy_patches`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .numpy_calls import Draws
from .numpy_states import seeded, state_key
from .scalars import Scalar
from .session import active, current
from .streams import Stream

RealGenerator: Any = np.random.Generator
RealRandomState: Any = np.random.RandomState
_default_rng = np.random.default_rng
#: Fakes are subclasses of C classes, whose parts are never used: one bit generator does for all.
_UNUSED = np.random.PCG64(0)


class FakeGenerator(Draws, RealGenerator):
    """`numpy.random.Generator`, with its stream."""

    def __init__(self, seed: Any = None) -> None:
        RealGenerator.__init__(self, _UNUSED)
        if isinstance(seed, FakeBitGenerator):
            self._stream, self._real = seed.stream, seed.generator()
            self._bits: Any = seed
            return
        self._stream = Stream(seeded("PCG64", _plain(seed)))
        self._real = None if current() is not None else _default_rng(seed)
        self._bits = None

    @property
    def bit_generator(self) -> Any:
        """The fake of the bit generator, which has the stream."""
        if self._bits is None:
            self._bits = FakeBitGenerator(stream=self._stream)
        return self._bits

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:  # fmt: skip
        """Integers in [low, high), or with ``endpoint`` in [low, high]."""
        if current() is None:
            return self.outside("integers", (low, high, size, dtype, endpoint), {})
        return self.between(low, high, size, endpoint, dtype)

    def spawn(self, n_children: int) -> list[FakeGenerator]:
        """Generators with streams of their own."""
        session = current()
        if session is None:
            raise RuntimeError("draftproof: Generator.spawn is modelled while a path runs only")
        key, position = self._stream.where(session)
        children = [FakeGenerator(0) for _ in range(n_children)]
        for number, child in enumerate(children):
            child._stream = Stream(("spawned", key, position, number))
        return children


class FakeRandomState(Draws, RealRandomState):
    """`numpy.random.RandomState`, with its stream."""

    def __init__(self, seed: Any = None) -> None:
        self._stream = Stream(seeded("RandomState", _plain(seed)))
        self._real = RealRandomState(seed) if current() is None else None

    def seed(self, seed: Any = None) -> None:
        """Start the stream of this seed."""
        session = current()
        self._stream.go(session, (seeded("RandomState", _plain(seed)), 0))
        if session is None:
            self._real.seed(seed)

    def get_state(self, legacy: bool = True) -> Any:
        """Where the stream is."""
        session = current()
        if session is None:
            return self._real.get_state(legacy)
        return ("draftproof", self._stream.where(session))

    def set_state(self, state: Any) -> None:
        """Go back to where `get_state` was called."""
        session = current()
        if session is None:
            self._real.set_state(state)
        elif isinstance(state, tuple) and state[0] == "draftproof":
            self._stream.go(session, state[1])
        else:
            scratch = RealRandomState(0)
            scratch.set_state(state)
            self._stream.go(session, (state_key(scratch._bit_generator), 0))

    def random(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, size: Any = None
    ) -> Any:
        """Uniform numbers in [0, 1)."""
        if current() is None:
            return self.outside("random", (size,), {})
        return super().random(size)

    random_sample = random

    def standard_exponential(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, size: Any = None
    ) -> Any:
        """Exponential numbers of mean one."""
        if current() is None:
            return self.outside("standard_exponential", (size,), {})
        return super().standard_exponential(size)

    def rand(self, *shape: int) -> Any:
        """Uniform numbers in this shape."""
        return self.random(shape or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Integers in [low, high)."""
        if current() is None:
            return self.outside("randint", (low, high, size, dtype), {})
        return self.between(low, high, size, False, dtype)

    def permutation(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, x: Any
    ) -> Any:
        """A permutation of few things."""
        return (
            self.outside("permutation", (x,), {}) if current() is None else super().permutation(x)
        )

    def shuffle(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, x: Any
    ) -> None:
        """A permutation in place, of few things."""
        if current() is None:
            self.outside("shuffle", (x,), {})
        else:
            super().shuffle(x)

    def choice(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None
    ) -> Any:
        """Draws from a row of probabilities, or from equal ones."""
        return super().choice(a, size, replace, p)


class FakeBitGenerator:
    """A bit generator: a stream, whose raw bits are refused while a path runs."""

    real: Any = np.random.PCG64

    def __init__(self, seed: Any = None, *, stream: Stream | None = None) -> None:
        self.stream = stream or Stream(seeded(self.real.__name__, _plain(seed)))
        self._seed = seed

    def generator(self) -> Any:
        """A real generator with this seed; None while a path runs."""
        return None if current() is not None else RealGenerator(self.real(self._seed))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if current() is not None:
            raise active().refuse(f"numpy.random.{self.real.__name__}.{name}")
        return getattr(self.real(self._seed), name)


def _plain(seed: Any) -> Any:
    """A seed that is no undrawn number."""
    if isinstance(seed, Scalar):
        raise seed.element.refuse("a seed")
    return seed
