"""What the survey of `transformers` runs: toy vocabularies, lookaheads and sampling settings.

Plain data, importable without torch. The pairs vary what an implementation must not depend on: the
order of the ids, where the end of sequence lies, the order in which a tokenizer happens to list
its vocabulary, and whether the drafter has tokens of its own. Cheap scenarios come first, so that
a small budget still says something about every route.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ASSISTED = "transformers:assisted"
TWO_TOKENIZERS = "transformers:two-tokenizers"
EOS = "</s>"
#: New tokens asked of `generate()`.
HORIZON = 3


@dataclass(frozen=True)
class Scenario:
    """One call of `generate()`, with an assistant, to be compared with the same call without.

    Attributes:
        subject: the route, `ASSISTED` (one vocabulary) or `TWO_TOKENIZERS`.
        pair: name of the pair of models and of the settings, as reports show it.
        lookahead: tokens drafted a round.
        target: the target's tokens, in the order of their ids.
        drafter: the drafter's.
        listing: the order in which the drafter's tokenizer lists its vocabulary; tokens left out
            come last, in the order of their ids.
        prompt: tokens of the target.
        settings: further keywords of `generate()`; ``top_k=0`` turns its default of 50 off.
    """

    subject: str
    pair: str
    lookahead: int
    target: tuple[str, ...]
    drafter: tuple[str, ...]
    listing: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ("a", "b")
    settings: Mapping[str, float] = field(default_factory=lambda: {"top_k": 0})


def _assisted(pair: str, lookahead: int, tokens: tuple[str, ...], **settings: float) -> Scenario:
    settings = {"top_k": 0, **settings}
    return Scenario(ASSISTED, pair, lookahead, tokens, tokens, settings=settings)


def _two(
    pair: str,
    lookahead: int,
    target: tuple[str, ...],
    drafter: tuple[str, ...],
    listing: tuple[str, ...] = (),
    **settings: float,
) -> Scenario:
    settings = {"top_k": 0, **settings}
    return Scenario(TWO_TOKENIZERS, pair, lookahead, target, drafter, listing, settings=settings)


_ABC = ("a", "b", "c", EOS)
_EOS_FIRST = (EOS, "a", "b")
#: Shares a, b and the end of sequence with `_ABC`, at other ids; cannot spell c.
_OTHER_IDS = ("b", "x", EOS, "a", "y")
#: Spells every token of `_PIECES`, the token ab in two.
_PIECES = ("a", "b", "ab", EOS)
_OTHER_PIECES = ("b", "ba", EOS, "a", "y")

SCENARIOS = (
    _assisted("one-vocabulary", 1, _ABC),
    _assisted("one-vocabulary, temperature 0.7", 1, _ABC, temperature=0.7),
    _assisted("one-vocabulary, top-k 2", 2, _ABC, top_k=2),
    _two("drafter's tokens all shared", 1, _ABC, ("b", EOS, "a")),
    _two("vocabulary listed by id", 1, _ABC, _OTHER_IDS),
    _two("vocabulary listed in another order", 1, _ABC, _OTHER_IDS, ("a", "b", EOS)),
    _two("token drafted in pieces", 1, _PIECES, _OTHER_PIECES),
    _two("token drafted in pieces, temperature 0.7", 1, _PIECES, _OTHER_PIECES, temperature=0.7),
    _two("token drafted in pieces, top-k 2", 2, _PIECES, _OTHER_PIECES, top_k=2),
    _assisted("one-vocabulary, end of sequence first", 2, _EOS_FIRST),
    _assisted("one-vocabulary, temperature 0.7", 2, _ABC, temperature=0.7),
    _two("vocabulary listed by id", 2, _ABC, _OTHER_IDS, top_k=3),
    _two("vocabulary listed in another order", 2, _ABC, _OTHER_IDS, ("a", "b", EOS), top_k=3),
)
