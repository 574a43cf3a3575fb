"""The random calls of NumPy's generators: undrawn numbers while a path runs, real ones outside."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import cells as cellwise
from . import numpy_ufuncs  # noqa: F401 - gives arrays their operators
from .arithmetic import add, multiply
from .coins import Coin
from .lazy import Lazy
from .session import Session, active, current
from .streams import Stream, drawn, exponential, gumbel, inverted, uniform
from .undrawn_numpy import UndrawnArray, finish

MOST_INTEGERS = 10_000


class Draws:
    """The methods that `Generator` and `RandomState` share; a mixin over a stream."""

    _stream: Stream
    _real: Any

    def outside(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The real call, outside of paths."""
        key, position = self._stream.where(None)
        self._stream.go(None, (("continued", key), position + 1))
        return getattr(self._real, name)(*args, **kwargs)

    def _cells(
        self, session: Session, kind: str, size: Any, make: Callable[..., Any], dtype: Any = float
    ) -> Any:
        """An array of independent numbers, or one number."""
        shape = _shape(size) or ()
        coins = self._stream.coins(session, kind, math.prod(shape))
        name = np.dtype(dtype).name
        return cellwise.of([make(session, coin, name) for coin in coins], shape)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Uniform numbers in [0, 1)."""
        session = current()
        if session is None:
            return self.outside("random", (size, dtype, out), {})
        _no_out(session, out)
        cells = self._cells(session, f"random() of {np.dtype(dtype)}", size, uniform, dtype)
        return finish(cells, dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Uniform numbers in [low, high)."""
        session = current()
        if session is None:
            return self.outside("uniform", (low, high, size), {})
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        shape = np.broadcast_shapes(low.shape, high.shape) if size is None else _shape(size)
        cells = self._cells(session, "random() of float64", shape, uniform)
        return finish(_affine(cells, high - low, low), float)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Exponential numbers of mean one."""
        session = current()
        if session is None:
            return self.outside("standard_exponential", (size, dtype, method, out), {})
        _no_out(session, out)
        kind = f"standard_exponential of {np.dtype(dtype)}, {method}"
        return finish(self._cells(session, kind, size, exponential, dtype), dtype)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Exponential numbers of the given mean."""
        session = current()
        if session is None:
            return self.outside("exponential", (scale, size), {})
        scale = np.asarray(scale, dtype=float)
        shape = scale.shape if size is None else _shape(size)
        kind = "standard_exponential of float64, zig"
        cells = self._cells(session, kind, shape, exponential)
        return finish(_affine(cells, scale, np.zeros(())), float)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Gumbel numbers."""
        session = current()
        if session is None:
            return self.outside("gumbel", (loc, scale, size), {})
        loc, scale = np.asarray(loc, dtype=float), np.asarray(scale, dtype=float)
        shape = np.broadcast_shapes(loc.shape, scale.shape) if size is None else _shape(size)
        cells = self._cells(session, "gumbel", shape, gumbel)
        return finish(_affine(cells, scale, loc), float)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, **options: Any
    ) -> Any:
        """Draws from a row of probabilities, or from equal ones."""
        session = current()
        if session is None:
            return self.outside("choice", (a, size, replace, p), options)
        population = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        shape = _shape(size)
        count = 1 if shape is None else math.prod(shape)
        if options.get("axis", 0) != 0:
            raise session.refuse("numpy.random choice with an axis")
        if not replace and count > 1:
            if p is None:
                raise session.refuse("numpy.random choice without replacement, and without p")
            indices = self._distinct(session, np.asarray(p), len(population), count)
        elif p is None:
            indices = self._integers(session, len(population), count)
        else:
            cumulative = _cumulative(session, p, len(population))
            coins = self._stream.coins(session, "random() of float64", count)
            indices = [_by_inversion(session, coin, cumulative) for coin in coins]
        if shape is None:
            return population[indices[0].decide()]
        if population.ndim != 1:
            return population[np.array([k.decide() for k in indices]).reshape(shape)]
        values = population.tolist()
        cells = [Lazy(lambda k=k: values[k.decide()]) for k in indices]
        return finish(cellwise.of(cells, shape), population.dtype)

    def _distinct(self, session: Session, p: Any, count: int, draws: int) -> list[Lazy]:
        """Indices drawn one after another, each with the weights of those that are left.

        NumPy draws as many as are missing, keeps the new ones in the order of their first
        appearance, and draws again without those. New ones among draws that may repeat are
        draws from what is left, so the law of the whole sequence is the same.
        """
        if draws > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        _cumulative(session, p, count)  # checks them
        weights = p.astype(float).tolist()
        if sum(weight > 0.0 for weight in weights) < draws:
            raise ValueError("Fewer non-zero entries in p than size")
        # How the later numbers of the stream are used depends on all of these.
        kind = ("choice without replacement", tuple(weights), draws)
        coins = self._stream.coins(session, kind, draws)
        found: list[Lazy] = []

        def following(number: int) -> int:
            left = weights.copy()
            for before in found[:number]:
                left[before.decide()] = 0.0
            return drawn(session, coins[number], left)

        found += [Lazy(lambda number=number: following(number)) for number in range(draws)]
        return found

    def _integers(self, session: Session, count: int, draws: int) -> list[Lazy]:
        if count > MOST_INTEGERS:
            raise session.refuse(f"an integer from numpy.random below {count}")
        coins = self._stream.coins(session, f"an integer below {count}", draws)
        return [Lazy(lambda coin=coin: drawn(session, coin, [1.0] * count)) for coin in coins]

    def between(self, low: Any, high: Any, size: Any, closed: bool, dtype: Any) -> Any:
        """Integers in [low, high), or in [low, high] if ``closed``."""
        session = active()
        if np.ndim(low) or np.ndim(high):
            raise session.refuse("numpy.random integers with arrays of bounds")
        low, high = (0, int(low)) if high is None else (int(low), int(high))
        if high + closed <= low:
            raise ValueError("low >= high")
        shape = _shape(size)
        draws = self._integers(session, high + closed - low, math.prod(shape or ()))
        if shape is None:
            return np.dtype(dtype).type(low + draws[0].decide())
        cells = [Lazy(lambda k=k: low + k.decide()) for k in draws]
        return finish(cellwise.of(cells, shape), dtype)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Counts of draws from a row of probabilities; one draw is modelled."""
        session = current()
        if session is None:
            return self.outside("multinomial", (n, pvals, size), {})
        if np.ndim(n) or int(n) != 1 or np.ndim(pvals) != 1:
            raise session.refuse("numpy.random multinomial of more than one draw")
        cumulative = _cumulative(session, pvals, len(pvals))
        shape = _shape(size) or ()
        coins = self._stream.coins(session, "multinomial", math.prod(shape))
        rows = [np.eye(len(pvals), dtype=int)[inverted(session, c, cumulative)] for c in coins]
        return np.array(rows).reshape(*shape, len(pvals))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """A permutation in place, of few things."""
        session = current()
        if session is None:
            self.outside("shuffle", (x, axis), {})
            return
        if axis != 0 or isinstance(x, UndrawnArray):
            raise session.refuse("numpy.random shuffle with an axis")
        for i in range(len(x) - 1, 0, -1):
            j = self._integers(session, i + 1, 1)[0].decide()
            x[i], x[j] = (x[j].copy(), x[i].copy()) if np.ndim(x[i]) else (x[j], x[i])

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """A permutation of few things."""
        if current() is None:
            return self.outside("permutation", (x, axis), {})
        result = np.arange(x) if np.ndim(x) == 0 else np.array(x)
        self.shuffle(result, axis)
        return result


