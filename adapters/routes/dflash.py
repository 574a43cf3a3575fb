"""A block drafter that fills a window in one pass: `DFlashTokenCandidateGenerator`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import FEWER, common

if TYPE_CHECKING:
    from .toys import Toys

_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": 2}
_SHOWS = ("raw-logits-for-processed",)


_ENDLESS: dict[str, Any] = {"vocabulary": 3, "eos": None}

CASES = (
    Case("dflash", "plain", 1, toys=_ENDLESS, quick=True),
    Case(
        "dflash",
        "temperature 0.7",
        1,
        toys=_ENDLESS,
        settings={"temperature": 0.7},
        shows=_SHOWS,
        quick=True,
    ),
    Case("dflash", "top-k 2", 1, toys=_ENDLESS, settings={"top_k": 2}, shows=_SHOWS, quick=True),
    *common(
        "dflash", 2, _TOYS, only=(*FEWER, "guidance", "watermark with a history"), shows=_SHOWS
    ),
    Case("dflash", "greedy", 2, toys=_TOYS, settings={"do_sample": False}, horizon=6),
)


def build(case: Case) -> Toys:
    """An n-gram target that shows its states, and a drafter that reads the last token."""
    from .block_models import DFlashAssistantToy, StatesToyLM, assistant_toy
    from .toys import Toys, ends_of, generator_class, target_model

    generator_class("DFlashTokenCandidateGenerator")
    target = target_model(case, StatesToyLM)
    drafter = assistant_toy(DFlashAssistantToy, case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"assistant_model": drafter, "speculation_type": "dflash"},
        (target, drafter),
    )
