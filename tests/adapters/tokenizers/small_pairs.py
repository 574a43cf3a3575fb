"""Pairs of real tokenizers, each cut down to a few ids around one thing that it does to text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from draftproof.adapters.tokenizers import RealTokenizer, RestrictedTokenizer, load_tokenizer
from draftproof.reference import Ids, Pair
from draftproof.toymodels import NgramModel


@dataclass(frozen=True)
class SmallPair:
    """Which tokenizers, which tokens of each, and what it is about.

    Attributes:
        target, drafter: names of tokenizers; "/bare" behind one takes its mode for text that
            continues another.
        target_tokens, drafter_tokens: the bytes of the tokens kept; a number is an id, for a
            second id with the same bytes; None is the end of sequence.
        about: in words.
        target_exact, drafter_exact: whether the whole tokenizers give every text back.
        seed: of the models; one under which every algorithm accepts something.
    """

    target: str
    drafter: str
    target_tokens: tuple[bytes | int | None, ...]
    drafter_tokens: tuple[bytes | int | None, ...]
    about: str
    target_exact: bool = True
    drafter_exact: bool = True
    seed: int = 1


HALVES = (b"\xc3", b"\xa9", "é".encode())
ACUTE = "\u0301".encode()

PAIRS: tuple[SmallPair, ...] = (
    SmallPair(
        *("gpt2", "tekken", (b"a", b"ab", *HALVES), (b"a", b"b", *HALVES)),
        "half characters, and ab against a b",
        seed=2,
    ),
    SmallPair(
        "o200k",
        "qwen3",
        (b"e", ACUTE, "é".encode(), b"a", None),
        (b"e", ACUTE, "é".encode(), b"a", None),
        "the drafter composes e and its accent",
        drafter_exact=False,
    ),
    SmallPair(
        *("qwen", "llama3", (b"e", ACUTE, "é".encode(), b"a"), (b"e", ACUTE, "é".encode(), b"a")),
        "the target composes them",
        target_exact=False,
        seed=3,
    ),
    SmallPair(
        *("smollm2", "gpt2", (b"a", b"b", b"ab", b"c"), (b"a", b"b", b"\x04", b"ab")),
        "the target drops a byte in silence",
        target_exact=False,
        seed=6,
    ),
    SmallPair(
        *("deepseek", "falcon", (b"a", b"\x04", b"b", b"ab"), (b"a", b"b", b"ab", b"c")),
        "the drafter drops a byte in silence",
        drafter_exact=False,
    ),
    SmallPair(
        "gemma3",
        "rwkv",
        (b" ", b"  ", b"a", b" a"),
        (b"\xe2\x96", b"\x81", b" ", b"a"),
        "the mark of a space reads as a space",
        target_exact=False,
    ),
    SmallPair(
        "mistral-v1",
        "command-r",
        (b"a", b" a", b" ", b"b", b" b"),
        (b"a", b" a", b" ", b"b", b" b"),
        "a space is put in front, and stripped",
        target_exact=False,
    ),
    SmallPair(
        "mistral-v3/bare",
        "phi-3",
        (b"a", b" a", b"b", b" "),
        (b"a", 100, b" a", b"b"),
        "two ids for one byte; the drafter strips a space in front",
        target_exact=False,
        drafter_exact=False,
        seed=2,
    ),
    SmallPair(
        *("claude", "falcon", (b"fi", b"f", b"i", b"n"), ("\ufb01".encode(), b"fi", b"f", b"n")),
        "the target takes a ligature apart",
        target_exact=False,
        drafter_exact=False,
        seed=2,
    ),
    SmallPair(
        "bert",
        "gpt-neox",
        (b" the", b" cat", b"s", b" a"),
        (b"the", b" the", b" The", b" cat", b"s"),
        "the target keeps words in lower case only",
        target_exact=False,
        drafter_exact=False,
        seed=2,
    ),
    SmallPair(
        *("llama2", "t5", (b"a", b" a", b" the", b" "), (b" the", b" ", b"a", b"s")),
        "the drafter collapses spaces",
        target_exact=False,
        drafter_exact=False,
    ),
    SmallPair(
        *("t5", "mpt", (b" the", b" ", b"a", b"s"), (b"the", b" ", b" the", b"a")),
        "the target strips the spaces of the first token",
        target_exact=False,
        drafter_exact=False,
    ),
    SmallPair(
        *("clip", "refact", (b"a ", b"cat ", b"a", b"s "), (b"a", b" a", b" ", b"cat")),
        "words end with a mark in the target only",
        target_exact=False,
        drafter_exact=False,
    ),
    SmallPair(
        *("xlm-r", "j2", (b" a", b" de", b"a", b"s"), (b" a", b" de", b"a", b"s")),
        "two Unigram models",
        target_exact=False,
        drafter_exact=False,
    ),
)


@lru_cache(maxsize=6)
def whole(name: str) -> RealTokenizer:
    """The whole tokenizer; a few are kept."""
    found = load_tokenizer(name.removesuffix("/bare"))
    return (found.bare or found) if name.endswith("/bare") else found


def ids_of(name: str, tokens: tuple[bytes | int | None, ...]) -> Ids:
    """The highest id for each of the tokens, which is the one that encoding uses where there are
    several; a number is an id already, and None is the end of sequence.
    """
    vocabulary = whole(name).vocabulary
    last: dict[bytes | None, int] = {spelled: token for token, spelled in enumerate(vocabulary)}
    end = whole(name).end_of_sequence
    if end is not None:
        last[None] = end
    return tuple(t if isinstance(t, int) else last[t] for t in tokens)


def built(small: SmallPair, seed: int | None = None) -> Pair:
    """The pair, with an n-gram model of order 2 on each side."""
    seed = small.seed if seed is None else seed
    target = RestrictedTokenizer(whole(small.target), ids_of(small.target, small.target_tokens))
    drafter = RestrictedTokenizer(whole(small.drafter), ids_of(small.drafter, small.drafter_tokens))
    return Pair(
        NgramModel.from_seed(len(target.vocabulary), 2, seed, zeros="1/5"),
        NgramModel.from_seed(len(drafter.vocabulary), 2, seed + 1, zeros="1/5"),
        target,
        drafter,
    )
