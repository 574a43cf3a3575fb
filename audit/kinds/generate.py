"""`generate` subjects: the exact law of whole runs, several rounds with rejections in between.

The subject draws its own drafts and may keep state; it is run to the horizon, and the law of the
new ids is compared with the target's own. Its first token's law is the same law's marginal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import Result
from .calling import Arrays, BadReturn, keywords, program, returned_ids
from .cases import TWO_VOCABULARIES, Case, as_next_token
from .due import DueLaws, Rows, prefixes
from .evidence import Evidence
from .judging import Given, judged, likeliest_convention, refused
from .pairs import named_pair
from .rule import merged, product
from .settings import PLAIN, Ids, not_applicable
from .trial import Trial

TOKENIZERS = frozenset({"target_tokenizer", "drafter_tokenizer"})


class Model:
    """What a subject gets as ``target`` or ``drafter``: rows for a non-empty list of ids."""

    def __init__(self, rows: Rows, arrays: Arrays) -> None:
        self._rows = rows
        self._arrays = arrays
        self._made: dict[Ids, Any] = {}

    def __call__(self, ids: Any) -> Any:
        """Row i is the law after ``ids[:i + 1]``."""
        listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
        key = tuple(int(token) for token in listed)
        if not key:
            raise ValueError("a model is called with at least one id")
        outside = [token for token in key if not 0 <= token < self._rows.size]
        if outside:
            raise ValueError(f"the model has no id {outside[0]}; it has 0 to {self._rows.size - 1}")
        made = self._made.get(key)
        if made is None:
            values = [self._rows.after(key[: i + 1]) for i in range(len(key))]
            made = self._made[key] = self._arrays.rows(values, (len(key), self._rows.size))
        return self._arrays.copy(made)


def run_call(
    trial: Trial, case: Case, due: DueLaws, horizon: int, seed: int = 0
) -> Callable[[], Any]:
    """A call of a whole decoder at the pair's prompt."""
    if trial.subject.kind == "transformers":
        from .transformers_calls import transformers_call

        return transformers_call(trial, case, due, horizon, seed)
    arrays = trial.arrays(case.dtype)
    target, drafter = Model(due.target, arrays), Model(due.drafter, arrays)
    subject, prompt = trial.subject, list(due.prompt)
    pair = case.pair.pair
    tokenizers: dict[str, Any] = {
        "target_tokenizer": pair.target_tokenizer,
        "drafter_tokenizer": pair.drafter_tokenizer,
    }

    def run() -> Any:
        named = keywords(subject, case.settings, seed)
        named |= {name: tokenizers[name] for name in TOKENIZERS & subject.options}
        return subject.call(target, drafter, list(prompt), case.lookahead, horizon, **named)

    return run


def run_law(trial: Trial, case: Case, due: DueLaws, horizon: int) -> Given:
    """The law of a run's new ids, cut at the horizon."""
    given = Given(dtype=case.dtype)
    found = trial.enumerate(program(run_call(trial, case, due, horizon)), noted=False)
    prompt = due.prompt
    if found.law and all(len(ids) > horizon and ids[: len(prompt)] == prompt for ids in found.law):
        text = f"{BadReturn.__name__}: it returned the prompt too; new ids only are due"
        found.errors[text] = sum(found.law.values())
        found.law = {}
    trial.note(found)
    given.add(found)
    cut: dict[Any, float] = {}
    for ids, mass in given.law.items():
        cut[ids[:horizon]] = cut.get(ids[:horizon], 0.0) + mass
    given.law = cut
    return given


def run_results(trial: Trial, cases: Sequence[Case], horizon: int) -> list[Result]:
    """The results of cases that are one check: the run's law, and its first token's."""
    runs: list[Result] = []
    firsts: list[Result] = []
    for case in cases:
        blank = trial.blank(case, horizon)
        lacking = trial.lacks(case)
        if not case.pair.pair.same_vocabulary:
            lacking |= TOKENIZERS - trial.subject.options
        if lacking:
            runs.append(not_applicable(blank, lacking))
            continue
        started = time.perf_counter()
        due = DueLaws(case.pair, case.settings)
        given = run_law(trial, case, due, horizon)
        if case.may_refuse and (no := refused(blank, given, case.may_refuse)):
            runs.append(no)
            continue
        expected, law = due.strings((), horizon), given.law
        if case.ties:
            expected, law = due.canonical(expected), due.canonical(law)
        if not given.errors and given.reason is None and case.check == "run":
            trial.evidence.append(Evidence(case, horizon, law, {}))
        common: tuple[Any, ...] = (due.prompt, due.size, trial.tolerance, started)
        laws = [expected] + [
            DueLaws(case.pair, one.settings).strings((), horizon) for one in case.conventions[1:]
        ]
        each = [judged(blank, one, replace(given, law=law), *common) for one in laws]
        runs.append(each[likeliest_convention(each)])
        if case.settings == PLAIN and case.dtype == "float64" and case.check == "run":
            first = replace(given, law=prefixes(law, 1))
            blank = trial.blank(as_next_token(case), horizon)
            firsts.append(judged(blank, prefixes(expected, 1), first, *common))
    return [*([merged(firsts)] if firsts else []), merged(runs)]


def two_vocabulary_cases(lookahead: int) -> Iterator[Case]:
    """Runs over two vocabularies, for subjects that take tokenizers."""
    for name in TWO_VOCABULARIES:
        yield Case(named_pair(name), lookahead, "run", "run")


def stop_cases(lookahead: int) -> Iterator[tuple[Case, int]]:
    """Runs of one and of two new ids, fewer than a round may give; longer ones are run anyway."""
    for horizon in (1, 2):
        yield Case(named_pair("context-dependent"), lookahead, "stop-positions", "run"), horizon


def second_request_result(
    trial: Trial, lookahead: int, pairs: tuple[GalleryPair, GalleryPair]
) -> Result:
    """Two requests, one after the other: the law of both together is the product of their laws."""
    first, second = (Case(pair, lookahead, "second-request", "run") for pair in pairs)
    lacking = TOKENIZERS - trial.subject.options
    if lacking and not all(pair.pair.same_vocabulary for pair in pairs):
        return not_applicable(trial.blank(second, 2), lacking)
    started = time.perf_counter()
    dues = [DueLaws(case.pair, case.settings) for case in (first, second)]
    horizons = (1, 2)
    calls = [
        run_call(trial, case, due, horizon, seed)
        for seed, (case, due, horizon) in enumerate(
            zip((first, second), dues, horizons, strict=True)
        )
    ]

    def both() -> tuple[int, ...]:
        ids = [returned_ids(call())[:n] for call, n in zip(calls, horizons, strict=True)]
        return ids[0] + ids[1]

    given = Given()
    given.add(trial.enumerate(both, noted=False))  # a prompt returned too is told by single runs
    expected = product(due.strings((), n) for due, n in zip(dues, horizons, strict=True))
    return judged(
        trial.blank(second, horizons[1]),
        expected,
        given,
        dues[1].prompt,
        dues[1].size,
        trial.tolerance,
        started,
    )
