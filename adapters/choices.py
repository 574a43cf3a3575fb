"""Depth-first replay: a program that asks for choices is run once for every way they can fall.

The program is run again and again. On each run it is told to repeat the choices of the run before,
except the last one that still has an untried alternative, and to take the first alternative from
there on. Every run is one *path*; its *mass* is the product of the probabilities of its choices.
Nothing here knows about torch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


class UnmodelledRandomCall(RuntimeError):  # noqa: N818 - what is raised is the call, by name
    """A random call, or a use of its result, whose exact law is not modelled; named in the text."""


class DivergenceError(RuntimeError):
    """A replayed path asked for another choice than before: state leaked from run to run."""


@dataclass
class Choice:
    """One choice point: what was asked for, and the alternative taken on this path.

    Attributes:
        kind: the random call that asked, such as "torch.multinomial".
        shape: the shape of what it was asked for.
        probabilities: of the alternatives, in order; they sum to one.
        taken: index of the alternative taken.
    """

    kind: str
    shape: tuple[int, ...]
    probabilities: tuple[float, ...]
    taken: int

    def following(self) -> int | None:
        """The next alternative that has positive probability, None after the last."""
        later = range(self.taken + 1, len(self.probabilities))
        return next((index for index in later if self.probabilities[index] > 0.0), None)


class Choices:
    """The choices of the current path, replayed as far as they are known.

    Attributes:
        mass: probability of the current path so far.
        refusals: the unmodelled random calls and divergences met. They are kept here as well as
            raised, so that a program that swallows exceptions cannot hide them.
    """

    def __init__(self) -> None:
        self._path: list[Choice] = []
        self._asked = 0
        self.mass = 1.0
        self.refusals: list[str] = []

    def start(self) -> None:
        """Go back to the start of the path, before the program is run."""
        self._asked = 0
        self.mass = 1.0

    def choose(self, kind: str, shape: Sequence[int], probabilities: Sequence[float]) -> int:
        """Index of the alternative that this path takes.

        Args:
            kind: the random call that asks.
            shape: the shape of what it asks for; part of what replays compare.
            probabilities: of the alternatives; they sum to one, at least one is positive.

        Raises:
            DivergenceError: if the path has been run before and asked for something else here.
        """
        asked = (kind, tuple(shape), tuple(probabilities))
        if self._asked == len(self._path):
            choice = Choice(*asked, taken=-1)
            choice.taken = choice.following() or 0
            self._path.append(choice)
        choice = self._path[self._asked]
        if asked != (choice.kind, choice.shape, choice.probabilities):
            self.refusals.append(
                f"a replayed path asked for {asked} where it had asked for {choice}"
            )
            raise DivergenceError(self.refusals[-1])
        self._asked += 1
        self.mass *= choice.probabilities[choice.taken]
        return choice.taken

    def refuse(self, call: str) -> UnmodelledRandomCall:
        """Note that ``call`` is not modelled, and give the exception to raise."""
        self.refusals.append(f"{call} is not modelled")
        return UnmodelledRandomCall(self.refusals[-1])

    def finish(self) -> None:
        """Note a refusal if the program ended before its replayed choices did."""
        if self._asked < len(self._path):
            self.refusals.append(
                f"a replayed path ended after {self._asked} choices where it had gone on to "
                f"{len(self._path)}"
            )

    def advance(self) -> bool:
        """Move on to the next path; False when there is none left."""
        while self._path:
            following = self._path[-1].following()
            if following is not None:
                self._path[-1].taken = following
                return True
            self._path.pop()
        return False

    def mass_beyond(self) -> float:
        """Probability of all paths after the current one, in depth-first order."""
        masses: list[float] = []
        before = 1.0
        for choice in self._path:
            masses.append(before * math.fsum(choice.probabilities[choice.taken + 1 :]))
            before *= choice.probabilities[choice.taken]
        return math.fsum(masses)
