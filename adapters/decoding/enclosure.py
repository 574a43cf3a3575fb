"""Numbers between bounds that hold for the exact value, beside the float that the code computes.

An `Enclosed` number is three things at once: the value in the code's own floats, an interval in
float64 that contains the exact value of the same expression over the same rows, and the way to that
exact value in rationals. The reference's lines compute with it as with any number. Each operation
on the interval is rounded outward by one unit, so no analysis of an algorithm is needed for its
bounds to hold: sums of products, ratios, ``1 - mass`` with all its cancellation. docs/rounding.md
says what follows.

A comparison is *certified* where the whole interval lies on the side that the value says, and *open
to rounding* otherwise. Where it is open the rationals answer, so that the answer is always the
exact one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...reference.exact import ZERO, Rational, rational
from ...reference.psi_bounds import Deferred

#: An exact value, and how it is computed from others: a number, a function that finds it, or an
#: operation on two enclosed numbers.
Source = Rational | Callable[[], Rational] | tuple[Callable[[Any, Any], Any], Any, Any]
#: Lower and upper bound.
Interval = tuple[float, float]

#: The unit roundoff of float64.
UNIT = 2.0**-53


@dataclass
class Tally:
    """What was decided, and how.

    Attributes:
        decisions: draws, acceptances and tests of kept draws.
        open: those of them that were open to rounding, and so decided in rationals.
        changed: those of these whose float answer was another one.
        off: the most by which a row's sum differs from one, of all rows that were used.
        unit: the unit roundoff of these rows.
    """

    decisions: int = 0
    open: int = 0
    changed: int = 0
    off: float = 0.0
    unit: float = UNIT

    def reset(self) -> None:
        """Begin again, for another run."""
        self.decisions = self.open = self.changed = 0
        self.off, self.unit = 0.0, UNIT

    def count(self, answer: Any, found: Any, certified: bool) -> None:
        """A decision: what the float says, what is right, and whether bounds were enough."""
        self.decisions += 1
        self.open += not certified
        self.changed += answer != found


class Enclosed:
    """A number of which the exact value lies between ``low`` and ``high``.

    Attributes:
        value: what the code computes, a float or a tensor without dimensions.
        low, high: bounds on the exact value, in float64; they may be infinite.
    """

    __slots__ = ("_source", "high", "low", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, bounds: Interval, source: Source) -> None:
        self.value = value
        self.low, self.high = bounds
        self._source = source

    @classmethod
    def of(cls, number: Any) -> Enclosed:
        """An integer or a float that is exact as it is.

        Raises:
            TypeError: for anything else, a tensor for one: nobody knows how far off that is.
        """
        if isinstance(number, Enclosed):
            return number
        if not isinstance(number, int | float):
            raise TypeError(f"no bounds are known for {number!r}, so nothing follows from it")
        return cls(number, (float(number), float(number)), exactly(number))

    def exact(self) -> Rational:
        """The exact value; found once."""
        waiting: list[Enclosed] = [self]
        while waiting:  # no recursion: a sum over drafts is as deep as it has terms
            last = waiting[-1]
            source = last._source
            if isinstance(source, tuple):
                operation, one, two = source
                unknown = [each for each in (one, two) if not isinstance(each._source, Rational)]
                if unknown:
                    waiting += unknown
                    continue
                last._source = operation(one._source, two._source)
            elif not isinstance(source, Rational):
                last._source = source()
            waiting.pop()
        assert isinstance(self._source, Rational)
        return self._source

    def compared(self, relation: Callable[[Any, Any], bool], other: Any) -> tuple[bool, bool, bool]:
        """What the float says of ``relation``, what is right, and whether bounds were enough."""
        two = Enclosed.of(other)
        answer = bool(relation(_plain(self.value), _plain(two.value)))
        at_ends = {
            relation(one, other) for one in (self.low, self.high) for other in (two.low, two.high)
        }
        # Whether numbers are equal is not known from ends that differ while intervals overlap.
        apart = self.high < two.low or two.high < self.low
        single = self.low == self.high and two.low == two.high
        if (apart or single or relation not in (operator.eq, operator.ne)) and len(at_ends) == 1:
            found = at_ends.pop()
            if found == answer:
                return answer, found, True
        return answer, bool(relation(self.exact(), two.exact())), False

    def __add__(self, other: Any) -> Enclosed:
        return _of_two(operator.add, _sum, self, other)

    def __radd__(self, other: Any) -> Enclosed:
        return _of_two(operator.add, _sum, other, self)

    def __sub__(self, other: Any) -> Enclosed:
        return _of_two(operator.sub, _difference, self, other)

    def __rsub__(self, other: Any) -> Enclosed:
        return _of_two(operator.sub, _difference, other, self)

    def __mul__(self, other: Any) -> Enclosed:
        return _of_two(operator.mul, _product, self, other)

    def __rmul__(self, other: Any) -> Enclosed:
        return _of_two(operator.mul, _product, other, self)

    def __truediv__(self, other: Any) -> Enclosed:
        return _of_two(_divided, _quotient, self, other)

    def __rtruediv__(self, other: Any) -> Enclosed:
        return _of_two(_divided, _quotient, other, self)

    def __neg__(self) -> Enclosed:
        return Enclosed(-self.value, (-self.high, -self.low), (operator.sub, _NOTHING, self))

    def __gt__(self, other: Any) -> bool:
        return self.compared(operator.gt, other)[1]

    def __ge__(self, other: Any) -> bool:
        return self.compared(operator.ge, other)[1]

    def __lt__(self, other: Any) -> bool:
        return self.compared(operator.lt, other)[1]

    def __le__(self, other: Any) -> bool:
        return self.compared(operator.le, other)[1]

    def __eq__(self, other: object) -> bool:
        return self.compared(operator.eq, other)[1]

    def __ne__(self, other: object) -> bool:
        return self.compared(operator.ne, other)[1]

    def __bool__(self) -> bool:
        return self != 0

    def __repr__(self) -> str:
        return f"Enclosed({float(self.value):.9g} in [{self.low!r}, {self.high!r}])"


#: Zero.
_NOTHING = Enclosed(0, (0.0, 0.0), ZERO)


def exactly(number: Any) -> Rational:
    """The number that a float or an integer is."""
    return rational(*number.as_integer_ratio()) if isinstance(number, float) else rational(number)


def gamma(operations: int, unit: float = UNIT) -> float:
    """n u / (1 - n u), rounded up: how far n roundings of relative size u can lead, relatively."""
    product = operations * unit
    if product >= 1:
        return math.inf
    return 0.0 if operations <= 0 else _up(_up(product) / _down(1 - product))


def around_sum(total: float, terms: int) -> Interval:
    """Bounds on a sum of ``terms`` floats, none negative, whose float64 sum is ``total``.

    In whatever order they were added: each of them went through ``terms`` - 1 roundings at most.
    """
    width = gamma(terms - 1)
    if not width:
        return total, total
    return _down(total / _up(1 + width)), _up(total / _down(1 - width))


def _of_two(
    operation: Callable[[Any, Any], Any],
    bounds: Callable[[Interval, Interval], Interval],
    one: Any,
    two: Any,
) -> Any:
    if isinstance(one, Deferred) or isinstance(two, Deferred):
        return NotImplemented  # which computes with this number as one of its bounds
    one, two = Enclosed.of(one), Enclosed.of(two)
    value = operation(one.value, two.value)
    return Enclosed(value, bounds((one.low, one.high), (two.low, two.high)), (operation, one, two))


def _sum(one: Interval, two: Interval) -> Interval:
    if one == (0, 0) or two == (0, 0):
        return two if one == (0, 0) else one
    return _outward(one[0] + two[0], one[1] + two[1], min(one[0], two[0]) >= 0)


def _difference(one: Interval, two: Interval) -> Interval:
    if two == (0, 0):
        return one
    return _outward(one[0] - two[1], one[1] - two[0], False)


def _product(one: Interval, two: Interval) -> Interval:
    if one == (0, 0) or two == (0, 0):
        return 0.0, 0.0
    if one == (1, 1) or two == (1, 1):
        return two if one == (1, 1) else one
    ends = [_times(a, b) for a in one for b in two]
    return _outward(min(ends), max(ends), min(one[0], two[0]) >= 0)


def _quotient(one: Interval, two: Interval) -> Interval:
    if one == (0, 0) and two[0] > 0:
        return 0.0, 0.0
    if two[0] <= 0:  # of a divisor that may be zero only signs are left
        positive = one[0] >= 0 and two[0] == 0
        return (_down(one[0] / two[1]) if two[1] else 0.0) if positive else -math.inf, math.inf
    ends = [0.0 if b == math.inf else a / b for a in one for b in two]
    return _outward(min(ends), max(ends), one[0] >= 0)


def _times(one: float, two: float) -> float:
    return one * two if one and two else 0.0  # zero times infinity


def _outward(low: float, high: float, positive: bool) -> Interval:
    low = _down(low)
    return max(low, 0.0) if positive else low, _up(high)


def _divided(one: Any, two: Any) -> Any:
    # Floats as tensors divide: by zero too.
    if isinstance(one, float) and isinstance(two, float) and not two:
        return math.copysign(math.inf, one) if one else math.nan
    return one / two


def _plain(value: Any) -> Any:
    # Compared in float64: a coin that met a float32 tensor would be rounded to its type.
    return value if isinstance(value, int) else float(value)


def _up(number: float) -> float:
    return math.nextafter(number, math.inf)


def _down(number: float) -> float:
    return math.nextafter(number, -math.inf)
