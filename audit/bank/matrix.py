"""The kill matrix: which level of checks sees which entry of the bank, and what the audit says.

Nothing here knows what an entry is said to be: each subject is audited as any user's would be, and
the report is then held against the entry. `Killed.problems` says where the two disagree.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ...reference.exact import fraction_text
from ...reference.pair import Pair
from ...toymodels.gallery import GalleryPair
from ...toymodels.tokenizers import greedy
from ..report import LOSSLESS, LOSSY, NOT_APPLICABLE, RELAXED, UNDECIDED, Report
from .entry import LEVELS, FaultEntry
from .given import GivenLawError, given_law

SCHEMA = "draftproof/faults/1"
#: How far a float64 subject's law may be from the exact one.
LAW_WITHIN = 1e-12
#: New ids of whole runs: enough for two rounds with a rejection in between.
HORIZON = 3
#: Which level a result of each guarantee belongs to; edges are told apart by where they are listed.
LEVEL_OF = {"next-token": "next-token", "block": "one-round", "run": "run", "batch": "batch"}

#: Called after each entry with (entries done, entries in all, the entry just done).
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Killed:
    """One row of the matrix.

    Attributes:
        report: the whole audit's, None where the subject's library is not installed.
        law: what the subject gave on the entry's own case, as far as could be found.
        undeclared: the verdict when a relaxed rule does not say so.
        error: why there is no law or no report.
    """

    entry: FaultEntry
    report: Report | None
    law: dict[Any, float] = field(default_factory=dict)
    undeclared: str | None = None
    error: str | None = None

    @property
    def verdict(self) -> str | None:
        """The whole audit's verdict."""
        return None if self.report is None else self.report.verdict

    def level(self, name: str) -> str | None:
        """The worst verdict at a level: LOSSY, UNDECIDED or LOSSLESS; None where nothing applies.

        A relaxed rule's are those of a rule that did not declare it.
        """
        if self.report is None:
            return None
        if name == "edges":
            found = {r.verdict for r in self.report.edges}
        else:
            results = self.report.results
            found = {r.verdict for r in results if LEVEL_OF.get(r.guarantee) == name}
            # A check of a longer law says in what it refutes which shorter laws are wrong too.
            lossy = [r for r in results if r.verdict in (LOSSY, RELAXED)]
            if any(LEVEL_OF.get(refuted) == name for r in lossy for refuted in r.refutes):
                return LOSSY
        found.discard(NOT_APPLICABLE)
        if RELAXED in found:
            return LOSSY
        return next((v for v in (LOSSY, UNDECIDED, LOSSLESS) if v in found), None)

    @property
    def named(self) -> dict[tuple[str, ...], int]:
        """The candidates of the results that refute the entry's guarantee, and how many have them.

        Not all are alike: a check that shows one thing may name a class of its own.
        """
        if self.report is None:
            return {}
        entry = self.entry
        results = self.report.edges if entry.check == "edges" else self.report.results
        failed = [r for r in results if r.verdict in (LOSSY, RELAXED)]
        failed = [r for r in failed if entry.guarantee in (r.guarantee, *r.refutes)]
        found = Counter(
            tuple(dict.fromkeys(name for name in (r.fault, *r.fault_candidates) if name))
            for r in failed
        )
        del found[()]
        return dict(found)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The candidates that most results name, at most three; with the entry's class if any."""
        named = self.named
        right = {names: n for names, n in named.items() if self.entry.fault in names}
        named = right or named
        return max(named, key=lambda names: named[names]) if named else ()

    @property
    def law_error(self) -> float | None:
        """How far, in any one probability, the law found is from the exact one."""
        if not self.law:
            return None
        exact = self.entry.law
        return max(abs(self.law.get(k, 0.0) - float(exact[k])) for k in {*self.law, *exact})

    def problems(self) -> list[str]:
        """What the audit got wrong, in words; empty when it agrees with the entry."""
        entry = self.entry
        if self.report is None:
            return [] if self.error is None else [self.error]
        found = [] if self.error is None else [self.error]
        if self.verdict != entry.verdict:
            found.append(f"the verdict is {self.verdict}, {entry.verdict} is due")
        if entry.is_relaxed and self.undeclared != LOSSY:
            found.append(f"undeclared it is {self.undeclared}, LOSSY is due")
        if not entry.is_false_alarm and self.level(entry.check) != LOSSY:
            found.append(f"level {entry.check} does not see it")
        if not entry.is_false_alarm and entry.guarantee not in _refuted(self.report):
            found.append(f"guarantee {entry.guarantee} is not refuted")
        if entry.fault is not None and entry.fault not in self.candidates:
            named = ", ".join(self.candidates) or "nothing"
            found.append(f"class {entry.fault} is not among the candidates ({named})")
        if self.law_error is not None and self.law_error > LAW_WITHIN:
            found.append(f"its law is {self.law_error:.3g} from the exact one")
        return found

    def to_json(self) -> dict[str, Any]:
        """One element of ``entries``."""
        entry = self.entry
        return {
            "id": entry.id,
            "row": entry.row,
            "title": entry.title,
            "mechanism": entry.mechanism,
            "kind": entry.kind,
            "fault": entry.fault,
            "guarantee": entry.guarantee,
            "check": entry.check,
            "case": entry.case.describe(),
            "due": law_json(entry.due),
            "given": law_json(entry.law),
            "exact": entry.exact,
            "total_variation": {
                "exact": fraction_text(entry.total_variation) if entry.exact else None,
                "float": float(entry.total_variation),
            },
            "reports": list(entry.reports),
            "shares_law_with": list(entry.shares_law_with),
            "relaxed": entry.relaxed,
            "note": entry.note,
            "verdict_due": entry.verdict,
            "verdict": self.verdict,
            "undeclared": self.undeclared,
            "levels": {name: self.level(name) for name in LEVELS},
            "candidates": list(self.candidates),
            "law_error": self.law_error,
            "problems": self.problems(),
        }


