"""The real tokenizers that can be loaded by name: where they lie, and what their files leave out.

A name is that of a model family; the files come from the pinned assets. What a file does not say
(which special token begins a text, which normal form the tokenizer's own package applies first) is
stated here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import families
from .clip_merges import from_clip_merges
from .from_sentencepiece import from_sentencepiece
from .from_tiktoken import encoding_of, from_tiktoken, read_ranks
from .from_tokenizers import from_tokenizers
from .gguf_files import from_gguf
from .greedy_bytes import from_greedy_file
from .real import RealTokenizer, TokenizerError


@dataclass(frozen=True)
class Named:
    """A tokenizer with a name.

    Attributes:
        name: what it is asked for by.
        asset: the pinned asset its files are in.
        file: in the asset's folder.
        family: of spelling.
        size: number of ids.
        read: makes the tokenizer from the file and the name.
        gold: whether published ids for it are among the assets.
    """

    name: str
    asset: str
    file: str
    family: str
    size: int
    read: Callable[[Path, str], RealTokenizer]
    gold: bool = False


def read_json(
    path: Path,
    name: str,
    end_of_sequence: str | None = None,
    stops: tuple[str, ...] = (),
    beginning: tuple[str, ...] | None = None,
) -> RealTokenizer:
    """A ``tokenizer.json``; raises `TokenizerError` when it is none."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise TokenizerError(f"{path.name} needs tokenizers: {INSTALL}") from None
    try:
        text = path.read_text(encoding="utf-8")
        tokenizer = Tokenizer.from_str(text)
    except (OSError, UnicodeDecodeError) as raised:
        raise TokenizerError(f"{path} cannot be read: {raised}") from None
    except Exception as raised:  # the library raises plain Exception
        raise TokenizerError(f"{path} is no tokenizer.json: {raised}") from None
    return from_tokenizers(
        tokenizer,
        name,
        end_of_sequence=end_of_sequence,
        stops=stops,
        beginning=beginning,
        text=text,
    )


def read_model(path: Path, name: str, beginning: tuple[str, ...] = ()) -> RealTokenizer:
    """A SentencePiece model file; raises `TokenizerError` when it is none."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise TokenizerError(f"{path.name} needs sentencepiece: {INSTALL}") from None
    try:
        processor = SentencePieceProcessor(model_file=str(path))
    except (RuntimeError, OSError) as raised:
        raise TokenizerError(f"{path} is no SentencePiece model: {raised}") from None
    return from_sentencepiece(processor, name, beginning=beginning)


def read_gpt2(path: Path, name: str) -> RealTokenizer:
    """GPT-2's pair of files: ``encoder.json``, and ``vocab.bpe`` beside it."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    model = models.BPE.from_file(str(path), str(path.with_name("vocab.bpe")))
    tokenizer = Tokenizer(model)
    cutter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = cutter  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return from_tokenizers(
        tokenizer, name, end_of_sequence="<|endoftext|>", text=tokenizer.to_str()
    )


def read_tekken(path: Path, name: str) -> RealTokenizer:
    """Mistral's ``tekken.json``: ranks behind a block of special tokens."""
    found = json.loads(path.read_text(encoding="utf-8"))
    settings = found["config"]
    shift, size = settings["default_num_special_tokens"], settings["default_vocab_size"]
    ranks = {
        base64.b64decode(entry["token_bytes"]): entry["rank"] + shift
        for entry in found["vocab"][: size - shift]
    }
    # Versions differ in what they call the rest of the block; the first three are always these.
    specials = {"<unk>": 0, "<s>": 1, "</s>": 2} | {
        f"<SPECIAL_{number}>": number for number in range(3, shift)
    }
    encoding = encoding_of(name, settings["pattern"], ranks, specials)
    return from_tiktoken(encoding, name, end_of_sequence="</s>", beginning=("<s>",))


def read_claude(path: Path, name: str) -> RealTokenizer:
    """The ranks of an older Claude: "!", the first rank, then the tokens in base 64."""
    found = json.loads(path.read_text(encoding="utf-8"))
    _, first, *tokens = found["bpe_ranks"].split(" ")
    ranks = {base64.b64decode(token): int(first) + place for place, token in enumerate(tokens)}
    encoding = encoding_of(name, found["pat_str"], ranks, found["special_tokens"])
    return from_tiktoken(encoding, name, end_of_sequence="<EOT>", form="NFKC")


def read_ranks_file(
    pattern: str, specials: dict[str, int], form: str | None = None, stops: tuple[str, ...] = ()
) -> Callable[[Path, str], RealTokenizer]:
    """What reads a tiktoken file, which holds no pattern and no special tokens."""

    def read(path: Path, name: str) -> RealTokenizer:
        ranks = read_ranks(path.read_bytes(), path.name)
        return from_tiktoken(
            encoding_of(name, pattern, ranks, specials), name, form=form, stops=stops
        )

    return read


