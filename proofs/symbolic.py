"""Symbolic p and q through the algorithms' own code: laws and acceptance as formulas.

`SymbolicPair` is a target and a drafter over one small vocabulary whose probabilities are symbols,
a law of its own at every context. `law_formulas` runs an algorithm of `draftproof.reference` on it,
unchanged, once for every branch of its chance and every case of its comparisons (`formulas.cases`),
and gives the exact law of its block, as formulas, case by case.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..reference.chance import Chance
from ..reference.distribution import Distribution, DistributionError
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.rounds import Round
from ..toymodels.tokenizers import greedy
from .formulas import Formula, Symbols
from .signs import Case, Found, cases

Outcome = TypeVar("Outcome")
Other = TypeVar("Other")

#: One round of an algorithm with all its settings fixed.
RoundOf = Callable[[Pair, Ids, Chance], Round]


class FormulaDistribution(Distribution[Outcome]):
    """A law whose probabilities are formulas; the third implementation of the protocol.

    What has sign zero in the case at hand is not in the support.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Mapping[Outcome, Formula]) -> None:
        self._table = dict(table)

    @property
    def mass(self) -> Any:
        """The sum of all probabilities."""
        return sum(self._table.values(), 0)

    def __getitem__(self, outcome: Outcome, /) -> Any:
        return self._table.get(outcome, 0)

    def support(self) -> Iterable[Outcome]:
        """The outcomes of positive probability, as listed."""
        return [outcome for outcome, number in self._table.items() if number.sign() > 0]

    def quantile(self, coin: Any) -> Outcome:
        """Not defined: formulas are enumerated, not sampled."""
        raise DistributionError(f"no outcome for coin {coin}: a law of formulas is not sampled")

    def restrict(self, kept: Container[Outcome]) -> FormulaDistribution[Outcome]:
        """The law given that the outcome is in ``kept``."""
        return _normalised({x: n for x, n in self._table.items() if x in kept})

    def push_forward(self, image: Callable[[Outcome], Other]) -> FormulaDistribution[Other]:
        """The law of ``image(outcome)``."""
        table: dict[Other, Formula] = {}
        for outcome, number in self._table.items():
            key = image(outcome)
            table[key] = table[key] + number if key in table else number
        return FormulaDistribution(table)

    def overlap(self, other: Distribution[Outcome]) -> Any:
        """``sum min(self, other)``."""
        return sum((min(p, other[x]) for x, p in self._table.items()), 0)

    def coincidence(self, other: Distribution[Outcome]) -> Any:
        """``sum self * other``."""
        return sum((p * other[x] for x, p in self._table.items()), 0)

    def excess(self, other: Distribution[Outcome], scale: Any = 1) -> Any:
        """``sum max(0, scale * self - other)``."""
        return sum((left for left in self._left(other, scale).values()), 0)

    def residual(
        self, other: Distribution[Outcome], scale: Any = 1
    ) -> FormulaDistribution[Outcome]:
        """``max(0, scale * self - other)``, normalised."""
        return _normalised(self._left(other, scale))

    def keep(self, chance_of: Callable[[Outcome], Any]) -> FormulaDistribution[Outcome]:
        """The sub-distribution of draws kept with probability ``chance_of(outcome)`` each."""
        kept = {x: p * max(0, min(1, chance_of(x))) for x, p in self._table.items()}
        return FormulaDistribution({x: number for x, number in kept.items() if number.sign()})

    def normalised(self) -> FormulaDistribution[Outcome]:
        """The law given that there is an outcome."""
        return _normalised(self._table)

    def _left(self, other: Distribution[Outcome], scale: Any) -> dict[Outcome, Formula]:
        differences = {x: scale * p - other[x] for x, p in self._table.items()}
        return {x: left for x, left in differences.items() if left.sign() > 0}


def _normalised(table: Mapping[Outcome, Formula]) -> FormulaDistribution[Outcome]:
    mass = sum(table.values(), 0)
    if not mass:
        raise DistributionError("nothing is left to normalise")
    return FormulaDistribution({x: number / mass for x, number in table.items()})


@dataclass(frozen=True)
class SymbolicModel:
    """A language model with a law of formulas at each context of up to ``reach`` ids."""

    size: int
    reach: int
    rows: Mapping[Ids, FormulaDistribution[int]]

    def distributions(
        self, context: Ids, continuation: Ids = ()
    ) -> tuple[FormulaDistribution[int], ...]:
        """The ``len(continuation) + 1`` laws after ``context + continuation[:j]``."""
        ids = context + continuation
        ends = range(len(context), len(ids) + 1)
        return tuple(self.rows[ids[max(0, end - self.reach) : end]] for end in ends)


@dataclass(frozen=True)
class SymbolicPair:
    """A pair over one vocabulary with symbols for probabilities.

    Attributes:
        symbols: p(t|context) and q(t|context); the last token's is one minus the others'.
    """

    pair: Pair
    symbols: Symbols


def symbolic_pair(size: int, reach: int, names: tuple[str, str] = ("p", "q")) -> SymbolicPair:
    """All laws over ``size`` ids that are positive everywhere and look back up to ``reach`` ids.

    Laws with zeros are limits of these; the theorems that hold for every law are checked by Coq.
    """
    contexts = [c for n in range(reach + 1) for c in itertools.product(range(size), repeat=n)]
    listed = tuple(
        _name(side, token, context)
        for side in names
        for context in contexts
        for token in range(size - 1)
    )
    symbols = Symbols(listed)
    models = [SymbolicModel(size, reach, _rows(symbols, n, size, contexts)) for n in names]
    tokenizer = greedy(["abcdefgh"[token] for token in range(size)])
    return SymbolicPair(Pair(models[0], models[1], tokenizer, tokenizer), symbols)


