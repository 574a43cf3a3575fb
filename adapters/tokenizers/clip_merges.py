"""CLIP's tokenizer from its list of merges: byte-level BPE in which a mark ends each word."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from .from_tokenizers import from_tokenizers
from .real import RealTokenizer, TokenizerError
from .spellings import byte_level_alphabet

_END = "</w>"
_SPECIALS = ("<|startoftext|>", "<|endoftext|>")

# The model has 49,408 ids: 256 bytes with and without the mark, these merges, and 2 specials.
_MERGES = 49_152 - 256 - 2

_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def from_clip_merges(path: Path, name: str = "clip") -> RealTokenizer:
    """CLIP's tokenizer from ``bpe_simple_vocab_16e6.txt.gz``.

    Raises:
        TokenizerError: when the file is not that list.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers
    from tokenizers import pre_tokenizers as cutters

    try:
        lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    except (OSError, EOFError, UnicodeDecodeError) as raised:
        raise TokenizerError(f"{path.name} is no list of merges: {raised}") from None
    merges = [tuple(line.split()) for line in lines[1 : 1 + _MERGES]]
    if len(merges) < _MERGES or any(len(pair) != 2 for pair in merges):
        raise TokenizerError(f"{path.name} holds no {_MERGES} merges")
    alphabet = sorted(byte_level_alphabet(), key=_order)
    pieces = [*alphabet, *(c + _END for c in alphabet), *("".join(pair) for pair in merges)]
    table = {piece: token for token, piece in enumerate((*pieces, *_SPECIALS))}
    tokenizer: Any = Tokenizer(
        models.BPE(
            vocab=table,
            merges=[(pair[0], pair[1]) for pair in merges],
            end_of_word_suffix=_END,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = cutters.Sequence(
        [
            cutters.Split(Regex(_WORDS), "removed", invert=True),
            cutters.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.BPEDecoder(suffix=_END)
    return from_tokenizers(
        tokenizer,
        name,
        end_of_sequence=_SPECIALS[1],
        beginning=(_SPECIALS[0],),
        pieces=[*pieces, None, None],
        text=tokenizer.to_str(),
    )


def _order(character: str) -> tuple[bool, int]:
    """Printable bytes first, then the others, each in order: how GPT-2 numbered them."""
    return ord(character) >= 0x100, ord(character)
