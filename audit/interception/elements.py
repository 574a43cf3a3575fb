"""An undrawn number: a monotone form of one coin.

The forms are closed under what samplers do to noise::

    base U    a * U**c + b         U is the coin, or one minus it when `turned`
    base E    a * E**c + b         E = -log U: exponential
    base G    a * log(E) + b       a < 0: Gumbel

Arithmetic with constants, powers, exponentials and logarithms stays inside or raises by name.
Comparison with a number turns the form back and asks the coin; a comparison of two elements is a
race of two.

Real samplers guard logarithms with tiny constants (``log(u + 1e-20)``, ``clamp(min=tiny)``). Where
such a constant is below `TINY` relative to what it is added to, it is left out, and the total
variation that this may cost is added to `Session.idealised`.
"""

from __future__ import annotations

import math

from .coins import Coin
from .session import active

#: Constants below this, relative to the number they guard, are idealised away.
TINY = 1e-6
#: Integers that one number may be rounded to, at most.
MOST_CELLS = 100_000

UNIFORM, EXPONENTIAL, GUMBEL = "U", "E", "G"
_NAMES = {UNIFORM: "uniform", EXPONENTIAL: "exponential", GUMBEL: "Gumbel"}


class Element:
    """``a * base(coin)**c + b``; see the module."""

    __slots__ = ("a", "b", "base", "c", "coin", "turned")

    def __init__(
        self,
        coin: Coin,
        base: str = UNIFORM,
        a: float = 1.0,
        b: float = 0.0,
        c: float = 1.0,
        turned: bool = False,
    ) -> None:
        self.coin = coin
        self.base = base
        self.a = a
        self.b = b
        self.c = c
        self.turned = turned

    def refuse(self, use: str) -> Exception:
        """The exception for a use of this number that is not modelled."""
        return active().refuse(f"{use} of an undrawn {_NAMES[self.base]} number")

    # ---- decisions ----------------------------------------------------------------------------

    def cut(self, t: float) -> tuple[float, bool]:
        """``(threshold, side)``: this is below ``t`` where (coin < threshold) is ``side``."""
        s = (t - self.b) / self.a
        side = self.a > 0.0
        if self.base == UNIFORM:
            flipped = False
            if self.c != 1.0:
                s, flipped = _root(s, self.c)
            return (1.0 - s, side == flipped) if self.turned else (s, side != flipped)
        if self.base == GUMBEL:
            e = exp_of(s)
        else:
            e, flipped = _root(s, self.c)
            side = side != flipped
        # E < e where U > exp(-e), or where U < 1 - exp(-e) when turned.
        if self.turned:
            return -math.expm1(-max(e, 0.0)), side
        return math.exp(-max(e, 0.0)), not side

    def below(self, t: float) -> bool:
        """Whether this is below the number ``t``, decided now; the difference to <= has no mass."""
        if t != t:
            return False
        threshold, side = self.cut(t)
        return self.coin.below(threshold, active().choices) == side

    def ends(self) -> tuple[float, float]:
        """Infimum and supremum, given what is known of the coin."""
        first, last = self.at(self.coin.low), self.at(self.coin.high)
        return (first, last) if first <= last else (last, first)

    def at(self, u: float) -> float:
        """The value if the coin were ``u``."""
        value = 1.0 - u if self.turned else u
        if self.base != UNIFORM:
            value = -math.log(value) if value > 0.0 else math.inf
        if self.base == GUMBEL:
            value = math.log(value) if value > 0.0 else -math.inf
        elif self.c != 1.0:
            value = power_of(value, self.c)
        return self.a * value + self.b

    def floor(self) -> int:
        """The greatest integer not above this, decided now."""
        low, high = self.ends()
        if not high - low < MOST_CELLS:
            raise self.refuse("rounding")
        first = math.floor(low)
        cuts = [self.cut(float(n))[0] for n in range(first + 1, math.ceil(high))]
        if not cuts:
            return first
        rising = self.cut(float(first))[1]
        if rising:
            return first + self.coin.interval(cuts, active().choices)
        return first + len(cuts) - self.coin.interval(cuts[::-1], active().choices)

    # ---- arithmetic ---------------------------------------------------------------------------

    def times(self, k: float) -> Element | float:
        """``k`` times this."""
        if k == 0.0 or k != k:
            return k
        if math.isinf(k):
            low, high = self.ends()
            if low < 0.0 < high:
                raise self.refuse("multiplication by infinity")
            return k if high > 0.0 else -k
        return Element(self.coin, self.base, self.a * k, self.b * k, self.c, self.turned)

    def plus(self, k: float) -> Element | float:
        """This and ``k``."""
        if not math.isfinite(k):
            return k
        return Element(self.coin, self.base, self.a, self.b + k, self.c, self.turned)

    def power(self, k: float) -> Element | float:
        """This to the power of ``k``."""
        if k == 1.0:
            return self
        if k == 0.0:
            return 1.0
        if math.isinf(k):
            low, high = self.ends()
            if low >= 0.0 and high <= 1.0:
                return 0.0 if k > 0.0 else math.inf
        if self.base == GUMBEL or not math.isfinite(k):
            raise self.refuse(f"power {k}")
        form = self._without_guard(f"power {k}")
        if form.a < 0.0:
            if k != -1.0:
                raise self.refuse(f"power {k} of a negative")
            return Element(form.coin, form.base, 1.0 / form.a, 0.0, -form.c, form.turned)
        return Element(form.coin, form.base, power_of(form.a, k), 0.0, form.c * k, form.turned)

    def log(self) -> Element | float:
        """The natural logarithm."""
        if self.base == GUMBEL:
            raise self.refuse("logarithm")
        form = self._without_guard("logarithm")
        if form.a < 0.0:
            return math.nan
        shift = math.log(form.a)
        if form.base == UNIFORM:  # log(a * U**c) = log a - c * E
            return Element(form.coin, EXPONENTIAL, -form.c, shift, 1.0, form.turned)
        return Element(form.coin, GUMBEL, form.c, shift, 1.0, form.turned)

    def exp(self) -> Element | float:
        """The exponential."""
        factor = exp_of(self.b)
        if self.base == GUMBEL:
            return Element(self.coin, EXPONENTIAL, factor, 0.0, self.a, self.turned)
        if self.base == EXPONENTIAL and self.c == 1.0:
            if self.turned and self.a == -1.0:
                return Element(self.coin, UNIFORM, -factor, factor)
            return Element(self.coin, UNIFORM, factor, 0.0, -self.a, self.turned)
        raise self.refuse("exponential")

    def _without_guard(self, use: str) -> Element:
        """The same without the constant ``b``, which has to be tiny, or 1 - U as what it is."""
        if self.b == 0.0:
            return self
        relative = self.b / self.a
        if 0.0 < relative <= TINY:
            active().idealised += power_of(relative, 1.0 / abs(self.c))
            return Element(self.coin, self.base, self.a, 0.0, self.c, self.turned)
        if self.base == UNIFORM and self.c == 1.0 and abs(relative + 1.0) <= TINY:
            active().idealised += abs(relative + 1.0)
            return Element(self.coin, UNIFORM, -self.a, 0.0, 1.0, not self.turned)
        raise self.refuse(f"{use} of a shifted form")

    def clamped(self, low: float, high: float) -> Element | float:
        """This kept within bounds; tiny guards are idealised, others are decided."""
        for bound, is_lower in ((low, True), (high, False)):
            if bound != bound or math.isinf(bound):
                continue
            threshold, side = self.cut(bound)
            left, right = self.coin.low, self.coin.high
            share = (min(max(threshold, left), right) - left) / (right - left)
            outside = share if side == is_lower else 1.0 - share
            if outside <= 0.0:
                continue
            if outside <= TINY:
                active().idealised += outside
            elif self.below(bound) == is_lower:
                return bound
        return self

    # ---- with another element -----------------------------------------------------------------

    def same_noise(self, other: Element) -> bool:
        """Whether both are affine in the same function of the same coin."""
        return (
            self.coin is other.coin
            and self.base == other.base
            and self.c == other.c
            and self.turned == other.turned
        )

    def plus_element(self, other: Element) -> Element | float:
        """The sum, modelled for two forms of one coin."""
        if not self.same_noise(other):
            raise self.refuse("a sum with another undrawn number")
        if self.a + other.a == 0.0:
            return self.b + other.b
        return Element(
            self.coin, self.base, self.a + other.a, self.b + other.b, self.c, self.turned
        )

    def over_element(self, other: Element) -> Element | float:
        """The quotient, modelled for two powers of one coin."""
        alike = (
            self.coin is other.coin
            and (self.base, self.turned, self.b, other.b) == (other.base, other.turned, 0.0, 0.0)
            and self.base != GUMBEL
        )
        if not alike:
            raise self.refuse("a quotient with another undrawn number")
        if self.c == other.c:
            return self.a / other.a
        return Element(self.coin, self.base, self.a / other.a, 0.0, self.c - other.c, self.turned)


def power_of(x: float, k: float) -> float:
    """``x ** k`` for x >= 0, infinite where it overflows."""
    try:
        return x**k
    except (OverflowError, ZeroDivisionError):
        return math.inf


def exp_of(x: float) -> float:
    """The exponential, infinite where it overflows."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _root(s: float, c: float) -> tuple[float, bool]:
    """``(e, flipped)``: for B > 0, B**c < s where (B < e) is not ``flipped``."""
    if s <= 0.0:
        return (0.0, False) if c > 0.0 else (math.inf, True)
    return power_of(s, 1.0 / c), c < 0.0
