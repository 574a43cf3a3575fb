"""The smallest set of vectors that kills every fault: exact set cover, by reduction and search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

#: Search is given up after so many nodes, for the greedy choice.
MOST_NODES = 100_000

Kills = dict[str, frozenset[str]]


def smallest_cover(kills: Mapping[str, AbstractSet[str]]) -> tuple[list[str], bool]:
    """The fewest keys of ``kills`` whose sets have everything in them, and whether that is proved.

    Of several smallest choices the first in the order of the keys is not promised, but the same one
    is found every time.
    """
    order = {name: place for place, name in enumerate(kills)}
    sets = {name: frozenset(faults) for name, faults in kills.items() if faults}
    everything = frozenset(fault for faults in sets.values() for fault in faults)
    search = _Search(_greedy(sets, everything))
    search.visit(sets, everything, [])
    return sorted(search.best, key=lambda name: order[name]), search.nodes <= MOST_NODES


def _greedy(sets: Kills, wanted: frozenset[str]) -> list[str]:
    chosen: list[str] = []
    while wanted:
        best = max(sets, key=lambda name: len(sets[name] & wanted))
        chosen.append(best)
        wanted -= sets[best]
    return chosen


class _Search:
    """Branch and bound; ``best`` is the smallest cover so far."""

    def __init__(self, best: list[str]) -> None:
        self.best = best
        self.nodes = 0

    def visit(self, sets: Kills, wanted: frozenset[str], chosen: Sequence[str]) -> None:
        """Every cover of ``wanted`` that goes on from ``chosen`` and is smaller than the best."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            return
        sets, wanted, chosen = _reduced(sets, wanted, list(chosen))
        if not wanted:
            if len(chosen) < len(self.best):
                self.best = list(chosen)
            return
        if len(chosen) + _least(sets, wanted) >= len(self.best):
            return
        rarest = min(sorted(wanted), key=lambda fault: sum(fault in s for s in sets.values()))
        for name in [name for name, faults in sets.items() if rarest in faults]:
            self.visit(sets, wanted - sets[name], [*chosen, name])
            sets = {other: faults for other, faults in sets.items() if other != name}


def _reduced(
    sets: Kills, wanted: frozenset[str], chosen: list[str]
) -> tuple[Kills, frozenset[str], list[str]]:
    """Without what is decided: keys that are needed, and all that others make superfluous."""
    while True:
        sets = {name: faults & wanted for name, faults in sets.items() if faults & wanted}
        kept: Kills = {}
        for name, faults in sorted(sets.items(), key=lambda item: -len(item[1])):
            if not any(faults <= other for other in kept.values()):
                kept[name] = faults
        sets = kept
        by = {fault: frozenset(n for n, s in sets.items() if fault in s) for fault in wanted}
        needed = {next(iter(names)) for names in by.values() if len(names) == 1}
        if needed:
            for name in sorted(needed):
                chosen = [*chosen, name]
                wanted -= sets[name]
            continue
        harder = frozenset(
            fault
            for fault in wanted
            if not any(
                by[other] < by[fault] or (by[other] == by[fault] and other < fault)
                for other in wanted
                if other != fault
            )
        )
        if harder == wanted:
            return sets, wanted, chosen
        wanted = harder


def _least(sets: Kills, wanted: frozenset[str]) -> int:
    """No cover has fewer: faults of which no key kills two."""
    count = 0
    left = set(wanted)
    while left:
        fault = min(sorted(left), key=lambda f: sum(f in s for s in sets.values()))
        count += 1
        for faults in sets.values():
            if fault in faults:
                left -= faults
        left.discard(fault)
    return count
