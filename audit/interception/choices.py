"""Replay: a program that asks for choices is run once for every way they can fall.

The program is run again and again. Each run is one *path*: it repeats the choices of a *lead* (the
start of a path that was left for later), takes the most probable alternative from there on, and
leaves a lead for every other one. The *mass* of a path is the product of the probabilities of its
choices. The lead of greatest mass is followed first, so that the mass not yet explored shrinks as
fast as it can, also where the program may go on for ever. Nothing here knows where choices come
from.

Paths that reach the same state are not recognised here; see `merging`.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence

#: A path this long may be put off in favour of heavier leads: it may never end.
LONG_PATH = 100
#: How much lighter than the heaviest lead a long path has to be for that.
MUCH_LIGHTER = 1e-3


class UnmodelledRandomCall(RuntimeError):  # noqa: N818 - what is raised is the call, by name
    """A random call, or a use of its result, whose exact law is not modelled; named in the text."""


class DivergenceError(RuntimeError):
    """A replayed path asked for another choice than before: state leaked from run to run."""


class PathPutOff(BaseException):
    """Ends a path that is left unexplored for now; the program is not meant to catch it."""


class FullPathNeeded(BaseException):
    """Ends a path that has to be run again, with more looked at; not to be caught either."""


class Point:
    """A choice point: what was asked for, after the branch that led to it.

    Attributes:
        kind: the random call that asked, such as "torch.multinomial".
        shape: the shape of what it was asked for.
        probabilities: of the alternatives, in order; they sum to one.
    """

    __slots__ = ("kind", "probabilities", "shape")

    def __init__(self, kind: str, shape: tuple[int, ...], probabilities: tuple[float, ...]) -> None:
        self.kind = kind
        self.shape = shape
        self.probabilities = probabilities


#: The start of a path, last choice first: (what came before, point, alternative taken).
Branch = tuple["Branch | None", Point, int]
#: What is left for later: (minus its mass, its number, the start, the boundaries passed before).
Lead = tuple[float, int, "Branch | None", int]


class Choices:
    """The choices of the current path, replayed as far as they are known.

    Attributes:
        mass: probability of the current path so far.
        depth: how many boundaries it has passed.
        refusals: the unmodelled random calls and divergences met. They are kept here as well as
            raised, so that a program that swallows exceptions cannot hide them.
        deadline: when, on `time.monotonic`, a path that still asks for choices is put off.
        put_off: whether the current path was.
    """

    def __init__(self, *, floor: float = 0.0) -> None:
        self._replayed: list[tuple[Point, int]] = []
        self._branch: Branch | None = None
        self._start: Branch | None = None
        self._asked = 0
        self._leads: list[Lead] = []
        self._new: list[Lead] = []  # of the current path, until it is finished
        self._heaviest_new = 0.0
        self._made = 0
        self._longest = 0
        self._lead_mass = 1.0
        self._floor = floor
        self.mass = 1.0
        self.depth = 0
        self.refusals: list[str] = []
        self.deadline = math.inf
        self.put_off = False

    def start(self) -> None:
        """Go back to the start of the path, before the program is run."""
        self._asked = 0
        self.mass = 1.0
        self.depth = 0
        self.put_off = False
        self._start = self._branch

    def start_again(self) -> None:
        """Go back to the start of the path as if this run of it had not been."""
        self._new.clear()
        self._heaviest_new = 0.0
        self.refusals.clear()
        self._branch = self._start
        self.start()

    def choose(self, kind: str, shape: Sequence[int], probabilities: Sequence[float]) -> int:
        """Index of the alternative that this path takes.

        Args:
            kind: the random call that asks.
            shape: the shape of what it asks for; part of what replays compare.
            probabilities: of the alternatives; they sum to one, at least one is positive.

        Raises:
            DivergenceError: if the path has been run before and asked for something else here.
            PathPutOff: if other paths come first.
        """
        asked = self._asked
        self._asked = asked + 1
        if asked < len(self._replayed):
            point, taken = self._replayed[asked]
            if (
                kind != point.kind
                or tuple(probabilities) != point.probabilities
                or tuple(shape) != point.shape
            ):
                self.refusals.append(
                    f"a replayed path asked for {(kind, tuple(shape), tuple(probabilities))} where "
                    f"it had asked for {(point.kind, point.shape, point.probabilities)}"
                )
                raise DivergenceError(self.refusals[-1])
            is_last = asked + 1 == len(self._replayed)
            self.mass = self._lead_mass if is_last else self.mass * point.probabilities[taken]
            return taken
        if self.put_off or self._is_put_off():
            self._put_off()
        probabilities = tuple(probabilities)
        point = Point(kind, tuple(shape), probabilities)
        taken = probabilities.index(max(probabilities))
        before, mass = self._branch, self.mass
        for other, probability in enumerate(probabilities):
            if probability > 0.0 and other != taken:
                self._made += 1
                lead = (-mass * probability, self._made, (before, point, other), self.depth)
                self._new.append(lead)
                self._heaviest_new = max(self._heaviest_new, mass * probability)
        self._branch = (before, point, taken)
        self.mass = mass * probabilities[taken]
        return taken

    def _is_put_off(self) -> bool:
        """Whether the path, at a choice that is new, should wait for others."""
        if self._has_no_time() or self.mass < self._floor:
            return True
        if self._asked <= max(LONG_PATH, self._longest):
            return False
        heaviest = max(self._heaviest_new, -self._leads[0][0] if self._leads else 0.0)
        return self.mass < heaviest * MUCH_LIGHTER

    def _has_no_time(self) -> bool:
        return self._asked & 63 == 0 and time.monotonic() > self.deadline

    def _put_off(self) -> None:
        if not self.put_off:
            self.put_off = True
            self._made += 1
            self._new.append((-self.mass, self._made, self._branch, self.depth))
        raise PathPutOff

    def refuse(self, call: str) -> UnmodelledRandomCall:
        """Note that ``call`` is not modelled, and give the exception to raise."""
        self.refusals.append(f"{call} is not modelled")
        return UnmodelledRandomCall(self.refusals[-1])

    def end(self) -> None:
        """After a run: note a refusal if the program ended before its replayed choices did."""
        if self._asked < len(self._replayed):
            self.refusals.append(
                f"a replayed path ended after {self._asked} choices where it had gone on to "
                f"{len(self._replayed)}"
            )

    def finish(self) -> None:
        """The path will not be run again: what it left is left for good."""
        if not self.put_off:
            self._longest = max(self._longest, self._asked)
        for lead in self._new:
            self._leave(lead)
        self._new.clear()
        self._heaviest_new = 0.0

    def _leave(self, lead: Lead) -> None:
        heapq.heappush(self._leads, lead)

    def advance(self) -> bool:
        """Move on to the heaviest lead; False when there is none left."""
        if not self._leads:
            return False
        lead = heapq.heappop(self._leads)
        self._follow(lead[2], -lead[0])
        return True

    def _follow(self, branch: Branch | None, mass: float) -> None:
        """The next path starts like this."""
        self._branch, self._lead_mass = branch, mass
        replayed: list[tuple[Point, int]] = []
        while branch is not None:
            branch, point, taken = branch
            replayed.append((point, taken))
        replayed.reverse()
        self._replayed = replayed

    def is_explored(self, floor: float, exactly: bool) -> bool:
        """Whether no more than ``floor`` is left; a quick bound, unless asked ``exactly``."""
        leads = self._leads
        if leads and -leads[0][0] * len(leads) <= floor:
            return True
        return exactly and self.mass_beyond() <= floor

    def mass_beyond(self) -> float:
        """Probability of all leads that have not been followed."""
        return math.fsum(-lead[0] for lead in self._leads)
