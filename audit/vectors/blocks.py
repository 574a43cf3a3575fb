"""Block verification vectors: the running products, the thresholds, and the law of one block."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ...reference.block_verification import verify_block
from ...reference.drafting import Drafts
from ...reference.enumeration import exact_law
from ...reference.models import Ids
from ...reference.pair import Pair
from ...toymodels.tokenizers import greedy
from ..bank.cases import BASE, BIGRAM, CERTAIN_DRAFT, RACES, REPEATING, TWO_LEFT, Case, constant
from .law_cases import SEEDED
from .laws import block_rows, model
from .writing import Vector, as_fraction, law, number, row, rows

BLOCK = "block verification"
CONVENTION = {
    "kept": "P_0 = 1, P_i = min(1, P_(i-1) p_i(x_i) / q_i(x_i)), for i = 0..K",
    "thresholds": "h_i for i = 1..K: Z / (Z + 1 - P_i) with Z = sum max(0, P_i p_(i+1) - q_(i+1)), "
    "1 where that is 0/0, and h_K = P_K",
    "coins": "one coin for each i = 1..K, all of them looked at: tau is the last i whose coin is "
    "below h_i, else 0",
    "final": "for tau = 0..K the law of the last id: max(0, P_tau p_(tau+1) - q_(tau+1)) "
    "normalised, p_(K+1) for tau = K; null where tau has probability zero",
}
#: Reports of running products that were taken for token-by-token ones, and the other way round.
REPORTS = ("vllm-project/vllm-ascend #7603", "vllm-project/vllm-ascend #7839")
_FLIPPED = constant("1/3 2/3", "2/3 1/3")

_CASES: tuple[tuple[str, str, Case, tuple[Ids, ...]], ...] = (
    (
        "flipped",
        "p and q the other way round: blocks keep 11/9 drafts, tokens one by one 10/9",
        _FLIPPED,
        ((0, 0), (0, 1), (1, 0), (1, 1)),
    ),
    ("base", "the base pair", BASE, ((2,), (2, 0), (2, 2), (1, 2), (2, 2, 0))),
    ("two-left", "two ids left", TWO_LEFT, ((2, 0), (2, 2))),
    ("races", "an uneven residual", RACES, ((2, 2), (2, 0, 2))),
    ("certain", "a draft without a law", CERTAIN_DRAFT, ((0, 0),)),
    ("bigram", "laws that depend on the last id", BIGRAM, ((2, 1), (0, 2), (2, 2))),
    ("repeating", "laws that repeat the last id", REPEATING, ((1, 0), (0, 1, 0))),
    ("zeros", "laws with zeros", SEEDED, ((2, 1), (1, 0), (0, 1))),
    (
        "equal",
        "p is q: 0/0 is 1, and every draft is kept",
        constant("1/2 1/2", "1/2 1/2"),
        ((0, 1),),
    ),
    ("nothing", "no draft", BASE, ((),)),
)


def block_vectors() -> Iterator[Vector]:
    """Given drafts, then the expected number of drafts kept where they are drawn."""
    for name, shows, case, all_drafts in _CASES:
        for drafts in all_drafts:
            yield _vector(name, shows, case, drafts)
    for name, case, lookahead in (
        ("flipped", _FLIPPED, 2),
        ("base", BASE, 2),
        ("bigram", BIGRAM, 2),
    ):
        kept = Fraction(0)
        for drafts, mass in _drawn(case, lookahead):
            _, _, tau = _numbers(case, drafts)
            kept += mass * sum(i * share for i, share in enumerate(tau))
        yield Vector(
            f"block-mean-{name}-{lookahead}",
            "the expected number of drafts kept, over drafts drawn from the drafter",
            BLOCK,
            {
                "target": model(case.target),
                "drafter": model(case.drafter),
                "prompt": list(case.prompt),
                "lookahead": lookahead,
            },
            {"accepted": number(kept)},
            flags=("drawn",),
        )


def _vector(name: str, shows: str, case: Case, drafts: Ids) -> Vector:
    target, drafter = block_rows(case, drafts)
    size = case.target.size
    kept, thresholds, tau = _numbers(case, drafts)
    finals: list[Any] = []
    for i, share in enumerate(tau):
        last = target[i] if i == len(drafts) else None
        if share and last is None:
            last = target[i].residual(drafter[i], _rational(kept[i]))
        finals.append(row(last, size) if share and last is not None else None)
    flags = {"given-drafts", *(("no-drafts",) if not drafts else ())}
    if any(_is_zero_over_zero(case, drafts, kept, i) for i in range(1, len(drafts))):
        flags.add("zero-over-zero")
    return Vector(
        f"block-{name}-{''.join(map(str, drafts)) or 'none'}",
        shows,
        BLOCK,
        {
            "vocabulary": size,
            "target_rows": rows(target, size),
            "draft_rows": rows(drafter, size),
            "drafts": list(drafts),
        },
        {
            "kept": row(kept),
            "thresholds": row(thresholds),
            "tau": row(tau),
            "final": finals,
            "law": law(_block_law(case, drafts)),
        },
        flags=tuple(flags),
        reports=REPORTS if len(drafts) > 1 else (),
    )


def _rational(value: Fraction) -> Any:
    from ...reference.exact import rational

    return rational(value)


def _numbers(case: Case, drafts: Ids) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """P_0..P_K, h_1..h_K, and the law of tau."""
    target, drafter = block_rows(case, drafts)
    kept = [Fraction(1)]
    for j, x in enumerate(drafts):
        kept.append(min(Fraction(1), kept[j] * as_fraction(target[j][x] / drafter[j][x])))
    thresholds: list[Fraction] = []
    for i in range(1, len(drafts)):
        z = as_fraction(target[i].excess(drafter[i], _rational(kept[i])))
        thresholds.append(z / (z + 1 - kept[i]) if z + 1 != kept[i] else Fraction(1))
    if drafts:
        thresholds.append(kept[-1])
    tau: list[Fraction] = []
    left = Fraction(1)
    for h in reversed(thresholds):
        tau.append(left * h)
        left *= 1 - h
    return kept, thresholds, [left, *reversed(tau)]


def _is_zero_over_zero(case: Case, drafts: Ids, kept: list[Fraction], i: int) -> bool:
    target, drafter = block_rows(case, drafts)
    return kept[i] == 1 and not target[i].excess(drafter[i])


def _block_law(case: Case, drafts: Ids) -> dict[Ids, Fraction]:
    """The law of the block, by the reference's own program."""
    spelled = greedy(list("abcdefgh"[: case.target.size]))
    pair = Pair(case.target, case.drafter, spelled, spelled)
    _, laws = block_rows(case, drafts)
    given = Drafts(drafts, drafts, tuple(laws))
    found = exact_law(lambda chance: verify_block(pair, case.prompt, given, chance).emitted)
    return {ids: as_fraction(value) for ids, value in found.items()}


def _drawn(case: Case, lookahead: int) -> Iterator[tuple[Ids, Fraction]]:
    found: list[tuple[Ids, Fraction]] = [((), Fraction(1))]
    for _ in range(lookahead):
        found = [
            ((*ids, x), mass * as_fraction(value))
            for ids, mass in found
            for x, value in case.draft_law(case.prompt + ids).items()
        ]
    yield from found
