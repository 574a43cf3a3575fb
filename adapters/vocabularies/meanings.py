"""What each part of the report means for the three algorithms: one sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: By part of the report: (SLEM, SLRS, TLI).
MEANINGS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "vocabularies": (
            "drafts and candidates meet as text, so sizes and specials need not match; ids without "
            "text are never candidates.",
            "psi counts every drafter id, so each duplicate of the drafter is a path of its own.",
            "masses of a drafter's duplicates must be summed; a target's duplicates are reached "
            "under one id only.",
        ),
        "intersection": (
            "not limited by the intersection: any text that both sides can spell can be proposed.",
            "not limited by the intersection; its psi spreads over every token the drafter spells.",
            "drafts only from the intersection: the target's share bounds how often it can agree, "
            "the drafter's share is what masking leaves of q.",
        ),
        "expressibility": (
            "a target token that the drafter cannot spell is never a whole candidate; it costs "
            "acceptance, never losslessness.",
            "psi of such a token is 0: it comes only from the residual.",
            "not concerned: it needs equal bytes, not spelling.",
        ),
        "round trips": (
            "drafts whose text changes become other candidates, and a drafter that reads a changed "
            "context drafts for another text; both cost acceptance alone.",
            "the same, and psi must be the law after those changes.",
            "the map is not touched; a drafter with another tokenizer still reads the context as "
            "text, changes included.",
        ),
        "ids": (
            "models emit such sequences, so emitted ids must never be encoded again from their "
            "text: that would change the target's law.",
            "counting spellings of a token's characters is not psi: T may cut the draft otherwise.",
            "proposes ids one by one, so it can draft sequences that T would not write; the target "
            "rarely accepts them.",
        ),
        "revisions": (
            "T(draft) ends in tokens that the continued text would not have: the last candidates "
            "of a draft are accepted less often, and realignment moves the draft's beginning.",
            "the same tokens at the end; psi must be taken under the rule that stops the draft.",
            "candidates are not encoded, so none is revised; only the drafter's reading of the "
            "context can be.",
        ),
        "psi": (
            "needs no psi.",
            "pays for psi at about two tokens a position: this many strict prefixes each when psi "
            "is summed over segmentations alone, more under other stop rules.",
            "needs no psi.",
        ),
        "maps": (
            "not concerned: it maps text.",
            "not concerned: it maps text.",
            "a token matched wrongly is drafted as something else, a token missed is lost to the "
            "intersection; both cost acceptance, and a map by bytes has neither.",
        ),
    }
)
