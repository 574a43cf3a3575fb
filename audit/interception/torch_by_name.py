"""torch's random calls answered by name, on the paths on which no mode is asked.

See `torch_mode`. Names stand in `torch`, in `torch._VF` and on `torch.Tensor`. A function that was
taken by name before, where it was not found and bound anew, really draws on a lean path. Then the
state of the global generator tells, and the path is run in full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .session import current
from .torch_calls import MODELLED, REFUSED
from .torch_mode import WITH_LISTS, holds_scalars, lean_mode


def _by_name(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        mode = lean_mode()
        if mode is None or mode.register.inside or current() is None:
            return real(*args, **kwargs)
        if name in WITH_LISTS and not holds_scalars(args[0] if args else kwargs.get("data")):
            return real(*args, **kwargs)
        if name in REFUSED or not mode.is_alone():
            raise mode.need_full()
        return mode.answer(mode.named, name, args, kwargs)

    function.__name__ = name
    function.__doc__ = real.__doc__
    return function


def _without_generators(real: Any) -> Any:
    """`torch.Generator`: one that is made on a lean path asks for a full one."""

    class Kind(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, real)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            mode = lean_mode()
            if mode is not None and not mode.register.inside and current() is not None:
                raise mode.need_full()
            return real(*args, **kwargs)

    return Kind("Generator", (), {"__doc__": real.__doc__})


def _all_patches() -> list[tuple[Any, str, Any]]:
    found: list[tuple[Any, str, Any]] = []
    for owner, names in (
        (torch, {*MODELLED, *REFUSED, *WITH_LISTS}),
        (torch.Tensor, {*MODELLED, *REFUSED}),
        (torch._VF, {*MODELLED, *REFUSED}),
    ):
        for name in sorted(names):
            if callable(real := getattr(owner, name, None)):
                found.append((owner, name, _by_name(name, real)))
    return [*found, (torch, "Generator", _without_generators(torch.Generator))]


#: What to replace on lean paths: (module or class, name, fake).
PATCHES = _all_patches()
