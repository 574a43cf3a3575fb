"""Edges of a generator's range: a program run with every uniform at one end of [0, 1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from .choices import Choices

Outcome = TypeVar("Outcome")

#: The uniform just below one of each dtype, by NumPy's and torch's names.
BELOW_ONE = {
    "float16": 1.0 - 2.0**-11,
    "bfloat16": 1.0 - 2.0**-8,
    "float32": 1.0 - 2.0**-24,
    "float64": 1.0 - 2.0**-53,
}
#: The least exponential number: generators give none that is zero.
LEAST_EXPONENTIAL = 2.0**-126
#: Numbers that one program may draw: a rejection loop draws for ever where all are the same.
MOST_NUMBERS = 10_000


class EndlessDraws(BaseException):
    """The program drew more than `MOST_NUMBERS` numbers, all the same."""


def exponential_at(fill: float) -> float:
    """The exponential number that goes with a uniform: tiny for 0, large just below 1."""
    return max(-math.log1p(-fill), LEAST_EXPONENTIAL)


def run_with_coins(program: Callable[[], Outcome], fill: float) -> Outcome:
    """What ``program`` returns when every uniform it draws is ``fill``.

    Args:
        program: what it raises is passed on.
        fill: 0.0, or the largest number below 1 of its dtype (see `BELOW_ONE`; numbers that a
            narrower dtype cannot hold are the largest below 1 there). Exponential numbers are
            ``-log(1 - fill)``, Gumbel numbers minus its logarithm, and draws from a row of weights
            take the index at which the cumulative sum passes ``fill``.

    Raises:
        UnmodelledRandomCall: for a random call that is not modelled, also when it was swallowed.
        EndlessDraws: for a loop that waits for another number.
    """
    from .enumeration import intercepted
    from .session import Session

    class Counting(Session):
        numbers = 0

        def coin(self, stream: Hashable, position: int, kind: Hashable) -> Any:
            self.numbers += 1
            if self.numbers > MOST_NUMBERS:
                raise EndlessDraws
            return super().coin(stream, position, kind)

    session = Counting(Choices(), fill)
    with intercepted(session, program) as watch:
        session.start()
        with watch.path(with_backstop=False):
            outcome = program()
    if session.choices.refusals:
        raise session.refuse(session.choices.refusals[0].removesuffix(" is not modelled"))
    return outcome
