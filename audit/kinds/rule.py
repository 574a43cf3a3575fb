"""`rule` subjects: the exact law of one block, drafts included.

The audit draws the drafts from the drafter's rows, which it does exactly: every sequence of drafts
is tried, with its probability. For each the subject's own randomness is enumerated. The block is
completed by the target's own draws to the longest block, and compared with the target's law.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import NOT_APPLICABLE, Result, Value, worst
from .calling import keywords, returned_ids
from .cases import Case, as_next_token
from .due import DueLaws, longest, prefixes
from .evidence import Evidence
from .judging import Given, judged, likeliest_convention, refused
from .pairs import named_pair
from .settings import PLAIN, Ids, not_applicable
from .trial import Trial

#: Gives the law of the block, drafts included.
BlockLaw = Callable[[Trial, Case, DueLaws], Given]


def block_call(
    trial: Trial, case: Case, due: DueLaws, drafts: Ids, seed: int = 0
) -> Callable[[], Any]:
    """A call of a `rule` with these drafts, on fresh arrays every time."""
    arrays = trial.arrays(case.dtype)
    target, drafter, ids = rule_arguments(arrays, due, drafts)
    call, copy = trial.subject.call, arrays.copy

    def run() -> Any:
        named = keywords(trial.subject, case.settings, seed)
        return call(copy(target), copy(drafter), copy(ids), **named)

    return run


def rule_arguments(arrays: Any, due: DueLaws, drafts: Ids) -> tuple[Any, Any, Any]:
    """Rows of both sides along ``drafts``, and the drafts, as arrays."""
    k = len(drafts)
    contexts = [due.prompt + drafts[:j] for j in range(k + 1)]
    return (
        arrays.rows([due.target.after(c) for c in contexts], (k + 1, due.size)),
        arrays.rows([due.drafter.after(c) for c in contexts[:k]], (k, due.size)),
        arrays.ids(drafts, (k,)),
    )


def rule_law(trial: Trial, case: Case, due: DueLaws) -> Given:
    """The law of a `rule`'s block, over the drafts and the subject's randomness."""
    weights = due.drafts(case.lookahead)
    calls = {drafts: block_call(trial, case, due, drafts) for drafts in weights}

    def run() -> tuple[Ids, Ids]:
        drafts = trial.pick(weights)
        return drafts, returned_ids(calls[drafts]())

    return drafted(trial.enumerate(run), weights, case.dtype)


def drafted(found: Any, weights: dict[Any, float], dtype: str) -> Given:
    """An enumeration's law of (drafts, block) as the law of the block, with its parts."""
    given = Given(dtype=dtype, weights=weights, parts={drafts: {} for drafts in weights})
    given.add(found)
    law: dict[Any, float] = {}
    for (drafts, block), mass in given.law.items():
        law[block] = law.get(block, 0.0) + mass
        given.parts[drafts][block] = mass / weights[drafts]
    given.law = law
    return given


def block_results(trial: Trial, cases: Sequence[Case], block_law: BlockLaw) -> list[Result]:
    """The results of cases that are one check: the block's law, and its first token's."""
    blocks: list[Result] = []
    firsts: list[Result] = []
    for case in cases:
        blank = trial.blank(case)
        if lacking := trial.lacks(case):
            blocks.append(not_applicable(blank, lacking))
            continue
        if not case.pair.pair.same_vocabulary:
            reason = f"a {trial.subject.kind} gets rows over one vocabulary; this pair has two"
            blocks.append(replace(blank, reason=reason))
            continue
        started = time.perf_counter()
        due = DueLaws(case.pair, case.settings)
        given = block_law(trial, case, due)
        if case.may_refuse and (no := refused(blank, given, case.may_refuse)):
            blocks.append(no)
            continue
        block, first = _judged_both(trial, case, given, started)
        blocks.append(block)
        if case.settings == PLAIN and case.lookahead and case.dtype == "float64":
            firsts.append(first)
    return [*([merged(firsts)] if firsts else []), merged(blocks)]


def _judged_both(trial: Trial, case: Case, given: Given, started: float) -> tuple[Result, Result]:
    """The results of the block and of its first token, by the convention that fits best."""
    both = [_judged_as(trial, one, given, started) for one in case.conventions]
    chosen = likeliest_convention([block for block, _, _ in both])
    block, first, evidence = both[chosen]
    if evidence is not None:
        trial.evidence.append(evidence)
    return block, first


