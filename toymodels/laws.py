"""The laws of a tokenizer, tried on every text and every id sequence up to a length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Protocol, TypeVar

from ..reference.models import Ids
from ..reference.tokenizers import EncodeError, Tokenizer, TokenizerLaws

Item = TypeVar("Item")

# How many texts, and how many id sequences, are tried to find laws that nobody stated.
_TRIALS = 5000

#: The names of the laws, in the order of `TokenizerLaws`.
LAWS = ("injective", "round_trips", "total", "concatenative", "canonical")


class OverAlphabet(Tokenizer, Protocol):
    """A tokenizer that says over which characters its laws hold."""

    @property
    def alphabet(self) -> Sequence[str]:
        """The characters that the texts of the laws are made of."""
        ...


def counterexamples(
    tokenizer: OverAlphabet, text_length: int = 4, ids_length: int = 3
) -> dict[str, str]:
    """For each law that fails, one smallest instance of its failure, in words.

    All texts over the alphabet up to ``text_length`` characters and all sequences of up to
    ``ids_length`` ids are tried; a law without an entry held on all of them.
    """
    found: dict[str, str] = {}
    spelled: dict[Ids, str] = {}
    for characters in _up_to(tokenizer.alphabet, text_length):
        text = "".join(characters)
        try:
            ids = tokenizer.encode(text)
        except EncodeError:
            found.setdefault("total", f"{text!r} has no encoding")
            continue
        other = spelled.setdefault(ids, text)
        if other != text:
            found.setdefault("injective", f"{other!r} and {text!r} both encode to {ids}")
        back = tokenizer.decode(ids)
        if back != text:
            found.setdefault("round_trips", f"{text!r} encodes to {ids}, which decodes to {back!r}")
    for ids in _up_to(range(len(tokenizer.vocabulary)), ids_length):
        text = tokenizer.decode(ids)
        if _encoding(tokenizer, text) != ids:
            found.setdefault("canonical", f"{ids} decodes to {text!r}, whose encoding is another")
        for cut in range(1, len(ids)):
            if text != tokenizer.decode(ids[:cut]) + tokenizer.decode(ids[cut:]):
                found.setdefault(
                    "concatenative", f"{ids[:cut]} and {ids[cut:]} do not decode apart as together"
                )
    return found


def found_laws(tokenizer: OverAlphabet) -> TokenizerLaws:
    """The laws that no short text and no short id sequence breaks.

    Lengths go up to three characters and one id beyond the longest token, or as far as a few
    thousand trials go.
    """
    longest = max((len(spelling) for spelling in tokenizer.vocabulary if spelling), default=1)
    broken = counterexamples(
        tokenizer,
        _affordable(len(tokenizer.alphabet), longest + 3),
        _affordable(len(tokenizer.vocabulary), longest + 1),
    )
    return TokenizerLaws(**{law: law not in broken for law in LAWS})


def false_claims(
    tokenizer: OverAlphabet, text_length: int = 4, ids_length: int = 3
) -> dict[str, str]:
    """The stated laws that trying refutes: broken though stated, or unbroken though denied.

    Empty when ``tokenizer.laws`` is true and tight at these lengths.
    """
    broken = counterexamples(tokenizer, text_length, ids_length)
    claims: dict[str, str] = {}
    for law in LAWS:
        stated: bool = getattr(tokenizer.laws, law)
        if stated and law in broken:
            claims[law] = broken[law]
        elif not stated and law not in broken:
            claims[law] = "stated to fail, yet no counterexample was found"
    return claims


def _encoding(tokenizer: Tokenizer, text: str) -> Ids | None:
    try:
        return tokenizer.encode(text)
    except EncodeError:
        return None


def _up_to(items: Sequence[Item], length: int) -> Iterator[tuple[Item, ...]]:
    for size in range(length + 1):
        yield from product(items, repeat=size)


def _affordable(symbols: int, wanted: int) -> int:
    """The largest length up to ``wanted`` at which not too many sequences must be tried."""
    length = 1
    while length < wanted and symbols ** (length + 1) <= _TRIALS:
        length += 1
    return length
