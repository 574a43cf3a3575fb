"""Exact laws of programs: run a program once for each branch of its choices.

`branches` walks the tree of choices depth first, each time running the program from the start along
a script of choices already made. `exact_law` adds the branches up. Nothing is simulated and nothing
is modelled a second time: what is enumerated is the program that samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from .chance import Step
from .distribution import Distribution, DistributionError, ExactDistribution
from .exact import ONE, ZERO, Rational

Outcome = TypeVar("Outcome")
Result = TypeVar("Result")


#: Called before every branch of every enumeration, nested ones included, where it is set: what
#: keeps a budget raises from it.
before_branch: ContextVar[Callable[[], None] | None] = ContextVar("before_branch", default=None)


class DivergenceError(RuntimeError):
    """A program that did something else when it was run again along the same choices."""


class Branch:
    """Chance that follows a script of choices, then always takes the first one left.

    Decisions of probability zero or one are no choices. ``probability`` is that of the path so far,
    ``expected_draws`` the expected number of draws that its ``draw_kept`` calls make (one over the
    mass kept, each), ``steps`` what was decided.
    """

    __slots__ = ("_position", "_script", "choices", "expected_draws", "probability", "steps")

    def __init__(self, script: list[int]) -> None:
        self._script = script
        self._position = 0
        self.choices: list[tuple[int, object]] = []
        self.probability: Rational = ONE
        self.expected_draws: Rational = ZERO
        self.steps: list[Step] = []

    def draw(self, law: Distribution[Outcome], what: str = "") -> Outcome:
        """The scripted outcome of ``law``."""
        outcome = self._choose(_exact(law))
        self.steps.append(Step("draw", what, outcome, law))
        return outcome

    def accept(self, probability: Any, what: str = "") -> bool:
        """The scripted answer; certain answers are given without a choice."""
        probability = _number(probability)
        if probability >= 1:
            accepted = True
        elif probability <= 0:
            accepted = False
        else:
            accepted = self._scripted(2, probability) == 0
            self.probability *= probability if accepted else 1 - probability
        self.steps.append(Step("accept", what, accepted, probability))
        return accepted

    def draw_kept(
        self, law: Distribution[Outcome], keep: Callable[[Outcome], Any], what: str = ""
    ) -> Outcome:
        """The scripted outcome of the law of kept draws.

        Raises:
            DistributionError: when no draw is ever kept; a sampler would never return.
        """
        kept = _exact(law).keep(lambda outcome: _number(keep(outcome)))
        if not kept.mass:
            raise DistributionError(f"no draw from {law!r} is ever kept")
        outcome = self._choose(kept.normalised())
        self.expected_draws += 1 / kept.mass
        self.steps.append(Step("draw_kept", what, outcome, law))
        return outcome

    def _choose(self, law: ExactDistribution[Outcome]) -> Outcome:
        if law.mass != 1:
            raise DistributionError(f"cannot draw from a law of mass {law.mass}: {law!r}")
        outcomes = tuple(law)
        if len(outcomes) == 1:
            return outcomes[0]
        outcome = outcomes[self._scripted(len(outcomes), law)]
        self.probability *= law[outcome]
        return outcome

    def _scripted(self, options: int, law: object) -> int:
        """The next choice: its index, after noting how many options there were, and their law."""
        position = self._position
        self._position = position + 1
        choice = self._script[position] if position < len(self._script) else 0
        if choice >= options:
            raise DivergenceError(f"choice {position} has only {options} options this time")
        self.choices.append((options, law))
        return choice


@dataclass(frozen=True, slots=True)
class Leaf(Generic[Result]):
    """The end of one branch: the program's result, the branch's probability and its decisions.

    ``error`` is what the program raised there instead of giving a result; then ``result`` is None.
    """

    result: Result
    probability: Rational
    expected_draws: Rational
    steps: tuple[Step, ...]
    error: Exception | None = None


def branches(
    program: Callable[[Branch], Result], catch: type[Exception] | tuple[type[Exception], ...] = ()
) -> Iterator[Leaf[Result]]:
    """Run ``program`` along every branch; the probabilities of all leaves sum to one.

    What is in ``catch`` ends a branch as a leaf with an ``error``; anything else raised ends the
    enumeration.

    Raises:
        DivergenceError: when the program does not repeat itself.
    """
    script: list[int] = []
    options: list[tuple[int, object]] = []
    while True:
        if (watch := before_branch.get()) is not None:
            watch()
        branch = Branch(script)
        error = None
        try:
            result = program(branch)
        except catch as raised:
            result, error = cast("Result", None), raised
        if branch.choices[: len(script)] != options[: len(script)]:
            raise DivergenceError(
                "after the same choices the program had others to make than before; it keeps a "
                "state of its own or draws randomness elsewhere"
            )
        yield Leaf(result, branch.probability, branch.expected_draws, tuple(branch.steps), error)
        options = branch.choices
        script += [0] * (len(options) - len(script))
        while script and script[-1] + 1 == options[len(script) - 1][0]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def exact_law(program: Callable[[Branch], Outcome]) -> ExactDistribution[Outcome]:
    """The exact law of what ``program(chance)`` returns, which must be hashable.

    Raises:
        DistributionError: when the branches do not add up to one.
    """
    return ExactDistribution((leaf.result, leaf.probability) for leaf in branches(program))


def expectation(program: Callable[[Branch], Rational | int]) -> Rational:
    """The exact expected value of a number that ``program(chance)`` returns."""
    return sum((leaf.probability * leaf.result for leaf in branches(program)), ZERO)


def _number(probability: Any) -> Any:
    """The number itself of one that is known between bounds (`psi_bounds.Deferred`)."""
    exact: Any = getattr(probability, "exact", None)
    return probability if exact is None else exact()


def _exact(law: Distribution[Outcome]) -> ExactDistribution[Outcome]:
    if not isinstance(law, ExactDistribution):
        raise TypeError(f"only exact distributions can be enumerated, not {type(law).__name__}")
    return law
