"""A pair: the target and the drafter, each a model with its tokenizer, and how their ids meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .models import Ids, LanguageModel
from .tokenizers import EncodeError, Tokenizer, map_tokens


class PairError(ValueError):
    """A pair that does not fit together: the message says what and where."""


class EmptyIntersectionError(PairError):
    """The two vocabularies share no token, and the algorithm is defined by what they share."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A target and a drafter, over one vocabulary or over two.

    The vocabularies are the same when both sides hold the same tokenizer object; ids are then
    shared as they are, and no text is involved.

    Raises:
        PairError: when a model's size is not its tokenizer's.
    """

    target: LanguageModel
    drafter: LanguageModel
    target_tokenizer: Tokenizer
    drafter_tokenizer: Tokenizer

    def __post_init__(self) -> None:
        for role, model, tokenizer in (
            ("target", self.target, self.target_tokenizer),
            ("drafter", self.drafter, self.drafter_tokenizer),
        ):
            if model.size != len(tokenizer.vocabulary):
                raise PairError(
                    f"the {role} model has {model.size} ids, its tokenizer "
                    f"{len(tokenizer.vocabulary)}"
                )

    @property
    def same_vocabulary(self) -> bool:
        """Whether both models use one tokenizer."""
        return self.target_tokenizer is self.drafter_tokenizer

    @property
    def end_of_sequence(self) -> int | None:
        """The target's end-of-sequence id, or None."""
        return self.target_tokenizer.end_of_sequence

    @cached_property
    def target_id_of(self) -> tuple[int | None, ...]:
        """For every drafter id the target id with the same bytes, or None when T has none."""
        if self.same_vocabulary:
            return tuple(range(self.drafter.size))
        return map_tokens(self.drafter_tokenizer, self.target_tokenizer)

    @cached_property
    def intersection(self) -> frozenset[int]:
        """T n D, as target ids."""
        return frozenset(token for token in self.target_id_of if token is not None)

    @cached_property
    def shared_drafter_ids(self) -> frozenset[int]:
        """T n D, as drafter ids: those that mean what some target id means."""
        return frozenset(d for d, token in enumerate(self.target_id_of) if token is not None)

    def union_id(self, drafter_id: int) -> int:
        """The id in T u D of a drafter id: the target's where shared, else beyond the target's.

        Ids 0 .. target.size - 1 are the target's; ``target.size + d`` is the drafter's own token d.
        """
        shared = self.target_id_of[drafter_id]
        return self.target.size + drafter_id if shared is None else shared

    def drafter_context(self, context: Ids) -> Ids | None:
        """The context as the drafter reads it: D(text of the target's ids).

        None when the drafter cannot encode that text: it then has nothing to say, and the round is
        plain autoregressive decoding.
        """
        if self.same_vocabulary:
            return context
        try:
            return self.drafter_tokenizer.encode(self.target_tokenizer.decode(context))
        except EncodeError:
            return None
