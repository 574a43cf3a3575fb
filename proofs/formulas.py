"""Numbers that are formulas: rational functions of symbols with rational coefficients.

A `Formula` is a rational function of symbols with rational coefficients, always in lowest terms, so
that equal formulas look alike. It stands wherever the algorithms of
`draftproof.reference` expect a probability: it adds, multiplies and divides as rationals do. Where
an algorithm *compares* (``min(1, p/q)``, "is anything left of the residual"), the answer depends on
the signs of a few irreducible polynomials; `signs.cases` runs a program once for every way in
which these can fall.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol

import z3
from flint import Ordering, fmpq, fmpq_mpoly_ctx


class Signs(Protocol):
    """What knows the signs of polynomials."""

    def sign(self, polynomial: Any) -> int:
        """1, 0 or -1."""
        ...


#: The case in which formulas are being compared (`signs.Case`).
active: ContextVar[Signs | None] = ContextVar("case", default=None)


class UndecidedSignError(RuntimeError):
    """Two formulas were compared outside of `signs.cases`, where nothing says which is larger."""


class Symbols:
    """Names of symbols, each a number between 0 and 1, and the polynomials in them.

    Attributes:
        names: of the symbols, as formulas print them: "p(1|0)".
        bounds: formulas that are positive, beyond the symbols themselves: for a law with its last
            probability written as one minus the others, that difference.
        possible: the answers of z3's so far, by what was split and what was asked.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.ring: Any = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self._one: Any = self.ring.constant(1)
        self._variables = [z3.Real(name) for name in names]
        self.bounds: list[Formula] = []
        self._assumed: list[Any] = []
        self.possible: dict[tuple[Any, ...], list[int]] = {}

    def symbol(self, name: str) -> Formula:
        """The symbol called ``name``."""
        return Formula(self, self.ring.gens()[self.names.index(name)], self._one)

    def number(self, value: int | fmpq) -> Formula:
        """A rational as a formula without symbols."""
        return Formula(self, self.ring.constant(value), self._one)

    def reduced(self, numerator: Any, denominator: Any) -> Formula:
        """A fraction of two polynomials, in lowest terms, the denominator's first coefficient 1."""
        if denominator.is_zero():
            raise ZeroDivisionError("a formula is divided by zero")
        if not denominator.is_constant():
            common = numerator.gcd(denominator)
            if not common.is_constant():
                numerator, denominator = numerator / common, denominator / common
        scale = denominator.leading_coefficient()
        return Formula(self, numerator / scale, denominator / scale)

    def term(self, polynomial: Any) -> Any:
        """A polynomial as a term of z3's."""
        terms: list[Any] = []
        for powers, coefficient in polynomial.terms():
            term: Any = z3.RealVal(str(coefficient))
            for variable, power in zip(self._variables, powers, strict=True):
                for _ in range(int(power)):
                    term = term * variable
            terms.append(term)
        return z3.Sum(terms) if terms else z3.RealVal(0)

    def assumptions(self) -> list[Any]:
        """What holds in every case: all symbols, and all `bounds`, are positive."""
        if len(self._assumed) < len(self.names) + len(self.bounds):
            positive = [variable > 0 for variable in self._variables]
            self._assumed = positive + [self.term(each.numerator) > 0 for each in self.bounds]
        return self._assumed

    def values(self, model: Any) -> dict[str, fmpq]:
        """The rationals that a model of z3's gives the symbols; those it leaves open are 1/2."""
        found: dict[str, fmpq] = {}
        for name, variable in zip(self.names, self._variables, strict=True):
            value: Any = model.eval(variable)
            if z3.is_algebraic_value(value):
                value = value.approx(20)
            rational = z3.is_rational_value(value)
            found[name] = (
                fmpq(value.numerator_as_long(), value.denominator_as_long())
                if rational
                else fmpq(1, 2)
            )
        return found


class Formula:
    """A rational function of `Symbols`; compares by splitting into cases.

    Raises:
        UndecidedSignError: by a comparison outside of `signs.cases` that nothing decides.
    """

    __slots__ = ("denominator", "numerator", "symbols")

    def __init__(self, symbols: Symbols, numerator: Any, denominator: Any) -> None:
        self.symbols = symbols
        self.numerator = numerator
        self.denominator = denominator

    def _lifted(self, other: Any) -> Formula | None:
        if isinstance(other, Formula):
            return other
        return self.symbols.number(other) if isinstance(other, (int, fmpq)) else None

    def __add__(self, other: Any) -> Formula:
        one, two = self, self._lifted(other)
        if two is None:
            return NotImplemented
        if one.denominator == two.denominator:
            return self.symbols.reduced(one.numerator + two.numerator, one.denominator)
        return self.symbols.reduced(
            one.numerator * two.denominator + two.numerator * one.denominator,
            one.denominator * two.denominator,
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> Formula:
        two = self._lifted(other)
        return NotImplemented if two is None else self + (-two)

    def __rsub__(self, other: Any) -> Formula:
        return (-self) + other

    def __mul__(self, other: Any) -> Formula:
        two = self._lifted(other)
        if two is None:
            return NotImplemented
        return self.symbols.reduced(
            self.numerator * two.numerator, self.denominator * two.denominator
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Formula:
        two = self._lifted(other)
        if two is None:
            return NotImplemented
        return self.symbols.reduced(
            self.numerator * two.denominator, self.denominator * two.numerator
        )

    def __rtruediv__(self, other: Any) -> Formula:
        two = self._lifted(other)
        return NotImplemented if two is None else two / self

    def __neg__(self) -> Formula:
        return Formula(self.symbols, -self.numerator, self.denominator)

    def sign(self) -> int:
        """1, 0 or -1, in the case that is being looked at."""
        numerator, denominator = self.numerator, self.denominator
        if numerator.is_zero():
            return 0
        if numerator.is_constant() and denominator.is_constant():
            return 1 if numerator.leading_coefficient() > 0 else -1
        case = active.get()
        if case is None:
            raise UndecidedSignError(f"nothing says whether {self} is positive")
        return case.sign(numerator) * case.sign(denominator)

    def __lt__(self, other: Any) -> bool:
        return (self - other).sign() < 0

    def __le__(self, other: Any) -> bool:
        return (self - other).sign() <= 0

    def __gt__(self, other: Any) -> bool:
        return (self - other).sign() > 0

    def __ge__(self, other: Any) -> bool:
        return (self - other).sign() >= 0

    def __eq__(self, other: object) -> bool:
        if self._lifted(other) is None:
            return NotImplemented
        return (self - other).sign() == 0

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        if self.denominator.is_constant():
            return str(self.numerator)
        return f"({self.numerator}) / ({self.denominator})"

    def as_sympy(self) -> Any:
        """The same formula as an expression of sympy's, to print, solve or differentiate."""
        import sympy

        names = [sympy.Symbol(name) for name in self.symbols.names]

        def expression(polynomial: Any) -> Any:
            return sympy.Add(
                *(
                    sympy.Rational(str(coefficient))
                    * sympy.Mul(*(n ** int(k) for n, k in zip(names, powers, strict=True)))
                    for powers, coefficient in polynomial.terms()
                )
            )

        return expression(self.numerator) / expression(self.denominator)

    def at(self, values: Mapping[str, fmpq]) -> fmpq:
        """The number that the formula is where the symbols have ``values``."""
        point = [values[name] for name in self.symbols.names]
        return self.numerator(*point) / self.denominator(*point)
