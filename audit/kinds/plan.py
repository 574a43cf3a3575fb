"""What an audit of a kind consists of: steps, each of which gives results or edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...toymodels.gallery import GalleryPair
from . import batch_requests, batch_rule, edges, generate, kernel, rule
from .cases import (
    SHALLOW,
    Case,
    dtype_cases,
    grouped,
    law_cases,
    no_draft_cases,
    request_cases,
)
from .pairs import named_pair
from .steps import Step
from .trial import Trial


def steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> list[Step]:
    """All steps for the subject's kind; with ``pairs``, those of the law alone on these pairs."""
    makers = {
        "rule": _rule_steps,
        "generate": _generate_steps,
        "batch_rule": _batch_steps,
        "kernel": _kernel_steps,
        "transformers": _transformers_steps,
    }
    return list(makers[trial.subject.kind](trial, pairs, lookaheads, horizon))


def _rule_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    del horizon
    first, *rest = lookaheads  # what is cheap comes first: a small budget then sees the most
    yield from _laws(trial, pairs, (first,), lookaheads)
    for two in rule.second_requests(pairs):
        yield Step(
            trial.blank(Case(two[1], 1, "second-request", "run")),
            lambda two=two: [rule.second_request_result(trial, two)],
        )
    if pairs is not None:
        yield from _laws(trial, pairs, rest, lookaheads)
        return
    ahead = min(2, max(lookaheads))
    yield from block_steps(trial, dtype_cases(ahead), rule.rule_law)
    yield from block_steps(trial, no_draft_cases(), rule.rule_law)
    cases = request_cases(ahead, trial.subject.options)
    yield from block_steps(trial, asked(trial, cases), rule.rule_law)
    yield from _laws(trial, pairs, rest, lookaheads)
    yield from edges.steps(trial, rule.block_call)


def _laws(
    trial: Trial,
    pairs: Sequence[GalleryPair] | None,
    some: Sequence[int],
    lookaheads: Sequence[int],
) -> Iterator[Step]:
    """The law of a rule's block for ``some`` of the lookaheads."""
    cases = (case for case in law_cases(pairs, lookaheads) if case.lookahead in some)
    yield from block_steps(trial, cases, rule.rule_law)


def _generate_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    first, *rest = lookaheads  # what is cheap comes first: a small budget then sees the most
    yield from _runs(trial, pairs, (first,), horizon)
    for two in rule.second_requests(pairs):
        yield Step(
            trial.blank(Case(two[1], 1, "second-request", "run")),
            lambda two=two: [generate.second_request_result(trial, 1, two)],
        )
    if pairs is not None:
        yield from _runs(trial, pairs, rest, horizon)
        return
    for case in generate.two_vocabulary_cases(1):
        if trial.subject.options >= generate.TOKENIZERS:
            yield _run_step(trial, [case], min(horizon, 3))
    for case in list(dtype_cases(1))[1:2]:
        yield _run_step(trial, [replace(case, guarantee="run")], min(horizon, 3))
    for group in grouped(asked(trial, request_cases(1, trial.subject.options))):
        yield _run_step(trial, [replace(case, guarantee="run") for case in group], min(horizon, 3))
    for case, stop in generate.stop_cases(min(2, max(lookaheads))):
        yield _run_step(trial, [case], stop)
    if max(lookaheads) > 1:  # its drafts leave no choice, so that a longer run is cheap
        yield _run_step(trial, [Case(named_pair("alternating"), 2, "run", "run")], 4)
    yield from _runs(trial, pairs, rest, horizon)
    yield from edges.run_steps(trial)


def _transformers_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    from .transformers_plan import transformers_steps

    yield from transformers_steps(trial, pairs, lookaheads, horizon)


def _runs(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    """The law of whole runs for some lookaheads."""
    names = ("base", "context-dependent", "contexts", "equal", "disjoint", "one-hot", "zeros")
    more = ("two-id-residual", "shared-noise")
    small = ("two-ids", "shifted-rows", "certain-draft", "fair-coins")
    for ahead in lookaheads:
        listed = (
            names + more + small + SHALLOW if ahead == 1 else ("base", "context-dependent", *small)
        )
        for case in law_cases(pairs, (ahead,), names=listed):
            far = horizon if pairs is not None else _reach(case, horizon)
            yield _run_step(trial, [replace(case, check="run", guarantee="run")], far)


def _reach(case: Case, horizon: int) -> int:
    """How far runs go by default: each further id multiplies the paths by that of a round."""
    if case.pair.name in SHALLOW:
        return 1
    if case.pair.pair.target.size == 2:
        return min(horizon, 4 if case.lookahead == 1 else 3)
    return min(horizon, 3 if case.lookahead == 1 else 2)


def _batch_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    del horizon
    for case in batch_rule.cases(trial, pairs, lookaheads):
        blank = trial.blank(case.as_case())
        yield Step(blank, lambda case=case: batch_rule.results(trial, case))
    for two in batch_requests.following(pairs):
        blank = replace(trial.blank(two[-1].as_case()), guarantee="run")
        yield Step(blank, lambda two=two: [batch_requests.second_batch_result(trial, two)])
    if pairs is None:
        yield from edges.steps(trial, batch_rule.single_call)


def _kernel_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    del horizon
    chosen = tuple(ahead for ahead in lookaheads if ahead <= 2) if pairs is None else lookaheads
    cases = law_cases(pairs, chosen or lookaheads, names=kernel.PAIRS)
    yield from block_steps(trial, cases, kernel.kernel_law)
    if pairs is None:
        yield from block_steps(trial, dtype_cases(1), kernel.kernel_law)
        yield from block_steps(
            trial, asked(trial, request_cases(1, trial.subject.options)), kernel.kernel_law
        )
        yield from edges.kernel_steps(trial)


def block_steps(trial: Trial, cases: Iterator[Case], block_law: rule.BlockLaw) -> Iterator[Step]:
    """The steps of cases that get rows, a step a check."""
    for group in grouped(cases):
        yield Step(
            trial.blank(group[0]),
            lambda group=group: rule.block_results(trial, group, block_law),
        )


def _run_step(trial: Trial, group: list[Case], horizon: int) -> Step:
    return Step(trial.blank(group[0], horizon), lambda: generate.run_results(trial, group, horizon))


def asked(trial: Trial, cases: Iterator[Case]) -> Iterator[Case]:
    """The cases; of a check that needs keywords the subject lacks, only the first."""
    seen: set[str] = set()
    for case in cases:
        if trial.lacks(case):
            if case.check in seen:
                continue
            seen.add(case.check)
        yield case
