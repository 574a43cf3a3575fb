"""The language model protocol: the one question that the algorithms ask a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .distribution import Distribution

#: Token ids of one vocabulary, in order.
Ids = tuple[int, ...]


class LanguageModel(Protocol):
    """A law over the next token after any sequence of token ids.

    Attributes:
        size: number of ids, 0 .. size - 1, over which the laws range.
    """

    @property
    def size(self) -> int:
        """Number of token ids."""
        ...

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[Distribution[int]]:
        """The ``len(continuation) + 1`` next-token laws from one pass over the model.

        Row ``j`` is the law of the token after ``context + continuation[:j]``. A real model answers
        with one forward pass; its cache is its own matter.
        """
        ...


class BatchedModel(LanguageModel, Protocol):
    """A model that answers for several contexts in one pass."""

    def distributions_after(self, contexts: Sequence[Ids]) -> Sequence[Distribution[int]]:
        """The next-token law after each of ``contexts``."""
        ...


def distributions_after(
    model: LanguageModel, contexts: Sequence[Ids]
) -> Sequence[Distribution[int]]:
    """The next-token law after each of ``contexts``: in one pass where the model can batch."""
    batched: Any = getattr(model, "distributions_after", None)
    if batched is not None:
        return batched(contexts)
    return [model.distributions(context)[0] for context in contexts]
