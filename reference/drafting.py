"""Drafting token by token: what the token-level algorithms propose, and the law it was drawn from.

The drafter reads the context as its own ids (`Pair.drafter_context`) and draws one token after the
other. Each is recorded as an id of T u D, beside the law *of that id*: the drafter's law pushed
forward along the token map, so that several drafter ids with one meaning are scored by their sum.

Drafting ends early, and always by what is already drawn, so that the law stays exact:
after an end of sequence; after a token that T does not have (it will be rejected, and nothing
behind it can be verified); and where the proposal has no mass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .chance import Chance
from .distribution import Distribution
from .models import Ids
from .pair import Pair

#: From a pair and the drafter's law, over D, to the law that a draft is really drawn from, over D;
#: None when that has no mass.
Proposal = Callable[[Pair, Distribution[int]], Distribution[int] | None]


@dataclass(frozen=True, slots=True)
class Drafts:
    """Drafted tokens.

    Attributes:
        drafter_ids: as the drafter drew them.
        tokens: the same tokens as ids of T u D (`Pair.union_id`).
        laws: for each, the law over T u D that it was drawn from.
    """

    drafter_ids: Ids
    tokens: Ids
    laws: tuple[Distribution[int], ...]

    def verifiable(self, pair: Pair) -> Ids:
        """The tokens that the target can read: all, or all but a last one that T lacks."""
        foreign = bool(self.tokens) and self.tokens[-1] >= pair.target.size
        return self.tokens[:-1] if foreign else self.tokens


def unmasked(pair: Pair, q: Distribution[int]) -> Distribution[int] | None:
    """Draft from the drafter's law as it is."""
    del pair
    return q


def draft_tokens(
    pair: Pair, context: Ids, lookahead: int, chance: Chance, proposal: Proposal = unmasked
) -> Drafts:
    """Draw at most ``lookahead`` tokens, each from ``proposal`` of the drafter's law."""
    read = pair.drafter_context(context)
    drafter_ids: list[int] = []
    tokens: list[int] = []
    laws: list[Distribution[int]] = []
    while read is not None and len(tokens) < lookahead:
        q = proposal(pair, pair.drafter.distributions(read + tuple(drafter_ids))[0])
        if q is None:
            break
        drawn = chance.draw(q, f"draft {len(tokens) + 1}")
        drafter_ids.append(drawn)
        tokens.append(pair.union_id(drawn))
        laws.append(q if pair.same_vocabulary else q.push_forward(pair.union_id))
        if tokens[-1] == pair.end_of_sequence or tokens[-1] >= pair.target.size:
            break
    return Drafts(tuple(drafter_ids), tuple(tokens), tuple(laws))


def first_laws(
    pair: Pair, context: Ids, proposal: Proposal = unmasked
) -> tuple[Distribution[int], Distribution[int] | None]:
    """p and q at ``context``, both over T u D; q is None when nothing can be proposed."""
    (p,) = pair.target.distributions(context)
    read = pair.drafter_context(context)
    q = None if read is None else proposal(pair, pair.drafter.distributions(read)[0])
    return p, None if q is None else q.push_forward(pair.union_id)
