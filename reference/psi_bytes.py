"""psi for byte-level drafters: each text has one path, so that psi(t) is a few products.

The fifth of the versions of psi; `psi` has the list. Let every token of the drafter be one
character, let the target cut by longest match, and let Q(s) be the probability that the drafted
text begins with s: one product along one path. T(text) begins with the tokens u iff the text begins
with what they spell, s(u), and at none of their starts a longer token fits. The texts that spoil it
are s(t_1..t_(j-1)) followed by a longer token than t_j; those among them that begin with none of
the others exclude each other. So

    M(u) = Q(s(u)) - sum over those spoilers of Q(spoiler),

and psi_{k+1}(t | u) = M(u t) / M(u). For other targets `psi_lazy` walks the same paths.
"""

from __future__ import annotations

from typing import Any

from .models import Ids
from .pair import Pair
from .psi_tree import Draft, DraftTree, Work, divided
from .readings import always_encodes, certain, spellings
from .stop_rules import Characters, Fixed, StopRule
from .token_rules import Determined


class NotByteLevelError(ValueError):
    """A pair or rule that this version of psi is not for; the message says why."""


class BytePsi:
    """psi_1, psi_2, .. after one context, for a byte-level drafter and a longest-match target.

    Raises:
        NotByteLevelError: where a drafter token is not one character, the target does not cut by
            longest match or lacks a character, or the rule is none of ``fixed``, ``characters``,
            ``determined``.
    """

    def __init__(self, pair: Pair, context: Ids, rule: StopRule, work: Work | None = None) -> None:
        self._tree = DraftTree(pair, context, rule, work or Work())
        self._target = pair.target_tokenizer
        self._id_of = _characters(pair)
        self._length = _length(rule)

    def number(self, accepted: Ids, token: int) -> Any:
        """psi_{k+1}(``token`` | ``accepted``)."""
        begins = self.mass((*accepted, token))
        return divided(begins, self.mass(accepted))

    def mass(self, ids: Ids) -> Any:
        """M(``ids``), the probability that the candidates begin with ``ids``.

        Raises:
            NotByteLevelError: under ``determined:N``, for more than N ids.
        """
        rule = self._tree.rule
        if isinstance(rule, Determined) and len(ids) > rule.tokens:
            raise NotByteLevelError(f"{rule.slug} settles {rule.tokens} ids, not {len(ids)}")
        end = self._tree.pair.end_of_sequence
        if ids and ids[-1] == end:
            return self._ends_after(ids[:-1])
        text = self._target.decode(ids)
        if self._target.encode(text) != ids:
            return 0
        begins = self._begins(text)
        for spoiler in self._spoilers(ids):
            begins = begins - self._begins(spoiler)
        return begins

    def _ends_after(self, ids: Ids) -> Any:
        """The probability of the text of ``ids`` and then the drafter's end of sequence."""
        drafter_end = self._tree.pair.drafter_tokenizer.end_of_sequence
        text = self._target.decode(ids)
        if drafter_end is None or len(text) >= self._length or self._target.encode(text) != ids:
            return 0
        rule = self._tree.rule
        settled = certain(self._target, text) or ()
        if isinstance(rule, Determined) and len(settled) >= rule.tokens:
            return 0
        draft = self._path(text)
        return 0 if draft is None else draft.mass * self._tree.ask([draft])[0][drafter_end]

    def _begins(self, text: str) -> Any:
        """Q(``text``)."""
        draft = self._path(text) if len(text) <= self._length else None
        return 0 if draft is None else draft.mass

    def _path(self, text: str) -> Draft | None:
        """The one draft with this text; None where the drafter has none, or never says it."""
        if self._tree.read is None:
            return None
        draft = Draft()
        for length, character in enumerate(text, 1):
            token = self._id_of.get(character)
            if token is None:
                return None
            q = self._tree.ask([draft])[0][token]
            if not q > 0:
                return None
            draft = Draft((*draft.ids, token), (*draft.texts, text[:length]), draft.mass * q)
        return draft

    def _spoilers(self, ids: Ids) -> set[str]:
        """The texts that go on from that of ``ids`` and are cut otherwise, the shortest only."""
        text = self._target.decode(ids)
        found: set[str] = set()
        start = 0
        for token in ids:
            for longer, _ in spellings(self._target).beginning_with(text[start:]):
                if start + len(longer) > len(text):
                    found.add(text[:start] + longer)
            start += len(self._target.decode((token,)))
        return {s for s in found if not any(s != o and s.startswith(o) for o in found)}


def _characters(pair: Pair) -> dict[str, int]:
    """The drafter's id of each character."""
    target, drafter = pair.target_tokenizer, pair.drafter_tokenizer
    if not getattr(target, "longest_match", False):
        raise NotByteLevelError("the target does not cut by longest match")
    found: dict[str, int] = {}
    for token in range(len(drafter.vocabulary)):
        text = drafter.decode((token,))
        if token == drafter.end_of_sequence:
            continue
        if len(text) != 1 or text in found:
            raise NotByteLevelError(f"the drafter's id {token} is not a character of its own")
        found[text] = token
    if not drafter.laws.concatenative:
        raise NotByteLevelError("the drafter's text is not the concatenation of its tokens' texts")
    if not always_encodes(target, drafter):
        raise NotByteLevelError("the target cannot encode every character of the drafter")
    return found


def _length(rule: StopRule) -> int:
    """How many characters a draft has that meets no end of sequence, at most."""
    if isinstance(rule, Characters):
        return min(rule.characters, rule.cap)
    if isinstance(rule, Fixed | Determined):
        return rule.cap
    raise NotByteLevelError(f"{rule.slug} is none of fixed, characters, determined")
