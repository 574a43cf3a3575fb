"""What SLEM keeps: its candidates are re-tokenized drafts, kept while the target draws the same.

Given the candidates t_1..t_m, whatever they are, the target's fresh draws equal the first j of them
with probability p(t_1) p(t_2 | t_1) .. p(t_j | t_1..t_{j-1}). So one draft of the drafter, and no
coin of the target's, gives an unbiased number for every lookahead K at once: the candidates of K
drafts are T of the text of the first K of them, and one more pass over the target, at the longest
candidates, tells the probabilities of nearly all of them.

Given the text x_1, x_2, .. that comes out, the same draft kept exactly what it shares with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...reference.chance import Chance
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.proposals import propose
from ...reference.stop_rules import Fixed
from .continuations import Continuation


@dataclass(frozen=True)
class Drafted:
    """One draft of the drafter, and what SLEM makes of its first 1, 2, .. ids.

    Attributes:
        drafter_ids: at most the largest lookahead; fewer behind an end or an unreadable context.
        candidates: for each lookahead, target ids.
        tokens: for each lookahead, the expected tokens of the round, given the candidates.
        agreed: for each lookahead, how many candidates the text that comes out begins with.
    """

    drafter_ids: Ids
    candidates: list[Ids]
    tokens: list[float]
    agreed: list[int]


def drafted(
    pair: Pair,
    text: Continuation,
    position: int,
    most: int,
    chance: Chance,
    first: float | None = None,
) -> Drafted:
    """A draft of ``most`` ids at a position of a text.

    ``first`` is the exact probability that the first candidate of one draft is kept and is no end;
    it then stands in for the drawn candidate's own.
    """
    context = text.context(position)
    longest = propose(pair, context, Fixed(most), chance)
    again: Any = _Again(longest.drafter_ids)
    candidates = [
        propose(pair, context, Fixed(drafts), again.rewound()).candidates
        for drafts in range(1, most)
    ]
    candidates.append(longest.candidates)
    law_after = _laws(pair, text, position)
    future = text.ids[position:]
    # The longest first: it makes the others' laws known.
    kept = [_kept(law_after, each, text.ends) for each in reversed(candidates)][::-1]
    if first is not None:
        kept[0] = [first, *kept[0][1:]]
    return Drafted(
        longest.drafter_ids,
        candidates,
        [1 + sum(each) for each in kept],
        [_agreed(each, future) for each in candidates],
    )


def _kept(
    law_after: Callable[[Ids, Ids], list[Any]], candidates: Ids, ends: frozenset[int]
) -> list[float]:
    """For j = 1, 2, .. the probability that the first j are kept and none of them is an end."""
    chances: list[float] = []
    laws = law_after((), candidates[:-1]) if candidates else []
    for token, law in zip(candidates, laws, strict=True):
        if token in ends:
            break
        chances.append(float(law[token]) * (chances[-1] if chances else 1.0))
    return chances


def _laws(pair: Pair, text: Continuation, position: int) -> Callable[[Ids, Ids], list[Any]]:
    """``(begin, rest) -> laws`` after begin, begin + rest[:1], ..; each is asked for once."""
    context = text.context(position)
    known: dict[Ids, Any] = {(): text.laws[position]}
    for place in range(position + 1, len(text.laws)):
        known[text.ids[position:place]] = text.laws[place]

    def law_after(begin: Ids, rest: Ids) -> list[Any]:
        prefixes = [begin + rest[:length] for length in range(len(rest) + 1)]
        missing = [prefix for prefix in prefixes if prefix not in known]
        if missing:
            first, last = missing[0], prefixes[-1]
            found = pair.target.distributions(context + first, last[len(first) :])
            known.update(zip(prefixes[len(prefixes) - len(found) :], found, strict=True))
        return [known[prefix] for prefix in prefixes]

    return law_after


def _agreed(candidates: Ids, future: Ids) -> int:
    count = 0
    for one, other in zip(candidates, future, strict=False):
        if one != other:
            break
        count += 1
    return count


class _Again:
    """Chance that draws what was drawn before."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._place = 0

    def rewound(self) -> _Again:
        """From the first one on."""
        self._place = 0
        return self

    def draw(self, law: Any, what: str = "") -> int:
        """The next one."""
        del law, what
        self._place += 1
        return self._ids[self._place - 1]
