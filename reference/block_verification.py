"""Block verification (Sun et al. 2403.10444): the drafts are judged together, not one by one.

**Emits** between one token and the number of drafts plus one: the first tau drafts, then one more.
**Preconditions** as for standard speculative decoding: x_j was drawn from q_j. Where the draft ends
may depend on what was drafted (an end of sequence), not on anything else.
**Expected acceptance** of the first draft: sum min(p, q), as token by token; of the whole block:
never below token by token, and no lossless rule accepts more.
**Theorem** lossless: given x_1..x_i, tau is at least i with probability P_i, and the token after
them then has law p_{i+1}, whether it is the next draft or drawn at the end.
**Proof** docs/algorithms/block.md, "Why it is lossless"; ledger entry block-verification.

**The box.**
1. Draft x_1..x_k, x_j ~ q_j. 2. One target pass gives p_1..p_{k+1}.
3. P_0 = 1, P_i = min(1, P_{i-1} p_i(x_i) / q_i(x_i)).
4. For i < k: Z_{i+1} = sum max(0, P_i p_{i+1} - q_{i+1}) and h_i = Z_{i+1} / (Z_{i+1} + 1 - P_i),
   1 where that is 0/0; h_k = P_k. tau is the *last* i whose own coin passes h_i, else 0.
5. Emit x_1..x_tau, then one draw from p_{k+1} when tau = k, else from
   max(0, P_tau p_{tau+1} - q_{tau+1}) normalised.
"""

from __future__ import annotations

from typing import Any

from .chance import Chance
from .distribution import ratio
from .drafting import Drafts, draft_tokens
from .exact import Rational
from .models import Ids
from .pair import Pair
from .rounds import Round, finish
from .standard import standard_acceptance


def block_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round of block verification after ``context``, with at most ``lookahead`` drafts."""
    # 1. Draft.
    drafts = draft_tokens(pair, context, lookahead, chance)

    # 2. to 5. Verify.
    return verify_block(pair, context, drafts, chance)


def verify_block(pair: Pair, context: Ids, drafts: Drafts, chance: Chance) -> Round:
    """Steps 2 to 5 for drafts over T u D, each with the law it was drawn from."""
    # 2. One target pass.
    p = pair.target.distributions(context, drafts.verifiable(pair))
    x, q, k = drafts.tokens, drafts.laws, len(drafts.tokens)

    # 3. The probability that x_1..x_i are all kept.
    kept: list[Any] = [1]
    for j in range(k):
        kept.append(min(1, kept[j] * ratio(p[j][x[j]], q[j][x[j]])))

    # 4. The last coin that passes decides: scan them all.
    tau = 0
    for i in range(1, k + 1):
        if i < k:
            excess = p[i].excess(q[i], kept[i])
            passes = excess / (excess + 1 - kept[i]) if excess + 1 != kept[i] else 1
        else:
            passes = kept[k]
        if chance.accept(passes, f"keep {i}"):
            tau = i

    # 5. The final token.
    law = p[k] if tau == k else p[tau].residual(q[tau], kept[tau])
    final = chance.draw(law, "bonus" if tau == k else "residual")
    return finish(pair, (*x[:tau], final), tau, drafts.tokens, drafts.drafter_ids)


def block_acceptance(pair: Pair, context: Ids) -> Rational:
    """sum min(p, q): the first draft is kept as often as token by token."""
    return standard_acceptance(pair, context)
