"""SLRS whose stop rule and lookahead are chosen round by round, by what rounds cost and give.

What a round gives depends on coins that no choice has seen, and each rule is lossless; so is a run
that chooses by its past. The choice is that of a bandit: the way with the most tokens a second,
each counted as if it gave a little more than it did, and the more so the fewer rounds it had. The
clock is asked, so which coins meet which tokens differs from run to run; the law does not.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...reference.autoregressive import autoregressive_round
from ...reference.chance import Chance
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.rounds import Round, RoundFunction

#: What is tried, as (rule, lookahead in target tokens); other rules end drafts themselves.
WAYS: tuple[tuple[str, int], ...] = (
    ("spelled", 1),
    ("spelled", 2),
    ("spelled/block", 4),
    ("fixed:2", 1),
    ("determined:1/cap:8", 1),
    ("lookup:1/cap:8", 1),
)
PLAIN = "plain decoding"
#: Tokens that a way is taken to give beyond its mean after one round; it falls with 1/sqrt(rounds).
HOPE = 0.6
#: Rounds whose times are remembered: their median is a round's cost.
REMEMBERED = 25
#: Rounds of every way before any is preferred.
TRIES = 2


@dataclass
class Record:
    """What a way gave: rounds, tokens, seconds, and the seconds of the last rounds."""

    rounds: int = 0
    tokens: int = 0
    seconds: float = 0.0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def add(self, tokens: int, seconds: float) -> None:
        """One round more."""
        self.rounds += 1
        self.tokens += tokens
        self.seconds += seconds
        self.recent.append(seconds)

    @property
    def promise(self) -> float:
        """Tokens a second, with hope."""
        mean = self.tokens / self.rounds + HOPE / self.rounds**0.5
        # Of two the lower: the first round of a way fills what it keeps.
        return mean / max(statistics.median_low(self.recent), 1e-9)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"rounds": self.rounds, "tokens": self.tokens, "seconds": self.seconds}


class Chooser:
    """Chooses among ways by their records.

    Args:
        ways: their names; each is tried `TRIES` times, in this order.
        clock: seconds.

    The first round of all reads the prompt; it is not counted.
    """

    def __init__(self, ways: Sequence[str], clock: Callable[[], float] = time.perf_counter) -> None:
        self.records: dict[str, Record] = {way: Record() for way in ways}
        self._clock = clock
        self._begun = False

    def next(self) -> str:
        """The way of the next round."""
        tries = {way: record.rounds for way, record in self.records.items()}
        least = min(tries, key=tries.__getitem__)
        if tries[least] < TRIES:
            return least
        return max(self.records, key=lambda way: self.records[way].promise)

    def run(self, way: str, one_round: Callable[[], Round]) -> Round:
        """Run a round of ``way`` and note what it gave and took."""
        started = self._clock()
        block = one_round()
        if self._begun:
            self.records[way].add(len(block.emitted), self._clock() - started)
        self._begun = True
        return block


def choosing(chooser: Chooser, rounds: Mapping[str, RoundFunction]) -> RoundFunction:
    """The round function that lets ``chooser`` choose among ``rounds``; plain decoding is one."""

    def run_round(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        way = chooser.next()
        if way == PLAIN:
            return chooser.run(way, lambda: autoregressive_round(pair, context, chance))
        return chooser.run(way, lambda: rounds[way](pair, context, chance, state))

    return run_round


def named(rule: str, lookahead: int) -> str:
    """A way's name: ``spelled:2``, ``spelled:4/block``, ``determined:1/cap:8``."""
    if not rule.startswith("spelled"):
        return rule
    return rule.replace("spelled", f"spelled:{lookahead}")
