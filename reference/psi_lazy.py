"""psi one target token at a time: only the drafts that can still propose that token are followed.

The fourth of the versions of psi; `psi` has the list. All of it rests on one number,

    M(u) = P(the candidates begin with the ids u),    psi_{k+1}(t | u) = M(u t) / M(u),

which `PrefixMass` finds by walking down the tree of drafts, one pass over the drafter for each
depth. A draft is left as soon as it is sure to begin with u, or sure not to (`outlooks.Outlook`);
of a drafter's law only the tokens are looked at that keep to the texts on which that depends, and
all others are counted together. What is settled at any moment bounds M(u) from both sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from .models import Ids
from .outlooks import OPEN, Outlook
from .pair import Pair
from .psi_queue import Queue
from .psi_tree import Draft, DraftTree, Work, divided
from .readings import Spellings, always_encodes, spellings
from .stop_rules import StopRule
from .tokenizers import Tokenizer


class PrefixMass:
    """M(``wanted``), between ``low`` and ``high``, which close as it is refined.

    One `refine` looks at the drafts that are open, or asks the drafter after them, in one pass. Of
    these it takes all, which is the fewest passes; or, where the bounds need not meet, the most
    probable ones, and leaves what is at most the ``leaving``-th part of what was open.
    """

    def __init__(self, tree: DraftTree, wanted: Ids, leaving: int | None = None) -> None:
        self.tree = tree
        self.wanted = wanted
        self.leaving = leaving
        self.low: Any = 0
        self._queue = Queue(tree, leaving)
        self._look([Draft()])
        self.high: Any = self.low + self._queue.mass

    @property
    def closed(self) -> bool:
        """Whether the bounds have met: nothing is left to look at."""
        return not self._queue

    def refine(self) -> bool:
        """Look at drafts or ask the drafter after them; False when there is nothing left to do."""
        if self.closed:
            return False
        taken = self._queue.take()
        new = [draft for draft, outlook in taken if outlook is None]
        known = [(draft, outlook) for draft, outlook in taken if outlook is not None]
        if new:
            for draft, outlook in known:
                self._queue.add(draft, outlook)
            self._look(new)
        else:
            self._ask(known)
        self.high = self.low + self._queue.mass
        return True

    def exact(self) -> Any:
        """M(``wanted``) itself."""
        while self.refine():
            pass
        return self.low

    def _look(self, drafts: Iterable[Draft]) -> None:
        """Count drafts in, leave them, or keep them open."""
        for draft in drafts:
            if self.tree.done(draft):
                verdict: bool | None
                verdict = self.tree.candidates(draft)[: len(self.wanted)] == self.wanted
                outlook = OPEN
            else:
                outlook = self._outlook(draft)
                verdict = outlook.verdict
            if verdict is None:
                self._queue.add(draft, outlook)
            elif verdict:
                self.low = self.low + draft.mass

    def _ask(self, drafts: list[tuple[Draft, Outlook]]) -> None:
        """One draft token further."""
        laws = self.tree.ask([draft for draft, _ in drafts])
        for (draft, outlook), q in zip(drafts, laws, strict=True):
            only = None if outlook.paths is None else self._on(outlook.paths, draft.text)
            self._queue.add_children(draft, q, only)
            if only is not None and outlook.off:
                on = sum((q[token] for token in only), 0)
                self.low = self.low + draft.mass * (1 - on)

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
        return _keeping_to(
            self.tree.pair.drafter_tokenizer, frozenset(path[len(text) :] for path in paths)
        )


@lru_cache(maxsize=1 << 12)
def _keeping_to(tokenizer: Tokenizer, rests: frozenset[str]) -> frozenset[int]:
    """The ids that begin one of ``rests``, begin with one, say nothing, or end."""
    known: Spellings = spellings(tokenizer)
    ids = set(silent(tokenizer))
    if tokenizer.end_of_sequence is not None:
        ids.add(tokenizer.end_of_sequence)
    for beginning in {rest[:length] for rest in rests for length in range(1, len(rest) + 1)}:
        ids.update(known.ids_of(beginning))
    for rest in rests:
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
        leaving: see `PrefixMass`.
    """

    def __init__(
        self,
        pair: Pair,
        context: Ids,
        rule: StopRule,
        tree: DraftTree | None = None,
        leaving: int | None = None,
    ) -> None:
        self.tree = tree or DraftTree(pair, context, rule)
        self.leaving = leaving
        self.asked = 0
        self._masses: dict[Ids, PrefixMass] = {}

    @property
    def work(self) -> Work:
        """What the drafter was asked so far."""
        return self.tree.work

    def mass(self, ids: Ids) -> PrefixMass:
        """M(``ids``), as far as it was refined before."""
        if ids not in self._masses:
            self._masses[ids] = PrefixMass(self.tree, ids, self.leaving)
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
