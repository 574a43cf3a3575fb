"""psi: the law of the target tokens that a string-level draft proposes.

psi(t) is the probability that the proposal's first target token is t, and psi_k(t | t_1..t_k) that
its next one is t given that it begins with t_1..t_k. Both are sub-stochastic: what is missing to
one is the probability that there is no such token ("no proposal").

Here psi is found by its definition: the exact law of `propose`, the very program that drafts,
under the very rule that stops it. Not the probability that the text *begins with the characters*
of t: that counts drafts whose text T tokenizes otherwise (the objection to Lemma 3.1).

Faster versions, each held exactly against the one before by the tests:

- `psi_tree`: the tree of drafts, one pass over the drafter for each depth;
- `psi_states`: drafts with one future merged, for drafters with a finite memory;
- `psi_lazy`: one number at a time, along the drafts that can still propose that token;
- `psi_bytes`: a few products, for byte-level drafters;
- `psi_bounds`: no closer than a coin asks for.
"""

from __future__ import annotations

from functools import lru_cache

from .distribution import ExactDistribution
from .enumeration import exact_law
from .exact import Rational
from .models import Ids
from .pair import Pair
from .proposals import propose
from .stop_rules import StopRule


class CandidateLaw:
    """The exact law of t_1..t_m, and the law of each token given those before it.

    Attributes:
        law: over tuples of target ids; the empty tuple is "no proposal".
    """

    def __init__(self, law: ExactDistribution[Ids]) -> None:
        self.law = law
        self._next: dict[Ids, ExactDistribution[int]] = {}

    def next_token(self, accepted: Ids = ()) -> ExactDistribution[int]:
        """psi_{k+1}( . | ``accepted``), where ``accepted`` is t_1..t_k; psi when it is empty.

        Sub-stochastic; a law without mass when no proposal begins with ``accepted`` and goes on.
        """
        if accepted not in self._next:
            k = len(accepted)
            begins = [(t, number) for t, number in self.law.items() if t[:k] == accepted]
            mass = sum((number for _, number in begins), Rational(0))
            self._next[accepted] = ExactDistribution(
                ((t[k], number / mass) for t, number in begins if len(t) > k), sub_stochastic=True
            )
        return self._next[accepted]


@lru_cache(maxsize=4096)
def candidate_law(pair: Pair, context: Ids, rule: StopRule) -> CandidateLaw:
    """The law of what is proposed after ``context`` under ``rule``, by enumeration."""
    return CandidateLaw(exact_law(lambda chance: propose(pair, context, rule, chance).candidates))


def psi(pair: Pair, context: Ids, rule: StopRule) -> ExactDistribution[int]:
    """The law of the first proposed target token under ``rule``; sub-stochastic."""
    return candidate_law(pair, context, rule).next_token()
