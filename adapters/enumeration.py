"""The exact law of a torch program: every path run once, its outcome weighed by the path's mass."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .choices import Choices
from .random_calls import GlobalGenerators, RefusedOperators, intercepted

Outcome = TypeVar("Outcome", bound=Hashable)

#: `RefusedOperators` watches the first path and every path whose number this divides.
WATCHED_EVERY = 64
#: How far from one the masses may add up, for rounding in float64.
MASS_TOLERANCE = 1e-9


@dataclass
class Enumeration(Generic[Outcome]):
    """What running the paths of a program found.

    Attributes:
        law: probability of each outcome, over the paths that returned one.
        errors: probability of each exception, by its type and the start of its text.
        unexplored_mass: probability of the paths that were not run.
        paths: how many were run.
        seconds: wall time.
        reason: why the law cannot be trusted or is not complete, None if it is. When it cannot be
            trusted (a random call that is not modelled, a divergence) ``law`` is empty.
    """

    law: dict[Outcome, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    unexplored_mass: float = 1.0
    paths: int = 0
    seconds: float = 0.0
    reason: str | None = None

    @property
    def error_mass(self) -> float:
        """Probability of the paths that raised."""
        return math.fsum(self.errors.values())

    def _discard(self, reason: str) -> None:
        """Give up every number, for ``reason``."""
        self.law, self.errors, self.unexplored_mass, self.reason = {}, {}, 1.0, reason


def enumerate_law(
    program: Callable[[], Outcome], *, seconds: float = math.inf, max_paths: int | None = None
) -> Enumeration[Outcome]:
    """The exact law of what ``program`` returns.

    Args:
        program: run once a path; its only randomness may be `torch.multinomial` and
            `torch.rand_like`. It must start from the same state every time. What it raises is
            counted as error mass.
        seconds: budget of wall time; at least one path is run.
        max_paths: budget of paths.

    Returns:
        The `Enumeration`; ``reason`` says why when it is not the complete law.
    """
    started = time.monotonic()
    found: Enumeration[Outcome] = Enumeration()
    choices = Choices()
    while found.reason is None:
        _run_path(program, choices, found)
        found.seconds = time.monotonic() - started
        if found.reason is not None:
            break
        found.unexplored_mass = choices.mass_beyond()
        if not choices.advance():
            break
        if found.seconds >= seconds or found.paths == max_paths:
            found.reason = f"budget spent after {found.paths} paths and {found.seconds:.1f} s"
    total = math.fsum(found.law.values()) + found.error_mass + found.unexplored_mass
    if abs(total - 1.0) > MASS_TOLERANCE:
        found._discard(f"the probability mass of all paths adds up to {total!r}")
    return found


def _run_path(
    program: Callable[[], Outcome], choices: Choices, found: Enumeration[Outcome]
) -> None:
    """Run one path and enter it into ``found``."""
    watched = RefusedOperators(choices) if found.paths % WATCHED_EVERY == 0 else nullcontext()
    before = GlobalGenerators()
    choices.start()
    outcomes: list[Outcome] = []
    errors: list[str] = []
    try:
        with intercepted(choices), watched:
            outcomes.append(program())
    except Exception as raised:
        text = " ".join(str(raised).split())
        errors.append(f"{type(raised).__name__}: {text[:200]}")
    choices.finish()
    found.paths += 1
    advanced = before.advanced()
    if choices.refusals:
        found._discard(choices.refusals[0])
    elif advanced:
        found._discard(f"{' and '.join(advanced)} advanced: a random call that is not modelled")
    else:
        _add(found.law, outcomes, choices.mass)
        _add(found.errors, errors, choices.mass)


def _add(masses: dict[Outcome, float], outcomes: list[Outcome], mass: float) -> None:
    for outcome in outcomes:
        masses[outcome] = masses.get(outcome, 0.0) + mass
