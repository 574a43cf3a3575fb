"""Acceptance and residual vectors: one position's p and q, as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .writing import INVALID, Vector, number, row

ACCEPTANCE = "acceptance and residual of one position"
CONVENTION = {
    "acceptance": "for each id min(1, p/q), the probability with which a draft of it is accepted; "
    "null where q is 0: it cannot have been drafted",
    "overlap": "sum of min(p, q): the probability that a draft is accepted",
    "residual": "max(0, p - q) divided by its sum; null where the sum is 0, and a rejection has "
    "probability zero: whatever is computed there must not be drawn from",
}

#: name, what it shows, p, q, flags, reports.
_CASES: tuple[tuple[str, str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("base", "the base pair: the residual is one id", "1/2 3/10 1/5", "1/5 3/10 1/2", (), ()),
    (
        "two-left",
        "two ids in the residual, equally likely",
        "2/5 2/5 1/5",
        "1/10 1/10 4/5",
        ("residual",),
        ("sgl-project/sglang #7207",),
    ),
    (
        "uneven",
        "a residual that is neither p nor p without the draft",
        "1/2 2/5 1/10",
        "1/10 3/10 3/5",
        ("residual",),
        ("SafeAILab/EAGLE #20", "xLLM-AI/xllm #2175"),
    ),
    (
        "swapped",
        "p and q the other way round: a ratio turned over shows",
        "1/3 2/3",
        "2/3 1/3",
        (),
        (),
    ),
    (
        "equal",
        "p is q: acceptance 1 everywhere, and no residual",
        "1/2 3/10 1/5",
        "1/2 3/10 1/5",
        ("equal-laws", "zero-over-zero"),
        ("jaymody/speculative-sampling #5", "youssofal/MTPLX #82"),
    ),
    (
        "equal-tenths",
        "p is q, and neither adds up to 1 in float64",
        " ".join(["1/10"] * 10),
        " ".join(["1/10"] * 10),
        ("equal-laws", "zero-over-zero", "rounding"),
        (),
    ),
    (
        "disjoint",
        "nothing in common: acceptance 0, and the residual is p",
        "1/4 3/4 0 0",
        "0 0 1/3 2/3",
        ("zero-probability", "excluded-by-drafter", "residual"),
        (),
    ),
    (
        "excluded-by-target",
        "an id that the target excludes: acceptance 0",
        "2/3 0 1/3",
        "1/3 1/3 1/3",
        ("zero-probability",),
        ("sgl-project/sglang #35771",),
    ),
    (
        "excluded-by-drafter",
        "an id that is never drafted: all of its p is residual",
        "1/3 1/3 1/3",
        "1/2 0 1/2",
        ("excluded-by-drafter",),
        (),
    ),
    (
        "one-hot-draft",
        "a draft without a law: the residual is p without it",
        "2/5 2/5 1/5",
        "1 0 0",
        ("excluded-by-drafter", "residual"),
        ("vllm-project/vllm #40149", "sgl-project/sglang #12512"),
    ),
    (
        "one-hot-target",
        "temperature 0: one id is due",
        "0 1 0",
        "1/5 3/10 1/2",
        ("zero-probability",),
        (),
    ),
    (
        "nearly-equal",
        "p and q differ by 2^-40: the residual is the difference alone",
        f"{2**39 + 1}/{2**40} {2**39 - 1}/{2**40}",
        "1/2 1/2",
        (),
        (),
    ),
    (
        "nearly-one",
        "a ratio of 0.95: leniency above 0.9 accepts it always",
        "19/40 21/40",
        "1/2 1/2",
        (),
        (),
    ),
    (
        "rare",
        "an id of probability 2^-60 beside one of nearly 1",
        f"{2**60 - 1}/{2**60} 1/{2**60}",
        f"1/{2**60} {2**60 - 1}/{2**60}",
        ("rounding",),
        (),
    ),
    (
        "thirds",
        "numbers that float64 does not hold",
        "1/3 1/3 1/3",
        "1/7 2/7 4/7",
        ("rounding", "residual"),
        (),
    ),
    ("one-id", "a vocabulary of one id", "1", "1", ("equal-laws", "zero-over-zero"), ()),
    (
        "many",
        "sixteen ids, laws in opposite orders",
        " ".join(f"{x + 1}/136" for x in range(16)),
        " ".join(f"{16 - x}/136" for x in range(16)),
        ("residual",),
        (),
    ),
)


def rows_vectors() -> Iterator[Vector]:
    """All of them."""
    for name, shows, p_text, q_text, flags, reports in _CASES:
        p, q = ([Fraction(value) for value in law.split()] for law in (p_text, q_text))
        pairs = list(zip(p, q, strict=True))
        left = [max(Fraction(0), a - b) for a, b in pairs]
        ratios = [min(Fraction(1), a / b) if b else None for a, b in pairs]
        yield Vector(
            f"rows-{name}",
            shows,
            ACCEPTANCE,
            {"target_row": row(p), "draft_row": row(q)},
            {
                "acceptance": {
                    "exact": [
                        None if r is None else f"{r.numerator}/{r.denominator}" for r in ratios
                    ],
                    "float": [None if r is None else float(r) for r in ratios],
                },
                "overlap": number(sum((min(a, b) for a, b in pairs), Fraction(0))),
                "residual": row([x / sum(left) for x in left]) if sum(left) else None,
            },
            flags=flags,
            reports=reports,
        )
    for name, p, q, error in (
        ("negative", ["3/2", "-1/2"], ["1/2", "1/2"], "a probability is negative"),
        ("not-normalised", ["1/2", "1/4"], ["1/2", "1/2"], "a row does not sum to one"),
        ("lengths", ["1/2", "1/2"], ["1/2", "1/4", "1/4"], "the rows have different lengths"),
    ):
        given = {"target_row": row(map(Fraction, p)), "draft_row": row(map(Fraction, q))}
        shows = f"no rows that a rule is defined for: {error}"
        yield Vector(f"rows-invalid-{name}", shows, ACCEPTANCE, given, {"refused": error}, INVALID)
