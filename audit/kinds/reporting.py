"""Edges of what is reported: log-probabilities, and seeds that repeat what they gave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..report import LOSSLESS, UNDECIDED, Result
from .calling import keywords, new_generator, returned_ids, returned_with_logprobs
from .cases import Case
from .due import DueLaws
from .edges import each_drafts, edge, failed, line
from .generate import Model
from .pairs import named_pair
from .rule import rule_arguments
from .settings import Ids, Settings
from .steps import Step
from .trial import Trial

#: How far a reported log-probability may be off.
REPORTED_WITHIN = 1e-4
#: So many that an ignored seed repeats itself by chance in less than one audit in a million.
SEEDS = range(64)


def reporting_steps(trial: Trial) -> Iterator[Step]:
    """Both checks, where the subject names what they need."""
    yield from _logprob_steps(trial)
    yield from _seed_steps(trial)


def _logprob_steps(trial: Trial) -> Iterator[Step]:
    case = Case(named_pair("context-dependent"), 1, "logprobs", "reporting")
    if "return_logprobs" in trial.subject.options:
        yield edge(trial, case, lambda: _reporting(trial, case))


def _reporting(trial: Trial, case: Case) -> Result:
    """Whether the log-probabilities reported are the target's own of the ids returned."""
    due = DueLaws(case.pair, case.settings)
    blank = trial.blank(case)
    arrays = trial.arrays()
    subject = trial.subject
    target, drafter = Model(due.target, arrays), Model(due.drafter, arrays)
    for drafts in each_drafts(trial, due):
        given = (
            (target, drafter, list(due.prompt), 1, 2)
            if subject.kind == "generate"
            else rule_arguments(arrays, due, drafts)
        )

        def path(given: Any = given) -> Any:
            fresh = [arrays.copy(a) if hasattr(a, "shape") else a for a in given]
            named = keywords(subject, case.settings) | {"return_logprobs": True}
            return returned_with_logprobs(subject.call(*fresh, **named))

        found = trial.enumerate(path)
        if found.reason is not None:
            return replace(blank, verdict=UNDECIDED, reason=found.reason)
        if found.errors:
            return failed(blank, f"raises when asked for them: {max(found.errors)}")
        for ids, numbers in found.law:
            if len(numbers) != len(ids):
                return failed(blank, f"reports {len(numbers)} numbers for {len(ids)} ids")
            for place, number in enumerate(numbers):
                if due.is_over(ids[: place + 1]):
                    break
                expected = math.log(due.row(ids[:place])[ids[place]] or 5e-324)
                if not abs(number - expected) <= REPORTED_WITHIN * max(1.0, abs(expected)):
                    wrong = failed(
                        blank,
                        f"reports {number:.6g} for id {ids[place]} after {list(ids[:place])}; the "
                        f"target's log-probability is {expected:.6g}",
                    )
                    return replace(wrong, fault="reporting", fault_candidates=("reporting",))
    return replace(blank, verdict=LOSSLESS)


def _seed_steps(trial: Trial) -> Iterator[Step]:
    case = Case(named_pair("context-dependent"), 1, "seeds", "run")
    if trial.subject.options & {"seed", "generator"}:
        yield edge(trial, case, lambda: _seeds(trial, case))


def _seeds(trial: Trial, case: Case) -> Result:
    """Real draws: the same seed twice gives the same ids, and not every seed gives the same."""
    due = DueLaws(case.pair, case.settings)
    blank = trial.blank(case)
    arrays = trial.arrays()
    subject = trial.subject
    models = Model(due.target, arrays), Model(due.drafter, arrays)
    drafts = max(due.drafts(1).items(), key=lambda item: item[1])[0]
    seen: set[tuple[Ids, ...]] = set()
    for seed in SEEDS:
        pair: list[tuple[Ids, ...]] = []
        for _ in range(2):
            trial.beat()
            trial.snapshot.restore()
            ids: list[Ids] = []
            named = keywords(subject, Settings(), seed)
            if "seed" in subject.options:
                named["seed"] = seed
            if "generator" in subject.options:
                named["generator"] = new_generator(subject.array, seed)
            given = (
                (*models, list(due.prompt), 1, 6)
                if subject.kind == "generate"
                else rule_arguments(arrays, due, drafts)
            )
            try:
                ids.append(returned_ids(subject.call(*given, **named)))
            except Exception as raised:
                return failed(blank, f"raises with seed {seed}: {line(raised)}")
            pair.append(tuple(ids))
        if pair[0] != pair[1]:
            wrong = failed(
                blank, f"seed {seed} gives {list(pair[0][0])} once and {list(pair[1][0])} again"
            )
            return replace(wrong, fault="coupled-randomness")
        seen.add(pair[0])
    if subject.kind == "generate" and len(seen) == 1:
        return failed(blank, f"{len(SEEDS)} seeds all give {list(next(iter(seen))[0])}")
    return replace(blank, verdict=LOSSLESS)
