"""One audit in progress: the subject, its budget, and the enumeration of what it does."""

from __future__ import annotations

import dis
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..report import NOT_APPLICABLE, Result
from .calling import Arrays
from .cases import Case
from .evidence import Evidence
from .freshness import Snapshot
from .judging import GUARD
from .loading import Subject

#: Paths of one law; what is beyond is unexplored mass.
MAX_PATHS = 200_000
#: Seconds for one law, within the budget of the whole.
MAX_SECONDS = 60.0
#: What is unexplored of a long law is not worth another path below this part of the tolerance.
WORTH_A_PATH = 0.1
#: A step may take this many times its even share of what is left.
SHARES = 1.5


class BudgetSpentError(Exception):
    """The budget was spent before a law was begun."""


class SubjectLostError(Exception):
    """The subject cannot be called any more, in this check at least; in words."""


class SubjectExit(Exception):  # noqa: N818 - what is raised is the exit, in words
    """The subject raised what would end the program: one line."""


@dataclass
class Trial:
    """What every check needs.

    Attributes:
        tolerance: what the user asked for, None for what rounding allows.
        deadline: a value of `time.monotonic`, None for no budget.
        beat: called before every path, so that a watcher can tell a hang from work.
        returned: whether the subject has returned anything on any path of any check.
        first_error: the first exception, in words, for when it never does.
        evidence: complete laws, for naming the fault.
        dtypes: what the rounded thresholds of a kernel showed, law by law.
        random_tests: independent coins at which a kernel is tested besides the coupled ones.
    """

    subject: Subject
    tolerance: float | None = None
    deadline: float | None = None
    beat: Callable[[], None] = lambda: None
    returned: bool = False
    first_error: str | None = None
    evidence: list[Evidence] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    random_tests: int = 0
    snapshot: Snapshot = field(init=False)
    _until: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        from ..interception import places

        self.snapshot = Snapshot(self.subject.call)
        places.search_memory()

    def begin(self, steps_left: int) -> None:
        """A step begins, and gets its share of what is left of the budget.

        What it does not use flows on to the steps after it.
        """
        if self.deadline is not None:
            now = time.monotonic()
            share = SHARES * (self.deadline - now) / steps_left
            self._until = min(self.deadline, now + share)

    @property
    def was_cut_short(self) -> bool:
        """Whether the step that began last has used up its share, while the budget is not."""
        return (
            self._until is not None
            and self.deadline is not None
            and self._until <= time.monotonic() < self.deadline
        )

    def arrays(self, dtype: str = "float64") -> Arrays:
        """Makes what the subject is called with."""
        return Arrays(self.subject.array, dtype)

    def enumerate(
        self, program: Callable[[], Any], max_paths: int = MAX_PATHS, noted: bool = True
    ) -> Any:
        """The exact law of ``program``, which calls the subject; see `enumerate_law`."""
        from ..interception import enumerate_law

        def path() -> Any:
            self.beat()
            self.snapshot.restore()
            return program()

        tolerance = GUARD if self.tolerance is None else min(GUARD, self.tolerance)
        with quiet():
            found = enumerate_law(
                self.shown(path),
                seconds=self.seconds_left(),
                max_paths=max_paths,
                settle_for=WORTH_A_PATH * tolerance,
            )
        if noted:
            self.note(found)
        return found

    def shown(self, program: Callable[[], Any]) -> Callable[[], Any]:
        """``program``, with the subject alone to be searched for generators that it holds.

        What a program can be seen to use is searched, and what the audit uses need not be.
        """
        namespace = {"__name__": types.__name__, "program": contained(program)}  # not searched
        seen: Any = types.FunctionType(_call.__code__, namespace)
        seen.__wrapped__ = self.subject.call
        return seen

    @staticmethod
    def pick(law: Mapping[Any, float]) -> Any:
        """One outcome of ``law``, drawn by the audit itself: a choice of the path that runs."""
        from ..interception.session import active

        outcomes = list(law)
        index = active().choices.choose("the audit", (len(outcomes),), tuple(law.values()))
        return outcomes[index]

    def note(self, found: Any) -> None:
        """Remember whether anything came back."""
        self.returned = self.returned or bool(found.law) or found.reason is not None
        if self.first_error is None and found.errors:
            self.first_error = max(found.errors, key=lambda e: found.errors[e])

    def seconds_left(self) -> float:
        """For one law.

        Raises:
            BudgetSpentError: when there are none.
        """
        if self.deadline is None:
            return MAX_SECONDS
        until = self.deadline if self._until is None else self._until
        left = until - time.monotonic()
        if left <= 0:
            raise BudgetSpentError
        return min(left, MAX_SECONDS)

    def blank(self, case: Case, horizon: int | None = None) -> Result:
        """A result without a verdict."""
        return Result(
            subject=self.subject.name,
            kind=self.subject.kind,
            pair=case.pair.name,
            check=case.check,
            guarantee=case.guarantee,
            verdict=NOT_APPLICABLE,
            lookahead=case.lookahead or None,
            horizon=horizon,
        )

    def plain(self, check: str, guarantee: str) -> Result:
        """A result without a verdict, of a check that is not about one pair."""
        return Result(
            subject=self.subject.name,
            kind=self.subject.kind,
            pair=None,
            check=check,
            guarantee=guarantee,
            verdict=NOT_APPLICABLE,
        )

    def lacks(self, case: Case) -> frozenset[str]:
        """The keywords that ``case`` needs and the subject does not name."""
        return case.settings.needs - self.subject.options


@contextmanager
def quiet() -> Iterator[None]:
    """What the subject warns of is not for whoever runs the audit, and no error either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def contained(program: Callable[[], Any]) -> Callable[[], Any]:
    """``program``, with what would end the audit raised as `SubjectExit`.

    A `KeyboardInterrupt` ends the audit if the user sent it, which is where no code raised it.
    """
    from ..interception.choices import PathPutOff
    from ..interception.endpoints import EndlessDraws

    def run() -> Any:
        try:
            return program()
        except (Exception, PathPutOff, EndlessDraws):
            raise
        except BaseException as raised:
            if isinstance(raised, KeyboardInterrupt) and not _is_raised_by_code(raised):
                raise
            text = f"it raised {type(raised).__name__}: {raised}".removesuffix(": ")
            raise SubjectExit(text) from None

    return run


def _is_raised_by_code(raised: BaseException) -> bool:
    """Whether a ``raise`` raised this, and no signal."""
    trace = raised.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]].startswith("RAISE")


def _call() -> Any:
    return program()  # noqa: F821 - of the namespace that `Trial.shown` gives it  # pyright: ignore
