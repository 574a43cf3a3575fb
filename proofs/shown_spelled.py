"""What establishes the claims on spelled proposals; see `claims_stop_rules`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..reference.enumeration import exact_law, expectation
from ..reference.models import Ids
from ..reference.slrs_spelled import SpelledLaw, spell, spelled_round
from ..reference.slrs_spelled_block import spelled_block_round
from ..toymodels.gallery import gallery
from . import checks
from .ledger import ClaimError


def one_by_one() -> Iterator[str]:
    """Spelled proposals, one and two tokens a round."""
    for tokens in (1, 2):
        yield from checks.lossless_on_gallery("slrs", f"spelled:{tokens}", 2)


def products() -> Iterator[str]:
    """psi of every token as one product, against the law of the program that spells."""
    tokens = 0
    for each in gallery():
        read = each.pair.drafter_context(each.prompt)
        if read is None:
            continue

        def spelled(chance: Any, pair: Any = each.pair, read: Ids = read) -> Ids:
            found = spell(pair, read, chance)
            return () if found is None else (found.token,)

        due = exact_law(spelled)
        psi = SpelledLaw(each.pair, read)
        for token in range(each.pair.target.size):
            if psi[token] != due[(token,)]:
                raise ClaimError(f"{each.name}: psi({token}) is {psi[token]}, not {due[(token,)]}")
            tokens += 1
    yield f"{tokens} tokens of the gallery's targets: each product is the law"


def blocks_lossless() -> Iterator[str]:
    """Spelled proposals judged together, one and two tokens a round."""
    for tokens in (1, 2):
        yield from checks.lossless_on_gallery("slrs", f"spelled:{tokens}/block", 2)


def blocks_keep_more() -> Iterator[str]:
    """Never fewer tokens than one by one, two a round."""
    more = 0
    for each in gallery():
        together, apart = (
            expectation(
                lambda chance, each=each, run=run: len(
                    run(each.pair, each.prompt, 2, chance).emitted
                )
            )
            for run in (spelled_block_round, spelled_round)
        )
        if together < apart:
            raise ClaimError(f"spelled:2 on {each.name}: fewer than token by token")
        more += together > apart
    yield f"spelled:2: at least as many on all pairs, more on {more}"
