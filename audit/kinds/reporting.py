"""Edges of what is reported: log-probabilities, and seeds that repeat what they gave."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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
from .settings import Ids
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
    for drafts in each_drafts(trial, due):
        asked = _call(trial, case, due, drafts, 2)

        def path(asked: Any = asked) -> Any:
            return returned_with_logprobs(asked(0, {"return_logprobs": True}))

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
    subject = trial.subject
    drafts = max(due.drafts(1).items(), key=lambda item: item[1])[0]
    asked = _call(trial, case, due, drafts, 6)
    seen: set[tuple[Ids, ...]] = set()
    for seed in SEEDS:
        pair: list[tuple[Ids, ...]] = []
        for _ in range(2):
            trial.beat()
            trial.snapshot.restore()
            ids: list[Ids] = []
            named: dict[str, Any] = {}
            if "seed" in subject.options:
                named["seed"] = seed
            if "generator" in subject.options:
                named["generator"] = new_generator(subject.array, seed)
            try:
                ids.append(returned_ids(asked(seed, named)))
            except Exception as raised:
                return failed(blank, f"raises with seed {seed}: {line(raised)}")
            pair.append(tuple(ids))
        if pair[0] != pair[1]:
            wrong = failed(
                blank, f"seed {seed} gives {list(pair[0][0])} once and {list(pair[1][0])} again"
            )
            return replace(wrong, fault="coupled-randomness")
        seen.add(pair[0])
    if subject.drafts_itself and len(seen) == 1:
        return failed(blank, f"{len(SEEDS)} seeds all give {list(next(iter(seen))[0])}")
    return replace(blank, verdict=LOSSLESS)


def _call(
    trial: Trial, case: Case, due: DueLaws, drafts: Ids, horizon: int
) -> Callable[[int, dict[str, Any]], Any]:
    """A call of the subject, given a seed and keywords that are passed whatever it is asked."""
    subject, arrays = trial.subject, trial.arrays()
    if subject.kind == "transformers":
        from .transformers_calls import Requests

        requests = Requests(trial, [case], [due])
        return lambda seed, named: requests.call(0, horizon, seed, **named)
    given = (
        (Model(due.target, arrays), Model(due.drafter, arrays), list(due.prompt), 1, horizon)
        if subject.kind == "generate"
        else rule_arguments(arrays, due, drafts)
    )

    def call(seed: int, named: dict[str, Any]) -> Any:
        fresh = [arrays.copy(a) if hasattr(a, "shape") else a for a in given]
        return subject.call(*fresh, **(keywords(subject, case.settings, seed) | named))

    return call
