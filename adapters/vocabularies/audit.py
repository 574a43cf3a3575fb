"""The audit of two tokenizers: every measure of this folder, on one pair, in one report."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...reference.tokenizers import map_tokens
from .advice import Advice, advice
from .canonical import Canonical, canonical
from .corpus import CORPUS, Passage
from .facts import Facts, facts
from .intersection import Coverage, Intersection, coverage, intersection
from .plain import plain
from .revisions import Revisions, revisions
from .roundtrips import RoundTrips, round_trips
from .segmentations import Inexpressible, Pieces, PsiCost, inexpressible, psi_cost
from .sides import Side
from .spellings import SpellingMap, spelling_maps

SCHEMA = "draftproof/tokenizers/1"

Measure = TypeVar("Measure")

#: Called with what is done next.
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is tried.

    Attributes:
        sample: single ids, and pairs of ids, tried for being canonical.
        cuts: places at which the corpus is cut.
        quick: one character in 32 outside the first 256.
        seed: of everything drawn.
    """

    sample: int = 10_000
    cuts: int = 10_000
    quick: bool = False
    seed: int = 0

    @classmethod
    def quickly(cls, seed: int = 0) -> Settings:
        """Smaller samples."""
        return cls(sample=2_000, cuts=1_000, quick=True, seed=seed)


@dataclass(frozen=True, slots=True)
class Both(Generic[Measure]):
    """The same measure of target and drafter."""

    target: Measure
    drafter: Measure


@dataclass(frozen=True, slots=True)
class VocabularyAudit:
    """What was found. Every field is a measure, described where it is defined.

    Attributes:
        facts: sizes, specials, duplicates, lengths.
        intersection: T n D by bytes.
        coverage: how much of the corpus is made of shared tokens, by section, all of it last.
        inexpressible: on the target's side, target tokens that no drafter tokens spell; on the
            drafter's, the reverse.
        round_trips: texts that do not come back.
        canonical: sequences of ids that the tokenizer would not write.
        revisions: what appended text changes.
        psi: what psi costs, over the drafter's vocabulary.
        spelling_maps: maps by strings against the map by bytes; empty where strings are not known.
        advice: what fits this pair, in words.
    """

    facts: Both[Facts]
    intersection: Intersection
    coverage: tuple[Coverage, ...]
    inexpressible: Both[Inexpressible]
    round_trips: Both[RoundTrips]
    canonical: Both[Canonical]
    revisions: Both[Revisions]
    psi: PsiCost
    spelling_maps: tuple[SpellingMap, ...]
    advice: Advice
    settings: Settings
    characters: int

    def to_json(self) -> dict[str, Any]:
        """The same, fit for JSON."""
        found: dict[str, Any] = {"schema": SCHEMA}
        for name in self.__slots__:
            found[name] = plain(getattr(self, name))
        return found


def audit_vocabularies(
    target: Side,
    drafter: Side,
    corpus: Sequence[Passage] = CORPUS,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> VocabularyAudit:
    """Compare two tokenizers as target and drafter.

    ``corpus`` is what shares of text are measured on, and what is cut.
    """
    chosen = settings or Settings()
    say = progress or (lambda _: None)
    sides = (target, drafter)
    say("encoding the corpus")
    texts = [each.text for each in corpus]
    encodings = [side.encode_many(texts) for side in sides]
    used = [Counter(token for ids in each for token in ids or ()) for each in encodings]
    say("comparing the vocabularies")
    described = Both(*(facts(s, corpus, e) for s, e in zip(sides, encodings, strict=True)))
    # The map itself is the reference's; ends of sequence correspond whatever their spelling.
    image = map_tokens(drafter.tokenizer, target.tokenizer)
    shared = intersection(target, drafter, image)
    covered = coverage(target, drafter, image, corpus, *encodings)
    maps = spelling_maps(target, drafter, image)
    say("counting segmentations")
    pieces = [Pieces(side.times) for side in sides]
    unspelled = Both(
        inexpressible(target, pieces[1], used[0]), inexpressible(drafter, pieces[0], used[1])
    )
    psi = psi_cost(target, pieces[1], used[0])
    trips, spelled, cut = [], [], []
    for role, side in zip(("target", "drafter"), sides, strict=True):
        say(f"round trips of the {role}")
        trips.append(round_trips(side, corpus, quick=chosen.quick))
        say(f"sequences of ids of the {role}")
        # The two sides draw from generators of their own: one does not depend on the other.
        spelled.append(canonical(side, chosen.sample, random.Random(chosen.seed)))
        say(f"revisions of the {role}")
        cut.append(revisions(side, corpus, chosen.cuts, random.Random(chosen.seed)))
    said = advice(shared, covered, unspelled.target, psi, trips[0], trips[1], cut[0])
    return VocabularyAudit(
        described,
        shared,
        covered,
        unspelled,
        Both(*trips),
        Both(*spelled),
        Both(*cut),
        psi,
        maps,
        said,
        chosen,
        sum(map(len, texts)),
    )
