"""Audits on random pairs: drawn by hypothesis from the exported strategies, shrunk on failure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import HypothesisException

from ..reference.pair import Pair
from ..toymodels.gallery import GalleryPair
from ..toymodels.strategies import pairs as pair_strategy
from .exact_audit import audit_cell
from .report import LOSSY, Report, Result, subject_of
from .running import Progress, check_numbers
from .subjects import cell, subject_forms, subjects_named


class _LossyError(Exception):
    """Tells hypothesis that a pair shows a fault, so that it looks for a smaller one."""


def run_random(
    subject: str,
    *,
    count: int,
    seed: int,
    lookaheads: Sequence[int] = (1, 2),
    horizon: int = 3,
    budget: float | None = None,
    progress: Progress | None = None,
) -> tuple[Report, dict[str, Pair]]:
    """Audit ``subject`` on ``count`` random pairs, the same ones for the same ``seed``.

    At the first pair that shows a fault the search stops and the pair is shrunk: to few tokens,
    short contexts, small rationals. The report then holds the exact pairs before it and the
    smallest lossy one, described in its results' ``reason``.

    Returns:
        The report, and the pairs by the names that it uses.

    Raises:
        SubjectError: for a subject that does not exist.
        ValueError: for numbers below one, or a budget that is not above zero.
    """
    check_numbers(lookaheads, horizon, budget)
    subjects = subjects_named(subject)
    deadline = None if budget is None else time.monotonic() + budget
    passed: list[Result] = []
    failed: list[Result] = []
    named: dict[str, Pair] = {}

    def check(drawn: GalleryPair) -> None:
        shrinking = bool(failed)
        name = f"random:{seed}:{'smallest' if shrinking else len(named) + 1}"
        results: list[Result] = []
        for each in subjects:
            for form in subject_forms(each, lookaheads):
                found = audit_cell(cell(each, form, replace(drawn, name=name)), horizon, deadline)
                results += found
                if any(r.verdict == LOSSY for r in found):
                    failed[:] = [
                        replace(
                            r,
                            pair=f"random:{seed}:smallest",
                            reason=f"the pair is {drawn.describe()}",
                        )
                        for r in found
                    ]
                    named[f"random:{seed}:smallest"] = drawn.pair
                    raise _LossyError
        if not shrinking:
            passed.extend(results)
            named[name] = drawn.pair
            if progress:
                progress(len(named), count, "random pairs")

    search = seeded(seed)(
        settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
            report_multiple_bugs=False,
        )(given(pair_strategy())(check))
    )
    try:
        search()
    except _LossyError:
        pass
    except HypothesisException as problem:
        if not failed:  # else the budget ran out while a failure was being shrunk
            raise ValueError(f"no random pairs could be drawn: {problem}") from problem
    results = [*passed, *failed]
    return (
        Report(
            tuple(
                subject_of(each, "builtin", (r for r in results if r.subject == each))
                for each in subjects
            ),
            tuple(results),
        ),
        named,
    )
