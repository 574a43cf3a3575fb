"""What an audit of a `transformers` subject consists of: the checks of `generate`, fewer of them.

A path of ``generate()`` costs some milliseconds, so the pairs have at most four ids, runs three new
ones and rounds two drafts; ``--pair``, ``--random``, ``--lookahead`` and ``--horizon`` widen it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import LOSSY, NOT_APPLICABLE, UNDECIDED, Result
from ..subjects import SubjectError
from .calling import BadReturn, returned_ids
from .cases import Case, dtype_cases, grouped, request_cases
from .due import DueLaws
from .edges import SPOILED, run_steps
from .generate import run_results
from .judging import Given, judged
from .pairs import named_pair
from .rule import product
from .settings import Settings
from .steps import Step
from .transformers_calls import AfterPrompt, Requests
from .trial import Trial

#: Runs of three new ids, and, where two rounds show all there is, of two.
LONG = ("base", "context-dependent", "contexts", "zeros", "two-ids", "shared-noise", "shifted-rows")
SHORT = ("equal", "disjoint", "one-hot", "id-order", "padding", "two-id-residual", "certain-draft")
#: With two drafts a round.
DEEP = ("two-ids", "base", "certain-draft")
#: Over two vocabularies, the shared tokens of which have different ids or are cut in pieces.
TWO_VOCABULARIES = ("crossing-merges", "merging-target", "end-in-drafter-only")
#: Two requests in a row, on the same models where it is the same pair.
SECOND_REQUESTS = (("zeros", "context-dependent"), ("context-dependent", "context-dependent"))
#: From this horizon on it is taken as it is; the default is cut.
_ASKED = 5
_CUT = 3
_REFUSES = "the subject refuses pairs over one vocabulary"
#: What is named where runs are wrong over two vocabularies and right over one.
_OF_VOCABULARIES: dict[str, Any] = {
    "fault": "vocabulary-map",
    "fault_candidates": ("vocabulary-map", "proposal-law", "residual"),
    "reason": "only pairs over two vocabularies fail; look at how ids of one side become ids of "
    "the other, and in which order tokenizers list their vocabularies",
}


def transformers_steps(
    trial: Trial, pairs: Sequence[GalleryPair] | None, lookaheads: Sequence[int], horizon: int
) -> Iterator[Step]:
    """All steps; with ``pairs``, those of the law alone on these pairs."""
    plan = _Plan(trial)
    if pairs is not None:
        for ahead in lookaheads:
            for pair in pairs:
                yield plan.run(Case(_prepared(pair), ahead, "run", "run"), horizon)
        for pair in pairs:
            yield plan.second_request((pair, pair))
        return
    far = horizon if horizon >= _ASKED else min(horizon, _CUT)
    first, *more = lookaheads
    yield plan.run(_named("base", first), far)
    for name in TWO_VOCABULARIES:
        yield plan.run(_named(name, first), min(far, 2))
    for name in (*LONG[1:], *SHORT):
        yield plan.run(_named(name, first), far if name in LONG else min(far, 2))
    for first_, second in SECOND_REQUESTS:
        yield plan.second_request((named_pair(first_), named_pair(second)))
    for horizon_ in (1, 2):
        stop = _named("context-dependent", min(2, max(lookaheads)), "stop-positions")
        yield plan.run(stop, horizon_)
    for group in grouped(_requests(trial)):
        yield plan.runs(group, min(far, 2))
    yield plan.runs(list(_ends()), far)
    for ahead in more:
        for name in DEEP:
            yield plan.run(_named(name, ahead), far)
    if max(lookaheads) > 1:  # its drafts leave no choice, so that a longer run is cheap
        yield plan.run(_named("alternating", 2), max(far, 4))
    skipped = {check for check, _, number in SPOILED if number == float("inf")}
    # A table of logits has no infinity: times the zeros of a context it is NaN, which is tried.
    for step in run_steps(trial):
        if step.blank.check not in skipped:
            yield plan.edge(step)


def _named(name: str, lookahead: int, check: str = "run") -> Case:
    return _prepared_case(Case(named_pair(name), lookahead, check, "run"))


def _requests(trial: Trial) -> Iterator[Case]:
    """Settings of a request, ends of sequence aside, and float32 models."""
    for case in request_cases(1, trial.subject.options):
        if case.check != "eos" and not (trial.lacks(case) and case.check == "combined"):
            yield _prepared_case(replace(case, guarantee="run"))
    for case in list(dtype_cases(1))[1:2]:
        yield _prepared_case(replace(case, guarantee="run", may_refuse="float32 models"))
    two = named_pair("crossing-merges")
    yield _prepared_case(Case(two, 1, "temperature", "run", Settings(temperature=0.5)))


def _ends() -> Iterator[Case]:
    """Ends of sequence inside and at the end of drafts, and a prompt that ends in one."""
    for name in ("contexts", "ends", "ends-by-zero", "ends"):
        pair = named_pair(name)
        eos = pair.pair.end_of_sequence
        yield _prepared_case(Case(pair, 2, "eos", "run", Settings(eos=eos)))
    pair = named_pair("ends")
    after = replace(pair, prompt=(*pair.prompt, 2))
    yield Case(after, 1, "eos", "run", Settings(eos=2))


def _prepared(pair: GalleryPair) -> GalleryPair:
    """The pair, with a prompt of two ids at least: some releases need so many."""
    return pair if len(pair.prompt) > 1 else replace(pair, prompt=pair.prompt * 2)


def _prepared_case(case: Case) -> Case:
    """The case with a longer prompt, with its end of sequence, and with what processors see."""
    pair, settings = _prepared(case.pair), case.settings
    if settings.processor is not None:
        settings = replace(settings, processor=AfterPrompt(settings.processor, pair.prompt))
    two = pair.pair
    if not two.same_vocabulary and two.end_of_sequence is not None:
        settings = replace(settings, eos=two.end_of_sequence)
    return replace(case, pair=pair, settings=settings)


class _Plan:
    """Makes steps, and remembers which vocabularies the subject has taken."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._taken: set[bool] = set()
        self._with_tokenizers: bool | None = None
        self._answered: bool | None = None
        self._wrong_with_one = False
        self._checked = False

    def run(self, case: Case, horizon: int) -> Step:
        """The law of runs of one case."""
        return self.runs([case], horizon)

    def runs(self, cases: list[Case], horizon: int) -> Step:
        """The law of runs, several cases as one result."""
        blank = self._trial.blank(cases[0], horizon)
        return Step(blank, lambda: self._results(cases, horizon))

    def second_request(self, pairs: tuple[GalleryPair, GalleryPair]) -> Step:
        """Two requests in a row."""
        same = pairs[0] is pairs[1]
        first = _prepared(pairs[0])
        both = (first, first if same else _prepared(pairs[1]))
        cases = [_prepared_case(Case(pair, 1, "second-request", "run")) for pair in both]
        cases = [replace(case, pair=pair) for case, pair in zip(cases, both, strict=True)]
        return Step(self._trial.blank(cases[1], 2), lambda: [self._second(cases)])

    def _results(self, cases: list[Case], horizon: int) -> list[Result]:
        trial = self._trial
        one = cases[0].pair.pair.same_vocabulary
        if unfit := self._unfit(cases[0], horizon):
            return [unfit]
        if one not in self._taken:
            what = "pairs over one vocabulary" if one else "pairs over two vocabularies"
            cases = [replace(case, may_refuse=case.may_refuse or what) for case in cases]
        if not self._checked:
            self._checked = True
            self._check_type(cases[0])
        found = run_results(trial, cases, horizon)
        if not trial.returned and (trial.first_error or "").startswith(BadReturn.__name__):
            from .auditing import useless  # which plans with this module

            # What is of a wrong type on all paths of a check is so on all of the others.
            raise SubjectError(useless(trial.subject, trial.first_error or ""))
        if any(r.verdict not in (NOT_APPLICABLE, UNDECIDED) for r in found):
            self._taken.add(one)
        lossy = any(r.verdict == LOSSY for r in found)
        self._wrong_with_one = self._wrong_with_one or (one and lossy)
        if lossy and not one and not self._wrong_with_one:
            return [replace(r, **_OF_VOCABULARIES) if r.verdict == LOSSY else r for r in found]
        return found

    def _check_type(self, case: Case) -> None:
        """Raise `SubjectError` if one real call returns anything but ids."""
        requests = Requests(self._trial, [case], [DueLaws(case.pair, case.settings)])
        for answer in requests.answers(self._trial, 0):
            try:
                returned_ids(answer)
            except BadReturn as problem:
                raise SubjectError(f"{self._trial.subject.name}: {problem}") from None

    def edge(self, step: Step) -> Step:
        """An edge, which is tried over one vocabulary, where the subject takes that."""

        def results() -> list[Result]:
            return step.run() if self._takes_one() else [replace(step.blank, reason=_REFUSES)]

        return Step(step.blank, results, is_edge=True)

    def _takes_one(self) -> bool:
        """Whether the subject takes pairs over one vocabulary; asked of it where no law says so."""
        if True not in self._taken and self._answered is None:
            case = _named("base", 1)
            requests = Requests(self._trial, [case], [DueLaws(case.pair, case.settings)])
            self._answered = bool(requests.answers(self._trial, 0))
        return True in self._taken or bool(self._answered)

    def _unfit(self, case: Case, horizon: int | None) -> Result | None:
        """Why fast tokenizers cannot be made for a pair, None if they can."""
        from ...toymodels.huggingface.toys import spelled

        pair = case.pair.pair
        if pair.same_vocabulary:
            return None
        blank = self._trial.blank(case, horizon)
        if spelled(pair) is None:
            reason = "no fast tokenizer with merges of two characters reads texts as this pair's"
            return replace(blank, reason=reason)
        if not self._uses_tokenizers(case):
            reason = "the subject does not use the tokenizers, and this pair has two vocabularies"
            return replace(blank, reason=reason)
        return None

    def _uses_tokenizers(self, case: Case) -> bool:
        if self._with_tokenizers is None:
            due = DueLaws(case.pair, case.settings)
            self._with_tokenizers = Requests(self._trial, [case], [due]).used_tokenizers
        return self._with_tokenizers

    def _second(self, cases: Sequence[Case]) -> Result:
        trial = self._trial
        blank = trial.blank(cases[1], 2)
        for case in cases:
            if unfit := self._unfit(case, 2):
                return unfit
        if cases[1].pair.pair.same_vocabulary and not self._takes_one():
            return replace(blank, reason=_REFUSES)
        started = time.perf_counter()
        dues = [DueLaws(case.pair, case.settings) for case in cases]
        requests = Requests(trial, cases, dues)
        horizons = (1, 2)

        def both() -> tuple[int, ...]:
            ids = [returned_ids(requests.call(n, far, n))[:far] for n, far in enumerate(horizons)]
            return ids[0] + ids[1]

        given = Given()
        given.add(trial.enumerate(both, noted=False))
        expected = product(due.strings((), n) for due, n in zip(dues, horizons, strict=True))
        common: tuple[Any, ...] = (dues[1].prompt, dues[1].size, trial.tolerance, started)
        return judged(blank, expected, given, *common)
