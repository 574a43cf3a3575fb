"""What turns logits into the law that is drawn from: the settings of a request.

Temperature, top-k, top-p, min-p and repetition penalty are applied by the processors of
`transformers` itself, in the order in which ``generate()`` applies them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from .tensors import TensorDistribution

#: The smallest temperature and penalty: float32 ends at about 1e38, and logits are some hundreds.
LEAST = 1e-30


@dataclass(frozen=True)
class Settings:
    """The settings of a request.

    Attributes:
        temperature: 0 takes the likeliest id, the first of several.
        top_k: 0 keeps all.
        top_p: 1 keeps all.
        min_p: 0 keeps all.
        repetition_penalty: 1 changes nothing.

    Raises:
        ValueError: naming the setting that is out of its range.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        for name, allowed, what in (
            (
                "temperature",
                self.temperature == 0 or LEAST <= self.temperature < math.inf,
                f"0, or at least {LEAST:g}: logits divided by less are infinite",
            ),
            ("top_k", self.top_k >= 0, "a whole number, at least 0"),
            ("top_p", 0 < self.top_p <= 1, "above 0 and at most 1"),
            ("min_p", 0 <= self.min_p <= 1, "between 0 and 1"),
            (
                "repetition_penalty",
                LEAST <= self.repetition_penalty <= 1 / LEAST,
                f"between {LEAST:g} and {1 / LEAST:g}",
            ),
        ):
            if not allowed:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be {what}")

    @property
    def looks_back(self) -> bool:
        """Whether the law depends on more than the logits."""
        return self.repetition_penalty != 1

    def law(self, logits: torch.Tensor, ids: torch.Tensor | None = None) -> TensorDistribution:
        """The law of the next id.

        Args:
            logits: [vocabulary], of any float dtype. The law is in float64: normalised in float32,
                a row of 49,152 ids sums to 1 within 3e-5 only, and psi takes rows as they are.
            ids: [length], the ids before, where the settings look back.
        """
        scores = logits if logits.dtype == torch.float64 else logits.float()
        scores = scores[None]
        before = ids[None] if ids is not None else scores.new_zeros((1, 0), dtype=torch.long)
        for processor in self._processors():
            scores = processor(before, scores)
        if self.temperature == 0:
            row = torch.zeros_like(scores[0], dtype=torch.float64)
            # 1, or NaN where the largest logit is no number, so that drawing from it is refused.
            row[scores[0].argmax()] = 1 + 0 * scores[0].max()
            return TensorDistribution(row)
        return TensorDistribution(scores[0].softmax(-1, dtype=torch.float64))

    def _processors(self) -> list[Any]:
        made: list[Any] = []
        if self.looks_back:
            made.append(transformers.RepetitionPenaltyLogitsProcessor(self.repetition_penalty))
        if self.temperature == 0:
            return made
        if self.temperature != 1:
            made.append(transformers.TemperatureLogitsWarper(self.temperature))
        if self.top_k:
            made.append(transformers.TopKLogitsWarper(self.top_k))
        if self.top_p < 1:
            made.append(transformers.TopPLogitsWarper(self.top_p))
        if self.min_p:
            made.append(transformers.MinPLogitsWarper(self.min_p))
        return made
