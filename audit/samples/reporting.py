"""The report on a black box: a verdict on all, and what is known of each statistic."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from ..report import LOSSY, NOT_APPLICABLE, UNDECIDED, Report, Result, Subject, Value
from ..sampling import Sampling
from .auditing import Watch
from .cells import Cell
from .lines import Prompt, named
from .partitions import Statistic


def report(watch: Watch, subject: str, notes: Iterable[str] = ()) -> Report:
    """What ``watch`` has found; ``notes`` are said beside the reason of the verdict."""
    watch.look()
    results = [
        _result(watch, subject, statistic, prompt, cell)
        for (statistic, prompt), cell in watch.cells.items()
    ]
    if watch.is_lossy and not any(r.verdict == LOSSY for r in results):
        most = max(watch.most_of, key=lambda key: watch.most_of[key])
        place = list(watch.cells).index(most)
        results[place] = _as_lossy(results[place], "with all others together, most of it")
    verdict = LOSSY if watch.is_lossy else UNDECIDED if watch.statistics else NOT_APPLICABLE
    reason = "; ".join((_summary(watch), *notes))
    return Report((Subject(subject, "samples", verdict, (), reason),), tuple(results))


def _summary(watch: Watch) -> str:
    alpha = watch.settings.alpha
    level = _level(watch.most)
    if watch.is_lossy:
        return (
            f"the law is not the one that is due, at level {alpha:g}, after {watch.reached:,} "
            f"samples; the smallest level reached is {level:.2g}"
        )
    if not watch.statistics:
        return "no statistic could be looked at"
    return (
        f"{watch.seen:,} samples do not show a difference at level {alpha:g} (the smallest level "
        f"reached is {level:.2g}); samples never show that there is none"
    )


def _level(log_evidence: float) -> float:
    return min(1.0, math.exp(-log_evidence)) if log_evidence < 700 else 0.0


def _result(
    watch: Watch, subject: str, statistic: Statistic, prompt: Prompt, cell: Cell | str
) -> Result:
    blank = Result(
        subject, "samples", named(prompt), statistic.name, statistic.guarantee, NOT_APPLICABLE
    )
    if isinstance(cell, str):
        return replace(blank, reason=cell)
    settings = watch.settings
    goal = watch.log_share(statistic) - math.log(settings.alpha)
    seen = cell.would_see(goal, settings.power)
    most = watch.most_of[statistic, prompt]
    evident = cell.evident()
    draws = watch.foretold(statistic, prompt)
    sampling = Sampling(
        "none yet" if cell.partition is None else cell.partition.name,
        cell.draws,
        _level(most),
        cell.interval(settings.alpha / len(watch.most_of)),
        seen,
        settings.power,
        None if evident is None else evident.event,
        None if evident is None else evident.given,
        None if evident is None else evident.due,
        None if draws is None else (settings.ahead, draws),
    )
    result = replace(blank, verdict=UNDECIDED, tolerance=settings.slack, sampling=sampling)
    if most >= -math.log(settings.alpha):
        return _as_lossy(result, "alone")
    return replace(
        result,
        reason=f"in {statistic.name} a total variation above {seen:.3g} would have been seen with "
        f"probability {settings.power:g}",
    )


def _as_lossy(result: Result, how: str) -> Result:
    sampling = result.sampling
    assert sampling is not None
    low, high = sampling.interval
    return replace(
        result,
        verdict=LOSSY,
        refutes=(result.guarantee,),
        total_variation=Value(None, low) if low > 0 else None,
        reason=f"{how} at level {sampling.level:.2g}: {sampling.event} came {sampling.given}, "
        f"where {sampling.due} is due; the total variation lies between {low:.3g} and {high:.3g}",
    )
