"""Verdicts: from two laws to a distance, a witness, and how many samples would show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from ..reference.distribution import ExactDistribution
from ..reference.exact import ZERO, Rational
from ..reference.models import Ids
from .report import SamplesNeeded, Value, Witness

ALPHA = 0.01
POWER = 0.9


@dataclass(frozen=True)
class Difference:
    """Where a law given differs from the law due.

    Attributes:
        distance: total variation between the two laws of strings; where mass is missing from the
            law given, the least that it can be however that mass falls.
        context: target ids before the strings, prompt included.
        continuation: the shortest prefix whose probability differs; of those, the one that differs
            most, then the first in ascending order. Where mass is missing from the law given, only
            a prefix that is given too often counts.
        due, given: the probabilities of strings that begin with ``continuation``.
        event_due, event_given: the probabilities, under both, of the event that differs most (all
            strings given more often than due).
    """

    distance: Rational
    context: Ids
    continuation: Ids
    due: Rational
    given: Rational
    event_due: Rational
    event_given: Rational

    def witness(self, vocabulary: int, lookahead: int | None) -> Witness:
        """The report's witness."""
        return Witness(
            self.context,
            self.continuation,
            Value(self.due, float(self.due)),
            Value(self.given, float(self.given)),
            vocabulary,
            lookahead,
        )

    @property
    def size(self) -> tuple[int, int, Ids, Ids]:
        """Sorts differences by how small a counterexample they are."""
        return (len(self.context), len(self.continuation), self.context, self.continuation)


def difference(
    due: ExactDistribution[Ids], given: ExactDistribution[Ids], context: Ids
) -> Difference | None:
    """How ``given`` differs from ``due``, both laws of strings after ``context``; None if not.

    ``given`` may be sub-stochastic: its missing mass is counted in its favour.
    """
    distance = given.excess(due)
    if not distance:
        return None
    complete = given.mass == 1
    length = 1
    while True:
        due_prefix = due.push_forward(lambda ids, n=length: ids[:n])
        given_prefix = given.push_forward(lambda ids, n=length: ids[:n])
        differing = [
            (len(ids) < length, -abs(due_prefix[ids] - given_prefix[ids]), ids)
            for ids in dict.fromkeys((*due_prefix, *given_prefix))
            if given_prefix[ids] > due_prefix[ids]
            or (complete and given_prefix[ids] < due_prefix[ids])
        ]
        if differing:
            break
        length += 1
    # A shorter string would be one that ends there, and not all strings that begin with it.
    *_, continuation = min(differing)
    more = [ids for ids in given if given[ids] > due[ids]]
    return Difference(
        distance,
        context,
        continuation,
        due_prefix[continuation],
        given_prefix[continuation],
        sum((due[ids] for ids in more), ZERO),
        sum((given[ids] for ids in more), ZERO),
    )


def samples_needed(
    due: float, given: float, alpha: float = ALPHA, power: float = POWER
) -> SamplesNeeded | None:
    """How many samples a two-sided z-test of one event needs to tell ``given`` from ``due``.

    ``due`` and ``given`` are the event's probabilities. Where ``due`` is 0 or 1 a single
    sighting decides, and the number is how long one must wait for it with probability ``power``.
    None when they are equal as floats.
    """
    if due == given:
        return None
    if due in (0.0, 1.0):
        contradicting = given if due == 0.0 else 1 - given
        n = 1 if contradicting >= 1 else math.ceil(math.log(1 - power) / math.log1p(-contradicting))
        return SamplesNeeded("one sighting of an event of probability zero", alpha, power, n)
    normal = NormalDist()
    spread = normal.inv_cdf(1 - alpha / 2) * math.sqrt(due * (1 - due)) + normal.inv_cdf(
        power
    ) * math.sqrt(given * (1 - given))
    n = math.ceil((spread / (due - given)) ** 2)
    return SamplesNeeded("two-sided binomial z-test of the most different event", alpha, power, n)
