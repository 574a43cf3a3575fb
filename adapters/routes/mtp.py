"""Drafting layers of the target's own checkpoint: `MTPCandidateGenerator`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import FEWER, QUICKEST, common

if TYPE_CHECKING:
    from .toys import Toys

_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": 2}
_SHOWS = ("raw-logits-for-processed",)
_ENDLESS: dict[str, Any] = {"vocabulary": 3, "eos": None}

#: The checkpoint is read again in every call, so fewer settings are swept.
CASES = (
    Case("mtp", "plain", 1, toys=_ENDLESS, quick=True),
    Case(
        "mtp",
        "temperature 0.7",
        1,
        toys=_ENDLESS,
        settings={"temperature": 0.7},
        shows=_SHOWS,
        quick=True,
    ),
    Case("mtp", "top-k 2", 1, toys=_ENDLESS, settings={"top_k": 2}, shows=_SHOWS),
    *common("mtp", 2, _TOYS, only=FEWER, quick=QUICKEST, shows=(*_SHOWS, "states-run-short")),
    Case("mtp", "greedy", 2, toys=_TOYS, settings={"do_sample": False}, horizon=6),
)


def build(case: Case) -> Toys:
    """A small model with drafting layers, saved and loaded as a user would have it."""
    from .mtp_models import mtp_model
    from .toys import Toys, ends_of, generator_class

    generator_class("MTPCandidateGenerator")
    target = mtp_model(case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"use_mtp": True},
        (target,),
    )
