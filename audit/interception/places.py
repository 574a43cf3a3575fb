"""Places in a program where values are kept by name, and values bound anew there for a while."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .conversions import is_subject

#: A namespace, a list, or the cell of a closure.
Place = dict[Any, Any] | list[Any] | types.CellType
#: Containers with more than this are data.
MOST_VALUES = 10_000


def reached(program: Any) -> tuple[list[Place], list[Any]]:
    """The places that a program can be seen to use, and NumPy's generators that it can.

    They are followed from its functions on, through the modules of subjects.
    """
    found: dict[int, Place] = {}
    generators: list[Any] = []
    pending: list[Any] = [program]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen or type(value) in _ATOMS:
            continue
        seen.add(id(value))
        if type(value).__module__ in _GENERATORS:
            generators.append(value)
        place, more = _look(value)
        if place is not None:
            found[id(place)] = place
        pending.extend(more)
    return list(found.values()), generators


#: Where the types `Generator` and `RandomState` say they are from.
_GENERATORS = ("numpy.random._generator", "numpy.random.mtrand")
_ATOMS = frozenset([int, float, str, bytes, bool, complex, type(None), types.BuiltinFunctionType])


def _look(value: Any) -> tuple[Place | None, Iterable[Any]]:
    """A value as a place, if it is one, and what else is reached from it."""
    kind = type(value)
    if kind is types.FunctionType:
        more: list[Any] = [*(value.__closure__ or ()), *(value.__defaults__ or ())]
        more += (value.__kwdefaults__ or {}).values()
        more.append(getattr(value, "__wrapped__", None))
        if is_subject(value.__globals__.get("__name__")):
            more.append(value.__globals__)
        return None, more
    if kind is types.CellType:
        return value, _contents(value)
    if kind is types.MethodType:
        return None, (value.__func__, value.__self__)
    if kind is types.ModuleType:
        return None, (vars(value),) if is_subject(value.__name__) else ()
    if kind in (dict, list):
        if len(value) > MOST_VALUES:
            return None, ()
        return value, list(value.values()) if kind is dict else list(value)
    if kind in (tuple, set, frozenset):
        return None, list(value) if len(value) <= MOST_VALUES else ()
    if kind.__name__ == "partial":
        return None, (value.func, value.args, value.keywords)
    if isinstance(value, type):
        return None, list(vars(value).values()) if is_subject(value.__module__) else ()
    if is_subject(kind.__module__):
        return None, (kind, getattr(value, "__dict__", None), *_slots(value))
    return None, ()


def _slots(value: Any) -> Iterator[Any]:
    for name in getattr(type(value), "__slots__", ()):
        yield getattr(value, name, None)


def _contents(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not bound yet
        return []


@contextmanager
def rebound(places: Iterable[Place], fakes: Callable[[Any], Any]) -> Iterator[None]:
    """Every value in ``places`` that has a fake is replaced by it, until the end."""
    undo: list[tuple[Any, Any, Any]] = []
    try:
        for place in places:
            if isinstance(place, types.CellType):
                items = [("", value) for value in _contents(place)]
            else:
                items = list(place.items() if isinstance(place, dict) else enumerate(place))
            for key, value in items:
                fake = fakes(value)
                if fake is not None:
                    undo.append((place, key, value))
                    _put(place, key, fake)
        yield
    finally:
        for place, key, value in reversed(undo):
            _put(place, key, value)


def _put(place: Place, key: Any, value: Any) -> None:
    if isinstance(place, types.CellType):
        place.cell_contents = value
    else:
        place[key] = value
