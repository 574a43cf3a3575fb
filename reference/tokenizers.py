"""The tokenizer protocol, and what can be said of two vocabularies: shared tokens, expressibility.

A tokenizer turns text into ids and ids into text. Neither direction need undo the other: real
tokenizers lower-case, normalise, strip, add, and drop. What a tokenizer promises is stated in
`TokenizerLaws` and checked by tests, never assumed by an algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .models import Ids


class EncodeError(ValueError):
    """Text that a tokenizer has no encoding for."""


@dataclass(frozen=True, slots=True)
class TokenizerLaws:
    """What a tokenizer states about itself, over the texts in its alphabet.

    Attributes:
        injective: different texts have different encodings (the paper's word).
        round_trips: ``decode(encode(text)) == text`` for every text that has an encoding. Implies
            injective.
        total: every text over the alphabet has an encoding.
        concatenative: ``decode(a + b) == decode(a) + decode(b)``.
        canonical: ``encode(decode(ids)) == ids`` for all ids, so that a text has one spelling.
    """

    injective: bool
    round_trips: bool
    total: bool
    concatenative: bool
    canonical: bool


class Tokenizer(Protocol):
    """Encodes text as ids, decodes ids to text; ids are 0 .. len(vocabulary) - 1.

    Attributes:
        vocabulary: for each id the bytes it stands for; None for an id that stands for no text
            (end or beginning of sequence, padding, an unknown token).
        end_of_sequence: the id that ends a sequence, or None.
        laws: what encode and decode are stated to satisfy.
    """

    @property
    def vocabulary(self) -> Sequence[bytes | None]:
        """The bytes of every id; None for an id without text."""
        ...

    @property
    def end_of_sequence(self) -> int | None:
        """The id that ends a sequence, if there is one."""
        ...

    @property
    def laws(self) -> TokenizerLaws:
        """What this tokenizer states about itself."""
        ...

    def encode(self, text: str) -> Ids:
        """The ids of ``text``; raises `EncodeError` when it has none."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``; bytes that are not yet a character decode to U+FFFD."""
        ...


def map_tokens(source: Tokenizer, target: Tokenizer) -> tuple[int | None, ...]:
    """For every id of ``source`` the id of ``target`` that stands for the same bytes, or None.

    Several source ids may map to one target id. Where several target ids stand for the same bytes,
    `id_of_bytes` takes the one that is written: any choice is lossless, since what is mapped is
    only a proposal, but the others are hardly ever accepted. The two ends of sequence correspond to
    each other whatever their spelling; other ids without text correspond to nothing.
    """
    by_bytes = id_of_bytes(target)
    image = [None if s is None else by_bytes.get(s) for s in source.vocabulary]
    if source.end_of_sequence is not None:
        image[source.end_of_sequence] = target.end_of_sequence
    return tuple(image)


def id_of_bytes(tokenizer: Tokenizer) -> dict[bytes, int]:
    """For all bytes that some id stands for, that id.

    Of several the one that encoding the text gives, else the lowest. Vocabularies with byte
    fallback have "!" as a token and as the byte 0x21, and only ever write the token.
    """
    found: dict[bytes, int] = {}
    several: set[bytes] = set()
    for token, spelling in enumerate(tokenizer.vocabulary):
        if spelling is not None and found.setdefault(spelling, token) != token:
            several.add(spelling)
    for spelling in several:
        try:
            written = tokenizer.encode(spelling.decode())
        except (EncodeError, UnicodeDecodeError):
            continue
        if len(written) == 1 and tokenizer.vocabulary[written[0]] == spelling:
            found[spelling] = written[0]
    return found


def inexpressible(source: Tokenizer, target: Tokenizer) -> tuple[int, ...]:
    """The ids of ``source`` whose bytes are no concatenation of tokens of ``target``.

    Empty when the source vocabulary is expressible in the target's. Ids without text are left out.
    An inexpressible token costs acceptance, never losslessness.
    """
    pieces = {spelling for spelling in target.vocabulary if spelling}
    return tuple(
        token
        for token, spelling in enumerate(source.vocabulary)
        if spelling is not None and not is_concatenation(spelling, pieces)
    )


def is_concatenation(text: bytes, pieces: set[bytes]) -> bool:
    """Whether ``text`` can be cut into members of ``pieces``."""
    reachable = [True] + [False] * len(text)
    for end in range(1, len(text) + 1):
        reachable[end] = any(
            reachable[end - len(p)] and text.endswith(p, 0, end) for p in pieces if len(p) <= end
        )
    return reachable[-1]
