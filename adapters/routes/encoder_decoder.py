"""An encoder-decoder with an encoder-decoder as its assistant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import FEWER, QUICKEST, common

if TYPE_CHECKING:
    from .toys import Toys

_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": 2}

CASES = (
    Case("encoder-decoder", "plain", 1, toys=_TOYS, quick=True),
    *common("encoder-decoder", 2, _TOYS, only=FEWER, quick=QUICKEST),
    Case("encoder-decoder", "greedy", 2, toys=_TOYS, settings={"do_sample": False}, horizon=6),
)


def build(case: Case) -> Toys:
    """Two small T5s."""
    from .small import t5
    from .toys import Toys, drafting, ends_of

    target, drafter = t5(case, 1), t5(case, 2)
    drafting(drafter, case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"assistant_model": drafter},
        (target, drafter),
        skipped=1,
    )
