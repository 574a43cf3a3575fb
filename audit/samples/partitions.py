"""Named statistics of replies, and the partitions of their outcomes into a few categories."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .laws import Due
from .lines import Tokens

#: Outcomes that are categories of their own, at most; the others are one category together.
KEPT = 4
#: What a stated law may lack to 1 and still leave nothing out.
ROUNDING = 1e-12
#: Pairs of samples from which categories are chosen where no law is known; they are not bet on.
WARM_UP = 20


@dataclass(frozen=True)
class Statistic:
    """A function of replies.

    Attributes:
        name: as reports have it, which is the slug of a check.
        guarantee: what a wrong law of it refutes.
        outcome: of one reply's tokens.
        of_pairs: whether it compares two replies to one prompt, one after the other.
    """

    name: str
    guarantee: str
    outcome: Callable[[Tokens], Any]
    of_pairs: bool = False


def _first(count: int) -> Callable[[Tokens], Tokens]:
    return lambda tokens: tokens[:count]


NEXT = Statistic("next-token", "next-token", _first(1))
FIRST_TWO = Statistic("first-2", "block", _first(2))
FIRST_THREE = Statistic("first-3", "block", _first(3))
LENGTH = Statistic("length", "run", len)
DUPLICATES = Statistic("duplicates", "batch", tuple, of_pairs=True)
STATISTICS = (NEXT, FIRST_TWO, FIRST_THREE, LENGTH, DUPLICATES)


@dataclass(frozen=True)
class Partition:
    """Categories, numbered from 0.

    Attributes:
        name: what the report calls it.
        categories: the number of each outcome that has one of its own.
        rest: the number for other outcomes that can come; None where there are none.
        impossible: the number for outcomes of probability zero; None where none are known.
        due: the probability of each category, where the law is known.
        labels: of the categories, in words.
    """

    name: str
    categories: dict[Any, int]
    rest: int | None
    impossible: int | None
    due: tuple[Any, ...] = ()
    labels: tuple[str, ...] = ()
    possible: frozenset[Any] = field(default_factory=frozenset)

    @property
    def size(self) -> int:
        """How many categories there are."""
        return len(self.labels)

    def category(self, outcome: Any) -> int:
        """The number of an outcome's category."""
        found = self.categories.get(outcome)
        if found is not None:
            return found
        if self.impossible is not None and outcome not in self.possible:
            return self.impossible
        assert self.rest is not None
        return self.rest

    @property
    def events(self) -> list[tuple[int, ...]]:
        """Every event, as its categories; of an event and its complement only one."""
        others = range(1, self.size)
        return [
            event
            for count in range(1, self.size)
            for event in itertools.combinations(others, count)
        ]


def known(statistic: Statistic, due: Due) -> Partition | str:
    """The partition of a statistic whose law is known, or why there is none, in words."""
    if statistic.of_pairs:
        if not due.is_complete:
            return "it takes the law of whole strings"
        same = sum(mass * mass for mass in due.strings.values())
        if same == 1:
            return "one reply alone is possible"
        return Partition(
            f"same or not, by {due.depth} tokens",
            {True: 0, False: 1},
            None,
            None,
            (same, 1 - same),
            ("the same", "different"),
        )
    if statistic is LENGTH:
        if not due.can_end:
            return "no reply ends within the law that is known"
        law: dict[Any, Any] = {}
        for tokens, mass in due.strings.items():
            law[len(tokens)] = law.get(len(tokens), 0) + mass
        return _likeliest(law, complete=True)
    count = {"next-token": 1, "first-2": 2, "first-3": 3}[statistic.name]
    if count > due.depth:
        return f"the law that is known has strings of {due.depth}"
    if count < due.depth and not due.is_complete and sum(due.strings.values()) < 1 - ROUNDING:
        return f"the law that is known leaves out strings of {due.depth}, and how they begin"
    return _likeliest(due.first(count), due.is_complete)


def _likeliest(law: dict[Any, Any], complete: bool) -> Partition:
    """The likeliest outcomes, the rest, and what cannot come."""
    positive = {outcome: mass for outcome, mass in law.items() if mass > 0}
    order = sorted(positive, key=lambda outcome: (-positive[outcome], outcome))
    count = len(order) if complete and len(order) == KEPT + 1 else KEPT  # a rest of one has a name
    kept = order[:count]
    due = [positive[outcome] for outcome in kept]
    labels = [_label(outcome) for outcome in kept]
    rest = impossible = None
    left = sum(positive[outcome] for outcome in order[count:]) if complete else 1 - sum(due)
    if left > 0:
        rest = len(due)
        due.append(left)
        labels.append("any other")
    if complete:
        impossible = len(due)
        due.append(0)
        labels.append("what cannot come")
    elif rest is None:  # what is stated adds up to 1 by rounding: others cannot be ruled out
        rest = len(due)
        due.append(0.0)
        labels.append("any other")
    return Partition(
        "exact" if rest is None else f"the {len(kept)} likeliest",
        {outcome: number for number, outcome in enumerate(kept)},
        rest,
        impossible,
        tuple(due),
        tuple(labels),
        frozenset(positive),
    )


def learned(statistic: Statistic, outcomes: Iterable[Any]) -> Partition:
    """Categories from ``outcomes`` of both modes, which are not bet on: the most frequent ones."""
    if statistic.of_pairs:
        return Partition(
            "same or not", {True: 0, False: 1}, None, None, (), ("the same", "different")
        )
    counts = Counter(outcomes)
    order = sorted(counts, key=lambda outcome: (-counts[outcome], str(outcome)))[:KEPT]
    return Partition(
        f"the {len(order)} most frequent of the first {WARM_UP} pairs",
        {outcome: number for number, outcome in enumerate(order)},
        len(order),
        None,
        (),
        (*map(_label, order), "any other"),
    )


def _label(outcome: Any) -> str:
    if isinstance(outcome, tuple):
        if all(isinstance(part, str) for part in outcome):
            return repr("".join(outcome))
        return str(list(outcome))
    return str(outcome)


def event_label(partition: Partition, event: Sequence[int]) -> str:
    """An event in words."""
    return " or ".join(partition.labels[number] for number in event)
