"""How tokenizers spell the bytes that a token means, and back to the bytes.

A vocabulary file holds strings, and each family has its own way of writing bytes as a string: a
printable character for each byte (GPT-2), U+2581 for a space (SentencePiece), ``<0xAB>`` for a
byte without a piece, ``##`` in front of what continues a word (WordPiece), ``</w>`` behind what
ends one (CLIP). Two vocabularies can only be compared after undoing all that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

#: SentencePiece's mark for a space, U+2581.
SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@cache
def byte_level_alphabet() -> tuple[str, ...]:
    """The character that stands for each byte in byte-level spellings (GPT-2's convention).

    Bytes that print as Latin-1 stand for themselves; the others take U+0100, U+0101, .. in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    characters: list[str] = []
    shifted = 0x100
    for byte in range(256):
        if byte in printable:
            characters.append(chr(byte))
        else:
            characters.append(chr(shifted))
            shifted += 1
    return tuple(characters)


@cache
def _byte_of_character() -> dict[str, int]:
    return {character: byte for byte, character in enumerate(byte_level_alphabet())}


def byte_level(piece: str) -> bytes:
    """The bytes of a byte-level piece; one with any other character stands for its own UTF-8."""
    table = _byte_of_character()
    try:
        return bytes([table[character] for character in piece])
    except KeyError:
        return piece.encode()


def metaspace(piece: str) -> bytes:
    """The bytes of a piece that marks spaces with U+2581."""
    return piece.replace(SPACE_MARK, " ").encode()


def byte_piece(piece: str) -> bytes | None:
    """The byte that ``<0xAB>`` stands for; None for any other piece."""
    found = _BYTE_PIECE.fullmatch(piece)
    return bytes.fromhex(found[1]) if found else None


def word_piece(piece: str, continues: str = "##") -> bytes:
    """The bytes of a WordPiece: what begins a word means a space and the word.

    Decoding strips the space in front of the first word, which nothing precedes.
    """
    if piece.startswith(continues) and piece != continues:
        return piece.removeprefix(continues).encode()
    return b" " + piece.encode()


def end_of_word(piece: str, suffix: str = "</w>") -> bytes:
    """The bytes of a byte-level piece with an end-of-word mark: the word and a space."""
    if piece.endswith(suffix):
        return byte_level(piece.removesuffix(suffix)) + b" "
    return byte_level(piece)


# Bytes that no UTF-8 text holds.
_NEVER_IN_TEXT = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})


def bytes_without_token(vocabulary: Iterable[bytes | None]) -> frozenset[int]:
    """The byte values of UTF-8 text that no token stands for alone, so that they are dropped."""
    alone = {spelling[0] for spelling in vocabulary if spelling and len(spelling) == 1}
    return frozenset(range(256)) - alone - _NEVER_IN_TEXT
