"""The cases that comparisons of formulas split the world into.

`cases` runs a program once for every way in which the signs of the polynomials that it compares can
fall that is possible at all (`z3` decides which are). Within a case every ``min`` and ``max`` is
resolved, and what the program returns is one formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import z3

from .formulas import Formula, Symbols, UndecidedSignError, active

Result = TypeVar("Result")

#: Milliseconds that z3 may think about whether a case is possible; past them it is kept.
_THINK = 2000


@dataclass
class Case:
    """One way in which signs fall: irreducible polynomials, each positive, zero or negative.

    Attributes:
        signs: 1, 0 or -1, by the text of a polynomial whose first coefficient is positive. Those
            that follow from the others are in it too; ``chosen`` are those that were split on.
        script: which of the possible signs to choose, split by split.
        options: how many there were, split by split.
        closed: whether the program has ended, so that nothing is split any more.
    """

    symbols: Symbols
    script: list[int]
    signs: dict[str, int] = field(default_factory=dict)
    chosen: list[tuple[Any, int]] = field(default_factory=list)
    options: list[int] = field(default_factory=list)
    closed: bool = False

    def sign(self, polynomial: Any) -> int:
        """The sign of a polynomial in this case."""
        coefficient, factors = polynomial.factor()
        result = 1 if coefficient > 0 else -1
        for factor, power in factors:
            flipped = factor.leading_coefficient() < 0
            sign = self._of_atom(-factor if flipped else factor)
            sign = -sign if flipped else sign
            result *= sign ** int(power) if sign else 0
        return result

    def _of_atom(self, atom: Any) -> int:
        key = str(atom)
        if key in self.signs:
            return self.signs[key]
        if key in self.symbols.names:
            return 1
        possible = self._possible(atom, key)
        if not possible:
            raise ArithmeticError(f"no sign of {atom} is possible in this case")
        sign = possible[0]
        if len(possible) > 1:
            if self.closed:
                raise UndecidedSignError(f"this case leaves the sign of {atom} open")
            position = len(self.options)
            index = self.script[position] if position < len(self.script) else 0
            self.options.append(len(possible))
            sign = possible[index]
            self.chosen.append((atom, sign))
        self.signs[key] = sign
        return sign

    def _possible(self, atom: Any, key: str) -> list[int]:
        """The signs that ``atom`` can have after what was split; each question is asked once."""
        asked = (*((str(before), sign) for before, sign in self.chosen), key)
        known = self.symbols.possible.get(asked)
        if known is None:
            known = [s for s in (1, -1, 0) if self.is_possible(_has_sign(self, atom, s))]
            self.symbols.possible[asked] = known
        return known

    def constraints(self) -> list[Any]:
        """What holds in this case, for z3."""
        split = [_has_sign(self, atom, sign) for atom, sign in self.chosen]
        return self.symbols.assumptions() + split

    def is_possible(self, also: Any = True) -> bool:
        """Whether some values of the symbols make this case, and ``also``, true."""
        return self.model(also) is not False

    def model(self, also: Any = True) -> Any:
        """A model of this case and ``also``; None where z3 gives up, False where there is none."""
        solver = z3.Solver()
        solver.set("timeout", _THINK)
        solver.add(*self.constraints(), also)
        answer = solver.check()
        if answer == z3.unsat:
            return False
        return solver.model() if answer == z3.sat else None

    def equal(self, one: Formula, other: Formula) -> bool:
        """Whether two formulas are the same number everywhere in this case."""
        difference = one - other
        if difference.numerator.is_zero():
            return True
        differs = self.symbols.term(difference.numerator) != 0
        return any(sign == 0 for _, sign in self.chosen) and self.model(differs) is False

    def __str__(self) -> str:
        words = {1: "> 0", 0: "= 0", -1: "< 0"}
        return ", ".join(f"{a} {words[s]}" for a, s in self.chosen) or "always"


@dataclass(frozen=True)
class Found(Generic[Result]):
    """What a program returned in one case."""

    case: Case
    result: Result


def cases(symbols: Symbols, program: Callable[[], Result]) -> Iterator[Found[Result]]:
    """Run ``program`` once for every case that its comparisons tell apart; together they are all.

    The program is deterministic but for comparisons of formulas, which `Case` answers.
    """
    script: list[int] = []
    while True:
        case = Case(symbols, script)
        token = active.set(case)
        try:
            result = program()
        finally:
            active.reset(token)
        case.closed = True
        yield Found(case, result)
        options = case.options
        script = script + [0] * (len(options) - len(script))
        while script and script[-1] + 1 == options[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def within(case: Case, program: Callable[[], Result]) -> Result:
    """Run ``program`` inside ``case``, for more formulas of the same case.

    Raises:
        UndecidedSignError: when it would have to be split further.
    """
    token = active.set(case)
    try:
        return program()
    finally:
        active.reset(token)


def _has_sign(case: Case, atom: Any, sign: int) -> Any:
    term = case.symbols.term(atom)
    if sign == 0:
        return term == 0
    return term > 0 if sign > 0 else term < 0
