"""Which of TLI, SLEM and SLRS fits a pair: advice from the tokenizers alone, with its reasons.

No model was asked, so no acceptance is known: this says where tokenizers stand in the way. The
thresholds are rules of thumb of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .intersection import Coverage, Intersection
from .revisions import Revisions
from .roundtrips import RoundTrips
from .segmentations import Inexpressible, PsiCost
from .wording import percent

WELL, PARTLY, POORLY, NOT = "well", "partly", "poorly", "not at all"
UNKNOWN = "unknown"

#: TLI: the share of the target's text in reach from which it fits well, and partly.
IN_REACH = (0.9, 0.6)
#: SLRS: segmentations of nine tokens in ten, up to which psi is cheap, and bearable.
SEGMENTATIONS = (2, 16)
#: SLEM: the share of target tokens that the drafter cannot spell, and of passages that do not
#: come back as they were, from which it fits only partly, and poorly.
LOST = (0.02, 0.3)
#: A section of the corpus is named when less than this of it is in reach.
NAMED = 0.5


@dataclass(frozen=True, slots=True)
class Fit:
    """How an algorithm fits, and why."""

    algorithm: str
    fits: str
    reason: str


@dataclass(frozen=True, slots=True)
class Advice:
    """One `Fit` each for TLI, SLEM and SLRS, and what to try first."""

    fits: tuple[Fit, ...]
    first: str


def advice(
    shared: Intersection,
    covered: Sequence[Coverage],
    unspelled: Inexpressible,
    psi: PsiCost,
    target_trips: RoundTrips,
    drafter_trips: RoundTrips,
    cut: Revisions,
) -> Advice:
    """Weigh the measures; ``unspelled`` and ``cut`` are the target's."""
    whole = covered[-1]
    if not (whole.target.tokens and whole.drafter.tokens):
        role = "drafter" if whole.target.tokens else "target"
        reason = f"the {role} can read none of the corpus; give text that it can with --corpus"
        fits = [Fit(name, UNKNOWN, reason) for name in ("TLI", "SLEM", "SLRS")]
        if not shared.texts:
            fits[0] = _tli(shared, covered)
        return Advice(tuple(fits), f"Nothing more can be said: {reason}.")
    tli = _tli(shared, covered)
    slem = _slem(unspelled, target_trips, drafter_trips, cut)
    slrs = _slrs(psi, slem)
    return Advice((tli, slem, slrs), _first(shared, tli, slem, slrs))


def _tli(shared: Intersection, covered: Sequence[Coverage]) -> Fit:
    if not shared.texts:
        return Fit("TLI", NOT, "the vocabularies share no token, so there is nothing to draft")
    whole = covered[-1].target
    reach, bytes_shared = whole.mapped_share or 0.0, whole.token_share or 0.0
    fits = WELL if reach >= IN_REACH[0] else PARTLY if reach >= IN_REACH[1] else POORLY
    reason = f"{percent(reach)} of the target's tokens of the corpus can be drafted"
    if bytes_shared - reach > 0.005:
        reason += (
            f" ({percent(bytes_shared)} are shared by bytes, but some by an id that the target "
            "does not write)"
        )
    poor = [
        each.section
        for each in covered[:-1]
        if each.target.mapped_share is not None and each.target.mapped_share < NAMED
    ]
    if poor and len(covered) > 1:
        reason += f"; less than half of {', '.join(poor)}"
    return Fit("TLI", fits, reason)


def _slem(unspelled: Inexpressible, target: RoundTrips, drafter: RoundTrips, cut: Revisions) -> Fit:
    reasons: list[str] = []
    worst = 0.0
    if unspelled.text_share:
        worst = unspelled.text_share
        reasons.append(
            f"the drafter cannot spell {percent(unspelled.text_share)} of the target's tokens"
        )
    for role, trips in (("target", target), ("drafter", drafter)):
        if trips.passages and trips.failed_passages:
            part = trips.failed_passages / trips.passages
            worst = max(worst, part)
            reasons.append(f"the {role} changes or loses text in {percent(part)} of the passages")
    fits = WELL if worst < LOST[0] else PARTLY if worst < LOST[1] else POORLY
    if not reasons:
        reasons.append("each side can spell what the other says and gives the corpus back")
    if cut.revised_share:
        reasons.append(
            f"{percent(cut.revised_share)} of cuts change the target's last tokens, so a draft's "
            "last candidates are often lost"
        )
    return Fit("SLEM", fits, "; ".join(reasons))


def _slrs(psi: PsiCost, slem: Fit) -> Fit:
    ninth = next(each for each in psi.quantiles if each.share >= 0.9)
    ways = ninth.segmentations
    fits = WELL if ways <= SEGMENTATIONS[0] else PARTLY if ways <= SEGMENTATIONS[1] else POORLY
    reason = (
        f"nine target tokens in ten have at most {ways:,} segmentation{'' if ways == 1 else 's'} "
        f"and {ninth.passes:,} strict prefix{'' if ninth.passes == 1 else 'es'}, "
        f"on average {psi.mean_passes:,.1f}"
    )
    order = (WELL, PARTLY, POORLY, NOT)
    if order.index(slem.fits) > order.index(fits):
        return Fit("SLRS", slem.fits, f"{reason}; and what stands in SLEM's way stands in its way")
    return Fit("SLRS", fits, reason)


def _first(shared: Intersection, tli: Fit, slem: Fit, slrs: Fit) -> str:
    if shared.same:
        return (
            "One vocabulary: ids mean the same on both sides. Use standard speculative decoding or "
            "block verification; nothing has to be mapped."
        )
    if tli.fits == WELL:
        return (
            "Try TLI first: nearly all of the target's text is in the intersection, it works with "
            "probabilities (acceptance sum min(p, q')), and its candidates are not encoded anew."
        )
    if slem.fits in (WELL, PARTLY):
        rest = (
            "; above temperature 0 try SLRS, whose psi is cheap here"
            if slrs.fits == WELL
            else "; SLRS accepts at least as often, but pays for psi"
            if slrs.fits == PARTLY
            else ""
        )
        also = " Try TLI as well: most of the text is in its reach." if tli.fits == PARTLY else ""
        return (
            "Try SLEM first, at or near temperature 0, where exact match costs least"
            + rest
            + "."
            + also
        )
    if tli.fits == PARTLY:
        return (
            "Try TLI: it does not depend on text coming back as it was, and most is in its reach."
        )
    return "Neither fits well. Look for a drafter whose tokenizer is closer to the target's."
