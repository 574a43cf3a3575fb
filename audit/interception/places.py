"""Places in a program where values are kept by name, and values bound anew there for a while."""

from __future__ import annotations

import functools
import random
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from .conversions import is_subject

#: What keeps values: a namespace, a list or deque, a set, the cell of a closure, a function (its
#: defaults), a `functools.partial` (its arguments), a context variable, a class, or an instance
#: with slots.
Place = Any
#: Gives the fake of a value, None for most.
Fakes = Callable[[Any], Any]
#: Containers with more than this are data.
MOST_VALUES = 10_000


def reached(program: Any) -> tuple[list[Place], list[Any]]:
    """The places that a program can be seen to use, and NumPy's generators that it can.

    They are followed from its functions on, through the modules of subjects.
    """
    found: dict[int, Place] = {}
    generators: list[Any] = []
    pending: list[Any] = [program]
    seen: dict[int, Any] = {}
    while pending:
        value = pending.pop()
        if id(value) in seen or type(value) in _ATOMS:
            continue
        seen[id(value)] = value  # kept, so that nothing else gets its address
        if is_generator(value) or is_of_torch(value):
            generators.append(value)
        place, more = _look(value)
        if place is not None:
            found[id(place)] = place
        pending.extend(more)
    return list(found.values()), [*generators, *(g for g in _elsewhere if id(g) not in seen)]


#: NumPy's generators that memory held when it was last searched, to be watched.
_elsewhere: list[Any] = []


def search_memory() -> None:
    """Have every generator watched that there is now, wherever it is kept: for what hides it.

    This looks through all of memory, so that it is for the start of an audit.
    """
    if "numpy" in sys.modules:
        from .numpy_patches import everywhere

        _elsewhere[:] = everywhere()


#: Where the types `Generator` and `RandomState` say they are from.
_GENERATORS = ("numpy.random._generator", "numpy.random.mtrand")
#: Where fakes of generators are from.
_FAKES = f"{__package__}.numpy_generators"


def is_of_torch(value: Any) -> bool:
    """Whether a value is a generator of torch."""
    return type(value).__module__ == "torch._C" and type(value).__name__ == "Generator"


def is_generator(value: Any) -> bool:
    """Whether a value is one of NumPy's own generators."""
    kind = type(value)
    return kind.__module__ in _GENERATORS and kind.__name__ in ("Generator", "RandomState")


_ATOMS = frozenset([int, float, str, bytes, bool, complex, type(None)])
_METHODS = (types.MethodType, types.BuiltinMethodType)
_CONTAINERS = (dict, list, deque, set, tuple, frozenset)
_CACHED = functools._lru_cache_wrapper  # the type, which has no other name
_SUSPENDED = (types.GeneratorType, types.CoroutineType)


def _look(value: Any) -> tuple[Place | None, Iterable[Any]]:
    """A value as a place, if it is one, and what else is reached from it."""
    kind = type(value)
    if kind is types.FunctionType:
        more: list[Any] = [*(value.__closure__ or ()), value.__defaults__, value.__kwdefaults__]
        more.append(vars(value) or None)  # with `__wrapped__`
        if is_subject(value.__globals__.get("__name__")):
            more.append(value.__globals__)
        return value if value.__defaults__ else None, more
    if kind is types.CellType:
        return value, _contents(value)
    if kind is types.MethodType:
        return None, (value.__func__, value.__self__)
    if kind is types.BuiltinMethodType:
        owner = value.__self__
        return None, () if isinstance(owner, types.ModuleType) else (owner,)
    if kind in (staticmethod, classmethod):
        return None, (value.__func__,)
    if kind is types.ModuleType:
        return None, (vars(value),) if is_subject(value.__name__) else ()
    if kind is property:
        return None, (value.fget,)
    if isinstance(value, _CONTAINERS):
        if len(value) > MOST_VALUES:
            return None, ()
        more = list(value.values()) if isinstance(value, dict) else list(value)
        more.append(getattr(value, "__dict__", None))  # of subclasses
        return None if isinstance(value, tuple | frozenset) else value, more
    if kind is functools.partial:
        return value, (value.func, value.args, value.keywords)
    if kind is ContextVar:
        return value, _contents(value)
    if kind is types.SimpleNamespace or isinstance(value, threading.local):
        return None, (vars(value),)
    if kind is _CACHED:
        return None, (value.__wrapped__,)
    if kind in _SUSPENDED:  # nothing can be put there, so that it can only be watched
        frame = getattr(value, "gi_frame", None) or getattr(value, "cr_frame", None)
        return None, () if frame is None else list(frame.f_locals.values())
    if isinstance(value, type):
        if not is_subject(value.__module__):
            return None, ()
        return value, [*vars(value).values(), *value.__mro__[1:]]
    if is_subject(kind.__module__):
        slots = _slots(value)
        more = [kind, getattr(value, "__dict__", None), *slots.values()]
        return value if slots else None, more
    return None, ()


def _slots(value: Any) -> dict[str, Any]:
    """What an instance keeps in slots, by name."""
    found: dict[str, Any] = {}
    for owner in type(value).__mro__:
        for name, member in vars(owner).items():
            if type(member) is types.MemberDescriptorType and is_subject(owner.__module__):
                with suppress(AttributeError):  # not bound yet
                    found.setdefault(name, member.__get__(value, type(value)))
    return found


