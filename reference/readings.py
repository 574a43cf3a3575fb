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
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

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

    def beginning_with(self, text: str) -> Iterator[tuple[str, int]]:
        """(text, id) of every id whose text begins with ``text``."""
        for place in range(bisect_left(self._texts, text), len(self._texts)):
            if not self._texts[place].startswith(text):
                return
            yield self._texts[place], self._ids[place]

    def begun_by(self, text: str) -> Iterator[tuple[str, int]]:
        """(text, id) of every id with a text that ``text`` begins with, ``text`` itself too."""
        for length in range(1, len(text) + 1):
            for spelling, token in self.beginning_with(text[:length]):
                if len(spelling) > length:
                    break
                yield spelling, token


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


@lru_cache(maxsize=1 << 16)
def straddling(tokenizer: Tokenizer, text: str) -> tuple[tuple[Ids, str], ...]:
    """The tokens that a continuation of ``text`` can put across its end.

    Each as (ids of the encoding up to and with that token, the text of these ids).
    """
    found: list[tuple[Ids, str]] = []
    for start in range(max(0, len(text) - longest_spelling(tokenizer) + 1), len(text)):
        before = encoded(tokenizer, text[:start])
        if before is None:
            continue
        for spelling, _ in spellings(tokenizer).beginning_with(text[start:]):
            if len(spelling) > len(text) - start:
                longer = text[:start] + spelling
                ids = encoded(tokenizer, longer)
                if ids is not None and len(ids) == len(before) + 1 and ids[:-1] == before:
                    found.append((ids, longer))
    return tuple(dict.fromkeys(found))


def readings(tokenizer: Tokenizer, text: str) -> tuple[Ids, ...]:
    """The beginnings that encodings of ``text`` followed by anything can have; all of them occur.

    Empty when neither ``text`` nor any continuation has an encoding. Only for stable tokenizers.
    """
    now = encoded(tokenizer, text)
    across = [ids for ids, _ in straddling(tokenizer, text)]
    return tuple(across) if now is None else (now, *across)


def certain(tokenizer: Tokenizer, text: str) -> Ids | None:
    """The ids with which every encoding of ``text`` followed by anything begins.

    None when no continuation has an encoding; nothing for a tokenizer that is not stable.
    """
    if not is_stable(tokenizer):
        return ()
    ways = readings(tokenizer, text)
    if not ways:
        return None
    first, last = min(ways), max(ways)  # what these share is shared by all between them
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    return first[:shared]


def always_encodes(tokenizer: Tokenizer, drafter: Tokenizer) -> bool:
    """Whether every text of ``drafter``'s tokens has an encoding: known of stable tokenizers only.

    That is so when each character is a token of its own.
    """
    return is_stable(tokenizer) and _has_every_character(tokenizer, drafter)


@lru_cache(maxsize=64)
def _has_every_character(tokenizer: Tokenizer, drafter: Tokenizer) -> bool:
    texts = (drafter.decode((d,)) for d in range(len(drafter.vocabulary)))
    return all(encoded(tokenizer, character) is not None for text in texts for character in text)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether the candidates begin with given ids, as far as a draft under way tells.

    Attributes:
        verdict: True or False whatever follows; None when it is open.
        paths: the texts it depends on: a draft that leaves them all has the verdict ``off``. None
            when every continuation has to be looked at.
        off: see ``paths``.
    """

    verdict: bool | None = None
    paths: tuple[str, ...] | None = None
    off: bool = False


OPEN, YES, NO = Outlook(), Outlook(True), Outlook(False)


def agree(one: Ids, two: Ids) -> bool:
    """Whether one of the two begins with the other."""
    shorter = min(len(one), len(two))
    return one[:shorter] == two[:shorter]


def encoding_outlook(
    tokenizer: Tokenizer, text: str, wanted: Ids, never_fails: bool, end: int | None
) -> Outlook:
    """Whether T(``text`` followed by anything) begins with ``wanted``; ``tokenizer`` is stable.

    A continuation on which no token lies across the end of ``text`` has a boundary there, and its
    encoding begins with T(text). ``never_fails``: every continuation has an encoding. ``end``: the
    id of the end of sequence, which stands behind the text and is no part of its encoding.
    """
    ways = readings(tokenizer, text)
    if not any(agree(way, wanted) for way in ways):
        return NO
    begins = [way[: len(wanted)] == wanted for way in ways]
    if never_fails and all(begins):
        return YES
    now = encoded(tokenizer, text)
    paths = [longer for _, longer in straddling(tokenizer, text)]
    if now is not None and now[: len(wanted)] == wanted:
        return Outlook(None, tuple(paths), True) if never_fails else OPEN
    if now is not None and agree(now, wanted) and wanted[len(now) :] != (end,):
        paths.append(tokenizer.decode(wanted))
    return Outlook(None, tuple(paths), False)
