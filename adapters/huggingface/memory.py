"""Memory that does not suffice, told from other trouble, on the CPU and on an accelerator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from .errors import ModelError

#: What the allocators of torch, of CUDA and of the system say, in lower case.
_SIGNS = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


def out_of_memory(problem: BaseException) -> bool:
    """Whether an exception says that memory did not suffice."""
    if isinstance(problem, MemoryError | torch.cuda.OutOfMemoryError):
        return True
    if not isinstance(problem, RuntimeError | OSError):
        return False
    return any(sign in str(problem).lower() for sign in _SIGNS)


@contextlib.contextmanager
def memory_for(what: str, advice: str) -> Iterator[None]:
    """Turn a lack of memory inside into a `ModelError` that says what for and what to do."""
    try:
        yield
    except Exception as problem:
        if not out_of_memory(problem):
            raise
        raise ModelError(f"out of memory {what}; {advice}") from problem
