"""Runs in which every decision is the one that exact arithmetic takes on the same rows and coins.

The rows of real models are floats; each float is a rational, so a row divided by its sum is an
exact law, and all that is computed from rows has an exact value. `certified` puts laws in front of
a pair's models that give `Enclosed` numbers, and `CertifyingSampler` decides with them: by the
bounds where these settle it, in rationals where they do not. The reference's algorithms run on both
as they are. Only what is drawn and compared counts: draws, acceptances, tests of kept draws.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from ...reference.distribution import Distribution
from ...reference.exact import ZERO, Rational, rational
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.psi_bounds import Deferred
from ..huggingface.coins import TensorSampler
from ..huggingface.tensors import MAPS, TensorDistribution
from .enclosure import Enclosed, Interval, Tally, around_sum, exactly, gamma
from .one_draft import OneDraft

#: The smallest positive float64 is one over this, so that every float times this is an integer.
_SCALE = 2**1074
#: Far above the floats that have fewer digits.
_TINY = 1e-290


class EnclosedLaw(Distribution[int]):
    """A tensor law whose numbers are enclosed.

    Attributes:
        law: what the code draws from and computes with.
        weights: [n] floats that are exactly proportional to the exact law; for a restricted law
            those of the whole one, and zeros.
    """

    __slots__ = ("_tally", "_total", "law", "weights")

    def __init__(
        self, law: TensorDistribution, tally: Tally, weights: torch.Tensor | None = None
    ) -> None:
        self.law = law
        self.weights = law.row if weights is None else weights
        self._tally = tally
        self._total: Enclosed | None = None
        if weights is None:  # a row as a model gave it
            low, high = self.total.low, self.total.high
            tally.off = max(tally.off, abs(low - 1), abs(high - 1))
            tally.unit = max(tally.unit, torch.finfo(law.row.dtype).eps / 2)

    @property
    def total(self) -> Enclosed:
        """What the weights sum to."""
        if self._total is None:
            sums = float(self.weights.sum(dtype=torch.float64))
            self._total = Enclosed(
                1, around_sum(sums, len(self.weights)), lambda: _exact_sum(self.weights)
            )
        return self._total

    @property
    def mass(self) -> int:
        """One: the exact law is normalised."""
        return 1

    def __getitem__(self, outcome: int, /) -> Enclosed:
        value = self.law[outcome]
        if not 0 <= outcome < len(self.weights):
            return Enclosed(value, (0.0, 0.0), ZERO)
        weight = float(self.weights[outcome])
        return self._share(value, (weight, weight), lambda: exactly(weight))

    def mass_of(self, kept: Collection[int]) -> Enclosed:
        """The probability that the id is in ``kept``."""
        value = self.law.mass_of(kept)
        picked = self.weights[MAPS.ids(kept, len(self.weights), self.weights.device)]
        sums = float(picked.sum(dtype=torch.float64))
        return self._share(value, around_sum(sums, len(picked)), lambda: _exact_sum(picked))

    def _share(self, value: Any, bounds: Interval, exact: Callable[[], Rational]) -> Enclosed:
        share = Enclosed(1, bounds, exact) / self.total
        share.value = value  # the code takes the row as it is
        return share

    def support(self) -> Iterable[int]:
        """The ids of positive probability, in ascending order."""
        return self.law.support()

    def restrict(self, kept: Container[int]) -> EnclosedLaw:
        """The law given that the id is in ``kept``; raises when that has no mass."""
        mask = MAPS.kept(kept, len(self.weights), self.weights.device)
        weights = torch.where(mask, self.weights, 0.0)
        return EnclosedLaw(self.law.restrict(kept), self._tally, weights)

    def quantile(self, coin: float) -> int:
        """The first id whose cumulative probability exceeds ``coin``."""
        drawn = self.law.quantile(coin)
        certified = self._is_at(drawn, coin)
        found = drawn if certified else _exact_quantile(self.weights, coin)
        self._tally.count(drawn, found, certified)
        return found

    def _is_at(self, drawn: int, coin: float) -> bool:
        """Whether bounds on the cumulative sums are enough to know that ``drawn`` is right."""
        whole = self.law if self.weights is self.law.row else TensorDistribution(self.weights)
        sums = whole.cumulative
        before, at, total = sums[[max(drawn - 1, 0), drawn, len(sums) - 1]].tolist()
        if drawn == 0:
            before = 0.0
        # Sums and product are each off by a part of themselves, four roundings beside the sums'.
        width = gamma(2 * (len(sums) - 1) + 4)
        point = total * coin
        if 0 < point < _TINY:  # where a rounding is no longer relative
            return False
        return before * (1 + width) <= point and point * (1 + width) < at

    def push_forward(self, image: Callable[[int], Any]) -> Any:
        """Not here: an algorithm that sums over whole laws has no bounds."""
        raise TypeError("of a law between bounds only numbers, masses and draws can be asked for")

    def overlap(self, other: Distribution[int]) -> Any:
        """As `push_forward`."""
        return self.push_forward(other.__getitem__)

    def coincidence(self, other: Distribution[int]) -> Any:
        """As `push_forward`."""
        return self.push_forward(other.__getitem__)

    def excess(self, other: Distribution[int], scale: Any = 1) -> Any:
        """As `push_forward`."""
        return self.push_forward(other.__getitem__)

    def residual(self, other: Distribution[int], scale: Any = 1) -> Any:
        """As `push_forward`."""
        return self.push_forward(other.__getitem__)


class EnclosedModel:
    """A model whose laws are enclosed; all else is the model's own."""

    def __init__(self, model: Any, tally: Tally) -> None:
        self.model, self.tally = model, tally
        self.size: int = model.size

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[EnclosedLaw]:
        """The model's laws, from one pass."""
        laws = self.model.distributions(context, continuation)
        return [EnclosedLaw(law, self.tally) for law in laws]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.model, name)
        if name == "distributions_after":
            return lambda contexts: [EnclosedLaw(law, self.tally) for law in found(contexts)]
        return found