def _judged_as(
    trial: Trial, case: Case, given: Given, started: float
) -> tuple[Result, Result, Evidence | None]:
    raw, due = given.law, DueLaws(case.pair, case.settings)
    length = max(longest(raw), case.lookahead + 1)
    completed = due.completed(raw, length)
    expected = due.strings((), length)
    if case.ties:
        completed, expected = due.canonical(completed), due.canonical(expected)
    common: tuple[Any, ...] = (due.prompt, due.size, trial.tolerance, started)
    block = judged(trial.blank(case), expected, replace(given, law=completed), *common)
    first_case = as_next_token(case)
    first = judged(
        trial.blank(first_case),
        prefixes(expected, 1),
        replace(given, law=prefixes(completed, 1)),
        *common,
    )
    evidence = None
    if not given.errors and given.reason is None and case.lookahead:
        evidence = Evidence(case, length, completed, given.parts)
        block = replace(
            block,
            acceptance=Value.of(accepted(given, case.settings.eos)),
            tokens_per_pass=Value.of(math.fsum(len(b) * mass for b, mass in raw.items())),
        )
    return block, first, evidence


def accepted(given: Given, eos: int | None) -> float | None:
    """How often the first draft is accepted: a block then holds it and goes on.

    None where an accepted end of sequence cannot be told from one drawn after a rejection.
    """
    total = 0.0
    for drafts, weight in given.weights.items():
        if drafts[0] == eos:
            return None
        total += weight * math.fsum(
            mass for block, mass in given.parts[drafts].items() if len(block) > 1
        )
    return min(1.0, total)


def merged(results: Sequence[Result]) -> Result:
    """Several results of one check as one: the worst verdict, the largest distance, sums."""
    decided = [r for r in results if r.verdict != NOT_APPLICABLE] or list(results[:1])
    verdict = worst(r.verdict for r in decided)
    chosen = max(
        (r for r in decided if r.verdict == verdict),
        key=lambda r: r.total_variation.float if r.total_variation else 0.0,
    )
    if len(results) == 1:
        return chosen
    return replace(
        chosen,
        paths=sum(r.paths or 0 for r in results),
        contexts=sum(r.contexts or 0 for r in decided) or None,
        seconds=sum(r.seconds or 0.0 for r in results),
    )


#: Two requests in a row: one that leaves its mark on the next, and one whose coins all matter.
SECOND_REQUESTS = (("zeros", "context-dependent"), ("fair-coins", "fair-coins"))


def second_requests(
    pairs: Sequence[GalleryPair] | None,
) -> Iterator[tuple[GalleryPair, GalleryPair]]:
    """The pairs of two requests: each of ``pairs`` twice, the usual ones for None."""
    if pairs is not None:
        yield from ((pair, pair) for pair in pairs)
        return
    for first, second in SECOND_REQUESTS:
        yield named_pair(first), named_pair(second)


def second_request_result(trial: Trial, pairs: Sequence[GalleryPair]) -> Result:
    """A block for each of two requests, one after the other: their joint law is the product."""
    cases = [Case(pair, 1, "second-request", "run") for pair in pairs]
    if not all(pair.pair.same_vocabulary for pair in pairs):
        reason = f"a {trial.subject.kind} gets rows over one vocabulary; this pair has two"
        return replace(trial.blank(cases[1]), reason=reason)
    dues = [DueLaws(case.pair, case.settings) for case in cases]
    started = time.perf_counter()
    weights = [due.drafts(1) for due in dues]
    calls = [
        {drafts: block_call(trial, case, due, drafts, seed) for drafts in law}
        for seed, (case, due, law) in enumerate(zip(cases, dues, weights, strict=True))
    ]

    def both() -> tuple[Ids, ...]:
        picked = [trial.pick(law) for law in weights]
        return tuple(returned_ids(c[x]()) for c, x in zip(calls, picked, strict=True))

    given = Given()
    given.add(trial.enumerate(both))
    law = joined(dues, given.law, 2)
    expected = product(due.strings((), 2) for due in dues)
    return judged(
        trial.blank(cases[1]),
        expected,
        replace(given, law=law),
        dues[1].prompt,
        dues[1].size,
        trial.tolerance,
        started,
    )


def joined(dues: Sequence[DueLaws], law: dict[Any, float], length: int) -> dict[Ids, float]:
    """The law of several requests' blocks, each completed to ``length`` ids, as one string."""
    strings: dict[Ids, float] = {}
    for blocks, mass in law.items():
        parts = (
            due.completed({block: 1.0}, length) for due, block in zip(dues, blocks, strict=True)
        )
        for ids, number in product(parts).items():
            strings[ids] = strings.get(ids, 0.0) + mass * number
    return strings


def product(laws: Iterable[dict[Ids, float]]) -> dict[Ids, float]:
    """The law of independent strings, one after the other."""
    whole: dict[Ids, float] = {(): 1.0}
    for law in laws:
        whole = {a + b: x * y for a, x in whole.items() for b, y in law.items()}
    return whole
