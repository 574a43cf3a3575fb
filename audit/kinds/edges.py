"""Edges: what no law over ideal coins covers.

Generators can give exactly 0, and numbers just below 1; rows can hold NaN or infinity; and reported
log-probabilities can be wrong while every id is right. Results are LOSSLESS for passed and LOSSY
for failed; they change the exit code only where the user asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...toymodels.gallery import GalleryPair
from ..report import LOSSLESS, LOSSY, UNDECIDED, Result, Value, Witness
from .calling import program
from .cases import Case
from .due import DueLaws, Rows
from .generate import run_call
from .kernel import Kernel
from .kernel_layout import coupled_points
from .pairs import named_pair
from .settings import Ids
from .steps import Step
from .trial import Trial

#: Makes a call of the subject for given drafts, as `rule.block_call` does.
CallMaker = Callable[[Trial, Case, DueLaws, Ids], Callable[[], Any]]
#: The ends of [0, 1) as float64 numbers.
ENDS = {"endpoint-zero": 0.0, "endpoint-one": 1.0 - 2.0**-53}
ENDPOINT_PAIRS = ("impossible-draft", "zeros", "base", "disjoint")


class _Spoiled(Rows):
    """Rows of which some hold a number that is none."""

    def __init__(self, rows: Rows, number: float) -> None:
        self._clean = rows
        self._number = number
        self.size = rows.size
        self.was_read = False

    def after(self, context: Ids) -> tuple[float, ...]:
        """The row, its first number replaced."""
        self.was_read = True
        return (self._number, *self._clean.after(context)[1:])


class _Changed(Rows):
    """Rows that are functions of others."""

    def __init__(
        self, rows: Rows, change: Callable[[tuple[float, ...]], tuple[float, ...]]
    ) -> None:
        self._clean = rows
        self._change = change
        self.size = rows.size

    def after(self, context: Ids) -> tuple[float, ...]:
        """The row, changed."""
        return self._change(self._clean.after(context))


def _even(row: tuple[float, ...]) -> tuple[float, ...]:
    return (1 / len(row),) * len(row)


def _first(row: tuple[float, ...]) -> tuple[float, ...]:
    return (1.0, *(0.0,) * (len(row) - 1))


#: Rows of the drafter that must make no difference to what ignores them.
CHANGES: tuple[Callable[[tuple[float, ...]], tuple[float, ...]], ...] = (
    tuple,
    _even,
    _first,
    lambda row: _first(row)[::-1],
    lambda row: row[::-1],
)


def _changed(case: Case) -> list[DueLaws]:
    """The case with other laws of the drafter, its own first."""
    found = [DueLaws(case.pair, case.settings) for _ in CHANGES]
    for due, change in zip(found, CHANGES, strict=True):
        due.drafter = _Changed(due.drafter, change)
    return found


def steps(trial: Trial, call: CallMaker) -> Iterator[Step]:
    """The edges of subjects that get rows."""
    for check, fill in ENDS.items():
        for name in ENDPOINT_PAIRS:
            case = Case(named_pair(name), 1, check, "endpoint")
            yield edge(trial, case, lambda c=case, f=fill: _endpoint(trial, c, f, call))
    for check, side, number in SPOILED:
        case = Case(named_pair("base"), 1, check, "nan")
        yield edge(trial, case, lambda c=case, s=side, n=number: _spoiled(trial, c, s, n, call))
    if trial.subject.kind in ("rule", "generate", "transformers"):
        from .reporting import reporting_steps

        yield from reporting_steps(trial)


SPOILED = (
    ("nan-target", "target", math.nan),
    ("nan-drafter", "drafter", math.nan),
    ("infinite-target", "target", math.inf),
    ("infinite-drafter", "drafter", math.inf),
)


def run_steps(trial: Trial) -> Iterator[Step]:
    """The edges of `generate` subjects: the same, over a run of two ids."""

    def call(trial: Trial, case: Case, due: DueLaws, drafts: Ids) -> Callable[[], Any]:
        del drafts
        return run_call(trial, case, due, 2)

    yield from steps(trial, call)


def kernel_steps(trial: Trial, more: Sequence[GalleryPair] = ()) -> Iterator[Step]:
    """The edges of kernels: all uniform coins at one end, and rows that are spoiled.

    ``more`` are pairs for the ends besides `ENDPOINT_PAIRS`.
    """
    for check, fill in ENDS.items():
        for pair in (*map(named_pair, ENDPOINT_PAIRS), *more):
            case = Case(pair, 1, check, "endpoint")
            yield edge(trial, case, lambda c=case, f=fill: _kernel_endpoint(trial, c, f))
    for check, side, number in SPOILED:
        case = Case(named_pair("base"), 1, check, "nan")
        yield edge(trial, case, lambda c=case, s=side, n=number: _kernel_spoiled(trial, c, s, n))


def edge(trial: Trial, case: Case, run: Callable[[], Result]) -> Step:
    """A step that gives one edge."""
    return Step(trial.blank(case), lambda: [run()], is_edge=True)


def each_drafts(trial: Trial, due: DueLaws) -> Sequence[Ids]:
    """The drafts to try; none for a subject that draws its own."""
    return [()] if trial.subject.drafts_itself else list(due.drafts(1))


def _endpoint(trial: Trial, case: Case, fill: float, call: CallMaker) -> Result:
    from ..interception.endpoints import EndlessDraws, run_with_coins

    due = DueLaws(case.pair, case.settings)
    blank = trial.blank(case)
    coin = "0" if fill == 0.0 else "just below 1"
    for drafts in each_drafts(trial, due):
        trial.beat()
        trial.seconds_left()  # raises when there are none
        trial.snapshot.restore()
        try:
            ids = run_with_coins(trial.shown(program(call(trial, case, due, drafts))), fill)
        except EndlessDraws:
            reason = f"draws for ever with every uniform {coin}; no real generator gives that"
            return replace(blank, reason=reason)
        except Exception as raised:
            if type(raised).__name__ == "UnmodelledRandomCall":
                return replace(blank, verdict=UNDECIDED, reason=str(raised))
            return failed(blank, f"raises with every uniform {coin}: {line(raised)}")
        trial.returned |= not trial.subject.drafts_itself  # see `generate.run_law`
        if wrong := _impossible(due, ids):
            return _emitted(blank, due, wrong, f"with every uniform {coin}")
    return replace(blank, verdict=LOSSLESS)


def _kernel_endpoint(trial: Trial, case: Case, fill: float) -> Result:
    due = DueLaws(case.pair, case.settings)
    blank = trial.blank(case)
    coin = "0" if fill == 0.0 else "just below 1"
    for drafts in due.drafts(1):
        kernel = Kernel(trial, case, due, drafts)
        coins = kernel.coins
        noise = max(-math.log1p(-fill), 1e-300)
        ids = kernel(((fill,) * coins.scalars, ((noise,) * coins.vocabulary,) * coins.races))
        if isinstance(ids, str):
            return failed(blank, f"raises with every coin {coin}: {ids}")
        trial.returned = True
        if wrong := _impossible(due, ids):
            return _emitted(blank, due, wrong, f"with every coin {coin}")
    return replace(blank, verdict=LOSSLESS)


def _impossible(due: DueLaws, ids: Ids) -> Ids | None:
    """The shortest beginning of ``ids`` that has probability zero."""
    for place, token in enumerate(ids):
        if not 0 <= token < due.size or due.row(ids[:place])[token] == 0:
            return ids[: place + 1]
    return None


def _spoiled(trial: Trial, case: Case, side: str, number: float, call: CallMaker) -> Result:
    """Whether a row with a number that is none leads to an id."""
    clean = DueLaws(case.pair, case.settings)
    spoiled = DueLaws(case.pair, case.settings)
    rows = _Spoiled(getattr(spoiled, side), number)
    setattr(spoiled, side, rows)
    blank = trial.blank(case)
    for drafts in each_drafts(trial, clean):
        found = trial.enumerate(
            program(call(trial, case, spoiled, drafts)), max_paths=200, noted=False
        )
        if found.law and not rows.was_read:  # a `generate` that never asks its drafter
            continue
        if found.law and side == "drafter" and _ignores(trial, case, drafts, found.law, call):
            continue
        if found.law:
            ids = next(iter(found.law))
            mass = math.fsum(found.law.values())
            return failed(
                blank,
                f"returns ids ({list(ids)} among them) with probability {mass:.3g} where the "
                f"{side}'s rows hold {number}; a clear error is due",
            )
        if found.reason is not None:
            return replace(blank, verdict=UNDECIDED, reason=found.reason)
    return replace(blank, verdict=LOSSLESS)


def _ignores(trial: Trial, case: Case, drafts: Ids, law: dict[Ids, float], call: CallMaker) -> bool:
    """Whether the drafter's rows make no difference for these drafts, so that none can harm."""
    if trial.subject.drafts_itself:  # its law never depends on them, if it is right
        return False
    for due in _changed(case):
        found = trial.enumerate(program(call(trial, case, due, drafts)), 200, noted=False)
        if any(
            abs(found.law.get(ids, 0.0) - law.get(ids, 0.0)) > 1e-9 for ids in {**found.law, **law}
        ):
            return False
    return True


