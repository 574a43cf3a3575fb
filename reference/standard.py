"""Standard speculative decoding (Algorithm 5; Leviathan et al. 2211.17192, Chen et al. 2302.01318).

**Emits** between one token and the number of drafts plus one: the accepted drafts, then one drawn
from the residual (after a rejection) or from p (the bonus token, when all are accepted).
**Preconditions** each draft x_j was drawn from the q_j that scores it. Over two vocabularies q is
extended by zero to T u D, which is Algorithm 1.
**Expected acceptance** of the first draft: sum min(p, q) (`standard_acceptance`).
**Theorem** lossless: min(p, q) + (1 - sum min(p, q)) * residual = p.
**Proof** docs/algorithms/standard.md, "Why it is lossless"; ledger entry standard-block.

**The box.**
1. Draft x_1..x_k, x_j ~ q_j.
2. One target pass gives p_1..p_{k+1}.
3. For j = 1..k accept x_j with probability min(1, p_j(x_j) / q_j(x_j)).
4. At the first rejection emit one draw from (p_j - min(p_j, q_j)) / (1 - sum min(p_j, q_j)).
5. If all are accepted emit one draw from p_{k+1}.
"""

from __future__ import annotations

from .chance import Chance
from .distribution import ratio
from .drafting import Drafts, Proposal, draft_tokens, first_laws, unmasked
from .exact import ZERO, Rational
from .models import Ids
from .pair import Pair
from .rounds import Round, finish


def standard_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round of Algorithm 5 after ``context``, with at most ``lookahead`` drafts."""
    # 1. Draft.
    drafts = draft_tokens(pair, context, lookahead, chance)

    # 2. to 5. Verify.
    return verify(pair, context, drafts, chance)


def verify(pair: Pair, context: Ids, drafts: Drafts, chance: Chance) -> Round:
    """Steps 2 to 5 of Algorithm 5 for drafts over T u D, each with the law it was drawn from."""
    # 2. One target pass.
    target_laws = pair.target.distributions(context, drafts.verifiable(pair))

    emitted: Ids = ()
    for x, p, q in zip(drafts.tokens, target_laws, drafts.laws, strict=False):
        # 3. Accept with probability min(1, p/q).
        if chance.accept(ratio(p[x], q[x]), f"accept {len(emitted) + 1}"):
            emitted += (x,)
            continue
        # 4. At the first rejection, the residual.
        final = chance.draw(p.residual(q), "residual")
        return finish(pair, (*emitted, final), len(emitted), drafts.tokens, drafts.drafter_ids)

    # 5. All accepted: the bonus token.
    bonus = chance.draw(target_laws[len(drafts.tokens)], "bonus")
    return finish(pair, (*emitted, bonus), len(emitted), drafts.tokens, drafts.drafter_ids)


def standard_acceptance(pair: Pair, context: Ids, proposal: Proposal = unmasked) -> Rational:
    """sum min(p, q), the first draft's acceptance (Table 3); zero when nothing is proposed."""
    p, q = first_laws(pair, context, proposal)
    return p.overlap(q) if q is not None else ZERO
