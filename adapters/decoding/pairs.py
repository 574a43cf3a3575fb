"""A loaded target and a loaded drafter as a `Pair` of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.tokenizers import EncodeError, Tokenizer, TokenizerLaws


class InItsRole:
    """A tokenizer as its side of a pair uses it: whole texts one way, continuations another.

    Some tokenizers put a space in front of every text and take it off again; `bare` is what they do
    to a text that continues another (`draftproof.adapters.tokenizers.RealTokenizer`).
    """

    def __init__(
        self, tokenizer: Any, encode: Callable[[str], Ids], decode: Callable[[Sequence[int]], str]
    ) -> None:
        self.inner = tokenizer
        self.vocabulary: Sequence[bytes | None] = tokenizer.vocabulary
        self.end_of_sequence: int | None = tokenizer.end_of_sequence
        self.laws: TokenizerLaws = tokenizer.laws
        self._encode, self._decode = encode, decode

    def encode(self, text: str) -> Ids:
        """The ids of ``text``; raises `EncodeError` when it has none."""
        return self._encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``."""
        return self._decode(ids)


def for_target(tokenizer: Any) -> InItsRole:
    """The target's: decodes the whole context, encodes drafts, which continue it."""
    return InItsRole(tokenizer, _bare(tokenizer).encode, tokenizer.decode)


def for_drafter(tokenizer: Any) -> InItsRole:
    """The drafter's: encodes the whole context behind its model's beginning, decodes drafts.

    A context that would give no ids at all is refused, since a model cannot be asked after nothing:
    the round then has no proposal.
    """

    @lru_cache(maxsize=1)  # asked for how long it is, and then for it
    def encode(text: str) -> Ids:
        ids: Ids = tokenizer.beginning + tokenizer.encode(text)
        if not ids:
            raise EncodeError("the drafter has nothing to read")
        return ids

    return InItsRole(tokenizer, encode, _bare(tokenizer).decode)


def make_pair(target: Any, drafter: Any) -> Pair:
    """The pair of two loaded models (`draftproof.adapters.huggingface.loading.Loaded`).

    Where both tokenizers give every id the same bytes, the pair has one vocabulary: ids are shared
    and no text is involved. Heads that are padded differently still share it; the drafter's laws
    are then cut or filled up to the target's size.

    Raises:
        PairError: for a model and a tokenizer of different sizes.
    """
    if shares_vocabulary(target.tokenizer, drafter.tokenizer):
        if drafter.model.size != target.model.size:
            drafter.model.resized(target.model.size)
        shared = _bare(target.tokenizer)
        return Pair(target.model, drafter.model, shared, shared)
    return Pair(
        target.model, drafter.model, for_target(target.tokenizer), for_drafter(drafter.tokenizer)
    )


def shares_vocabulary(one: Tokenizer, two: Tokenizer) -> bool:
    """Whether every id means the same to both; ids that only one has must be padding."""
    shared = min(len(one.vocabulary), len(two.vocabulary))
    return (
        one.end_of_sequence == two.end_of_sequence
        and tuple(one.vocabulary[:shared]) == tuple(two.vocabulary[:shared])
        and not any(
            spelling is not None
            for tokenizer in (one, two)
            for spelling in tokenizer.vocabulary[shared:]
        )
    )


def _bare(tokenizer: Any) -> Any:
    return getattr(tokenizer, "bare", None) or tokenizer