def _by_inversion(session: Session, coin: Coin, cumulative: list[float]) -> Lazy:
    return Lazy(lambda: inverted(session, coin, cumulative))


def _shape(size: Any) -> tuple[int, ...] | None:
    if size is None:
        return None
    return (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)


def _no_out(session: Session, out: Any) -> None:
    if out is not None:
        raise session.refuse("numpy.random with out=")


def _affine(cells: Any, scale: Any, shift: Any) -> Any:
    scaled = cellwise._map(multiply, cells, cellwise.from_numbers(scale))
    return cellwise._map(add, scaled, cellwise.from_numbers(shift))


def _cumulative(session: Session, p: Any, count: int) -> list[float]:
    """The cumulative sum of probabilities that NumPy would take."""
    p = np.asarray(p)
    session.saw(p.dtype.name)
    row = p.astype(float).ravel()
    if p.ndim != 1 or len(row) != count:
        raise ValueError("'a' and 'p' must have same size")
    if np.isnan(row).any():
        raise ValueError("probabilities contain NaN")
    if (row < 0).any():
        raise ValueError("probabilities are not non-negative")
    tolerance = max(1.5e-8, float(np.sqrt(np.finfo(p.dtype).eps)) if p.dtype.kind == "f" else 0.0)
    if not abs(math.fsum(row.tolist()) - 1.0) <= tolerance:
        raise ValueError("probabilities do not sum to 1")
    return np.cumsum(row).tolist()
