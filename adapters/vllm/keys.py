"""Which keys a release's GPU sampler draws under: drafts, acceptances and final tokens.

A key is what a random number is made from (`coins.Key`). Two draws under one key are one coin. That
is harmless only where at most one of them decides anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .coins import CoinSource, Key
from .gpu_sampler import POSITION, GpuSampler, Request

#: Rows on which every draft can be accepted and rejected: p / q is 2/3 for the draft 0.
_EVEN, _LEANING = (0.5, 0.5), (0.75, 0.25)


class _Chosen(CoinSource):
    """Accepts the first ``count`` drafts and no more; the coin at ``flipped`` is the other way."""

    def __init__(self, count: int, flipped: int | None = None) -> None:
        super().__init__()
        self._count = count
        self._flipped = flipped
        self._drawn = 0

    def accept(self, key: Key) -> float:
        """Just above 0 or just below 1."""
        del key
        low = (self._drawn < self._count) != (self._drawn == self._flipped)
        self._drawn += 1
        return 1e-6 if low else 1.0 - 1e-6

    def noise(self, key: Key, ids: Any) -> Any:
        """Increasing with the id."""
        del key
        return 1.0 + ids


@dataclass(frozen=True)
class Round:
    """The keys of one round.

    Attributes:
        base: how far the request was, in tokens.
        drafts: keys of the drafts' noise; empty when drafts count as certain.
        accepts: keys of the acceptances that were drawn.
        decisive: those of them without which something else had come out.
        final: key of the final token's noise.
        emitted: how many tokens came out.
    """

    base: int
    drafts: tuple[Key, ...]
    accepts: tuple[Key, ...]
    decisive: tuple[Key, ...]
    final: Key
    emitted: int


def rounds(sampler: GpuSampler, bases: int, lookahead: int, certain: bool) -> list[Round]:
    """The keys of the rounds that start at the first ``bases`` places, for every length."""
    found: list[Round] = []
    for base in range(bases):
        drafts: list[Key] = []
        for i in range(0 if certain else lookahead):
            source = _Chosen(0)
            sampler.draft(_LEANING, source, position=POSITION + base + i)
            drafts += [key for key, _ in source.asked]
        for accepted in range(lookahead + 1):
            source = _Chosen(accepted)
            target = np.array([_EVEN] * (lookahead + 1))
            drafter = None if certain else np.array([_LEANING] * lookahead)
            request = Request(target, drafter, (0,) * lookahead, position=POSITION + base)
            (ids,) = sampler.verify([request], source)
            accepts = tuple(key for key, role in source.asked if role == "accept")
            (final,) = (key for key, role in source.asked if role == "noise")
            decisive = tuple(
                key
                for place, key in enumerate(accepts)
                if sampler.verify([request], _Chosen(accepted, place)) != [ids]
            )
            found.append(Round(base, tuple(drafts), accepts, decisive, final, len(ids)))
    return found


def reuse(found: Sequence[Round]) -> Iterator[str]:
    """Every way in which two draws that decide something share a key, in words."""
    for one in found:
        accepts, drafts = one.decisive, one.drafts
        if len(set(accepts)) < len(accepts):
            yield f"two acceptances of one round are drawn under {_twice(accepts)}"
        if len(set(drafts)) < len(drafts):
            yield f"two drafts of one round are drawn under {_twice(drafts)}"
        for key in drafts:
            if key == one.final:
                yield f"a draft and the token that replaces it are both drawn under {key}"
            if key in accepts:
                yield f"a draft and an acceptance are both drawn under {key}"
        if one.final in accepts:
            yield f"an acceptance and the final token are both drawn under {one.final}"
        for other in found:
            if other.base != one.base + one.emitted:
                continue
            for key in one.decisive:
                if key in other.decisive:
                    yield (
                        f"an acceptance of a round that kept {one.emitted} token(s) and one of the "
                        f"next round are both drawn under {key}"
                    )
            if one.final == other.final:
                yield f"the final tokens of two rounds are drawn under {one.final}"


def _twice(keys: Sequence[Key]) -> Key:
    return next(key for key in keys if list(keys).count(key) > 1)