def _kernel_spoiled(trial: Trial, case: Case, side: str, number: float) -> Result:
    clean = DueLaws(case.pair, case.settings)
    spoiled = DueLaws(case.pair, case.settings)
    setattr(spoiled, side, _Spoiled(getattr(spoiled, side), number))
    blank = trial.blank(case)
    for drafts in clean.drafts(1):
        kernel = Kernel(trial, case, spoiled, drafts)
        half = ((0.5,) * kernel.coins.scalars, ((1.0,) * clean.size,) * kernel.coins.races)
        ids = kernel(half)
        if side == "drafter" and not isinstance(ids, str):
            points = coupled_points(kernel.coins, 24)
            others = [Kernel(trial, case, due, drafts) for due in _changed(case)]
            if all(other(point) == kernel(point) for point in points for other in others):
                continue
        if not isinstance(ids, str):
            return failed(
                blank, f"returns {list(ids)} where the {side}'s rows hold {number}; an error is due"
            )
    return replace(blank, verdict=LOSSLESS)


def failed(blank: Result, reason: str) -> Result:
    """``blank`` as a failed edge."""
    return replace(
        blank,
        verdict=LOSSY,
        reason=reason,
        fault="numerical-edge" if blank.guarantee in ("endpoint", "nan") else None,
        fault_candidates=("numerical-edge",) if blank.guarantee in ("endpoint", "nan") else (),
        refutes=(blank.guarantee,),
    )


def _emitted(blank: Result, due: DueLaws, ids: Ids, when: str) -> Result:
    """A failed endpoint: ``ids`` were given and have probability zero."""
    context, last = due.prompt + ids[:-1], ids[-1:]
    witness = Witness(context, last, Value(None, 0.0), Value(None, 1.0), due.size, 1)
    reason = f"gives id {last[0]} after {list(context)}, which has probability zero, {when}"
    return replace(failed(blank, reason), witness=witness)


def line(raised: Exception) -> str:
    """What was raised, in one line."""
    return f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}"
