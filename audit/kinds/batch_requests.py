"""Batches one after the other: what is kept between calls must not couple them.

Also not by the place of a request in the batch, which a server gives to another request later.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import Result
from .batch_rule import Batch, batch_call, returned_blocks
from .due import DueLaws
from .judging import Given, judged
from .pairs import named_pair
from .rule import joined, product
from .settings import Ids
from .trial import Trial

#: Pairs and numbers of drafts of two batches. Coins kept show where all coins matter; what a
#: rejection leaves at a request's place shows in the request that has that place next.
FOLLOWING = (
    ((("fair-coins", 1), ("fair-coins", 1)), (("fair-coins", 1), ("fair-coins", 1))),
    ((("zeros", 1), ("context-dependent", 0)), (("context-dependent", 1),)),
    ((("fair-coins", 0), ("zeros", 1)), (("fair-coins", 0), ("context-dependent", 1))),
)


def following(pairs: Sequence[GalleryPair] | None) -> Iterator[tuple[Batch, Batch]]:
    """Two batches at a time: the usual ones, or a smaller and a larger of each of ``pairs``."""
    if pairs is not None:
        for pair in pairs:
            one = Batch((pair,), (1,), "second-request")
            yield one, Batch((pair, pair), (1, 0), "second-request")
        return
    for two in FOLLOWING:
        first, second = (
            Batch(
                tuple(named_pair(name) for name, _ in requests),
                tuple(length for _, length in requests),
                "second-request",
            )
            for requests in two
        )
        yield first, second


def second_batch_result(trial: Trial, batches: Sequence[Batch]) -> Result:
    """Two calls, one after the other: the law of all blocks is the product of the laws due."""
    blank = replace(trial.blank(batches[-1].as_case()), guarantee="run")
    if not all(pair.pair.same_vocabulary for batch in batches for pair in batch.pairs):
        reason = "a batch_rule gets rows over one vocabulary; this pair has two"
        return replace(blank, reason=reason)
    started = time.perf_counter()
    dues = [[DueLaws(pair, batch.settings) for pair in batch.pairs] for batch in batches]
    weights: list[dict[tuple[Ids, ...], float]] = []
    calls: list[dict[tuple[Ids, ...], Any]] = []
    for number, (batch, its) in enumerate(zip(batches, dues, strict=True)):
        laws = (due.drafts(n).items() for due, n in zip(its, batch.lengths, strict=True))
        weights.append(
            {
                tuple(ids for ids, _ in drafts): math.prod(mass for _, mass in drafts)
                for drafts in itertools.product(*laws)
            }
        )
        calls.append(
            {drafts: batch_call(trial, batch, its, drafts, number) for drafts in weights[-1]}
        )

    def both() -> tuple[Ids, ...]:
        picked = [trial.pick(law) for law in weights]
        blocks: tuple[Ids, ...] = ()
        for call, drafts in zip(calls, picked, strict=True):
            blocks += returned_blocks(call[drafts](), len(drafts))
        return blocks

    given = Given()
    given.add(trial.enumerate(both))
    each = [due for its in dues for due in its]
    length = max((len(block) for blocks in given.law for block in blocks), default=2)
    law = joined(each, given.law, max(length, 2))
    expected = product(due.strings((), max(length, 2)) for due in each)
    return judged(
        blank,
        expected,
        replace(given, law=law),
        each[-1].prompt,
        max(due.size for due in each),
        trial.tolerance,
        started,
    )
