"""The union baseline (Algorithm 1): standard speculative decoding over T u D.

**Emits** between one token and the number of drafts plus one, like Algorithm 5.
**Preconditions** none. A draft that T lacks has p = 0: it is always rejected, and ends the draft.
**Expected acceptance** of the first draft: sum over T n D of min(p, q) (`union_acceptance`).
**Theorem** lossless: Algorithm 5 is, and extending by zero changes neither law.
**Proof** docs/algorithms/union.md, "Why it is lossless"; ledger entry union.

**The box.** Extend p and q by zero to T u D. Run Algorithm 5.
"""

from __future__ import annotations

from .chance import Chance
from .drafting import draft_tokens, unmasked
from .exact import Rational
from .models import Ids
from .pair import Pair
from .rounds import Round
from .standard import standard_acceptance, verify


def union_round(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """One round of Algorithm 1 after ``context``, with at most ``lookahead`` drafts."""
    # 1. Draft from q, extended by zero to T u D.
    drafts = draft_tokens(pair, context, lookahead, chance, unmasked)

    # 2. to 5. Verify with p, extended by zero to T u D.
    return verify(pair, context, drafts, chance)


def union_acceptance(pair: Pair, context: Ids) -> Rational:
    """sum over T n D of min(p, q), the first draft's acceptance (Table 3)."""
    return standard_acceptance(pair, context, unmasked)
