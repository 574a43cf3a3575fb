"""Stopping vectors: where a block is cut; and pruned heads: columns that are not ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...reference.rounds import cut
from ...toymodels.models import NgramModel, PrunedHead
from .writing import INVALID, Vector, row

STOPPING = "where a run ends"
STOPPING_CONVENTION = {
    "end": "a run ends with the first end of sequence among its new ids, wherever in a block it "
    "stands; ids of the prompt end nothing",
    "limit": "a run has max_new_tokens new ids at most; the last block is cut",
    "ids": "all new ids, those before the block included",
}
PRUNED = "the law over ids of a head with some columns"
PRUNED_CONVENTION = {
    "id_of_column": "the id that each column scores; null for a padded column, which scores "
    "nothing and is left out before the rest is renormalised",
    "uniform": "where the columns with an id have no mass, the law is uniform over their ids",
}
_INSIDE = (
    *("huggingface/transformers #47912", "LostRuins/koboldcpp #1276"),
    "openvinotoolkit/openvino.genai #1951",
)

#: name, what it shows, new ids so far, the block, end of sequence, limit, reports.
_RUNS: tuple[tuple[str, str, Sequence[int], Sequence[int], int | None, int, Sequence[str]], ...] = (
    ("no-end", "nothing ends here", (), (0, 1), 2, 8, ()),
    ("end-is-last", "the end is the block's last id", (), (0, 2), 2, 8, ()),
    (
        "end-inside",
        "an end accepted inside the block: what stands behind is lost",
        (),
        (0, 2, 1),
        2,
        8,
        _INSIDE,
    ),
    ("end-first", "the end is the block's first id", (), (2, 0, 1), 2, 8, _INSIDE),
    ("two-ends", "two ends: the first one counts", (), (0, 2, 1, 2), 2, 8, _INSIDE),
    ("end-is-final", "the end is the final id, behind accepted drafts", (1,), (0, 0, 2), 2, 8, ()),
    (
        "end-in-later-block",
        "the end's place in the block is not its place in the text",
        (0, 1, 1),
        (0, 2, 1),
        2,
        8,
        ("PaddlePaddle/FastDeploy #7121",),
    ),
    ("limit-cuts", "the limit cuts the block", (0, 1), (1, 0, 1), 2, 4, ()),
    (
        "limit-before-end",
        "the limit comes before the end: the run has not ended by it",
        (0,),
        (1, 1, 2),
        2,
        3,
        (),
    ),
    ("end-at-limit", "the end is the last id that the limit allows", (0,), (1, 2, 1), 2, 3, ()),
    ("end-is-id-zero", "an end of sequence with id 0 is one too", (1,), (1, 0, 2), 0, 8, ()),
    ("none", "no end of sequence: no id ends a run", (0, 2), (2, 2), None, 8, ()),
    ("one-id", "a block of one id", (), (1,), 2, 1, ()),
)


def stopping_vectors() -> Iterator[Vector]:
    """All of them; the prompt of one ends in an end of sequence, which ends nothing."""
    for name, shows, new, block, end, limit, reports in _RUNS:
        yield _run(name, shows, (1,), new, block, end, limit, reports)
    shows = "a prompt that ends in an end of sequence is continued like any other"
    yield _run("end-in-prompt", shows, (1, 2), (), (0, 1), 2, 8, ())
    for name, error, block, limit in (
        ("empty-block", "a round emits at least one id", (), 4),
        ("no-limit", "max_new_tokens is at least 1", (1,), 0),
    ):
        given = {
            "prompt": [1],
            "new": [],
            "block": list(block),
            "end_of_sequence": 2,
            "max_new_tokens": limit,
        }
        yield Vector(
            f"stopping-invalid-{name}", error, STOPPING, given, {"refused": error}, INVALID
        )


def _run(
    name: str,
    shows: str,
    prompt: Sequence[int],
    new: Sequence[int],
    block: Sequence[int],
    end: int | None,
    limit: int,
    reports: Sequence[str],
) -> Vector:
    ids = (*new, *cut(tuple(block), end))[:limit]
    ended = bool(ids) and ids[-1] == end
    return Vector(
        f"stopping-{name}",
        shows,
        STOPPING,
        {
            "prompt": list(prompt),
            "new": list(new),
            "block": list(block),
            "end_of_sequence": end,
            "max_new_tokens": limit,
        },
        {"ids": list(ids), "ended": ended, "finished": ended or len(ids) == limit},
        flags=("end-of-sequence",) if end is not None and end in (*prompt, *block) else (),
        reports=tuple(reports),
    )


#: name, what it shows, size of the vocabulary, columns, their law, flags, reports.
_HEADS: tuple[
    tuple[str, str, int, Sequence[int | None], str, tuple[str, ...], tuple[str, ...]], ...
] = (
    ("all", "every id has its column", 3, (0, 1, 2), "1/2 3/10 1/5", (), ()),
    ("some", "two of four ids have columns", 4, (1, 3), "1/4 3/4", (), ()),
    (
        "reordered",
        "columns in another order than ids: scores must be mapped with the drafts",
        3,
        (2, 0, 1),
        "3/5 1/10 3/10",
        (),
        (),
    ),
    (
        "padded",
        "a padded column with mass of its own is left out",
        3,
        (0, 2, None, None),
        "1/2 1/4 1/8 1/8",
        ("padded",),
        ("vllm-project/vllm #10913", "ggml-org/llama.cpp #3812"),
    ),
    (
        "padded-inside",
        "a padded column between the others",
        4,
        (3, None, 0),
        "1/3 1/3 1/3",
        ("padded",),
        ("vllm-project/vllm #10913",),
    ),
    (
        "padded-only-mass",
        "all of the mass is on padded columns: uniform over the ids that there are",
        4,
        (1, 2, None),
        "0 0 1",
        ("padded",),
        (),
    ),
    ("one", "a head of one column", 3, (1,), "1", (), ()),
)


def pruned_vectors() -> Iterator[Vector]:
    """From the law over columns to the law over ids."""
    for name, shows, size, columns, law, flags, reports in _HEADS:
        masses = [Fraction(value) for value in law.split()]
        kept = {x: mass for x, mass in zip(columns, masses, strict=True) if x is not None}
        total = sum(kept.values(), Fraction(0))
        q = [
            (kept[x] / total if total else Fraction(1, len(kept))) if x in kept else Fraction(0)
            for x in range(size)
        ]
        given = {"vocabulary": size, "id_of_column": list(columns), "columns": row(masses)}
        yield Vector(
            f"pruned-{name}", shows, PRUNED, given, {"q": row(q)}, flags=flags, reports=reports
        )
    for name, kept_ids in (("from-model", (2, 0)), ("no-mass-kept", (3,))):
        whole = NgramModel.constant(["1/2", "3/10", "1/5", "0"])
        q = PrunedHead(whole, kept_ids).distributions(())[0]
        given = {
            "vocabulary": 4,
            "id_of_column": list(kept_ids),
            "model": row(whole.distributions(())[0], 4),
        }
        shows = "the whole model's law, renormalised over the ids that have columns"
        yield Vector(f"pruned-{name}", shows, PRUNED, given, {"q": row(q, 4)})
    for name, error, columns in (
        ("two-columns", "an id has two columns", (0, 0)),
        ("outside", "an id is outside the vocabulary", (0, 4)),
        ("none", "no column has an id", (None, None)),
    ):
        given = {
            "vocabulary": 4,
            "id_of_column": list(columns),
            "columns": row([Fraction(1, 2)] * 2),
        }
        yield Vector(f"pruned-invalid-{name}", error, PRUNED, given, {"refused": error}, INVALID)
