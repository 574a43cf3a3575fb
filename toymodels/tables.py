"""Where the laws of n-gram models come from: lists, seeds, counts; and checks of what is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Protocol, TypeAlias

from ..reference.distribution import DistributionError, ExactDistribution
from ..reference.exact import ONE, ZERO, Rational, fraction_text, rational
from ..reference.models import Ids
from ..reference.tokenizers import Tokenizer

#: What an exact number may be written as; floats are refused.
Number: TypeAlias = int | str | Fraction | Rational

#: A law over ids: one number for each id, or a mapping that leaves out the zeros.
Law: TypeAlias = Sequence[Number] | Mapping[int, Number]


class ModelError(ValueError):
    """A model that cannot be built or asked: the message names the value and the place."""


class Table(Protocol):
    """Where the laws of an n-gram model come from, one suffix at a time."""

    def law(self, suffix: Ids) -> ExactDistribution[int]:
        """The law after a context that ends in ``suffix``."""
        ...

    def describe(self) -> dict[str, Any]:
        """What the laws are made from, fit for JSON."""
        ...


def exact_law(law: Law, size: int, place: str) -> ExactDistribution[int]:
    """``law`` as an exact distribution over ids 0 .. size - 1.

    Raises:
        ModelError: naming ``place`` and the value, for a float, a negative number, a sum that is
            not one, an unknown id or the wrong number of entries.
    """
    if not isinstance(law, Mapping):
        if len(law) != size:
            raise ModelError(f"{place}: {len(law)} probabilities for {size} ids")
        law = dict(enumerate(law))
    check_ids(law, size, place)
    numbers = {token: exact_number(value, f"{place}: id {token}") for token, value in law.items()}
    try:
        return ExactDistribution(numbers)
    except DistributionError as error:
        raise ModelError(f"{place}: {error}") from None


class ListedTable:
    """Laws given one by one; a context has that of its longest suffix listed."""

    def __init__(self, size: int, order: int, tables: Mapping[Ids, Law]) -> None:
        check_shape(size, order)
        self.laws: dict[Ids, ExactDistribution[int]] = {}
        for context, law in tables.items():
            if not isinstance(context, tuple):
                raise ModelError(f"context {context!r} is no tuple of ids")
            if len(context) >= order:
                raise ModelError(
                    f"context {context} has {len(context)} ids; order {order} reads {order - 1}"
                )
            check_ids(context, size, f"context {context}")
            self.laws[context] = exact_law(law, size, f"law at context {context}")

    def law(self, suffix: Ids) -> ExactDistribution[int]:
        """The law of the longest suffix listed; raises `ModelError` when there is none."""
        for start in range(len(suffix) + 1):
            law = self.laws.get(suffix[start:])
            if law is not None:
                return law
        raise ModelError(f"context {suffix}: neither it nor a suffix of it has a law")

    def describe(self) -> dict[str, Any]:
        """The arguments, fit for JSON."""
        return {
            "tables": {
                " ".join(map(str, context)): {
                    str(token): fraction_text(number) for token, number in law.items()
                }
                for context, law in self.laws.items()
            }
        }


class SeededTable:
    """Laws drawn from a seed and the context's own ids."""

    def __init__(
        self,
        size: int,
        order: int,
        seed: int,
        zeros: Number,
        denominator: int,
        forbidden: Iterable[int],
    ) -> None:
        check_shape(size, order)
        self.seed = seed
        self.zeros = exact_number(zeros, "zeros")
        if not 0 <= self.zeros < 1:
            raise ModelError(f"zeros is {zeros}; it must be at least 0 and below 1")
        self.forbidden = sorted(set(forbidden))
        check_ids(self.forbidden, size, "forbidden")
        self.allowed = [token for token in range(size) if token not in self.forbidden]
        if not self.allowed:
            raise ModelError(f"forbidden is {self.forbidden}: none of the {size} ids is allowed")
        if denominator < len(self.allowed):
            raise ModelError(f"denominator is {denominator}, below the {len(self.allowed)} ids")
        self.denominator = denominator

    def law(self, suffix: Ids) -> ExactDistribution[int]:
        """The law of exactly this suffix."""
        # Only Random.random() is promised to stay the same from one Python to the next.
        generator = Random(f"{self.seed} {' '.join(map(str, suffix))}")
        kept = [token for token in self.allowed if generator.random() >= float(self.zeros)]
        if not kept:
            kept = [self.allowed[int(generator.random() * len(self.allowed))]]
        free = list(range(1, self.denominator))
        cuts = [free.pop(int(generator.random() * len(free))) for _ in kept[1:]]
        ends = [0, *sorted(cuts), self.denominator]
        return ExactDistribution(
            {
                token: rational(ends[k + 1] - ends[k], self.denominator)
                for k, token in enumerate(kept)
            }
        )

    def describe(self) -> dict[str, Any]:
        """The arguments, fit for JSON."""
        return {
            "seed": self.seed,
            "zeros": fraction_text(self.zeros),
            "denominator": self.denominator,
            "forbidden": self.forbidden,
        }


def counted(text: str, tokenizer: Tokenizer, order: int, smoothing: Number) -> dict[Ids, Law]:
    """The smoothed relative frequencies of ``text`` after each context that occurs in it."""
    check_shape(len(tokenizer.vocabulary), order)
    added = exact_number(smoothing, "smoothing")
    if added < 0:
        raise ModelError(f"smoothing is {added}, below 0")
    end = tokenizer.end_of_sequence
    ids = tokenizer.encode(text) + (() if end is None else (end,))
    counted = [t for t, spelling in enumerate(tokenizer.vocabulary) if spelling or t == end]
    start = dict.fromkeys(counted, added)
    counts: dict[Ids, dict[int, Rational]] = {(): dict(start)}
    for position, token in enumerate(ids):
        for length in range(min(order - 1, position) + 1):
            row = counts.setdefault(ids[position - length : position], dict(start))
            row[token] = row.get(token, ZERO) + ONE
    if not any(counts[()].values()):
        raise ModelError(f"text {text!r} has nothing to count, and smoothing is 0")
    totals = {context: sum(row.values(), ZERO) for context, row in counts.items()}
    return {
        context: {token: number / totals[context] for token, number in row.items()}
        for context, row in counts.items()
    }


def exact_number(value: Any, place: str) -> Rational:
    """``value`` as an exact number; raises `ModelError` naming ``place`` when it is none."""
    try:
        return rational(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise ModelError(f"{place}: {value!r} is no exact number; write n/d or text") from None


def check_shape(size: int, order: int) -> None:
    """Raise `ModelError` unless both are at least one."""
    if size < 1:
        raise ModelError(f"size is {size}; a vocabulary has at least one id")
    if order < 1:
        raise ModelError(f"order is {order}; it must be 1 or more")


def check_ids(ids: Iterable[int], size: int, place: str) -> None:
    """Raise `ModelError` naming ``place`` and the first id that is not in 0 .. size - 1."""
    for token in ids:
        if not isinstance(token, int) or not 0 <= token < size:
            raise ModelError(f"{place}: id {token!r} is outside 0 .. {size - 1}")
