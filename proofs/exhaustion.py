"""The smallest pairs over two vocabularies on which a variant is lossy, by trying all smaller ones.

Vocabularies are sets of short strings with greedy tokenizers; the size of a pair is the number of
tokens on both sides, then the number of drafts. Laws are context-free, with a common denominator,
and give every token something. A pair on which the variant raises is passed over and counted: it
asks for a draw from nothing, which is no law to compare.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..audit.laws import Laws
from ..reference.distribution import total_variation
from ..reference.exact import Rational, rational
from ..reference.models import Ids
from ..reference.pair import Pair, PairError
from ..reference.programs import Program
from ..reference.tokenizers import inexpressible
from ..toymodels.models import NgramModel
from ..toymodels.tokenizers import greedy

#: Strings that vocabularies are made of, the simplest first.
STRINGS = ("a", "b", "aa", "ab", "ba")


@dataclass(frozen=True)
class Smallest:
    """A pair on which a variant is lossy, and what was tried before it.

    Attributes:
        passed: smaller pairs, or pairs of the same size before it, on which it is lossless.
        undefined: pairs among them on which the variant raises on some branch.
    """

    target: tuple[str, ...]
    drafter: tuple[str, ...]
    lookahead: int
    p: tuple[Rational, ...]
    q: tuple[Rational, ...]
    distance: Rational
    passed: int
    undefined: int

    def __str__(self) -> str:
        def law(tokens: Sequence[str], row: Sequence[Rational]) -> str:
            return ", ".join(f"{token} {number}" for token, number in zip(tokens, row, strict=True))

        return (
            f"T has p = ({law(self.target, self.p)}), D has q = ({law(self.drafter, self.q)}), "
            f"{self.lookahead} draft{'s' * (self.lookahead > 1)}: off by {self.distance}; "
            f"{self.passed} pairs no larger are exact"
            + (f", {self.undefined} more leave the rule nothing to draw" * bool(self.undefined))
        )


def smallest(
    make: Callable[[int], Program],
    sizes: Sequence[tuple[int, int]],
    denominators: Sequence[int] = (1, 2, 3),
    applies: Callable[[Pair], bool] = lambda pair: True,
    context: Ids = (),
    duplicates: bool = False,
) -> Smallest | None:
    """The first lossy pair over ``sizes``, (tokens on both sides, drafts), in the order given.

    ``applies`` narrows the pairs down; with ``duplicates`` a drafter may have two ids of one text.
    """
    passed = undefined = 0
    for total, lookahead in sizes:
        program = make(lookahead)
        for denominator in denominators:
            for target, drafter, p, q in _pairs(total, denominator, duplicates):
                pair = _pair(target, drafter, p, q)
                if not applies(pair):
                    continue
                laws = Laws(program, pair)
                try:
                    law = laws.round_law(context)
                except PairError:
                    continue
                if law.error is not None:
                    undefined += 1
                    continue
                due = laws.due_law(context, law.longest)
                distance = total_variation(due, laws.completed_round(context))
                if distance:
                    return Smallest(target, drafter, lookahead, p, q, distance, passed, undefined)
                passed += 1
    return None


def _pair(
    target: Sequence[str], drafter: Sequence[str], p: Sequence[Rational], q: Sequence[Rational]
) -> Pair:
    return Pair(
        NgramModel.constant(p), NgramModel.constant(q), greedy(list(target)), greedy(list(drafter))
    )


def expressible(pair: Pair) -> bool:
    """Whether each vocabulary spells the other, as the string-level algorithms are said to need."""
    sides = (pair.target_tokenizer, pair.drafter_tokenizer)
    return not inexpressible(*sides) and not inexpressible(*reversed(sides))


_Law = tuple[Rational, ...]


def _pairs(
    total: int, denominator: int, duplicates: bool
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], _Law, _Law]]:
    choices = itertools.combinations_with_replacement if duplicates else itertools.combinations
    for on_target in range(1, total):
        for target in itertools.combinations(STRINGS, on_target):
            for drafter in choices(STRINGS, total - on_target):
                for p in _positive_laws(on_target, denominator):
                    for q in _positive_laws(total - on_target, denominator):
                        yield target, drafter, p, q


def _positive_laws(size: int, denominator: int) -> Iterator[_Law]:
    for parts in itertools.product(range(1, denominator + 1), repeat=size):
        if sum(parts) == denominator:
            yield tuple(rational(part, denominator) for part in parts)
