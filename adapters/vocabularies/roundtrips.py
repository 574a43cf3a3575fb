"""Texts that a tokenizer does not give back: decode(encode(text)) != text, by kind.

Searched are single characters over Unicode, combinations of a few characters, look-alikes of
special tokens, and the corpus. A failure's kind is the mildest change that explains it; its example
is made smaller, as long as the kind stays, and the smallest of all is kept.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...reference.models import Ids
from .corpus import Passage
from .probes import alphabet, characters, combinations, look_alikes
from .sides import Side

NO_ENCODING = "no encoding"
UNKNOWN = "unknown token"
PREFIX = "dummy prefix"
MARK = "space mark"
WHITE_SPACE = "white space"
CASE = "case"
NORMALISED = "normalisation"
ACCENTS = "accents"
MIXED = "several of these"
LOOK_ALIKE = "special look-alike"
LOST = "lost text"
OTHER = "other change"

SPACE_MARK = "\N{LOWER ONE EIGHTH BLOCK}"
#: Beside the characters of Unicode's class of spaces.
SPACES = frozenset("\t\n\r\x85\u2028\u2029\u200b")


def _no_space(text: str) -> str:
    return "".join(c for c in text if c not in SPACES and unicodedata.category(c) != "Zs")


def _no_accents(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c))


#: What explains a change, mildest first: texts that are equal once this is done to both.
EXPLANATIONS: tuple[tuple[str, Callable[[str], str]], ...] = (
    (MARK, lambda text: text.replace(SPACE_MARK, " ")),
    (WHITE_SPACE, _no_space),
    (CASE, str.lower),
    (NORMALISED, lambda text: unicodedata.normalize("NFKC", text)),
    (ACCENTS, _no_accents),
    (MIXED, lambda text: _no_space(_no_accents(_no_accents(text).casefold()))),
)


def kind_of(side: Side, text: str, ids: Ids | None, special: frozenset[str]) -> str | None:
    """Why ``text``, encoded as ``ids``, does not come back; None when it does.

    ``special`` are texts that look like special tokens.
    """
    if ids is None:
        return NO_ENCODING
    back = side.decode(ids)
    if back == text:
        return None
    if side.unknown is not None and side.unknown in ids:
        return UNKNOWN
    if back == f" {text}":
        return PREFIX
    for kind, same in EXPLANATIONS:
        if same(back) == same(text):
            return kind
    if any(each in text for each in special):
        return LOOK_ALIKE
    return LOST if _is_part(back.replace("\N{REPLACEMENT CHARACTER}", ""), text) else OTHER


def _is_part(part: str, text: str) -> bool:
    """Whether ``part`` is ``text`` with characters left out."""
    rest = iter(text)
    return all(character in rest for character in part)


@dataclass(frozen=True, slots=True)
class Failure:
    """The smallest text found that fails in one way.

    Attributes:
        text: the text.
        ids: its encoding, None when there is none.
        back: what decoding gives, None when there is no encoding.
    """

    text: str
    ids: Ids | None
    back: str | None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of failure: how many characters, other probes and passages fail so."""

    kind: str
    characters: int
    combinations: int
    passages: int
    example: Failure


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """What was tried, and what failed.

    Attributes:
        characters: single characters tried.
        combinations: combinations and look-alikes tried.
        passages: passages of the corpus tried.
        kinds: the kinds that occur, most characters first.
        failed_passages: passages that do not come back.
    """

    characters: int
    combinations: int
    passages: int
    kinds: tuple[Kind, ...]
    failed_passages: int

    @property
    def failed_characters(self) -> int:
        """Single characters that do not come back."""
        return sum(kind.characters for kind in self.kinds)


def round_trips(side: Side, corpus: Sequence[Passage], *, quick: bool = False) -> RoundTrips:
    """Search for texts that do not come back."""
    looks = look_alikes(side)
    special = frozenset(looks)
    searched = (
        characters(quick),
        [*combinations(alphabet(side)), *looks],
        [each.text for each in corpus],
    )
    counts: dict[str, list[int]] = {}
    smallest: dict[str, str] = {}
    for column, texts in enumerate(searched):
        for text, kind in _failing(side, texts, special):
            counts.setdefault(kind, [0, 0, 0])[column] += 1
            best = smallest.get(kind)
            if best is None or (column < 2 and _size(text) < _size(best)):
                smallest[kind] = text
    for kind, text in smallest.items():
        smallest[kind] = shrunk(side, text, kind, special)
    kinds = [
        Kind(kind, single, joined, long, _failure(side, smallest[kind]))
        for kind, (single, joined, long) in counts.items()
    ]
    kinds.sort(key=lambda each: (-each.characters, -each.combinations, each.kind))
    single, joined, long = map(len, searched)
    return RoundTrips(single, joined, long, tuple(kinds), sum(kind.passages for kind in kinds))


def _failing(
    side: Side, texts: Sequence[str], special: frozenset[str]
) -> Iterable[tuple[str, str]]:
    for text, ids in zip(texts, side.encode_many(texts), strict=True):
        kind = kind_of(side, text, ids, special)
        if kind is not None:
            yield text, kind


def shrunk(side: Side, text: str, kind: str, special: frozenset[str]) -> str:
    """``text`` without what can be left out, one character or half at a time, ``kind`` kept."""
    width = max(1, len(text) // 2)
    while width:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + width :]
            if shorter and kind_of(side, shorter, side.encode(shorter), special) == kind:
                text = shorter
            else:
                start += width
        width //= 2
    return text


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _failure(side: Side, text: str) -> Failure:
    ids = side.encode(text)
    return Failure(text, ids, None if ids is None else side.decode(ids))