def _name(side: str, token: int, context: Ids) -> str:
    return f"{side}({token}|{''.join(map(str, context))})" if context else f"{side}{token}"


def _rows(
    symbols: Symbols, side: str, size: int, contexts: Iterable[Ids]
) -> dict[Ids, FormulaDistribution[int]]:
    rows: dict[Ids, FormulaDistribution[int]] = {}
    for context in contexts:
        table = {t: symbols.symbol(_name(side, t, context)) for t in range(size - 1)}
        rest = symbols.number(1)
        for number in table.values():
            rest = rest - number
        if size > 1:
            symbols.bounds.append(rest)
        rows[context] = FormulaDistribution({**table, size - 1: rest})
    return rows


class SymbolicBranch:
    """Chance that follows a script of choices, with formulas for probabilities."""

    def __init__(self, symbols: Symbols, script: list[int]) -> None:
        self._script = script
        self._position = 0
        self.options: list[int] = []
        self.probability = symbols.number(1)
        self.expected_draws = symbols.number(0)

    def draw(self, law: Distribution[Outcome], what: str = "") -> Outcome:
        """The scripted outcome of ``law``."""
        del what
        outcomes = list(law.support())
        outcome = outcomes[self._choose(len(outcomes))]
        self.probability = self.probability * law[outcome]
        return outcome

    def accept(self, probability: Any, what: str = "") -> bool:
        """The scripted answer; certain ones are given without a choice."""
        del what
        if probability >= 1 or probability <= 0:
            return bool(probability >= 1)
        accepted = self._choose(2) == 0
        self.probability = self.probability * (probability if accepted else 1 - probability)
        return accepted

    def draw_kept(
        self, law: Distribution[Outcome], keep: Callable[[Outcome], Any], what: str = ""
    ) -> Outcome:
        """The scripted outcome of the law of kept draws."""
        assert isinstance(law, FormulaDistribution)
        kept = law.keep(keep)
        self.expected_draws = self.expected_draws + 1 / kept.mass
        return self.draw(kept.normalised(), what)

    def _choose(self, count: int) -> int:
        if count == 1:
            return 0
        position = self._position
        self._position = position + 1
        self.options.append(count)
        return self._script[position] if position < len(self._script) else 0


def symbolic_branches(
    symbols: Symbols, program: Callable[[SymbolicBranch], Outcome]
) -> Iterator[tuple[Outcome, SymbolicBranch]]:
    """Every branch of ``program``, in one case: its result, and the chance that led there."""
    script: list[int] = []
    while True:
        branch = SymbolicBranch(symbols, script)
        yield program(branch), branch
        script = script + [0] * (len(branch.options) - len(script))
        while script and script[-1] + 1 == branch.options[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


@dataclass(frozen=True)
class BlockFormulas:
    """The law of a block in one case.

    Attributes:
        law: probability of each block.
        completed, due: the block completed by the target's draws to the longest, and the law of
            the target's own strings of that length.
        acceptance: the probability that the first draft is accepted.
        tokens: expected number of emitted ids.
    """

    law: dict[Ids, Formula]
    completed: dict[Ids, Formula]
    due: dict[Ids, Formula]
    acceptance: Formula
    tokens: Formula

    def is_lossless(self, case: Case) -> bool:
        """Whether the completed law is the one due, everywhere in ``case``."""
        return all(
            case.equal(self.completed.get(ids, number * 0), number)
            for ids, number in self.due.items()
        )


def law_formulas(made: SymbolicPair, run_round: RoundOf) -> Iterator[Found[BlockFormulas]]:
    """The law of one round at the empty context, case by case."""
    pair, symbols = made.pair, made.symbols

    def program() -> BlockFormulas:
        law: dict[Ids, Formula] = {}
        acceptance, tokens = symbols.number(0), symbols.number(0)
        for block, branch in symbolic_branches(symbols, lambda c: run_round(pair, (), c)):
            _add(law, block.emitted, branch.probability)
            tokens = tokens + branch.probability * len(block.emitted)
            if block.accepted:
                acceptance = acceptance + branch.probability
        longest = max(map(len, law))
        completed: dict[Ids, Formula] = {}
        for emitted, mass in law.items():
            for rest, number in _strings(pair, symbols, emitted, longest - len(emitted)):
                _add(completed, emitted + rest, mass * number)
        due = dict(_strings(pair, symbols, (), longest))
        return BlockFormulas(law, completed, due, acceptance, tokens)

    return cases(symbols, program)


def _strings(
    pair: Pair, symbols: Symbols, context: Ids, length: int
) -> Iterator[tuple[Ids, Formula]]:
    if not length:
        yield (), symbols.number(1)
        return
    (p,) = pair.target.distributions(context)
    for token in range(pair.target.size):
        for rest, number in _strings(pair, symbols, (*context, token), length - 1):
            yield (token, *rest), p[token] * number


def _add(law: dict[Ids, Formula], ids: Ids, mass: Formula) -> None:
    law[ids] = law[ids] + mass if ids in law else mass
