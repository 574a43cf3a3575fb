"""Tokens and seconds together: the speedup over plain decoding that is to be expected.

A run of many rounds takes, for each round, a target pass over its candidates and one position more,
and a drafter pass for each draft; plain decoding takes a target pass over one position for each
token. psi takes drafter passes too, which are counted on real rounds. All take time outside passes.
So

    speedup = (tokens / seconds of rounds) * seconds of a token of plain decoding,

tokens and rounds counted where rounds begin (`starts`). Reading the prompt is left out: it costs
both the same. So is what a drafter pays for catching up with what was just emitted, since its first
pass of a round reads more than one position; `--check` measures everything.

Intervals say how prompts vary. They take the measured costs as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .costs import Costs
from .figures import Figures
from .intervals import Estimate, estimate

#: Figures by (drafter's place, algorithm), one for each prompt.
Measured = Mapping[tuple[int, str], Sequence[Figures]]


@dataclass(frozen=True)
class Prediction:
    """One drafter, algorithm and lookahead.

    Attributes:
        drafter: its place. algorithm, lookahead: as they are called.
        tokens_per_pass: tokens for each target pass of a run.
        from_any_position: expected tokens of a round, averaged over all positions.
        speedup: over plain decoding.
        needed: tokens for each target pass at which the speedup would be 1.
        drafts: drafter passes for each round, psi's included.
        verified: positions of a target pass, on average.
    """

    drafter: int
    algorithm: str
    lookahead: int
    tokens_per_pass: Estimate
    from_any_position: Estimate
    speedup: Estimate
    needed: float
    drafts: float
    verified: float

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """For JSON."""
        return {
            "drafter": names[self.drafter],
            "algorithm": self.algorithm,
            "lookahead": self.lookahead,
            "tokens_per_pass": self.tokens_per_pass.as_dict(),
            "tokens_per_pass_from_any_position": self.from_any_position.as_dict(),
            "predicted_speedup": self.speedup.as_dict(),
            "tokens_needed": self.needed,
            "drafts_per_round": self.drafts,
            "positions_per_target_pass": self.verified,
        }


def predictions(measured: Measured, costs: Costs) -> list[Prediction]:
    """Every drafter, algorithm and lookahead, in the order of ``measured``."""
    return [
        predicted(drafter, algorithm, figures, place, costs)
        for (drafter, algorithm), figures in measured.items()
        for place in range(len(figures[0].lookaheads))
    ]


def predicted(
    drafter: int, algorithm: str, figures: Sequence[Figures], place: int, costs: Costs
) -> Prediction:
    """One of them; ``place`` is the lookahead's in `Figures.lookaheads`."""
    plain = costs.target_pass(1) * (1 + costs.share(None, "autoregressive"))
    parts = [_part(drafter, algorithm, each, place, costs) for each in figures]
    rounds = sum(part.rounds for part in parts)
    verified = sum(size * n for each in figures for size, n in each.passes[place].items())
    return Prediction(
        drafter,
        algorithm,
        figures[0].lookaheads[place],
        sure(estimate(_tokens_per_pass, parts)).within(1),
        sure(estimate(_from_any_position, parts)).within(1),
        sure(estimate(lambda some: plain * _tokens_per_second(some), parts)).within(0),
        sum(part.seconds for part in parts) / rounds / plain,
        sum(each.drafts[place] for each in figures) / rounds,
        verified / rounds,
    )


def tokens_per_pass(figures: Sequence[Figures], place: int) -> float:
    """The number of `Prediction.tokens_per_pass` alone."""
    return sum(f.tokens[place] for f in figures) / sum(f.rounds[place] for f in figures)


def speedup(
    drafter: int, algorithm: str, figures: Sequence[Figures], place: int, costs: Costs
) -> float:
    """The number of `Prediction.speedup` alone."""
    plain = costs.target_pass(1) * (1 + costs.share(None, "autoregressive"))
    parts = [_part(drafter, algorithm, each, place, costs) for each in figures]
    return plain * _tokens_per_second(parts)


@dataclass(frozen=True)
class _Part:
    """What one prompt contributes."""

    tokens: float
    rounds: float
    seconds: float
    anywhere: float
    positions: int


def _part(drafter: int, algorithm: str, figures: Figures, place: int, costs: Costs) -> _Part:
    more = figures.more[place] if figures.more else 0.0
    inside = costs.round(drafter, figures.drafts[place], figures.passes[place], more)
    return _Part(
        figures.tokens[place],
        figures.rounds[place],
        inside * (1 + costs.share(drafter, algorithm)),
        figures.tokens_anywhere[place],
        figures.positions,
    )


def _tokens_per_pass(some: Sequence[_Part]) -> float:
    return sum(part.tokens for part in some) / sum(part.rounds for part in some)


def _tokens_per_second(some: Sequence[_Part]) -> float:
    return sum(part.tokens for part in some) / sum(part.seconds for part in some)


def _from_any_position(some: Sequence[_Part]) -> float:
    return sum(part.anywhere for part in some) / sum(part.positions for part in some)


def acceptance(figures: Sequence[Figures]) -> Estimate:
    """The exact acceptance of the first candidate, averaged over positions."""
    return sure(
        estimate(
            lambda some: sum(f.acceptance for f in some) / sum(f.positions for f in some), figures
        )
    ).within(0, 1)


def sure(found: Estimate | None) -> Estimate:
    """An estimate that is always there."""
    assert found is not None
    return found


def best_of(made: Sequence[Prediction]) -> Prediction:
    """The largest predicted speedup; of equal ones the first, and the smallest lookahead."""
    return max(made, key=lambda each: each.speedup.value)
