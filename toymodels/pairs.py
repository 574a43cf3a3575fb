"""A pair with a name, a prompt and one line on what it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..reference.models import Ids
from ..reference.pair import Pair, PairError
from .models import NgramModel


@dataclass(frozen=True, eq=False, repr=False)
class GalleryPair:
    """A named pair to run the algorithms on.

    Attributes:
        name: the name it is asked for by.
        shows: one line on what can be seen with it.
        pair: the two models with their tokenizers.
        prompt: target ids to start from, at least one.

    Raises:
        PairError: for an empty prompt, or one with an id the target does not have.
    """

    name: str
    shows: str
    pair: Pair
    prompt: Ids

    def __post_init__(self) -> None:
        if not self.prompt:
            raise PairError(f"pair {self.name!r}: the prompt is empty; it needs at least one id")
        for token in self.prompt:
            if not 0 <= token < self.pair.target.size:
                raise PairError(
                    f"pair {self.name!r}: id {token} of the prompt is outside "
                    f"0 .. {self.pair.target.size - 1}"
                )

    def describe(self) -> dict[str, Any]:
        """All that is needed to build the pair again by hand, fit for JSON.

        Laws are "n/d" by id, after contexts written as ids with spaces between.
        """
        pair = self.pair
        described = {
            "name": self.name,
            "shows": self.shows,
            "prompt": list(self.prompt),
            "target": _described(pair.target),
            "drafter": _described(pair.drafter),
        }
        if pair.same_vocabulary:
            return described | {"tokenizer": _described(pair.target_tokenizer)}
        return described | {
            "target_tokenizer": _described(pair.target_tokenizer),
            "drafter_tokenizer": _described(pair.drafter_tokenizer),
        }

    def __repr__(self) -> str:
        return f"GalleryPair({json.dumps(self.describe(), ensure_ascii=False)})"


class Shelf:
    """Pairs under construction: each is built when first asked for, then kept."""

    def __init__(self) -> None:
        self.builders: dict[str, Callable[[], GalleryPair]] = {}

    def pair(
        self, name: str, shows: str, prompt: Ids = (0,)
    ) -> Callable[[Callable[[], Pair]], Callable[[], GalleryPair]]:
        """Decorate the function that builds the pair called ``name``."""

        def shelved(build: Callable[[], Pair]) -> Callable[[], GalleryPair]:
            made = cache(lambda: GalleryPair(name, shows, build(), prompt))
            if name in self.builders:
                raise ValueError(f"two pairs are called {name!r}")
            self.builders[name] = made
            return made

        return shelved


def context_free(law: str) -> NgramModel:
    """One law at every context, written as in "1/2 3/10 1/5"."""
    return NgramModel.constant(law.split())


def bigram(first: str, *after: str) -> NgramModel:
    """The law at the empty context, then the law after id 0, after id 1, and so on."""
    rows = {(token,): law.split() for token, law in enumerate(after)}
    return NgramModel(len(after), 2, {(): first.split(), **rows})


def _described(part: Any) -> Any:
    describe = getattr(part, "describe", None)
    return repr(part) if describe is None else describe()
