"""Exact laws: of plain decoding, of one round, and of whole runs.

All strings here are tuples of *new* target ids; each ends with an end of sequence or has the stated
length, so that two laws over them can be compared outcome by outcome.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from ..reference.chance import Chance
from ..reference.distribution import ExactDistribution
from ..reference.enumeration import DivergenceError, before_branch, branches
from ..reference.exact import ONE, ZERO, Rational
from ..reference.models import Ids
from ..reference.pair import Pair, PairError
from ..reference.programs import Program
from ..reference.rounds import Round, ended


class BudgetSpentError(RuntimeError):
    """The time allowed ran out before the law was complete."""


class _RaisedError(Exception):
    """What a program raised on one branch."""


@dataclass(frozen=True, slots=True)
class RoundLaw:
    """The exact law of one round at one context.

    Attributes:
        blocks: over (emitted ids, carried state); sub-stochastic where some branches raise.
        acceptance: the probability that the first candidate is accepted.
        tokens: the expected number of emitted ids.
        paths: how many branches were run.
        error: what the first branch that raised had to say, if any did.
    """

    blocks: ExactDistribution[tuple[Ids, Hashable]]
    acceptance: Rational
    tokens: Rational
    paths: int
    error: str | None = None

    @property
    def longest(self) -> int:
        """The length of the longest block; 1 when every branch raises."""
        return max((len(emitted) for emitted, _ in self.blocks), default=1)


@dataclass
class Laws:
    """The laws of one program on one pair, each computed once.

    Attributes:
        tick: called before every branch, and for every law of the target's; may raise
            `BudgetSpentError`.
        paths: branches run so far.
        error: what the first branch that raised had to say, if any did.
    """

    program: Program
    pair: Pair
    tick: Callable[[], None] = lambda: None
    paths: int = 0
    error: str | None = None
    _rounds: dict[tuple[Ids, Hashable], RoundLaw] = field(default_factory=dict)
    _due: dict[tuple[Ids, int], dict[Ids, Rational]] = field(default_factory=dict)

    def round_law(self, context: Ids, state: Hashable = None) -> RoundLaw:
        """The law of one round after ``context`` (prompt included), given the carried ``state``."""
        key = (context, state)
        if key not in self._rounds:
            self._rounds[key] = self._enumerate(context, state)
        return self._rounds[key]

    def _enumerate(self, context: Ids, state: Hashable) -> RoundLaw:
        blocks: dict[tuple[Ids, Hashable], Rational] = {}
        acceptance = tokens = ZERO
        paths = 0
        error = None
        # Also for what the program enumerates itself, psi for one.
        watched = before_branch.set(self.tick)
        generator = random.getstate()
        try:
            for leaf in branches(
                lambda chance: self._run_round(context, chance, state), catch=_RaisedError
            ):
                paths += 1
                if leaf.error is not None:
                    error = error or str(leaf.error)
                    continue
                emitted = leaf.result.emitted
                outcome = (emitted, leaf.result.state)
                blocks[outcome] = blocks.get(outcome, ZERO) + leaf.probability
                tokens += leaf.probability * len(emitted)
                if leaf.result.accepted:
                    acceptance += leaf.probability
        finally:
            before_branch.reset(watched)
            self.paths += paths
        if random.getstate() != generator:
            raise DivergenceError("the program drew from Python's own random numbers")
        self.error = self.error or error
        law = ExactDistribution(blocks, sub_stochastic=error is not None)
        return RoundLaw(law, acceptance, tokens, paths, error)

    def _run_round(self, context: Ids, chance: Chance, state: Hashable) -> Round:
        """One round; what the program does wrong is raised as `_RaisedError`."""
        try:
            block = self.program.run_round(self.pair, context, chance, state)
            if not block.emitted:
                raise ValueError("the round emitted nothing")
        except (PairError, DivergenceError, BudgetSpentError):
            raise
        except Exception as raised:
            raise _RaisedError(f"{type(raised).__name__}: {raised}") from raised
        return block

    def _over(self, new: Ids) -> bool:
        """Whether nothing follows ``new``: it ended, or holds an id that the target cannot read."""
        if ended(new, self.pair.end_of_sequence):
            return True
        return any(not 0 <= token < self.pair.target.size for token in new)

    def due_law(self, context: Ids, length: int) -> ExactDistribution[Ids]:
        """The target's own law of the next ``length`` ids after ``context``."""
        return ExactDistribution(self._due_from(context, length))

    def _due_from(self, context: Ids, length: int) -> dict[Ids, Rational]:
        """`due_law` as a plain mapping, computed once for each context and length."""
        key = (context, length)
        if key not in self._due:
            self.tick()
            law: dict[Ids, Rational] = {(): ONE}
            if length:
                law = {}
                for token, probability in _first(self.pair, context).items():
                    if token == self.pair.end_of_sequence:
                        law[(token,)] = probability
                        continue
                    for rest, number in self._due_from((*context, token), length - 1).items():
                        law[(token, *rest)] = probability * number
            self._due[key] = law
        return self._due[key]

    def completed_round(self, context: Ids, state: Hashable = None) -> ExactDistribution[Ids]:
        """One round's block, completed by the target's own draws to the longest block's length."""
        law = self.round_law(context, state)
        completed: dict[Ids, Rational] = {}
        for (emitted, _), probability in law.blocks.items():
            missing = 0 if self._over(emitted) else law.longest - len(emitted)
            for rest, number in self._due_from(context + emitted, missing).items():
                string = emitted + rest
                completed[string] = completed.get(string, ZERO) + probability * number
        return ExactDistribution(completed, sub_stochastic=law.error is not None)

    def run_law(self, prompt: Ids, horizon: int) -> ExactDistribution[Ids]:
        """The law of a whole run's first ``horizon`` ids; equal (ids, state) are merged.

        Its mass falls short of one by the probability that a round raises.
        """
        final: dict[Ids, Rational] = {}
        for (new, _), mass in self._reached(prompt, horizon):
            if len(new) == horizon or self._over(new):
                final[new] = final.get(new, ZERO) + mass
        return ExactDistribution(final, sub_stochastic=True)

    def contexts(self, prompt: Ids, horizon: int) -> Iterator[tuple[Ids, Hashable]]:
        """Every (context, state) at which a round can begin within ``horizon`` new ids.

        Those are all strings that the target can produce, shortest first, and those with a carried
        state that a run can arrive at.
        """
        seen: set[tuple[Ids, Hashable]] = set()
        for length in range(horizon):
            for new in self.due_law(prompt, length):
                if len(new) == length and not ended(new, self.pair.end_of_sequence):
                    seen.add((prompt + new, None))
                    yield prompt + new, None
        for (new, state), _ in self._reached(prompt, horizon):
            done = len(new) == horizon or self._over(new)
            if not done and (prompt + new, state) not in seen:
                yield prompt + new, state

    def _reached(
        self, prompt: Ids, horizon: int
    ) -> Iterator[tuple[tuple[Ids, Hashable], Rational]]:
        """Every (new ids, state) that a run passes through, with its mass, shortest first."""
        waiting: list[dict[tuple[Ids, Hashable], Rational]] = [{} for _ in range(horizon + 1)]
        waiting[0][((), None)] = ONE
        for length in range(horizon + 1):
            for (new, state), mass in waiting[length].items():
                yield (new, state), mass
                if length == horizon or self._over(new):
                    continue
                for (emitted, carried), number in self.round_law(
                    prompt + new, state
                ).blocks.items():
                    longer = (new + emitted)[:horizon]
                    over = len(longer) == horizon or self._over(longer)
                    key = (longer, None if over else carried)
                    at = waiting[len(longer)]
                    at[key] = at.get(key, ZERO) + mass * number


def _first(pair: Pair, context: Ids) -> ExactDistribution[int]:
    law = pair.target.distributions(context)[0]
    if not isinstance(law, ExactDistribution):
        raise TypeError(f"only exact models have an exact law, not {type(law).__name__}")
    return law
