"""What there is to say about one tokenizer's vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...reference.models import Ids
from .corpus import Passage
from .intersection import share
from .sides import Side, Token

#: Lengths in bytes at these shares of the vocabulary.
SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Facts:
    """One side's vocabulary.

    Attributes:
        name: what it was asked for by.
        family: what kind of tokenizer it is; None where it does not say.
        ids: the size of the vocabulary.
        with_text: ids that mean at least one byte.
        without_text: specials, padding, the unknown token.
        end_of_sequence: the id that ends a sequence.
        stop_ids: ids that end a reply.
        beginning: ids put in front of a text.
        adds_space: whether the encoding of a letter begins with the byte of a space, whatever
            decoding does with it; None when no letter can be encoded.
        unknown: the id for what cannot be encoded.
        single_bytes: how many of the 256 bytes are tokens: with all, every text can be spelled.
        part_characters: ids whose bytes are not whole characters.
        duplicates: ids whose bytes a lower id means too.
        duplicate_examples: the first groups of ids with the same bytes.
        longest: the longest tokens, at most five.
        lengths: rows of (share of the ids with text, length in bytes that they do not exceed).
        bytes_per_token: of the corpus; None when none of it can be encoded.
        laws: what the tokenizer states about itself.
    """

    name: str
    family: str | None
    ids: int
    with_text: int
    without_text: int
    end_of_sequence: int | None
    stop_ids: Ids
    beginning: Ids
    adds_space: bool | None
    unknown: int | None
    single_bytes: int
    part_characters: int
    duplicates: int
    duplicate_examples: tuple[tuple[Token, ...], ...]
    longest: tuple[Token, ...]
    lengths: tuple[tuple[float, int], ...]
    bytes_per_token: float | None
    laws: dict[str, bool]


def facts(side: Side, corpus: Sequence[Passage], encodings: Sequence[Ids | None]) -> Facts:
    """The facts of one side; the encodings are ``corpus``'s, in order."""
    tokenizer: Any = side.tokenizer
    owners: dict[bytes, list[int]] = {}
    for token in side.with_text:
        owners.setdefault(side.vocabulary[token] or b"", []).append(token)
    groups = [ids for ids in owners.values() if len(ids) > 1]
    sizes = sorted(len(side.vocabulary[token] or b"") for token in side.with_text)
    longest = sorted(side.with_text, key=lambda t: (-len(side.vocabulary[t] or b""), t))[:5]
    ending = tokenizer.end_of_sequence
    read = [(p, ids) for p, ids in zip(corpus, encodings, strict=True) if ids is not None]
    return Facts(
        side.name,
        getattr(tokenizer, "family", None),
        len(side.vocabulary),
        len(side.with_text),
        len(side.vocabulary) - len(side.with_text),
        ending,
        tuple(sorted(getattr(tokenizer, "stop_ids", () if ending is None else (ending,)))),
        tuple(getattr(tokenizer, "beginning", ())),
        _adds_space(side),
        side.unknown,
        sum(len(text) == 1 for text in side.times),
        sum(not _whole(text) for text in side.vocabulary if text),
        len(side.with_text) - len(owners),
        tuple(tuple(side.token(token) for token in ids) for ids in groups[:3]),
        tuple(side.token(token) for token in longest),
        tuple((part, sizes[_at(part, len(sizes))]) for part in SHARES if sizes),
        share(sum(len(p.text.encode()) for p, _ in read), sum(len(ids) for _, ids in read)),
        asdict(tokenizer.laws),
    )


def _adds_space(side: Side) -> bool | None:
    for letter in "abxyz":
        ids = side.encode(letter)
        if ids and side.unknown not in ids:
            return b"".join(side.vocabulary[token] or b"" for token in ids).startswith(b" ")
    return None


def _whole(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _at(part: float, size: int) -> int:
    """The index of the least element that at least ``part`` of a sorted list is up to."""
    return max(0, -int(-part * size // 1) - 1)
