"""What passes cost on this machine, now: medians of interleaved measurements.

A pass over n positions is what verifying n - 1 candidates costs. Passes of all sizes and all models
take turns, so that whatever else the machine does meets them alike. Everything outside the passes
(tokenizers, laws, comparisons) is taken from short real runs, as a share of the time inside.
"""

from __future__ import annotations

import random
import statistics
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...reference.models import Ids

#: Positions of the wider drafter pass that is timed: psi asks for several in one pass.
WIDE = 16


@dataclass(frozen=True)
class Timing:
    """Seconds of repeated passes: the median, and the quartiles as the spread."""

    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """From single measurements."""
        ordered = sorted(seconds)
        if len(ordered) < 2:
            return cls(ordered[0], ordered[0], ordered[0], len(ordered))
        low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
        return cls(median, low, high, len(ordered))

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in seconds."""
        return {
            "median": self.median,
            "quartiles": [self.low, self.high],
            "repeats": self.repeats,
        }


@dataclass
class Costs:
    """Seconds of passes.

    Attributes:
        target: by number of positions.
        drafters: of one position, for each drafter in order.
        outside: for (drafter's place, algorithm) the time outside passes as a share of that inside;
            (None, "autoregressive") for plain decoding.
        wide: of drafter passes over `WIDE` positions, for each drafter; empty where every pass is
            taken to cost the same.
    """

    target: Mapping[int, Timing]
    drafters: Sequence[Timing]
    outside: dict[tuple[int | None, str], float] = field(default_factory=dict)
    wide: Sequence[Timing] = ()

    def target_pass(self, positions: int) -> float:
        """Seconds over ``positions``; on straight lines between and beyond those measured."""
        sizes = sorted(self.target)
        if positions in self.target:
            return self.target[positions].median
        if len(sizes) == 1:
            return self.target[sizes[0]].median
        upper = min(max(bisect_left(sizes, positions), 1), len(sizes) - 1)
        one, two = sizes[upper - 1], sizes[upper]
        low, high = self.target[one].median, self.target[two].median
        slope = (high - low) / (two - one)
        if positions > two:
            slope = max(slope, 0.0)
        return high + slope * (positions - two)

    def round(
        self, drafter: int, drafts: float, passes: Mapping[int, float], more: float = 0
    ) -> float:
        """Seconds inside the passes of rounds: ``passes`` by size, ``drafts`` drafter passes.

        ``more`` are the positions that these compute beyond one each.
        """
        target = sum(self.target_pass(size) * count for size, count in passes.items())
        one = self.drafters[drafter].median
        each = max(self.wide[drafter].median - one, 0) / (WIDE - 1) if self.wide else 0.0
        return target + one * drafts + each * more

    def share(self, drafter: int | None, algorithm: str) -> float:
        """Time outside as a share of the time inside; 0 where it was not measured."""
        return self.outside.get((drafter, algorithm), 0.0)

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """For JSON, drafters by name."""
        return {
            "target": {str(size): timing.as_dict() for size, timing in self.target.items()},
            "drafters": {
                name: timing.as_dict() for name, timing in zip(names, self.drafters, strict=True)
            },
            "drafters_wide": {
                name: {"positions": WIDE, **timing.as_dict()}
                for name, timing in zip(names, self.wide, strict=False)
            },
            "outside_share": [
                {"drafter": None if d is None else names[d], "algorithm": name, "share": share}
                for (d, name), share in self.outside.items()
            ],
        }


def measured(
    target: tuple[Any, Ids],
    drafters: Sequence[tuple[Any, Ids]],
    most: int,
    *,
    repeats: int,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Costs:
    """Time passes of the target over 1 .. ``most`` positions, of the drafters over 1 and `WIDE`.

    Args:
        target, drafters: each a model and a context in its ids, at least two of them; its cache
            holds the context while the pass is timed.
        most: positions of the largest pass.
        repeats: of each.
        seed: of the order in which sizes take turns.
        step: called after each round of turns.
    """
    order = random.Random(seed)
    taken: dict[int, list[float]] = {size: [] for size in range(1, most + 1)}
    drafted: list[list[float]] = [[] for _ in drafters]
    wide: list[list[float]] = [[] for _ in drafters]
    for repeat in range(repeats + 1):  # the first one warms up
        for size in order.sample(sorted(taken), len(taken)):
            seconds = _pass(*target, size, repeat)
            if repeat:
                taken[size].append(seconds)
            for place, (model, context) in enumerate(drafters):
                seconds = _pass(model, context, 1, repeat * most + size)
                if repeat:
                    drafted[place].append(seconds)
        for place, (model, context) in enumerate(drafters):
            seconds = _pass(model, context, WIDE, repeat)
            if repeat:
                wide[place].append(seconds)
        step()
    return Costs(
        {size: Timing.of(each) for size, each in taken.items()},
        [Timing.of(each) for each in drafted],
        wide=[Timing.of(each) for each in wide],
    )


def _pass(model: Any, context: Ids, size: int, turn: int) -> float:
    """Seconds of one pass over ``size`` positions behind a cached ``context[:-1]``."""
    # Ids that differ from turn to turn: a law that was given a moment ago costs no pass.
    ids = (*context[:-1], (turn * 7919 + context[-1]) % model.size)
    new = tuple(context[(turn + place) % len(context)] for place in range(size - 1))
    passes, spent = model.passes, model.seconds
    model.distributions(ids, new)
    if model.passes == passes:  # remembered after all
        model.forget()
        model.distributions(context[:-1])
        spent = model.seconds
        model.distributions(ids, new)
    return model.seconds - spent
