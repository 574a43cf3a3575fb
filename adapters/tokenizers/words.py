"""Byte-level BPE as `reference.readings` needs it: what is certain of an encoding under way.

Drafts of real drafters end anywhere, within a character too. So here a text is a string of bytes,
one character for each (Latin-1). `Words` is the target's side: its encoding takes the text up to
the first place that can be no UTF-8, or for which the target has no token, and leaves out a last
character that is not complete. `Drafts` is the drafter's side: bytes, one after the other.

*Within a word* byte-pair encoding is stable whatever its merges are: where T(word) has a boundary,
no merge ever took place across it, so on both sides the same merges take place in the same order
as in the sides alone.

*Between words* a pattern decides, and what follows a text decides with it: behind " '" comes "re",
behind three spaces a letter. `patterns` says what can follow, as far as the known patterns
distinguish it; other patterns are refused.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from ...reference.models import Ids
from ...reference.readings import OpenWord, spellings
from ...reference.tokenizers import EncodeError, TokenizerLaws
from .merges import Neighbours
from .patterns import BEHIND_A_LETTER, CONTINUATIONS, checked, refused, sides
from .spellings import byte_level_alphabet

_LAWS = TokenizerLaws(
    injective=False, round_trips=False, total=True, concatenative=True, canonical=False
)


class _ByBytes:
    """What both sides share: bytes of ids, as text with a character for each byte."""

    def __init__(self, tokenizer: Any) -> None:
        self.inner = tokenizer
        self._pieces = tuple(
            "" if piece is None else piece.decode("latin-1") for piece in tokenizer.vocabulary
        )
        # `vocabulary` is UTF-8 of an id's text: here of that text with a character for each byte.
        self.vocabulary: tuple[bytes | None, ...] = tuple(
            None if piece is None else text.encode()
            for piece, text in zip(tokenizer.vocabulary, self._pieces, strict=True)
        )
        self.end_of_sequence: int | None = tokenizer.end_of_sequence
        self.laws = _LAWS

    def decode(self, ids: Sequence[int]) -> str:
        """The bytes of ``ids``, a character for each."""
        return "".join([self._pieces[token] for token in ids])


class Drafts(_ByBytes):
    """A drafter's ids as bytes."""

    def encode(self, text: str) -> Ids:
        """Not asked for: what the drafter reads is encoded by its own tokenizer."""
        raise EncodeError("a drafter's bytes are not encoded")


class _Word(_ByBytes):
    """What encodes one word."""

    def __init__(self, tokenizer: Any, library: Any) -> None:
        super().__init__(tokenizer)
        self._model = library.model
        self._without_token: frozenset[int] = tokenizer.dropped
        self._known: dict[str, Ids] = {}
        described = json.loads(library.to_str())["model"]
        merges = [sides(merge) for merge in described["merges"]]
        self._neighbours = Neighbours(described["vocab"], merges)
        self._beginning_with = lru_cache(1 << 14)(self._tokens_beginning_with)
        self._behind = lru_cache(1 << 17)(self._tokens_behind)
        self._any_behind = lru_cache(1 << 18)(self._is_any_behind)

    def encode(self, text: str) -> Ids:
        """The ids of a word's bytes."""
        found = self._known.get(text)
        if found is None:
            spelled = text.encode("latin-1")
            if not self._without_token.isdisjoint(spelled):
                raise EncodeError("a byte has no token")
            alphabet = byte_level_alphabet()
            made = self._model.tokenize("".join([alphabet[byte] for byte in spelled]))
            found = self._known[text] = tuple([token.id for token in made])
            if len(self._known) > 1 << 18:
                self._known.clear()
        return found

    def across(self, text: str, start: int) -> list[tuple[int, str]]:
        """As `readings.across`: by neighbours, where that would encode each text."""
        before = self.encode(text[:start])
        known = text[:start]
        found = self._behind(before[-1] if before else None, text[start:])
        return [(token, known + self._pieces[token]) for token in found]

    def goes_across(self, text: str, start: int) -> bool:
        """Whether `across` finds any."""
        before = self.encode(text[:start])
        return self._any_behind(before[-1] if before else None, text[start:])

    def _is_any_behind(self, before: int | None, beginning: str) -> bool:
        found = self._beginning_with(beginning)
        return any(self._stand(before, found[:8])) or any(self._stand(before, found[8:]))

    def _tokens_behind(self, before: int | None, beginning: str) -> list[int]:
        """The longer tokens that begin with ``beginning`` and can stand behind ``before``."""
        found = self._beginning_with(beginning)
        return [token for token, may in zip(found, self._stand(before, found), strict=True) if may]

    def _stand(self, before: int | None, tokens: list[int]) -> list[bool]:
        return [True] * len(tokens) if before is None else self._neighbours.stand(before, tokens)

    def _tokens_beginning_with(self, beginning: str) -> list[int]:
        return [
            token
            for text, token in spellings(self).beginning_with(beginning)
            if len(text) > len(beginning) and self.encode(text) == (token,)
        ]