def law_json(law: Any) -> list[dict[str, Any]]:
    """A law as a list of outcomes with their probabilities, "n/d"."""
    return [
        {
            "ids": [list(part) for part in ids] if _is_batch(ids) else list(ids),
            "probability": fraction_text(number),
        }
        for ids, number in law.items()
    ]


def _is_batch(ids: Any) -> bool:
    return bool(ids) and isinstance(ids[0], tuple)


def _refuted(report: Report) -> set[str]:
    lossy = [r for r in (*report.results, *report.edges) if r.verdict in (LOSSY, RELAXED)]
    return {r.guarantee for r in lossy} | {name for r in lossy for name in r.refutes}


def kill(entry: FaultEntry, **options: Any) -> Killed:
    """Audit one entry's subject; ``options`` are those of `audit_callable`."""
    from ..kinds import audit_callable

    options = {"shrink": False, "horizon": HORIZON} | options
    if _missing(entry):
        return Killed(entry, None)
    call = entry.subject()
    law: dict[Any, float] = {}
    error = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rows of NaN and infinity, which are tried on purpose
        try:
            law = given_law(entry, call)
        except GivenLawError as problem:
            error = f"its law was not found: {problem}"
        report = audit_callable(call, entry.kind, name=f"bank:{entry.id}", **options)
        own = _own_pair(entry)
        if own is not None and entry.guarantee not in _refuted(report):
            # On the entry's own pair the guarantee is refuted, if not on any of the usual ones.
            again = audit_callable(
                call,
                entry.kind,
                name=f"bank:{entry.id}",
                pairs=[own],
                **(options | _own_settings(entry)),
            )
            report = replace(report, results=report.results + again.results)
    undeclared = None
    if entry.is_relaxed:
        undeclared = report.verdict
        report = report.relaxed(entry.relaxed or "")
    return Killed(entry, report, law, undeclared, error)


def _own_pair(entry: FaultEntry) -> GalleryPair | None:
    """The entry's case as a pair, where the case is no more than one."""
    case = entry.case
    if entry.is_false_alarm or entry.check == "edges" or case.coin or case.options or case.lengths:
        return None
    spelled = greedy(list("abcdefghij"[: case.target.size]))
    pair = Pair(case.target, case.drafter, spelled, spelled)
    return GalleryPair(f"bank:{entry.id}", entry.title, pair, case.prompt)


def _own_settings(entry: FaultEntry) -> dict[str, Any]:
    return {"lookahead": entry.case.lookahead, "horizon": max(entry.case.length, HORIZON)}


def matrix(
    entries: Iterable[FaultEntry], progress: Progress | None = None, **options: Any
) -> Iterator[Killed]:
    """`kill` each of ``entries``."""
    listed = list(entries)
    for number, entry in enumerate(listed, start=1):
        yield kill(entry, **options)
        if progress:
            progress(number, len(listed), entry.id)


def _missing(entry: FaultEntry) -> str | None:
    """The library that the subject needs and that is not installed."""
    import importlib.util

    library = "torch" if entry.needs_torch else "numpy"
    return library if importlib.util.find_spec(library) is None else None
