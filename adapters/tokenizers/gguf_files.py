"""The tokenizer inside a GGUF file, built from the file's own metadata.

What a GGUF file keeps is less than the tokenizer had: the pieces, their kinds, merges or scores,
and the *name* of the way in which text is cut before the merges. The ways are written out here for
the names that could be checked against published ids; a file with any other name is refused, since
it would load and be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .from_sentencepiece import (
    CONTROL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    from_sentencepiece,
    model_file,
)
from .from_tokenizers import from_tokenizers
from .gguf_metadata import read_metadata
from .real import RealTokenizer, TokenizerError
from .spellings import SPACE_MARK
from .stops import stops_among

# \p{..} are Unicode categories. The common parts of the patterns below.
_ENDINGS = "'s|'t|'re|'ve|'m|'ll|'d"
_GPT2 = rf"{_ENDINGS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"


def _modern(digits: str) -> str:
    """The pattern of Llama 3 and its kin, which differ in how many digits stay together."""
    return (
        rf"(?i:{_ENDINGS})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    )


#: For each name of a way of cutting: steps, each a regular expression or "digits" (one by one).
CUTS: Mapping[str, tuple[str, ...]] = {
    "gpt-2": (_GPT2,),
    "gpt-neox": (_GPT2,),
    "mpt": (_GPT2,),
    "llama-bpe": (_modern(r"\p{N}{1,3}"),),
    "qwen2": (_modern(r"\p{N}"),),
    "starcoder": ("digits", _GPT2),
    "refact": ("digits", _GPT2),
    "command-r": ("digits", _GPT2),
    "smollm": ("digits", _GPT2),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, r"[0-9][0-9][0-9]"),
}

# These put characters in composed form first.
_COMPOSING = {"qwen2", "gpt-neox", "mpt"}

# These look a whole cut up in the vocabulary before they merge.
_WHOLE_FIRST = {"llama-bpe"}


def from_gguf(path: Path, name: str | None = None) -> RealTokenizer:
    """The tokenizer of a GGUF file.

    Raises:
        TokenizerError: for a file without one, or one that is not known to load right.
    """
    prefix = "tokenizer.ggml."
    found = {
        key.removeprefix(prefix): value
        for key, value in read_metadata(path, lambda key: key.startswith(prefix)).items()
    }
    name = name or path.stem
    if "tokens" not in found:
        raise TokenizerError(f"{path.name} holds no tokenizer")
    model = found.get("model")
    if model == "gpt2":
        return _byte_level(found, name, path.name)
    if model in ("llama", "t5"):
        return _sentencepiece(found, name, model == "t5")
    if model == "bert":
        return _word_piece(found, name)
    raise TokenizerError(f"{path.name}: tokenizers of the kind {model!r} are not known here")


def _byte_level(found: Mapping[str, Any], name: str, file: str) -> RealTokenizer:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
    from tokenizers import pre_tokenizers as cutters

    # Older files name no way; of those, only the one of GPT-NeoX is known, by its first pieces.
    first = tuple(found["tokens"][:2])
    way = found.get("pre") or ("gpt-neox" if first == ("<|endoftext|>", "<|padding|>") else None)
    if way is None or way not in CUTS:
        raise TokenizerError(
            f"{file} cuts text in a way that could not be checked here ({way or 'it has no name'})"
        )
    kinds, pieces = _kinds(found), _text_pieces(found)
    table = {piece: token for token, piece in enumerate(pieces) if piece is not None}
    merges = (tuple(merge.split(" ", 1)) for merge in found["merges"])
    bpe = models.BPE(
        vocab=table,
        merges=[(a, b) for a, b in merges if a + b in table],
        ignore_merges=way in _WHOLE_FIRST,
    )
    tokenizer: Any = Tokenizer(bpe)
    if way in _COMPOSING:
        tokenizer.normalizer = normalizers.NFC()
    steps: list[Any] = [
        cutters.Digits(individual_digits=True)
        if step == "digits"
        else cutters.Split(Regex(step), "isolated")
        for step in CUTS[way]
    ]
    steps.append(cutters.ByteLevel(add_prefix_space=False, use_regex=False))
    tokenizer.pre_tokenizer = cutters.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens(
        [
            AddedToken(piece, normalized=False, special=False)
            for piece, kind in zip(pieces, kinds, strict=True)
            if piece is not None and kind == USER_DEFINED
        ]
    )
    return from_tokenizers(
        tokenizer,
        name,
        end_of_sequence=found.get("eos_token_id"),
        stops=stops_among(_special_pieces(found)),
        beginning=_beginning(found),
        pieces=pieces,
        text=tokenizer.to_str(),
    )


def _sentencepiece(found: Mapping[str, Any], name: str, unigram: bool) -> RealTokenizer:
    from sentencepiece import SentencePieceProcessor

    unknown = found.get("unknown_token_id", 0)
    kinds = [CONTROL if kind == UNKNOWN else kind for kind in _kinds(found)]
    kinds[unknown] = UNKNOWN
    # What pads the vocabulary must not be matched either.
    kinds = [UNUSED if _is_padding(t, i) else kinds[i] for i, t in enumerate(found["tokens"])]
    content = model_file(
        zip(found["tokens"], found["scores"], kinds, strict=True),
        unigram=unigram,
        prefix=found.get("add_space_prefix", True),
        collapse=found.get("remove_extra_whitespaces", False),
        charsmap=bytes(b & 0xFF for b in found.get("precompiled_charsmap", ())),
    )
    try:
        processor = SentencePieceProcessor(model_proto=content)
    except RuntimeError as raised:
        raise TokenizerError(f"{name}: its pieces make no tokenizer: {raised}") from None
    special = _special_pieces(found)
    return from_sentencepiece(
        processor,
        name,
        end_of_sequence=found.get("eos_token_id"),
        stops=[found["tokens"][token] for token in stops_among(special)],
        beginning=[found["tokens"][token] for token in _beginning(found, True)],
        unigram=unigram,
    )


def _word_piece(found: Mapping[str, Any], name: str) -> RealTokenizer:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    # In the file what begins a word is marked; in the vocabulary it was what continues one.
    kinds = _kinds(found)
    pieces: list[str | None] = [
        None
        if kinds[token] in (UNKNOWN, CONTROL) or re.fullmatch(r"\[unused\d+\]", piece)
        else piece.removeprefix(SPACE_MARK)
        if piece.startswith(SPACE_MARK)
        else "##" + piece
        for token, piece in enumerate(found["tokens"])
    ]
    unknown = found["unknown_token_id"]
    pieces[unknown] = "[UNK]"
    table = {piece: token for token, piece in enumerate(pieces) if piece is not None}
    tokenizer: Any = Tokenizer(
        models.WordPiece(
            vocab=table,
            unk_token="[UNK]",
            max_input_chars_per_word=100,
            continuing_subword_prefix="##",
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    begins = found.get("cls_token_id")
    return from_tokenizers(
        tokenizer,
        name,
        end_of_sequence=found.get("seperator_token_id"),
        beginning=() if begins is None else (begins,),
        pieces=pieces,
        text=tokenizer.to_str(),
    )


def _beginning(found: Mapping[str, Any], by_default: bool = False) -> tuple[int, ...]:
    begins = found.get("add_bos_token", by_default) and "bos_token_id" in found
    return (found["bos_token_id"],) if begins else ()


def _kinds(found: Mapping[str, Any]) -> Sequence[int]:
    return found.get("token_type") or [1] * len(found["tokens"])


def _special_pieces(found: Mapping[str, Any]) -> dict[str, int]:
    kinds = _kinds(found)
    return {t: i for i, t in enumerate(found["tokens"]) if kinds[i] in (UNKNOWN, CONTROL)}


def _text_pieces(found: Mapping[str, Any]) -> list[str | None]:
    """The spelling of every id that has a text; None for special ids and padding."""
    without = (UNKNOWN, CONTROL, UNUSED)
    return [
        None if kind in without or _is_padding(piece, token) else piece
        for token, (piece, kind) in enumerate(zip(found["tokens"], _kinds(found), strict=True))
    ]


def _is_padding(piece: str, token: int) -> bool:
    """Whether a piece was made up to fill the vocabulary; its number is its id, or one less."""
    return piece in (f"[PAD{token}]", f"[PAD{token - 1}]")
