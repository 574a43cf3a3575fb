"""Sequences of ids that their own tokenizer would not write: encode(decode(ids)) != ids.

Models emit such sequences, so emitted ids must never be encoded again from their text. For the
string-level algorithms they are what the drafter says and T's encoding rewrites.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...reference.models import Ids
from .sides import Side, Token

#: The shortest tokens, among which the smallest example is looked for.
SMALLEST = 40


@dataclass(frozen=True, slots=True)
class Example:
    """Ids, their text, and what the tokenizer makes of that text (None: it has no encoding)."""

    ids: Ids
    tokens: tuple[Token, ...]
    text: str
    encoded: Ids | None


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the sequences tried are not canonical.

    Attributes:
        tried: sequences tried.
        exhaustive: whether these are all there are; else they are drawn evenly, seeded.
        failed: those that are not canonical.
        cut_characters: failed ones whose text has a replacement character: bytes of no character.
    """

    tried: int
    exhaustive: bool
    failed: int
    cut_characters: int


@dataclass(frozen=True, slots=True)
class Canonical:
    """Single ids and pairs of ids, those without text left out.

    ``example`` is the smallest pair found, fewest bytes first; single ids that fail are preferred
    for ``single_example``.
    """

    singles: Rate
    pairs: Rate
    single_example: Example | None
    example: Example | None


def canonical(side: Side, sample: int, rng: random.Random) -> Canonical:
    """Try ``sample`` single ids, and as many pairs; all of them where there are no more."""
    ids = side.with_text
    every_single = len(ids) <= sample
    every_pair = len(ids) ** 2 <= sample
    singles: list[Ids] = [(t,) for t in (ids if every_single else rng.sample(ids, sample))]
    if every_pair:
        pairs: list[Ids] = [(a, b) for a in ids for b in ids]
    else:
        pairs = [(rng.choice(ids), rng.choice(ids)) for _ in range(sample)]
    failed_singles, failed_pairs = _failed(side, singles), _failed(side, pairs)
    shortest = sorted(ids, key=lambda t: (len(side.vocabulary[t] or b""), t))
    shortest = [t for t in shortest if _printable(side.vocabulary[t] or b"")][:SMALLEST]
    small = _failed(side, [(a, b) for a in shortest for b in shortest])
    return Canonical(
        _rate(singles, failed_singles, every_single),
        _rate(pairs, failed_pairs, every_pair),
        _smallest(side, failed_singles),
        _smallest(side, [*small, *failed_pairs]),
    )


def _failed(side: Side, sequences: Sequence[Ids]) -> list[tuple[Ids, str, Ids | None]]:
    texts = [side.decode(ids) for ids in sequences]
    return [
        (ids, text, encoded)
        for ids, text, encoded in zip(sequences, texts, side.encode_many(texts), strict=True)
        if encoded != ids
    ]


def _rate(
    tried: Sequence[Ids], failed: Sequence[tuple[Ids, str, Ids | None]], exhaustive: bool
) -> Rate:
    return Rate(
        len(tried),
        exhaustive,
        len(failed),
        sum("\N{REPLACEMENT CHARACTER}" in f[1] for f in failed),
    )


def _smallest(side: Side, failed: Iterable[tuple[Ids, str, Ids | None]]) -> Example | None:
    """The failure with the fewest bytes; whole characters and printable text come first."""

    def size(failure: tuple[Ids, str, Ids | None]) -> tuple[bool, int, Ids]:
        joined = b"".join(side.vocabulary[token] or b"" for token in failure[0])
        return not _printable(joined), len(joined), failure[0]

    best = min(failed, key=size, default=None)
    if best is None:
        return None
    ids, text, encoded = best
    return Example(ids, tuple(side.token(token) for token in ids), text, encoded)


def _printable(text: bytes) -> bool:
    try:
        return text.decode().isprintable()
    except UnicodeDecodeError:
        return False
