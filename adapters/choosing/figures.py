"""What is kept of one prompt: sums over its positions, for one drafter and algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from .starts import round_starts

Numbers = Any  # a numpy array of floats


@dataclass
class Figures:
    """Sums over the visited positions of one prompt, for one drafter and algorithm.

    Attributes:
        positions: how many there are.
        acceptance: sum of the exact acceptances of the first candidate.
        lookaheads: the numbers of drafts that the lists below are for.
        tokens_anywhere: for each lookahead the sum over positions of a round's expected tokens.
        rounds: for each the expected number of rounds that begin on these positions.
        tokens: for each the expected tokens that these emit.
        drafts: for each the drafter passes that they take, one for each draft where psi takes none.
        passes: for each, by the number of positions of a target pass, how many passes there are.
        more: for each the positions that drafter passes compute beyond one each.
        open: how far apart the bounds on an a_j still are, at most.
    """

    positions: int
    acceptance: float
    lookaheads: tuple[int, ...]
    tokens_anywhere: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    drafts: list[float] = field(default_factory=list)
    passes: list[Counter[int]] = field(default_factory=list)
    more: list[float] = field(default_factory=list)
    open: float = 0.0

    def add(
        self,
        kept_given_text: Sequence[Numbers],
        tokens: Numbers,
        drafts: Numbers,
        read: Numbers,
        more: Numbers = 0,
    ) -> None:
        """One lookahead more.

        Args:
            kept_given_text: for each position a_1, a_2, ..
            tokens: [positions], expected tokens of a round that begins there.
            drafts: [positions], drafter passes of it, the draws' and psi's.
            read: [positions], target ids verified in its pass.
            more: [positions], positions of these drafter passes beyond one each.
        """
        starts = round_starts(kept_given_text)
        self.tokens_anywhere.append(float(numpy.sum(tokens)))
        self.rounds.append(float(starts.sum()))
        self.tokens.append(float((starts * tokens).sum()))
        self.drafts.append(float((starts * drafts).sum()))
        passes: Counter[int] = Counter()
        for candidates, weight in zip(read, starts, strict=True):
            passes[round(candidates) + 1] += float(weight)  # pyright: ignore[reportArgumentType]
        self.passes.append(passes)
        self.more.append(float((starts * more).sum()))

    def as_dict(self) -> dict[str, Any]:
        """For JSON: means over positions, and per round."""
        rounds = self.rounds
        return {
            "positions": self.positions,
            "acceptance": self.acceptance / self.positions,
            "lookaheads": list(self.lookaheads),
            "rounds": rounds,
            "tokens_per_pass": [t / r for t, r in zip(self.tokens, rounds, strict=True)],
            "tokens_per_pass_from_any_position": [t / self.positions for t in self.tokens_anywhere],
            "drafts_per_round": [d / r for d, r in zip(self.drafts, rounds, strict=True)],
            "drafter_positions_per_round": [
                (d + m) / r for d, m, r in zip(self.drafts, self.more, rounds, strict=True)
            ],
            "open": self.open,
            "positions_per_pass": [
                sum(n * weight for n, weight in each.items()) / r
                for each, r in zip(self.passes, rounds, strict=True)
            ],
        }
