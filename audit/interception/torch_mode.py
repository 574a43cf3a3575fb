"""The mode through which torch's functions come to their models while paths run.

A mode is asked at every call of torch, which takes about as long as a small call itself. So most
paths are *lean*: there random calls are answered by name (see `torch_by_name`), and the mode is on
only while undrawn numbers are about. What a lean path cannot answer like a full one makes it run
once more, in full, and often every path after it.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .choices import FullPathNeeded
from .scalars import Scalar
from .session import Session, current
from .torch_calls import REFUSED, TorchCalls
from .torch_functions import TorchFunctions, leaves
from .torch_streams import TorchStreams
from .undrawn_torch import Register

WITH_LISTS = frozenset(["tensor", "as_tensor"])

_height: Callable[[], int] = torch._C._len_torch_function_stack
_push: Callable[[Any], None] = torch._C._push_on_torch_function_stack
_pop: Callable[[], Any] = torch._C._pop_torch_function_stack
_at: Callable[[int], Any] = torch._C._get_function_stack_at


class Mode(TorchFunctionMode):
    """Sends random calls, and uses of undrawn numbers, to their models.

    Attributes:
        is_lean: whether the current path is.
        is_on: whether torch asks the mode, at this point of the path.
        wants_full: whether the current path, a lean one, has to be run in full.
        only_full: whether all further paths have to.
    """

    def __init__(self, session: Session, register: Register, streams: TorchStreams) -> None:
        super().__init__()
        self._session = session
        self.register = register
        self._streams = streams
        self._storages = register.storages
        self.models = TorchCalls(session, register, streams).modelled
        self._special: dict[str, Any] = dict.fromkeys([*REFUSED, *WITH_LISTS]) | self.models
        self._functions = TorchFunctions(register)
        self._base = self._idle = 0
        self.is_lean = self.is_on = self.wants_full = self.only_full = False

    @contextmanager
    def path(self, lean: bool) -> Iterator[None]:
        """Around one path."""
        self.is_lean, self.wants_full = lean, False
        self._base, self._idle = _height(), 0
        if lean:
            _lean.append(self)
        else:
            self.turn_on()
        try:
            yield
        finally:
            if lean:
                _lean.pop()
            self.is_on = self.is_lean = False
            above = [_pop() for _ in range(_height())]
            for mode in reversed(above):
                if mode is not self:
                    _push(mode)
            # Nothing watches other generators where a lean path is blind; and where undrawn numbers
            # are about most of the time, lean paths gain nothing.
            busy = self._session.operations > 2 * self._idle
            if self._streams.foreign or (busy and not lean):
                self.only_full = True

    def turn_on(self) -> None:
        """From here on torch asks the mode."""
        self.is_on = True
        _push(self)

    def turn_off(self) -> bool:
        """The mode is not asked any more, if it is the first to be asked."""
        height = _height()
        if not self.is_on or not height or _at(height - 1) is not self:
            return False
        _pop()
        self.is_on = False
        return True

    def is_alone(self) -> bool:
        """Whether the program has no mode of its own on, and this one is not at work."""
        return _height() == self._base + self.is_on

    def need_full(self) -> BaseException:
        """The exception that ends a lean path."""
        self.wants_full = self.only_full = True
        return FullPathNeeded()

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # Nothing more is done for plain calls than must be.
        session = self._session
        session.operations += 1
        name = getattr(func, "__name__", "")
        storages = self._storages
        self._idle += not storages
        if not types and not storages and name not in self._special:
            result = func(*args, **kwargs) if kwargs else func(*args)
        elif name == "__get__" and not self.register.watched:
            return func(*args)
        else:
            if session.operations & 7 == 0 and storages:
                self.register.forget_the_dead()
            result = self._maybe_special(func, types, args, kwargs or {})
        if self.is_lean and not storages:
            _ = -_leave  # the last thing here, and no call: see `_Leave`
        return result

    def _maybe_special(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A call that may draw, or may use undrawn numbers."""
        if current() is None:  # a module is being imported
            return func(*args, **kwargs)
        name: str = getattr(func, "__name__", "")
        register = self.register
        model = self._special.get(name)
        if model is None:
            if name in REFUSED:
                raise self._session.refuse(torch.overrides.resolve_name(func) or f"torch.{name}")
            if name != "__get__" and not self._concerned(name, types, args, kwargs):
                return func(*args, **kwargs)
        register.inside += 1
        try:
            if model is not None:
                return model(*args, **kwargs)
            if name == "__get__":
                return func(*args)  # `.T` is an operator to the backstop
            return self._functions.call(func, args, kwargs)
        finally:
            register.inside -= 1
            if self.is_lean:
                register.forget_the_settled()

    def _concerned(self, name: str, types: Any, args: Any, kwargs: dict[str, Any]) -> bool:
        """Whether undrawn numbers are among the arguments."""
        if types and Scalar in types:
            return True
        if name in WITH_LISTS:
            return holds_scalars(args[0] if args else kwargs.get("data"))
        storages = self._storages
        if not storages:
            return False
        for value in args:
            if isinstance(value, torch.Tensor):
                if value.untyped_storage()._cdata in storages:
                    return True
            elif isinstance(value, (list, tuple)) and self._concerned("", None, value, {}):
                return True
        return bool(kwargs) and self._concerned("", None, list(kwargs.values()), {})

    def named(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        """A random call of a lean path, or a list with undrawn numbers made a tensor."""
        self._session.operations += 1
        register = self.register
        if register.storages:
            register.forget_the_dead()
        register.inside += 1
        try:
            model = self.models.get(name) or self._functions.modelled[name]
            return model(*args, **kwargs)
        finally:
            register.inside -= 1

    def answer(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What ``work`` gives on a lean path, with the mode off meanwhile."""
        was_on = self.turn_off()
        try:
            result = work(*args, **kwargs)
            if self._streams.foreign:
                raise self.need_full()
        finally:
            if was_on or self._storages:
                self.turn_on()
        return result

    def settle(self, values: Any, use: str) -> None:
        """Decide the numbers of tensors in nested arguments, or refuse the use of them."""
        register = self.register
        if not register.storages:
            return
        register.inside += 1
        was_off = self.turn_off()
        try:
            for value in leaves(values):
                if isinstance(value, torch.Tensor):
                    register.settle(value, use)
        finally:
            register.inside -= 1
            if was_off:
                self.turn_on()

    def scalars(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
        """A function of torch that was given one of Python's undrawn numbers."""
        if not self.is_lean or self.is_on or self.register.inside:
            raise self._session.refuse(f"{func} of an undrawn number")
        if not self.is_alone():
            raise self.need_full()
        return self.answer(self._maybe_special, func, types, args, kwargs or {})


def holds_scalars(value: Any) -> bool:
    """Whether one of Python's undrawn numbers is in a nested list."""
    if isinstance(value, (list, tuple)):
        return any(holds_scalars(part) for part in value)
    return isinstance(value, Scalar)


#: The mode of the lean path that is running.
_lean: list[Mode] = []


def lean_mode() -> Mode | None:
    """The mode of the lean path that is running, None on other paths and outside of them."""
    return _lean[-1] if _lean else None


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def _turn_off(_: int | None) -> int:
    if _lean and not _lean[-1].register.storages:
        _lean[-1].turn_off()
    return 0


class _Leave:
    """Turns the mode of a lean path off as soon as it is not at work; used as ``-_leave``.

    While the mode answers, torch has taken it off its stack and will put it back, so it cannot
    leave there. A pending call is made by Python at the next call or jump of whatever code runs;
    an operator, unlike a call, is none of these, so that is after torch has put the mode back.
    Where it is not (in another thread, in another Python) the mode stays on: slower, no different.
    """

    __neg__ = functools.partial(ctypes.pythonapi.Py_AddPendingCall, _turn_off, None)


_leave: Any = _Leave()
