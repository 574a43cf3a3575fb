"""Mistakes of whole decoders, whose rules are not seen: what was done, and its law.

Every part of a rule that `wrong_choices` has is put into the rules that are right otherwise, every
law that drafts may be drawn from in front of them, and each is taken round by round as well as
token by token; then come shared coins, blocks, and several candidates.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from .mistakes_of_candidates import CANDIDATES
from .settings import Ids, Row
from .wrong_blocks import BLOCKS
from .wrong_choices import ACCEPT, ACCEPTS, BONUS, CERTAIN, FINAL, RATIO
from .wrong_couplings import COUPLINGS
from .wrong_draws import BONUSES, FINALS
from .wrong_feeds import CHANGES, FEEDS, MAPS, Feed
from .wrong_parts import ROWS
from .wrong_rules import At, BlockRule, LawAt, Mistake, own, ratio, rule

_DRAFTS = "the drafts: they are not drawn from the q that scores them"
_RIGHT = {RATIO: (ACCEPTS[0].of, FINALS[0].of), CERTAIN: (ACCEPTS[1].of, FINALS[1].of)}


def _or_one(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> float:
    """min(1, p / q), and 1 where q is 0."""
    return ratio(p, q, x, j) if q[j][x[j]] > 0 else 1.0


def _fed(feed: Feed, accept: At, final: LawAt) -> BlockRule:
    inner = rule(accept, final)
    return lambda p, q, x: inner(*feed(p, q, x))


def _by_tokens(mistake: Mistake) -> Mistake:
    """The same mistake in a decoder that verifies one draft a round and adds no bonus token."""

    def token(p: Row, q: Row) -> Row:
        drafting = mistake.drafting(q) if mistake.drafting else q
        law = [0.0] * len(p)
        for x, mass in enumerate(drafting):
            if mass:
                for ids, number in (mistake.block([p, p], [q], (x,)) or {}).items():
                    law[ids[0]] += mass * number
        return tuple(law)

    return Mistake(mistake.what, mistake.where, mistake.faults, mistake.block, None, token)


def _of_rules() -> Iterator[Mistake]:
    for base, (accept, final) in _RIGHT.items():
        for other in FINALS:
            if other.faults:
                yield Mistake(other.what, FINAL, other.faults, rule(accept, other.of))
        for changed in ACCEPTS:
            if changed.faults and changed.base in (None, base):
                yield Mistake(changed.what, ACCEPT, changed.faults, rule(changed.of, final))
        for bonus in BONUSES:
            if bonus.faults:
                yield Mistake(bonus.what, BONUS, bonus.faults, rule(accept, final, bonus.of))
        for feed in FEEDS:
            if feed.faults and (base == RATIO or not feed.what.startswith("scoring")):
                yield Mistake(feed.what, ROWS, feed.faults, _fed(feed.of, accept, final))
                if base == RATIO:
                    block = _fed(feed.of, _or_one, final)
                    yield Mistake(feed.what, ROWS, feed.faults, block)
    without = FINALS[1].of
    yield Mistake(
        "drawing from p without the drafted id after a rejection",
        f"{FINAL}: leaving out the draft is right only for a certain draft",
        ("residual", "proposal-law"),
        rule(final=without),
    )
    yield Mistake(
        "accepting with probability p, not p / q",
        f"{ACCEPT}: q is missing",
        ("acceptance-rule", "proposal-law"),
        rule(accept=ACCEPTS[1].of),
    )
    for changed, other in itertools.product(ACCEPTS, FINALS):
        # Relaxed tests are rarely followed by a residual.
        if "relaxed-by-design" in changed.faults and other.faults:
            yield Mistake(changed.what, ACCEPT, changed.faults, rule(changed.of, other.of))


def _of_greedy() -> Iterator[Mistake]:
    def likeliest_at(p: Sequence[Row], q: Sequence[Row], x: Ids, j: int) -> Row:
        top = p[j].index(max(p[j]))
        return tuple(float(t == top) for t in range(len(p[j])))

    where = "the target's law: a maximum is taken where a draw is due"
    faults = ("target-law", "acceptance-rule")
    for bonus in (likeliest_at, own):
        block = rule(lambda p, q, x, j: likeliest_at(p, q, x, j)[x[j]], likeliest_at, bonus)
        yield Mistake("greedy decoding", where, faults, block)


def _of_drafts() -> Iterator[Mistake]:
    for what, change in CHANGES:
        yield Mistake(
            f"drafting from q {what}, and scoring with q",
            _DRAFTS,
            ("proposal-law",),
            rule(),
            change,
        )
    for what, change in MAPS:
        yield Mistake(
            f"drafting from q {what}, and scoring with q",
            _DRAFTS,
            ("vocabulary-map", "proposal-law"),
            rule(),
            change,
        )


def _all() -> Iterator[Mistake]:
    single = [*_of_rules(), *_of_greedy(), *_of_drafts()]
    for each in single:
        yield each
    for coupling in (*COUPLINGS, *BLOCKS):
        if coupling.faults:
            yield Mistake(coupling.what, coupling.where, coupling.faults, coupling.block)
    for each in single:
        if each.where != BONUS and "position-shift" not in each.faults:
            yield _by_tokens(each)
    for coupling in COUPLINGS:
        yield _by_tokens(Mistake(coupling.what, coupling.where, coupling.faults, coupling.block))
    yield from CANDIDATES


MISTAKES = tuple(_all())
