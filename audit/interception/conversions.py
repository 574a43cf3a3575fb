"""Names in a subject's modules that are replaced while its paths run.

Two things cannot be caught where they happen. ``float(u)`` has to return a true float: the class
`float` is a C type that asks the number. And a function that a module took by name before
interception (``from math import log``, ``from random import random``) is the real one for ever.
Both are cured in the namespaces of the subject: for the time of an enumeration the *names* are
bound to fakes. ``float`` only where an undrawn number was seen to be converted.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from . import arithmetic
from .scalars import Scalar, plain_or_scalar
from .session import current

#: Modules whose namespaces are never touched.
_NOT_SUBJECTS = frozenset(
    [
        *sys.stdlib_module_names,
        *("numpy", "torch", "scipy", "transformers", "tokenizers", "hypothesis", "pytest"),
        *("_pytest", "pluggy", "flint", "networkx", "rich", "sympy"),
    ]
) - {"__main__"}


class _FloatMeta(type):
    def __call__(cls, x: Any = 0.0, /) -> Any:
        if type(x) in (float, int, str):
            return builtins.float(x)
        if isinstance(x, Scalar):
            return x
        item = getattr(x, "item", None)
        value: Any = item() if callable(item) else x
        return value if isinstance(value, Scalar) else builtins.float(value)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, (builtins.float, Scalar))

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, builtins.float)

    def __eq__(cls, other: object) -> bool:
        return other is builtins.float or other is FakeFloat

    def __hash__(cls) -> int:
        return hash(builtins.float)

    @property
    def dtype(cls) -> Any:
        """For ``dtype=float``: NumPy asks a type that it does not know for this."""
        import numpy as np

        return np.dtype(np.float64)


class FakeFloat(builtins.float, metaclass=_FloatMeta):
    """`float`, for a module in which undrawn numbers are converted: those stay undrawn."""


def _function_of_one(name: str) -> Callable[..., Any]:
    real: Callable[..., Any] = getattr(math, name)
    modelled = arithmetic.UNARY["absolute" if name == "fabs" else name]

    def function(x: Any, *base: Any) -> Any:
        if type(x) is float or current() is None:
            return real(x, *base)
        if not isinstance(x, Scalar) and hasattr(x, "item"):
            x = x.item()
        if not isinstance(x, Scalar):
            return real(x, *base)
        result = modelled(x.element)
        if base:
            result = arithmetic.divide(result, math.log(*base))
        return plain_or_scalar(result)

    function.__name__ = name
    return function


MATH = {
    name: _function_of_one(name)
    for name in (
        "exp",
        "expm1",
        "fabs",
        "isfinite",
        "isinf",
        "isnan",
        "log",
        "log10",
        "log1p",
        "log2",
        "sqrt",
    )
}


def patches() -> list[tuple[Any, str, Any]]:
    """What to replace: (module, name, fake)."""
    return [(math, name, fake) for name, fake in MATH.items()]


def is_subject(module: str | None) -> bool:
    """Whether a module's namespace may be touched."""
    top = (module or "").partition(".")[0]
    if top == "draftproof":
        return not (module or "").startswith("draftproof.audit.interception")
    return bool(top) and top not in _NOT_SUBJECTS


def caller() -> dict[str, Any] | None:
    """The namespace of the subject's code that is running, None if library code asked."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__")
        ours = str(module).startswith("draftproof.audit.interception")
        library = str(module).partition(".")[0] in ("torch", "numpy")
        if not ours and not library:
            return frame.f_globals if is_subject(module) else None
        frame = frame.f_back
    return None


@contextmanager
def converting(namespaces: Iterable[dict[str, Any]]) -> Iterator[None]:
    """``float`` in these namespaces leaves undrawn numbers undrawn, until the end."""
    changed: list[tuple[dict[str, Any], bool, Any]] = []
    try:
        for namespace in namespaces:
            changed.append((namespace, "float" in namespace, namespace.get("float")))
            namespace["float"] = FakeFloat
        yield
    finally:
        for namespace, had, value in reversed(changed):
            if had:
                namespace["float"] = value
            else:
                del namespace["float"]
