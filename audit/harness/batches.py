"""The joint law of several requests in one call, from thresholds of the coins of all of them.

Each request has coins of its own: every declared coin gets an axis of B in front. A request whose
block depends on another's coins, or on its rows, shows in the joint law.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..kinds.batch_inputs import batch_arguments, draft_weights
from ..kinds.batch_rule import Batch, dues_of, judged_batch, returned_blocks
from ..kinds.due import DueLaws
from ..kinds.judging import Given
from ..kinds.kernel import Kernel, hints, threshold_law
from ..kinds.kernel_layout import Coins
from ..kinds.loading import CoinSpec
from ..kinds.pairs import named_pair
from ..kinds.settings import PLAIN, Ids
from ..kinds.steps import Step
from ..kinds.trial import Trial
from ..report import Result


class BatchKernel(Kernel):
    """A batch with its rows and drafts fixed: a function of the coins alone."""

    def __init__(
        self, trial: Trial, batch: Batch, dues: Sequence[DueLaws], drafts: Sequence[Ids]
    ) -> None:
        self._trial = trial
        self._settings = PLAIN
        self._arrays = trial.arrays(batch.dtype)
        self._coin_arrays = trial.arrays("float64")
        self._arguments = batch_arguments(self._arrays, dues, drafts)
        self._count = len(drafts)
        specs = [
            CoinSpec(spec.name, (self._count, *spec.shape), spec.domain)
            for spec in trial.subject.coins
        ]
        longest = max(map(len, drafts))
        self.coins = Coins(specs, longest, max(due.size for due in dues))
        self.calls = 0

    def _read(self, value: Any) -> Any:
        return returned_blocks(value, self._count)


def batch_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int]
) -> Iterator[Step]:
    """One request, two, ragged, and in the other order."""
    for batch in _batches(pairs, lookaheads):
        yield Step(trial.blank(batch.as_case()), lambda batch=batch: batch_results(trial, batch))


def _batches(pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int]) -> Iterator[Batch]:
    if pairs is not None:
        for pair in pairs:
            for ahead in lookaheads:
                yield Batch((pair,), (ahead,), "one-round")
            yield Batch((pair, pair), (1, 1))
        return
    base, zeros, fair = (named_pair(name) for name in ("base", "zeros", "fair-coins"))
    residual, contexts = named_pair("two-id-residual"), named_pair("context-dependent")
    for pair in (base, zeros, residual, contexts):
        for ahead in lookaheads:
            yield Batch((pair,), (ahead,), "one-round")
    yield Batch((fair, fair), (1, 1))
    yield Batch((residual, zeros), (1, 1))
    yield Batch((contexts, zeros), (1, 0), "ragged")
    yield Batch((contexts, zeros), (0, 1), "ragged")
    yield Batch((fair, fair), (2, 1), "ragged")
    yield Batch((zeros, residual), (1, 1), "permutation")


def batch_results(trial: Trial, batch: Batch) -> list[Result]:
    """The joint law of one batch, and of the first token for a batch of one."""
    blank = trial.blank(batch.as_case())
    if not all(pair.pair.same_vocabulary for pair in batch.pairs):
        reason = "a batch_rule gets rows over one vocabulary; this pair has two"
        return [replace(blank, reason=reason)]
    started = time.perf_counter()
    dues = dues_of(batch)
    given = Given(dtype=batch.dtype)
    for drafts, weight in draft_weights(batch.lengths, dues).items():
        kernel = BatchKernel(trial, batch, dues, drafts)
        near = sorted({t for due, ids in zip(dues, drafts, strict=True) for t in hints(due, ids)})
        given.add(threshold_law(trial, kernel, near, batch.dtype), weight, drafts)
    return judged_batch(trial, batch, dues, given, started)
