"""SLRS with spelled proposals and block verification: all that was spelled is judged together.

**Emits** between one token and the number of candidates plus one.
**Preconditions** none, as for spelled proposals; psi is the law of the spelling program.
**Expected acceptance** of the first candidate: sum min(p, psi), as token by token; of the whole
block never below token by token.
**Theorem** lossless: given t_1..t_i, tau is at least i with probability P_i, and what follows them
has the law p_{i+1}.
**Proof** docs/slrs-in-practice.md, "Spelled proposals"; ledger entry slrs-spelled-block.

**The box.**
1. and 2. Spell t_1..t_m, at most K, as in `slrs_spelled`. One target pass gives p_1..p_{m+1}.
3. P_0 = 1, P_i = min(1, P_{i-1} p_i(t_i) / psi_i(t_i)).
4. If m is K, or t_m an end of sequence, nothing more was to be proposed. Then psi_{m+1} is 0 and
   h_m = P_m: with that probability emit t_1..t_m and a bonus from p_{m+1}. Otherwise a spelling has
   come to nothing, which is an outcome of the proposal with p = 0, and i = m is like the others.
5. For the other i, from the last on, toss until one shows: *pass*, a draw x from p_{i+1} kept with
   probability max(0, P_i - psi_{i+1}(x) / p_{i+1}(x)); *fail*, with probability 1 - P_i. At the
   first pass emit t_1..t_i and the x that it kept. Where P_i = 0 fail is certain.

Nothing is a sum over T: pass wins with probability h_i = Z / (Z + 1 - P_i), where Z = sum max(0,
P_i p_{i+1} - psi_{i+1}), as in `slrs_block`.

**psi evaluations.** Candidate t_{i+1} costs one, if P_i > 0. The round comes to i with probability
Z + 1 - P_i, given t_1..t_i, and there tests 1 / (Z + 1 - P_i) draws. So wherever more was to be
proposed behind t_1..t_i and P_i > 0, the average is P(proposal) + 1, or P(proposal) alone where
psi = p and P_i = 1. Token by token the same holds at the positions that are verified; here it holds
at all that were spelled.
"""

from __future__ import annotations

from .chance import Chance
from .models import Ids
from .pair import Pair
from .rounds import Round, finish
from .slrs_block import kept_together, last_to_pass
from .slrs_spelled import propose_spelled


def spelled_block_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round after ``context`` with at most ``lookahead`` spelled tokens, judged together."""
    # 1. and 2. Spell t_1, t_2, ..; one target pass.
    proposal = propose_spelled(pair, context, lookahead, chance)
    t, psi = proposal.candidates, proposal.laws
    p = pair.target.distributions(context, t)

    # 3. The probability that t_1..t_i are all kept.
    kept = kept_together(p, psi, t)

    # 4. Nothing more was to be proposed: psi is 0 behind t_m.
    last = len(t)
    if len(psi) == len(t):
        if chance.accept(kept[last], f"keep {last}"):
            bonus = chance.draw(p[last], "bonus")
            return finish(pair, (*t, bonus), last, t, proposal.drafts)
        last -= 1

    # 5. From the last i on that can be kept.
    while not kept[last]:
        last -= 1
    tau, final = last_to_pass(p, psi, kept, last, chance)
    return finish(pair, (*t[:tau], final), tau, t, proposal.drafts)
