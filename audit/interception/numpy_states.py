"""The streams of NumPy's generators, named by the true state that a seed or a history gives."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

from .session import running
from .streams import Unseeded

_CLASSES = {
    name: getattr(np.random, name)
    for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64")
}


def state_key(bit_generator: Any) -> Hashable:
    """A key that is equal for bit generators that will give the same bits."""
    return _frozen(bit_generator.state)


def _frozen(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple((name, _frozen(part)) for name, part in sorted(value.items()))
    return value.tobytes() if isinstance(value, np.ndarray) else value


def seeded(name: str, seed: Any) -> Hashable:
    """The key of the stream that a seed starts in a kind of generator."""
    if seed is None:
        return Unseeded()
    if isinstance(seed, (int, np.integer)):
        return _of_integer(name, int(seed))
    return _of_seed(name, seed)


@lru_cache(maxsize=256)
def _of_integer(name: str, seed: int) -> Hashable:
    return _of_seed(name, seed)


def _of_seed(name: str, seed: Any) -> Hashable:
    with running(None):  # the true generators take entropy before they are seeded
        made = _CLASSES[name](seed)
    return state_key(made._bit_generator if name == "RandomState" else made)
