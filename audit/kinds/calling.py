"""Calling a subject with arrays of its own library, and checking what it returns."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

from .loading import Subject
from .settings import Ids, Nothing, Settings


class BadReturn(Exception):  # noqa: N818 - what is raised is the return value, in words
    """A return value that its kind does not allow; one line."""


class Arrays:
    """Makes arrays or tensors of one dtype; each call of a subject gets copies of its own.

    ``library`` is "torch", "numpy", or "lists" for nested lists of plain numbers.
    """

    def __init__(self, library: str, dtype: str = "float64") -> None:
        self.arrays = library
        self.dtype = dtype

    def rows(self, values: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """Probabilities of ``shape``."""
        if self.arrays == "numpy":
            import numpy as np

            return np.array(values, dtype=getattr(np, self.dtype)).reshape(shape)
        if self.arrays == "lists":
            return _nested([_rounded(x, self.dtype) for x in _flat(values)], shape)
        import torch

        made = torch.tensor(values, dtype=torch.float64).to(getattr(torch, self.dtype))
        return made.reshape(shape)

    def ids(self, values: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """Ids of ``shape``, 64-bit integers."""
        if self.arrays == "numpy":
            import numpy as np

            return np.array(values, dtype=np.int64).reshape(shape)
        if self.arrays == "lists":
            return _nested([int(x) for x in _flat(values)], shape)
        import torch

        return torch.tensor(values, dtype=torch.int64).reshape(shape)

    def copy(self, array: Any) -> Any:
        """A copy, so that a subject that writes into its arguments harms nobody."""
        if self.arrays == "lists":
            return array  # what is written to another process cannot be changed by it
        return array.copy() if self.arrays == "numpy" else array.clone()


def _flat(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return [x for part in values for x in _flat(part)]
    return [values]


def _nested(values: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    if len(shape) == 1:
        return values
    step = math.prod(shape[1:])
    return [_nested(values[n * step : (n + 1) * step], shape[1:]) for n in range(shape[0])]


def _rounded(number: float, dtype: str) -> float:
    """``number`` as the dtype holds it: float64 or float32."""
    if dtype == "float32":
        return struct.unpack("f", struct.pack("f", number))[0]
    return float(number)


#: Seeds of generators that are passed, apart from those that are passed as ``seed``.
GENERATORS = 1000


def keywords(subject: Subject, settings: Settings, seed: int = 0) -> dict[str, Any]:
    """The optional keywords that ``subject`` is called with.

    What is asked for is passed; what is not is left to the subject's default, where there is one.
    Temperature, top-p and min-p are passed in any case, since a default may not be neutral, and so
    are a seed and a generator, since what is done with them is part of the law.
    """
    neutral: dict[str, Any] = {"temperature": 1.0, "top_p": 1.0, "min_p": 0.0}
    asked: dict[str, Any] = {
        "temperature": settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "min_p": settings.min_p,
        "logits_processor": settings.processor,
        "eos": settings.eos,
    }
    without_default = {
        "top_k": 1 << 20,
        "logits_processor": Nothing(),
        "return_logprobs": False,
    }
    passed: dict[str, Any] = {}
    for name in subject.options:
        if asked.get(name) is not None:
            passed[name] = asked[name]
        elif name == "seed":
            passed[name] = seed
        elif name == "generator":
            passed[name] = new_generator(subject.array, GENERATORS + seed)
        elif name in neutral:
            passed[name] = neutral[name]
        elif name in subject.required:
            passed[name] = without_default.get(name)
    return passed


def new_generator(library: str, seed: int) -> Any:
    """A generator of the subject's library; to be made inside the path that uses it."""
    if library == "numpy":
        import numpy as np

        return np.random.default_rng(seed)
    import torch

    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


def returned_ids(value: Any) -> Ids:
    """The ids that a subject returned, ids outside the vocabulary included.

    Raises:
        BadReturn: for anything but a list of integers or a 1-D integer array or tensor.
    """
    expected = "a list of ints or a 1-D integer array or tensor is due"
    if isinstance(value, list | tuple):
        items = list(value)
    elif hasattr(value, "tolist") and hasattr(value, "shape"):
        if len(value.shape) != 1:
            raise BadReturn(f"it returned an array of {len(value.shape)} dimensions; {expected}")
        items = value.tolist()
    else:
        raise BadReturn(f"it returned {_described(value)}; {expected}")
    if not items:
        raise BadReturn("it returned no ids; a block is never empty")
    return tuple(_id(item, expected) for item in items)


def _id(item: Any, expected: str) -> int:
    kind = type(item).__name__
    if isinstance(item, bool) or kind in ("bool", "bool_", "float", "float64", "float32", "str"):
        raise BadReturn(f"it returned {item!r} among the ids, a {kind}; {expected}")
    if isinstance(item, list | tuple) or len(getattr(item, "shape", ())) > 0:
        raise BadReturn(f"it returned {_described(item)} among the ids; {expected}")
    try:
        return operator.index(item)
    except TypeError:
        raise BadReturn(f"it returned {_described(item)} among the ids; {expected}") from None


def returned_with_logprobs(value: Any) -> tuple[Ids, tuple[float, ...]]:
    """What a subject returned that was asked for log-probabilities.

    Raises:
        BadReturn: for anything but ``(ids, logprobs)``.
    """
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise BadReturn(f"it returned {_described(value)}; (ids, logprobs) is due")
    logprobs = value[1]
    listed = logprobs.tolist() if hasattr(logprobs, "tolist") else list(logprobs)
    try:
        return returned_ids(value[0]), tuple(float(number) for number in listed)
    except (TypeError, ValueError):
        raise BadReturn("the log-probabilities it returned are no numbers") from None


def _described(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} inside the list"
    return f"{'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__}"


def program(call: Callable[[], Any]) -> Callable[[], Ids]:
    """``call`` with what it returns checked: what the enumeration runs once a path."""
    return lambda: returned_ids(call())
