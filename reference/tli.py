"""TLI, token-level intersection (Algorithm 4): draft only what both vocabularies have.

**Emits** between one token and the number of drafts plus one, like Algorithm 5.
**Preconditions** T and D share a token, or `EmptyIntersectionError` is raised. Where they share
none of positive probability at some context, nothing is proposed there and the token comes from p.
Filters of the drafter's law (temperature, top-k, top-p) belong before the masking: q' is the law
really drawn from.
**Expected acceptance** of the first draft: sum over T n D of min(p, q') (`tli_acceptance`).
**Theorem** lossless (4.1), since q' is the law of the drafts and Algorithm 5 is run with it;
accepts at least as often as Algorithm 1, since q' >= q on T n D.
**Proof** docs/algorithms/tli.md, "Why it is lossless"; ledger entry tli.

**The box.**
1. q'(x) = q(x) / sum of q over T n D, for x in T n D, else 0. Several drafter ids with one meaning
   count together: q' is summed over them.
2. Draft from q'. Run Algorithm 5 with p and q'.
"""

from __future__ import annotations

from .chance import Chance
from .distribution import Distribution, DistributionError
from .drafting import draft_tokens
from .exact import Rational
from .models import Ids
from .pair import EmptyIntersectionError, Pair
from .rounds import Round
from .standard import standard_acceptance, verify


def tli_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round of Algorithm 4 after ``context``, with at most ``lookahead`` drafts.

    Raises:
        EmptyIntersectionError: when no drafter id means what a target id means.
    """
    if not pair.intersection:
        raise EmptyIntersectionError("the vocabularies share no token, so TLI has nothing to draft")

    # 1. Draft from q'.
    drafts = draft_tokens(pair, context, lookahead, chance, masked)

    # 2. Verify with p and q'.
    return verify(pair, context, drafts, chance)


def masked(pair: Pair, q: Distribution[int]) -> Distribution[int] | None:
    """q', over D: the drafter's law given that its token is in T n D; None without mass there."""
    try:
        return q.restrict(pair.shared_drafter_ids)
    except DistributionError:
        return None


def tli_acceptance(pair: Pair, context: Ids) -> Rational:
    """sum over T n D of min(p, q'), the first draft's acceptance (Table 3)."""
    return standard_acceptance(pair, context, masked)
