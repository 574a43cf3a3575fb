"""What a subject must not do on a path: take entropy from elsewhere, start threads or processes."""

from __future__ import annotations

import _thread
import functools
import importlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from .session import current, running


def _guard(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        session = current()
        if session is not None:
            raise session.refuse(name)
        return real(*args, **kwargs)

    return function


def _importing(real: Callable[..., Any]) -> Callable[..., Any]:
    """What a module draws while it is imported is no part of the path that needs it first."""

    def find_and_load(*args: Any) -> Any:
        if current() is None:
            return real(*args)
        with running(None), _global_generators_kept():
            return real(*args)

    return find_and_load


@contextmanager
def _global_generators_kept() -> Iterator[None]:
    """The global generators are as they were at the end."""
    from . import python_calls

    undo: list[tuple[Callable[[Any], Any], Any]] = [
        (python_calls.set_global_state, python_calls.global_state())
    ]
    if "numpy" in sys.modules:
        from . import numpy_patches

        undo.append((numpy_patches.set_global_state, numpy_patches.global_state()))
    if "torch" in sys.modules:
        generator = sys.modules["torch"].default_generator
        undo.append((generator.set_state, generator.get_state()))
    try:
        yield
    finally:
        for put_back, state in undo:
            put_back(state)


def patches() -> list[tuple[Any, str, Any]]:
    """What to replace: (module or class, name, fake)."""
    bootstrap = importlib._bootstrap  # type: ignore[attr-defined]
    found: list[tuple[Any, str, Any]] = [
        (bootstrap, "_find_and_load", _importing(bootstrap._find_and_load)),
        (os, "urandom", _guard("os.urandom", os.urandom)),
        (random, "_urandom", _guard("os.urandom", os.urandom)),
        (threading.Thread, "start", _guard("starting a thread", threading.Thread.start)),
        (
            subprocess.Popen,
            "__init__",
            _guard("starting a process", subprocess.Popen.__init__),
        ),
    ]
    start_new_thread = _thread.start_new_thread
    found.append((_thread, "start_new_thread", _guard("starting a thread", start_new_thread)))
    start = BaseProcess.start
    found.append((BaseProcess, "start", _guard("starting a process", start)))
    for name in ("fork", "forkpty", "getrandom", "posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            found.append((os, name, _guard(f"os.{name}", getattr(os, name))))
    return found
