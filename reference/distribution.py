"""Distributions: what the algorithms draw from, compare and subtract.

The algorithms see a distribution only through the `Distribution` protocol. `ExactDistribution`
holds rationals; tensors on any device and symbolic formulas are further implementations of the same
protocol and live elsewhere. A distribution may be *sub-stochastic*: a mass below one, the rest
being "no outcome" (a draft that proposes nothing, for one).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, ItemsView, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar, cast

from .exact import ONE, ZERO, Rational, rational

Outcome = TypeVar("Outcome")
Other = TypeVar("Other")


class DistributionError(ValueError):
    """Numbers that are no distribution, or an operation that would divide by no mass."""


class Distribution(Protocol[Outcome]):
    """A probability for each outcome; numbers are of any one kind that can be added and divided.

    `ExactDistribution` is the one here. Outcomes are token ids wherever an algorithm draws tokens.
    """

    __slots__ = ()

    @property
    def mass(self) -> Any:
        """The sum of all probabilities, at most one."""
        ...

    def __getitem__(self, outcome: Outcome, /) -> Any:
        """The probability of ``outcome``, zero when it is not in the support."""
        ...

    def support(self) -> Iterable[Outcome]:
        """The outcomes of positive probability, in ascending order."""
        ...

    def quantile(self, coin: Any) -> Outcome:
        """The first outcome, in ascending order, whose cumulative probability exceeds ``coin``."""
        ...

    def mass_of(self, kept: Collection[Outcome]) -> Any:
        """The probability that the outcome is in ``kept``."""
        ...

    def restrict(self, kept: Container[Outcome]) -> Distribution[Outcome]:
        """The law given that the outcome is in ``kept``; raises when that has no mass."""
        ...

    def push_forward(self, image: Callable[[Outcome], Other]) -> Distribution[Other]:
        """The law of ``image(outcome)``; outcomes with equal images add up."""
        ...

    def overlap(self, other: Distribution[Outcome]) -> Any:
        """``sum min(self, other)``: how often the two can be made to agree."""
        ...

    def coincidence(self, other: Distribution[Outcome]) -> Any:
        """``sum self * other``: how often two independent draws agree."""
        ...

    def excess(self, other: Distribution[Outcome], scale: Any = ...) -> Any:
        """``sum max(0, scale * self - other)``: the mass that ``other`` leaves uncovered."""
        ...

    def residual(self, other: Distribution[Outcome], scale: Any = ...) -> Distribution[Outcome]:
        """``max(0, scale * self - other)``, normalised; raises when nothing is left."""
        ...


class ExactDistribution(Mapping[Outcome, Rational], Distribution[Outcome]):
    """A finite law in rationals; immutable, hashable, equal to any other with the same numbers.

    Zero probabilities are dropped. Iterating gives the support in ascending order (outcomes that
    cannot be compared keep the order given). ``distribution[outcome]`` is zero off the support.

    Raises:
        DistributionError: for a negative probability or a sum that is not one (above one, for a
            sub-distribution).
    """

    __slots__ = ("_hash", "_mass", "_probabilities")

    def __init__(
        self,
        probabilities: Mapping[Outcome, Rational | int] | Iterable[tuple[Outcome, Rational | int]],
        *,
        sub_stochastic: bool = False,
    ) -> None:
        items = (
            cast("Mapping[Outcome, Rational | int]", probabilities).items()
            if isinstance(probabilities, Mapping)
            else probabilities
        )
        table: dict[Outcome, Rational] = {}
        mass = ZERO
        for outcome, value in items:
            try:
                probability = rational(value)
            except (TypeError, ValueError) as problem:
                raise DistributionError(f"the probability of {outcome!r}: {problem}") from None
            if probability < 0:
                raise DistributionError(f"the probability of {outcome!r} is {probability}, below 0")
            if probability:
                table[outcome] = table.get(outcome, ZERO) + probability
                mass += probability
        if mass != 1 and not (sub_stochastic and mass < 1):
            bound = "at most 1" if sub_stochastic else "1"
            raise DistributionError(f"the probabilities sum to {mass}, not to {bound}")
        self._probabilities = _ascending(table)
        self._mass = mass
        self._hash: int | None = None

    @classmethod
    def _trusted(cls, table: dict[Outcome, Rational], mass: Rational) -> ExactDistribution[Outcome]:
        """A law from positive numbers already in order, without checking them again."""
        made = cls.__new__(cls)
        made._probabilities = table
        made._mass = mass
        made._hash = None
        return made

    @classmethod
    def certain(cls, outcome: Outcome) -> ExactDistribution[Outcome]:
        """The law of an outcome that always happens."""
        return cls._trusted({outcome: ONE}, ONE)

    @classmethod
    def from_weights(cls, weights: Mapping[Outcome, int | Rational]) -> ExactDistribution[Outcome]:
        """Normalise non-negative weights; raises `DistributionError` when all are zero."""
        total = sum((rational(weight) for weight in weights.values()), ZERO)
        if total <= 0:
            raise DistributionError(f"weights that sum to {total} cannot be normalised")
        return cls({outcome: rational(weight) / total for outcome, weight in weights.items()})

    @property
    def mass(self) -> Rational:
        """The sum of all probabilities, at most one."""
        return self._mass

    def __getitem__(self, outcome: Outcome, /) -> Rational:
        return self._probabilities.get(outcome, ZERO)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._probabilities)

    def __len__(self) -> int:
        return len(self._probabilities)

    def items(self) -> ItemsView[Outcome, Rational]:
        """Outcomes with their probabilities, in ascending order."""
        return self._probabilities.items()

    def __contains__(self, outcome: object) -> bool:
        return outcome in self._probabilities

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactDistribution):
            return NotImplemented
        return self._probabilities == cast("ExactDistribution[Any]", other)._probabilities

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._probabilities.items()))
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickle, (self._probabilities, self._mass))

    def __repr__(self) -> str:
        inside = ", ".join(f"{outcome!r}: {number}" for outcome, number in self.items())
        return f"ExactDistribution({{{inside}}})"

    def support(self) -> Iterable[Outcome]:
        """The outcomes of positive probability, in ascending order."""
        return self._probabilities.keys()

    def quantile(self, coin: Rational) -> Outcome:
        """The first outcome whose cumulative probability exceeds ``coin``, a number in [0, 1)."""
        cumulative = ZERO
        for outcome, probability in self._probabilities.items():
            cumulative += probability
            if coin < cumulative:
                return outcome
        raise DistributionError(f"a coin of {coin} lies beyond the mass {self._mass}")

    def mass_of(self, kept: Collection[Outcome]) -> Rational:
        """The probability that the outcome is in ``kept``."""
        return sum((number for x, number in self._probabilities.items() if x in kept), ZERO)

    def restrict(self, kept: Container[Outcome]) -> ExactDistribution[Outcome]:
        """The law given that the outcome is in ``kept``.

        Raises:
            DistributionError: when ``kept`` has no mass.
        """
        table = {x: number for x, number in self._probabilities.items() if x in kept}
        return self._normalised(table, "no mass is left after the restriction")

    def push_forward(self, image: Callable[[Outcome], Other]) -> ExactDistribution[Other]:
        """The law of ``image(outcome)``; the probabilities of equal images are summed."""
        table: dict[Other, Rational] = {}
        for outcome, probability in self._probabilities.items():
            key = image(outcome)
            table[key] = table.get(key, ZERO) + probability
        return ExactDistribution[Other]._trusted(_ascending(table), self._mass)

    def overlap(self, other: Distribution[Outcome]) -> Rational:
        """``sum min(self, other)``."""
        return sum((min(p, other[x]) for x, p in self._probabilities.items()), ZERO)

    def coincidence(self, other: Distribution[Outcome]) -> Rational:
        """``sum self * other``."""
        return sum((p * other[x] for x, p in self._probabilities.items()), ZERO)

    def excess(self, other: Distribution[Outcome], scale: Rational = ONE) -> Rational:
        """``sum max(0, scale * self - other)``."""
        return sum((max(ZERO, scale * p - other[x]) for x, p in self._probabilities.items()), ZERO)

    def residual(
        self, other: Distribution[Outcome], scale: Rational = ONE
    ) -> ExactDistribution[Outcome]:
        """``max(0, scale * self - other)`` normalised.

        Raises:
            DistributionError: when ``other`` covers everything; an exact algorithm never asks then.
        """
        table: dict[Outcome, Rational] = {}
        for outcome, probability in self._probabilities.items():
            left = scale * probability - other[outcome]
            if left > 0:
                table[outcome] = left
        return self._normalised(table, "nothing is left of the residual")

    def keep(self, chance_of: Callable[[Outcome], Rational]) -> ExactDistribution[Outcome]:
        """The sub-distribution of draws kept with probability ``chance_of(outcome)`` each.

        Its mass is the probability that a draw is kept.
        """
        table: dict[Outcome, Rational] = {}
        mass = ZERO
        for outcome, probability in self._probabilities.items():
            kept = probability * max(ZERO, min(ONE, chance_of(outcome)))
            if kept:
                table[outcome] = kept
                mass += kept
        return ExactDistribution[Outcome]._trusted(table, mass)

    def normalised(self) -> ExactDistribution[Outcome]:
        """The law given that there is an outcome; raises `DistributionError` on mass zero."""
        return self._normalised(self._probabilities, "a law without mass cannot be normalised")

    def _normalised(
        self, table: dict[Outcome, Rational], complaint: str
    ) -> ExactDistribution[Outcome]:
        mass = sum(table.values(), ZERO)
        if not mass:
            raise DistributionError(f"{complaint}: {self!r}")
        if mass != 1:
            table = {outcome: number / mass for outcome, number in table.items()}
        return ExactDistribution[Outcome]._trusted(table, ONE)


def ratio(p: Any, q: Any) -> Any:
    """p / q, the chance to accept what was drawn with probability q where p is due.

    A drawn outcome has q > 0. A law that gives it q = 0 is not the one that drew it; the ratio is
    then taken as 1 if p > 0, else 0, so that such a mistake has a law of its own to be judged by.
    """
    if q == 0:
        return 1 if p > 0 else 0
    return p / q


def total_variation(due: ExactDistribution[Outcome], given: ExactDistribution[Outcome]) -> Rational:
    """Half the sum of ``|due - given|``: the largest difference over all events.

    For sub-distributions the missing mass counts as one further outcome.
    """
    outcomes = dict.fromkeys((*due, *given))
    distance = sum((abs(due[x] - given[x]) for x in outcomes), ZERO)
    return (distance + abs(due.mass - given.mass)) / 2


def _ascending(table: dict[Outcome, Rational]) -> dict[Outcome, Rational]:
    try:
        return {outcome: table[outcome] for outcome in sorted(cast("Iterable[Any]", table))}
    except TypeError:
        return table


def _unpickle(table: dict[Any, Rational], mass: Rational) -> ExactDistribution[Any]:
    return ExactDistribution[Any]._trusted(table, mass)  # pyright: ignore[reportPrivateUsage]
