"""A block drafter that works from one position: `SinglePositionMultiTokenCandidateGenerator`.

The library takes it for assistants whose class is named ``Gemma4Assistant...``, with targets named
``Gemma4...``; the toys here bear such names and give what it asks of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import FEWER, QUICKEST, common

if TYPE_CHECKING:
    from .toys import Toys

_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": None}
_SHOWS = ("argmax-scored-as-drawn",)


CASES = (
    Case("single-position", "plain", 1, toys=_TOYS, shows=_SHOWS, quick=True),
    *common(
        "single-position", 2, {"vocabulary": 3, "eos": 2}, only=FEWER, quick=QUICKEST, shows=_SHOWS
    ),
    Case(
        "single-position",
        "greedy",
        2,
        toys={"vocabulary": 3, "eos": 2},
        settings={"do_sample": False},
        horizon=6,
    ),
)


def build(case: Case) -> Toys:
    """An n-gram target that shows its states, and a drafter that reads the last token."""
    from .block_models import Gemma4AssistantToy, Gemma4ToyLM, assistant_toy
    from .toys import Toys, drafting, ends_of, generator_class, target_model

    generator_class("SinglePositionMultiTokenCandidateGenerator")
    target = target_model(case, Gemma4ToyLM)
    drafter = assistant_toy(Gemma4AssistantToy, case)
    drafting(drafter, case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"assistant_model": drafter},
        (target, drafter),
    )
