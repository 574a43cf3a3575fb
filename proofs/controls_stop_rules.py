"""Negative controls for the claims on stop rules and versions of psi; see `controls`."""

from __future__ import annotations

from typing import Any

from ..reference import (
    psi_bounds,
    psi_lazy,
    readings,
    slrs_block,
    slrs_spelled,
    slrs_spelled_block,
)
from ..toymodels.tokenizers import greedy
from . import ceiling, shown_stop_rules, shown_words

Change = tuple[Any, str, Any]


def _nothing_straddles() -> list[Change]:
    """No token is ever cut across the end of a text."""
    return [(readings, "_goes_across", lambda word, text, start: False)]


def _one_spelling() -> list[Change]:
    """The first spelling of a token for all of them."""
    honest = shown_stop_rules.segmentations
    return [(shown_stop_rules, "segmentations", lambda lattice: list(honest(lattice))[1:])]


def _every_text_encodes() -> list[Change]:
    """Drafts taken for settled although the target may yet fail to encode them."""
    return [(psi_lazy, "always_encodes", lambda target, drafter: True)]


def _no_spoilers() -> list[Change]:
    """Products that forget the longer tokens."""
    from ..reference.psi_bytes import BytePsi

    return [(BytePsi, "_spoilers", lambda self, ids: set())]


def _bounds_too_close() -> list[Change]:
    """An upper bound that leaves out what is still open."""
    honest = psi_bounds.quotient

    def lower(part: Any, whole: Any) -> Any:
        found = honest(part, whole)
        return psi_bounds.Deferred(lambda: (found.bounds()[0],) * 2, lambda: False)

    return [(psi_bounds, "quotient", lower)]


def _duals_forgotten() -> list[Change]:
    """A solver that says nothing: what is made feasible then bounds, but loosely."""
    return [(ceiling, "_dual", lambda programme: dict.fromkeys(programme.due, 0.0))]


def _no_candidate_kept() -> list[Change]:
    """Block verification that keeps no candidate."""

    def none(p: Any, psi: Any, t: Any) -> list[Any]:
        return [1, *(0 for _ in t)]

    return [(module, "kept_together", none) for module in (slrs_block, slrs_spelled_block)]


def _never_stops() -> list[Change]:
    """psi without the last factor: that the text begins with the token's."""
    return [(slrs_spelled.Node, "stops", lambda self, q: 1)]


def _longest_match() -> list[Change]:
    """The longest piece in the place of merges."""
    return [(shown_words, "bpe", lambda pieces, merges: greedy(pieces))]


MUTATIONS = {
    "longest match": _longest_match,
    "never stops": _never_stops,
    "nothing straddles": _nothing_straddles,
    "a spelling forgotten": _one_spelling,
    "every text encodes": _every_text_encodes,
    "no spoilers": _no_spoilers,
    "bounds too close": _bounds_too_close,
    "duals forgotten": _duals_forgotten,
    "no candidate kept": _no_candidate_kept,
}
CONTROLS: dict[str, tuple[str, ...]] = {
    "rule-characters": ("residual is p",),
    "rule-tokens": ("another psi",),
    "rule-determined": ("every draft accepted", "nothing straddles"),
    "bpe-neighbours": ("longest match", "longest match"),
    "rule-lookup": ("another psi", "a spelling forgotten"),
    "rule-longest": ("residual is p",),
    "slrs-spelled": ("never stops", "never stops"),
    "slrs-spelled-block": ("never stops", "no candidate kept"),
    "slrs-block": ("another psi", "no candidate kept"),
    "slrs-block-bonus": ("examples mended",),
    "slrs-block-without-sums": ("residual is p",),
    "slrs-ceiling": ("duals forgotten",),
    "psi-versions": ("every text encodes", "no spoilers"),
    "psi-bounds": ("bounds too close",),
}
