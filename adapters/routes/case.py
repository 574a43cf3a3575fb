"""One thing that is tried: a call of `generate()` with help, to be compared with one without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: New tokens asked of `generate()` unless a case says otherwise.
HORIZON = 3


class NotThereError(Exception):
    """A release has no such route or setting; the text says what it lacks."""


@dataclass(frozen=True)
class Case:
    """A call with an assistant, and the same call without, which is what is due.

    Attributes:
        route: a key of `routes.ROUTES`.
        pair: name of the toys and of the settings, as reports show it.
        lookahead: tokens drafted a round.
        settings: keywords of both calls; ``top_k=0`` turns the default of 50 off.
        assistance: keywords of the assisted call alone, beside those that the route adds.
        drafter: what is written into the assistant's own generation configuration.
        toys: what the route's builder is told about the models and tokenizers.
        extras: names of `processors.EXTRAS`: processors and criteria, made afresh for every call.
        prompt: ids of the target.
        horizon: new tokens.
        calls: how often the same objects are used, one call after the other; the law is then that
            of all their tokens.
        relaxed: why the law is not that of `generate()` by documented design, None if it should be.
        shows: slugs of `known.MECHANISMS` that this case was built to show.
        quick: whether it is one of the subset that a continuous integration runs.
    """

    route: str
    pair: str
    lookahead: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    assistance: Mapping[str, Any] = field(default_factory=dict)
    drafter: Mapping[str, Any] = field(default_factory=dict)
    toys: Mapping[str, Any] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    prompt: tuple[int, ...] = (0, 1)
    horizon: int = HORIZON
    calls: int = 1
    relaxed: str | None = None
    shows: tuple[str, ...] = ()
    quick: bool = False

    @property
    def subject(self) -> str:
        """The route as reports name it."""
        return f"transformers:{self.route}"

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells the case from every other."""
        return (self.route, self.pair, self.lookahead)

    @property
    def keywords(self) -> dict[str, Any]:
        """The settings of both calls, with sampling on and no top-k unless they say so."""
        return {"do_sample": True, "top_k": 0, **self.settings}
