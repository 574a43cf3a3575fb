"""Putting a subject back to how it was before its first call.

The law of a subject that remembers earlier calls is the law of its *first* call; what it remembers
within one request, or from one request to the next, is checked by programs that make both calls.
Only plain data is put back: containers, numbers, arrays, and instances of classes defined beside
the subject, wherever its globals, defaults, closure or attributes hold them. Everything else
(modules, generators, models) is left as it is; if it changes, the replay notices. While a path
runs, copies hold the fakes of generators, as the places that they are put in did.
"""

from __future__ import annotations

import functools
import gc
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ..interception import places

_CACHED = functools._lru_cache_wrapper  # the type, which has no other name
_ATOMS = (int, float, complex, str, bytes, bool, type(None), range)


class Snapshot:
    """The plain data that ``call`` can reach, as it is now."""

    def __init__(self, call: Callable[..., Any]) -> None:
        function = _function(call)
        self._module = getattr(function, "__module__", None)
        self._places: list[tuple[Any, str, Any]] = []
        self._cells: list[tuple[Any, Any]] = []
        self._caches: list[tuple[Any, int]] = []
        if function is not call:
            owner = getattr(call, "__self__", call)
            self._note_instance(owner)
        if isinstance(function, types.FunctionType):
            self._note_function(function, set())

    def restore(self) -> None:
        """Put everything back; what is handed out are copies, so that this can be done again."""
        places.afterwards(self, self.restore)  # so that no fake is left
        memo: dict[int, Any] = {}
        for holder, name, value in self._places:
            copied = self._copy(value, memo)
            if isinstance(holder, dict):
                holder[name] = copied
            elif isinstance(holder, type):
                type.__setattr__(holder, name, copied)
            else:
                object.__setattr__(holder, name, copied)
        for cell, value in self._cells:
            cell.cell_contents = self._copy(value, memo)
        for function, size in self._caches:  # what a path put in is not for the next
            if function.cache_info().currsize != size:
                function.cache_clear()

    def _note_function(self, function: types.FunctionType, seen: set[int]) -> None:
        if id(function) in seen:
            return
        seen.add(id(function))
        memo: dict[int, Any] = {}
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name):
                self._places.append((function, name, self._copy(getattr(function, name), memo)))
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # not filled in yet
                continue
            if isinstance(value, types.FunctionType):
                self._note_function(value, seen)
            elif isinstance(value, _CACHED):
                self._note_cache(value)
            elif self._is_plain(value):
                self._cells.append((cell, self._copy(value, memo)))
        for name, value in list(vars(function).items()):
            if self._is_plain(value):
                self._places.append((vars(function), name, self._copy(value, memo)))
        for name, value in list(function.__globals__.items()):
            if name.startswith("__"):
                continue
            if isinstance(value, _CACHED) and value.__module__ == self._module:
                self._note_cache(value)
                continue
            if isinstance(value, types.FunctionType) and value.__module__ == self._module:
                if value.__globals__ is function.__globals__:
                    self._note_helper(value, memo)
            elif self._is_plain(value):
                self._places.append((function.__globals__, name, self._copy(value, memo)))

    def _note_cache(self, function: Any) -> None:
        """What `functools.lru_cache` made; a generator that it may hold is dropped."""
        if _may_hold_generator(function):
            function.cache_clear()
        self._caches.append((function, function.cache_info().currsize))

    def _note_helper(self, function: types.FunctionType, memo: dict[int, Any]) -> None:
        """Defaults and attributes of a function beside the subject."""
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name):
                self._places.append((function, name, self._copy(getattr(function, name), memo)))
        for name, value in list(vars(function).items()):
            if self._is_plain(value):
                self._places.append((vars(function), name, self._copy(value, memo)))

    def _note_instance(self, owner: Any) -> None:
        memo: dict[int, Any] = {}
        for name, value in list(getattr(owner, "__dict__", {}).items()):
            if self._is_plain(value) and not (isinstance(owner, type) and name.startswith("__")):
                self._places.append((owner, name, self._copy(value, memo)))

    def _is_plain(self, value: Any) -> bool:
        if isinstance(value, type | types.ModuleType | types.FunctionType):
            return False
        return (
            isinstance(value, (*_ATOMS, list, dict, set, frozenset, tuple, deque, bytearray))
            or _is_array(value)
            or self._is_own_instance(value)
        )

    def _is_own_instance(self, value: Any) -> bool:
        return type(value).__module__ == self._module and hasattr(value, "__dict__")

    def _copy(self, value: Any, memo: dict[int, Any]) -> Any:
        if isinstance(value, _ATOMS):
            return value
        if id(value) in memo:
            return memo[id(value)]
        copied: Any = value
        if isinstance(value, list | deque | set):
            copied = type(value)()
            memo[id(value)] = copied
            parts = [self._copy(part, memo) for part in value]
            copied.update(parts) if isinstance(copied, set) else copied.extend(parts)
        elif isinstance(value, dict):
            copied = (
                defaultdict(value.default_factory)
                if isinstance(value, defaultdict)
                else (OrderedDict() if isinstance(value, OrderedDict) else {})
            )
            memo[id(value)] = copied
            copied.update((key, self._copy(part, memo)) for key, part in value.items())
        elif type(value) is tuple:
            copied = tuple(self._copy(part, memo) for part in value)
        elif isinstance(value, bytearray):
            copied = bytearray(value)
        elif _is_array(value):
            copied = value.clone() if hasattr(value, "clone") else value.copy()
        elif self._is_own_instance(value) and not isinstance(value, type):
            copied = object.__new__(type(value))
            memo[id(value)] = copied
            for name, part in vars(value).items():
                object.__setattr__(copied, name, self._copy(part, memo))
        else:
            copied = places.standing_for(value)
        memo[id(value)] = copied
        return copied


def _may_hold_generator(cached: Any) -> bool:
    """Whether a cached function may have given one of NumPy's generators, before interception."""
    info = cached.cache_info()
    if info.maxsize is not None:  # what it holds cannot be seen
        return info.currsize > 0
    kept = [part for part in gc.get_referents(cached) if type(part) is dict]
    return any(places.is_generator(value) for part in kept for value in part.values())


def _is_array(value: Any) -> bool:
    """Whether ``value`` is a plain NumPy array or torch tensor."""
    kind = type(value)
    return (kind.__module__, kind.__name__) in (("numpy", "ndarray"), ("torch", "Tensor"))


def _function(call: Any) -> Any:
    """The Python function behind a callable: itself, a method's, or an instance's ``__call__``."""
    if isinstance(call, types.FunctionType):
        return call
    if isinstance(call, types.MethodType):
        return call.__func__
    wrapped = getattr(call, "func", None)  # functools.partial
    if isinstance(wrapped, types.FunctionType):
        return wrapped
    return getattr(type(call).__call__, "__func__", type(call).__call__)
