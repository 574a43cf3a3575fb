"""The kill table: which of the bank's faults which vectors see, and the fewest that see them all.

A vector kills a fault when the faulty subject fails it and the same subject, mended, passes it. For
a subject without a mended version only vectors count that every lossless decoder passes: laws over
drawn drafts, and rows of NaN where that is what the entry is about. Nothing is taken from what the
bank says of its entries.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..bank import BANK, FaultEntry
from .covering import smallest_cover
from .files import KINDS, vectors
from .trying import TRIED, try_vectors
from .writing import INVALID, SCHEMA, Vector, listing

#: What the table counts apart.
COLUMNS = {
    "law": "laws over drawn drafts",
    "given": "laws of one block, drafts given",
    "coin": "ids at given coins",
    "invalid": "inputs to be refused",
}
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Killed:
    """What the vectors found out about one entry.

    Attributes:
        entry: the bank's.
        killed_by: ids of the vectors that kill it.
        survives: ids of those that it was tried on and that do not.
    """

    entry: FaultEntry
    killed_by: frozenset[str] = field(default=frozenset())
    survives: frozenset[str] = field(default=frozenset())

    def to_json(self, chosen: Iterable[str]) -> dict[str, Any]:
        """The entry's line in the table; ``chosen`` is the killing set."""
        entry, chosen = self.entry, list(chosen)
        counts = {
            column: sum(column_of(name) == column for name in self.killed_by) for column in COLUMNS
        }
        return {
            "id": entry.id,
            "class": entry.fault,
            "kind": entry.kind,
            "verdict": entry.verdict,
            "reports": list(entry.reports),
            "killed_by": counts,
            "tried": len(self.killed_by) + len(self.survives),
            "in_set": [name for name in chosen if name in self.killed_by],
            "survives_in_set": [name for name in chosen if name in self.survives],
            "unreached": None if self.killed_by else unreached(entry),
        }


def column_of(name: str) -> str:
    """The column that a vector is counted in."""
    if "-invalid-" in name:
        return "invalid"
    if name.startswith("law-given-"):
        return "given"
    return name.partition("-")[0]


def unreached(entry: FaultEntry) -> str:
    """Why no vector sees an entry."""
    if entry.is_false_alarm:
        return "it is exact"
    if entry.guarantee == "reporting":
        return "its ids are right: what it reports of them is not in any vector"
    if entry.guarantee == "run" and entry.check == "edges":
        return "its law is exact: it takes two calls with one seed to see it"
    return "no vector makes it"


def can_run(entry: FaultEntry) -> bool:
    """Whether the library is installed that the entry's subject is written for."""
    return importlib.util.find_spec("torch" if entry.needs_torch else "numpy") is not None


def kill(entry: FaultEntry, chosen: Iterable[Vector] | None = None) -> Killed:
    """Try one entry, and its mended version, on the vectors ``chosen``, all unless given."""
    wanted = list(chosen) if chosen is not None else [v for k in TRIED for v in vectors(k)]
    if not entry.has_control:
        wanted = [vector for vector in wanted if _is_for_all(entry, vector)]
    tried = try_vectors(entry.subject(), entry.kind, wanted)
    fair = {vector.id for vector in wanted}
    if entry.has_control:
        fair = set(try_vectors(entry.control(), entry.kind, wanted).passed)
    return Killed(
        entry,
        frozenset(fair & tried.failed.keys()),
        frozenset(fair & set(tried.passed)),
    )


def _is_for_all(entry: FaultEntry, vector: Vector) -> bool:
    """Whether every lossless decoder passes the vector."""
    if vector.result == INVALID:
        return entry.guarantee == "nan" and "nan" in vector.flags
    return "drawn" in vector.flags


def kill_table(
    entries: Iterable[FaultEntry] | None = None, progress: Progress | None = None
) -> list[Killed]:
    """`kill` for each of ``entries``, the whole bank unless given, as far as they can run."""
    listed = [e for e in (BANK.values() if entries is None else entries) if can_run(e)]
    found: list[Killed] = []
    for number, entry in enumerate(listed, start=1):
        found.append(kill(entry))
        if progress:
            progress(number, len(listed), entry.id)
    return found


def killing_set(table: Iterable[Killed]) -> tuple[list[str], bool]:
    """The fewest vectors that kill every fault that any kills, and whether no fewer do."""
    table = list(table)
    every = [vector.id for kind in TRIED for vector in vectors(kind)]
    return smallest_cover(
        {name: {each.entry.id for each in table if name in each.killed_by} for name in every}
    )


def kill_file(table: Iterable[Killed]) -> str:
    """``kills.json``."""
    table = list(table)
    chosen, proved = killing_set(table)
    coins = {vector.id for vector in vectors("coin") if vector.result != INVALID}
    both = [each for each in table if each.killed_by and coins & (each.killed_by | each.survives)]
    head = {
        "schema": SCHEMA,
        "columns": COLUMNS,
        "killing_set": chosen,
        "chosen_by": "exact set cover" if proved else "greedy set cover",
        "seen_by_coins_only": [each.entry.id for each in both if each.killed_by <= coins],
        "seen_by_laws_only": [each.entry.id for each in both if not each.killed_by & coins],
        "mistakes": mistakes(),
    }
    return listing(head, "entries", [each.to_json(chosen) for each in table])


def mistakes() -> list[dict[str, Any]]:
    """Mistakes in the numbers of vectors that callables are not tried on, by what they give."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind in KINDS:
        for vector in vectors(kind):
            for each in vector.expect.get("not", ()):
                found.setdefault((kind, each["mistake"]), []).append(vector.id)
    return [
        {"kind": kind, "mistake": mistake, "vectors": len(names), "first": names[0]}
        for (kind, mistake), names in found.items()
    ]
