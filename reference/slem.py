"""SLEM, string-level exact match (Algorithm 2).

**Emits** between one token and the number of candidates plus one: the agreeing ones, then one more.
**Preconditions** none. The tokenizers need not be injective, nor round-trip, nor agree in anything:
a candidate may be any function of the past and of the drafter's own randomness.
**Expected acceptance** of the first candidate: sum p * psi (`slem_acceptance`).
**Theorem** lossless exactly as long as each emitted token is a fresh draw from p given the *ids
emitted so far*. It stops being so when those ids are re-tokenized from their text.
**Proof** docs/algorithms/slem.md, "Why it is lossless"; ledger entry slem.

**The box.**
1. Re-encode the context's text with D.
2. Draw d_1..d_i from q.
3. t_1..t_m = T(d_1 (+) .. (+) d_i).
4. One target pass gives p after c, c t_1, .., c t_1..t_m.
5. Draw y_k ~ p(.|c, t_1..t_{k-1}).
6. Emit y_1..y_j, j the first k with y_k != t_k, or m + 1.

With ``look_behind`` the re-encoding of 1. and 3. is confined to a window and realigned
(`draftproof.reference.realignment`); the state carried is what the drafter has read.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from .chance import Chance
from .exact import Rational
from .exact_match import match
from .models import Ids
from .pair import Pair
from .proposals import propose
from .psi import psi
from .realignment import Window
from .rounds import Round, finish
from .stop_rules import StopRule


def slem_round(
    pair: Pair,
    context: Ids,
    rule: StopRule,
    chance: Chance,
    look_behind: int | None = None,
    state: Hashable = None,
) -> Round:
    """One round of Algorithm 2 after ``context``; ``state`` is the last round's, if realigning."""
    # 1. to 3. Draft a string and re-tokenize it.
    window = None
    if look_behind is not None:
        window = state if isinstance(state, Window) else Window(look_behind)
    proposal = propose(pair, context, rule, chance, window)

    # 4. One target pass.  5. and 6. Draw and compare.
    emitted = match(pair, context, proposal.candidates, proposal.candidates, chance)
    accepted = sum(y == t for y, t in zip(emitted, proposal.candidates, strict=False))

    if window is not None:
        read = proposal.read + proposal.drafter_ids
        window = replace(window, previous_ids=read, previous_length=len(context))
    return finish(pair, emitted, accepted, proposal.candidates, proposal.drafter_ids, window)


def slem_acceptance(pair: Pair, context: Ids, rule: StopRule) -> Rational:
    """sum p * psi, the first candidate's acceptance (Table 3); without look-behind."""
    (p,) = pair.target.distributions(context)
    return p.coincidence(psi(pair, context, rule))
