"""Counterexamples found by z3: symbolic laws through a wrong rule's own code, then solved for.

The rule is run on formulas (`symbolic`); in each case z3 looks for p and q at which some string's
probability is not the one due. What it finds is run once more in exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from ..audit.laws import Laws
from ..reference.chance import Chance
from ..reference.distribution import ExactDistribution, total_variation
from ..reference.exact import Rational
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program
from ..reference.rounds import Round
from ..toymodels.models import NgramModel
from .signs import Found
from .symbolic import BlockFormulas, SymbolicModel, SymbolicPair, law_formulas, symbolic_pair


@dataclass(frozen=True)
class Counterexample:
    """Laws at which a rule is lossy.

    Attributes:
        values: of the symbols, by name.
        distance: total variation of the completed block, from the exact run.
    """

    values: dict[str, Rational]
    distance: Rational

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"{listed}: off by {self.distance}"


def counterexample(
    round_of: Callable[[Pair, Ids, int, Chance], Round], size: int, lookahead: int
) -> Counterexample | None:
    """Positive p and q over ``size`` ids at which the rule is lossy; None if there are none.

    None means that in every case the law is the one due, for all positive p and q.
    """
    made = symbolic_pair(size, lookahead)
    for found in law_formulas(made, lambda pair, c, chance: round_of(pair, c, lookahead, chance)):
        if found.result.is_lossless(found.case):
            continue
        values = _where_it_differs(made, found)
        if values is not None:
            distance = _exact_distance(made, values, round_of, lookahead)
            if distance:
                return Counterexample(values, distance)
    return None


def _where_it_differs(
    made: SymbolicPair, found: Found[BlockFormulas]
) -> dict[str, Rational] | None:
    law, case = found.result, found.case
    for ids, due in law.due.items():
        difference = law.completed.get(ids, due * 0) - due
        if difference.numerator.is_zero():
            continue
        model = case.model(made.symbols.term(difference.numerator) != 0)
        if isinstance(model, z3.ModelRef):
            return made.symbols.values(model)
    return None


def _exact_distance(
    made: SymbolicPair,
    values: dict[str, Rational],
    round_of: Callable[[Pair, Ids, int, Chance], Round],
    lookahead: int,
) -> Rational:
    target, drafter = (
        _exact_model(model, values) for model in (made.pair.target, made.pair.drafter)
    )
    tokenizer = made.pair.target_tokenizer
    pair = Pair(target, drafter, tokenizer, tokenizer)
    program = Program("rule", lambda a, c, chance, _: round_of(a, c, lookahead, chance), lookahead)
    laws = Laws(program, pair)
    due = laws.due_law((), laws.round_law(()).longest)
    return total_variation(due, laws.completed_round(()))


def _exact_model(model: object, values: dict[str, Rational]) -> NgramModel:
    assert isinstance(model, SymbolicModel)
    rows = {
        context: ExactDistribution({t: law[t].at(values) for t in range(model.size)})
        for context, law in model.rows.items()
    }
    return NgramModel(model.size, model.reach + 1, rows)
