"""Naming the fault: which mistake gives what was seen, or else which part is wrong, and where.

For rules, and for decoders whose drafts can be seen, the parts of a round are looked up one by one
(`wrong_parts`); for other decoders the laws of runs are compared with those of known mistakes
(`wrong_runs`). Failing that, which checks failed and which passed says where the fault can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..report import LOSSY, Result
from .due import longest
from .evidence import Evidence
from .settings import PLAIN
from .wrong_drafts import differ, misdrafted
from .wrong_parts import Named, explained
from .wrong_reasons import unexplained
from .wrong_runs import differs_where_rows_are_alike, explaining, is_wrong
from .wrong_seen import Seen, rounds

#: Checks of what a batch is asked for.
OF_REQUESTS = ("temperature", "greedy", "mixed", "eos")
#: With fewer laws than this, a mistake that explains them all may not be the one that was made.
ENOUGH = 4
_GENERAL = frozenset({"next-token", "one-round", "run"})
_STALE = "what the models are called with after a round: other ids than are returned"
#: Kinds whose drafts the audit draws.
_GIVEN_DRAFTS = ("rule", "kernel", "batch_rule")
_UNKNOWN_FIRST = ("acceptance-rule", "residual", "target-law")
_UNKNOWN = ("coupled-randomness", "block-or-tree", "position-shift")
#: Classes by the check that alone fails.
BY_CHECK = {
    **dict.fromkeys(
        ("temperature", "top-k", "top-p", "min-p", "combined"), ("target-law", "proposal-law")
    ),
    **dict.fromkeys(("processor", "mask"), ("target-law", "position-shift")),
    "greedy": ("target-law", "acceptance-rule", "numerical-edge"),
    "near-greedy": ("numerical-edge", "target-law"),
    "eos": ("stopping", "position-shift"),
    "stop-positions": ("stopping", "position-shift"),
    "p-equals-q": ("numerical-edge", "residual"),
    "zeros": ("numerical-edge", "residual"),
    "disjoint": ("numerical-edge", "residual"),
    "dtype": ("numerical-edge",),
    "id-order": ("vocabulary-map", "position-shift"),
    "padding": ("vocabulary-map", "numerical-edge"),
    "no-drafts": ("position-shift", "target-law"),
    "second-request": ("state-not-rolled-back", "coupled-randomness"),
    "bonus": ("position-shift", "target-law"),
    "mixed": ("target-law", "position-shift"),
}
LOOK = {
    "target-law": "the law that drafts are verified with, and whether plain decoding draws from it",
    "stopping": "what follows an end of sequence, and how many ids a run returns",
    "numerical-edge": "divisions by zero, empty residuals and comparisons at exact zeros and ones",
    "vocabulary-map": "how ids of one side become ids of the other, and ids that have no text",
    "position-shift": "which row and which request each draw takes",
    "state-not-rolled-back": "what a round or a request leaves behind for the next",
    "coupled-randomness": "which draws share a coin, a noise vector, a seed or a stream",
    "acceptance-rule": "the comparison that accepts a draft",
    "residual": "the draw after a rejection",
    "proposal-law": "whether the q that scores a draft is the q that drew it",
    "block-or-tree": "how the ratios of several positions are combined",
}


def classified(results: Sequence[Result], evidence: Sequence[Evidence], kind: str) -> list[Result]:
    """``results`` with a fault, candidates and a place to look where they are LOSSY."""
    lossy = [r for r in results if r.verdict == LOSSY]
    if not any(r.fault is None for r in lossy):
        return list(results)
    naming = _Naming(lossy, evidence, kind)
    return [naming.named(r) if r.verdict == LOSSY and r.fault is None else r for r in results]


class _Naming:
    """What all results of a subject say together."""

    def __init__(self, lossy: Sequence[Result], evidence: Sequence[Evidence], kind: str) -> None:
        plain = [e for e in evidence if e.case.settings == PLAIN and e.case.dtype == "float64"]
        self.kind = "generate" if kind == "transformers" else kind  # whole decoders, both
        self.failed = {r.check for r in lossy}
        self.general = bool(_GENERAL & self.failed)
        self.of_several = any(map(_is_of_several, lossy))
        self.runs = [e for e in plain if e.requests == 1 and e.drafts is None]
        self.named_single = self._of(plain, 1) if self.general else None
        self.named_batch = self._of(plain, 2) if kind == "batch_rule" else None

    def _of(self, plain: Sequence[Evidence], requests: int) -> Named | None:
        """What explains the rounds, or the runs, of all requests that are alone, or are not."""
        mine = [e for e in plain if (e.requests > 1) == (requests > 1)]
        if requests > 1:  # some requests of a batch may be right
            mine = [e for e in mine if is_wrong(e)]
        with_parts = [e for e in mine if e.parts]
        seen = rounds(with_parts)
        if any(e.is_stale for e in mine):
            return Named(
                "", _STALE, ("state-not-rolled-back", "position-shift", "coupled-randomness")
            )
        drawing = self.kind not in _GIVEN_DRAFTS
        if drawing and (wrong := misdrafted(with_parts)) is not None:
            return wrong
        if seen:
            found = explained(seen, drawing)
            if drawing and (not found or found[0].mistakes) and differ(with_parts):
                other = rounds(with_parts, observed=True) or []
                better = explained(other, drawing)
                if better and (not found or better[0].mistakes < found[0].mistakes):
                    found, seen = better, other
            if found and found[0].mistakes:
                return _joined(found, few=len(with_parts) < ENOUGH, seen=seen)
            if not found and (wrong := unexplained(seen)) is not None:
                return wrong
        if requests == 1 and (drawing or not seen):
            mistakes = explaining(self.runs, not drawing)
            if mistakes:
                faults = tuple(m.faults[0] for m in mistakes)
                faults += tuple(fault for m in mistakes for fault in m.faults[1:])
                if len(self.runs) < ENOUGH:  # other mistakes give this law on so few cases too
                    late = "next-token" not in self.failed
                    other = _of_runs(self.runs, self.failed)[:1]
                    faults = (*other, *faults) if late else (*faults, *other)
                first = mistakes[0]
                return Named(first.what, first.where, tuple(dict.fromkeys(faults)))
        return None

    def named(self, result: Result) -> Result:
        """``result`` with its fault."""
        faults, look = self._fault(result)
        noted = result.fault_candidates  # half precision was seen
        kept = tuple(fault for fault in faults if fault not in noted)[: 3 - len(noted)]
        faults = (*kept, *noted) if noted else tuple(faults[:3])
        reason = "; ".join(filter(None, (result.reason, look)))
        return replace(result, fault=faults[0], fault_candidates=faults, reason=reason)

    def _fault(self, result: Result) -> tuple[tuple[str, ...], str]:
        if _outlandish(result):
            return ("vocabulary-map", "numerical-edge"), _of_outlandish(result)
        named = self.named_single
        # Where requests are mixed up in one call they are in two as well.
        mixed = _is_of_several(result) or (result.check == "second-request" and self.of_several)
        if mixed and not self.general:
            named = self.named_batch if result.refutes != ("batch",) else None
            faults = _of_batch(result)
            if named is not None and named.what:
                return _with(named.faults, faults[:1]), named.reason
            if named is not None:  # what it takes of other requests explains more than its parts
                faults = tuple(dict.fromkeys((faults[0], *named.faults)))
            return faults, f"look at {LOOK[faults[0]]}"
        if self.general and result.check != "eos":
            if named is not None:
                return named.faults, named.reason
            faults = _of_runs(self.runs, self.failed)
            if self.kind in _GIVEN_DRAFTS:
                unknown = _UNKNOWN_FIRST if "next-token" in self.failed else _UNKNOWN
                faults = BY_CHECK.get(result.check, unknown)
            return faults, f"look at {LOOK[faults[0]]}"
        faults = BY_CHECK.get(result.check, _UNKNOWN)
        only = ", ".join(sorted(self.failed)[:4])
        return faults, f"only some checks fail ({only}); look at {LOOK[faults[0]]}"


def _joined(found: Sequence[Named], few: bool, seen: Sequence[Seen]) -> Named:
    """Explanations that are as good as each other, as one; the first gives the words."""
    heads = [each.faults[0] for each in found]
    rest = [fault for each in found for fault in each.faults[1:]]
    if few and (other := unexplained(seen)) is not None:
        heads += other.faults[:1]
    return replace(found[0], faults=tuple(dict.fromkeys((*heads, *rest))))


def _with(faults: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*faults[:2], *more)))


def _is_of_several(result: Result) -> bool:
    """Whether it is a check of what requests of one batch have to do with each other."""
    return result.guarantee == "batch" and result.check not in OF_REQUESTS


def _of_batch(result: Result) -> tuple[str, ...]:
    """Classes for a batch whose requests are right when each is alone."""
    if result.refutes == ("batch",):
        return ("coupled-randomness", "state-not-rolled-back", "position-shift")
    return ("position-shift", "state-not-rolled-back", "coupled-randomness")


def _outlandish(result: Result) -> bool:
    witness = result.witness
    return witness is not None and any(
        not 0 <= token < witness.vocabulary for token in witness.continuation
    )


def _of_outlandish(result: Result) -> str:
    assert result.witness is not None
    if -1 in result.witness.continuation:
        return "an id that no vocabulary has; -1 looks like padding: return only the new ids"
    return "an id that no vocabulary has"


def _of_runs(evidence: Sequence[Evidence], failed: set[str]) -> tuple[str, ...]:
    """Classes of a decoder from which guarantees are refuted."""
    if evidence and any(longest(e.law) < e.length or _stops_short(e) for e in evidence):
        return ("stopping", "position-shift")
    if "next-token" in failed:
        return ("proposal-law", "residual", "acceptance-rule")
    if differs_where_rows_are_alike(evidence):
        return ("coupled-randomness", "block-or-tree", "acceptance-rule")
    return ("state-not-rolled-back", "position-shift", "coupled-randomness")


def _stops_short(evidence: Evidence) -> bool:
    return any(len(ids) < evidence.length for ids in evidence.law)
