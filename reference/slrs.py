"""SLRS, string-level rejection sampling (Algorithm 3).

**Emits** one token, as the box has it (``one_token``), or up to the number of candidates plus one.
**Preconditions** psi is the law of the candidates under the stop rule that ends the draft, however
that rule chooses; it may be sub-stochastic ("no proposal").
**Expected acceptance** of the first candidate: sum min(p, psi) (`slrs_acceptance`).
**Theorem** lossless (3.2), for any stop rule with a cap: min(p, psi) + (p - psi)+ = p.
**Proof** docs/algorithms/slrs.md, "Why it is lossless"; ledger entry slrs.

**The box.**
1. Draw d_1, d_2, .. until the lookahead indicator holds.
2. t_1..t_m = T(d_1 (+) .. (+) d_i); one target pass gives p after c, c t_1, .., c t_1..t_m.
3. psi(t) = sum over the draft sequences whose T(..) starts with t of the product of their q.
4. Accept t_1 with probability min(1, p(t_1) / psi(t_1)).
5. Else emit one draw from (p - min(p, psi)) / (1 - sum min(p, psi)).
6. *Several tokens* (not in the box): go on with t_2 against psi_2(.|t_1), and so on. Where the
   proposal has no further token, draw from the residual, as after a rejection: "no further token"
   is an outcome of the proposal, with p = 0.

The residual is drawn by keeping: draw t ~ p, keep it with probability max(0, 1 - psi(t)/p(t)),
repeat. Since p * (1 - psi/p)+ = (p - psi)+ that is the same law, with no sum over T.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .chance import Chance
from .distribution import ratio
from .exact import Rational
from .models import Ids
from .pair import Pair
from .proposals import propose
from .psi import candidate_law, psi
from .rounds import Round, finish
from .stop_rules import StopRule


class Scored(Protocol):
    """What candidates are scored with: a law, or anything that gives a number for a token."""

    def __getitem__(self, token: int, /) -> Any:
        """The probability that ``token`` is the next candidate."""
        ...


#: ``psi_after(t_1..t_k)`` gives psi_{k+1}( . | t_1..t_k).
PsiAfter = Callable[[Ids], Scored]


def slrs_round(
    pair: Pair,
    context: Ids,
    rule: StopRule,
    chance: Chance,
    one_token: bool = False,
    psi_after: PsiAfter | None = None,
) -> Round:
    """One round of Algorithm 3 after ``context``; several tokens unless ``one_token``.

    psi is found by enumeration, unless ``psi_after`` gives it; see `psi` for faster versions.
    Anything else than that law is lossy.
    """
    # 1. Draw drafts until the rule holds.  2. Re-tokenize their text; one target pass.
    proposal = propose(pair, context, rule, chance)
    t = proposal.candidates[:1] if one_token else proposal.candidates
    target_laws = pair.target.distributions(context, t)

    # 3. The law of what might have been proposed.
    psi_after = psi_after or candidate_law(pair, context, rule).next_token

    emitted: Ids = ()
    for k, p in enumerate(target_laws):
        if one_token and k == 1:
            break
        # 4. Accept with probability min(1, p/psi); 6. go on with psi_2, psi_3, ..
        psi_k = psi_after(emitted)
        if k < len(t) and chance.accept(ratio(p[t[k]], psi_k[t[k]]), f"accept {k + 1}"):
            emitted += (t[k],)
            continue
        # 5. A rejection, or no further proposal: the residual, by kept draws.
        final = chance.draw_kept(p, lambda x, p=p, psi_k=psi_k: 1 - psi_k[x] / p[x], "residual")
        return finish(pair, (*emitted, final), k, proposal.candidates, proposal.drafter_ids)
    return finish(pair, emitted, len(emitted), proposal.candidates, proposal.drafter_ids)


def slrs_acceptance(pair: Pair, context: Ids, rule: StopRule) -> Rational:
    """sum min(p, psi), the first candidate's acceptance (Table 3)."""
    (p,) = pair.target.distributions(context)
    return p.overlap(psi(pair, context, rule))
