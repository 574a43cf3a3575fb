"""psi by dynamic programming over states, for drafters with a finite memory (n-grams).

The third of the versions of psi; `psi` has the list. Two drafts of one length have the same future
when the drafter's state is the same (the last n - 1 ids) and so is all that the rule and the first
candidates still depend on: the candidates that are certain, and the text behind them that the
target may still cut otherwise. Such drafts are merged and their masses added, so that the work
grows with the number of states and not with the number of drafts.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from .models import Ids
from .pair import Pair
from .psi_tree import Draft, DraftTree, Scores, Work, divided
from .readings import always_encodes, certain
from .stop_rules import Encoded, StopRule


class NoStatesError(ValueError):
    """A drafter that this version of psi is not for; the message says why."""


def states_psi(
    pair: Pair, context: Ids, rule: StopRule, accepted: Ids = (), work: Work | None = None
) -> Scores:
    """psi_{k+1}( . | ``accepted``) by merging drafts with one future; psi when it is empty.

    Raises:
        NoStatesError: when the drafter does not say what its state is, or the text of its tokens is
            not the concatenation of their texts: an earlier cut is then never certain.
    """
    state_of: Any = getattr(pair.drafter, "state", None)
    if state_of is None:
        raise NoStatesError("the drafter has no finite state: it says nothing of one")
    if not pair.drafter_tokenizer.laws.concatenative:
        raise NoStatesError("the drafter's text is not the concatenation of its tokens' texts")
    tree = DraftTree(pair, context, rule, work or Work())
    k = len(accepted)
    never_fails = always_encodes(pair.target_tokenizer, pair.drafter_tokenizer)

    def hopeless(draft: Draft) -> bool:
        """Whether ``accepted`` will not be how the candidates begin."""
        end = pair.end_of_sequence
        if not accepted:
            return False
        return tree.reads.outlook(draft.texts, accepted, never_fails, end).verdict is False

    def first_candidates(draft: Draft) -> Ids | None:
        """The first k + 1 candidates if they are settled, else None."""
        if tree.done(draft):
            return tree.candidates(draft)[: k + 1]
        if never_fails and isinstance(tree.reads, Encoded):
            known = certain(pair.target_tokenizer, draft.text) or ()
            if len(known) > k:
                return known[: k + 1]
        return None

    found = Scores()
    layer = [Draft()]
    while layer:
        open_: list[Draft] = []
        for draft in layer:
            ids = first_candidates(draft)
            if ids is not None:
                found.add(ids, draft.mass)
            elif not hopeless(draft):
                open_.append(draft)
        merged: dict[Hashable, Draft] = {}
        for draft, q in zip(open_, tree.ask(open_), strict=True):
            for child in tree.children(draft, q):
                summary = tree.reads.summary(child.ids, child.texts, k + 1)
                key = (state_of((tree.read or ()) + child.ids), summary, child.ended)
                if (same := merged.get(key)) is not None:
                    child = Draft(child.ids, child.texts, same.mass + child.mass, child.ended)
                merged[key] = child
        layer = list(merged.values())
    return _given(found, accepted)


def _given(first: Scores, accepted: Ids) -> Scores:
    """The law of the candidate after ``accepted``, from that of the first k + 1."""
    k = len(accepted)
    begins: Any = sum((n for ids, n in first.items() if ids[:k] == accepted), 0)
    return Scores(
        {
            ids[k]: divided(n, begins)
            for ids, n in first.items()
            if len(ids) > k and ids[:k] == accepted
        }
    )
