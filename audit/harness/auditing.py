"""The audit of a harness: the `kernel` kind's checks, asked over JSON lines."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ...toymodels.pairs import context_free
from ..kinds import edges, kernel
from ..kinds.auditing import LOOKAHEADS, Plan, Progress, audited, check_plan, report_of
from ..kinds.cases import dtype_cases, law_cases, request_cases
from ..kinds.loading import Subject
from ..kinds.pair_building import shared
from ..kinds.plan import asked, block_steps
from ..kinds.steps import Step
from ..kinds.trial import Trial
from ..report import Report, Result
from ..subjects import SubjectError
from .batches import batch_steps
from .capabilities import Capabilities
from .session import Session, numbers

#: Independent coins at which each law's thresholds are tested, besides the coupled ones.
RANDOM_TESTS = {"kernel": 256, "batch_rule": 64}


#: Rows whose cumulative sum in float64 ends below 1, as they are and normalised first, and an id of
#: probability zero behind: a coin just below 1 lies above the sum, and an inverse that falls
#: through gives that id, or one that is none. As p = q the draft is accepted and a bonus drawn.
SHORT = {"short-sum": "1/6 4/6 1/6 0", "short-normalised-sum": "3/24 10/24 10/24 1/24 0"}


def short_sums() -> list[GalleryPair]:
    """The pairs of `SHORT`."""
    found: list[GalleryPair] = []
    for name, law in SHORT.items():
        pair = shared(context_free(law), context_free(law))
        found.append(GalleryPair(name, "rows whose cumulative sum ends below 1", pair, (0,)))
    return found


def audit_harness(
    command: str | Sequence[str],
    kind: str | None = None,
    *,
    plan: Plan | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Audit the program that ``command`` starts.

    Args:
        command: the program and its arguments, split as a shell would; no shell runs it.
        kind: one of the kinds that it takes; None for the first of them.
        plan: pairs, lookaheads, budget and so on; `Plan`'s defaults for None.
        seconds: for one answer.
        progress: called after each step.
        say: called with each request that was not answered, at the end.

    Raises:
        SubjectError: when it cannot be started, says nothing of use, or fails at everything.
    """
    plan = plan or Plan()
    check_plan(plan)
    arguments = shlex.split(command) if isinstance(command, str) else list(command)
    if not arguments:
        raise SubjectError("the harness is an empty command")
    session = Session(arguments) if seconds is None else Session(arguments, seconds)
    try:
        offered = session.open()
        chosen = _chosen(offered, kind)
        return _audited(session, offered, chosen, plan, progress)
    finally:
        session.close()
        for failure in session.failures:
            say(str(failure))


def _chosen(offered: Capabilities, kind: str | None) -> str:
    if kind is None:
        return offered.kinds[0]
    if kind not in offered.kinds:
        raise SubjectError(
            f"{offered.name} takes no {kind} requests, only {', '.join(offered.kinds)}"
        )
    return kind


def harness_trial(session: Session, offered: Capabilities, kind: str, plan: Plan) -> Trial:
    """The harness as a subject, ready to be tried with ``kind`` requests."""
    subject = Subject(
        _call(session, kind),
        "batch_rule" if kind == "batch_rule" else "kernel",
        f"harness:{offered.name}",
        "lists",
        offered.settings,
        frozenset(),
        offered.relaxed,
        offered.coins,
    )
    trial = Trial(subject, plan.tolerance, time.monotonic() + plan.budget)
    trial.random_tests = RANDOM_TESTS[subject.kind]
    return trial


def _audited(
    session: Session, offered: Capabilities, kind: str, plan: Plan, progress: Progress | None
) -> Report:
    lookaheads = plan.lookaheads or LOOKAHEADS["kernel"]
    # Smaller counterexamples of batches are looked for with interception, which sees nothing here.
    plan = replace(plan, lookaheads=lookaheads, shrink=plan.shrink and kind != "batch_rule")
    trial = harness_trial(session, offered, kind, plan)
    results: dict[int, tuple[Result, bool]] = {}
    partial = None
    try:
        found = audited(
            trial,
            plan,
            progress,
            began=lambda number, step: session.begin_check(),
            planned_by=steps,
        )
        for number, result, is_edge in found:
            results[number] = result, is_edge
    except KeyboardInterrupt:
        partial = "interrupted; this report is partial"
    return report_of(trial.subject, plan, list(results.values()), trial, partial)


def _call(session: Session, kind: str) -> Callable[..., Any]:
    """The subject: asks, and gives back what is answered."""

    def call(target_rows: Any, draft_rows: Any, drafts: Any, *rest: Any, **settings: Any) -> Any:
        *lengths, coins = rest
        asked = {name: value for name, value in settings.items() if value is not None}
        given: Any = {name: numbers(values) for name, values in coins.items()}
        if kind == "rule":
            given = [u for values in given.values() for u in _flat(values)]
        return session.request(
            kind,
            target_rows=numbers(target_rows),
            draft_rows=numbers(draft_rows),
            drafts=drafts,
            **({"lengths": lengths[0]} if lengths else {}),
            coins=given,
            **({"settings": asked} if asked else {}),
        )

    return call


def _flat(values: Any) -> list[float]:
    return [u for part in values for u in _flat(part)] if isinstance(values, list) else [values]


def steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> list[Step]:
    """The steps of a harness's kind."""
    del horizon
    if trial.subject.kind == "batch_rule":
        return list(batch_steps(trial, pairs, lookaheads))
    cases = law_cases(pairs, lookaheads, names=kernel.PAIRS)
    planned = list(block_steps(trial, cases, kernel.kernel_law))
    if pairs is None:
        planned += block_steps(trial, dtype_cases(1), kernel.kernel_law)
        more = asked(trial, request_cases(1, trial.subject.options))
        planned += block_steps(trial, more, kernel.kernel_law)
        planned += edges.kernel_steps(trial, short_sums())
    return planned
