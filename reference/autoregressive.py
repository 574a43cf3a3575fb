"""Autoregressive decoding: the law that every other algorithm here must give.

**Emits** one token.
**Preconditions** none; the drafter is not asked.
**Expected acceptance** none: nothing is proposed.
**Theorem** none: this is the definition of the law that is due.
**Proof** none.

**The box.** Draw y ~ p(.|context). Emit y.
"""

from __future__ import annotations

from .chance import Chance
from .models import Ids
from .pair import Pair
from .rounds import Round, finish


def autoregressive_round(pair: Pair, context: Ids, chance: Chance) -> Round:
    """One token from the target's law at ``context``."""
    (p,) = pair.target.distributions(context)
    return finish(pair, (chance.draw(p, "final"),))
