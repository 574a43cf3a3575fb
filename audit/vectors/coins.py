"""Coin vectors: given the rows, the drafts and every coin, what must be emitted.

Laws are dyadic: ``u < p/q`` and ``u q < p`` agree, in float64 and in float32, and so do both ways
of inverting a cumulative sum (normalised or not). Each coin that is looked at is tried at 0, just
below 1, at its threshold, and one unit of its grid to either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any

from .coin_cases import COIN_CASES, ROUNDED, CoinCase, Row, seeded_cases
from .writing import INVALID, Vector, number, row

#: The grids that coins lie on, by their flags: exponents of one unit.
GRIDS = {"float64": 53, "float32": 24}
RULE = "the standard rule, coin by coin"
CONVENTION = {
    "accept": "draft j is accepted iff accept[j] < min(1, p_j(x_j) / q_j(x_j)), strictly; "
    "accept[j] is looked at only when all drafts before j were accepted",
    "final": "one final id: from max(0, p_j - q_j) normalised after a rejection at j, else from "
    "the last target row; the first id, in ascending order, whose cumulative probability exceeds "
    "the final coin",
    "once": "no coin is looked at twice",
}


@dataclass(frozen=True)
class Outcome:
    """What the rule does at given coins."""

    ids: tuple[int, ...]
    accepted: int
    source: str
    law: Row
    ratios: tuple[Fraction, ...] = field(default=())


def standard(case: CoinCase, accept: Sequence[Fraction], final: Fraction) -> Outcome:
    """The standard rule, as `CONVENTION` has it."""
    ratios: list[Fraction] = []
    for j, x in enumerate(case.drafts):
        p, q = case.target[j], case.drafter[j]
        ratios.append(min(Fraction(1), p[x] / q[x]))
        if accept[j] < ratios[-1]:
            continue
        left = [max(Fraction(0), a - b) for a, b in zip(p, q, strict=True)]
        law = tuple(value / sum(left) for value in left)
        ids = (*case.drafts[:j], inverted(law, final))
        return Outcome(ids, j, "residual", law, tuple(ratios))
    law = case.target[len(case.drafts)]
    ids = (*case.drafts, inverted(law, final))
    return Outcome(ids, len(case.drafts), "bonus", law, tuple(ratios))


def inverted(law: Row, coin: Fraction) -> int:
    """The first id whose cumulative probability exceeds ``coin``."""
    return next(x for x, reached in enumerate(accumulate(law)) if coin < reached)


def coin_vectors() -> list[Vector]:
    """All of them."""
    found: dict[str, Vector] = {}
    for case in COIN_CASES:
        for flag, bits in GRIDS.items():
            for name, accept, final in _points(case, Fraction(1, 2**bits)):
                made = _vector(case, f"{name}-{flag}", accept, final, flag, bits)
                found.setdefault(made.id, made)
    for case in ROUNDED:
        for name, final in (("below-one", 1 - Fraction(1, 2**53)), ("zero", Fraction(0))):
            accept = [Fraction(1, 4)] * len(case.drafts)
            made = _vector(case, f"final-{name}-float64", accept, final, "float64", 53)
            found[made.id] = made
    for case, accept, final in seeded_cases():
        made = _vector(case, "float64", accept, final, "float64", 53)
        found[made.id] = made
    return [*found.values(), *_invalid()]


def _points(case: CoinCase, unit: Fraction) -> Iterator[tuple[str, list[Fraction], Fraction]]:
    """Coins to try, by name: each coin in turn at its edges, the others in the middle."""
    for j in range(len(case.drafts)):
        ratio = min(Fraction(1), case.target[j][case.drafts[j]] / case.drafter[j][case.drafts[j]])
        before = [_accepting(case, i) for i in range(j)]
        behind = [_accepting(case, i) for i in range(j + 1, len(case.drafts))]
        places = {"zero": Fraction(0), "below-one": 1 - unit}
        if 0 < ratio < 1:
            places |= {"threshold": ratio, "below": ratio - unit, "above": ratio + unit}
        for name, coin in places.items():
            for final in (Fraction(1, 8), Fraction(7, 8)):
                end = "low" if final < Fraction(1, 2) else "high"
                yield f"accept-{j + 1}-{name}-{end}", [*before, coin, *behind], final
    # The final coin: after a rejection at each position where one can be, and after none.
    for j in range(len(case.drafts) + 1):
        accept = [_accepting(case, i) for i in range(len(case.drafts))]
        if j < len(case.drafts):
            ratio = case.target[j][case.drafts[j]] / case.drafter[j][case.drafts[j]]
            if ratio >= 1:
                continue
            accept[j] = (ratio + 1) / 2
        elif any(not case.target[i][x] for i, x in enumerate(case.drafts)):
            continue
        law = standard(case, accept, Fraction(0)).law
        places = {"zero": Fraction(0), "below-one": 1 - unit}
        for x, reached in enumerate(accumulate(law)):
            if 0 < reached < 1 and law[x]:
                places |= {f"at-{x}": reached, f"below-{x}": reached - unit}
                places |= {f"above-{x}": reached + unit}
        where = f"rejection-{j + 1}" if j < len(case.drafts) else "bonus"
        for name, coin in places.items():
            yield f"final-{where}-{name}", accept, coin


def _accepting(case: CoinCase, j: int) -> Fraction:
    """A coin in the middle of what accepts draft j; where nothing does, in the middle of all."""
    x = case.drafts[j]
    return min(Fraction(1), case.target[j][x] / case.drafter[j][x]) / 2 or Fraction(1, 2)


def _vector(
    case: CoinCase, name: str, accept: Sequence[Fraction], final: Fraction, grid: str, bits: int
) -> Vector:
    outcome = standard(case, accept, final)
    flags = {grid, *_flags(case, outcome, accept, final, Fraction(1, 2**bits)), *case.flags}
    return Vector(
        f"coin-{case.name}-{name}",
        case.shows,
        RULE,
        _given(case, accept, final, bits),
        {"ids": list(outcome.ids), "accepted": outcome.accepted, "final": outcome.source},
        flags=tuple(flags),
        reports=case.reports,
    )


def _given(
    case: CoinCase, accept: Sequence[Fraction], final: Fraction, bits: int
) -> dict[str, Any]:
    return {
        "vocabulary": len(case.target[0]),
        "lookahead": len(case.drafts),
        "target_rows": [row(law) for law in case.target],
        "draft_rows": [row(law) for law in case.drafter],
        "drafts": list(case.drafts),
        "coins": {"accept": [number(u) for u in accept], "final": number(final)},
        "unit": f"2^-{bits}",
    }


def _flags(
    case: CoinCase, outcome: Outcome, accept: Sequence[Fraction], final: Fraction, unit: Fraction
) -> Iterator[str]:
    looked_at = list(zip(accept, outcome.ratios, strict=False))
    coins = [u for u, _ in looked_at]
    support = [x for x, value in enumerate(outcome.law) if value]
    matters = len(support) > 1
    if matters:
        yield "final-inverse-cdf"
        coins.append(final)
        cumulative = list(accumulate(outcome.law))
        if final in [c for c in cumulative if c < 1]:
            yield "final-boundary"
        if any(abs(final - c) == unit for c in cumulative if 0 < c < 1):
            yield "one-unit"
    if any(u == ratio < 1 and ratio for u, ratio in looked_at):
        yield "accept-boundary"
    if any(abs(u - ratio) == unit and 0 < ratio < 1 for u, ratio in looked_at):
        yield "one-unit"
    if 0 in coins:
        yield "coin-zero"
    if 1 - unit in coins:
        yield "coin-below-one"
    if any(not ratio for ratio in outcome.ratios):
        yield "zero-probability"
    if outcome.source == "residual":
        if matters:
            yield "residual"
        if inverted(outcome.law, accept[outcome.accepted]) != outcome.ids[-1]:
            yield "coin-reuse"
    if not case.drafts:
        yield "no-drafts"
    if len(set(case.target)) > 1:
        yield "shifted-rows"


def _invalid() -> Iterator[Vector]:
    """Inputs that no rule can answer: they must be refused, not answered with an id."""
    half, third = Fraction(1, 2), CoinCase("p", "", ((Fraction(1, 2),) * 2,) * 2)
    good = _given(
        CoinCase("g", "", third.target, ((half, half),), (0,)), [Fraction(3, 4)], half, 53
    )
    none = {"exact": [None, None], "float": [None, None]}

    def refused(name: str, shows: str, error: str, *reports: str, **changes: Any) -> Vector:
        flags = ("nan",) if "nan" in name else ()
        given, expect = good | changes, {"refused": error}
        return Vector(
            f"coin-invalid-{name}", shows, RULE, given, expect, INVALID, flags, tuple(reports)
        )

    yield refused(
        "nan-target-row",
        "a target row of NaN: an id from it may be a padding id",
        "a row holds NaN",
        *("vllm-project/vllm #21876", "vllm-project/vllm #53029"),
        target_rows=[none, good["target_rows"][1]],
    )
    yield refused(
        "nan-draft-row",
        "a draft row of NaN: comparisons are false, residuals are NaN",
        "a row holds NaN",
        "vllm-project/vllm #41834",
        draft_rows=[none],
    )
    yield refused(
        "draft-outside-vocabulary",
        "a draft id that the target does not have",
        "a draft is outside the vocabulary",
        "ggml-org/llama.cpp #3812",
        drafts=[2],
    )
    yield refused(
        "draft-not-drawn",
        "a draft to which its own law gives nothing: it was not drawn from it",
        "a draft has q = 0",
        draft_rows=[row([Fraction(0), Fraction(1)])],
    )
    yield refused(
        "row-missing",
        "K drafts need K + 1 target rows",
        "a target row is missing",
        target_rows=good["target_rows"][:1],
    )
