"""Readings: how the encoding of a text may still begin when the text goes on.

While a draft grows, the target's tokenizer has cut some of its text for good, and the end of it may
still be cut otherwise: after ``a`` the first token of T = {a, b, ab} is a or ab. `readings` gives
all the ways, `certain` what they share. Both are exact for every *stable* tokenizer:

    wherever an encoding has a boundary, the two sides are the encodings of their own texts,

and every id spells its text verbatim. Longest match, byte-pair encoding (where each merge makes a
piece) and the best-scoring segmentation are stable while nothing normalises the text. A tokenizer
says so by an attribute ``stable``; of one that does not, nothing is certain before its text ends.

*Why it is exact.* Let s be the text so far and s w its continuation. One token of T(s w) covers the
place where s ends, or a boundary lies there. In the second case T(s w) begins with T(s). In the
first the token spells s[j:] and more, and by stability T(s w) begins with T(s[:j]) and that token.
Either is the beginning of a real encoding: of s itself, or of s[:j] with the token's text.

*Words.* Real tokenizers cut a text into words first, and encode each by itself. They are not stable
as a whole: what follows decides where words end ("a" and a newline are two words or three). Of such
a tokenizer `open_words` gives every way in which the words of s can be cut when s goes on, and what
encodes one word is stable. Ways that never occur do no harm: the verdicts below are then found
later, and stay right.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any

from .models import Ids
from .tokenizers import EncodeError, Tokenizer


def is_stable(tokenizer: Tokenizer) -> bool:
    """Whether the tokenizer says of itself that it is stable."""
    return bool(getattr(tokenizer, "stable", False))


class Spellings:
    """The texts of a vocabulary's ids in order, to find those that begin with a given text."""

    def __init__(self, texts: list[tuple[str, int]]) -> None:
        texts.sort()
        self._texts = [text for text, _ in texts]
        self._ids = [token for _, token in texts]
        self._by_text: dict[str, tuple[int, ...]] = {}
        for text, token in texts:
            self._by_text[text] = (*self._by_text.get(text, ()), token)

    def ids_of(self, text: str) -> tuple[int, ...]:
        """Every id with this text."""
        return self._by_text.get(text, ())

    def beginning_with(self, text: str) -> Iterator[tuple[str, int]]:
        """(text, id) of every id whose text begins with ``text``."""
        for place in range(bisect_left(self._texts, text), len(self._texts)):
            if not self._texts[place].startswith(text):
                return
            yield self._texts[place], self._ids[place]


@lru_cache(maxsize=64)
def spellings(tokenizer: Tokenizer) -> Spellings:
    """Those of the ids that have a text; of two ids with one text both."""
    ids = range(len(tokenizer.vocabulary))
    return Spellings([(text, token) for token in ids if (text := tokenizer.decode((token,)))])


@lru_cache(maxsize=64)
def longest_spelling(tokenizer: Tokenizer) -> int:
    """The length of the longest id's text, in characters."""
    return max((len(tokenizer.decode((t,))) for t in range(len(tokenizer.vocabulary))), default=0)


def encoded(tokenizer: Tokenizer, text: str) -> Ids | None:
    """The encoding of ``text``, None where there is none."""
    try:
        return tokenizer.encode(text)
    except EncodeError:
        return None


@dataclass(frozen=True, slots=True)
class OpenWord:
    """One way in which a text can be cut into words when it goes on.

    Attributes:
        head: the ids of the words that have ended.
        rest: the text of the last word, which may end here or go on; None when nothing that
            follows will be encoded.
    """

    head: Ids
    rest: str | None


def open_words(tokenizer: Tokenizer, text: str) -> tuple[OpenWord, ...]:
    """All such ways; for a tokenizer that does not cut words the whole text is one."""
    own: Any = getattr(tokenizer, "open_words", None)
    return (OpenWord((), text),) if own is None else own(text)


def of_words(tokenizer: Tokenizer) -> Tokenizer:
    """What encodes single words: the tokenizer itself where it does not cut any."""
    own: Any = getattr(tokenizer, "word", None)
    return tokenizer if own is None else own


def starts(word: Tokenizer, text: str) -> range:
    """Where a token can begin that goes on behind the end of ``text``."""
    return range(max(0, len(text) - longest_spelling(word) + 1), len(text))