def _contents(place: types.CellType | ContextVar[Any]) -> list[Any]:
    try:
        return [place.get() if isinstance(place, ContextVar) else place.cell_contents]
    except (LookupError, ValueError):  # not bound yet
        return []


class _Rebinding:
    """What stands for what, while it does."""

    def __init__(self, fakes: Fakes) -> None:
        self._fakes = fakes
        self._generators: dict[int, tuple[Any, Any]] = {}
        self.afterwards: dict[int, Callable[[], None]] = {}

    def fakes(self, value: Any) -> Any:
        """As what was given; on a path too, where NumPy's classes go by other names."""
        if type(value).__module__ == _FAKES:
            return None
        if not is_generator(value):
            return self._fakes(value)
        if id(value) not in self._generators:
            fake = self._fakes(value)
            if fake is None:
                from .numpy_patches import adopted

                fake = adopted(value)
            self._generators[id(value)] = (value, fake)
        return self._generators[id(value)][1]


_in_force: list[_Rebinding] = []


def standing_for(value: Any) -> Any:
    """What is to be put where a program keeps ``value``: its fake while one is in force."""
    if not _in_force:
        return value
    fake = _fake(value, _in_force[-1].fakes)
    return value if fake is None else fake


def afterwards(key: object, call: Callable[[], None]) -> None:
    """Have ``call`` made once, when what is rebound now has been put back."""
    if _in_force:
        _in_force[-1].afterwards.setdefault(id(key), call)


@contextmanager
def rebound(places: Iterable[Place], fakes: Fakes) -> Iterator[None]:
    """Every value in ``places`` that has a fake is replaced by it, until the end."""
    undo: list[tuple[Any, Any, Any]] = []
    rebinding = _Rebinding(fakes)
    try:
        for place in places:
            for key, value in _items(place):
                fake = _fake(value, rebinding.fakes)
                if fake is None:
                    continue
                if isinstance(place, type) and type(fake) is types.FunctionType:
                    fake = staticmethod(fake)  # the real one was not bound to instances
                with suppress(AttributeError, TypeError):  # closed to changes
                    _put(place, key, fake)
                    undo.append((place, key, value))
        _in_force.append(rebinding)
        try:
            yield
        finally:
            _in_force.remove(rebinding)
    finally:
        for place, key, value in reversed(undo):
            _put(place, key, value)
        for call in rebinding.afterwards.values():
            call()


def _fake(value: Any, fakes: Fakes) -> Any:
    """The fake of a value, or of a method or a tuple of values that have fakes; None if none."""
    fake = fakes(value)
    if fake is not None:
        return fake
    if type(value) in _METHODS:
        return _fake_method(value, fakes)
    if type(value) is staticmethod:
        inner = _fake(value.__func__, fakes)
        return None if inner is None else staticmethod(inner)
    if isinstance(value, tuple | frozenset) and len(value) <= MOST_VALUES:
        pairs = [(part, _fake(part, fakes)) for part in value]
        if any(fake is not None for _, fake in pairs):
            parts = [part if fake is None else fake for part, fake in pairs]
            return getattr(value, "_make", type(value))(parts)  # named tuples have `_make`
    return None


def _fake_method(method: Any, fakes: Fakes) -> Any:
    """A generator's method that was taken by name: the same method of what stands for it."""
    owner, name = method.__self__, method.__name__
    if is_generator(owner):
        fake = fakes(owner)
        return None if fake is None else getattr(fake, name, None)
    if isinstance(owner, random.Random) and getattr(owner, name, None) == method:

        def late(*args: Any, **kwargs: Any) -> Any:  # methods are replaced on the class
            return getattr(owner, name)(*args, **kwargs)

        return late
    return None


def _items(place: Place) -> list[tuple[Any, Any]]:
    """The values that a place keeps, each with what it is kept by."""
    if isinstance(place, types.CellType | ContextVar):
        return [("", value) for value in _contents(place)]
    if isinstance(place, dict):
        return list(place.items())
    if isinstance(place, list | deque):
        return list(enumerate(place))
    if isinstance(place, set):
        return [([value], value) for value in place]  # in a list: what stands there now
    if type(place) is types.FunctionType:
        return [("__defaults__", place.__defaults__)]
    if type(place) is functools.partial:
        return [("args", place.args), ("func", place.func)]
    if isinstance(place, type):
        kept = vars(place).items()
        return [(n, v) for n, v in kept if type(v) not in (types.FunctionType, classmethod)]
    return list(_slots(place).items())


def _put(place: Place, key: Any, value: Any) -> None:
    if isinstance(place, types.CellType):
        place.cell_contents = value
    elif isinstance(place, dict | list | deque):
        place[key] = value
    elif isinstance(place, set):
        place.discard(key[0])
        place.add(value)
        key[0] = value
    elif type(place) is ContextVar:
        place.set(value)
    elif type(place) is functools.partial:
        func, args = (place.func, value) if key == "args" else (value, place.args)
        state = (func, args, place.keywords, vars(place))
        place.__setstate__(state)  # pyright: ignore[reportAttributeAccessIssue]
    elif isinstance(place, type):
        type.__setattr__(place, key, value)
    else:
        object.__setattr__(place, key, value)
