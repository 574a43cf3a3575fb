"""Classes of what no known mistake explains: from where the rounds are wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .settings import Row
from .wrong_choices import ACCEPT, ACCEPTS, BONUS, FINAL
from .wrong_draws import BONUSES, FINALS
from .wrong_parts import Fed, Named, accepting, adds, draws
from .wrong_seen import SAME, Seen, alike
from .wrong_spots import Spot, spots

#: Rounding and guards move probabilities by less than this, if not those of rare ids.
TINY, SMALL, RARELY = 1e-4, 2e-3, 0.01


def unexplained(seen: Sequence[Seen]) -> Named | None:
    """Classes from where the rounds are wrong; None if they are not."""
    base, wrong = spots(seen)
    if not wrong:
        return None
    parts = {spot.part for spot in wrong}
    known = _known(seen, base, parts)
    usual = {
        "accept": ("acceptance-rule",),
        "final": ("residual",),
        "bonus": ("position-shift", "target-law"),
    }
    reasons: dict[str, str] = {}
    for fault, why in _reasons(seen, wrong, parts, known):
        reasons.setdefault(fault, why)
    faults = [*reasons]
    faults += [fault for part in known for fault in known[part][1][:1]]
    faults += [fault for part in usual if part in parts - set(known) for fault in usual[part]]
    if parts == {"accept"}:
        faults.append("proposal-law")
    where = {"accept": ACCEPT, "final": FINAL, "bonus": BONUS}
    look = " and ".join(where[part] for part in where if part in parts)
    what = " and ".join(what for what, _ in known.values())
    note = next((note for note in reasons.values() if note), "")
    return Named(what, look, tuple(dict.fromkeys(faults))[:3], len(parts), note)


def _known(
    seen: Sequence[Seen], base: str, parts: set[str]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The wrong parts that a known mistake explains by itself: its words and its classes."""
    fed: list[Fed] = [(each.p, each.q, each.x) for each in seen]
    found = {
        "accept": [c for c in accepting(seen, fed) if c.faults],
        "final": [c for c in FINALS if c.faults and draws(c.of, seen, fed)],
        "bonus": [c for c in BONUSES if c.faults and adds(c.of, seen, fed)],
    }
    del base
    return {
        part: (found[part][0].what, found[part][0].faults)
        for part in ("accept", "final", "bonus")
        if part in parts and found[part]
    }


def _reasons(
    seen: Sequence[Seen],
    wrong: Sequence[Spot],
    parts: set[str],
    known: dict[str, tuple[str, tuple[str, ...]]],
) -> Iterator[tuple[str, str]]:
    """What the places that are wrong say, the strongest first: a class, and why."""
    if any(each.taken != each.x[: len(each.taken)] for each in seen):
        yield "vocabulary-map", "other ids than the drafts stand where accepted drafts are due"
    if not _only_at_edges_by_chance(seen):
        if all(_is_edge(spot, TINY) for spot in wrong) or (
            len(parts) > 1 and all(_is_edge(spot, SMALL) for spot in wrong)
        ):
            yield "numerical-edge", "only tiny amounts, rare ids or empty residuals are wrong"
        elif len(parts) == 1 and all(_is_edge(spot, SMALL) for spot in wrong):
            yield ("residual" if parts == {"final"} else "acceptance-rule"), ""
            yield "numerical-edge", "only small amounts or rare ids are wrong"
    if not any(spot.seen.free for spot in wrong) and any(each.free for each in seen):
        if parts == {"final"} and not _tells_finals_apart(seen):
            yield "residual", ""
        yield "position-shift", "nothing is wrong where all rows are alike"
        yield "target-law", ""
        return
    if _depends_on_later(seen):
        yield "block-or-tree", "a draft's acceptance depends on the drafts after it"
    if "accept" in known:
        yield known["accept"][1][0], ""
    if _depends_on_earlier(seen):
        note = "something depends on earlier drafts, though all rows are alike"
        yield "coupled-randomness", note
        yield "block-or-tree", ""
    if "bonus" in parts and _is_of_other_law(seen):
        yield "target-law", "drafts are verified with the law of the bonus token, which is not p"
    if _lacks_an_id(seen):
        yield "vocabulary-map", "one id is never emitted, though it is due"
    if "accept" in parts and _is_certain(seen):
        yield "acceptance-rule", "drafts are accepted without a coin"
        yield "relaxed-by-design", ""
    if parts == {"accept", "final"} and _is_of_other_q(seen):
        yield "proposal-law", "with another law of the drafts all would be right"
    if parts >= {"accept", "final"}:
        yield "acceptance-rule", ""


def _tells_finals_apart(seen: Sequence[Seen]) -> bool:
    """Whether, rows all alike, a rejection leaves ids of different probabilities to draw from."""
    return any(
        row is not None and len({round(v, 6) for v in row if v > 0}) > 1
        for each in seen
        if each.free
        for row in each.finals
    )


