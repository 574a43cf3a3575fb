"""All files of the vectors, as text: what `draftproof vectors` writes and compares."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import blocks, coins, endings, laws, requests, rows, strings, tli, tokenizers
from .flat import flat_files
from .schemas import schema
from .writing import FLAGS, SCHEMA, Vector, listing


@dataclass(frozen=True)
class Kind:
    """A kind of vectors.

    Attributes:
        name: also the name of its file, with ``.json``.
        shows: one line on what its vectors test.
        make: gives the vectors, always the same.
        conventions: what has to be agreed upon beforehand, by the part that it is about.
    """

    name: str
    shows: str
    make: Callable[[], Iterable[Vector]]
    conventions: Mapping[str, Any]


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "law",
            "p, q, drafts given or drawn: the exact law of what is emitted",
            laws.law_vectors,
            {
                "model": "the law after some ids is that of their longest suffix in the table; ids "
                "are prompt and continuation",
                "length": "blocks are completed by the target's own draws to so many new ids, and "
                "cut there; rounds may follow one another instead",
                "request": requests.ORDER,
                "processors": requests.PROCESSORS,
                "batch": "with several prompts, ids are one string for each request",
            },
        ),
        Kind(
            "coin",
            "p, q, drafts and every coin: the ids that must be emitted",
            coins.coin_vectors,
            coins.CONVENTION,
        ),
        Kind(
            "rows",
            "one position's p and q: acceptance probabilities and residual",
            rows.rows_vectors,
            rows.CONVENTION,
        ),
        Kind(
            "tli",
            "two vocabularies as bytes: the token map, q' and its scores",
            tli.tli_vectors,
            tli.CONVENTION,
        ),
        Kind(
            "psi",
            "a drafter, two tokenizers, a stop rule: the law of the first candidate",
            strings.psi_vectors,
            strings.CONVENTION,
        ),
        Kind(
            "psi_k",
            "the law of the next candidate, given those accepted before it",
            strings.psi_k_vectors,
            strings.CONVENTION,
        ),
        Kind(
            "slem",
            "context ids, drafts, two tokenizers: what the drafter reads and what is proposed",
            strings.slem_vectors,
            strings.CONVENTION,
        ),
        Kind(
            "block",
            "block verification: running products, thresholds, final laws",
            blocks.block_vectors,
            blocks.CONVENTION,
        ),
        Kind(
            "tokenizer",
            "round trips that must hold, and that are known not to",
            tokenizers.tokenizer_vectors,
            strings.CONVENTION,
        ),
        Kind(
            "stopping",
            "new ids, a block, an end of sequence, a limit: where the run is cut",
            endings.stopping_vectors,
            endings.STOPPING_CONVENTION,
        ),
        Kind(
            "pruned",
            "a head with columns for some ids, or with padded ones: the law over ids",
            endings.pruned_vectors,
            endings.PRUNED_CONVENTION,
        ),
    )
}


@cache
def vectors(kind: str) -> tuple[Vector, ...]:
    """All vectors of a kind.

    Raises:
        ValueError: for a kind that there is not, or two vectors with one id.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of vectors is called {kind!r}; there are {', '.join(KINDS)}")
    made = tuple(KINDS[kind].make())
    seen: set[str] = set()
    for vector in made:
        if vector.id in seen:
            raise ValueError(f"two vectors have the id {vector.id}")
        seen.add(vector.id)
        unknown = set(vector.flags) - set(FLAGS)
        if unknown:
            raise ValueError(f"{vector.id}: no flag is called {', '.join(sorted(unknown))}")
    return made


def kind_file(kind: str) -> str:
    """The JSON file of a kind."""
    head = {
        "schema": SCHEMA,
        "kind": kind,
        "shows": KINDS[kind].shows,
        "conventions": KINDS[kind].conventions,
    }
    return listing(head, "vectors", [vector.to_json() for vector in vectors(kind)])


def index_file() -> str:
    """What there is: kinds with their files, counts and flags."""
    kinds = []
    for kind in KINDS.values():
        made = vectors(kind.name)
        results = {
            result: sum(v.result == result for v in made)
            for result in ("valid", "invalid", "relaxed")
        }
        kinds.append(
            {
                "kind": kind.name,
                "file": f"{kind.name}.json",
                "schema": f"schemas/{kind.name}.json",
                "shows": kind.shows,
                "count": len(made),
                **results,
                "flags": sorted({flag for vector in made for flag in vector.flags}),
            }
        )
    return listing({"schema": SCHEMA, "flags": FLAGS}, "kinds", kinds)


def vector_files(kinds: Iterable[str] = KINDS) -> dict[str, str]:
    """Every file of these kinds by its path in the folder; the index belongs to all of them."""
    chosen = list(kinds)
    files = {f"{kind}.json": kind_file(kind) for kind in chosen}
    files |= {f"schemas/{kind}.json": json.dumps(schema(kind), indent=2) + "\n" for kind in chosen}
    if set(chosen) == set(KINDS):
        files["index.json"] = index_file()
        files |= flat_files({kind: vectors(kind) for kind in KINDS})
    return files
