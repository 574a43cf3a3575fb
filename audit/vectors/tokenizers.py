"""Tokenizer vectors: round trips that must hold, and round trips that are known not to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...reference.tokenizers import EncodeError
from ...toymodels.quirks import QUIRKS
from .writing import INVALID, Vector

TEXTS = "decoding what encoding gave returns the text"
IDS = "encoding what decoding gave returns the ids"
REPORTS = (
    *("huggingface/transformers #46124", "huggingface/transformers #33383"),
    "sgl-project/sglang #24051",
)
LONGEST_TEXT, LONGEST_IDS = 3, 2


def tokenizer_vectors() -> Iterator[Vector]:
    """Every toy tokenizer with one quirk, on all short texts and all short sequences of ids."""
    for name, make in QUIRKS.items():
        tokenizer = make()
        described = tokenizer.describe()
        alphabet = tokenizer.alphabet if name != "partial" else ("a", "b")
        slug = name.replace("_", "-")
        for length in range(1, LONGEST_TEXT + 1):
            for number, letters in enumerate(itertools.product(alphabet, repeat=length)):
                given = {"tokenizer": described, "text": "".join(letters)}
                yield _text(f"tokenizer-{slug}-text-{length}-{number}", tokenizer, given)
        for length in range(1, LONGEST_IDS + 1):
            for ids in itertools.product(range(len(tokenizer.vocabulary)), repeat=length):
                given = {"tokenizer": described, "ids": list(ids)}
                spelled = "".join(map(str, ids))
                yield _ids(f"tokenizer-{slug}-ids-{spelled}", tokenizer, given)


def _text(name: str, tokenizer: Any, given: dict[str, Any]) -> Vector:
    text = given["text"]
    try:
        ids = tokenizer.encode(text)
    except EncodeError:
        return Vector(
            name,
            "a text without an encoding must be refused",
            TEXTS,
            given,
            {"refused": "no encoding"},
            INVALID,
            ("unencodable",),
        )
    back = tokenizer.decode(ids)
    expect = {"ids": list(ids), "text": back}
    if back == text:
        return Vector(name, "the text comes back", TEXTS, given, expect)
    shows = "another text comes back: what reads this one as the text is wrong"
    return Vector(name, shows, TEXTS, given, expect, INVALID, ("known-not-to-hold",), REPORTS)


def _ids(name: str, tokenizer: Any, given: dict[str, Any]) -> Vector:
    ids = tuple(given["ids"])
    text = tokenizer.decode(ids)
    try:
        back = tokenizer.encode(text)
    except EncodeError:
        expect = {"text": text, "ids": None}
        flags = ("known-not-to-hold", "unencodable")
        shows = "the text of these ids has no encoding"
        return Vector(name, shows, IDS, given, expect, INVALID, flags, REPORTS)
    expect = {"text": text, "ids": list(back)}
    if back == ids:
        return Vector(name, "the ids come back", IDS, given, expect)
    shows = "other ids come back: a context re-encoded from its text is another context"
    return Vector(name, shows, IDS, given, expect, INVALID, ("known-not-to-hold",), REPORTS)
