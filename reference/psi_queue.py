"""What is still open while M(u) is summed: all of it, or the most probable part of it first.

`psi_lazy.PrefixMass` looks at drafts and asks the drafter after them; this says in which order.
Bounds that need not meet close fastest along the most probable drafts. Of a law over thousands of
tokens few are looked at before a coin is decided: the others wait together, as one mass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from .distribution import Distribution
from .outlooks import Outlook
from .psi_tree import Draft, DraftTree

#: A draft, and what is known of it; None where it was not looked at.
Known = tuple[Draft, Outlook | None]

#: Of children that wait together at most so many are taken out at once.
_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class Children:
    """Drafts one token longer than ``draft``, by falling probability; ``mass`` is theirs."""

    draft: Draft
    law: Distribution[int]
    tokens: tuple[int, ...]
    mass: Any


class Queue:
    """Open drafts.

    Args:
        tree: what makes children of drafts.
        leaving: `take` leaves at most this part of what is open, 2 for a half; None for nothing.
    """

    def __init__(self, tree: DraftTree, leaving: int | None) -> None:
        self._tree = tree
        self._leaving = leaving
        self._heap: list[tuple[Any, int, Draft | Children, Outlook | None]] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def mass(self) -> Any:
        """Of all that is open."""
        return -sum((waiting[0] for waiting in self._heap), 0)

    def add(self, draft: Draft | Children, outlook: Outlook | None = None) -> None:
        """One draft more, or children of one."""
        self._count += 1
        heappush(self._heap, (-draft.mass, self._count, draft, outlook))

    def add_children(
        self, draft: Draft, law: Distribution[int], only: Iterable[int] | None
    ) -> None:
        """Those of ``draft`` under ``law``, of the tokens ``only``."""
        if self._leaving is None:
            for child in self._tree.children(draft, law, only):
                self.add(child)
            return
        numbers = {token: law[token] for token in (law.support() if only is None else only)}
        tokens = sorted(numbers, key=lambda token: (-numbers[token], token))
        self._add_together(draft, law, tuple(t for t in tokens if numbers[t] > 0))

    def _add_together(self, draft: Draft, law: Distribution[int], tokens: tuple[int, ...]) -> None:
        mass = draft.mass * sum((law[token] for token in tokens), 0)
        if tokens:
            self.add(Children(draft, law, tokens, mass))

    def take(self) -> list[Known]:
        """Take out the drafts that are next: all, as they came, or the heaviest."""
        if self._leaving is None:
            self._heap, taken = [], sorted(self._heap, key=lambda waiting: waiting[1])
            return [(draft, outlook) for *_, draft, outlook in taken if isinstance(draft, Draft)]
        left = open_ = self.mass
        found: list[Known] = []
        while self._heap and (not found or left * self._leaving > open_):
            _, _, heaviest, outlook = heappop(self._heap)
            if isinstance(heaviest, Draft):
                found.append((heaviest, outlook))
                left = left - heaviest.mass
                continue
            for child in self._first(heaviest):
                found.append((child, None))
                left = left - child.mass
        return found

    def _first(self, children: Children) -> list[Draft]:
        """The most probable of them, with half of their mass; the rest wait on."""
        law, tokens, seen, count = children.law, children.tokens, 0, 0
        half = children.mass / 2
        while count < min(len(tokens), _TOGETHER) and (not count or seen < half):
            seen = seen + children.draft.mass * law[tokens[count]]
            count += 1
        self._add_together(children.draft, law, tokens[count:])
        return list(self._tree.children(children.draft, law, tokens[:count]))
