"""The conclusion: which drafter, algorithm and lookahead, or none, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .costs import Costs
from .intervals import Estimate
from .predictions import Prediction, best_of


@dataclass(frozen=True)
class Recommendation:
    """What to use.

    Attributes:
        verdict: "use", "unclear" (a gain is predicted, but its interval holds 1 or is missing) or
            "none" (no gain is predicted).
        best: the largest predicted speedup.
        text: the verdict and its reason, one or two sentences.
    """

    verdict: str
    best: Prediction
    text: str

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """For JSON; drafter, algorithm and lookahead are null where none pays."""
        used = self.verdict != "none"
        return {
            "verdict": self.verdict,
            "drafter": names[self.best.drafter] if used else None,
            "algorithm": self.best.algorithm if used else "autoregressive",
            "lookahead": self.best.lookahead if used else None,
            "best": self.best.as_dict(names),
            "text": self.text,
        }


def recommended(made: Sequence[Prediction], costs: Costs, names: Sequence[str]) -> Recommendation:
    """The verdict on all predictions.

    Args:
        made: at least one. costs: what they were made with. names: of the drafters.
    """
    best = best_of(made)
    which = called(best, names)
    why = reason(best, costs)
    gain = said(best.speedup)
    if best.speedup.value <= 1:
        text = f"no algorithm pays here: {why}; the best is {which}, predicted speedup {gain}."
        return Recommendation("none", best, text)
    if best.speedup.low is None or best.speedup.low <= 1:
        text = (
            f"perhaps {which}: predicted speedup {gain}, which these prompts do not set apart "
            f"from 1. {why[0].upper()}{why[1:]}."
        )
        return Recommendation("unclear", best, text)
    text = f"{which}: predicted speedup {gain}. {why[0].upper()}{why[1:]}."
    return Recommendation("use", best, text)


def called(best: Prediction, names: Sequence[str]) -> str:
    """Algorithm, drafter and lookahead; a stop rule says itself when drafting ends."""
    which = f"{best.algorithm} with {names[best.drafter]}"
    return which if ":" in best.algorithm else f"{which} and lookahead {best.lookahead}"


def reason(best: Prediction, costs: Costs) -> str:
    """The arithmetic in words, all costs in passes over one position."""
    one = costs.target_pass(1)
    size = max(1, round(best.verified))
    draft = costs.drafters[best.drafter].median / one
    return (
        f"a pass over {size} positions costs {costs.target_pass(size) / one:.2f} times one over 1 "
        f"and a drafter pass {draft:.2f}, so more than {best.needed:.2f} tokens a round are "
        f"needed, and {best.tokens_per_pass.value:.2f} are expected"
    )


def said(number: Estimate, digits: int = 2) -> str:
    """``1.41 [1.30, 1.52]``, or the number alone."""
    if number.low is None or number.high is None:
        return f"{number.value:.{digits}f}"
    return f"{number.value:.{digits}f} [{number.low:.{digits}f}, {number.high:.{digits}f}]"
