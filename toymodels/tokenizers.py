"""Toy tokenizers, put together from the same parts as real ones.

On the way to ids: specials spelled in the text are recognised, what lies between them is normalised
and segmented, characters without a piece fall back on bytes or on the unknown token, and a
beginning of sequence is put in front. On the way back: bytes are joined and read as UTF-8, and the
result is cleaned. Each part is optional; `greedy`, `bpe` and `unigram` take the same options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict, Unpack

from ..reference.models import Ids
from ..reference.tokenizers import EncodeError, TokenizerLaws
from .laws import found_laws
from .segmentation import (
    BytePairSegmentation,
    GreedySegmentation,
    Segmentation,
    TokenizerError,
    UnigramSegmentation,
)
from .tables import Number
from .texts import Cleaner, Normaliser

#: What an id is given as: text that can be matched, bytes of the byte fallback, or no text.
Piece: TypeAlias = str | bytes | None

#: What the unknown token decodes to; also what incomplete UTF-8 reads as.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# The caches of encodings and decodings are emptied when they have grown to this many entries.
_CACHE_LIMIT = 1 << 17


class Parts(TypedDict, total=False):
    """The optional parts of a toy tokenizer; see `ToyTokenizer`."""

    alphabet: Sequence[str] | None
    normalisers: Sequence[Normaliser]
    cleaners: Sequence[Cleaner]
    unknown: int | None
    begin_of_sequence: int | None
    end_of_sequence: int | None
    specials: Mapping[str, int] | None
    laws: TokenizerLaws | None


class ToyTokenizer:
    """A tokenizer over ``pieces``: id ``k`` stands for ``pieces[k]``.

    A piece of text (str) is matched by the segmentation; the same text may be listed twice, and
    encoding then uses the lower id. A single byte (bytes) is used only for characters that no piece
    covers, when all bytes of the character are listed. None stands for no text: end of sequence,
    beginning of sequence, unknown token, padding; all of them decode to nothing, but for the
    unknown token, which decodes to U+FFFD.

    Args:
        pieces: what each id stands for.
        segmentation: makes the segmentation from the map of pieces to ids.
        alphabet: the characters the laws quantify over; those of the pieces unless given.
        normalisers: applied to the text in this order, between specials.
        cleaners: applied to decoded text in this order.
        unknown: the id given to characters without a piece; without one they raise `EncodeError`.
        begin_of_sequence: the id put in front of every encoding.
        end_of_sequence: the id that ends a sequence.
        specials: spellings that are recognised in a text and encoded to an id that decodes to
            nothing.
        laws: what the tokenizer states of itself. Left out, the laws are found when asked for, by
            trying all short texts and id sequences; they are then known to those lengths only.

    Raises:
        TokenizerError: for no pieces, an empty piece, bytes that are not one byte, an alphabet
            entry that is not one character, or a special id that is unknown or stands for text.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        segmentation: Callable[[Mapping[str, int]], Segmentation],
        *,
        alphabet: Sequence[str] | None = None,
        normalisers: Sequence[Normaliser] = (),
        cleaners: Sequence[Cleaner] = (),
        unknown: int | None = None,
        begin_of_sequence: int | None = None,
        end_of_sequence: int | None = None,
        specials: Mapping[str, int] | None = None,
        laws: TokenizerLaws | None = None,
    ) -> None:
        self._given = tuple(pieces)
        self._pieces, self._byte_ids = _sorted_out(pieces)
        self._spellings = tuple(
            piece.encode() if isinstance(piece, str) else piece for piece in pieces
        )
        self.alphabet: tuple[str, ...] = (
            tuple(sorted({c for piece in self._pieces for c in piece}))
            if alphabet is None
            else tuple(alphabet)
        )
        for character in self.alphabet:
            if len(character) != 1:
                raise TokenizerError(f"alphabet: {character!r} is not one character")
        self._specials = dict(specials or {})
        if "" in self._specials:
            raise TokenizerError(f"specials: the spelling of id {self._specials['']} is empty")
        self.unknown = unknown
        self.begin_of_sequence = begin_of_sequence
        self._end_of_sequence = end_of_sequence
        for role, token in (
            ("unknown", unknown),
            ("begin_of_sequence", begin_of_sequence),
            ("end_of_sequence", end_of_sequence),
            *((f"special {spelling!r}", token) for spelling, token in self._specials.items()),
        ):
            self._check_special(role, token)
        self._segmentation = segmentation(self._pieces)
        self._normalisers = tuple(normalisers)
        self._cleaners = tuple(cleaners)
        self._stated = laws
        self._splitter = (
            re.compile("(" + "|".join(map(re.escape, self._specials)) + ")") if specials else None
        )
        #: Both sides of a boundary are cut as if alone: see `draftproof.reference.readings`.
        plain = not (normalisers or cleaners or specials or self._byte_ids)
        alone = begin_of_sequence is None and unknown is None
        self.stable = plain and alone and self._segmentation.stable
        self.longest_match = self.stable and self._segmentation.name == "greedy"
        self._encoded: dict[str, Ids | str] = {}
        self._decoded: dict[Ids, str] = {}

    @property
    def vocabulary(self) -> tuple[bytes | None, ...]:
        """The bytes of every id; None for an id without text."""
        return self._spellings

    @property
    def end_of_sequence(self) -> int | None:
        """The id that ends a sequence, if there is one."""
        return self._end_of_sequence

    @property
    def laws(self) -> TokenizerLaws:
        """The laws stated, or found by trying where none were stated."""
        if self._stated is None:
            self._stated = found_laws(self)
        return self._stated

    def encode(self, text: str) -> Ids:
        """The ids of ``text``.

        Raises:
            EncodeError: naming the first character without a token, when nothing stands in for it.
        """
        known = self._encoded.get(text)
        if known is None:
            if len(self._encoded) >= _CACHE_LIMIT:
                self._encoded.clear()
            known = self._encoded[text] = self._encode(text)
        if isinstance(known, str):
            raise EncodeError(known)
        return known

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``; bytes that are not yet a character decode to U+FFFD.

        Raises:
            ValueError: for an id outside the vocabulary.
        """
        key = tuple(ids)
        known = self._decoded.get(key)
        if known is None:
            if len(self._decoded) >= _CACHE_LIMIT:
                self._decoded.clear()
            known = self._decoded[key] = self._decode(key)
        return known

    def describe(self) -> dict[str, Any]:
        """What builds this tokenizer again, alphabet and laws aside, fit for JSON.

        Parts not used are left out. A byte is spelled "<0xC3>", an id without text null.
        """
        described: dict[str, Any] = {
            "vocabulary": [
                f"<0x{piece[0]:02X}>" if isinstance(piece, bytes) else piece
                for piece in self._given
            ],
            **self._segmentation.describe(),
            "normalisers": [step.value for step in self._normalisers],
            "cleaners": [step.value for step in self._cleaners],
            "unknown": self.unknown,
            "begin_of_sequence": self.begin_of_sequence,
            "end_of_sequence": self._end_of_sequence,
            "specials": self._specials,
        }
        return {part: value for part, value in described.items() if value not in (None, [], {})}

    def __repr__(self) -> str:
        return f"ToyTokenizer({self.describe()})"

    def _encode(self, text: str) -> Ids | str:
        """The ids of ``text``, or the complaint that it has none."""
        parts = [text] if self._splitter is None else self._splitter.split(text)
        ids: list[int] = [] if self.begin_of_sequence is None else [self.begin_of_sequence]
        for index, part in enumerate(parts):
            if index % 2:  # re.split puts the specials at the odd places
                ids.append(self._specials[part])
                continue
            for normaliser in self._normalisers:
                part = normaliser(part)
            for segment in self._segmentation.segment(part):
                tokens = self._fallback(segment) if isinstance(segment, str) else (segment,)
                if tokens is None:
                    return f"text {text!r}: no token for the character {segment!r}"
                ids += tokens
        return tuple(ids)

    def _fallback(self, character: str) -> Ids | None:
        tokens = [self._byte_ids.get(byte) for byte in character.encode()]
        spelled = tuple(token for token in tokens if token is not None)
        if len(spelled) == len(tokens):
            return spelled
        return None if self.unknown is None else (self.unknown,)

    def _decode(self, ids: Ids) -> str:
        joined: list[bytes] = []
        for position, token in enumerate(ids):
            if not 0 <= token < len(self._spellings):
                raise ValueError(
                    f"id {token} at position {position} is outside 0 .. {len(self._spellings) - 1}"
                )
            replacement = REPLACEMENT.encode() if token == self.unknown else b""
            joined.append(self._spellings[token] or replacement)
        text = b"".join(joined).decode("utf-8", errors="replace")
        for cleaner in self._cleaners:
            text = cleaner(text)
        return text

    def _check_special(self, role: str, token: int | None) -> None:
        if token is None:
            return
        if not 0 <= token < len(self._spellings):
            raise TokenizerError(f"{role} is id {token}, outside 0 .. {len(self._spellings) - 1}")
        if self._spellings[token] is not None:
            raise TokenizerError(f"{role} is id {token}, which stands for {self._spellings[token]}")


def greedy(pieces: Sequence[Piece], **parts: Unpack[Parts]) -> ToyTokenizer:
    """Longest match first, from left to right.

    Without further parts: injective, round-trips and concatenative always; total when every
    character of the alphabet is a piece; canonical when no piece can begin a longer one that the
    text of the pieces after it continues.
    """
    return ToyTokenizer(pieces, GreedySegmentation, **parts)


def bpe(
    pieces: Sequence[Piece], merges: Sequence[tuple[str, str]], **parts: Unpack[Parts]
) -> ToyTokenizer:
    """Byte-pair encoding with ``merges`` in order of rank.

    Without further parts: injective, round-trips and concatenative always; total when every
    character of the alphabet is a piece; then canonical only without merges and longer pieces.
    """
    return ToyTokenizer(pieces, lambda table: BytePairSegmentation(table, merges), **parts)


def unigram(
    pieces: Sequence[Piece], scores: Mapping[str, Number], **parts: Unpack[Parts]
) -> ToyTokenizer:
    """The segmentation of the highest total of ``scores``, exact numbers, one for each piece.

    Without further parts: injective, round-trips and concatenative always; total when every
    character of the alphabet is a piece; canonical when no text has two segmentations.
    """
    return ToyTokenizer(pieces, lambda table: UnigramSegmentation(table, scores), **parts)


def _sorted_out(pieces: Sequence[Piece]) -> tuple[dict[str, int], dict[int, int]]:
    """The lowest id of each text, and of each byte."""
    if not pieces:
        raise TokenizerError("pieces is empty; a vocabulary has at least one id")
    texts: dict[str, int] = {}
    by_byte: dict[int, int] = {}
    for token, piece in enumerate(pieces):
        if isinstance(piece, str):
            if not piece:
                raise TokenizerError(f"piece {token} is the empty text; use None for no text")
            texts.setdefault(piece, token)
        elif piece is not None:
            if len(piece) != 1:
                raise TokenizerError(
                    f"piece {token} is {piece!r}; the byte fallback takes one byte"
                )
            by_byte.setdefault(piece[0], token)
    return texts, by_byte
