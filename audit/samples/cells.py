"""One statistic at one prompt: what was seen, and what the wagers on it have become."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .betting import bounds, log_mean, log_wager
from .lines import PLAIN, SPECULATIVE, Sample
from .partitions import KEPT, WARM_UP, Partition, Statistic, event_label, learned
from .power import seen_against_law, seen_between_modes


@dataclass(frozen=True)
class Evident:
    """The event that was wagered on best: given and due are shares or probabilities, in words."""

    event: str
    given: str
    due: str


class Cell(Protocol):
    """What the audit needs of a cell."""

    statistic: Statistic
    partition: Partition | None
    draws: int

    def add(self, sample: Sample) -> None:
        """A reply to the cell's prompt."""
        ...

    def log_evidence(self) -> float:
        """The logarithm of the mean wager."""
        ...

    def interval(self, alpha: float) -> tuple[float, float]:
        """Between what the total variation of the statistic lies, at all times at once."""
        ...

    def would_see(self, log_goal: float, power: float, draws: int | None = None) -> float:
        """The least distance that is seen with probability ``power`` when the cell's goal is so."""
        ...

    def evident(self) -> Evident | None:
        """The event with the largest wager."""
        ...


@dataclass
class _Outcomes:
    """The outcomes of a statistic in one mode: of every reply, or of every second with the last."""

    statistic: Statistic
    depth: int | None = None
    _last: Any = None

    def of(self, sample: Sample) -> list[Any]:
        """The outcomes that ``sample`` completes: none or one."""
        tokens = sample.tokens if self.depth is None else sample.tokens[: self.depth]
        outcome = self.statistic.outcome(tokens)
        if not self.statistic.of_pairs:
            return [outcome]
        if self._last is None:
            self._last = (outcome,)
            return []
        (before,), self._last = self._last, None
        return [before == outcome]


class OneSample:
    """The speculative mode against a law that is known.

    Attributes:
        slack: the relative error to which the law is known.
    """

    def __init__(
        self, statistic: Statistic, partition: Partition, depth: int, slack: float = 0.0
    ) -> None:
        self.statistic = statistic
        self.partition: Partition | None = partition
        self.draws = 0
        self._slack = slack
        self._outcomes = _Outcomes(statistic, depth)
        self._counts = [0] * partition.size
        # Probabilities are added up as they are, exactly where they are exact, and rounded last.
        self._biases = [
            (event, float(sum(partition.due[n] for n in event))) for event in partition.events
        ]

    def add(self, sample: Sample) -> None:
        """Count a reply of the speculative mode."""
        if sample.mode != SPECULATIVE:
            return
        assert self.partition is not None
        for outcome in self._outcomes.of(sample):
            self._counts[self.partition.category(outcome)] += 1
            self.draws += 1

    def log_evidence(self) -> float:
        """The logarithm of the mean wager over all events."""
        return log_mean([self._wager(event, bias) for event, bias in self._biases])

    def interval(self, alpha: float) -> tuple[float, float]:
        """A confidence sequence of the total variation."""
        low, high = 0.0, 0.0
        share = alpha / len(self._biases)
        for event, bias in self._biases:
            heads = self._heads(event)
            least, most = bounds(heads, self.draws - heads, share)
            low = max(low, least - bias, bias - most)
            high = max(high, most - bias, bias - least)
        return min(low, 1.0), min(high, 1.0)

    def would_see(self, log_goal: float, power: float, draws: int | None = None) -> float:
        """The least distance that is seen with probability ``power``."""
        biases = [bias for _, bias in self._biases]
        goal = log_goal + math.log(len(biases))
        both = [*biases, *(1 - bias for bias in biases)]
        draws = self.draws if draws is None else draws
        return seen_against_law(draws, both, goal, power, self._slack)

    def evident(self) -> Evident | None:
        """The event with the largest wager."""
        if not self.draws:
            return None
        assert self.partition is not None
        event, bias = max(self._biases, key=lambda each: self._wager(*each))
        heads = self._heads(event)
        if heads < bias * self.draws:  # say what comes too often
            event = tuple(n for n in range(self.partition.size) if n not in event)
            heads, bias = self.draws - heads, 1 - bias
        return Evident(
            event_label(self.partition, event), f"{heads:,} of {self.draws:,}", f"{bias:.6g}"
        )

    def _heads(self, event: tuple[int, ...]) -> int:
        return sum(self._counts[n] for n in event)

    def _wager(self, event: tuple[int, ...], bias: float) -> float:
        heads = self._heads(event)
        return log_wager(heads, self.draws - heads, bias, self._slack)


