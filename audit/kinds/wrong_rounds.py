"""The first round of a decoder, watched from the models it calls.

The drafts of a round are what the target is called with behind the prompt, and the block is what
the drafter is called with behind the prompt in the next round, if that is what is returned; if it
is not, a state has gone stale. Seen so, a decoder's round is as
well known as a rule's: the law of its drafts, and the law of the block for each of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .calling import keywords, returned_ids
from .cases import Case
from .due import DueLaws, Law
from .evidence import Evidence
from .generate import TOKENIZERS, Model
from .pairs import named_pair
from .settings import Ids
from .trial import BudgetSpentError, Trial

#: Pairs and lookaheads whose rounds are watched: rows all alike first, then others.
WATCHED = (
    *(("base", 1), ("two-id-residual", 1), ("shared-noise", 1), ("fair-coins", 1)),
    *(("context-dependent", 1), ("near-ratios", 1), ("small", 1), ("tiny", 1)),
    *(("cumulative", 2), ("fair-coins", 2), ("two-ids", 2), ("shifted-rows", 2)),
)
#: Paths for one pair, and seconds for all of them.
MAX_PATHS, SECONDS = 2000, 2.0


class _Watched:
    """Both models of one path, and what they were called with.

    Attributes:
        drafts: of the first round, None if they were not seen.
        next: what stood behind the prompt when the drafter was called after that.
    """

    def __init__(self, prompt: Ids, lookahead: int, target: Model, drafter: Model) -> None:
        self._prompt = prompt
        self._lookahead = lookahead
        self._models = target, drafter
        self._drafted = -1
        self.drafts: Ids | None = None
        self.next: Ids | None = None

    def target(self, ids: Any) -> Any:
        """The target; its call with what the drafter has just drafted shows the drafts."""
        rows = self._models[0](ids)
        new = self._new(ids)
        fresh = self._drafted == self._lookahead - 1  # else a round is over already
        if self.drafts is None and new is not None and len(new) == self._lookahead and fresh:
            self.drafts = new
        return rows

    def drafter(self, ids: Any) -> Any:
        """The drafter; its first call after the drafts were verified shows the block."""
        new = self._new(ids)
        if self.drafts is None:
            self._drafted = max(self._drafted, -1 if new is None else len(new))
        elif self.next is None:
            self.next = new or (-1,)
        return self._models[1](ids)

    def _new(self, ids: Any) -> Ids | None:
        listed = tuple(int(t) for t in (ids.tolist() if hasattr(ids, "tolist") else ids))
        size = len(self._prompt)
        return listed[size:] if listed[:size] == self._prompt else None


def first_rounds(trial: Trial) -> list[Evidence]:
    """The first rounds of a `generate` subject, as far as they can be watched."""
    if TOKENIZERS & trial.subject.options:
        return []  # drafts are not the target's ids
    return list(_rounds(trial))


def _rounds(trial: Trial) -> Iterator[Evidence]:
    until = time.monotonic() + SECONDS
    for name, lookahead in WATCHED:
        if time.monotonic() > until:
            return
        case = Case(named_pair(name), lookahead, "run", "run")
        try:
            found = _watched(trial, case)
        except BudgetSpentError:
            return
        if found is None and (name, lookahead) == WATCHED[0]:
            return  # nor will they be seen on the others
        if found is not None:
            yield found


def _watched(trial: Trial, case: Case) -> Evidence | None:
    """The law of the first round; None where it cannot be told."""
    due = DueLaws(case.pair, case.settings)
    arrays = trial.arrays(case.dtype)
    target, drafter = Model(due.target, arrays), Model(due.drafter, arrays)
    subject, ahead = trial.subject, case.lookahead

    def run() -> tuple[Ids | None, Ids | None, bool]:
        watched = _Watched(due.prompt, ahead, target, drafter)
        named = keywords(subject, case.settings, 0)
        value = subject.call(
            watched.target, watched.drafter, list(due.prompt), ahead, ahead + 1, **named
        )
        new = returned_ids(value)[: ahead + 1]
        if watched.next is None:
            return watched.drafts, new, True
        block = new[: len(watched.next)]
        return watched.drafts, block if block == watched.next else None, False

    found = trial.enumerate(run, max_paths=MAX_PATHS, noted=False)
    if found.errors or found.reason is not None:
        return None
    if not any(ended for _, _, ended in found.law):
        return None  # the drafter is called behind every verification, maybe for its rows
    drafts: Law = {}
    parts: dict[Ids, Law] = {}
    for (x, block, _), mass in found.law.items():
        if x is None:
            return None
        if block is None:
            return Evidence(case, ahead + 1, {}, {}, {}, is_stale=True)
        drafts[x] = drafts.get(x, 0.0) + mass
        mine = parts.setdefault(x, {})
        mine[block] = mine.get(block, 0.0) + mass
    for x, law in parts.items():
        parts[x] = {block: mass / drafts[x] for block, mass in law.items()}
    return Evidence(case, ahead + 1, {}, parts, drafts)
