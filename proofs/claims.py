"""All claims of the ledger, in the order of the algorithms."""

from __future__ import annotations

from difflib import get_close_matches

from . import claims_rejection, claims_stop_rules, claims_strings, claims_vocabularies
from .ledger import Claim

#: The families, each a page in docs, with what it is about.
FAMILIES = {
    "rejection": "standard speculative decoding, block verification, runs",
    "strings": "exact match, SLEM, SLRS: candidates by way of text",
    "vocabularies": "the union baseline, TLI, and their descendants",
}
CLAIMS: dict[str, Claim] = {
    claim.name: claim
    for module in (claims_rejection, claims_strings, claims_stop_rules, claims_vocabularies)
    for claim in module.CLAIMS
}


def claim_named(name: str) -> Claim:
    """The claim called ``name``.

    Raises:
        ValueError: when there is none; the message lists names like it.
    """
    if name in CLAIMS:
        return CLAIMS[name]
    near = get_close_matches(name, CLAIMS, n=3, cutoff=0.4)
    hint = f"; near names: {', '.join(near)}" if near else "; draftproof prove --list has them all"
    raise ValueError(f"no claim is called {name!r}{hint}")
