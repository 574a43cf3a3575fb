"""Symbolic laws over two vocabularies: SLEM and SLRS with formulas for p, q and psi.

The drafter's proposal is enumerated on formulas, so that psi is the formula of its own law, under
whatever stop rule is given; the round that uses it is the reference's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..reference.chance import Chance
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.proposals import propose
from ..reference.rounds import Round
from ..reference.slrs import slrs_round
from ..reference.stop_rules import StopRule
from ..toymodels.tokenizers import greedy
from .formulas import Formula, Symbols
from .symbolic import FormulaDistribution, SymbolicModel, SymbolicPair, symbolic_branches


def symbolic_text_pair(target: Sequence[str], drafter: Sequence[str]) -> SymbolicPair:
    """Context-free laws with symbols for probabilities over two vocabularies, cut greedily."""
    sides = (("p", target), ("q", drafter))
    symbols = Symbols(tuple(f"{side}({token})" for side, tokens in sides for token in tokens[:-1]))
    models: list[SymbolicModel] = []
    for side, tokens in sides:
        table = {t: symbols.symbol(f"{side}({token})") for t, token in enumerate(tokens[:-1])}
        rest = symbols.number(1)
        for number in table.values():
            rest = rest - number
        if len(tokens) > 1:
            symbols.bounds.append(rest)
        row = FormulaDistribution({**table, len(tokens) - 1: rest})
        models.append(SymbolicModel(len(tokens), 0, {(): row}))
    pair = Pair(models[0], models[1], greedy(list(target)), greedy(list(drafter)))
    return SymbolicPair(pair, symbols)


def symbolic_psi(
    made: SymbolicPair, context: Ids, rule: StopRule
) -> Callable[[Ids], FormulaDistribution[int]]:
    """``psi_after(t_1..t_k)``, the law of the next proposed token, as formulas."""
    law: dict[Ids, Formula] = {}
    for proposal, branch in symbolic_branches(
        made.symbols, lambda chance: propose(made.pair, context, rule, chance)
    ):
        ids = proposal.candidates
        law[ids] = law[ids] + branch.probability if ids in law else branch.probability

    def psi_after(accepted: Ids) -> FormulaDistribution[int]:
        k = len(accepted)
        mass: Any = made.symbols.number(0)
        table: dict[int, Formula] = {}
        for ids, number in law.items():
            if ids[:k] != accepted:
                continue
            mass = mass + number
            if len(ids) > k:
                table[ids[k]] = table[ids[k]] + number if ids[k] in table else number
        return FormulaDistribution({t: number / mass for t, number in table.items()})

    return psi_after


def symbolic_slrs(
    made: SymbolicPair, rule: StopRule, one_token: bool = False
) -> Callable[[Pair, Ids, Chance], Round]:
    """Algorithm 3, one token a round or several, with psi as formulas."""

    def run(pair: Pair, context: Ids, chance: Chance) -> Round:
        psi_after = symbolic_psi(made, context, rule)
        return slrs_round(pair, context, rule, chance, one_token, psi_after)

    return run
