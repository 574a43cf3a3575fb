"""What a comparison is asked for, and what it found: `as_dict` gives the JSON report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .checking import Check
from .costs import Costs
from .figures import Figures
from .intervals import LEVEL, remark
from .predictions import Prediction, acceptance
from .recommendation import Recommendation
from .shrunk import Shrunk

SCHEMA = "draftproof/compare/1"


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        positions: visited contexts of each prompt, at most.
        most: the largest lookahead.
        repeats: of each timed pass.
        seed: of texts, drafts, subsets and the order of timings.
        shrink: whether shared tokens are taken away.
        check: whether the recommendation is run for real.
        rules: slugs of stop rules for SLRS.
    """

    positions: int = 32
    most: int = 8
    repeats: int = 9
    seed: int = 0
    shrink: bool = False
    check: bool = False
    rules: tuple[str, ...] = ()


@dataclass
class Comparison:
    """All that was found; see `as_dict` for what goes into JSON."""

    target: str
    drafters: list[str]
    pairs: list[dict[str, Any]]
    plan: Plan
    prompts: list[dict[str, Any]]
    measured: dict[tuple[int, str], list[Figures]]
    costs: Costs
    predictions: list[Prediction]
    recommendation: Recommendation
    shrunk: dict[int, Shrunk] = field(default_factory=dict)
    check: Check | None = None
    remarks: list[str] = field(default_factory=list)

    def of(self, drafter: int, algorithm: str) -> list[Prediction]:
        """Predictions of one drafter and algorithm, by lookahead."""
        return [p for p in self.predictions if (p.drafter, p.algorithm) == (drafter, algorithm)]

    def as_dict(self) -> dict[str, Any]:
        """The JSON report."""
        return {
            "schema": SCHEMA,
            "target": self.target,
            "drafters": [
                {"name": name, **pair} for name, pair in zip(self.drafters, self.pairs, strict=True)
            ],
            "seed": self.plan.seed,
            "level": LEVEL,
            "intervals": remark(len(self.prompts)),
            "rules": list(self.plan.rules),
            "remarks": self.remarks,
            "prompts": self.prompts,
            "costs": self.costs.as_dict(self.drafters),
            "acceptance": [
                {
                    "drafter": self.drafters[drafter],
                    "algorithm": algorithm,
                    "acceptance": acceptance(figures).as_dict(),
                    "prompts": [each.as_dict() for each in figures],
                }
                for (drafter, algorithm), figures in self.measured.items()
            ],
            "predictions": [each.as_dict(self.drafters) for each in self.predictions],
            "shrink": [
                {"drafter": self.drafters[drafter], **each.as_dict()}
                for drafter, each in self.shrunk.items()
            ],
            "recommendation": self.recommendation.as_dict(self.drafters),
            "check": None if self.check is None else self.check.as_dict(),
        }
