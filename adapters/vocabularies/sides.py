"""One side of a pair: a tokenizer, its name, and what the audit asks of it again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...reference.models import Ids
from ...reference.tokenizers import EncodeError, Tokenizer


@dataclass(frozen=True, slots=True)
class Token:
    """An id as reports show it.

    Attributes:
        id: the id.
        text: its bytes as text, bytes that are no character escaped; None for an id without text.
        hex: its bytes in hexadecimal.
    """

    id: int
    text: str | None
    hex: str | None


class Side:
    """A tokenizer with a name, and what follows from its vocabulary.

    ``spellings`` are the strings under which the vocabulary's file lists the ids; None where they
    are not known.
    """

    def __init__(
        self, tokenizer: Tokenizer, name: str, spellings: Sequence[str | None] | None = None
    ) -> None:
        self.tokenizer = tokenizer
        self.name = name
        self.vocabulary = tuple(tokenizer.vocabulary)
        self.spellings = spellings if spellings is not None else _spellings(tokenizer)
        self.unknown: int | None = getattr(tokenizer, "unknown", None)

    @cached_property
    def times(self) -> Counter[bytes]:
        """How many ids mean each string of bytes; the empty string left out."""
        return Counter(spelling for spelling in self.vocabulary if spelling)

    @cached_property
    def with_text(self) -> tuple[int, ...]:
        """The ids that mean at least one byte."""
        return tuple(token for token, spelling in enumerate(self.vocabulary) if spelling)

    def token(self, token: int) -> Token:
        """``token`` as reports show it."""
        spelling = self.vocabulary[token]
        if spelling is None:
            return Token(token, None, None)
        return Token(token, spelling.decode(errors="backslashreplace"), spelling.hex())

    def encode(self, text: str) -> Ids | None:
        """The ids of ``text``; None when it has no encoding."""
        try:
            return tuple(self.tokenizer.encode(text))
        except EncodeError:
            return None

    def encode_many(self, texts: Iterable[str]) -> list[Ids | None]:
        """`encode` of each text, in one call where the tokenizer has one for that."""
        texts = list(texts)
        batch: Any = getattr(self.tokenizer, "encode_many", None)
        if batch is not None:
            try:
                return [tuple(ids) for ids in batch(texts)]
            except EncodeError:
                pass  # one of them; which, only the single calls tell
        return [self.encode(text) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``."""
        return self.tokenizer.decode(ids)


def _spellings(tokenizer: Any) -> Sequence[str | None] | None:
    """The strings of the vocabulary's file, where ``tokenizer`` or its library can tell them.

    None for those that have no such strings: tiktoken's files list bytes.
    """
    size = len(tokenizer.vocabulary)
    encoder = getattr(tokenizer, "encoder", None)
    library: Any = getattr(encoder, "tokenizer", None)  # of `tokenizers`
    if hasattr(library, "get_vocab"):
        by_id = {token: piece for piece, token in library.get_vocab().items()}
        return [by_id.get(token) for token in range(size)]
    processor: Any = getattr(encoder, "processor", None)  # of SentencePiece
    if hasattr(processor, "id_to_piece"):
        known = min(size, processor.get_piece_size())
        return [*processor.id_to_piece(list(range(known))), *[None] * (size - known)]
    describe = getattr(tokenizer, "describe", None)  # toy tokenizers
    return None if describe is None else describe().get("vocabulary")