def across(word: Tokenizer, text: str, start: int) -> Iterator[tuple[int, str]]:
    """The tokens that a continuation of the word ``text`` can put from ``start`` across its end.

    Each as (its id, the text up to its end). A tokenizer may have a faster way of its own, and
    one to say whether there are any (``goes_across``).
    """
    own: Any = getattr(word, "across", None)
    if own is not None:
        yield from own(text, start)
        return
    before = encoded(word, text[:start])
    if before is None:
        return
    for spelling, _ in spellings(word).beginning_with(text[start:]):
        if len(spelling) > len(text) - start:
            longer = text[:start] + spelling
            ids = encoded(word, longer)
            if ids is not None and len(ids) == len(before) + 1 and ids[:-1] == before:
                yield ids[-1], longer


@lru_cache(maxsize=1 << 15)
def straddling(word: Tokenizer, text: str, start: int) -> tuple[tuple[int, str], ...]:
    """All of `across`."""
    return tuple(dict.fromkeys(across(word, text, start)))


@lru_cache(maxsize=1 << 17)
def _goes_across(word: Tokenizer, text: str, start: int) -> bool:
    """Whether there is one."""
    own: Any = getattr(word, "goes_across", None)
    if own is not None:
        return own(text, start)
    return any(True for _ in across(word, text, start))


def readings(tokenizer: Tokenizer, text: str) -> tuple[Ids, ...]:
    """The beginnings that encodings of ``text`` followed by anything can have.

    All of them occur where the tokenizer cuts no words. Empty when neither ``text`` nor any
    continuation has an encoding. Only for stable tokenizers.
    """
    word = of_words(tokenizer)
    found: list[Ids] = []
    for way in open_words(tokenizer, text):
        if way.rest is None:
            found.append(way.head)
            continue
        now = encoded(word, way.rest)
        if now is not None:
            found.append(way.head + now)
        for start in starts(word, way.rest):
            before = encoded(word, way.rest[:start]) or ()
            found += [(*way.head, *before, x) for x, _ in straddling(word, way.rest, start)]
    return tuple(dict.fromkeys(found))


def certain(tokenizer: Tokenizer, text: str) -> Ids | None:
    """The ids with which every encoding of ``text`` followed by anything begins.

    None when no continuation has an encoding; nothing for a tokenizer that is not stable.
    """
    if not is_stable(tokenizer):
        return ()
    word = of_words(tokenizer)
    found: Ids | None = None
    for way in open_words(tokenizer, text):
        ids = () if way.rest is None else _certain_of_word(word, way.rest)
        if ids is not None:
            ids = way.head + ids
            found = ids if found is None else found[: shared(found, ids)]
    return found


def _certain_of_word(word: Tokenizer, text: str) -> Ids | None:
    now = encoded(word, text)
    if now is None:  # with a token across the end only
        ways = [
            (*(encoded(word, text[:start]) or ()), x)
            for start in starts(word, text)
            for x, _ in straddling(word, text, start)
        ]
        # What the least and the greatest share is shared by all between them.
        return min(ways)[: shared(min(ways), max(ways))] if ways else None
    known = len(now)
    for start in starts(word, text):
        before = encoded(word, text[:start])
        if before is None:
            continue
        # A token across the end is none of now's: it agrees with now as far as what is before it.
        agreed = shared(before, now)
        if agreed < known and _goes_across(word, text, start):
            known = agreed
    return now[:known]


def shared(one: Ids, two: Ids) -> int:
    """How many ids two encodings have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def always_encodes(tokenizer: Tokenizer, drafter: Tokenizer) -> bool:
    """Whether every text of ``drafter``'s tokens has an encoding: known of stable tokenizers only.

    That is so when each character is a token of its own.
    """
    return is_stable(tokenizer) and _has_every_character(tokenizer, drafter)


@lru_cache(maxsize=64)
def _has_every_character(tokenizer: Tokenizer, drafter: Tokenizer) -> bool:
    texts = (drafter.decode((d,)) for d in range(len(drafter.vocabulary)))
    return all(encoded(tokenizer, character) is not None for text in texts for character in text)
