"""What is replaced in torch while paths run, and what is made ready before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import torch

from . import torch_by_name
from .backstop import Backstop, Net
from .choices import Choices
from .session import Session, current
from .torch_mode import Mode
from .torch_streams import TorchStreams
from .undrawn_torch import Register


@cache
def warm_up() -> None:
    """What torch imports for its modes at first use, some of which draws random numbers.

    And the tables that it makes of its functions at first use: none of the fakes should get in.
    """
    register = Register(Session(Choices()))
    with Backstop(register.session, register), torch.device("cpu"):
        torch.ones(1).add_(1)
    torch.overrides.resolve_name(torch.rand)


@contextmanager
def intercepted(session: Session) -> Iterator[Net]:
    """torch's calls go through the mode until the end."""
    register = Register(session)
    streams = TorchStreams(session)
    with ExitStack() as stack:
        stack.callback(streams.restore)
        if "torch._dynamo" in sys.modules and hasattr(torch.compiler, "set_stance"):
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        session.torch = mode = Mode(session, register, streams)
        yield Net(session, mode, streams)


def taken_by_name() -> list[tuple[Any, str, Any]]:
    """What is replaced on some paths only: (module or class, name, fake)."""
    return torch_by_name.PATCHES


def _fake_compile(model: Any = None, **_: Any) -> Any:
    """`torch.compile` of a subject that is loaded: the function itself."""
    return (lambda function: function) if model is None else model


def _scripted(real: Any, session: Session) -> Any:
    """A call of TorchScript, which reads memory without asking a mode."""

    def function(self: Any, *args: Any, **kwargs: Any) -> Any:
        if current() is session and session.torch is not None:
            session.torch.settle((args, kwargs), "TorchScript")
        return real(self, *args, **kwargs)

    return function


def _unknown_seed(name: str, session: Session) -> Any:
    def function(*_: Any) -> int:
        raise session.refuse(f"torch.{name}")

    return function


def patches(session: Session | None) -> list[tuple[Any, str, Any]]:
    """What to replace: (module, name, fake)."""
    found: list[tuple[Any, str, Any]] = [(torch, "compile", _fake_compile)]
    if session is not None:
        for kind in (torch._C.ScriptFunction, torch._C.ScriptMethod):
            found.append((kind, "__call__", _scripted(kind.__call__, session)))
        for name in ("seed", "initial_seed"):
            fake = _unknown_seed(name, session)
            found += [(torch, name, fake), (torch.random, name, fake)]
    return found
