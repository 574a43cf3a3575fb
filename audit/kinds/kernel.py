"""`kernel` subjects: deterministic given their coins; the law follows from thresholds.

A kernel is a black box: it is called with chosen coins, and what it returns says on which side of a
threshold they lie. The structure that its declared coins may have:

- a uniform coin has finitely many thresholds (one to accept, fewer than V to invert a cumulative
  law), which depend on other coins only through the intervals that these lie in;
- noise along an axis of V numbers is a race, won by the id of the least ``E / weight``; several
  races on the same noise are integrated together.

Thresholds are found by bisection, one coin after the other, each in every interval of the coins
before it, so that a coin used twice is one variable. The tree found is then tested at random and
at coupled coins. Whatever does not fit is UNDECIDED, and LOSSLESS means *given structure*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .calling import keywords, returned_ids
from .cases import Case
from .due import DueLaws
from .judging import Given, narrower
from .kernel_coins import PLACES, Structure, StructureError
from .kernel_layout import Coins, Outcome, coupled_points
from .rule import rule_arguments
from .settings import Ids
from .trial import SubjectLostError, Trial, contained, quiet

#: The pairs a kernel is tried on: fewer than a rule, since each takes thousands of calls.
PAIRS = (
    *("base", "contexts", "equal", "disjoint", "zeros", "context-dependent", "two-id-residual"),
    *("shifted-rows", "cumulative", "fair-coins", "rare", "small", "tiny", "tiniest"),
)
#: Calls for one block law; beyond them the structure is given up.
MAX_CALLS = 60_000
#: Laws in which a narrow dtype must have shown for it to count as the kernel's own.
OFTEN = 3
#: With this probability random coins meet a set as large as a note says.
MET = 0.99


@dataclass
class KernelLaw:
    """The law of a kernel's block for given drafts, as an enumeration reports it."""

    law: dict[Any, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    unexplored_mass: float = 0.0
    paths: int = 0
    reason: str | None = None
    narrowest_dtype: str = "float64"
    is_rounded: bool = False
    note: str | None = None


class CallsSpentError(Exception):
    """More calls were needed than are allowed."""


class Kernel:
    """A kernel with its rows and drafts fixed: a function of the coins alone."""

    def __init__(self, trial: Trial, case: Case, due: DueLaws, drafts: Ids) -> None:
        self._trial = trial
        self._settings = case.settings
        self._arrays = trial.arrays(case.dtype)
        self._coin_arrays = trial.arrays("float64")
        self._arguments = rule_arguments(self._arrays, due, drafts)
        self.coins = Coins(trial.subject.coins, len(drafts), due.size)
        self.calls = 0

    def __call__(self, point: Any) -> Outcome:
        """What the kernel returns at ``point``: ids, or what it raised as text."""
        self.calls += 1
        if self.calls % 64 == 1:
            self._trial.beat()
            self._trial.seconds_left()
        if self.calls > MAX_CALLS:
            raise CallsSpentError
        copy = self._arrays.copy
        coins = {
            name: self._coin_arrays.rows(values, shape)
            for name, shape, values in self.coins.arrays(point)
        }
        named = keywords(self._trial.subject, self._settings)
        given = tuple(copy(a) for a in self._arguments)
        try:
            return self._read(contained(lambda: self._trial.subject.call(*given, coins, **named))())
        except SubjectLostError:
            raise
        except Exception as raised:
            line = " ".join(str(raised).split())
            return f"{type(raised).__name__}: {line[:200]}"

    def _read(self, value: Any) -> Any:
        """What was returned, checked."""
        return returned_ids(value)


def kernel_law(trial: Trial, case: Case, due: DueLaws) -> Given:
    """The law of the block, over the drafts and the coins."""
    given = Given(dtype=case.dtype)
    for drafts, weight in due.drafts(case.lookahead).items():
        kernel = Kernel(trial, case, due, drafts)
        given.add(threshold_law(trial, kernel, hints(due, drafts), case.dtype), weight, drafts)
    # Where little is left of a residual, float32 puts thresholds far from what is due: that the
    # kernel computes in it was seen elsewhere.
    given.dtype = narrower(given.dtype, _usual_dtype(trial.dtypes))
    return given


def _usual_dtype(shown: Sequence[str]) -> str:
    """The dtype that most laws with rounded thresholds show; float64 unless some do."""
    name, count = Counter(shown).most_common(1)[0] if shown else ("float64", 0)
    return name if count >= max(OFTEN, len(shown) / 2) else "float64"


def threshold_law(trial: Trial, kernel: Kernel, hinted: list[float], dtype: str) -> KernelLaw:
    """The law of the block for given drafts, from thresholds found by probing."""
    try:
        with quiet():
            law = _law(kernel, hinted, trial.random_tests)
    except StructureError as problem:
        law = KernelLaw(unexplored_mass=1.0, reason=f"outside the declared structure: {problem}")
    except CallsSpentError:
        law = KernelLaw(
            unexplored_mass=1.0,
            reason=f"no thresholds that explain the kernel were found in {MAX_CALLS:,} calls",
        )
    law.paths = kernel.calls
    if law.is_rounded and dtype == "float64":
        trial.dtypes.append(law.narrowest_dtype)
    trial.note(law)
    return law


def _law(kernel: Kernel, hinted: list[float], random_tests: int) -> KernelLaw:
    for point in coupled_points(kernel.coins, 3):
        if kernel(point) != kernel(point):
            raise StructureError("two calls with the same coins gave different results")
    structure = Structure(kernel, kernel.coins, hinted)
    tested = structure.test(48)
    if random_tests:
        structure.test_random(random_tests)
    found = KernelLaw(narrowest_dtype=structure.dtype(), is_rounded=structure.is_rounded())
    for outcome, mass in structure.law().items():
        if isinstance(outcome, str):
            found.errors[outcome] = found.errors.get(outcome, 0.0) + mass
        else:
            found.law[outcome] = found.law.get(outcome, 0.0) + mass
    found.note = (
        f"given structure: thresholds and races of the declared coins, tested at {tested} random "
        "and coupled coins for each draft"
    )
    if random_tests:
        found.note += excluded(random_tests)
    return found


def excluded(tests: int) -> str:
    """In words, how wide a set of coins with other results can be and not have been met."""
    share = 1 - (1 - MET) ** (1 / tests)
    return (
        f"; the width excluded: every coin was looked at in steps below 1/{PLACES // 2}, and "
        f"{tests} more independent coins for each draft meet with probability {MET} any set of "
        f"{share:.2g} of all coins where the thresholds mislead"
    )


def hints(due: DueLaws, drafts: Ids) -> list[float]:
    """Where thresholds of a correct kernel lie: near them it is looked closely."""
    found: set[float] = set()
    for j in range(len(drafts) + 1):
        p = due.row(drafts[:j])
        laws = [p]
        if j < len(drafts):
            q = due.drafter.after(due.prompt + drafts[:j])
            if q[drafts[j]]:
                found.add(min(1.0, p[drafts[j]] / q[drafts[j]]))
            left = [max(0.0, a - b) for a, b in zip(p, q, strict=True)]
            if sum(left) > 0:
                laws.append(tuple(x / sum(left) for x in left))
        for law in laws:
            total = 0.0
            for x in law[:-1]:
                total += x
                found.add(total)
    found.update(_block_thresholds(due, drafts))
    return sorted(t for t in found if 1e-12 < t < 1 - 1e-12)


def _block_thresholds(due: DueLaws, drafts: Ids) -> list[float]:
    """The acceptance thresholds of block verification (algorithm 2 of arXiv:2403.10444)."""
    found: list[float] = []
    ratio = 1.0
    for j, token in enumerate(drafts):
        q = due.drafter.after(due.prompt + drafts[:j])
        if not q[token]:
            break
        ratio = min(1.0, ratio * due.row(drafts[:j])[token] / q[token])
        found.append(ratio)
        if j + 1 < len(drafts):
            p, q = due.row(drafts[: j + 1]), due.drafter.after(due.prompt + drafts[: j + 1])
            left = sum(max(0.0, ratio * a - b) for a, b in zip(p, q, strict=True))
            if left + 1.0 - ratio > 0:
                found.append(left / (left + 1.0 - ratio))
    return found
