"""Triton kernels with their random numbers replaced, and every number they ask for recorded.

vLLM's GPU samplers draw inside their kernels, from hashes: of a request's seed, of a position, of
an id. The law over ideal hashes is that of independent coins, one for each *key*; two draws under
one key are one coin. `drawing` puts a `CoinSource` in the place of the hashes, so that the kernel
becomes a deterministic function of coins, and the keys it asked under can be read off afterwards.

Two kinds of draw are told apart by shape: a single number in [0, 1) decides an acceptance, a number
for every id is the noise of a race. For a race the source gives exponential numbers E; the kernel
adds ``-log(E)`` to its logits, as it would add ``-log(-log1p(-u))`` with uniform u.

What is replaced, by release (each is looked for, so a release may have either or both):

- ``tl.rand(seed, offset)`` (all releases): the acceptance's number, below ``tl_rand32``, whose
  clamping stays. Up to 0.31 also the noise, with ``tl.randint(seed, pos)`` as its seed.
- ``murmur3_uniform32(seed, pos, keys)`` (0.32): the noise.
- the last logarithm on the way from u to Gumbel noise, which the exponential number has behind it:
  ``tldevice.log1p`` in gumbel.py, or ``_log1p_neg_stable`` (0.32), checked on its own in `numbers`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from .language import Language, block

#: Draws of more numbers than this are noise over ids; an acceptance draws one.
_SINGLE = 1


@dataclass(frozen=True)
class Key:
    """Where a random number comes from.

    Attributes:
        stream: the function that made it: "philox" (``tl.rand``), "murmur3", or "philox of philox"
            (``tl.rand`` seeded with ``tl.randint``).
        seed: the request's seed.
        position: the position in the request, with whatever salt the kernel adds to it.
    """

    stream: str
    seed: int
    position: int

    def __str__(self) -> str:
        return f"{self.stream}(seed {self.seed}, position {self.position})"


class CoinSource:
    """Gives a kernel its numbers by key; subclasses say which.

    Attributes:
        asked: what was asked for since the last `forget`: (key, "accept" or "noise"), in order.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[Key, str]] = []

    def forget(self) -> None:
        """Empty the record."""
        self.asked.clear()

    def accept(self, key: Key) -> float:
        """A number in [0, 1)."""
        raise NotImplementedError

    def noise(self, key: Key, ids: Any) -> Any:
        """Exponential numbers for ``ids``, an integer array."""
        raise NotImplementedError


class Recorder(CoinSource):
    """Plain numbers, for when only the keys matter: halves, and noise that favours id 0."""

    def accept(self, key: Key) -> float:
        """One half."""
        del key
        return 0.5

    def noise(self, key: Key, ids: Any) -> Any:
        """Increasing with the id."""
        del key
        return 1.0 + ids


class Coins(CoinSource):
    """Coins given by the audit, allotted to keys in the order in which they are first asked for.

    Args:
        accept: numbers in [0, 1).
        noise: rows of exponential numbers, one a key.
    """

    def __init__(self, accept: Any, noise: Any) -> None:
        super().__init__()
        self._accept = list(accept)
        self._noise = list(noise)
        self._of: dict[tuple[Key, str], int] = {}

    def accept(self, key: Key) -> float:
        """The coin of ``key``."""
        return float(self._accept[self._place(key, "accept", len(self._accept))])

    def noise(self, key: Key, ids: Any) -> Any:
        """The noise of ``key``; ids beyond the row get noise that never wins."""
        row = np.asarray(self._noise[self._place(key, "noise", len(self._noise))], dtype=np.float64)
        numbers = np.full(ids.shape, 1e30)
        inside = (ids >= 0) & (ids < len(row))
        numbers[inside] = row[ids[inside]]
        return numbers

    def _place(self, key: Key, role: str, available: int) -> int:
        known = [place for (_, r), place in self._of.items() if r == role]
        place = self._of.setdefault((key, role), len(known))
        if place >= available:
            raise RuntimeError(f"the kernel draws under more keys than it has {role} coins: {key}")
        return place


