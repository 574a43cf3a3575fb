"""What explains the rounds that were seen: the fewest parts that have to be wrong.

Every way to feed, accept, draw after a rejection and draw the bonus token is looked up by itself;
the combination with the fewest mistakes is taken, and rounds with something shared or with blocks
verified as wholes count as one mistake. Where nothing explains a part, `unexplained` reasons from
where it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .settings import Ids, Row
from .wrong_blocks import BLOCKS
from .wrong_choices import ACCEPT, ACCEPTS, BONUS, FINAL, RATIO, Choice
from .wrong_couplings import COUPLINGS, Coupling
from .wrong_draws import BONUSES, FINALS
from .wrong_feeds import FEEDS, Feed
from .wrong_rules import At, LawAt
from .wrong_seen import Seen, alike, distance

#: Rows of both sides and drafts, as a rule was fed with them.
Fed = tuple[Sequence[Row], Sequence[Row], Ids]
ROWS = "which rows of either side a draft is tested with"


@dataclass(frozen=True)
class Named:
    """A mistake found.

    Attributes:
        what: in words, for "it behaves like ..."; empty where no known mistake explains the law.
        where: where to look.
        faults: the classes, the likeliest first.
        mistakes: how many parts are wrong.
        note: what was seen, in words, where the parts are not known.
    """

    what: str
    where: str
    faults: tuple[str, ...]
    mistakes: int = 1
    note: str = ""

    @property
    def reason(self) -> str:
        """One sentence of a report."""
        behaves = f"it behaves like {self.what}; " if self.what else ""
        note = f"{self.note}; " if self.note and not self.what else ""
        return f"{behaves}{note}look at {self.where}"


def explained(seen: Sequence[Seen], own_drafts: bool = False) -> list[Named]:
    """The explanations with the fewest mistakes; one without any where nothing is wrong.

    ``own_drafts``: whether the subject draws its drafts, so that these can share randomness.
    """
    found = [named for feed in FEEDS if (named := _with_feed(seen, feed)) is not None]
    least = min((each.mistakes for each in found), default=99)
    if least > 0:
        for coupling in (*BLOCKS, *COUPLINGS):
            if coupling.of_drafts and not own_drafts:
                continue
            if _explains(coupling, seen):
                mistakes = 1 if coupling.faults else 0
                found.append(Named(coupling.what, coupling.where, coupling.faults, mistakes))
                least = min(least, mistakes)
                if not mistakes:
                    break
    return [each for each in found if each.mistakes == least]


def _explains(coupling: Coupling, seen: Sequence[Seen]) -> bool:
    known = False
    for each in seen:
        law = coupling.block(each.p, each.q, each.x)
        if law is None:
            continue
        if distance(law, each.block) > each.blurs.block:
            return False
        known = True
    return known


def _with_feed(seen: Sequence[Seen], feed: Choice[Feed]) -> Named | None:
    """The mistakes of a rule that is fed so, None if some part of it is not explained."""
    fed = [feed.of(each.p, each.q, each.x) for each in seen]
    if any(each.taken != x[: len(each.taken)] for each, (_, _, x) in zip(seen, fed, strict=True)):
        return None
    accept = accepting(seen, fed)
    if not accept:
        return None
    finals = [c for c in FINALS if draws(c.of, seen, fed)]
    bonus = next((c for c in BONUSES if adds(c.of, seen, fed)), None)
    if not finals or bonus is None:
        return None
    return min(
        (_together(feed, a, f, bonus) for a in accept for f in finals),
        key=lambda named: named.mistakes,
    )


def _together(
    feed: Choice[Feed], accept: Choice[At], final: Choice[LawAt], bonus: Choice[LawAt]
) -> Named:
    wrong: list[tuple[str, str, tuple[str, ...]]] = []
    if feed.faults:
        wrong.append((feed.what, ROWS, feed.faults))
    if accept.faults:
        wrong.append((accept.what, ACCEPT, accept.faults))
    if final.faults:
        wrong.append((final.what, f"{FINAL}: it must be from max(0, p - q)", final.faults))
    elif accept.base not in (None, final.base):
        if accept.base == RATIO:
            what = "drawing from p without the drafted id after a rejection"
            where = f"{FINAL}: leaving out the draft is right only for a certain draft"
            wrong.append((what, where, ("residual", "proposal-law")))
        elif not accept.faults:
            what = "accepting with probability p, not p / q"
            wrong.append(
                (what, f"{ACCEPT}: q is missing", ("acceptance-rule", "proposal-law", "residual"))
            )
        else:
            wrong.append(("drawing from max(0, p - q) after a rejection", FINAL, ("residual",)))
    if bonus.faults:
        wrong.append((bonus.what, BONUS, bonus.faults))
    faults = [fault for _, _, some in wrong for fault in some[:1]]
    faults += [fault for _, _, some in wrong for fault in some[1:]]
    return Named(
        " and ".join(what for what, _, _ in wrong),
        " and ".join(dict.fromkeys(where for _, where, _ in wrong)),
        tuple(dict.fromkeys(faults)),
        len(wrong),
    )


def accepting(seen: Sequence[Seen], fed: Sequence[Fed]) -> list[Choice[At]]:
    """The ways to accept that explain every acceptance."""
    return [choice for choice in ACCEPTS if not any(_misaccepted(choice.of, seen, fed))]


def _misaccepted(accept: At, seen: Sequence[Seen], fed: Sequence[Fed]) -> Iterator[bool]:
    for each, (p, q, x) in zip(seen, fed, strict=True):
        for j, number in enumerate(each.accepts):
            if number is None:
                break
            blur = each.blurs.accepts[j]
            if q[j][x[j]] == 0 and p[j][x[j]] == 0:
                continue  # what is done with 0 / 0 is not the point
            if abs(min(1.0, max(0.0, accept(p, q, x, j))) - number) > blur:
                yield True


def draws(law: LawAt, seen: Sequence[Seen], fed: Sequence[Fed]) -> bool:
    """Whether ``law`` is that of every draw after a rejection."""
    return all(
        row is None or alike(row, law(p, q, x, j), each.blurs.finals[j])
        for each, (p, q, x) in zip(seen, fed, strict=True)
        for j, row in enumerate(each.finals)
    )


def adds(law: LawAt, seen: Sequence[Seen], fed: Sequence[Fed]) -> bool:
    """Whether ``law`` is that of every bonus token."""
    return all(
        each.bonus is None or alike(each.bonus, law(p, q, x, len(x)), each.blurs.bonus)
        for each, (p, q, x) in zip(seen, fed, strict=True)
    )
