"""SentencePiece models: files of the library, or built from the parts that GGUF files keep.

A piece is normal text, a byte of the byte fallback, a user-defined text, a control symbol, unused,
or the unknown token. Control symbols are never matched in a text; user-defined ones are, and mean
their text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...reference.models import Ids
from . import families
from .real import Leading, RealTokenizer, TextLaw, TokenizerError
from .spellings import SPACE_MARK, byte_piece, metaspace

#: Kinds of pieces, as in the library's model files (and in GGUF files).
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM, BPE = 1, 2


class SentencePieceEncoder:
    """`sentencepiece.SentencePieceProcessor` as an encoder."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone."""
        return tuple(self.processor.encode(text, add_bos=False, add_eos=False))

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text."""
        made = self.processor.encode(list(texts), add_bos=False, add_eos=False)
        return [tuple(ids) for ids in made]


def from_sentencepiece(
    processor: Any,
    name: str = "sentencepiece",
    *,
    end_of_sequence: str | int | None = None,
    stops: Iterable[str] = (),
    beginning: Iterable[str] = (),
    unigram: bool | None = None,
) -> RealTokenizer:
    """A `sentencepiece.SentencePieceProcessor` as a `RealTokenizer`.

    Args:
        processor: the library's object.
        name: for reports.
        end_of_sequence: its spelling or id; the model's own unless given.
        stops: further pieces that end a reply.
        beginning: pieces that are put in front of a text.
        unigram: whether the model is a Unigram one; read from the model unless given.

    Raises:
        TokenizerError: for a piece that there is not.
    """
    size = processor.get_piece_size()
    pieces = [processor.id_to_piece(token) for token in range(size)]
    vocabulary = tuple(
        None
        if processor.is_control(token) or processor.is_unknown(token)
        else byte_piece(piece)
        if processor.is_byte(token)
        else metaspace(piece)
        for token, piece in enumerate(pieces)
    )
    by_piece = {piece: token for token, piece in enumerate(pieces)}

    def id_of(piece: str | int) -> int:
        if isinstance(piece, int):
            return piece
        if piece not in by_piece:
            raise TokenizerError(f"{name} has no piece {piece!r}")
        return by_piece[piece]

    if end_of_sequence is None and processor.eos_id() >= 0:
        end_of_sequence = processor.eos_id()
    leading = _leading(processor, pieces, vocabulary)
    normalised = processor.normalize("a")
    rewrites = processor.normalize("\N{FULLWIDTH LATIN SMALL LETTER A}  b") != (
        f"{normalised[:-1]}\N{FULLWIDTH LATIN SMALL LETTER A}{SPACE_MARK * 2}b"
    )
    if unigram is None:
        unigram = _is_unigram(processor)

    def continues() -> RealTokenizer:
        # Repeated settings in a model file override: no prefix, and spaces stay as they are.
        override = _nested(3, _number(3, 0) + _number(4, 0))
        model = processor.serialized_model_proto() + override
        bare = type(processor)(model_proto=model)
        return replace(
            made,
            encoder=SentencePieceEncoder(bare),
            text_law=TextLaw(_sentence(rewrites, "nothing"), _kept(bare, "nothing")),
            leading="nothing",
            continues=None,
            _padded={},
        )

    made = RealTokenizer(
        name=name,
        vocabulary=vocabulary,
        encoder=SentencePieceEncoder(processor),
        laws=families.LOSSY,
        text_law=TextLaw(_sentence(rewrites, leading), _kept(processor, leading)),
        family=families.SENTENCEPIECE_UNIGRAM if unigram else families.SENTENCEPIECE_BPE,
        end_of_sequence=None if end_of_sequence is None else id_of(end_of_sequence),
        stop_ids=frozenset(map(id_of, stops)),
        beginning=tuple(map(id_of, beginning)),
        unknown=processor.unk_id() if processor.unk_id() >= 0 else None,
        leading=leading,
        continues=None if leading == "nothing" else continues,
    )
    return made


def _leading(processor: Any, pieces: Sequence[str], vocabulary: Sequence[bytes | None]) -> Leading:
    """What the library's decoding strips in front, found by asking it."""
    for token, piece in enumerate(pieces):
        if vocabulary[token] and piece.startswith(SPACE_MARK) and len(piece) > 1:
            rest = metaspace(piece[1:]).decode()
            if rest[0] == " ":
                continue
            if processor.decode([token]) != rest:
                return "nothing"
            mark = processor.piece_to_id(SPACE_MARK)
            twice = processor.decode([mark, token]) if mark >= 0 else rest
            return "spaces" if twice == rest and mark != processor.unk_id() else "space"
    return "nothing"


def _kept(processor: Any, leading: Leading) -> Callable[[str], str]:
    def kept(text: str) -> str:
        left = processor.normalize(text).replace(SPACE_MARK, " ")
        if leading == "spaces":
            return left.lstrip(" ")
        return left.removeprefix(" ") if leading == "space" else left

    return kept


def _sentence(rewrites: bool, leading: Leading) -> str:
    said = ["normalised by the model's own table"] if rewrites else []
    said.append("U+2581 reads as a space")
    if leading == "spaces":
        said.append("spaces in front are lost")
    return ", ".join(said)


def _is_unigram(processor: Any) -> bool:
    """The type that the model's trainer settings state; Unigram is what is left out."""
    return field_of(field_of(processor.serialized_model_proto(), 2), 3, UNIGRAM) == UNIGRAM


# What follows is the wire format of protocol buffers, as far as a model file needs it.


def field_of(message: bytes, wanted: int, missing: Any = b"") -> Any:
    """The last value of a field: an integer, or the bytes of a nested message or string."""
    place, found = 0, missing
    while place < len(message):
        key, place = _read_number(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _read_number(message, place)
        elif kind == 2:
            length, place = _read_number(message, place)
            value, place = message[place : place + length], place + length
        else:
            width = 4 if kind == 5 else 8
            value, place = message[place : place + width], place + width
        if key >> 3 == wanted:
            found = value
    return found


def model_file(
    pieces: Iterable[tuple[str, float, int]],
    *,
    unigram: bool,
    prefix: bool,
    collapse: bool = False,
    charsmap: bytes = b"",
) -> bytes:
    """A model file of the library, from (spelling, score, kind) of every piece.

    Args:
        pieces: in the order of their ids.
        unigram: segmentation by Unigram; else by BPE.
        prefix: whether a space is put in front of a text.
        collapse: whether runs of spaces become one and outer spaces go.
        charsmap: the normalisation table, in the library's own form.
    """
    body, falls_back = bytearray(), False
    for spelling, score, kind in pieces:
        falls_back = falls_back or kind == BYTE
        body += _nested(
            1, _nested(1, spelling.encode()) + b"\x15" + struct.pack("<f", score) + _number(3, kind)
        )
    trainer = _number(3, UNIGRAM if unigram else BPE) + _number(35, int(falls_back))
    normaliser = (
        _nested(1, b"gguf")
        + (_nested(2, charsmap) if charsmap else b"")
        + _number(3, int(prefix))
        + _number(4, int(collapse))
        + _number(5, 1)
    )
    return bytes(body) + _nested(2, trainer) + _nested(3, normaliser)


def _read_number(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _nested(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content
