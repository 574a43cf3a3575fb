"""SLRS with block verification: the candidates are judged together, not one by one.

**Emits** between one token and the number of candidates plus one.
**Preconditions** as for SLRS: psi is the law of the candidates under the rule that ends the draft.
**Expected acceptance** of the first candidate: sum min(p, psi), as token by token; of the whole
block never below token by token, and no lossless rule that is given the candidates and one target
pass over them accepts more (docs/slrs-in-practice.md, "The ceiling").
**Theorem** lossless, under any stop rule with a cap.
**Proof** docs/slrs-in-practice.md, "Block verification"; ledger entry slrs-block.

**The box** (not in the paper: Sun et al. 2403.10444, applied to candidates by way of text).
1. Draw d_1, d_2, .. until the rule holds; t_1..t_m = T(d_1 (+) .. (+) d_i).
2. One target pass gives p_1..p_{m+1}.
3. P_0 = 1, P_i = min(1, P_{i-1} p_i(t_i) / psi_i(t_i)).
4. For i = 0..m: Z_{i+1} = sum max(0, P_i p_{i+1} - psi_{i+1}) and h_i = Z_{i+1} / (Z_{i+1} + 1 -
   P_i), 1 where that is 0/0. tau is the *last* i whose own coin passes h_i; that of i = 0 is 1.
5. Emit t_1..t_tau, then one draw from max(0, P_tau p_{tau+1} - psi_{tau+1}) normalised.

i = m is no exception: that the proposal ends there is an outcome of it, with p = 0. With h_m = P_m
and a bonus from p, as over one vocabulary, it is lossy.

**Without a sum over T.** `slrs_block_kept_round` needs no Z. Toss two coins against each other
until one shows its face: *pass*, where a draw x from p_{i+1} is kept with probability max(0, P_i -
psi_{i+1}(x) / p_{i+1}(x)), and *fail*, with probability 1 - P_i. Pass wins with probability
Z / (Z + 1 - P_i) = h_i, and the x it kept has the law of step 5. Going through i = m, .., 0 and
ending at the first pass, the draws tested at i number 1 / (Z + 1 - P_i), if it comes to i; which it
does with probability Z + 1 - P_i: one evaluation of psi on average, as for kept draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from .chance import Chance
from .distribution import Distribution, ExactDistribution, ratio
from .exact import rational
from .models import Ids
from .pair import Pair
from .proposals import propose
from .psi import candidate_law
from .rounds import Round, finish
from .slrs import PsiAfter, Scored
from .stop_rules import StopRule


def slrs_block_round(pair: Pair, context: Ids, rule: StopRule, chance: Chance) -> Round:
    """One round after ``context``, as the box has it; psi by enumeration."""
    # 1. Draw drafts until the rule holds.  2. Re-tokenize their text; one target pass.
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates
    p = pair.target.distributions(context, t)
    law = candidate_law(pair, context, rule)
    psi = [law.next_token(t[:i]) for i in range(len(t) + 1)]

    # 3. The probability that t_1..t_i are all kept.
    kept = kept_together(p, psi, t)

    # 4. The last coin that passes decides: scan them all.
    tau = 0
    for i in range(1, len(t) + 1):
        excess = p[i].excess(psi[i], kept[i])
        passes = excess / (excess + 1 - kept[i]) if excess + 1 != kept[i] else 1
        if chance.accept(passes, f"keep {i}"):
            tau = i

    # 5. The final token.
    left = p[tau].residual(psi[tau], kept[tau])
    return finish(pair, (*t[:tau], chance.draw(left, "residual")), tau, t, proposal.drafter_ids)


def slrs_block_kept_round(
    pair: Pair, context: Ids, rule: StopRule, chance: Chance, psi_after: PsiAfter | None = None
) -> Round:
    """The same round without a sum over T: psi is asked for single tokens only."""
    # 1. to 3. as above.
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates
    p = pair.target.distributions(context, t)
    psi_after = psi_after or candidate_law(pair, context, rule).next_token
    psi = [psi_after(t[:i]) for i in range(len(t) + 1)]
    kept = kept_together(p, psi, t)

    # 4. and 5. From the last i on.
    tau, final = last_to_pass(p, psi, kept, len(t), chance)
    return finish(pair, (*t[:tau], final), tau, t, proposal.drafter_ids)


def last_to_pass(
    p: Sequence[Distribution[int]],
    psi: Sequence[Scored],
    kept: Sequence[Any],
    m: int,
    chance: Chance,
) -> tuple[int, int]:
    """4. and 5. For i = m, .., 0 pass against fail, until pass wins: tau, and the final token.

    ``p`` and ``psi`` are the laws behind t_1..t_i, ``kept`` is P_0..P_m.
    """
    for i in range(m, 0, -1):
        final = _pass_or_fail(p[i], psi[i], kept[i], chance, f"keep {i}")
        if final is not None:
            return i, final
    # P_0 is 1: fail never shows.
    return 0, chance.draw_kept(p[0], lambda x: 1 - psi[0][x] / p[0][x], "keep 0")


def kept_together(p: Any, psi: Any, t: Ids) -> list[Any]:
    """P_0..P_m."""
    kept: list[Any] = [1]
    for i, token in enumerate(t):
        # Behind a token that is never kept none is, and psi need not be asked.
        kept.append(kept[i] and min(1, kept[i] * ratio(p[i][token], psi[i][token])))
    return kept


#: What is drawn beside tokens where pass is tossed against fail.
FAIL = -1


def _pass_or_fail(
    p: Distribution[int], psi: Any, kept: Any, chance: Chance, what: str
) -> int | None:
    """The token that passes, None where fail wins. ``kept`` is P_i."""
    won = chance.draw_kept(
        _half(p), lambda x: 1 - kept if x == FAIL else kept - psi[x] / p[x], what
    )
    return None if won == FAIL else won


def _half(p: Distribution[int]) -> Distribution[int]:
    """A fair coin between fail and a draw from ``p``."""
    if isinstance(p, ExactDistribution):
        return ExactDistribution([(FAIL, rational(1, 2)), *((x, n / 2) for x, n in p.items())])
    return cast("Distribution[int]", Half(p))


class Half:
    """The same for laws of any kind.

    Attributes:
        law: what is drawn from where the coin does not say fail.
    """

    def __init__(self, law: Distribution[int]) -> None:
        self.law = law

    def __getitem__(self, outcome: int, /) -> Any:
        return 0.5 if outcome == FAIL else self.law[outcome] / 2

    def support(self) -> Iterator[int]:
        """Fail, then the outcomes of the law."""
        yield FAIL
        yield from self.law.support()

    def quantile(self, coin: Any) -> int:
        """Fail for the lower half of the coins."""
        return FAIL if 2 * coin < 1 else self.law.quantile(2 * coin - 1)
