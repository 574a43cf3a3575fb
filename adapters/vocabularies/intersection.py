"""What the two vocabularies share, by bytes: tokens, and how much of real text they make up.

TLI drafts from T n D alone, and can only have those tokens accepted. So the share of the target's
tokens of a text that lie in T n D bounds how often TLI can agree with the target, and the share of
the drafter's tokens tells how much of the drafter's law is left after masking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...reference.models import Ids
from .corpus import Passage
from .sides import Side, Token

#: For every drafter id the target id that it is mapped to, or None: `map_tokens` of the reference.
Image: TypeAlias = Sequence[int | None]


@dataclass(frozen=True, slots=True)
class Length:
    """Ids whose tokens have ``bytes`` bytes: all of either side, and those in T n D."""

    bytes: int
    target: int
    drafter: int
    shared_target: int
    shared_drafter: int


@dataclass(frozen=True, slots=True)
class Intersection:
    """T n D by bytes.

    Attributes:
        texts: different byte strings that are tokens of both.
        target_ids: target ids that mean one of them.
        drafter_ids: drafter ids that mean one of them.
        target_share: of the target's ids with text.
        drafter_share: of the drafter's ids with text.
        merged: target ids that more than one drafter id maps to: their masses must be summed.
        merged_examples: drafter tokens of the first few.
        ends_correspond: whether both sides have an end of sequence.
        same: whether ids mean the same on both sides, one by one.
        lengths: the same by length.
    """

    texts: int
    target_ids: int
    drafter_ids: int
    target_share: float | None
    drafter_share: float | None
    merged: int
    merged_examples: tuple[tuple[Token, ...], ...]
    ends_correspond: bool
    same: bool
    lengths: tuple[Length, ...]


def intersection(target: Side, drafter: Side, image: Image) -> Intersection:
    """Compare the two vocabularies; ``image`` is `map_tokens` from drafter to target."""
    shared = target.times.keys() & drafter.times.keys()
    target_ids = sum(target.times[text] for text in shared)
    drafter_ids = sum(drafter.times[text] for text in shared)
    sources: dict[int, list[int]] = {}
    for token, mapped in enumerate(image):
        if mapped is not None:
            sources.setdefault(mapped, []).append(token)
    merged = [ids for _, ids in sorted(sources.items()) if len(ids) > 1]
    ends = (target.tokenizer.end_of_sequence, drafter.tokenizer.end_of_sequence)
    return Intersection(
        len(shared),
        target_ids,
        drafter_ids,
        share(target_ids, len(target.with_text)),
        share(drafter_ids, len(drafter.with_text)),
        len(merged),
        tuple(tuple(drafter.token(token) for token in ids) for ids in merged[:3]),
        None not in ends,
        target.vocabulary == drafter.vocabulary and ends[0] == ends[1],
        _lengths(target, drafter, shared),
    )


def _lengths(target: Side, drafter: Side, shared: set[bytes]) -> tuple[Length, ...]:
    counted: dict[int, list[int]] = {}
    for column, side in enumerate((target, drafter)):
        for text, times in side.times.items():
            row = counted.setdefault(len(text), [0, 0, 0, 0])
            row[column] += times
            row[column + 2] += times if text in shared else 0
    return tuple(Length(size, a, b, c, d) for size, (a, b, c, d) in sorted(counted.items()))


@dataclass(frozen=True, slots=True)
class Covered:
    """How much of one side's encoding of a text is made of shared tokens.

    Attributes:
        passages: passages of the text.
        unreadable: passages without an encoding; the rest is counted.
        tokens: tokens of the encodings.
        shared_tokens: of these, in T n D by bytes.
        mapped_tokens: of these, ids that the map from D to T joins. On the target's side this is
            less where several target ids mean the same bytes: the map goes to one of them.
        bytes: bytes that the tokens mean.
        shared_bytes: of these, meant by tokens in T n D.
    """

    passages: int
    unreadable: int
    tokens: int
    shared_tokens: int
    mapped_tokens: int
    bytes: int
    shared_bytes: int

    @property
    def token_share(self) -> float | None:
        """The share of tokens; None when there are none."""
        return share(self.shared_tokens, self.tokens)

    @property
    def mapped_share(self) -> float | None:
        """The share of tokens that the map joins; None when there are none."""
        return share(self.mapped_tokens, self.tokens)

    @property
    def byte_share(self) -> float | None:
        """The share of bytes; None when there are none."""
        return share(self.shared_bytes, self.bytes)


@dataclass(frozen=True, slots=True)
class Coverage:
    """One section of the corpus, or all of it, as each side encodes it."""

    section: str
    target: Covered
    drafter: Covered


def coverage(
    target: Side,
    drafter: Side,
    image: Image,
    corpus: Sequence[Passage],
    target_ids: Sequence[Ids | None],
    drafter_ids: Sequence[Ids | None],
) -> tuple[Coverage, ...]:
    """The coverage of every section, "all" last; the encodings are ``corpus``'s, in order."""
    sections: dict[str | None, list[int]] = {}
    for index, passage in enumerate(corpus):
        sections.setdefault(passage.section, []).append(index)
    rows = [*sections.items()]
    if len(rows) != 1:
        rows.append((None, list(range(len(corpus)))))
    proposed = {to for to in image if to is not None}
    understood = {token for token, to in enumerate(image) if to is not None}
    return tuple(
        Coverage(
            section or "all",
            _covered(target, drafter, proposed, [target_ids[index] for index in indices]),
            _covered(drafter, target, understood, [drafter_ids[index] for index in indices]),
        )
        for section, indices in rows
    )


def _covered(side: Side, other: Side, joined: set[int], encodings: Sequence[Ids | None]) -> Covered:
    used = Counter(token for ids in encodings for token in ids or ())
    shared = {token for token in used if side.vocabulary[token] in other.times}
    sizes = {token: len(side.vocabulary[token] or b"") for token in used}
    return Covered(
        len(encodings),
        encodings.count(None),
        used.total(),
        sum(number for token, number in used.items() if token in shared),
        sum(number for token, number in used.items() if token in joined),
        sum(number * sizes[token] for token, number in used.items()),
        sum(number * sizes[token] for token, number in used.items() if token in shared),
    )


def share(part: int, whole: int) -> float | None:
    """``part / whole``; None when the whole is nothing."""
    return part / whole if whole else None
