"""TLI on fewer and fewer shared tokens beside SLEM: acceptance, tokens for each pass, speedup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .costs import Costs
from .figures import Figures
from .intervals import Estimate, estimate
from .predictions import (
    Prediction,
    acceptance,
    best_of,
    predicted,
    speedup,
    tokens_per_pass,
)
from .shrinking import crossing


@dataclass
class Curve:
    """One figure: TLI's for each fraction, SLEM's for all, and the share at which they are equal.

    The crossing is None where they never are.
    """

    tli: list[Estimate]
    slem: Estimate
    crossing: Estimate | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "tli": [each.as_dict() for each in self.tli],
            "slem": self.slem.as_dict(),
            "crossing": None if self.crossing is None else self.crossing.as_dict(),
        }


@dataclass
class Shrunk:
    """One drafter.

    Attributes:
        fractions, sizes: shares of the intersection that are kept, falling, and their tokens.
        acceptance: of the first candidate, with one draft.
        tokens: for each target pass, at the lookahead that gives most.
        speedup: predicted, at the lookahead that gives most. Its crossing is None unless SLEM's is
            above 1: TLI without tokens is plain decoding, which a loss never beats.
    """

    fractions: tuple[float, ...]
    sizes: tuple[int, ...]
    acceptance: Curve
    tokens: Curve
    speedup: Curve

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "fractions": list(self.fractions),
            "tokens": list(self.sizes),
            "acceptance": self.acceptance.as_dict(),
            "tokens_per_pass": self.tokens.as_dict(),
            "predicted_speedup": self.speedup.as_dict(),
        }


def shrunk(
    fractions: tuple[float, ...],
    sizes: tuple[int, ...],
    subsets: Sequence[Sequence[Figures]],
    slem: Sequence[Figures],
    drafter: int,
    costs: Costs,
) -> Shrunk:
    """The curves and where they cross.

    Args:
        fractions, sizes: of the subsets.
        subsets: for each prompt TLI's figures with each subset.
        slem: for each prompt SLEM's.
        drafter: its place in ``costs``.
        costs: of passes.
    """
    columns = list(zip(*subsets, strict=True))
    places = range(len(slem[0].lookaheads))
    # Over one vocabulary TLI with everything is the standard rule, and only that was timed.
    tli = "tli" if (drafter, "tli") in costs.outside else "standard"

    def made(algorithm: str, figures: Sequence[Figures]) -> list[Prediction]:
        return [predicted(drafter, algorithm, figures, place, costs) for place in places]

    def curve(
        shown: Callable[[str, Sequence[Figures]], Estimate],
        value: Callable[[str, Sequence[Figures]], float],
    ) -> Curve:
        def where(some: Sequence[int]) -> float | None:
            return crossing(
                fractions,
                [value(tli, [column[g] for g in some]) for column in columns],
                value("slem", [slem[g] for g in some]),
            )

        found = estimate(where, range(len(slem)))
        return Curve(
            [shown(tli, column) for column in columns],
            shown("slem", slem),
            None if found is None else found.within(0, 1),
        )

    accepted = curve(
        lambda _, figures: acceptance(figures),
        lambda _, figures: sum(f.acceptance for f in figures) / sum(f.positions for f in figures),
    )
    tokens = curve(
        lambda name, figures: max(
            (each.tokens_per_pass for each in made(name, figures)), key=lambda each: each.value
        ),
        lambda _, figures: max(tokens_per_pass(figures, place) for place in places),
    )
    gain = curve(
        lambda name, figures: best_of(made(name, figures)).speedup,
        lambda name, figures: max(speedup(drafter, name, figures, k, costs) for k in places),
    )
    if gain.slem.value <= 1:
        gain.crossing = None
    return Shrunk(fractions, sizes, accepted, tokens, gain)