INSTALL = "pip install 'draftproof[models]'"

_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_QWEN = (
    _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN_SPECIALS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    *(f"<|extra_{k}|>" for k in range(205)),
)
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_ENDINGS}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_ENDINGS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_VOCABULARIES = "llama-cpp-vocabs"


def _vocabulary(name: str, file: str, family: str, size: int, gold: bool = True) -> Named:
    return Named(name, _VOCABULARIES, f"ggml-vocab-{file}.gguf", family, size, from_gguf, gold)


def _json(
    name: str,
    size: int,
    family: str,
    end_of_sequence: str,
    stops: tuple[str, ...] = (),
    beginning: tuple[str, ...] | None = None,
) -> Named:
    return Named(
        name,
        name,
        "tokenizer.json",
        family,
        size,
        lambda path, name: read_json(path, name, end_of_sequence, stops, beginning),
    )


TOKENIZERS: tuple[Named, ...] = (
    Named("gpt2", "gpt2", "encoder.json", families.BYTE_LEVEL, 50_257, read_gpt2),
    Named(
        "smollm2",
        "smollm2-gguf",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        families.BYTE_LEVEL,
        49_152,
        from_gguf,
    ),
    _json(
        "llama3",
        128_256,
        families.BYTE_LEVEL,
        "<|end_of_text|>",
        ("<|eot_id|>",),
        ("<|begin_of_text|>",),
    ),
    _json("deepseek", 129_280, families.BYTE_LEVEL, "<｜end▁of▁sentence｜>"),
    _json("qwen3", 151_669, families.BYTE_LEVEL, "<|endoftext|>", ("<|im_end|>",)),
    _json("gemma3", 262_145, families.SENTENCEPIECE_BPE, "<eos>", ("<end_of_turn>",)),
    _json("t5", 32_100, families.UNIGRAM, "</s>"),
    Named(
        "qwen",
        "qwen",
        "qwen.tiktoken",
        families.RANKS,
        151_851,
        read_ranks_file(
            _QWEN,
            {token: 151_643 + place for place, token in enumerate(_QWEN_SPECIALS)},
            "NFC",
            ("<|im_end|>",),
        ),
    ),
    Named(
        "o200k",
        "o200k",
        "o200k_base.tiktoken",
        families.RANKS,
        200_019,
        read_ranks_file(_O200K, {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}),
    ),
    Named("tekken", "mistral", "tekken_240911.json", families.RANKS, 131_072, read_tekken),
    Named("claude", "claude", "claude.json", families.RANKS, 65_000, read_claude),
    Named(
        "mistral-v1",
        "mistral",
        "tokenizer.model.v1",
        families.SENTENCEPIECE_BPE,
        32_000,
        lambda path, name: read_model(path, name, ("<s>",)),
    ),
    Named(
        "mistral-v3",
        "mistral",
        "mistral_instruct_tokenizer_240323.model.v3",
        families.SENTENCEPIECE_BPE,
        32_768,
        lambda path, name: read_model(path, name, ("<s>",)),
    ),
    Named(
        "j2",
        "j2",
        "j2-tokenizer.model",
        families.SENTENCEPIECE_UNIGRAM,
        262_144,
        lambda path, name: read_model(path, name),
    ),
    Named(
        "clip",
        "clip",
        "bpe_simple_vocab_16e6.txt.gz",
        families.END_OF_WORD,
        49_408,
        from_clip_merges,
    ),
    Named("rwkv", "rwkv", "rwkv_vocab_v20230424.txt", families.GREEDY, 65_530, from_greedy_file),
    _vocabulary("bert", "bert-bge", families.WORD_PIECE, 30_522),
    _vocabulary("xlm-r", "nomic-bert-moe", families.SENTENCEPIECE_UNIGRAM, 250_048, gold=False),
    _vocabulary("falcon", "falcon", families.BYTE_LEVEL, 65_024),
    _vocabulary("gpt-neox", "gpt-neox", families.BYTE_LEVEL, 50_432, gold=False),
    _vocabulary("mpt", "mpt", families.BYTE_LEVEL, 50_432),
    _vocabulary("starcoder", "starcoder", families.BYTE_LEVEL, 49_152),
    _vocabulary("refact", "refact", families.BYTE_LEVEL, 49_216),
    _vocabulary("command-r", "command-r", families.BYTE_LEVEL, 256_000),
    _vocabulary("qwen2", "qwen2", families.BYTE_LEVEL, 151_936),
    _vocabulary("phi-3", "phi-3", families.SENTENCEPIECE_BPE, 32_064),
    _vocabulary("llama2", "llama-spm", families.SENTENCEPIECE_BPE, 32_000),
    Named(
        "gemma",
        "gemma-gguf",
        "gemma-3-270m-q4_k_m.gguf",
        families.SENTENCEPIECE_BPE,
        262_144,
        from_gguf,
    ),
)
