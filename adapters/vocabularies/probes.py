"""The texts on which round trips are tried: single characters over Unicode, then combinations."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice, product

from .sides import Side

#: Blocks whose characters are alike by the thousand: only every `STRIDE`-th is tried.
UNIFORM = (
    (0x3400, 0x9FFF),  # Chinese characters
    (0xA000, 0xA48F),  # Yi
    (0xAC00, 0xD7A3),  # Korean syllables
    (0x12000, 0x14646),  # cuneiform, hieroglyphs
    (0x16800, 0x18CFF),  # Bamum, Tangut
    (0x1B000, 0x1B2FF),  # kana supplement, Nushu
    (0x20000, 0x323AF),  # Chinese characters, extensions
)
STRIDE = 32
#: Nothing but private use from here on.
END = 0xE0200

#: One or two characters of each sort that tokenizers treat in ways of their own.
ALPHABET = (
    "a",
    "B",
    "1",
    " ",
    "\n",
    "\t",
    ".",
    "'",
    "<",
    "_",
    "é",
    "\N{COMBINING ACUTE ACCENT}",
    "\N{LATIN SMALL LIGATURE FI}",
    "\N{NO-BREAK SPACE}",
    "\N{LOWER ONE EIGHTH BLOCK}",  # the space mark of SentencePiece vocabularies
    "Ġ",  # the space mark of byte-level vocabularies
    "中",
    "🙂",
    "\r",
    "\N{ZERO WIDTH SPACE}",
)
LONGEST = 3

#: Texts that spell what vocabularies list as special tokens, or as bytes.
LOOK_ALIKES = (
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "<mask>",
    "<bos>",
    "<eos>",
    "<0x0A>",
    "<0x41>",
    "<0xFF>",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[PAD]",
    "[INST]",
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|eot_id|>",
    "<start_of_turn>",
    "</w>",
    "##a",
    "<extra_id_0>",
)


@cache
def characters(quick: bool) -> tuple[str, ...]:
    """Assigned characters, all of them outside `UNIFORM`; few of these when ``quick``."""
    found: list[str] = []
    start = 0
    for first, last in (*UNIFORM, (END, END)):
        for number in (*range(start, first), *range(first, last + 1, STRIDE)):
            if unicodedata.category(chr(number)) not in ("Cn", "Cs", "Co"):
                found.append(chr(number))
        start = last + 1
    return tuple(found if not quick else [*found[:256], *found[256::32]])


def alphabet(side: Side) -> tuple[str, ...]:
    """What combinations are made of: `ALPHABET`, or all that a small vocabulary knows."""
    if len(side.vocabulary) >= 256:
        return ALPHABET
    known = {c for text in side.times for c in text.decode(errors="ignore")}
    return tuple(islice(sorted(known), len(ALPHABET)))


def combinations(letters: tuple[str, ...]) -> Iterator[str]:
    """Texts of two letters, then of three."""
    for length in range(2, LONGEST + 1):
        yield from map("".join, product(letters, repeat=length))


def look_alikes(side: Side) -> list[str]:
    """`LOOK_ALIKES`, and the strings under which the vocabulary lists ids without text."""
    own = [
        spelling
        for spelling, text in zip(side.spellings or (), side.vocabulary, strict=False)
        if text is None and spelling
    ]
    return list(dict.fromkeys([*LOOK_ALIKES, *own[:64]]))
