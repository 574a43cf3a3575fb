"""Merging: paths that reach the same state are followed once, with the mass of all of them.

A program says where it could be asked for its state: `boundary`, with a key. It is opt-in, since
nothing can tell whether a key has all of the state: what was said so far, what is remembered of it,
counters, caches. Three things guard it. Nothing undrawn may be used on the other side. Paths are
merged only if they also ask for the same choice next. And `cross_checked` compares, on a small case
of the same program, the law of merged paths with that of all paths.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from heapq import heappop, heappush
from math import fsum
from typing import Any

from .choices import Branch, Choices, Lead, PathPutOff
from .coins import Coin
from .session import Session, active, current

#: How far the laws of merged paths and of all paths may differ: rounding in float64.
MERGE_TOLERANCE = 1e-12
#: Of leads too light to be worth a path: they come last.
_LAST = 1 << 60


def boundary(key: Hashable) -> None:
    """Say that the program's state here is ``key``: what follows depends on nothing else.

    It does nothing outside of an enumeration that merges paths, so it may stay in the code.

    Args:
        key: plain numbers, strings, and tuples of them; equal keys are equal states. All that the
            outcome takes from the past has to be in it too.

    Raises:
        UnmodelledRandomCall: if it holds undrawn numbers.
    """
    session = current()
    if session is None or not isinstance(session.choices, MergingChoices):
        return
    hash(key)  # undrawn numbers refuse
    session.choices.boundary(key)
    _leave_behind(session)


class CarriedCoin(Coin):
    """A coin from before a boundary: nothing can be asked of it any more."""

    __slots__ = ()

    def _refuse(self) -> Any:
        raise active().refuse("an undrawn number that was drawn before a boundary and used after")

    low = high = noise = property(_refuse)  # type: ignore[assignment]


def _leave_behind(session: Session) -> None:
    """What is known of the coins so far is state that no key has: their further use refuses."""
    for coin in session.coins():
        coin.__class__ = CarriedCoin


class MergingChoices(Choices):
    """Choices of paths that are merged at boundaries.

    Leads are followed in the order of the boundaries passed before, so that all paths to a state
    have arrived when it is gone on from. One that arrives later makes a lead of its own.

    Attributes:
        merged: how many paths ended at a state that another had reached.
    """

    def __init__(self, *, floor: float = 0.0) -> None:
        super().__init__(floor=floor)
        self.merged = 0
        self._key: tuple[Hashable] | None = None
        self._arrived: tuple[Hashable, float, Branch | None, int] | None = None
        self._goes_on = False
        self._by_depth: dict[int, list[Lead]] = {}
        self._waiting: dict[Hashable, tuple[float, Branch | None, int]] = {}

    def start(self) -> None:
        """Go back to the start of the path, before the program is run."""
        super().start()
        self._key = self._arrived = None
        if not self._replayed:
            self.mass = self._lead_mass

    def boundary(self, key: Hashable) -> None:
        """The program's state, until the next choice."""
        self.depth += 1
        self._key = (key,)

    def choose(self, kind: str, shape: Sequence[int], probabilities: Sequence[float]) -> int:
        """See `Choices.choose`; the first choice after a boundary may end the path."""
        key, self._key = self._key, None
        known = len(self._replayed)
        is_new = self._asked > known or (self._asked == known and not self._goes_on)
        if key is not None and is_new and not self.put_off:
            state = (*key, kind, tuple(shape), tuple(probabilities))
            self._arrived = (state, self.mass, self._branch, self.depth)
            self.put_off = True
            raise PathPutOff
        return super().choose(kind, shape, probabilities)

    def finish(self) -> None:
        """The path will not be run again: what it left, or where it waits, is for good."""
        super().finish()
        if self._arrived is None:
            return
        state, mass, branch, depth = self._arrived
        waiting = self._waiting.get(state)
        if waiting is None:
            self._waiting[state] = (mass, branch, depth)
        else:
            self._waiting[state] = (waiting[0] + mass, *waiting[1:])
            self.merged += 1

    def _is_put_off(self) -> bool:
        return self._has_no_time() or self.mass < self._floor

    def _leave(self, lead: Lead) -> None:
        depth = lead[3] if -lead[0] >= self._floor else _LAST
        heappush(self._by_depth.setdefault(depth, []), lead)

    def advance(self) -> bool:
        """Move on to a lead with as few boundaries before it as there are; False without any."""
        first = min(self._by_depth, default=_LAST + 1)
        waiting = min((depth for _, _, depth in self._waiting.values()), default=_LAST + 1)
        if first == waiting == _LAST + 1:
            return False
        self._goes_on = waiting < first
        if self._goes_on:
            at_once = [(m, state) for state, (m, _, d) in self._waiting.items() if d == waiting]
            mass, state = max(at_once, key=lambda pair: pair[0])
            self._follow(self._waiting.pop(state)[1], mass)
            return True
        leads = self._by_depth[first]
        lead = heappop(leads)
        if not leads:
            del self._by_depth[first]
        self._follow(lead[2], -lead[0])
        return True

    def is_explored(self, floor: float, exactly: bool) -> bool:
        """Whether no more than ``floor`` is left; looked at only if asked ``exactly``."""
        return exactly and self.mass_beyond() <= floor

    def mass_beyond(self) -> float:
        """Probability of all leads that have not been followed."""
        leads = [-lead[0] for leads in self._by_depth.values() for lead in leads]
        return fsum([*leads, *(mass for mass, _, _ in self._waiting.values())])


def difference(first: Mapping[Any, float], second: Mapping[Any, float]) -> float:
    """The greatest difference between two laws, in any of their outcomes."""
    keys = {*first, *second}
    return max((abs(first.get(k, 0.0) - second.get(k, 0.0)) for k in keys), default=0.0)
