"""Numbers that are decided when somebody looks: draws, comparisons, and counts of those.

They are plain integers and truth values in waiting. What only moves them about leaves them be, so
that a row that is never looked at is never drawn and a coin after the first rejection never falls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import arithmetic


class Lazy:
    """A number that ``thunk`` decides, once."""

    __slots__ = ("_thunk", "_value")

    def __init__(self, thunk: Callable[[], Any]) -> None:
        self._thunk: Callable[[], Any] | None = thunk
        self._value: Any = None

    def is_decided(self) -> bool:
        """Whether it has been looked at."""
        return self._thunk is None

    def decide(self) -> Any:
        """The number."""
        if self._thunk is not None:
            self._value = self._thunk()
            self._thunk = None
        return self._value


class Count(Lazy):
    """How many of some cells, each 0 or 1, are 1: asked only as far as a comparison needs."""

    __slots__ = ("cells",)

    def __init__(self, cells: list[Any]) -> None:
        self.cells = cells
        super().__init__(lambda: sum(int(decided(cell)) for cell in cells))

    def reaches(self, count: float) -> bool:
        """Whether at least ``count`` of them are 1."""
        so_far = 0
        if so_far >= count:
            return True
        if len(self.cells) < count:
            return False
        for cell in self.cells:
            so_far += int(decided(cell))
            if so_far >= count:
                return True
        return False


class Truth(Lazy):
    """A lazy number that is True or False."""

    __slots__ = ()


class AllOf(Truth):
    """One if all of some cells are not zero; asked in order, up to the first that is."""

    __slots__ = ()

    def __init__(self, cells: list[Any]) -> None:
        super().__init__(lambda: all(decided(cell) for cell in cells))


class AnyOf(Truth):
    """One if any of some cells is not zero; asked in order, up to the first that is."""

    __slots__ = ()

    def __init__(self, cells: list[Any]) -> None:
        super().__init__(lambda: any(decided(cell) for cell in cells))


def decided(cell: Any) -> Any:
    """The cell, decided now if it can be."""
    return cell.decide() if isinstance(cell, Lazy) else cell


def test(name: str, x: Any, y: Any) -> Any:
    """A comparison that is decided when it is looked at, of counts only as far as needed."""
    if isinstance(x, Count) and isinstance(y, (int, float)):
        if name in ("less", "greater_equal"):
            return Truth(lambda: x.reaches(y) == (name == "greater_equal"))
        if name in ("less_equal", "greater"):
            return Truth(lambda: x.reaches(int(y // 1) + 1) == (name == "greater"))
        if name in ("equal", "not_equal") and y == 0:
            return Truth(lambda: x.reaches(1) == (name == "not_equal"))
    return Truth(lambda: arithmetic.compare(name, decided(x), decided(y)))


def negation(cell: Any) -> Any:
    """``not cell``, still undecided if the cell is."""
    if isinstance(cell, Lazy):
        return Truth(lambda: not cell.decide())
    return not cell
