"""The audit of one callable: every step of its kind's plan, and the report they add up to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import LOSSY, UNDECIDED, Report, Result, subject_of
from ..subjects import SubjectError
from .classify import classified
from .loading import Subject, subject_from
from .pairs import named_pair, random_pair
from .plan import steps
from .shrink import shrunk
from .steps import Step
from .trial import BudgetSpentError, SubjectLostError, Trial, quiet
from .wrong_rounds import first_rounds

#: Seconds for everything, unless the user says otherwise.
BUDGET = 120.0
LOOKAHEADS = {"rule": (1, 2, 3), **dict.fromkeys(("generate", "batch_rule", "kernel"), (1, 2))}
LOOKAHEADS["transformers"] = (1, 2)
HORIZON = 4
_PER_STEP = 4

#: Called after each step with (steps done, steps in all, what was done).
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Plan:
    """What an audit is asked for; everything but the subject, fit to be sent to a process.

    Attributes:
        pairs: names of pairs, or pairs; None for all that the kind is tried on.
        random: how many random pairs instead, drawn from ``seed``.
        lookaheads: None for the kind's usual ones.
    """

    pairs: tuple[str | GalleryPair, ...] | None = None
    random: int | None = None
    seed: int = 0
    lookaheads: tuple[int, ...] | None = None
    horizon: int = HORIZON
    budget: float = BUDGET
    tolerance: float | None = None
    relaxed: str | None = None
    shrink: bool = True

    def chosen_pairs(self) -> list[GalleryPair] | None:
        """The pairs themselves, None for the kind's usual ones."""
        if self.random is not None:
            return [random_pair(n, self.seed) for n in range(1, self.random + 1)]
        if self.pairs is None:
            return None
        found = [named_pair(p) if isinstance(p, str) else p for p in self.pairs]
        return list({pair.name: pair for pair in found}.values())


