"""Block verification of spelled proposals once more, by brute force; beside `brute_force`.

Every proposal is listed with its probability, every coin's probability is a sum over the target's
vocabulary, and what is emitted is added up. Of the code only models and tokenizers are asked.
"""

from __future__ import annotations

from fractions import Fraction

import brute_rules
from brute_force import Law, StringLaw, law_at, read, residual
from draftproof.reference.models import Ids
from draftproof.reference.pair import Pair


class SpelledProposals:
    """The proposals of up to ``most`` spelled tokens after a context.

    Attributes:
        law: for each (t_1..t_m, whether a spelling behind them came to nothing) its probability.
    """

    def __init__(self, pair: Pair, context: Ids, most: int) -> None:
        self._pair, self._ids, self._most = pair, read(pair, context), most
        self._path = {t: path for path, t in brute_rules.token_spellings(pair).items()}
        self._known: dict[Ids, Law] = {}
        self.law: dict[tuple[Ids, bool], Fraction] = {}
        self._grow((), Fraction(1))

    def goes_on(self, t: Ids) -> bool:
        """Whether more is to be proposed behind ``t``."""
        ended = t[-1:] == (self._pair.target_tokenizer.end_of_sequence,)
        return self._ids is not None and len(t) < self._most and not ended

    def psi(self, t: Ids) -> Law:
        """The law of the token behind ``t``; nothing where no more is to be proposed."""
        if not self.goes_on(t):
            return {}
        if t not in self._known:
            assert self._ids is not None
            ids = self._ids + tuple(d for token in t for d in self._path[token])
            self._known[t] = brute_rules.spelled_law(
                self._pair, ids, lambda after: law_at(self._pair.drafter, after)
            )
        return self._known[t]

    def begins(self, t: Ids) -> Fraction:
        """The probability that the candidates begin with ``t``."""
        both = (mass for (ids, _), mass in self.law.items() if ids[: len(t)] == t)
        return sum(both, Fraction(0))

    def _grow(self, t: Ids, mass: Fraction) -> None:
        if not mass:
            return
        psi = self.psi(t)
        if self.goes_on(t):
            for token, number in psi.items():
                self._grow((*t, token), mass * number)
        nothing = 1 - sum(psi.values(), Fraction(0))
        if nothing:
            self.law[t, self.goes_on(t)] = mass * nothing


def kept_together(pair: Pair, context: Ids, proposals: SpelledProposals, t: Ids) -> Fraction:
    """P_i for t_1..t_i."""
    kept = Fraction(1)
    for i, token in enumerate(t):
        p, psi = law_at(pair.target, context + t[:i]), proposals.psi(t[:i])
        kept = min(Fraction(1), kept * p.get(token, Fraction(0)) / psi[token])
    return kept


def excess(p: Law, psi: Law, kept: Fraction) -> Fraction:
    """sum max(0, P p - psi)."""
    zero = Fraction(0)
    return sum((max(zero, kept * n - psi.get(t, zero)) for t, n in p.items()), zero)


def emitted(pair: Pair, context: Ids, most: int) -> StringLaw:
    """What a round emits, not cut behind an end of sequence."""
    proposals = SpelledProposals(pair, context, most)
    law: StringLaw = {}
    for (t, _), mass in proposals.law.items():
        left = mass  # of it, what has not passed yet, from the last candidate on
        for i in reversed(range(len(t) + 1)):
            p, psi = law_at(pair.target, context + t[:i]), proposals.psi(t[:i])
            kept = kept_together(pair, context, proposals, t[:i])
            z = excess(p, psi, kept)
            passes = z / (z + 1 - kept) if z + 1 != kept and i else Fraction(1)
            if left * passes:
                scaled = {token: kept * n for token, n in p.items()}
                for token, number in residual(scaled, psi).items():
                    block = (*t[:i], token)
                    law[block] = law.get(block, Fraction(0)) + left * passes * number
            left *= 1 - passes
        assert not left
    return law
