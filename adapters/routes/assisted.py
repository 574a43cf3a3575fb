"""Assisted generation with one vocabulary: an assistant model drafts, the target scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import STATIC_CACHE, common

if TYPE_CHECKING:
    from .toys import Toys

_ABC: dict[str, Any] = {"vocabulary": 3, "eos": 2}
_ENDLESS: dict[str, Any] = {"vocabulary": 3, "eos": None}
ENSEMBLE = "assistant_ensemble_weight is documented to give a mixture of both models"


def _case(pair: str, lookahead: int, **keywords: Any) -> Case:
    return Case("assisted", pair, lookahead, **{"toys": _ABC, **keywords})


CASES = (
    *common("assisted", 2, _ABC),
    _case("plain", 1, quick=True),
    _case("no end of sequence", 2, toys=_ENDLESS),
    _case("end of sequence first", 2, toys={"vocabulary": 3, "eos": 0}, prompt=(1, 2)),
    _case("drafter has another end of sequence", 2, toys={**_ABC, "drafter_eos": 0}, quick=True),
    _case("confidence threshold 0.5", 2, drafter={"assistant_confidence_threshold": 0.5}),
    _case("confidence threshold 0.35", 2, drafter={"assistant_confidence_threshold": 0.35}),
    _case(
        "heuristic schedule, twice",
        1,
        drafter={"num_assistant_tokens_schedule": "heuristic"},
        settings={"top_k": 2},
        calls=2,
        horizon=2,
    ),
    _case(
        "heuristic schedule within a call",
        1,
        drafter={"num_assistant_tokens_schedule": "heuristic_transient"},
    ),
    _case(
        "ensemble weight 0.5",
        1,
        assistance={"assistant_ensemble_weight": 0.5},
        relaxed=ENSEMBLE,
        quick=True,
    ),
    _case("greedy", 2, settings={"do_sample": False}),
    _case(
        "greedy, stop criterion",
        2,
        settings={"do_sample": False},
        extras=("stops-at-1",),
        shows=("stop-missed",),
    ),
    _case(
        "drafter with settings of its own",
        2,
        drafter={"temperature": 0.5, "top_k": 2, "repetition_penalty": 1.3},
    ),
    _case(
        "two assistants one after the other",
        1,
        calls=2,
        horizon=2,
        settings={"top_k": 2},
        toys={**_ABC, "second_drafter": True},
    ),
    _case(
        "stop string",
        2,
        toys={"vocabulary": 7, "eos": 6, "spelled": True},
        settings={"stop_strings": ["b"], "top_k": 2},
        shows=("stop-missed", "no-tokenizer-for-the-assistant"),
        quick=True,
    ),
    _case(
        "sliding-window target",
        2,
        toys={"kind": "mistral", "vocabulary": 3, "eos": None},
        prompt=(0, 1, 1),
    ),
    _case("static cache", 2, toys={"kind": "llama", "vocabulary": 3, "eos": 2}, **STATIC_CACHE),
    _case("four tokens", 2, toys={"vocabulary": 4, "eos": 3}),
)


def build(case: Case) -> Toys:
    """An n-gram target and an n-gram drafter over the same ids, or a small real target."""
    from .toys import Toys, drafter_model, ends_of, spelling, target_model

    kind = case.toys.get("kind")
    if kind is None:
        target: Any = target_model(case)
    else:
        from . import small

        target = getattr(small, kind)(case)
    drafters = [drafter_model(case)]
    if case.toys.get("second_drafter"):
        drafters.append(drafter_model(case, seed=3))

    def assistance(call: int) -> dict[str, Any]:
        return {"assistant_model": drafters[call % len(drafters)]}

    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        assistance,
        (target, *drafters),
        again=spelling(case),
    )
