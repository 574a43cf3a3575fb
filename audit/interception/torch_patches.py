"""The mode through which torch's functions come to their models while paths run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .backstop import Backstop, Net
from .choices import Choices
from .scalars import Scalar
from .session import Session, current
from .torch_calls import REFUSED, TorchCalls
from .torch_functions import TorchFunctions
from .torch_streams import TorchStreams
from .undrawn_torch import Register

_WITH_LISTS = frozenset(["tensor", "as_tensor"])


class Mode(TorchFunctionMode):
    """Sends random calls, and uses of undrawn numbers, to their models."""

    def __init__(self, session: Session, register: Register, streams: TorchStreams) -> None:
        super().__init__()
        self._session = session
        self._register = register
        self._storages = register.storages
        models = TorchCalls(session, register, streams).modelled
        self._special: dict[str, Any] = dict.fromkeys([*REFUSED, *_WITH_LISTS]) | models
        self._functions = TorchFunctions(register)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # Every call of torch comes here, so that nothing more is done for plain ones than must be.
        session = self._session
        session.operations += 1
        name = getattr(func, "__name__", "")
        if not types and not self._storages and name not in self._special:
            return func(*args, **kwargs) if kwargs else func(*args)
        if name == "__get__" and not self._register.watched:
            return func(*args)
        if session.operations & 15 == 0:
            self._register.forget_the_dead()
        return self._maybe_special(func, types, args, kwargs or {})

    def _maybe_special(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A call that may draw, or may use undrawn numbers."""
        if current() is None:  # a module is being imported
            return func(*args, **kwargs)
        name: str = getattr(func, "__name__", "")
        register = self._register
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

    def _concerned(self, name: str, types: Any, args: Any, kwargs: dict[str, Any]) -> bool:
        """Whether undrawn numbers are among the arguments."""
        if types and Scalar in types:
            return True
        if name in _WITH_LISTS:
            return _holds_scalars(args[0] if args else kwargs.get("data"))
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


def _holds_scalars(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_scalars(part) for part in value)
    return isinstance(value, Scalar)


@cache
def warm_up() -> None:
    """What torch imports for its modes at first use, some of which draws random numbers."""
    register = Register(Session(Choices()))
    with Backstop(register.session, register):
        torch.ones(1).add_(1)


@contextmanager
def intercepted(session: Session) -> Iterator[Net]:
    """torch's calls go through the mode until the end."""
    register = Register(session)
    streams = TorchStreams(session)
    with ExitStack() as stack:
        stack.callback(streams.restore)
        if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.enter_context(Mode(session, register, streams))
        yield Net(session, register, streams)


def _fake_compile(model: Any = None, **_: Any) -> Any:
    """`torch.compile` of a subject that is loaded: the function itself."""
    return (lambda function: function) if model is None else model


def _unknown_seed(name: str, session: Session) -> Any:
    def function(*_: Any) -> int:
        raise session.refuse(f"torch.{name}")

    return function


def patches(session: Session | None) -> list[tuple[Any, str, Any]]:
    """What to replace: (module, name, fake)."""
    found: list[tuple[Any, str, Any]] = [(torch, "compile", _fake_compile)]
    if session is not None:
        for name in ("seed", "initial_seed"):
            fake = _unknown_seed(name, session)
            found += [(torch, name, fake), (torch.random, name, fake)]
    return found
