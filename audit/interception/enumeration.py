"""The exact law of a program: every path run once, its outcome weighed by the path's mass."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .choices import Choices, FullPathNeeded, PathPutOff
from .conversions import converting
from .merging import MERGE_TOLERANCE, MergingChoices, difference
from .patching import Watch, intercepted
from .session import DTYPES, Session

Outcome = TypeVar("Outcome", bound=Hashable)

#: The backstop watches the first path and every path whose number this divides.
BACKSTOP_EVERY = 64
#: How far from one the masses may add up, for rounding in float64.
MASS_TOLERANCE = 1e-9
#: Unexplored mass that is not worth another path.
MASS_FLOOR = 1e-12
#: After so many paths an enumeration settles for what it was told to settle for.
MANY_PATHS = 1024
#: Seconds past the budget after which a path that still draws is put off.
GRACE = 1.0


@dataclass
class Enumeration(Generic[Outcome]):
    """What running the paths of a program found.

    Attributes:
        law: probability of each outcome, over the paths that returned one.
        errors: probability of each exception, by its type and the start of its text.
        unexplored_mass: probability of the paths that were not run.
        paths: how many were run, those of a small case included.
        seconds: wall time.
        reason: why the law cannot be trusted or is not complete, None if it is. When it cannot be
            trusted (a random call that is not modelled, a divergence) ``law`` is empty.
        narrowest_dtype: of the probabilities and thresholds that decided something: "float64",
            "float32", "bfloat16" or "float16"; None if only Python's numbers did.
        operations: how many operations the longest path was seen to do; for the tolerance.
        idealised: how far, in total variation, the law may be from the program's own because tiny
            guards such as ``log(u + 1e-20)`` were left out.
        cross_check_paths: how many of them were of the small case of `enumerate_law`'s ``merge``.
        merged: how many paths ended at a boundary, in a state that another had reached.
    """

    law: dict[Outcome, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    unexplored_mass: float = 1.0
    paths: int = 0
    seconds: float = 0.0
    reason: str | None = None
    narrowest_dtype: str | None = None
    operations: int = 0
    idealised: float = 0.0
    cross_check_paths: int = 0
    merged: int = 0

    @property
    def error_mass(self) -> float:
        """Probability of the paths that raised."""
        return math.fsum(self.errors.values())

    def _discard(self, reason: str) -> None:
        """Give up every number, for ``reason``."""
        self.law, self.errors, self.unexplored_mass, self.reason = {}, {}, 1.0, reason


def enumerate_law(
    program: Callable[[], Outcome],
    *,
    seconds: float = math.inf,
    max_paths: int | None = None,
    mass_floor: float = MASS_FLOOR,
    backstop_every: int = BACKSTOP_EVERY,
    search_memory: bool = False,
    merge: Callable[[], Any] | None = None,
    settle_for: float = 0.0,
) -> Enumeration[Outcome]:
    """The exact law of what ``program`` returns.

    Args:
        program: run once a path. It must start from the same state every time. What it raises is
            counted as error mass.
        seconds: budget of wall time; at least one path is run.
        max_paths: budget of paths.
        mass_floor: the enumeration is complete when no more than this is unexplored. A program
            that may go on for ever (a rejection loop) has infinitely many paths.
        backstop_every: which paths are watched for operators that no model saw.
        search_memory: watch every NumPy generator that there is, also those that are kept where
            the program's functions do not lead. It looks through all of memory (about 0.1 s), so
            once for a subject is enough.
        merge: a small case of the program, such as one with a shorter horizon. If it is given,
            paths with equal states at a `boundary` are followed once; and before, the law of the
            small case is found with all paths and with merged ones. Those have to be the same.
        settle_for: what may stay unexplored, beyond ``mass_floor``, after `MANY_PATHS` of them.

    Returns:
        The `Enumeration`; ``reason`` says why when it is not the complete law.
    """
    started = time.monotonic()
    budget = _Budget(
        started, seconds, max_paths, mass_floor, backstop_every, search_memory, settle_for
    )
    if merge is None:
        return _intercepting(program, budget, False)
    return _cross_checked(program, merge, budget)


@dataclass(frozen=True)
class _Budget:
    """The arguments of `enumerate_law` of these names, and when it was called."""

    started: float
    seconds: float
    max_paths: int | None
    mass_floor: float
    backstop_every: int
    search_memory: bool
    settle_for: float


def _cross_checked(
    program: Callable[[], Outcome], small: Callable[[], Any], budget: _Budget
) -> Enumeration[Outcome]:
    """The law of a program with paths merged, if that gives the law of a small case."""
    laws: list[Enumeration[Any]] = []
    for merging in (False, True):
        laws.append(_intercepting(small, budget, merging))
        if laws[-1].reason is not None:
            how = "merged" if merging else "all"
            text = f"the small case, {how} paths: {laws[-1].reason}"
            return Enumeration(reason=text, paths=sum(found.paths for found in laws))
    every, merged = laws
    apart = max(difference(every.law, merged.law), difference(every.errors, merged.errors))
    reason = None
    if apart > MERGE_TOLERANCE:
        reason = f"merging is unsound: the state key misses something ({apart:.3g} apart)"
    elif not merged.merged:
        reason = "merging was not checked: no two paths of the small case reached one state"
    if reason is None:
        found = _intercepting(program, budget, True)
    else:
        found = Enumeration[Outcome](reason=reason)
    found.cross_check_paths = every.paths + merged.paths
    found.paths += found.cross_check_paths
    found.seconds = time.monotonic() - budget.started
    return found


def _intercepting(
    program: Callable[[], Outcome], budget: _Budget, merging: bool
) -> Enumeration[Outcome]:
    """Enumerations until nothing more has to be replaced in the subject's modules."""
    namespaces: list[dict[str, Any]] = []
    while True:
        missing = [name for name in ("numpy", "torch") if name not in sys.modules]
        with converting(namespaces):
            found, wanted = _enumerate(program, budget, merging)
        if wanted is not None and not any(wanted is known for known in namespaces):
            namespaces.append(wanted)  # a float() in this module: once more, with a fake of it
        elif not any(name in sys.modules for name in missing):
            return found  # otherwise one was imported on a path, and was not intercepted yet


