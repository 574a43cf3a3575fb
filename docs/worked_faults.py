"""The fault bank's entries as tables; nothing is audited here, distances are the bank's."""

from __future__ import annotations

from collections import Counter

from draftproof.audit.bank import BANK, FALSE_ALARMS, FAULTS, RELAXED_RULES, FaultEntry
from worked_text import code, markdown, short, worked


@worked
def bank_counts() -> str:
    """How many entries of each class there are, and how far from exact they are."""
    counts = Counter(each.fault for each in FAULTS)
    rows = []
    for name, count in counts.items():
        found = [e for e in FAULTS if e.fault == name]
        reports = {report for e in found for report in e.reports}
        largest = max(found, key=lambda e: e.total_variation)
        distance = _distance(largest)
        rows.append([code(str(name)), count, len(reports), distance, code(largest.id)])
    return markdown(["class", "entries", "reports", "largest distance", "of"], rows)


@worked
def bank_class(name: str) -> str:
    """The entries of one class."""
    return _table([each for each in FAULTS if each.fault == name])


@worked
def bank_false_alarms() -> str:
    """What was reported, or looks suspicious, and is exact."""
    rows = [[code(e.id), e.mechanism, _reports(e)] for e in FALSE_ALARMS]
    return markdown(["entry", "why it is exact", "reports"], rows)


@worked
def bank_relaxed() -> str:
    """The rules that are lossy by design."""
    return _table(list(RELAXED_RULES))


@worked
def bank_same_law() -> str:
    """Entries of different classes that give one law on one case."""
    rows = []
    seen: set[str] = set()
    for each in BANK.values():
        group = [each, *(BANK[name] for name in each.shares_law_with)]
        classes = list(dict.fromkeys(str(e.fault) for e in group))
        if len(classes) > 1 and each.id not in seen:
            rows.append([", ".join(code(e.id) for e in group), ", ".join(map(code, classes))])
        seen.update(e.id for e in group)
    return markdown(["entries", "classes"], rows)


def _table(entries: list[FaultEntry]) -> str:
    rows = [[code(e.id), e.mechanism, e.check, _distance(e), _reports(e)] for e in entries]
    return markdown(["entry", "mechanism", "seen by", "distance", "reports"], rows)


def _distance(entry: FaultEntry) -> str:
    if not entry.total_variation:
        return "0"
    if not entry.exact:
        return f"~{float(entry.total_variation):.4g}"
    return short(entry.total_variation)


def _reports(entry: FaultEntry) -> str:
    return ", ".join(entry.reports) or "none"