@dataclass
class TwoSample:
    """The speculative mode against the plain mode, replies of both in pairs.

    Where the two replies of a pair differ in an event, the one mode has it as often as the other if
    both have one law. That holds too where the modes share coins, as long as pairs do not. Events
    are over categories that the first pairs chose, which are not bet on.
    """

    statistic: Statistic
    partition: Partition | None = None
    draws: int = 0
    _waiting: dict[str, list[Any]] = field(default_factory=lambda: {PLAIN: [], SPECULATIVE: []})
    _first: list[tuple[Any, Any]] = field(default_factory=list)
    _seen: Counter[tuple[int, int]] = field(default_factory=Counter)
    _outcomes: dict[str, _Outcomes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._outcomes = {mode: _Outcomes(self.statistic) for mode in (PLAIN, SPECULATIVE)}
        if self.statistic.of_pairs:
            self.partition = learned(self.statistic, ())

    def add(self, sample: Sample) -> None:
        """Count a reply of either mode, with the other mode's that it makes a pair with."""
        self._waiting[sample.mode] += self._outcomes[sample.mode].of(sample)
        plain, speculative = self._waiting[PLAIN], self._waiting[SPECULATIVE]
        while plain and speculative:
            self._pair(plain.pop(0), speculative.pop(0))

    def _pair(self, plain: Hashable, speculative: Hashable) -> None:
        if self.partition is None:
            self._first.append((plain, speculative))
            if len(self._first) == WARM_UP:
                self.partition = learned(self.statistic, (x for two in self._first for x in two))
            return
        categories = self.partition.category(plain), self.partition.category(speculative)
        self._seen[categories] += 1
        self.draws += 1

    def log_evidence(self) -> float:
        """The logarithm of the mean wager over all events."""
        if self.partition is None:
            return 0.0
        return log_mean([self._wager(event) for event in self.partition.events])

    def interval(self, alpha: float) -> tuple[float, float]:
        """A confidence sequence of the total variation between the modes.

        An event is as much likelier in one mode as pairs differ in it, times how much more often
        than not it is that mode which has it: both are coins.
        """
        if self.partition is None or not self.draws:
            return 0.0, 1.0
        events = self.partition.events
        low, high = 0.0, 0.0
        share = alpha / len(events) / 2
        for event in events:
            fewer, more = sorted(self._only(event))
            differ = fewer + more
            rate = bounds(differ, self.draws - differ, share)
            excess = [2 * bias - 1 for bias in bounds(more, fewer, share)]
            low = max(low, rate[0] * excess[0])
            high = max(high, rate[1] * max(excess[1], -excess[0]))
        return low, min(high, 1.0)

    def would_see(self, log_goal: float, power: float, draws: int | None = None) -> float:
        """The least distance that is seen with probability ``power``."""
        events = 2**KEPT - 1 if self.partition is None else len(self.partition.events)
        goal = log_goal + math.log(events)
        return seen_between_modes(self.draws if draws is None else draws, goal, power)

    def evident(self) -> Evident | None:
        """The event with the largest wager."""
        if self.partition is None or not self.draws:
            return None
        event = max(self.partition.events, key=self._wager)
        only_plain, only_speculative = self._only(event)
        if only_speculative < only_plain:
            event = tuple(n for n in range(self.partition.size) if n not in event)
        plain = sum(n for (x, _), n in self._seen.items() if x in event)
        speculative = sum(n for (_, y), n in self._seen.items() if y in event)
        return Evident(
            event_label(self.partition, event),
            f"{speculative:,} of {self.draws:,}",
            f"{plain:,} of {self.draws:,}, as in plain mode,",
        )

    def _only(self, event: tuple[int, ...]) -> tuple[int, int]:
        """Pairs of which one mode alone has the event: the plain one, the speculative one."""
        plain = sum(n for (x, y), n in self._seen.items() if x in event and y not in event)
        speculative = sum(n for (x, y), n in self._seen.items() if y in event and x not in event)
        return plain, speculative

    def _wager(self, event: tuple[int, ...]) -> float:
        plain, speculative = self._only(event)
        return log_wager(speculative, plain, 0.5)
