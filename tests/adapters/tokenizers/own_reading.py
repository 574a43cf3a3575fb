"""What is left of a text, written down a second time: without the tokenizers' own libraries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MARK = "\u2581"


def same(text: str) -> str:
    return text


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def marks_as_spaces(text: str) -> str:
    return text.replace(MARK, " ")


def without(*dropped: int) -> Callable[[str], str]:
    """The text less some byte values."""

    def left(text: str) -> str:
        return bytes(b for b in text.encode() if b not in dropped).decode("utf-8", "replace")

    return left


def bert_words(text: str) -> str:
    """Words in lower case without accents, punctuation and ideographs apart, a space between."""
    cleaned = ""
    for c in text:
        if c in "\t\n\r" or unicodedata.category(c) in ("Zs", "Zl", "Zp"):
            cleaned += " "
        elif c != "\ufffd" and not unicodedata.category(c).startswith("C"):
            cleaned += f" {c} " if ideograph(c) else c
    plain = unicodedata.normalize("NFD", cleaned)
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn").lower()
    apart = "".join(f" {c} " if punctuation(c) else c for c in plain)
    return " ".join(apart.split())


def ideograph(c: str) -> bool:
    ranges = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0xF900, 0xFAFF))
    return any(low <= ord(c) <= high for low, high in ranges)


def punctuation(c: str) -> bool:
    return (c.isascii() and not c.isalnum() and c > " " and c != "\x7f") or (
        unicodedata.category(c).startswith("P")
    )


_CLIP = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|[^\s\w]+|_+")


def clip_words(text: str) -> str:
    """ASCII text: words in lower case, a space behind each."""
    return "".join(word + " " for word in _CLIP.findall(text.lower()))


def unigram_words(text: str) -> str:
    """ASCII text without control characters: runs of spaces one, none in front."""
    return re.sub(" +", " ", text.replace("\t", " ").replace("\n", " ")).lstrip(" ")


#: By tokenizer; what is not here is only stated for ASCII, or for text without unknown tokens.
OWN: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("gpt2", "llama3", "deepseek", "o200k", "tekken", "rwkv", "command-r"), same),
    **dict.fromkeys(("qwen", "qwen2", "qwen3", "gpt-neox", "mpt"), composed),
    "claude": compatible,
    **dict.fromkeys(
        ("gemma", "gemma3", "mistral-v1", "mistral-v3", "phi-3", "llama2"), marks_as_spaces
    ),
    "smollm2": without(0x04, 0x06, 0x13, 0x14, 0x16, 0x1D, 0xF1, 0xF2),
    "falcon": without(3, 4, 5, 0x0B, 0x11, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1C, 0x1D, 0xF2),
    **dict.fromkeys(("starcoder", "refact"), without(0xF1)),
    "bert": bert_words,
    "clip": clip_words,
    "t5": unigram_words,
    "xlm-r": unigram_words,
}
