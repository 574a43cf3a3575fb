"""Prompt lookup: what followed the last tokens when they occurred before is the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import common

if TYPE_CHECKING:
    from .toys import Toys

#: The last token has occurred, so that something is found from the first round on.
_TOYS: dict[str, Any] = {"vocabulary": 3, "eos": 2}
_PROMPT = (0, 1, 1, 0)

CASES = (
    *(
        case if case.prompt != (0, 1) else Case(**{**vars(case), "prompt": _PROMPT})
        for case in common("prompt-lookup", 2, _TOYS)
    ),
    Case(
        "prompt-lookup",
        "no end of sequence",
        2,
        prompt=_PROMPT,
        toys={"vocabulary": 3, "eos": None},
    ),
    Case(
        "prompt-lookup",
        "end of sequence in the prompt",
        2,
        prompt=(0, 2, 1, 0),
        toys=_TOYS,
        quick=True,
    ),
    Case("prompt-lookup", "prompt of two ends of sequence", 2, prompt=(1, 2, 2), toys=_TOYS),
    Case(
        "prompt-lookup",
        "draft longer than what is asked for",
        3,
        prompt=(0, 1, 1, 1, 0),
        horizon=2,
        toys=_TOYS,
    ),
    Case(
        "prompt-lookup",
        "stop string",
        2,
        prompt=_PROMPT,
        toys={"vocabulary": 7, "eos": 6, "spelled": True},
        shows=("stop-missed",),
        settings={"stop_strings": ["b"], "top_k": 2},
    ),
    Case(
        "prompt-lookup",
        "greedy",
        2,
        prompt=_PROMPT,
        settings={"do_sample": False},
        toys=_TOYS,
        horizon=6,
    ),
)


def build(case: Case) -> Toys:
    """One n-gram target."""
    from .toys import Toys, ends_of, spelling, target_model

    target = target_model(case)
    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        lambda _: {"prompt_lookup_num_tokens": case.lookahead},
        (target,),
        again=spelling(case),
    )
