"""What a report says of statistics of which only samples were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sampling:
    """What samples say about one named statistic of a black box.

    Attributes:
        partition: the categories that outcomes were put into, by name.
        draws: how many outcomes, or pairs of them, were bet on.
        level: the smallest alpha at which these draws alone would have been LOSSY at some time.
        interval: between what the total variation lies, at all times and for all statistics at
            once, with probability 1 - alpha.
        seen: the least total variation that would have been seen, with ``power``.
        event, given, due: what was bet on best: how often it came, and how often it is due.
        ahead: a total variation, and the replies of each mode in which it is seen with ``power``.
    """

    partition: str
    draws: int
    level: float
    interval: tuple[float, float]
    seen: float
    power: float
    event: str | None = None
    given: str | None = None
    due: str | None = None
    ahead: tuple[float, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """The ``sampling`` object of the report."""
        return {
            "partition": self.partition,
            "draws": self.draws,
            "level": self.level,
            "interval": list(self.interval),
            "seen": {"total_variation": self.seen, "probability": self.power},
            "event": self.event,
            "given": self.given,
            "due": self.due,
            "ahead": None
            if self.ahead is None
            else {"total_variation": self.ahead[0], "draws": self.ahead[1]},
        }
