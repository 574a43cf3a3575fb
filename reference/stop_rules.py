"""Stop rules: when a string-level draft is long enough (the paper's lookahead indicator).

A rule looks at what is drafted and at nothing else, and has a cap on the number of drafts, so that
drafting ends. Any such rule is lossless, provided psi is the law of the candidates *under that same
rule* (objection to Theorem 3.2, and its answer). An end of sequence ends a draft under every rule.

Some rules also look at the target's vocabulary, and may propose by looking up in it rather than by
encoding; those are in `token_rules`. To all of them the drafting program asks through a `Reader`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from .models import Ids
from .outlooks import OPEN, Outlook, encoding_outlook
from .readings import certain, is_stable
from .tokenizers import Tokenizer


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
        """Whether drafting stops after ``drafter_ids``, whose text is ``text``.

        A rule with a reader of its own says here what holds for every target: whether the cap is
        reached.
        """
        ...


class Reader(Protocol):
    """A rule at work for one target tokenizer.

    A draft is given as the drafter's ids and the text after each of them.
    """

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """Whether drafting stops."""
        ...

    def candidates(self, texts: tuple[str, ...]) -> Ids:
        """The target's ids that are proposed; raises `EncodeError` where there are none."""
        ...

    def all_used(self, texts: tuple[str, ...]) -> bool:
        """Whether no text is left behind the candidates: only then an end of sequence follows."""
        ...

    def summary(self, ids: Ids, texts: tuple[str, ...], wanted: int) -> Hashable:
        """All that ``done`` and the first ``wanted`` candidates depend on from here on.

        Beside the number of drafts: two drafts of one length and one summary have the same future.
        """
        ...

    def outlook(
        self, texts: tuple[str, ...], wanted: Ids, never_fails: bool, end: int | None
    ) -> Outlook:
        """Whether the candidates begin with ``wanted``, as far as the draft tells by now.

        For drafters whose texts only grow; see `outlooks.encoding_outlook` for the arguments.
        """
        ...


@dataclass(frozen=True)
class Encoded:
    """The reader of rules that look at the draft alone: the candidates are T(the draft's text)."""

    rule: StopRule
    target: Tokenizer

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """As the rule says."""
        return self.rule.done(ids, texts[-1] if texts else "")

    def candidates(self, texts: tuple[str, ...]) -> Ids:
        """T(text); nothing where there is no text."""
        return self.target.encode(texts[-1]) if texts and texts[-1] else ()

    def all_used(self, texts: tuple[str, ...]) -> bool:
        """Whether the whole text is encoded; only of some tokenizers is that a question."""
        own: Any = getattr(self.target, "encodes_all", None)
        return own is None or not texts or own(texts[-1])

    def summary(self, ids: Ids, texts: tuple[str, ...], wanted: int) -> Hashable:
        """What the rule looks at, the ids that are certain, and the text behind them."""
        text = texts[-1] if texts else ""
        seen: Any = getattr(self.rule, "seen", None)
        looked_at = seen(text) if seen else (ids, text)
        return looked_at, known_and_rest(self.target, text, wanted)

    def outlook(
        self, texts: tuple[str, ...], wanted: Ids, never_fails: bool, end: int | None
    ) -> Outlook:
        """What the encoding of the text can still become; open if the target is not stable."""
        if not is_stable(self.target):
            return OPEN
        text = texts[-1] if texts else ""
        return encoding_outlook(self.target, text, wanted, never_fails, end)


def known_and_rest(target: Tokenizer, text: str, wanted: int) -> tuple[Ids, str] | None:
    """The first ``wanted`` ids that are certain, and the text behind all that are.

    An id may be certain whose text is not complete yet: that one is left in the text. None when
    there is no encoding, whatever follows.
    """
    ids = certain(target, text)
    if ids is None:
        return None
    while len(spelled := target.decode(ids)) > len(text):
        ids = ids[:-1]
    return ids[:wanted], text[len(spelled) :]


def reader(rule: StopRule, target: Tokenizer) -> Reader:
    """``rule`` for this target tokenizer."""
    own: Any = getattr(rule, "reader", None)
    return Encoded(rule, target) if own is None else own(target)


@dataclass(frozen=True, slots=True)
class Counted:
    """What rules share that stop after a number of drafts."""

    drafts: int

    def __post_init__(self) -> None:
        at_least_one(self.drafts, "lookahead")

    @property
    def cap(self) -> int:
        """The number of drafts."""
        return self.drafts

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether there are enough drafts."""
        del text
        return len(drafter_ids) >= self.drafts


@dataclass(frozen=True, slots=True)
class Fixed(Counted):
    """Stop after ``drafts`` drafts: the paper's fixed lookahead i."""

    @property
    def slug(self) -> str:
        """``fixed:3``."""
        return f"fixed:{self.drafts}"

    def seen(self, text: str) -> Hashable:
        """Nothing of the text."""
        del text


@dataclass(frozen=True, slots=True)
class Characters:
    """Stop once the text has ``characters`` characters, and after ``cap`` drafts in any case.

    A draft that reaches the cap proposes what text it has.
    """

    characters: int
    cap: int

    def __post_init__(self) -> None:
        at_least_one(self.characters, "number of characters")
        at_least_one(self.cap, "cap on drafts")

    @property
    def slug(self) -> str:
        """``characters:3/cap:5``."""
        return f"characters:{self.characters}/cap:{self.cap}"

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether the text is long enough, or the cap is reached."""
        return len(text) >= self.characters or len(drafter_ids) >= self.cap

    def seen(self, text: str) -> Hashable:
        """The text's length."""
        return len(text)


def stop_rule(slug: str) -> StopRule:
    """The rule that ``slug`` names: ``fixed:3`` or ``characters:3/cap:5``, and see `token_rules`.

    Raises:
        ValueError: for any other text.
    """
    from .token_rules import token_rule

    if match := re.fullmatch(r"fixed:([0-9]+)", slug):
        return Fixed(int(match[1]))
    if match := re.fullmatch(r"characters:([0-9]+)/cap:([0-9]+)", slug):
        return Characters(int(match[1]), int(match[2]))
    if rule := token_rule(slug):
        return rule
    raise ValueError(
        f"no stop rule is called {slug!r}; write fixed:3, characters:3/cap:5, tokens:2/cap:5, "
        "determined:1/cap:5, lookup:1/cap:5 or longest:3"
    )


def at_least_one(number: int, what: str) -> None:
    """Raise `ValueError` for a ``number`` below one."""
    if number < 1:
        raise ValueError(f"the {what} is {number}; at least 1 is needed")
