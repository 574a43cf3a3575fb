"""Settings of `generate()` that every route is tried under.

Ids are those of toys with three tokens or more, of which 2 may end a sequence. Each entry is the
keywords of a `Case`: what is drawn from, what is forbidden, what is remembered between tokens, and
what ends the sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .case import Case

STOPS = ("stop-missed",)
STATE = ("state-of-processors",)
#: Toys that read a cache of fixed size wrongly leave this to real architectures.
STATIC_CACHE: dict[str, Any] = {"settings": {"cache_implementation": "static"}}

#: Name of the setting, and the keywords of `Case` that make it.
COMMON: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "temperature 0.7": {"settings": {"temperature": 0.7}},
    "top-k 2": {"settings": {"top_k": 2}},
    "top-p 0.8": {"settings": {"top_p": 0.8}},
    "min-p 0.3": {"settings": {"min_p": 0.3}},
    "typical-p 0.8": {"settings": {"typical_p": 0.8}},
    "epsilon cutoff": {"settings": {"epsilon_cutoff": 0.2}},
    "eta cutoff": {"settings": {"eta_cutoff": 0.2}},
    "repetition penalty": {"settings": {"repetition_penalty": 1.5}},
    "no repeated bigram": {"settings": {"no_repeat_ngram_size": 2}},
    "bad word": {"settings": {"bad_words_ids": [[1]]}},
    "bad words of two tokens": {"settings": {"bad_words_ids": [[0, 1], [1, 1]]}},
    "sequence bias": {"settings": {"sequence_bias": [[[1], 1.0], [[0, 0], -1.0]]}},
    "minimum length": {"settings": {"min_length": 4}},
    "minimum of new tokens": {"settings": {"min_new_tokens": 2}},
    "suppressed token": {"settings": {"suppress_tokens": [1]}},
    "token suppressed at the start": {"settings": {"begin_suppress_tokens": [1]}},
    "forced end": {"settings": {"forced_eos_token_id": 2}},
    "length penalty from the second token": {
        "settings": {"exponential_decay_length_penalty": (1, 1.5)}
    },
    "temperature, top-k and top-p": {
        "settings": {"temperature": 0.7, "top_k": 2, "top_p": 0.9, "renormalize_logits": True}
    },
    "two ends of sequence": {"settings": {"eos_token_id": [1, 2], "pad_token_id": 2}},
    "prompt ends in an end of sequence": {"prompt": (0, 2)},
    "prompt of one token": {"prompt": (1,)},
    "allowed tokens by prefix": {"extras": ("allowed-by-prefix",)},
    "stateful processor": {"extras": ("counts-its-calls",), "shows": STATE},
    "guidance": {"settings": {"guidance_scale": 2.0}, "shows": ("state-of-guidance",)},
    "watermark": {"extras": ("watermark",), "horizon": 2},
    "watermark with a history": {
        "extras": ("watermark-with-history",),
        "shows": ("state-of-watermark",),
    },
    "stop criterion": {"extras": ("stops-at-1",), "shows": STOPS},
    "same objects twice": {"calls": 2, "horizon": 2, "settings": {"top_k": 2}},
    "return dictionary": {"settings": {"return_dict_in_generate": True, "output_scores": True}},
}


#: The settings that tell most.
QUICK = (
    "plain",
    "temperature 0.7",
    "top-k 2",
    "top-p 0.8",
    "two ends of sequence",
    "prompt ends in an end of sequence",
    "stateful processor",
    "guidance",
    "watermark with a history",
    "stop criterion",
)
#: Of these, the ones left for routes on which a path costs more.
QUICKEST = ("plain", "prompt ends in an end of sequence", "stop criterion")

#: The settings swept, for routes on which a path costs more.
FEWER = (
    "plain",
    "temperature 0.7",
    "top-k 2",
    "top-p 0.8",
    "repetition penalty",
    "bad word",
    "minimum length",
    "two ends of sequence",
    "prompt ends in an end of sequence",
    "prompt of one token",
    "stateful processor",
    "stop criterion",
    "same objects twice",
)


def common(
    route: str,
    lookahead: int,
    toys: Mapping[str, Any],
    *,
    only: Iterable[str] = COMMON,
    shows: tuple[str, ...] = (),
    quick: Iterable[str] = QUICK,
) -> tuple[Case, ...]:
    """A case of ``route`` for every common setting, or for ``only`` some.

    ``shows`` names mechanisms of the route, put in front of those of the settings; ``quick`` the
    settings that are in the quick selection.
    """
    chosen, quickly = set(only), set(quick)
    cases = (
        Case(route, name, lookahead, toys=toys, quick=name in quickly, **keywords)
        for name, keywords in COMMON.items()
        if name in chosen
    )
    return tuple(replace(case, shows=(*shows, *case.shows)) for case in cases)