def audit_callable(
    f: Callable[..., Any] | Subject,
    kind: str | None = None,
    *,
    name: str | None = None,
    pairs: Iterable[str | GalleryPair] | None = None,
    random: int | None = None,
    seed: int = 0,
    lookahead: int | Sequence[int] | None = None,
    horizon: int = HORIZON,
    budget: float | None = None,
    tolerance: float | None = None,
    relaxed: str | None = None,
    shrink: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Audit a callable of a declared kind, in this process.

    Args:
        f: the callable, or a `Subject` that was loaded.
        kind: rule, generate, batch_rule, kernel or transformers.
        name: what the report calls it.
        pairs: names of gallery pairs or of `draftproof.audit.kinds.pairs`, or pairs; then only the
            law is checked, on these.
        random: how many random pairs to check the law on, instead; the same for the same ``seed``.
        lookahead: drafts a round, one number or several.
        horizon: new ids of whole runs.
        budget: seconds for everything, 120 unless given; what is not finished is UNDECIDED.
        tolerance: never call a distance above it lossless.
        relaxed: the property that a subject which is lossy by design has instead.
        shrink: look for the smallest counterexample of a lossy subject.

    Raises:
        SubjectError: for a subject that cannot be audited, in one line.
    """
    subject = f if isinstance(f, Subject) else subject_from(f, kind, name)
    plan = Plan(
        None if pairs is None else tuple(pairs) or None,
        random,
        seed,
        _lookaheads(lookahead),
        horizon,
        BUDGET if budget is None else budget,
        tolerance,
        relaxed,
        shrink,
    )
    check_plan(plan)
    results: dict[int, tuple[Result, bool]] = {}
    trial = Trial(subject, tolerance, time.monotonic() + plan.budget)
    partial = None
    try:
        for number, result, is_edge in audited(trial, plan, progress):
            results[number] = result, is_edge
    except KeyboardInterrupt:
        partial = "interrupted; this report is partial"
    return report_of(subject, plan, list(results.values()), trial, partial)


def audited(
    trial: Trial,
    plan: Plan,
    progress: Progress | None = None,
    skip: frozenset[int] = frozenset(),
    began: Callable[[int, Step], None] = lambda number, step: None,
    planned_by: Callable[..., list[Step]] | None = None,
) -> Iterator[tuple[int, Result, bool]]:
    """Number, result, and whether it is an edge, of everything found.

    A number comes again when its result has become better: the fault is named last, from all laws.
    ``skip`` leaves out steps by their number; ``planned_by`` makes the steps, by kind as a rule.
    """
    lookaheads = plan.lookaheads or LOOKAHEADS[trial.subject.kind]
    planned = (planned_by or steps)(trial, plan.chosen_pairs(), lookaheads, plan.horizon)
    laws: dict[int, Result] = {}
    pending = [(number, step) for number, step in enumerate(planned) if number not in skip]
    for again in (False, True):  # once more with what is left, where a step's share was too little
        unfinished: list[tuple[int, Step]] = []
        for done, (number, step) in enumerate(pending):
            began(number, step)
            trial.begin(len(pending) - done)
            kept = len(trial.evidence)
            results = _step_results(trial, step, again)
            for place, result in enumerate(results):
                yield _PER_STEP * number + place, result, step.is_edge
                if not step.is_edge:
                    laws[_PER_STEP * number + place] = result
            if trial.was_cut_short and any(result.verdict == UNDECIDED for result in results):
                unfinished.append((number, step))
                del trial.evidence[kept:]
            if progress and not again:
                progress(number + 1, len(planned), step.name)
        pending = unfinished
    trial.begin(1)
    lossy = [result for result in laws.values() if result.verdict == LOSSY]
    if not lossy:
        return
    last = len(planned)
    if plan.shrink and last not in skip:
        began(last, Step(replace(lossy[0], verdict=UNDECIDED, reason=None), list))
        small = shrunk(trial, lossy)
        if small is not None:
            laws[_PER_STEP * last] = small
    if trial.subject.kind == "generate" and any(r.check in ("next-token", "run") for r in lossy):
        trial.evidence += first_rounds(trial)
    named = classified(list(laws.values()), trial.evidence, trial.subject.kind)
    for number, result in zip(laws, named, strict=True):
        if result.verdict == LOSSY:
            yield number, result, False


def _step_results(trial: Trial, step: Step, again: bool) -> list[Result]:
    """What a step gives; nothing if it is run again and there is no time for it."""
    try:
        with quiet():
            return step.run()
    except SubjectLostError as lost:
        return [replace(step.blank, verdict=UNDECIDED, reason=str(lost), unexplored_mass=1.0)]
    except BudgetSpentError:
        if again:
            return []
        return [
            replace(
                step.blank,
                verdict=UNDECIDED,
                reason="the budget was spent before this check was through",
                unexplored_mass=1.0,
            )
        ]


def report_of(
    subject: Subject,
    plan: Plan,
    results: Sequence[tuple[Result, bool]],
    trial: Trial | None,
    partial: str | None = None,
) -> Report:
    """The report that ``results`` add up to.

    Raises:
        SubjectError: when the subject raised on every path of every check.
    """
    if trial is not None and not trial.returned and trial.first_error and partial is None:
        raise SubjectError(useless(subject, trial.first_error))
    laws = [result for result, is_edge in results if not is_edge]
    edges = tuple(result for result, is_edge in results if is_edge)
    if partial is not None:
        laws.append(
            Result(subject.name, subject.kind, None, "run", "run", UNDECIDED, reason=partial)
        )
    if not laws:
        raise SubjectError(f"nothing was checked of {subject.name}")
    audited_ = replace(subject_of(subject.name, subject.kind, laws), edges=edges)
    report = Report((audited_,), tuple(laws))
    declared = plan.relaxed or subject.relaxed
    return report if declared is None else report.relaxed(declared)


def useless(subject: Subject, error: str) -> str:
    """What to say of a subject that never returned anything that could be used."""
    text = error.removeprefix("BadReturn: ")
    if text != error:
        return f"{subject.name}: {text}"
    return f"{subject.name} raises on every path of every check: {error}"


def check_plan(plan: Plan) -> None:
    """Raise `ValueError`, naming the number, unless an audit can run with these."""
    for what, number in (
        ("horizon", plan.horizon),
        *(("lookahead", k) for k in plan.lookaheads or ()),
        *((("number of random pairs", plan.random),) if plan.random is not None else ()),
    ):
        if number < 1:
            raise ValueError(f"the {what} is {number}; at least 1 is needed")
    if not plan.budget > 0:
        raise ValueError(f"the budget is {plan.budget} seconds; it must be above 0")
    plan.chosen_pairs()


def _lookaheads(lookahead: int | Sequence[int] | None) -> tuple[int, ...] | None:
    if lookahead is None:
        return None
    return (lookahead,) if isinstance(lookahead, int) else tuple(lookahead) or None
