"""Audits on random pairs: drawn by hypothesis from the exported strategies, shrunk on failure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.configuration import set_hypothesis_home_dir
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


@dataclass
class _Search:
    """The search for a pair on which one subject is lossy.

    Attributes:
        suffix: what tells its smallest pair from other subjects'.
        passed, failed: results of the pairs before it, and of the smallest lossy one.
        named: the pairs by the names that results use.
    """

    subject: str
    suffix: str
    count: int
    seed: int
    lookaheads: tuple[int, ...]
    horizon: int
    deadline: float | None
    passed: list[Result] = field(default_factory=list)
    failed: list[Result] = field(default_factory=list)
    named: dict[str, Pair] = field(default_factory=dict)

    @property
    def results(self) -> list[Result]:
        """All results, the smallest lossy pair's last."""
        return [*self.passed, *self.failed]

    def run(self, progress: Progress | None) -> None:
        """Draw pairs until one is lossy or there are enough."""
        options = settings(
            max_examples=self.count,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
            report_multiple_bugs=False,
        )

        def check(drawn: GalleryPair) -> None:
            self._check(drawn)
            if progress:
                progress(len(self.named), self.count, self.subject)

        try:
            seeded(self.seed)(options(given(pair_strategy())(check)))()
        except _LossyError:
            pass
        except HypothesisException as problem:
            if not self.failed:  # else the budget ran out while a failure was being shrunk
                raise ValueError(f"no random pairs could be drawn: {problem}") from problem

    def _check(self, drawn: GalleryPair) -> None:
        name = f"random:{self.seed}:{len(self.named) + 1}"
        results: list[Result] = []
        for form in subject_forms(self.subject, self.lookaheads):
            made = cell(self.subject, form, replace(drawn, name=name))
            found = audit_cell(made, self.horizon, self.deadline)
            results += found
            if any(r.verdict == LOSSY for r in found):
                self._fail(drawn, found)
        if not self.failed:
            self.passed += results
            self.named[name] = drawn.pair

    def _fail(self, drawn: GalleryPair, found: list[Result]) -> None:
        name = f"random:{self.seed}:smallest{self.suffix}"
        told = f"the pair is {drawn.describe()}"
        self.failed = [replace(r, pair=name, reason=told) for r in found]
        self.named[name] = drawn.pair
        raise _LossyError


def _share(progress: Progress, number: int, subjects: int) -> Progress:
    """``progress`` of one subject's search, as its share of all of them."""
    return lambda done, total, what: progress(number * total + done, subjects * total, what)


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

    At the first pair on which a subject is lossy its search stops and the pair is shrunk: to few
    tokens, short contexts, small rationals. The report then holds the exact pairs before it and
    the smallest lossy one, described in its results' ``reason``.

    Returns:
        The report, and the pairs by the names that it uses.

    Raises:
        SubjectError: for a subject that does not exist.
        ValueError: for numbers below one, or a budget that is not above zero.
    """
    check_numbers(lookaheads, horizon, budget)
    subjects = subjects_named(subject)
    deadline = None if budget is None else time.monotonic() + budget
    results: list[Result] = []
    named: dict[str, Pair] = {}
    with TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)  # else it leaves a folder where the user happens to be
        for number, each in enumerate(subjects):
            suffix = f" for {each}" if len(subjects) > 1 else ""
            search = _Search(each, suffix, count, seed, tuple(lookaheads), horizon, deadline)
            search.run(None if progress is None else _share(progress, number, len(subjects)))
            results += search.results
            named |= search.named
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
