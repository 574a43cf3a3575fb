"""What rounding does to a real-size run: the forward pass, and the sampler, each by itself.

A verification computes K + 1 rows in one pass, plain decoding one row a pass. In exact arithmetic
both give the same logits; in floating point matrix products of other shapes add in another order.
`forward_difference` measures that. `sampler_difference` takes one row of logits and measures what
the adapter makes of it against a softmax in float64. A greedy run may differ from plain greedy only
where the two likeliest ids lie within the forward's difference (`first_difference`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ...reference.models import Ids


@dataclass(frozen=True)
class ForwardDifference:
    """Logits of the same positions from one pass over many rows and from one pass each.

    Attributes:
        positions: how many were compared.
        logit: the largest absolute difference of a logit.
        total_variation: the largest total variation between the two laws of a position.
        argmax: at how many positions the likeliest id differs.
    """

    positions: int
    logit: float
    total_variation: float
    argmax: int


def forward_difference(model: Any, ids: Ids, rows: int) -> ForwardDifference:
    """Compare one pass over the last ``rows`` positions of ``ids`` with ``rows`` passes of one row.

    Args:
        model: a `CausalModel`; what it holds in its cache is forgotten.
        ids: at least ``rows`` + 1 ids.
        rows: positions to compare.
    """
    first = len(ids) - rows
    model.forget()
    model.logits(ids[: first + 1], 1)
    together = model.logits(ids, rows)
    model.forget()
    apart = torch.cat([model.logits(ids[: first + j + 1], 1) for j in range(rows)])
    return differences(together, apart)


def differences(one: torch.Tensor, two: torch.Tensor) -> ForwardDifference:
    """Compare logits [positions, vocabulary] with others for the same positions."""
    laws = [each.double().softmax(-1) for each in (one, two.to(one.device))]
    return ForwardDifference(
        len(one),
        float((one.double() - two.to(one.device).double()).abs().max()),
        float((laws[0] - laws[1]).abs().sum(-1).max() / 2),
        int((one.argmax(-1) != two.to(one.device).argmax(-1)).sum()),
    )


def sampler_difference(model: Any, logits: torch.Tensor, ids: Ids) -> float:
    """Total variation between the adapter's law and the same settings' softmax in float64.

    Args:
        model: a `CausalModel`, for its settings.
        logits: [vocabulary], one row.
        ids: those before it, for settings that look back.
    """
    before = torch.tensor(ids, device=logits.device)
    found = model.settings.law(logits, before).row.double()
    due = model.settings.law(logits.double(), before).row
    return float((found - due).abs().sum() / 2)


@dataclass(frozen=True)
class GreedyDifference:
    """Where a greedy run first differs from plain greedy.

    Attributes:
        place: index among the new ids.
        gap: how far apart the logits of the two ids are there, in a pass of one row.
    """

    place: int
    gap: float


def first_difference(model: Any, prompt: Ids, found: Ids, plain: Ids) -> GreedyDifference | None:
    """The first place at which two greedy continuations differ; None where they agree."""
    for place, (one, two) in enumerate(zip(found, plain, strict=False)):
        if one != two:
            row = model.logits(prompt + plain[:place], 1)[0]
            return GreedyDifference(place, float((row[one] - row[two]).abs()))
    return None
