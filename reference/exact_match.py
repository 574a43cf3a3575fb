"""Exact match: draw from the target, and go on for as long as the drafts happen to agree.

**Emits** between one token and the number of drafts plus one: the agreeing ones, then one more.
**Preconditions** none. The drafts may come from anywhere: their law is never used.
**Expected acceptance** of the first draft: sum over T n D of p * q (`exact_match_acceptance`).
**Theorem** lossless for every proposal mechanism: each emitted token is a fresh draw from p given
the tokens emitted before it. The drafts only decide where the block ends.
**Proof** docs/algorithms/exact-match.md, "Why it is lossless"; ledger entry exact-match.

**The box.**
1. Draft x_1..x_k (over two vocabularies q is extended by zero; a draft that T lacks never agrees).
2. One target pass gives p_1..p_{k+1}.
3. For j = 1, 2, ..: draw and emit y_j ~ p_j; stop when y_j differs from x_j, or after j = k + 1.
"""

from __future__ import annotations

from .chance import Chance
from .drafting import draft_tokens, first_laws
from .exact import ZERO, Rational
from .models import Ids
from .pair import Pair
from .rounds import Round, finish


def exact_match_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round of exact match after ``context``, with at most ``lookahead`` drafts."""
    # 1. Draft.
    drafts = draft_tokens(pair, context, lookahead, chance)

    # 2. One target pass.  3. Draw and compare.
    emitted = match(pair, context, drafts.tokens, drafts.verifiable(pair), chance)
    accepted = sum(y == x for y, x in zip(emitted, drafts.tokens, strict=False))
    return finish(pair, emitted, accepted, drafts.tokens, drafts.drafter_ids)


def match(pair: Pair, context: Ids, candidates: Ids, readable: Ids, chance: Chance) -> Ids:
    """Fresh draws from p, as long as they equal ``candidates``; the last one need not.

    ``readable`` is what the target pass runs over: ``candidates``, less a last one T lacks.
    """
    emitted: list[int] = []
    for j, p in enumerate(pair.target.distributions(context, readable)):
        emitted.append(chance.draw(p, f"target {j + 1}"))
        if candidates[j : j + 1] != (emitted[-1],):
            break
    return tuple(emitted)


def exact_match_acceptance(pair: Pair, context: Ids) -> Rational:
    """sum p * q over T n D, the first draft's acceptance (Table 3)."""
    p, q = first_laws(pair, context)
    return p.coincidence(q) if q is not None else ZERO
