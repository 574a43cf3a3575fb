"""Two tokenizers and sampling: the drafter's tokens are mapped to the target's by spelling.

From 4.50 on the drafter's head is cut down to the shared tokens; before, drafts went by text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .common import common

if TYPE_CHECKING:
    from .toys import Toys

EOS = "</s>"
_TARGET = ("a", "b", EOS)
#: Shares everything with the target, at other ids, and has tokens of its own.
_SUPERSET = ("b", "x", EOS, "a")
_ORDER = ("vocabulary-order",)
_ALL_SHARED = ("all-shared",)


def _toys(target: tuple[str, ...], drafter: tuple[str, ...], **more: Any) -> dict[str, Any]:
    eos = target.index(EOS) if EOS in target else None
    return {
        "target": target,
        "drafter": drafter,
        "vocabulary": len(target),
        "eos": eos,
        "drafter_eos": drafter.index(EOS) if EOS in drafter else None,
        **more,
    }


def _case(pair: str, lookahead: int, toys: dict[str, Any], **keywords: Any) -> Case:
    return Case("two-tokenizers", pair, lookahead, toys=toys, **keywords)


SUPERSET = _toys(_TARGET, _SUPERSET)
#: The drafter cannot spell every token of the target, and has one of its own.
OTHER = _toys(("a", "b", "c", EOS), ("b", "x", EOS, "a", "y"))
SUBSET = _toys(("a", "b", "c", EOS), ("b", EOS, "a"))
PIECES = _toys(("a", "b", "ab", EOS), ("b", "ba", EOS, "a", "y"))

CASES = (
    *common("two-tokenizers", 1, SUPERSET),
    _case(
        "listed in another order",
        1,
        _toys(_TARGET, _SUPERSET, listing=("a", "b", EOS)),
        shows=_ORDER,
        quick=True,
    ),
    _case("drafter's tokens all shared", 1, SUBSET, shows=_ALL_SHARED, quick=True),
    _case("drafter cannot spell every token", 1, OTHER, quick=True),
    _case(
        "bad word, drafter cannot spell every token",
        1,
        OTHER,
        settings={"bad_words_ids": [[1]], "top_k": 3},
        shows=("sizes-differ",),
        quick=True,
    ),
    _case(
        "sequence bias, drafter cannot spell every token",
        1,
        OTHER,
        settings={"sequence_bias": [[[1], 1.0]], "top_k": 3},
        shows=("sizes-differ",),
    ),
    _case(
        "repetition penalty, drafter cannot spell every token",
        1,
        OTHER,
        settings={"repetition_penalty": 1.5, "top_k": 3},
    ),
    _case(
        "no repeated bigram, drafter cannot spell every token",
        1,
        OTHER,
        settings={"no_repeat_ngram_size": 2, "top_k": 3},
    ),
    _case(
        "suppressed token, drafter cannot spell every token",
        1,
        OTHER,
        settings={"suppress_tokens": [2], "top_k": 3},
    ),
    _case("token drafted in pieces", 1, PIECES, settings={"top_k": 3}),
    _case("plain", 2, SUPERSET, quick=True),
    _case(
        "top-k 2, listed in another order",
        2,
        _toys(_TARGET, _SUPERSET, listing=("a", "b", EOS)),
        settings={"top_k": 2},
        shows=_ORDER,
    ),
    _case("no end of sequence shared", 2, _toys(("a", "b", EOS), ("b", "x", "y", "a"))),
    _case(
        "end of sequence is another id that is drafted",
        2,
        _toys((EOS, "a", "b"), ("a", "b", EOS, "x")),
    ),
    _case(
        "two assistants one after the other",
        1,
        {**SUPERSET, "second_drafter": True},
        calls=2,
        horizon=2,
        settings={"top_k": 2},
        shows=("second-assistant",),
        quick=True,
    ),
    _case("prompt that the drafter cannot spell", 1, OTHER, prompt=(2, 2)),
    _case("ids of the model beyond the tokenizer's", 1, {**SUPERSET, "padding": 2}),
    _case("confidence threshold 0.5", 2, SUPERSET, drafter={"assistant_confidence_threshold": 0.5}),
)


def build(case: Case) -> Toys:
    """Two n-gram models with a tokenizer each."""
    from ...toymodels.huggingface.tokenizers import toy_tokenizer
    from .toys import Toys, drafter_model, ends_of, target_model

    target = target_model(case)
    size = len(case.toys["drafter"]) + case.toys.get("padding", 0)
    seeds = (2, 3) if case.toys.get("second_drafter") else (2,)
    drafters = [drafter_model(case, size, seed) for seed in seeds]
    tokenizer = toy_tokenizer(case.toys["target"])
    assistant_tokenizer = toy_tokenizer(case.toys["drafter"], case.toys.get("listing", ()))

    def assistance(call: int) -> dict[str, Any]:
        return {
            "assistant_model": drafters[call % len(drafters)],
            "tokenizer": tokenizer,
            "assistant_tokenizer": assistant_tokenizer,
        }

    return Toys(
        target,
        case.toys["vocabulary"],
        ends_of(case),
        assistance,
        (target, *drafters),
        tokenizers=(tokenizer, assistant_tokenizer),
    )
