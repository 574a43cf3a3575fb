"""The same coins on two devices: whether they decide the same, and how near a coin was where not.

A decision compares a coin with a threshold, and devices round thresholds differently. Two runs of
one program on one tape may therefore part where a coin lies within rounding of its threshold, and
nowhere else. `compare` runs both, round after round from the same contexts, and reports every place
where they parted with the distance of the coin from its threshold there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from ...reference.chance import CoinTape
from ...reference.distribution import Distribution
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.rounds import Round


class MeasuredTape(CoinTape):
    """A coin tape that keeps, for each decision, how far its coin was from the next threshold.

    For laws that are tensors.
    """

    def __init__(self, coins: Iterable[float]) -> None:
        super().__init__(coins)
        self.margins: list[float] = []

    def draw(self, law: Distribution[Any], what: str = "") -> Any:
        """As a coin tape draws."""
        outcome = super().draw(law, what)
        self.margins.append(_to_an_edge(law, self.steps[-1].coin))
        return outcome

    def accept(self, probability: Any, what: str = "") -> bool:
        """As a coin tape accepts."""
        accepted = super().accept(probability, what)
        self.margins.append(abs(float(probability) - float(self.steps[-1].coin)))
        return accepted

    def draw_kept(self, law: Distribution[Any], keep: Callable[[Any], Any], what: str = "") -> Any:
        """As a coin tape draws and keeps."""
        kept: list[float] = []

        def remembered(outcome: Any) -> Any:
            chance = keep(outcome)
            kept.append(float(chance))
            return chance

        before = len(self.steps)
        outcome = super().draw_kept(law, remembered, what)
        for step, chance in zip(self.steps[before:], kept, strict=True):
            first, second = step.coin
            self.margins.append(min(_to_an_edge(law, first), abs(chance - second)))
        return outcome


def _to_an_edge(law: Any, coin: float) -> float:
    edges = law.row.double().cumsum(0)
    return float((edges - float(coin) * edges[-1]).abs().min())


@dataclass
class Agreement:
    """What `compare` found.

    Attributes:
        rounds: how many were run on both.
        decisions: how many decisions these took on the first.
        parted: for every round that differed, how far the coin was from its threshold where the
            two first decided differently.
    """

    rounds: int = 0
    decisions: int = 0
    parted: list[float] = field(default_factory=list)

    def within(self, bound: float) -> bool:
        """Whether every difference is explained by a coin within ``bound`` of its threshold."""
        return all(distance <= bound for distance in self.parted)


def compare(
    run_round: Callable[[Pair, Ids, Any], Round],
    one: Pair,
    two: Pair,
    contexts: Iterable[Ids],
    seed: int = 0,
) -> Agreement:
    """Run a round on both pairs after each context, with the same coins.

    Args:
        run_round: ``run_round(pair, context, chance)``.
        one: the pair whose thresholds are measured.
        two: the same models elsewhere.
        contexts: target ids.
        seed: of the coins.
    """
    found = Agreement()
    generator = torch.Generator().manual_seed(seed)
    for context in contexts:
        coins = torch.rand(4096, generator=generator, dtype=torch.float64).tolist()
        tapes = MeasuredTape(coins), CoinTape(coins)
        rounds = [
            run_round(pair, context, tape) for pair, tape in zip((one, two), tapes, strict=True)
        ]
        found.rounds += 1
        found.decisions += len(tapes[0].margins)
        for margin, first, second in zip(
            tapes[0].margins, tapes[0].steps, tapes[1].steps, strict=False
        ):
            if (first.verb, first.outcome) != (second.verb, second.outcome):
                found.parted.append(margin)
                break
        else:
            if rounds[0] != rounds[1]:
                found.parted.append(float("inf"))
    return found
