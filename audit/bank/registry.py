"""All entries, in the order of the classes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from .entry import FaultEntry
from .false_alarms import FALSE_ALARM_RULES, FALSE_ALARM_RUNS, RELAXED_BY_DESIGN
from .faults_of_coins import COUPLED_RANDOMNESS
from .faults_of_edges import NUMERICAL_EDGE, REPORTING, SEEDS
from .faults_of_proposals import PROPOSAL_LAW
from .faults_of_rules import ACCEPTANCE_RULE, BLOCK_OR_TREE, RESIDUAL, VOCABULARY_MAP
from .faults_of_runs import POSITION_SHIFT, STATE, STOPPING
from .faults_of_strings import STRING_LEVEL
from .faults_of_targets import TARGET_LAW

#: Entries that give the same law on the same case: there, no law can tell them apart, and an
#: audit that names a class names those of all of them.
SAME_LAW = (
    (
        "q-never-written",
        "always-accept",
        "accept-coin-is-zero",
        "first-draft-unverified",
        "typical-acceptance",
    ),
    ("temperature-dropped-on-verified", "temperature-ignored"),
    ("argmax-returned", "accept-argmax-only", "residual-overwrites-p"),
    ("history-without-last", "mask-frozen-in-step"),
    ("resample-from-p", "kernel-residual-is-p", "second-candidate-tested-against-p"),
    ("race-noise-not-written", "noise-written-into-copy", "recovered-always-id-0"),
    ("coin-reused-for-residual", "kernel-coin-reused"),
    ("bonus-from-last-row", "kernel-final-from-last-row"),
    ("accept-boundary-off-by-one", "bonus-not-written"),
    ("state-never-trimmed", "trimmed-by-stale-count"),
    ("coin-zero-accepts", "kernel-coin-zero-accepts"),
    ("only-last-token-tested-for-end", "bonus-after-end"),
)


def _related(entries: Iterable[FaultEntry]) -> tuple[FaultEntry, ...]:
    """The entries with their `shares_law_with` filled in."""
    groups = {name: group for group in SAME_LAW for name in group}
    return tuple(
        replace(each, shares_law_with=tuple(n for n in groups.get(each.id, ()) if n != each.id))
        for each in entries
    )


#: Wrong without meaning to be.
FAULTS = _related(
    (
        *PROPOSAL_LAW,
        *TARGET_LAW,
        *ACCEPTANCE_RULE,
        *RESIDUAL,
        *COUPLED_RANDOMNESS,
        *POSITION_SHIFT,
        *STATE,
        *BLOCK_OR_TREE,
        *VOCABULARY_MAP,
        *STRING_LEVEL,
        *NUMERICAL_EDGE,
        *STOPPING,
        *SEEDS,
        *REPORTING,
    )
)
#: Reported, or suspicious, and exact.
FALSE_ALARMS = _related((*FALSE_ALARM_RULES, *FALSE_ALARM_RUNS))
#: Lossy by design.
RELAXED_RULES = _related(RELAXED_BY_DESIGN)

BANK: dict[str, FaultEntry] = {each.id: each for each in (*FAULTS, *RELAXED_RULES, *FALSE_ALARMS)}


class UnknownEntryError(ValueError):
    """An entry that the bank does not have."""


def entry(name: str) -> FaultEntry:
    """The entry called ``name``.

    Raises:
        UnknownEntryError: when there is none, with the nearest name.
    """
    if name not in BANK:
        near = difflib.get_close_matches(name, BANK, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownEntryError(f"the bank has no entry {name!r}{hint}")
    return BANK[name]
