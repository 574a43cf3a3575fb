"""psi between bounds: a coin is decided as soon as the bounds allow, with the same outcome.

The last of the versions of psi; `psi` has the list. To accept t with probability min(1, p/psi) is
to ask whether the coin lies below p/psi, and to keep a draw whether it lies below 1 - psi/p. Where
bounds on psi lie on one side of the point where the answer changes, psi itself is not needed. A
`Deferred` number stands where the number would, and refines its bounds only while a comparison is
open: the algorithm's lines stay as they are, and every decision is what the number would give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .models import Ids
from .psi_lazy import LazyPsi, PrefixMass
from .psi_tree import divided

#: Lower and upper bound; None for an upper bound that is infinite.
Bounds = tuple[Any, Any]


class Deferred:
    """A number known between bounds that meet in the end.

    ``bounds()`` gives them now, ``refine()`` brings them closer and says False once they have met.
    Comparing with a plain number refines as far as is needed. It is not negative, but for a
    difference; differences are compared and nothing else.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, bounds: Callable[[], Bounds], refine: Callable[[], bool]) -> None:
        self.bounds = bounds
        self.refine = refine

    def exact(self) -> Any:
        """The number."""
        while self.refine():
            pass
        return self.bounds()[0]

    def __float__(self) -> float:
        return float(self.exact())

    def _exceeds(self, number: Any, or_equals: bool) -> bool:
        """Whether this is above ``number``, or at it if that counts too."""
        while True:
            low, high = self.bounds()
            if low > number or (or_equals and low >= number):
                return True
            if high is not None and (high < number or (not or_equals and high <= number)):
                return False
            if not self.refine():
                # Met: the bounds are the number, and rounding is all that can keep them apart.
                low, _ = self.bounds()
                return bool(low >= number) if or_equals else bool(low > number)

    def __gt__(self, number: Any) -> bool:
        return self._exceeds(number, False)

    def __ge__(self, number: Any) -> bool:
        return self._exceeds(number, True)

    def __lt__(self, number: Any) -> bool:
        return not self._exceeds(number, True)

    def __le__(self, number: Any) -> bool:
        return not self._exceeds(number, False)

    def __eq__(self, number: object) -> bool:
        """False while it is open: only a number whose bounds have met is equal to another.

        Two deferred numbers are compared exactly.
        """
        if isinstance(number, Deferred):
            return bool(self.exact() == number.exact())
        low, high = self.bounds()
        return bool(low == high == number)

    def __truediv__(self, number: Any) -> Deferred:
        """This by a positive number."""
        return self._mapped(lambda low, high: (low / number, _over(high, number)))

    def __rtruediv__(self, number: Any) -> Deferred:
        """``ratio(number, this)``: infinite while this may be zero, and 1 where it is."""

        def image(low: Any, high: Any) -> Bounds:
            if not number:
                return 0, 0
            if high is not None and not high:
                return 1, 1
            return (0 if high is None else number / high), (number / low if low else None)

        return self._mapped(image)

    def __rsub__(self, number: Any) -> Deferred:
        """A number less this, which is finite."""
        return self._mapped(lambda low, high: (number - high, number - low))

    def __sub__(self, other: Any) -> Deferred:
        """This less a number, or less another that is finite."""
        if not isinstance(other, Deferred):
            return self._mapped(lambda low, high: (low - other, _less(high, other)))

        def bounds() -> Bounds:
            (low, high), (least, most) = self.bounds(), other.bounds()
            return low - most, _less(high, least)

        return Deferred(bounds, lambda: bool(self.refine() | other.refine()))

    def __mul__(self, other: Any) -> Deferred:
        """This times a number, or times another."""
        if not isinstance(other, Deferred):
            return self._mapped(lambda low, high: (low * other, _times(high, other)))

        def bounds() -> Bounds:
            (low, high), (least, most) = self.bounds(), other.bounds()
            return low * least, None if high is None else _times(most, high)

        return Deferred(bounds, lambda: bool(self.refine() | other.refine()))

    __rmul__ = __mul__

    def _mapped(self, image: Callable[[Any, Any], Bounds]) -> Deferred:
        return Deferred(lambda: image(*self.bounds()), self.refine)


def _over(number: Any, divisor: Any) -> Any:
    return None if number is None else number / divisor


def _less(number: Any, other: Any) -> Any:
    return None if number is None else number - other


def _times(number: Any, factor: Any) -> Any:
    return None if number is None else number * factor


class BoundedPsi(LazyPsi):
    """psi_1, psi_2, .. after one context as numbers between bounds.

    ``BoundedPsi(pair, context, rule).after`` is what `slrs_round` takes as ``psi_after``.
    """

    def number(self, accepted: Ids, token: int) -> Deferred:
        """psi_{k+1}(``token`` | ``accepted``), no closer than it was found before."""
        return quotient(self.mass((*accepted, token)), self.mass(accepted))


def quotient(part: PrefixMass, whole: PrefixMass) -> Deferred:
    """M(u t) / M(u) between bounds; at most 1, and 1 is all that is known while M(u) may be 0."""

    def bounds() -> Bounds:
        high = min(1, divided(part.high, whole.low)) if whole.low else 1
        return (divided(part.low, whole.high) if whole.high else 0), high

    def refine() -> bool:
        # One depth of both: what the part asks the drafter, the whole mostly asks as well.
        return bool(whole.refine() | part.refine())

    return Deferred(bounds, refine)
