"""Stop rules that look at the target's vocabulary, and proposals by looking up in it.

    slug                drafting stops                                           candidates
    tokens:2/cap:5      when T(text) has 2 ids                                   T(text)
    determined:2/cap:5  when the first 2 ids of T(text + anything) are certain   T(text)
    lookup:2/cap:5      at the 2nd boundary that ends a token                    those 2 tokens
    longest:3           after 3 drafts                                           by looking up

*Lookup.* A boundary is a place where a draft token ends. t_1 is the text up to the first boundary
at which it is a token of T, t_2 the text from there to the first such boundary, and so on. T is
never asked to encode, so psi(t) is a sum over the ways to spell t in drafts, none of whose proper
beginnings is a token of T. *Longest* takes the last such boundary each time, of those drafted.

What is proposed is a function of the draft in all four, and nothing more is needed: see
`draftproof.reference.psi`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from .models import Ids
from .outlooks import NO, YES, Outlook, agree
from .readings import certain, encoded, spellings
from .stop_rules import Counted, Encoded, Reader, StopRule, at_least_one, known_and_rest
from .tokenizers import Tokenizer


@dataclass(frozen=True)
class _Capped:
    """What the first three rules share: ``tokens`` target tokens, and ``cap`` drafts at most."""

    tokens: int
    cap: int
    word: ClassVar[str]

    def __post_init__(self) -> None:
        at_least_one(self.tokens, "number of tokens")
        at_least_one(self.cap, "cap on drafts")

    @property
    def slug(self) -> str:
        """As in ``tokens:2/cap:5``."""
        return f"{self.word}:{self.tokens}/cap:{self.cap}"

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether the cap is reached."""
        del text
        return len(drafter_ids) >= self.cap


@dataclass(frozen=True)
class Tokens(_Capped):
    """Stop once the draft's text has ``tokens`` ids in T, and after ``cap`` drafts in any case."""

    word: ClassVar[str] = "tokens"

    def reader(self, target: Tokenizer) -> Reader:
        """The rule for this target."""
        return _CountingTokens(self, target)


@dataclass(frozen=True)
class _CountingTokens(Encoded):
    rule: Tokens  # pyright: ignore[reportIncompatibleVariableOverride]

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """Whether there are enough tokens, or drafts."""
        found = encoded(self.target, texts[-1]) if texts else ()
        return len(found or ()) >= self.rule.tokens or len(ids) >= self.rule.cap

    def summary(self, ids: Ids, texts: tuple[str, ...], wanted: int) -> Hashable:
        """How many ids are certain, the first of them, and the text behind."""
        text = texts[-1] if texts else ""
        known = certain(self.target, text)
        return len(known or ()), known_and_rest(self.target, text, wanted)


@dataclass(frozen=True)
class Determined(_Capped):
    """Stop once the first ``tokens`` ids can no longer change, and after ``cap`` drafts anyway.

    Also where no continuation has an encoding. Of a tokenizer that is not known to be stable no id
    is ever certain (`readings`): drafting then goes on to the cap.
    """

    word: ClassVar[str] = "determined"

    def reader(self, target: Tokenizer) -> Reader:
        """The rule for this target."""
        return _WaitingForTokens(self, target)


@dataclass(frozen=True)
class _WaitingForTokens(_CountingTokens):
    rule: Determined  # pyright: ignore[reportIncompatibleVariableOverride]

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """Whether enough ids are certain, none will come, or there are enough drafts."""
        known = certain(self.target, texts[-1] if texts else "")
        enough = known is None or len(known) >= self.rule.tokens
        return enough or len(ids) >= self.rule.cap


@dataclass(frozen=True)
class Lookup(_Capped):
    """Stop at the first draft boundary that makes the ``tokens``-th token of T, or at the cap."""

    word: ClassVar[str] = "lookup"

    def reader(self, target: Tokenizer) -> Reader:
        """The rule for this target."""
        return LookedUp(self, target)


@dataclass(frozen=True)
class LookedUp:
    """`Lookup` for one target."""

    rule: Lookup
    target: Tokenizer

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """Whether there are enough tokens, or drafts."""
        return len(self.candidates(texts)) >= self.rule.tokens or len(ids) >= self.rule.cap

    def candidates(self, texts: tuple[str, ...]) -> Ids:
        """The tokens found."""
        return self.cut(texts)[0]

    def all_used(self, texts: tuple[str, ...]) -> bool:
        """Whether the last boundary ends a token."""
        return not self.cut(texts)[1]

    def cut(self, texts: tuple[str, ...]) -> tuple[Ids, str]:
        """The tokens found, and the text behind them."""
        table = tokens_by_text(self.target)
        ids: Ids = ()
        start = ""
        for text in texts:
            token = table.get(text.removeprefix(start)) if text.startswith(start) else None
            if token is not None:
                ids, start = (*ids, token), text
        return ids, texts[-1].removeprefix(start) if texts else ""

    def summary(self, ids: Ids, texts: tuple[str, ...], wanted: int) -> Hashable:
        """How many tokens are found, the first of them, and the text behind."""
        found, rest = self.cut(texts)
        return len(found), found[:wanted], rest

    def outlook(
        self, texts: tuple[str, ...], wanted: Ids, never_fails: bool, end: int | None
    ) -> Outlook:
        """What is found stays; the rest must still be spelled, and nothing else will do."""
        del never_fails
        found = self.candidates(texts)
        if not agree(found, wanted):
            return NO
        if len(found) >= len(wanted):
            return YES
        if wanted[len(found) :] == (end,):
            return Outlook(None, (), False)
        text, spelled = texts[-1] if texts else "", spelling(self.target, wanted)
        on_the_way = len(text) < len(spelled) and spelled.startswith(text)
        return Outlook(None, (spelled,), False) if on_the_way else NO


