"""TLI vectors: two vocabularies as bytes, the map between them, and the law really drafted from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...reference.tokenizers import map_tokens
from ...toymodels.tokenizers import Piece, greedy
from .requests import processed
from .writing import INVALID, Vector, number, row

TLI = "the token map and the law of masked drafts"
CONVENTION = {
    "map": "for each drafter id the lowest target id with the same bytes, or null; ids without "
    "bytes correspond to nothing, but the two ends of sequence to each other",
    "order": "the drafter's law is filtered as the request says, then masked to the ids that the "
    "map does not send to null, and renormalised",
    "q_prime": "the masked law over drafter ids, from which drafts are drawn; null where it has no "
    "mass, and nothing is proposed",
    "scores": "q_prime summed over the drafter ids of one target id: what a draft is scored with",
}


@dataclass(frozen=True)
class _Case:
    name: str
    shows: str
    target: Sequence[Piece]
    drafter: Sequence[Piece]
    p: str
    q: str
    flags: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    ends: tuple[int | None, int | None] = (None, None)
    request: tuple[tuple[str, Any], ...] = ()


_TAIL = ["t", "u", "v", "w", "x", "y", "A", "B", "C", "D", "E", "F"]
_PADDED = ("vllm-project/vllm #10913", "huggingface/transformers #45307")
_CASES = (
    _Case(
        "same", "the same tokens with the same ids", ["a", "b"], ["a", "b"], "3/5 2/5", "1/2 1/2"
    ),
    _Case(
        "reordered",
        "the same tokens with other ids: a score read by the wrong id shows",
        ["a", "b", "c"],
        ["c", "a", "b"],
        "1/2 2/5 1/10",
        "3/5 1/10 3/10",
        reports=("sgl-project/sglang #24051", "ggml-org/llama.cpp #3812"),
    ),
    _Case(
        "target-larger",
        "the target has tokens that are never drafted",
        ["a", "b", "ab"],
        ["a", "b"],
        "1/2 1/4 1/4",
        "1/3 2/3",
        reports=("huggingface/transformers #45307",),
    ),
    _Case(
        "drafter-larger",
        "the drafter has tokens that are masked, and what is left is renormalised",
        ["a", "b"],
        ["a", "b", "ba"],
        "1/2 1/2",
        "1/4 1/4 1/2",
        reports=("huggingface/transformers #45307",),
    ),
    _Case(
        "many-to-one",
        "two drafter ids with one text: q' is scored by their sum",
        ["a", "b"],
        ["a", "b", "b"],
        "3/5 2/5",
        "1/2 1/4 1/4",
        ("many-to-one",),
    ),
    _Case(
        "two-target-ids",
        "two target ids with one text: the lowest is proposed, the other never",
        ["a", "b", "b"],
        ["b", "a"],
        "1/2 1/4 1/4",
        "1/3 2/3",
        ("duplicate",),
    ),
    _Case(
        "ends-differ",
        "ends of sequence spelled otherwise are one token",
        [None, "a", "b"],
        ["a", "b", None],
        "1/4 1/2 1/4",
        "1/2 1/4 1/4",
        ("end-of-sequence",),
        ends=(0, 2),
    ),
    _Case(
        "end-in-drafter-only",
        "the drafter's end of sequence is masked: the target has none",
        ["a", "b"],
        ["a", "b", None],
        "1/2 1/2",
        "1/2 1/4 1/4",
        ("end-of-sequence",),
        ends=(None, 2),
    ),
    _Case(
        "padded",
        "padding ids of the drafter stand for nothing, whatever their number",
        ["a", "b", None],
        ["a", "b", None, None],
        "1/2 1/2 0",
        "1/2 1/4 1/8 1/8",
        ("padded",),
        _PADDED,
    ),
    _Case(
        "bytes",
        "single bytes of a character are tokens of their own",
        ["a", b"\xc3", b"\xa9", "é"],
        ["é", b"\xa9", "a"],
        "1/4 1/4 1/4 1/4",
        "1/2 1/4 1/4",
    ),
    _Case(
        "spaces-matter",
        "a token with a space before it is another token",
        ["a", " a"],
        [" a", "a", " "],
        "1/2 1/2",
        "1/2 1/4 1/4",
        reports=("huggingface/transformers #33383",),
    ),
    _Case(
        "no-mass-in-common",
        "tokens in common to which the drafter gives nothing: nothing is proposed",
        ["a", "b"],
        ["a", "c"],
        "1/2 1/2",
        "0 1",
        ("no-proposal",),
    ),
    _Case(
        "top-k-before-mask",
        "top-k counts the drafter's own tokens, those that will be masked too",
        ["a", "b"],
        ["z", "a", "b"],
        "1/2 1/2",
        "1/2 3/10 1/5",
        ("filter-before-mask",),
        request=(("top_k", 2),),
    ),
    _Case(
        "top-p-before-mask",
        "top-p after the mask would accept less often than the union does",
        ["a", "b", "c", *_TAIL],
        ["a", "z", "b", "c", *_TAIL],
        " ".join(["1", *["0"] * 14]),
        " ".join(["1/5", "1/10", "3/50", "3/50", *["29/600"] * 12]),
        ("filter-before-mask",),
        request=(("top_p", "3/10"),),
    ),
    _Case(
        "temperature-before-mask",
        "a temperature of 1/2 is part of the law that is masked",
        ["a", "b"],
        ["a", "b", "z"],
        "1/2 1/2",
        "1/2 1/4 1/4",
        ("filter-before-mask",),
        ("huggingface/transformers #47932",),
        request=(("temperature", "1/2"),),
    ),
)


def tli_vectors() -> Iterator[Vector]:
    """All of them."""
    for case in _CASES:
        yield _vector(case)
    given = _given(_Case("", "", ["ab", "ba"], ["a", "b"], "1/2 1/2", "1/2 1/2"))
    error = "the vocabularies share no token"
    flags = ("empty-intersection",)
    yield Vector(
        "tli-invalid-nothing-shared", error, TLI, given, {"refused": error}, INVALID, flags
    )


def _given(case: _Case) -> dict[str, Any]:
    return {
        "target_vocabulary": [_hexadecimal(piece) for piece in case.target],
        "drafter_vocabulary": [_hexadecimal(piece) for piece in case.drafter],
        "target_end_of_sequence": case.ends[0],
        "drafter_end_of_sequence": case.ends[1],
        "target_row": row(_law(case.p)),
        "drafter_row": row(_law(case.q)),
        "request": {
            name: number(value) if isinstance(value, str) else value for name, value in case.request
        },
    }


def _vector(case: _Case) -> Vector:
    target = greedy(case.target, end_of_sequence=case.ends[0])
    drafter = greedy(case.drafter, end_of_sequence=case.ends[1])
    image = map_tokens(drafter, target)
    p, raw, request = _law(case.p), _law(case.q), dict(case.request)
    q = processed(raw, request, ())
    masked = _masked(q, image)
    scores = _pushed(masked, image, len(p)) if masked else None
    expect: dict[str, Any] = {
        "map": list(image),
        "q_prime": None if masked is None else row(masked),
        "scores": None if scores is None else row(scores),
        "acceptance": number(sum(map(min, p, scores)) if scores else Fraction(0)),
        "union_acceptance": number(sum(map(min, p, _pushed(q, image, len(p))))),
        "not": [],
    }
    if masked and scores:
        expect["not"] = list(_mistakes(masked, scores, image, _masked(raw, image), request))
    return Vector(
        f"tli-{case.name}",
        case.shows,
        TLI,
        _given(case),
        expect,
        flags=case.flags,
        reports=case.reports,
    )


def _mistakes(
    masked: Sequence[Fraction],
    scores: Sequence[Fraction],
    image: Sequence[int | None],
    mask_first: Sequence[Fraction] | None,
    request: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Other scores that were taken for those of q', where they differ."""
    of_one = dict[int, Fraction]()
    for x, token in enumerate(image):
        if token is not None:
            of_one.setdefault(token, masked[x])
    one = [of_one.get(token, Fraction(0)) for token in range(len(scores))]
    if one != scores:
        yield {"mistake": "the score of one preimage", "scores": row(one)}
    if request and mask_first:
        late = _pushed(processed(mask_first, request, ()), image, len(scores))
        if late != scores:
            yield {"mistake": "the filter behind the mask", "scores": row(late)}


def _masked(q: Sequence[Fraction], image: Sequence[int | None]) -> list[Fraction] | None:
    """``q`` on the ids that have an image; None without mass there."""
    left = [Fraction(0) if image[x] is None else mass for x, mass in enumerate(q)]
    return [mass / sum(left) for mass in left] if any(left) else None


def _pushed(q: Sequence[Fraction], image: Sequence[int | None], size: int) -> list[Fraction]:
    found = [Fraction(0)] * size
    for x, mass in enumerate(q):
        token = image[x]
        if token is not None:
            found[token] += mass
    return found


def _law(law: str) -> list[Fraction]:
    return [Fraction(value) for value in law.split()]


def _hexadecimal(piece: Piece) -> str | None:
    """The bytes of a token in hexadecimal; null for an id without text."""
    if piece is None:
        return None
    return (piece.encode() if isinstance(piece, str) else piece).hex()
