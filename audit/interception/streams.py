"""Streams: where a generator stands, so that the same place gives the same variables again.

A variable is identified by the stream of its generator (which seed it was given, in which family of
generators) and its position there. A generator that is seeded again with the same seed, or a second
one with that seed, is at a place where variables were drawn before, and gives those.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from itertools import accumulate
from typing import Any

from .coins import Coin
from .elements import EXPONENTIAL, GUMBEL, Element
from .endpoints import BELOW_ONE, exponential_at
from .session import Session


class Unseeded:
    """The stream of a generator that was not seeded: its own, and nobody else's."""

    __slots__ = ()


class Stream:
    """Where one generator stands. What a path changes is forgotten when the next one starts."""

    __slots__ = ("_base", "_epoch", "_position")

    def __init__(self, key: Hashable, position: int = 0) -> None:
        self._base: tuple[Hashable, int] = (key, position)
        self._epoch = 0
        self._position = self._base

    def where(self, session: Session | None) -> tuple[Hashable, int]:
        """The stream's key and the position in it."""
        if session is None:
            return self._base
        if self._epoch != id(session) + session.epoch:
            self._epoch = id(session) + session.epoch
            self._position = self._base
        return self._position

    def go(self, session: Session | None, where: tuple[Hashable, int]) -> None:
        """Continue there: for good outside of a path, for the rest of the path inside."""
        if session is None:
            self._base = where
        else:
            self.where(session)
            self._position = where

    def coins(self, session: Session, kind: Hashable, count: int) -> list[Coin]:
        """The next ``count`` variables."""
        key, position = self.where(session)
        self._position = (key, position + count)
        return [session.coin(key, position + k, kind) for k in range(count)]


def uniform(session: Session, coin: Coin, dtype: str = "float64") -> Any:
    """The coin as a cell."""
    return Element(coin) if session.fill is None else _filled(session, dtype)


def exponential(session: Session, coin: Coin, dtype: str = "float64") -> Any:
    """A standard exponential as a cell."""
    if session.fill is None:
        return Element(coin, EXPONENTIAL)
    return exponential_at(_filled(session, dtype))


def gumbel(session: Session, coin: Coin, dtype: str = "float64") -> Any:
    """A standard Gumbel number as a cell: minus the logarithm of an exponential."""
    if session.fill is None:
        return Element(coin, GUMBEL, -1.0)
    return -math.log(exponential_at(_filled(session, dtype)))


def _filled(session: Session, dtype: str) -> float:
    """The constant that uniforms are, as this dtype can hold it."""
    assert session.fill is not None
    return min(session.fill, BELOW_ONE.get(dtype, 1.0))


def drawn(session: Session, coin: Coin, weights: Iterable[float]) -> int:
    """An index drawn with these weights, by the inverse of their cumulative sum."""
    return inverted(session, coin, list(accumulate(weights)))


def inverted(session: Session, coin: Coin, cumulative: list[float]) -> int:
    """The index at which this cumulative sum, of any total, passes the coin."""
    total = cumulative[-1]
    thresholds = [value / total for value in cumulative[:-1]]
    session.operations += len(cumulative)
    if session.fill is not None:
        return sum(threshold <= session.fill for threshold in thresholds)
    return coin.interval(thresholds, session.choices)
