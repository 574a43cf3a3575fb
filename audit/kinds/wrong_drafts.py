"""Whether the drafts of a decoder are drawn from the law that scores them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .due import DueLaws, Law
from .evidence import Evidence
from .settings import Row
from .wrong_choices import RATIO
from .wrong_feeds import CHANGES, MAPS
from .wrong_parts import Named
from .wrong_seen import SAME, distance, rounds
from .wrong_spots import spots

WHERE = "the drafts: they are not drawn from the q that scores them"


def differ(evidence: Sequence[Evidence]) -> bool:
    """Whether drafts were seen that are not drawn from q."""
    drawn = [each for each in evidence if each.drafts is not None]
    return not all(_is(each, lambda row: row) for each in drawn)


def misdrafted(evidence: Sequence[Evidence]) -> Named | None:
    """What is wrong with the drafts' law; None if nothing is, or if it does not matter.

    A decoder that takes its drafts for certain, or matches them with draws from p, may draft as it
    likes; one that tests ratios may not.
    """
    drawn = [each for each in evidence if each.drafts is not None]
    if not differ(drawn):
        return None
    seen = rounds(drawn)
    if not seen:
        return None
    base, wrong = spots(seen)
    if base != RATIO or any(spot.part == "accept" for spot in wrong):
        return None
    for what, change in CHANGES:
        if all(_is(each, change) for each in drawn):
            return Named(f"drafting from q {what}, and scoring with q", WHERE, ("proposal-law",))
    for what, change in MAPS:
        if all(_is(each, change) for each in drawn):
            faults = ("vocabulary-map", "proposal-law")
            return Named(f"drafting from q {what}, and scoring with q", WHERE, faults)
    if all(_is(each, lambda row: row, 1) for each in drawn):
        where = "the draws of one round's drafts: they are not independent of each other"
        return Named("", where, ("coupled-randomness", "proposal-law"))
    return Named("", WHERE, ("proposal-law", "vocabulary-map", "position-shift"))


def _is(evidence: Evidence, change: Callable[[Row], Row], length: int | None = None) -> bool:
    """Whether the drafts, or the first ``length``, are drawn from q changed so."""
    assert evidence.drafts is not None
    due = DueLaws(evidence.case.pair, evidence.case.settings)
    ahead = evidence.case.lookahead if length is None else length
    law: Law = {(): 1.0}
    for _ in range(ahead):
        law = {
            (*ids, token): mass * number
            for ids, mass in law.items()
            for token, number in enumerate(change(due.drafter.after(due.prompt + ids)))
            if number
        }
    given: Law = {}
    for ids, mass in evidence.drafts.items():
        given[ids[:ahead]] = given.get(ids[:ahead], 0.0) + mass
    return distance(law, given) <= SAME
