"""Two tokenizers and greedy decoding: drafts are decoded to text and read again by the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .case import Case
from .two_tokenizers import OTHER, PIECES, SUBSET, SUPERSET
from .two_tokenizers import build as _build

if TYPE_CHECKING:
    from .toys import Toys


def _case(pair: str, toys: dict[str, Any], lookahead: int = 2, **keywords: Any) -> Case:
    settings = {"do_sample": False, "top_k": None, **keywords.pop("settings", {})}
    return Case(
        "two-tokenizers-text",
        pair,
        lookahead,
        toys=toys,
        settings=settings,
        **{"horizon": 8, **keywords},
    )


CASES = (
    _case("drafter knows more tokens", SUPERSET, quick=True),
    _case("drafter's tokens all shared", SUBSET),
    _case("drafter cannot spell every token", OTHER),
    _case("token drafted in pieces", PIECES, quick=True),
    _case("token drafted in pieces", PIECES, 3, prompt=(1, 0, 1), horizon=16),
    _case("repetition penalty", SUPERSET, settings={"repetition_penalty": 1.5}),
    _case("no repeated bigram", SUPERSET, settings={"no_repeat_ngram_size": 2}),
    _case(
        "bad word", SUPERSET, settings={"bad_words_ids": [[1]]}, shows=("sizes-differ",), quick=True
    ),
    _case("minimum of new tokens", SUPERSET, settings={"min_new_tokens": 4}),
    _case("suppressed token", SUPERSET, settings={"suppress_tokens": [2]}),
    _case("stop criterion", SUPERSET, extras=("stops-at-1",), shows=("stop-missed",)),
    _case(
        "stateful processor", SUPERSET, extras=("counts-its-calls",), shows=("state-of-processors",)
    ),
    _case("prompt ends in an end of sequence", SUPERSET, prompt=(0, 2)),
    _case("prompt of one token", SUPERSET, prompt=(1,)),
    _case("prompt that the drafter cannot spell", OTHER, prompt=(2, 2)),
    _case("same objects twice", SUPERSET, calls=2),
    _case("two assistants one after the other", {**SUPERSET, "second_drafter": True}, calls=2),
)


def build(case: Case) -> Toys:
    """As for sampling with two tokenizers."""
    return _build(case)