@contextmanager
def drawing(modules: dict[str, ModuleType], source: CoinSource) -> Iterator[None]:
    """Kernels of ``modules`` draw from ``source`` inside."""
    tl: Any = next(m.tl for m in modules.values() if "tl" in vars(m))
    if not isinstance(tl, Language):
        _enter_interpreter_once()
    seeds: dict[int, Key] = {}

    def rand(seed: Any, offset: Any, *rest: Any) -> Any:
        del rest
        seed_number = _number(seed)
        offsets = _array(offset)
        if offsets.size == _SINGLE:
            key = seeds.get(seed_number) or Key("philox", seed_number, int(offsets.reshape(-1)[0]))
            source.asked.append((key, "accept"))
            return _tensor(np.array([source.accept(key)]), offset)
        key = seeds.get(seed_number) or Key("philox", seed_number, -1)
        source.asked.append((key, "noise"))
        return _tensor(source.noise(key, offsets), offset)

    def randint(seed: Any, offset: Any, *rest: Any) -> Any:
        del rest
        key = Key("philox of philox", _number(seed), _number(offset))
        name = -1_000_000_007 - len(seeds)  # no request's seed
        name = next((n for n, known in seeds.items() if known == key), name)
        seeds[name] = key
        return tl.full((), name, tl.int64)

    def murmur(seed: Any, pos: Any, keys: Any) -> Any:
        key = Key("murmur3", _number(seed), _number(pos))
        ids = _array(keys)
        if ids.size == _SINGLE:
            source.asked.append((key, "accept"))
            return _tensor(np.array([source.accept(key)]), keys)
        source.asked.append((key, "noise"))
        return _tensor(source.noise(key, ids), keys)

    with _replaced() as replace:
        replace(tl, "rand", rand)
        replace(tl, "randint", randint)
        replace(tl, "randint4x", _not_modelled("tl.randint4x"))
        for module in modules.values():
            held = vars(module)
            if "murmur3_uniform32" in held:
                replace(module, "murmur3_uniform32", murmur)
                replace(module, "murmur3_uniform64", _not_modelled("murmur3_uniform64"))
            if "_log1p_neg_stable" in held:
                replace(module, "_log1p_neg_stable", lambda value: -value)
            if module.__name__.endswith("sample.gumbel") and "tldevice" in held:
                replace(module, "tldevice", SimpleNamespace(log1p=lambda value: value))
        yield


@contextmanager
def _replaced() -> Iterator[Callable[[Any, str, Any], None]]:
    saved: list[tuple[Any, str, Any]] = []

    def replace(holder: Any, name: str, value: Any) -> None:
        saved.append((holder, name, getattr(holder, name)))
        setattr(holder, name, value)

    try:
        yield replace
    finally:
        for holder, name, value in reversed(saved):
            setattr(holder, name, value)


def _not_modelled(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{name} is not modelled: use_fp64_gumbel is outside this audit")

    return refuse


def _array(value: Any) -> Any:
    handle = getattr(value, "handle", None)
    return np.asarray(value if handle is None else handle.data).astype(np.int64)


def _number(value: Any) -> int:
    return int(_array(value).reshape(-1)[0])


def _tensor(numbers: Any, like: Any) -> Any:
    """float32 ``numbers`` as a block of the same language as ``like``, a scalar where it is one."""
    if isinstance(like, np.ndarray | int):
        return block(np.asarray(numbers, dtype=np.float32).reshape(np.shape(like)))
    tl = import_module("triton.language")
    handle = import_module("triton.runtime.interpreter").TensorHandle

    data = np.asarray(numbers, dtype=np.float32)
    shape = list(getattr(like, "shape", ()))
    kind = tl.block_type(tl.float32, shape) if shape else tl.float32
    return tl.core.tensor(handle(data.reshape(shape or [1]), tl.float32), kind)


class _Stay:
    """What the interpreter undoes after a kernel: nothing."""

    def restore(self) -> None:
        """Leave the language patched."""


@functools.cache
def _enter_interpreter_once() -> None:
    """Patch Triton's language for the interpreter once, not at every call of every function.

    The interpreter does so for each kernel and again for each function a kernel calls, which is
    most of its time; what it does is the same each time. Where its parts have other names than in
    Triton 3.9 it is left as it is, only slower.
    """
    tl = import_module("triton.language")
    interpreter = import_module("triton.runtime.interpreter")
    patch = getattr(interpreter, "_patch_lang", None)
    if patch is None:
        return

    sees = SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
    try:
        patch(sees)
    except Exception:
        return
    setattr(interpreter, "_patch_lang", lambda fn: _Stay())  # noqa: B010 - a private name
