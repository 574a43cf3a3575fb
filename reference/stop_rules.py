"""Stop rules: when a string-level draft is long enough (the paper's lookahead indicator).

A rule looks at what is drafted and at nothing else, and has a cap on the number of drafts, so that
drafting ends. Any such rule is lossless, provided psi is the law of the candidates *under that same
rule* (objection to Theorem 3.2, and its answer). An end of sequence ends a draft under every rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from .models import Ids


class StopRule(Protocol):
    """When to stop drafting; hashable, equal rules behave alike."""

    @property
    def slug(self) -> str:
        """The rule's name in reports, as `stop_rule` reads it."""
        ...

    @property
    def cap(self) -> int:
        """The largest number of drafts."""
        ...

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether drafting stops after ``drafter_ids``, whose text is ``text``."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """Stop after ``drafts`` drafts: the paper's fixed lookahead i."""

    drafts: int

    def __post_init__(self) -> None:
        _at_least_one(self.drafts, "lookahead")

    @property
    def slug(self) -> str:
        """``fixed:3``."""
        return f"fixed:{self.drafts}"

    @property
    def cap(self) -> int:
        """The number of drafts."""
        return self.drafts

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether there are enough drafts."""
        del text
        return len(drafter_ids) >= self.drafts


@dataclass(frozen=True, slots=True)
class Characters:
    """Stop once the text has ``characters`` characters, and after ``cap`` drafts in any case.

    A draft that reaches the cap proposes what text it has.
    """

    characters: int
    cap: int

    def __post_init__(self) -> None:
        _at_least_one(self.characters, "number of characters")
        _at_least_one(self.cap, "cap on drafts")

    @property
    def slug(self) -> str:
        """``characters:3/cap:5``."""
        return f"characters:{self.characters}/cap:{self.cap}"

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether the text is long enough, or the cap is reached."""
        return len(text) >= self.characters or len(drafter_ids) >= self.cap


def stop_rule(slug: str) -> StopRule:
    """The rule that ``slug`` names: ``fixed:3`` or ``characters:3/cap:5``.

    Raises:
        ValueError: for any other text.
    """
    if match := re.fullmatch(r"fixed:([0-9]+)", slug):
        return Fixed(int(match[1]))
    if match := re.fullmatch(r"characters:([0-9]+)/cap:([0-9]+)", slug):
        return Characters(int(match[1]), int(match[2]))
    raise ValueError(f"no stop rule is called {slug!r}; write fixed:3 or characters:3/cap:5")


def _at_least_one(number: int, what: str) -> None:
    if number < 1:
        raise ValueError(f"the {what} is {number}; at least 1 is needed")