def _is_edge(spot: Spot, tiny: float) -> bool:
    """Whether a tiny amount, a rare id or a row with nothing left is wrong."""
    j, x = spot.j, spot.seen.x
    if spot.by < tiny:
        return True
    if j >= len(x):
        return False
    p, q = spot.seen.p[j], spot.seen.q[j]
    if spot.part == "final":
        left = math.fsum(max(0.0, a - b) for a, b in zip(p, q, strict=True))
        return spot.by * left < 3 * tiny  # a guard on every id adds up
    return min(p[x[j]], q[x[j]]) < RARELY or alike(p, q)


def _lacks_an_id(seen: Sequence[Seen]) -> bool:
    """Whether the first or the last id is never emitted, wherever it should be."""
    for place in (0, -1):
        due = [each for each in seen if each.p[0][place] > RARELY]
        if due and not any(
            ids[0] == range(len(each.p[0]))[place] for each in due for ids in each.block
        ):
            return True
    return False


def _only_at_edges_by_chance(seen: Sequence[Seen]) -> bool:
    """Whether there was nothing but edges to be seen."""
    return all(
        alike(each.p[j], each.q[j]) or min(each.p[j][t], each.q[j][t]) < RARELY
        for each in seen
        for j, t in enumerate(each.x)
    )


def _varies(rows: Iterator[tuple[object, Sequence[float], float]]) -> bool:
    """Whether what should depend on a key alone does not; the last numbers are the blurs."""
    known: dict[object, tuple[Sequence[float], float]] = {}
    for key, row, blur in rows:
        first, other = known.setdefault(key, (row, blur))
        if not alike(first, row, blur + other):
            return True
    return False


def _depends_on_later(seen: Sequence[Seen]) -> bool:
    """Whether a draft's acceptance depends on the drafts after it."""
    return _varies(
        ((each.p[: j + 1], each.q[: j + 1], each.x[: j + 1], len(each.x)), (number,), blur)
        for each in seen
        for j, (number, blur) in enumerate(zip(each.accepts, each.blurs.accepts, strict=True))
        if number is not None
    )


def _depends_on_earlier(seen: Sequence[Seen]) -> bool:
    """Whether, rows all alike, something depends on the drafts before it."""
    free = [each for each in seen if each.free]
    tests = (
        ((each.p[0], each.q[0], each.x[j], j, len(each.x)), (number,), blur)
        for each in free
        for j, (number, blur) in enumerate(zip(each.accepts, each.blurs.accepts, strict=True))
        if number is not None
    )
    bonuses = (
        ((each.p[0], each.q[0], len(each.x)), each.bonus, each.blurs.bonus)
        for each in free
        if each.bonus is not None
    )
    return _varies(tests) or _varies(bonuses)


def _is_of_other_law(seen: Sequence[Seen]) -> bool:
    """Whether, rows all alike, the bonus token's law is the one that drafts are verified with."""
    free = [each for each in seen if each.free and each.bonus is not None]
    fits = 0
    for each in free:
        assert each.bonus is not None
        p, q = [each.bonus] * len(each.p), each.q
        tests = [
            [
                abs(number - min(1.0, accept.of(p, q, each.x, j))) <= 10 * each.blurs.accepts[j]
                for j, number in enumerate(each.accepts)
                if number is not None
            ]
            for accept in ACCEPTS[:2]
        ]
        fits += any(all(test) for test in tests)
    return bool(free) and fits >= 0.9 * len(free)


def _is_certain(seen: Sequence[Seen]) -> bool:
    """Whether drafts are accepted always or never, without a coin."""
    return all(
        number is None or min(number, 1 - number) <= blur
        for each in seen
        for number, blur in zip(each.accepts, each.blurs.accepts, strict=True)
    )


def _is_of_other_q(seen: Sequence[Seen]) -> bool:
    """Whether some other law of drafts makes both the acceptances and the residual right.

    Where p / q is below one it is known from the acceptance; the rest of p must then be what is
    drawn after a rejection. That can only be told where every id is drafted and due.
    """
    tables: dict[tuple[Row, Row], dict[int, Seen]] = {}
    for each in seen:
        if len(each.x) == 1 and min(*each.p[0], *each.q[0]) > 1e-3:
            tables.setdefault((each.p[0], each.q[0]), {})[each.x[0]] = each
    told = False
    for (p, _), table in tables.items():
        chances = {x: each.accepts[0] for x, each in table.items()}
        other = {x: p[x] / a for x, a in chances.items() if a and a < 1 - SAME}
        rows = [each.finals[0] for each in table.values() if each.finals[0] is not None]
        if not rows:
            continue
        if not all(chances.values()):
            return False
        told = True
        left = math.fsum(number - p[x] for x, number in other.items())
        if any(not alike(rows[0], row, 1e-5) for row in rows):
            return False
        if any(rows[0][x] > 1e-6 for x in other):
            return False
        if any(p[y] - left * v < -1e-6 for y, v in enumerate(rows[0])):
            return False
    return told
