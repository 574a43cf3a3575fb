"""`batch_rule` subjects: the joint law of several requests' blocks must be the product.

Requests of different lengths share a batch, those without drafts among them; a request's drafts end
with -1. Reordering the requests must reorder the blocks, which the product says in every order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import LOSSY, Result
from .batch_inputs import batch_arguments, draft_weights
from .calling import BadReturn, keywords, returned_ids
from .cases import SHALLOW, Case
from .due import DueLaws, Law, prefixes
from .evidence import Evidence
from .judging import Given, judged, refused
from .pairs import named_pair
from .rule import drafted, joined, product
from .settings import PLAIN, Ids, Settings, not_applicable
from .trial import Trial


@dataclass(frozen=True)
class Batch:
    """Several requests in one call.

    Attributes:
        name: what the report has for a pair, the pairs' names.
        lengths: how many drafts each request has.
        temperatures: one for each request, where they differ.
    """

    pairs: tuple[GalleryPair, ...]
    lengths: tuple[int, ...]
    check: str = "batch"
    settings: Settings = PLAIN
    temperatures: tuple[float, ...] | None = None
    dtype: str = "float64"
    may_refuse: str | None = None

    def as_case(self) -> Case:
        """The batch as a report calls it."""
        names = "+".join(dict.fromkeys(pair.name for pair in self.pairs))
        shown = replace_name(self.pairs[0], names)
        return Case(shown, max(self.lengths), self.check, "batch", self.settings, self.dtype)


def replace_name(pair: GalleryPair, name: str) -> GalleryPair:
    """The pair under another name."""
    return GalleryPair(name, pair.shows, pair.pair, pair.prompt)


def cases(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int]
) -> Iterator[Batch]:
    """One request, two and three; ragged, without drafts, reordered, mixed, in float32."""
    if pairs is not None:
        for pair in pairs:
            for ahead in lookaheads:
                yield Batch((pair,), (ahead,), "one-round")
                yield Batch((pair, pair), (ahead, ahead))
        return
    base, zeros, contexts = (named_pair(n) for n in ("base", "zeros", "context-dependent"))
    residual, fair = named_pair("two-id-residual"), named_pair("fair-coins")
    for ahead in lookaheads[:2]:
        names = MORE if ahead > min(lookaheads) else MORE + SHALLOW
        for pair in (base, zeros, contexts, residual, *(named_pair(n) for n in names)):
            yield Batch((pair,), (ahead,), "one-round")
    for two in ((fair, fair), (contexts, zeros), (zeros, contexts), (base, residual)):
        yield Batch(two, (1, 1))
    yield Batch((fair, fair), (2, 2))
    for lengths in ((2, 1), (1, 2)):
        yield Batch((contexts, zeros), lengths, "ragged")
    for lengths in ((1, 0), (0, 1)):
        yield Batch((contexts, zeros), lengths, "ragged")
    yield Batch((base, contexts), (1, 1), "dtype", dtype="float32", may_refuse="float32 rows")
    greedy, even = named_pair("greedy"), named_pair("no-repeat")
    yield Batch((even, even), (1, 1), "temperature", Settings(temperature=0.5))
    yield Batch(
        (greedy, greedy),
        (1, 1),
        "greedy",
        Settings(temperature=0.0),
        None,
        may_refuse="temperature 0",
    )
    for temperatures in ((0.0, 1.0), (1.0, 0.0)):
        yield Batch(
            (greedy, greedy),
            (1, 1),
            "mixed",
            Settings(temperature=1.0),
            temperatures,
            may_refuse="a temperature for each request",
        )
    end = named_pair("ends")
    yield Batch((end, end), (1, 1), "eos", Settings(eos=end.pair.end_of_sequence))
    yield Batch((residual, zeros, contexts), (1, 0, 1), "ragged")
    yield Batch((contexts, residual, zeros), (1, 1, 0), "permutation")
    yield Batch((fair, fair, fair, fair, base), (0, 0, 0, 1, 1), "ragged")


MORE = ("equal", "disjoint", "one-hot", "shifted-rows", "cumulative")


def results(trial: Trial, batch: Batch) -> list[Result]:
    """The joint law of one batch, and the marginal of the first request for a batch of one."""
    case = batch.as_case()
    blank = trial.blank(case)
    if lacking := trial.lacks(case):
        return [not_applicable(blank, lacking)]
    if not all(pair.pair.same_vocabulary for pair in batch.pairs):
        return [
            replace(blank, reason="a batch_rule gets rows over one vocabulary; this pair has two")
        ]
    started = time.perf_counter()
    dues = dues_of(batch)
    weights = draft_weights(batch.lengths, dues)
    calls = {drafts: batch_call(trial, batch, dues, drafts) for drafts in weights}

    def run() -> tuple[Any, Any]:
        drafts = trial.pick(weights)
        return drafts, returned_blocks(calls[drafts](), len(dues))

    given = drafted(trial.enumerate(run), weights, batch.dtype)
    if batch.may_refuse and (no := refused(blank, given, batch.may_refuse)):
        return [no]
    return judged_batch(trial, batch, dues, given, started)


def judged_batch(
    trial: Trial, batch: Batch, dues: Sequence[DueLaws], given: Given, started: float
) -> list[Result]:
    """The results of a batch whose joint law, drafts included, is ``given``."""
    case = batch.as_case()
    blank = trial.blank(case)
    size = max(due.size for due in dues)
    length = max((len(b) for blocks in given.law for b in blocks), default=1)
    length = max(length, max(batch.lengths) + 1)
    law = joined(dues, given.law, length)
    expected = product(due.strings((), length) for due in dues)
    common: tuple[Any, ...] = (dues[0].prompt, size, trial.tolerance, started)
    result = judged(blank, expected, replace(given, law=law), *common)
    if len(dues) > 1:
        if result.verdict == LOSSY:
            result = _with_marginals(result, dues, given, length, trial)
        if not given.errors and given.reason is None and batch.temperatures is None:
            trial.evidence += _of_each(batch, dues, given, length)
        return [result]
    if not given.errors and given.reason is None:
        parts = {
            drafts[0]: {b[0]: m for b, m in law_.items()} for drafts, law_ in given.parts.items()
        }
        trial.evidence.append(Evidence(replace(case, pair=batch.pairs[0]), length, law, parts))
    result = replace(result, guarantee="block", refutes=_of_block(result.refutes))
    first = replace(given, law=prefixes(law, 1))
    blank = replace(blank, check="next-token", guarantee="next-token")
    return [judged(blank, prefixes(expected, 1), first, *common), result]


def _with_marginals(
    result: Result, dues: Sequence[DueLaws], given: Given, length: int, trial: Trial
) -> Result:
    """``result`` saying whether single requests are wrong too, or only what they share."""
    from .judging import compare

    wrong: list[str] = []
    for place, due in enumerate(dues):
        marginal: dict[Any, float] = {}
        for blocks, mass in given.law.items():
            marginal[blocks[place]] = marginal.get(blocks[place], 0.0) + mass
        law = due.completed(marginal, length)
        found = compare(
            due.strings((), length), replace(given, law=law), due.prompt, due.size, trial.tolerance
        )
        if found:
            wrong += ["next-token"] if found.first_token else []
            wrong.append("block")
    order = ("next-token", "block")
    refutes = (*(name for name in order if name in wrong), "batch")
    reason = (
        None if wrong else "every request's own law is exact; together they are not independent"
    )
    return replace(result, refutes=refutes, reason=reason)


def _of_each(
    batch: Batch, dues: Sequence[DueLaws], given: Given, length: int
) -> Iterator[Evidence]:
    """The law of each request alone, for naming the fault of a batch."""
    case = batch.as_case()
    for place, due in enumerate(dues):
        if not batch.lengths[place]:
            continue
        parts: dict[Ids, Law] = {}
        weights: dict[Ids, float] = {}
        law: Law = {}
        for drafts, blocks in given.parts.items():
            mine = parts.setdefault(drafts[place], {})
            weight = given.weights[drafts]
            weights[drafts[place]] = weights.get(drafts[place], 0.0) + weight
            for ids, mass in blocks.items():
                mine[ids[place]] = mine.get(ids[place], 0.0) + weight * mass
                law[ids[place]] = law.get(ids[place], 0.0) + weight * mass
        for ids, mine in parts.items():
            parts[ids] = {block: mass / weights[ids] for block, mass in mine.items()}
        one = replace(case, pair=batch.pairs[place], lookahead=batch.lengths[place])
        yield Evidence(one, length, due.completed(law, length), parts, requests=len(dues))


def _of_block(refutes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("block" if name == "batch" else name for name in refutes)


def dues_of(batch: Batch) -> list[DueLaws]:
    """The laws due to each request."""
    if batch.temperatures is None:
        return [DueLaws(pair, batch.settings) for pair in batch.pairs]
    return [
        DueLaws(pair, replace(batch.settings, temperature=temperature))
        for pair, temperature in zip(batch.pairs, batch.temperatures, strict=True)
    ]


def batch_call(
    trial: Trial, batch: Batch, dues: Sequence[DueLaws], drafts: Sequence[Ids], seed: int = 0
) -> Callable[[], Any]:
    """A call with these drafts, as `batch_arguments` has them."""
    arrays = trial.arrays(batch.dtype)
    parts = batch_arguments(arrays, dues, drafts)
    count = len(drafts)
    temperatures = batch.temperatures

    def run() -> Any:
        named = keywords(trial.subject, batch.settings, seed)
        if temperatures is not None:
            named["temperature"] = arrays.rows(list(temperatures), (count,))
        return trial.subject.call(*(arrays.copy(part) for part in parts), **named)

    return run


def single_call(trial: Trial, case: Case, due: DueLaws, drafts: Ids) -> Callable[[], Any]:
    """A batch of one, as `rule` has it: for edges."""
    call = batch_call(trial, Batch((case.pair,), (len(drafts),)), [due], [drafts])
    return lambda: returned_blocks(call(), 1)[0]


def returned_blocks(value: Any, count: int) -> tuple[Ids, ...]:
    """The blocks that a subject returned for ``count`` requests.

    Raises:
        BadReturn: for anything but so many lists of ids.
    """
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 2:
        value = list(value)
    if not isinstance(value, list | tuple) or len(value) != count:
        raise BadReturn(
            f"it returned {type(value).__name__}, a list of {count} lists of ids is due"
        )
    return tuple(returned_ids(block) for block in value)