class Words(_ByBytes):
    """A target's byte-level BPE.

    Args:
        tokenizer: a `RealTokenizer` made from one of the `tokenizers` library.

    Raises:
        UnknownWordsError: for any other, one that normalises, or whose pattern is not known here.
    """

    stable = True

    def __init__(self, tokenizer: Any) -> None:
        super().__init__(tokenizer)
        self._library = checked(tokenizer)
        self._without_token: frozenset[int] = tokenizer.dropped
        try:
            self.word = _Word(tokenizer, self._library)
        except ValueError as problem:
            raise refused(tokenizer, f"its merges are of no training ({problem})") from None

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` as far as it can be encoded."""
        return self._encoded(self._split(text)[0])

    def encodes_all(self, text: str) -> bool:
        """Whether all of ``text`` is encoded."""
        return self._split(text)[1] == ""

    def open_words(self, text: str) -> tuple[OpenWord, ...]:
        """Every way in which ``text`` can be cut into words when it goes on."""
        whole, rest = self._split(text)
        if rest is None:
            return (OpenWord(self._encoded(whole), None),)
        ways: dict[OpenWord, None] = {}
        for cuts in self._ways_to_cut(whole):
            spelled = whole.encode()
            words = [spelled[i:j].decode("latin-1") for i, j in zip((0, *cuts), cuts, strict=False)]
            head = sum((self.word.encode(word) for word in words), ())
            last = spelled[cuts[-1] if cuts else 0 :].decode("latin-1")
            ways[OpenWord(head, last + rest)] = None
            if rest:  # the character belongs to this word, begins another, or never ends
                ended = head + self.word.encode(last)
                ways[OpenWord(ended, rest)] = None
                ways[OpenWord(ended, None)] = None
        return tuple(ways)

    def _split(self, text: str) -> tuple[str, str | None]:
        """What is encoded of ``text``; and the bytes of a last character that is not complete.

        None instead of these where nothing that follows is encoded.
        """
        spelled = text.encode("latin-1")
        rest: str | None = ""
        try:
            whole = spelled.decode()
        except UnicodeDecodeError as raised:
            whole = spelled[: raised.start].decode()
            partial = raised.reason == "unexpected end of data"
            rest = spelled[raised.start :].decode("latin-1") if partial else None
        if not self._without_token.isdisjoint(spelled):
            for place, character in enumerate(whole):
                if not self._without_token.isdisjoint(character.encode()):
                    return whole[:place], None
            if rest and not self._without_token.isdisjoint(rest.encode("latin-1")):
                return whole, None
        return whole, rest

    def _encoded(self, whole: str) -> Ids:
        return self._of_text(whole) if whole else ()

    @cached_property
    def _of_text(self) -> Any:
        return lru_cache(1 << 16)(self.inner.encode)

    @cached_property
    def _ways_to_cut(self) -> Any:
        return lru_cache(1 << 16)(self._found_ways_to_cut)

    def _found_ways_to_cut(self, whole: str) -> tuple[tuple[int, ...], ...]:
        """Where words end within ``whole``, in bytes; the last word may end or go on."""
        end = len(whole.encode())
        behind = CONTINUATIONS
        if whole[-1:].isascii() and whole[-1:].isalpha() and "'" not in whole[-4:]:
            behind = BEHIND_A_LETTER
        found: dict[tuple[int, ...], None] = {}
        for more in behind:
            cuts: list[int] = []
            place = 0
            for word in self._library.pre_tokenizer.pre_tokenize_str(whole + more):
                place += len(word[0])  # in the byte-level alphabet a character is a byte
                if place > end:
                    break
                cuts.append(place)
            found[tuple(cuts)] = None
        # That the last word ends with the text is part of its going on.
        return tuple(
            cuts for cuts in found if not (cuts and cuts[-1] == end and cuts[:-1] in found)
        )
