"""Early exit: the target drafts for itself with its first layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import FEWER, QUICKEST, STATIC_CACHE, common

if TYPE_CHECKING:
    from .toys import Toys

_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": 2}

CASES = (
    Case("early-exit", "plain", 1, toys=_TOYS, quick=True),
    *common("early-exit", 2, _TOYS, only=FEWER, quick=QUICKEST),
    Case("early-exit", "static cache", 2, toys=_TOYS, **STATIC_CACHE),
    Case("early-exit", "greedy", 2, toys=_TOYS, settings={"do_sample": False}, horizon=6),
)


def build(case: Case) -> Toys:
    """A small Llama of two layers that exits after the first."""
    from .small import llama
    from .toys import Toys, drafting, ends_of, generator_class

    generator_class("EarlyExitCandidateGenerator")
    target = llama(case)
    drafting(target, case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"assistant_early_exit": 1},
        (target,),
    )
