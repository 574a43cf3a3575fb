"""What rounds of SLRS cost: real ones, one at every visited position for each algorithm.

psi is asked for at the candidates and at every draw that a residual tests, and how many drafter
passes that takes follows from no formula. So a round is run, with coins of its own, and counted.
Each algorithm and lookahead has a drafter with its own memory, which forgets nothing between the
positions of a text: as in a run, what was asked a round before is known. Coins are those of the
position, so rounds of all lookaheads draft the same, and the target is asked once.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from ...reference.models import Ids, distributions_after
from ..decoding.lookahead import Always
from ..decoding.programs import RealProgram
from ..huggingface.coins import TensorSampler
from .continuations import Continuation

#: Tokens that are wanted, where as many as there are may come.
ENOUGH = 1 << 30


class Memories:
    """A drafter with several memories: ``asked`` says whose is used.

    All have the weights of one model, and counts of their own.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.now = model

    def asked(self, memory: Any) -> None:
        """Use ``memory``, one that `new` gave, or the model's own for None."""
        self.now = self.model if memory is None else memory

    def new(self) -> Any:
        """A memory in which nothing is."""
        made = copy.copy(self.model)
        for name, value in vars(made).items():
            if isinstance(value, dict | list):
                setattr(made, name, copy.copy(value))
        made.forget()
        return made

    def distributions(self, context: Ids, continuation: Ids = ()) -> Any:
        """Those of the memory in use."""
        return self.now.distributions(context, continuation)

    def distributions_after(self, contexts: Sequence[Ids]) -> Any:
        """Those of the memory in use."""
        return distributions_after(self.now, contexts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)


@dataclass(frozen=True)
class Spent:
    """One round: drafter passes, their positions beyond one each, target ids verified."""

    passes: float
    more: float
    read: float


#: What is run: the algorithm's name, and its lookahead.
What = tuple[str, int]


def measured_lookaheads(most: int) -> tuple[int, ...]:
    """Those that are run: 1, 2, 4, .. and the largest; costs of others lie on straight lines."""
    return tuple(sorted({most, *(1 << n for n in range(most.bit_length()) if 1 << n <= most)}))


def spent(
    drafter: Memories,
    programs: Mapping[What, RealProgram],
    text: Continuation,
    seed: int,
    step: Callable[[], None] = lambda: None,
) -> list[dict[What, Spent]]:
    """For every visited position what each of ``programs`` spends in a round there.

    Args:
        drafter: that of the programs' pair.
        programs: all on one pair. Of one algorithm the largest lookaheads should come first.
        text: what is visited.
        seed: of the coins, with the context.
        step: called after each position.
    """
    memories = {what: drafter.new() for what in programs}
    found: list[dict[What, Spent]] = []
    for position in range(text.positions):
        context = text.context(position)
        coins = random.Random(f"{seed} {context}").getrandbits(62)
        at: dict[What, Spent] = {}
        for what, program in programs.items():
            memory = memories[what]
            drafter.asked(memory)
            if not position:
                _read(program, context)
            passes, tokens = memory.passes, memory.tokens
            run_round = program.rounds(Always(what[1]), lambda _: ENOUGH)
            block = run_round(program.pair, context, TensorSampler(coins), None)
            passes = memory.passes - passes
            more = memory.tokens - tokens - passes
            at[what] = Spent(passes, max(more, 0), len(block.candidates))
        found.append(at)
        drafter.asked(None)
        step()
    return found


def _read(program: RealProgram, context: Ids) -> None:
    """What stands before a run's first round is read beforehand."""
    read = program.pair.drafter_context(context)
    if read is not None and len(read) > 1:
        program.pair.drafter.distributions(read[:-1])


def between(at: Mapping[What, Spent], name: str, lookaheads: Sequence[int]) -> list[Spent]:
    """What ``name`` spends for each of ``lookaheads``, on straight lines between those run."""
    run = sorted(k for each, k in at if each == name)
    lines = [
        numpy.interp(lookaheads, run, [getattr(at[name, k], what) for k in run])
        for what in ("passes", "more", "read")
    ]
    return [Spent(*map(float, each)) for each in zip(*lines, strict=True)]