@dataclass(frozen=True, slots=True)
class Longest(Counted):
    """Stop after ``drafts`` drafts; the candidates are the longest tokens between boundaries."""

    @property
    def slug(self) -> str:
        """``longest:3``."""
        return f"longest:{self.drafts}"

    def reader(self, target: Tokenizer) -> Reader:
        """The rule for this target."""
        return LongestLookedUp(self, target)


@dataclass(frozen=True)
class LongestLookedUp:
    """`Longest` for one target."""

    rule: Longest
    target: Tokenizer

    def done(self, ids: Ids, texts: tuple[str, ...]) -> bool:
        """Whether there are enough drafts."""
        return self.rule.done(ids, "")

    def candidates(self, texts: tuple[str, ...]) -> Ids:
        """The longest token that ends at a boundary, and again from there, while there is one."""
        return self.cut(texts)[0]

    def all_used(self, texts: tuple[str, ...]) -> bool:
        """Whether the last boundary ends a token."""
        return not self.cut(texts)[1]

    def cut(self, texts: tuple[str, ...]) -> tuple[Ids, str]:
        """The tokens found, and the text behind them."""
        ids: list[int] = []
        start, place = "", 0
        while (found := self._longest(texts, start, place)) is not None:
            token, place = found
            ids.append(token)
            start = texts[place - 1]
        return tuple(ids), texts[-1].removeprefix(start) if texts else ""

    def _longest(self, texts: tuple[str, ...], start: str, place: int) -> tuple[int, int] | None:
        """The longest token behind ``start``, and how many drafts it ends after."""
        table = tokens_by_text(self.target)
        for end in range(len(texts), place, -1):
            text = texts[end - 1]
            if (
                text.startswith(start)
                and (token := table.get(text.removeprefix(start))) is not None
            ):
                return token, end
        return None

    def summary(self, ids: Ids, texts: tuple[str, ...], wanted: int) -> Hashable:
        """All boundaries: a later one may change every token."""
        return texts

    def outlook(
        self, texts: tuple[str, ...], wanted: Ids, never_fails: bool, end: int | None
    ) -> Outlook:
        """What is found stays, unless a longer token comes in the place of one of ``wanted``."""
        del never_fails
        text = texts[-1] if texts else ""
        spelled = spelling(self.target, wanted)
        if not (text.startswith(spelled) or spelled.startswith(text)):
            return NO
        if len(text) < len(spelled):
            return Outlook(None, (spelled,), False)
        ended = wanted[-1:] == (end,)
        longer: list[str] = []
        start = ""
        for token in wanted[:-1] if ended else wanted:
            rest = text.removeprefix(start)
            for piece, _ in spellings(self.target).beginning_with(rest):
                if len(piece) > len(rest):
                    longer.append(start + piece)
            start += spelling(self.target, (token,))
        begins = self.candidates(texts)[: len(wanted)] == wanted
        if longer or ended:
            return Outlook(None, tuple(longer), begins)
        return YES if begins else NO


@lru_cache(maxsize=64)
def tokens_by_text(target: Tokenizer) -> dict[str, int]:
    """The lowest id of each text that an id spells; bytes that are no text are left out."""
    found: dict[str, int] = {}
    for token, spelling in enumerate(target.vocabulary):
        if spelling:
            try:
                found.setdefault(spelling.decode(), token)
            except UnicodeDecodeError:
                continue
    return found


def spelling(target: Tokenizer, ids: Ids) -> str:
    """The texts of ``ids`` one after the other, whatever decoding would make of them."""
    return b"".join(target.vocabulary[token] or b"" for token in ids).decode(errors="replace")


_FORMS = {form.word: form for form in (Tokens, Determined, Lookup)}


def token_rule(slug: str) -> StopRule | None:
    """The rule of this file that ``slug`` names, None when it names none."""
    if match := re.fullmatch(r"(tokens|determined|lookup):([0-9]+)/cap:([0-9]+)", slug):
        return _FORMS[match[1]](int(match[2]), int(match[3]))
    if match := re.fullmatch(r"longest:([0-9]+)", slug):
        return Longest(int(match[1]))
    return None
