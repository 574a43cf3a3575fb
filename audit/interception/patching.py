"""Fakes put in the place of the real calls, and watched for what gets past them."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from . import conversions, guards, places, python_calls
from .session import Session, running


def _all_patches(session: Session | None = None) -> list[tuple[Any, str, Any]]:
    """What to replace, in the libraries that are loaded."""
    found = [*python_calls.patches(), *conversions.patches()]
    if "numpy" in sys.modules:
        from . import numpy_patches

        found += numpy_patches.patches()
    if "torch" in sys.modules:
        from . import torch_patches

        found += torch_patches.patches(session)
    return found


@contextmanager
def patched(patches: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Attributes replaced until the end, whatever happens."""
    saved: list[tuple[Any, str, Any, bool]] = []
    try:
        for owner, name, fake in patches:
            saved.append((owner, name, getattr(owner, name), name in vars(owner)))
            setattr(owner, name, fake)
        yield
    finally:
        for owner, name, real, is_own in reversed(saved):
            if is_own:
                setattr(owner, name, real)
            else:  # inherited
                delattr(owner, name)


@contextmanager
def loading() -> Iterator[None]:
    """Modules that are imported inside get the fakes also by name, and their generators too.

    Outside of an enumeration the fakes answer as the real calls would.
    """
    with patched(_all_patches()):
        yield


@contextmanager
def intercepted(
    session: Session, program: Any = None, search_memory: bool = False
) -> Iterator[Watch]:
    """Random calls are answered by ``session`` until the end, where everything is restored.

    Args:
        session: the paths that are run inside.
        program: where real functions and generators taken by name are looked for.
        search_memory: watch every NumPy generator that there is, wherever it is kept.
    """
    if "torch" in sys.modules:
        from . import torch_patches  # before anything is replaced: it imports much

        torch_patches.warm_up()
        by_name = torch_patches.taken_by_name()
    else:
        by_name = []
    patches = [*_all_patches(session), *guards.patches()]
    fakes = _fakes([*patches, *by_name])
    with ExitStack() as stack:
        found, generators = places.reached(program)
        stack.enter_context(places.rebound(found, fakes))
        stack.enter_context(patched([*patches, *python_calls.class_patches()]))
        stack.enter_context(running(session))
        watch = Watch()
        if "numpy" in sys.modules:
            watch.look_after(generators, search_memory)
        if "torch" in sys.modules:
            from . import torch_patches

            watch.torch = stack.enter_context(torch_patches.intercepted(session))
            if search_memory or any(map(places.is_of_torch, generators)):
                watch.run_in_full()  # for generators of torch, real draws from which none tells
        yield watch


def _fakes(patches: list[tuple[Any, str, Any]]) -> Callable[[Any], Any]:
    """The fake of a real function, class or generator; None for other values."""
    by_identity = {
        id(real): fake
        for owner, name, fake in patches
        if callable(real := getattr(owner, name))
        and (not isinstance(real, type) or getattr(owner, "__name__", "") == "numpy.random")
    }
    # Bound methods of builtins are made anew at every access of a module that binds them by name,
    # so they are compared as well.
    methods = [
        (getattr(owner, name), fake)
        for owner, name, fake in patches
        if owner is random or getattr(owner, "__name__", "") == "numpy.random"
    ]
    numpy = sys.modules.get("numpy")
    adopted: dict[int, tuple[Any, Any]] = {}

    def fake_of(value: Any) -> Any:
        found = by_identity.get(id(value))
        if found is not None:
            return found
        if callable(value) and type(value).__name__ in ("builtin_function_or_method", "method"):
            for real, fake in methods:
                if type(real) is type(value) and real == value:
                    return fake
        if numpy is not None and type(value) in (numpy.random.Generator, numpy.random.RandomState):
            if id(value) not in adopted:  # one fake, wherever the generator is kept
                from . import numpy_patches

                adopted[id(value)] = (value, numpy_patches.adopted(value))
            return adopted[id(value)][1]
        return None

    return fake_of


class Watch:
    """The states of the global generators around paths, and the backstop of torch."""

    def __init__(self) -> None:
        self.torch: Any = None
        self._generators: list[tuple[Any, Any]] = []
        self._before: tuple[Any, Any] | None = None

    def look_after(self, generators: list[Any], search_memory: bool) -> None:
        """Remember where NumPy's generators are, some or all."""
        from . import numpy_patches

        if search_memory:
            generators = numpy_patches.everywhere()
        draws = numpy_patches.Draws
        kept = [g for g in generators if not (isinstance(g, draws) or places.is_of_torch(g))]
        self._generators = [(g, numpy_patches.state_of(g)) for g in kept]

    def drawn_from(self) -> bool:
        """Whether a generator that was made before was really drawn from, on any path."""
        if not self._generators:
            return False
        from . import numpy_patches

        return any(numpy_patches.state_of(g) != state for g, state in self._generators)

    @contextmanager
    def path(self, with_backstop: bool, lean: bool = False) -> Iterator[None]:
        """Around one path; on a lean one torch's calls are not all looked at."""
        if self._before is None:
            self._before = self._states()
        if self.torch is None:
            yield
        else:
            with self.torch.path(with_backstop, lean):
                yield

    def _states(self) -> tuple[Any, Any]:
        """Of the global generators of Python and NumPy."""
        python, numpy = python_calls.global_state(), None
        if "numpy" in sys.modules:
            from . import numpy_patches

            numpy = numpy_patches.global_state()
        return python, numpy

    def advanced(self) -> list[str]:
        """The names of the global generators that somebody drew from on the path."""
        assert self._before is not None
        names = ("Python's global generator", "NumPy's global generator")
        pairs = zip(names, self._before, self._states(), strict=True)
        found = [name for name, before, after in pairs if before not in (None, after)]
        if self.torch is not None and self.torch.advanced():
            found.append("torch's global generator")
        return found

    def was_lean(self) -> bool:
        """Whether not all of torch's calls were looked at on the path."""
        return self.torch is not None and self.torch.was_lean()

    def wants_full(self) -> bool:
        """Whether the path was a lean one that has to be run in full, as all after it."""
        return self.torch is not None and self.torch.wants_full()

    def run_in_full(self) -> None:
        """No path is lean from here on."""
        if self.torch is not None:
            self.torch.run_in_full()
