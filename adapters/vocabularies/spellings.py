"""Maps by the vocabulary files' strings, held against the map by bytes.

Libraries map drafter ids to target ids by the strings under which vocabulary files list them. One
byte has many such strings: a space is "Ġ" in byte-level files and "▁" in SentencePiece's, the byte
0x0A is "<0x0A>" or "Ċ", and é is "é" or "Ã©". So maps by strings miss tokens, and match some that
mean different bytes. `exchanged` first replaces the drafter's space mark at the start of a string
by the target's, as the translator of `transformers` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .intersection import Image
from .sides import Side, Token


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A drafter token, and what the map by strings and the map by bytes make of it."""

    drafter: Token
    spelling: str | None
    by_string: Token | None
    by_bytes: Token | None


@dataclass(frozen=True, slots=True)
class SpellingMap:
    """A map by strings, compared with the map by bytes.

    Attributes:
        name: "as listed", or "space mark exchanged".
        matched: drafter ids that it maps.
        right: of these, to a target id that means the same bytes, or from end to end of sequence.
        wrong: to a target id that means other bytes, or none.
        named: neither side has bytes: specials of one name.
        missed: drafter ids that the map by bytes maps and this one does not.
        wrong_examples: the shortest.
        missed_examples: the shortest.
    """

    name: str
    matched: int
    right: int
    wrong: int
    named: int
    missed: int
    wrong_examples: tuple[Mismatch, ...]
    missed_examples: tuple[Mismatch, ...]


EXAMPLES = 4


def spelling_maps(target: Side, drafter: Side, image: Image) -> tuple[SpellingMap, ...]:
    """The maps by strings; none where the strings of a side are not known.

    ``image`` is the map by bytes: `map_tokens` from drafter to target.
    """
    if target.spellings is None or drafter.spellings is None:
        return ()
    by_string = {
        spelling: token for token, spelling in enumerate(target.spellings) if spelling is not None
    }
    listed = {t: s for t, s in enumerate(drafter.spellings) if s is not None}
    plain = _compared("as listed", target, drafter, _mapped(listed, by_string), image)
    marks = (_space_mark(target), _space_mark(drafter))
    if None in marks or marks[0] == marks[1]:
        return (plain,)
    exchanged = _exchanged(listed, str(marks[1]), str(marks[0]))
    return (
        plain,
        _compared("space mark exchanged", target, drafter, _mapped(exchanged, by_string), image),
    )


def _mapped(spellings: Mapping[int, str], by_string: Mapping[str, int]) -> dict[int, int]:
    return {t: by_string[s] for t, s in spellings.items() if s in by_string}


def _exchanged(spellings: Mapping[int, str], mark: str, new: str) -> dict[int, str]:
    """Strings with another space mark; of two that become equal, the last one keeps the string."""
    owner: dict[str, int] = {}
    for token, spelling in spellings.items():
        owner[new + spelling[len(mark) :] if spelling.startswith(mark) else spelling] = token
    return {token: spelling for spelling, token in owner.items()}


def _space_mark(side: Side) -> str | None:
    """The first character of the string of the token that a space is encoded as."""
    ids = side.encode(" ")
    spelling = side.spellings[ids[0]] if ids and side.spellings is not None else None
    return spelling[0] if spelling else None


def _compared(
    name: str,
    target: Side,
    drafter: Side,
    mapped: Mapping[int, int],
    image: Image,
) -> SpellingMap:
    right = named = 0
    wrong: list[int] = []
    for token, to in mapped.items():
        ours, theirs = drafter.vocabulary[token], target.vocabulary[to]
        if (ours is not None and ours == theirs) or image[token] == to:
            right += 1
        elif ours is None and theirs is None:
            named += 1
        else:
            wrong.append(token)
    missed = [t for t, to in enumerate(image) if to is not None and t not in mapped]

    def shown(tokens: list[int]) -> tuple[Mismatch, ...]:
        ordered = sorted(tokens, key=lambda t: (len(drafter.vocabulary[t] or b""), t))
        return tuple(map(mismatch, ordered[:EXAMPLES]))

    def mismatch(token: int) -> Mismatch:
        to, due = mapped.get(token), image[token]
        return Mismatch(
            drafter.token(token),
            drafter.spellings[token] if drafter.spellings is not None else None,
            None if to is None else target.token(to),
            None if due is None else target.token(due),
        )

    return SpellingMap(
        name, len(mapped), right, len(wrong), named, len(missed), shown(wrong), shown(missed)
    )
