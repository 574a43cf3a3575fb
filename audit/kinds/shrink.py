"""Making the counterexample small: fewer ids, fewer drafts, smaller numbers.

Small pairs are tried from the smallest up, until one shows the fault; what is found is then the
smallest of those tried. The report says so, and says that smaller ones were tried and pass.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from ...toymodels.gallery import GalleryPair
from ...toymodels.pairs import context_free
from ..report import LOSSY, Result
from .batch_rule import Batch, results
from .cases import Case
from .generate import run_results
from .kernel import kernel_law
from .pairs import shared, trigram
from .rule import block_results, rule_law
from .trial import BudgetSpentError, Trial

#: Seconds for the search, within the budget.
SECONDS = 4.0


def shrunk(trial: Trial, lossy: Sequence[Result]) -> Result | None:
    """The smallest counterexample found, None if no small pair shows the fault."""
    if not any(r.check in ("next-token", "one-round", "run", "batch") for r in lossy):
        return None
    wanted = next(
        g for g in ("next-token", "block", "run", "batch") if any(g in r.refutes for r in lossy)
    )
    smallest = min((r.lookahead or 1 for r in lossy if wanted in r.refutes), default=1)
    until = time.monotonic() + SECONDS
    tried = 0
    for pair, described, ahead in candidates(smallest, wanted):
        if time.monotonic() > until:
            return None
        try:
            found = _lossy(trial, Case(pair, ahead), wanted)
        except BudgetSpentError:
            return None
        if found is None:
            tried += 1
            continue
        reason = (
            f"{described}; locally minimal: {tried} pairs with fewer ids, fewer drafts or smaller "
            "denominators do not show it"
        )
        return replace(found, reason=reason)
    return None


def _lossy(trial: Trial, case: Case, wanted: str) -> Result | None:
    kind = trial.subject.kind
    kept = list(trial.evidence)
    try:
        if trial.subject.drafts_itself:
            case = replace(case, check="run", guarantee="run")
            found = run_results(trial, [case], 1 if wanted == "next-token" else 3)
        elif kind == "batch_rule" and wanted == "batch":
            ahead = case.lookahead
            found = results(trial, Batch((case.pair, case.pair), (ahead, ahead)))
        elif kind == "batch_rule":
            found = results(trial, Batch((case.pair,), (case.lookahead,), "one-round"))
        elif kind == "kernel":
            found = block_results(trial, [case], kernel_law)
        else:
            found = block_results(trial, [case], rule_law)
    finally:
        trial.evidence[:] = kept
    return next((r for r in found if r.verdict == LOSSY and wanted in r.refutes), None)


def candidates(lookahead: int, wanted: str) -> Iterator[tuple[GalleryPair, str, int]]:
    """Small pairs, the smallest first, with a description, and how many drafts."""
    for size, ahead in ((2, lookahead), (3, lookahead), (2, lookahead + 1)):
        if size == 2:
            yield from _dependent(ahead, wanted)
        pairs = list(itertools.product(LAWS[size], LAWS[size]))
        pairs.sort(key=lambda pq: max(x.denominator for law in pq for x in law))
        for p, q in pairs:
            if wanted == "next-token" or size == 2:
                yield _context_free(p, q, ahead)


def _law(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(n, sum(numbers)) for n in numbers)


LAWS = {
    2: [_law(1, 1), _law(1, 0), _law(0, 1), _law(1, 2), _law(2, 1), _law(1, 3)],
    3: [_law(1, 1, 1), _law(2, 1, 1), _law(1, 1, 2), _law(2, 2, 1), _law(1, 1, 3), _law(3, 1, 1)],
}


def _context_free(
    p: Sequence[Fraction], q: Sequence[Fraction], ahead: int
) -> tuple[GalleryPair, str, int]:
    spelled = [" ".join(map(str, law)) for law in (p, q)]
    pair = shared(context_free(spelled[0]), context_free(spelled[1]))
    described = f"p = ({', '.join(map(str, p))}) and q = ({', '.join(map(str, q))}) everywhere"
    return GalleryPair("smallest", "found by shrinking", pair, (0,)), described, ahead


def _dependent(ahead: int, wanted: str) -> Iterator[tuple[GalleryPair, str, int]]:
    """Two ids, a target that depends on what came before; nothing for the first token's law."""
    if wanted == "next-token":
        return
    after_last = {"00": "1 0", "10": "1 0", "01": "0 1", "11": "0 1"}
    after_both = {"00": "1 0", "10": "0 1", "01": "0 1", "11": "1 0"}
    for rows, what in ((after_last, "the id before"), (after_both, "the two ids before")):
        for q in ("1/2 1/2", "1 0", "0 1"):
            pair = shared(trigram(2, {"": "1/2 1/2", **rows}), context_free(q))
            described = (
                f"p = (1/2, 1/2), then certain, which id being decided by {what}, "
                f"q = ({q.replace(' ', ', ')}) everywhere"
            )
            yield GalleryPair("smallest", "found by shrinking", pair, (0,)), described, ahead