def certified(pair: Pair) -> Pair:
    """The pair with laws between bounds; its models share one `Tally`, as ``.tally``."""
    tally = Tally()
    target = EnclosedModel(pair.target, tally)
    same = pair.drafter is pair.target
    return replace(
        pair, target=target, drafter=target if same else EnclosedModel(pair.drafter, tally)
    )


class CertifyingSampler(TensorSampler):
    """Chance that decides as exact arithmetic would, and counts into a tally.

    A residual is only asked for where there is one, so kept draws go on until one is kept.
    """

    patience = 2**62

    def __init__(self, generator: int | torch.Generator, tally: Tally) -> None:
        super().__init__(generator)
        self.tally = tally

    def below(self, coin: float, probability: Any) -> bool:
        """Whether ``coin`` lies below the exact ``probability``."""
        if isinstance(probability, Deferred):
            # Refined as it is compared, by enclosed numbers; the bounds that were enough say more.
            answer = found = probability > coin
            low, high = probability.bounds()
            relation, bound = (operator.gt, low) if found else (operator.le, high)
            sure = Enclosed.of(bound).compared(relation, coin)[2]
        else:
            answer, found, sure = Enclosed.of(probability).compared(operator.gt, coin)
        self.tally.count(answer, found, sure)
        return found


class EnclosedOneDraft(OneDraft):
    """psi of the stop rule ``fixed:1`` as enclosed numbers, for a pair that is `certified`."""

    def __init__(self, pair: Pair) -> None:
        super().__init__(pair)
        ids: defaultdict[Ids, set[int]] = defaultdict(set)
        for d, proposed in enumerate(self.candidates):
            for k in range(len(proposed) + 1):
                ids[proposed[:k]].add(d)
        #: For every beginning of a proposal the drafter ids whose proposals begin so.
        self.begin = {beginning: frozenset(each) for beginning, each in ids.items()}

    def after(self, context: Ids) -> Callable[[Ids], Any]:
        """``accepted -> psi_{k+1}( . | accepted)`` after ``context``."""
        read = self.pair.drafter_context(context)
        law: Any = None if read is None else self.pair.drafter.distributions(read)[0]
        return lambda accepted: _OneDraftNumbers(self, law, accepted)

    def plain(self, law: EnclosedLaw, accepted: Ids) -> TensorDistribution:
        """psi_{k+1} as the code computes it."""
        return self._psi(law.law.row, accepted)


class _OneDraftNumbers:
    """psi_{k+1}( . | accepted), number by number."""

    def __init__(self, psi: EnclosedOneDraft, law: EnclosedLaw | None, accepted: Ids) -> None:
        self._psi, self._law, self._accepted = psi, law, accepted
        self._values = None if law is None else psi.plain(law, accepted)

    def __getitem__(self, token: int, /) -> Any:
        ids = self._psi.begin.get((*self._accepted, token))
        if ids is None or self._law is None or self._values is None:
            return 0
        number = self._law.mass_of(ids)
        if self._accepted:
            number = number / self._law.mass_of(self._psi.begin[self._accepted])
        number.value = self._values[token]
        return number


def _whole(number: float) -> int:
    """``number`` in units of the smallest positive float."""
    top, bottom = number.as_integer_ratio()
    return top * (_SCALE // bottom)


def _exact_sum(weights: torch.Tensor) -> Rational:
    return rational(sum(map(_whole, weights.tolist())), _SCALE)


def _exact_quantile(weights: torch.Tensor, coin: Any) -> int:
    numbers = [_whole(weight) for weight in weights.tolist()]
    point = exactly(coin) * sum(numbers)
    cumulative = 0
    for outcome, number in enumerate(numbers):
        cumulative += number
        if point < cumulative:
            return outcome
    raise ValueError(f"a coin of {coin} is not below 1")
