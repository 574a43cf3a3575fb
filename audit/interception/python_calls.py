"""The standard library's `random`: undrawn numbers while a path runs, real ones outside.

`random.Random` is a Python class, so its methods are replaced on the class: every instance,
wherever it is kept and whenever it was made, is answered. The module's functions are methods bound
to a hidden instance and are replaced one by one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, wraps
from itertools import accumulate
from typing import Any

from .arithmetic import divide, log, negative, subtract
from .scalars import plain_or_scalar
from .session import Session, current
from .streams import Stream, Unseeded, drawn, inverted, uniform

#: Ranges with more numbers than this are refused: each would be a path.
MOST_INTEGERS = 10_000

_GLOBAL: random.Random = random._inst  # type: ignore[attr-defined]
_REAL = {
    name: getattr(random.Random, name)
    for name in dir(random.Random)
    if callable(getattr(random.Random, name))
}
_UNSEEDED = Unseeded()


def global_state() -> Any:
    """The state of the module's hidden instance."""
    return _REAL["getstate"](_GLOBAL)


def set_global_state(state: Any) -> None:
    """Put the module's hidden instance back."""
    _REAL["setstate"](_GLOBAL, state)


def _stream(self: random.Random, session: Session) -> Stream:
    """The stream of an instance: where its real state is, until it is seeded."""
    known = session.streams.get(id(self))
    if known is None:
        key: Hashable = _UNSEEDED if self is _GLOBAL else ("random", hash(_REAL["getstate"](self)))
        known = session.streams[id(self)] = (self, Stream(key))
    return known[1]


@lru_cache(maxsize=256)
def _state_of(version: int, kind: type, seed: Any) -> Hashable:
    """The key of the stream that a seed starts."""
    scratch = random.Random.__new__(random.Random)
    _REAL["seed"](scratch, seed, version)
    return "random", hash(_REAL["getstate"](scratch))


# ---- the modelled methods -----------------------------------------------------------------------


def _seed(self: random.Random, session: Session, a: Any = None, version: int = 2) -> None:
    known = session.streams.get(id(self))
    if known is None:
        known = session.streams[id(self)] = (self, Stream(Unseeded()))
    key = Unseeded() if a is None else _state_of(version, type(a), a)
    known[1].go(session, (key, 0))
    self.gauss_next = None  # type: ignore[attr-defined]


def _getstate(self: random.Random, session: Session) -> Any:
    return ("draftproof", _stream(self, session).where(session))


def _setstate(self: random.Random, session: Session, state: Any) -> None:
    if state[0] == "draftproof":
        _stream(self, session).go(session, state[1])
    else:
        _stream(self, session).go(session, (("random", hash(state)), 0))


def _random(self: random.Random, session: Session) -> Any:
    coin = _stream(self, session).coins(session, "random()", 1)[0]
    return plain_or_scalar(uniform(session, coin))


def _randbelow(self: random.Random, session: Session, n: int) -> int:
    if n > MOST_INTEGERS:
        raise session.refuse(f"an integer from random below {n}")
    coin = _stream(self, session).coins(session, f"an integer below {n}", 1)[0]
    return drawn(session, coin, [1.0] * n)


def _getrandbits(self: random.Random, session: Session, k: int) -> int:
    return _randbelow(self, session, 2**k)


def _choices(
    self: random.Random,
    session: Session,
    population: Sequence[Any],
    weights: Any = None,
    *,
    cum_weights: Any = None,
    k: int = 1,
) -> list[Any]:
    if weights is not None and cum_weights is not None:
        raise TypeError("Cannot specify both weights and cumulative weights")
    if cum_weights is None:
        each = [1.0] * len(population) if weights is None else weights
        cum_weights = accumulate(each)
    cumulative: list[float] = []
    for weight in cum_weights:
        session.saw(getattr(getattr(weight, "dtype", None), "name", ""))
        cumulative.append(float(weight))
    if len(cumulative) != len(population):
        raise ValueError("The number of weights does not match the population")
    if not cumulative:
        raise IndexError("list index out of range")
    if not cumulative[-1] > 0.0:
        raise ValueError("Total of weights must be greater than zero")
    if not math.isfinite(cumulative[-1]):
        raise ValueError("Total of weights must be finite")
    coins = _stream(self, session).coins(session, "random()", k)
    return [population[inverted(session, coin, cumulative)] for coin in coins]


def _expovariate(self: random.Random, session: Session, lambd: float = 1.0) -> Any:
    u = uniform(session, _stream(self, session).coins(session, "random()", 1)[0])
    return plain_or_scalar(divide(negative(log(subtract(1.0, u))), lambd))


MODELLED: dict[str, Callable[..., Any]] = {
    "seed": _seed,
    "getstate": _getstate,
    "setstate": _setstate,
    "random": _random,
    "_randbelow": _randbelow,
    "getrandbits": _getrandbits,
    "choices": _choices,
    "expovariate": _expovariate,
}
REFUSED = tuple(
    name
    for name in (
        *("betavariate", "binomialvariate", "gammavariate", "gauss", "lognormvariate"),
        *("normalvariate", "paretovariate", "randbytes", "triangular", "vonmisesvariate"),
        "weibullvariate",
    )
    if name in _REAL
)
#: Methods that draw through the ones above.
_DERIVED = ("choice", "randint", "randrange", "sample", "shuffle", "uniform")


def _method(name: str) -> Callable[..., Any]:
    real, modelled = _REAL[name], MODELLED.get(name)

    @wraps(real)
    def method(self: random.Random, *args: Any, **kwargs: Any) -> Any:
        session = current()
        if session is None:
            return real(self, *args, **kwargs)
        if isinstance(self, random.SystemRandom):
            raise session.refuse("random.SystemRandom")
        if modelled is None:
            raise session.refuse(f"random.{name}")
        return modelled(self, session, *args, **kwargs)

    return method


_METHODS = {name: _method(name) for name in (*MODELLED, *REFUSED)}


def _function(name: str) -> Callable[..., Any]:
    """A function of the module; outside of paths the real one."""
    real = getattr(random, name)
    method = _METHODS.get(name) or _REAL[name]

    @wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return real(*args, **kwargs)
        return method(_GLOBAL, *args, **kwargs)

    return function


_FUNCTIONS = {
    name: _function(name)
    for name in (*MODELLED, *REFUSED, *_DERIVED)
    if hasattr(random, name) and not name.startswith("_")
}


def patches() -> list[tuple[Any, str, Any]]:
    """The functions to replace: (module, name, fake)."""
    return [(random, name, fake) for name, fake in _FUNCTIONS.items()]


def class_patches() -> list[tuple[Any, str, Any]]:
    """The methods to replace while paths run: (class, name, fake)."""
    system = random.SystemRandom
    return [
        *((random.Random, name, fake) for name, fake in _METHODS.items()),
        *((system, name, _METHODS[name]) for name in ("random", "getrandbits")),
    ]
