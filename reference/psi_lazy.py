"""psi one target token at a time: only the drafts that can still propose that token are followed.

The fourth of the versions of psi; `psi` has the list. All of it rests on one number,

    M(u) = P(the candidates begin with the ids u),    psi_{k+1}(t | u) = M(u t) / M(u),

which `PrefixMass` finds by walking down the tree of drafts, one pass over the drafter for each
depth. A draft is left as soon as it is sure to begin with u, or sure not to (`readings.Outlook`);
of a drafter's law only the tokens are looked at that keep to the texts on which that depends, and
all others are counted together. What is settled at any moment bounds M(u) from both sides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .models import Ids
from .pair import Pair
from .psi_tree import Draft, DraftTree, Work, divided
from .readings import OPEN, Outlook, Spellings, always_encodes, spellings
from .stop_rules import StopRule
from .tokenizers import Tokenizer


class PrefixMass:
    """M(``wanted``), between ``low`` and ``high``, which close as it is refined.

    One `refine` is one pass over the drafter, or none where all its laws are known to the tree.
    """

    def __init__(self, tree: DraftTree, wanted: Ids) -> None:
        self.tree = tree
        self.wanted = wanted
        self.low: Any = 0
        self._open: list[tuple[Draft, Outlook]] = []
        self._sort(Draft())
        self.high: Any = self.low + sum((draft.mass for draft, _ in self._open), 0)

    @property
    def closed(self) -> bool:
        """Whether the bounds have met: nothing is left to look at."""
        return not self._open

    def refine(self) -> bool:
        """Look one draft token further; False when there is nothing left to look at."""
        if self.closed:
            return False
        waiting, self._open = self._open, []
        laws = self.tree.ask([draft for draft, _ in waiting])
        for (draft, outlook), q in zip(waiting, laws, strict=True):
            only = None if outlook.paths is None else self._on(outlook.paths, draft.text)
            for child in self.tree.children(draft, q, only):
                self._sort(child)
            if only is not None and outlook.off:
                on = sum((q[token] for token in only), 0)
                self.low = self.low + draft.mass * (1 - on)
        self.high = self.low + sum((draft.mass for draft, _ in self._open), 0)
        return True

    def exact(self) -> Any:
        """M(``wanted``) itself."""
        while self.refine():
            pass
        return self.low

    def _sort(self, draft: Draft) -> None:
        """Count ``draft`` in, leave it, or keep it open."""
        if self.tree.done(draft):
            verdict: bool | None = self.tree.candidates(draft)[: len(self.wanted)] == self.wanted
            outlook = OPEN
        else:
            outlook = self._outlook(draft)
            verdict = outlook.verdict
        if verdict is None:
            self._open.append((draft, outlook))
        elif verdict:
            self.low = self.low + draft.mass

    def _outlook(self, draft: Draft) -> Outlook:
        pair = self.tree.pair
        if not self.wanted:
            return Outlook(True)
        if not grows(pair.drafter_tokenizer):
            return OPEN
        never_fails = always_encodes(pair.target_tokenizer, pair.drafter_tokenizer)
        return self.tree.reads.outlook(draft.texts, self.wanted, never_fails, pair.end_of_sequence)

    def _on(self, paths: tuple[str, ...], text: str) -> frozenset[int]:
        """The drafter's ids that keep to one of ``paths`` after ``text``, say nothing, or end."""
        tokenizer = self.tree.pair.drafter_tokenizer
        known: Spellings = spellings(tokenizer)
        ids = set(silent(tokenizer))
        if tokenizer.end_of_sequence is not None:
            ids.add(tokenizer.end_of_sequence)
        for path in paths:
            rest = path[len(text) :]
            ids.update(token for _, token in known.begun_by(rest))
            ids.update(token for _, token in known.beginning_with(rest))
        return frozenset(ids)


@lru_cache(maxsize=64)
def silent(tokenizer: Tokenizer) -> frozenset[int]:
    """The ids that decode to nothing."""
    ids = range(len(tokenizer.vocabulary))
    return frozenset(token for token in ids if not tokenizer.decode((token,)))


@lru_cache(maxsize=64)
def grows(drafter: Tokenizer) -> bool:
    """Whether the text of more tokens is the text of fewer, and something behind it."""
    return drafter.laws.concatenative


class LazyPsi:
    """psi_1, psi_2, .. after one context, each number found when it is asked for.

    ``LazyPsi(pair, context, rule).after`` is what `slrs_round` takes as ``psi_after``.

    Attributes:
        tree: the drafts, shared by all that is asked for.
        asked: how many numbers were asked for, repetitions included.
    """

    def __init__(
        self, pair: Pair, context: Ids, rule: StopRule, tree: DraftTree | None = None
    ) -> None:
        self.tree = tree or DraftTree(pair, context, rule)
        self.asked = 0
        self._masses: dict[Ids, PrefixMass] = {}

    @property
    def work(self) -> Work:
        """What the drafter was asked so far."""
        return self.tree.work

    def mass(self, ids: Ids) -> PrefixMass:
        """M(``ids``), as far as it was refined before."""
        if ids not in self._masses:
            self._masses[ids] = PrefixMass(self.tree, ids)
        return self._masses[ids]

    def after(self, accepted: Ids) -> NextToken:
        """psi_{k+1}( . | ``accepted``)."""
        return NextToken(self, accepted)

    def number(self, accepted: Ids, token: int) -> Any:
        """psi_{k+1}(``token`` | ``accepted``)."""
        begins = self.mass((*accepted, token)).exact()
        return divided(begins, self.mass(accepted).exact())


class NextToken:
    """psi_{k+1}( . | accepted) as something to look numbers up in."""

    def __init__(self, psi: LazyPsi, accepted: Ids) -> None:
        self._psi = psi
        self._accepted = accepted

    def __getitem__(self, token: int) -> Any:
        self._psi.asked += 1
        return self._psi.number(self._accepted, token)
