"""What sees random calls that no model answered: an operator watch, and the generator's state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .patching import patched
from .session import Session, current
from .torch_by_name import PATCHES
from .torch_mode import Mode
from .torch_streams import TorchStreams
from .undrawn_torch import Register


class Backstop(TorchDispatchMode):
    """While active, operators that draw from a generator raise by name, and so do stray reads.

    It sees inside C++ and whatever was bound before interception. It doubles the cost of a path.
    """

    def __init__(self, session: Session, register: Register) -> None:
        super().__init__()
        self._session = session
        self._register = register

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Otherwise torch imports its compiler, for seconds, to keep it away from this class."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if current() is None:  # a module is being imported
            return func(*args, **(kwargs or {}))
        if torch.Tag.nondeterministic_seeded in getattr(func, "tags", ()):
            raise self._session.refuse(f"the torch operator {func}")
        result = func(*args, **(kwargs or {}))
        if not self._register.inside:
            for value in args:
                if isinstance(value, torch.Tensor) and self._register.knows(value):
                    raise self._session.refuse(f"the torch operator {func} of undrawn numbers")
            if isinstance(result, torch.Tensor) and result.dtype in _NARROW and func not in _EMPTY:
                self._register.numbers(result)  # notes the dtype
        return result


#: Operators whose results hold whatever was in memory.
_EMPTY = (
    torch.ops.aten.empty.memory_format,
    torch.ops.aten.empty_like.default,
    torch.ops.aten.empty_strided.default,
    torch.ops.aten.new_empty.default,
)
_NARROW = (torch.float16, torch.bfloat16, torch.float32)


class Net:
    """Around the paths: generators at the start of their streams, and looked at afterwards."""

    def __init__(self, session: Session, mode: Mode, streams: TorchStreams) -> None:
        self._session = session
        self._mode = mode
        self._register = mode.register
        self._streams = streams
        self._advanced = self._was_lean = False

    @contextmanager
    def path(self, with_backstop: bool, lean: bool) -> Iterator[None]:
        """Around one path; a lean one is asked for, and not given where it cannot be."""
        self._register.storages.clear()
        self._register.watched = with_backstop
        self._streams.start()
        lean = lean and not with_backstop and not self._mode.only_full
        self._was_lean = lean
        try:
            with ExitStack() as stack:
                if lean:
                    stack.enter_context(patched(PATCHES))
                stack.enter_context(self._mode.path(lean))
                if with_backstop:
                    stack.enter_context(Backstop(self._session, self._register))
                yield
        finally:
            self._streams.finish()
            self._advanced = self._streams.advanced()
            self._register.storages.clear()

    def advanced(self) -> bool:
        """Whether somebody really drew from a generator of torch on the last path."""
        return self._advanced

    def was_lean(self) -> bool:
        """Whether the last path was."""
        return self._was_lean

    def wants_full(self) -> bool:
        """Whether the last path was a lean one that has to be run in full, as all after it."""
        return self._mode.wants_full

    def run_in_full(self) -> None:
        """No path is lean from here on."""
        self._mode.only_full = True