def _enumerate(
    program: Callable[[], Outcome], budget: _Budget, merging: bool
) -> tuple[Enumeration[Outcome], dict[str, Any] | None]:
    """One enumeration, and the namespace in which a ``float()`` stood in its way."""
    found: Enumeration[Outcome] = Enumeration()
    floor, seconds = budget.mass_floor, budget.seconds
    choices = (MergingChoices if merging else Choices)(floor=floor * 1e-3)
    choices.deadline = max(budget.started + seconds, time.monotonic()) + GRACE
    session = Session(choices)
    with intercepted(session, program, budget.search_memory) as watch:
        while True:
            _run_path(program, session, found, watch, found.paths % budget.backstop_every == 0)
            found.seconds = time.monotonic() - budget.started
            if found.reason is not None:
                break
            spent = found.seconds >= seconds or found.paths == budget.max_paths
            if found.paths == MANY_PATHS:
                floor = max(floor, budget.settle_for)
            if choices.is_explored(floor, spent or found.paths & 63 == 0):
                break
            if spent:
                found.reason = f"budget spent after {found.paths} paths and {found.seconds:.1f} s"
                break
            if not choices.advance():
                break
        if watch.drawn_from():
            found._discard(
                "a NumPy generator made before, and kept where it was not found, advanced; keep it "
                "under a name of the module, or make it inside the function"
            )
    if found.reason is None or found.law or found.errors:
        found.unexplored_mass = choices.mass_beyond()
        total = math.fsum([*found.law.values(), *found.errors.values(), found.unexplored_mass])
        if abs(total - 1.0) > MASS_TOLERANCE:
            found._discard(f"the probability mass of all paths adds up to {total!r}")
    found.narrowest_dtype = None if session.narrowest is None else DTYPES[session.narrowest]
    found.merged = choices.merged if isinstance(choices, MergingChoices) else 0
    return found, session.wanted


def _run_path(
    program: Callable[[], Outcome],
    session: Session,
    found: Enumeration[Outcome],
    watch: Watch,
    with_backstop: bool,
) -> None:
    """Run one path and enter it into ``found``."""
    outcomes, errors = _run(program, session, watch, with_backstop, again=False)
    advanced = watch.advanced()
    if watch.was_lean():
        if watch.wants_full() or session.choices.refusals or advanced:
            watch.run_in_full()
        if watch.wants_full() or session.choices.refusals or advanced or errors:
            outcomes, errors = _run(program, session, watch, True, again=True)
            advanced = watch.advanced()
    session.choices.finish()
    found.paths += 1
    if session.choices.refusals:
        found._discard(session.choices.refusals[0])
    elif advanced:
        found._discard(f"{' and '.join(advanced)} advanced: a random call that is not modelled")
    elif not session.choices.put_off:
        _add(found.law, outcomes, session.choices.mass)
        _add(found.errors, errors, session.choices.mass)
    found.operations = max(found.operations, session.operations)
    found.idealised = max(found.idealised, session.idealised)


def _run(
    program: Callable[[], Outcome],
    session: Session,
    watch: Watch,
    with_backstop: bool,
    again: bool,
) -> tuple[list[Outcome], list[str]]:
    """What one run of a path returned, or raised; a lean one may have to be made again in full."""
    outcomes: list[Outcome] = []
    errors: list[str] = []
    session.start(again)
    with watch.path(with_backstop, lean=not with_backstop):
        try:
            outcome = program()
            hash(outcome)  # undrawn numbers refuse
            outcomes.append(outcome)
        except (PathPutOff, FullPathNeeded):
            pass
        except Exception as raised:
            text = " ".join(str(raised).split())
            errors.append(f"{type(raised).__name__}: {text[:200]}")
    session.choices.end()
    return outcomes, errors


def _add(masses: dict[Any, float], keys: list[Any], mass: float) -> None:
    for key in keys:
        masses[key] = masses.get(key, 0.0) + mass
