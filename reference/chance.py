"""Chance: the only source of randomness, with three verbs.

`Chance` is what every algorithm takes. Who stands behind it decides what running the algorithm
means: a `Sampler` generates text; a `CoinTape` replays given coins; a `Branch` (see
`draftproof.reference.enumeration`) follows one branch of the tree of choices, and all branches
together are the algorithm's exact law. The algorithm's lines are the same in all three.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from .distribution import Distribution
from .exact import Rational, rational

Outcome = TypeVar("Outcome")

#: Draws in a row that `draw_kept` throws away before it takes the law of kept draws for empty.
PATIENCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One random decision, as the trace shows it.

    Attributes:
        verb: "draw", "accept", "draw_kept", or "discarded" (a draw that draw_kept threw away).
        what: what was decided, in the algorithm's words ("draft 1", "verify 2", "final").
        outcome: the outcome drawn, or whether it was accepted.
        law: the distribution drawn from, or the probability of acceptance.
        coin: the number that decided, where there was one; for kept draws both. Not compared: a
            branch of the enumeration takes the same decision without a coin.
    """

    verb: str
    what: str
    outcome: Any
    law: Any
    coin: Any = field(default=None, compare=False)


class Chance(Protocol):
    """Three verbs, each a fresh and independent random decision."""

    def draw(self, law: Distribution[Outcome], what: str = "") -> Outcome:
        """One outcome of ``law``."""
        ...

    def accept(self, probability: Any, what: str = "") -> bool:
        """True with probability ``min(1, probability)``: ratios p/q need no clipping first."""
        ...

    def draw_kept(
        self, law: Distribution[Outcome], keep: Callable[[Outcome], Any], what: str = ""
    ) -> Outcome:
        """Draw from ``law`` until a draw is kept, each with probability ``keep(outcome)``.

        The outcome's law is ``law * keep`` normalised, found without summing over the vocabulary.
        """
        ...


class CoinTape:
    """Chance that spends given coins, numbers in [0, 1), one after the other.

    ``draw`` spends one coin, by inverse cumulative probability in ascending order of outcomes;
    ``accept`` spends one (accepted when the coin lies *below* the probability); ``draw_kept``
    spends two for every draw. ``steps`` records what was decided.

    Raises:
        CoinTapeError: when the tape runs out, or holds a coin outside [0, 1).
    """

    #: Draws in a row that `draw_kept` throws away before it gives up.
    patience: int = PATIENCE

    def __init__(self, coins: Iterable[Any]) -> None:
        self._coins = iter(coins)
        self.spent = 0
        self.steps: list[Step] = []

    def draw(self, law: Distribution[Outcome], what: str = "") -> Outcome:
        """One outcome of ``law``, from one coin."""
        coin = self._coin()
        outcome = law.quantile(coin)
        self.steps.append(Step("draw", what, outcome, law, coin))
        return outcome

    def accept(self, probability: Any, what: str = "") -> bool:
        """Whether the next coin lies below ``probability``."""
        coin = self._coin()
        accepted = self.below(coin, probability)
        self.steps.append(Step("accept", what, accepted, probability, coin))
        return accepted

    def draw_kept(
        self, law: Distribution[Outcome], keep: Callable[[Outcome], Any], what: str = ""
    ) -> Outcome:
        """Draw and test, two coins at a time, until a draw is kept.

        Raises:
            CoinTapeError: when `patience` draws in a row were thrown away.
        """
        for _ in range(self.patience):
            coins = (self._coin(), self._coin())
            outcome = law.quantile(coins[0])
            kept = self.below(coins[1], keep(outcome))
            self.steps.append(Step("draw_kept" if kept else "discarded", what, outcome, law, coins))
            if kept:
                return outcome
        raise CoinTapeError(
            f"{what or 'a kept draw'}: {self.patience} draws were thrown away in a row"
        )

    def below(self, coin: Any, probability: Any) -> bool:
        """Whether ``coin`` lies below ``probability``; every test of a coin is this one."""
        return bool(coin < probability)

    def _coin(self) -> Any:
        try:
            coin = next(self._coins)
        except StopIteration:
            raise CoinTapeError(f"the tape ran out after {self.spent} coins") from None
        if not 0 <= coin < 1:
            raise CoinTapeError(f"coin {self.spent} is {coin}, outside [0, 1)")
        self.spent += 1
        return coin


class CoinTapeError(ValueError):
    """A tape that is too short, holds something that is no coin, or never gives a kept draw."""


class Sampler(CoinTape):
    """Chance that samples: a tape of fresh coins, multiples of 2**-64, from a seeded generator.

    Rounding a real coin to that grid moves each decision's probability by less than 2**-64.
    """

    def __init__(self, seed: int | random.Random) -> None:
        super().__init__(
            _fresh_coins(seed if isinstance(seed, random.Random) else random.Random(seed))
        )


def _fresh_coins(generator: random.Random) -> Iterator[Rational]:
    while True:
        yield rational(generator.getrandbits(64), 1 << 64)
