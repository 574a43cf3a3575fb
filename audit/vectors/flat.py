"""The flat form of three kinds, for programs without a reader of JSON: words on lines.

A line is one vector. Its words, with single spaces between:

    coin  ID V K TARGET.. DRAFT.. drafts.. accept.. final N ids..
    rows  ID V p.. q.. acceptance.. HAS residual..
    block ID V K TARGET.. DRAFT.. drafts.. N then N times: n ids.. probability

TARGET are the K + 1 rows of V numbers, DRAFT the K rows; numbers are float64s in the shortest form
that reads back as themselves. An acceptance that does not exist is -1; HAS is 1 where there is a
residual, which else is left out. Invalid vectors are left out. "block" are law vectors of the
standard rule for given drafts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .writing import VALID, Vector

#: The files of this form, and the kind that each is made from.
FLAT = {"coin.txt": "coin", "rows.txt": "rows", "block.txt": "law"}


def flat_files(kinds: Mapping[str, Iterable[Vector]]) -> dict[str, str]:
    """The text of every flat file."""
    lines = {"coin.txt": _coin, "rows.txt": _rows, "block.txt": _block}
    return {
        name: "".join(
            f"{line}\n"
            for vector in kinds[kind]
            if vector.result == VALID
            for line in lines[name](vector)
        )
        for name, kind in FLAT.items()
    }


def _coin(vector: Vector) -> Iterator[str]:
    given = vector.given
    coins = given["coins"]
    yield _line(
        *("coin", vector.id, given["vocabulary"], given["lookahead"]),
        *_floats(given["target_rows"]),
        *_floats(given["draft_rows"]),
        *given["drafts"],
        *(coin["float"] for coin in coins["accept"]),
        coins["final"]["float"],
        len(vector.expect["ids"]),
        *vector.expect["ids"],
    )


def _rows(vector: Vector) -> Iterator[str]:
    p, q = vector.given["target_row"]["float"], vector.given["draft_row"]["float"]
    residual = vector.expect["residual"]
    yield _line(
        *("rows", vector.id, len(p), *p, *q),
        *(-1 if value is None else value for value in vector.expect["acceptance"]["float"]),
        *((1, *residual["float"]) if residual else (0,)),
    )


def _block(vector: Vector) -> Iterator[str]:
    given = vector.given
    if given.get("rule") != "standard":
        return
    law = vector.expect["law"]
    yield _line(
        *("block", vector.id, given["vocabulary"], len(given["drafts"])),
        *_floats(given["target_rows"]),
        *_floats(given["draft_rows"]),
        *given["drafts"],
        len(law),
        *(
            word
            for item in law
            for word in (len(item["ids"]), *item["ids"], item["probability"]["float"])
        ),
    )


def _floats(rows: Iterable[Mapping[str, Any]]) -> Iterator[float]:
    for row in rows:
        yield from row["float"]


def _line(*words: Any) -> str:
    return " ".join(repr(word) if isinstance(word, float) else str(word) for word in words)
