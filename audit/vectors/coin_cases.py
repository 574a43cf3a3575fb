"""The laws and drafts of coin vectors, all multiples of powers of two but for `ROUNDED`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

Row = tuple[Fraction, ...]
#: A whole number from 0 up to, not including, its argument.
Below = Callable[[int], int]

#: Public reports of the faults that coins show and laws do not, or show best.
ENDPOINT = ("sgl-project/sglang #35771", "sgl-project/sglang #35788")
REUSE = ("sgl-project/sglang #7207", "vllm-project/vllm-ascend #16370")
ZEROED = ("SafeAILab/EAGLE #20", "xLLM-AI/xllm #2175")


@dataclass(frozen=True)
class CoinCase:
    """Rows of K + 1 target laws, K draft laws, and K drafts."""

    name: str
    shows: str
    target: tuple[Row, ...]
    drafter: tuple[Row, ...] = ()
    drafts: tuple[int, ...] = ()
    reports: tuple[str, ...] = ()
    flags: tuple[str, ...] = field(default=())


def _case(name: str, shows: str, p: str, q: str, drafts: str, *reports: str) -> CoinCase:
    """A case from text: laws of positions with a bar between them."""
    return CoinCase(name, shows, _laws(p), _laws(q), tuple(map(int, drafts.split())), reports)


def _laws(text: str) -> tuple[Row, ...]:
    parts = [part.split() for part in text.split("|") if part.strip()]
    return tuple(tuple(Fraction(value) for value in part) for part in parts)


COIN_CASES = (
    _case(
        "point-residual",
        "an accept threshold of 1/2, and a residual of one id: the final coin does not matter",
        "1/2 1/4 1/4 | 1/2 1/4 1/4",
        "1/4 1/4 1/2",
        "2",
    ),
    _case(
        "two-left",
        "two ids in the residual, equally likely: the coin that rejected must not choose",
        "3/8 3/8 1/4 | 1/4 1/2 1/4",
        "1/4 1/4 1/2",
        "2",
        *REUSE,
    ),
    _case(
        "uneven-residual",
        "a residual of 3/4 and 1/4 that is neither p nor p without the draft",
        "7/16 5/16 1/8 1/8 | 1/8 1/8 1/4 1/2",
        "1/4 1/4 1/4 1/4",
        "2",
        *ZEROED,
    ),
    _case(
        "excluded-draft",
        "p of the draft is 0: no coin accepts it, not even 0",
        "1 0 | 1/2 1/2",
        "0 1",
        "1",
        *ENDPOINT,
    ),
    _case(
        "excluded-in-the-middle",
        "p of the draft is 0, and the residual skips it",
        "1/2 0 1/2 | 1/4 1/2 1/4",
        "1/4 1/2 1/4",
        "1",
        *ENDPOINT,
    ),
    _case(
        "always-accepted",
        "p is above q: every coin accepts, the largest one too",
        "3/4 1/4 | 1/4 3/4",
        "1/2 1/2",
        "0",
    ),
    _case(
        "equal-laws",
        "p is q: every coin accepts, and the residual is never asked for",
        "1/2 1/4 1/4 | 1/4 1/4 1/2",
        "1/2 1/4 1/4",
        "1",
        *("jaymody/speculative-sampling #5", "youssofal/MTPLX #82"),
    ),
    _case(
        "last-ids-excluded",
        "ids at the end without probability: the largest coin must not fall through to them",
        "7/16 5/16 1/4 0 0 | 1/2 1/2 0 0 0",
        "1/4 1/4 1/2 0 0",
        "2",
    ),
    _case(
        "first-id-excluded",
        "an id at the start without probability: the coin 0 must not take it",
        "0 3/8 3/8 1/4 | 0 1/2 1/2 0",
        "1/4 1/4 1/4 1/4",
        "0",
    ),
    _case(
        "certain-draft",
        "a draft without a law of its own: q is one-hot",
        "1/2 1/4 1/4 | 1/4 1/4 1/2",
        "1 0 0",
        "0",
        *("vllm-project/vllm-ascend #7603", "vllm-project/vllm #40149"),
    ),
    _case(
        "certain-target",
        "a target at temperature 0, its id drafted with probability 1/4",
        "0 1 0 | 0 0 1",
        "1/4 1/4 1/2",
        "1",
    ),
    _case(
        "certain-target-elsewhere",
        "a target at temperature 0 that excludes the draft",
        "0 1 0 | 0 0 1",
        "1/4 1/4 1/2",
        "2",
        *ENDPOINT,
    ),
    _case(
        "near-one",
        "a ratio of 15/16: a rule that takes it for 1 never rejects",
        "15/32 1/2 1/32 | 1/2 1/4 1/4",
        "1/2 7/16 1/16",
        "0",
    ),
    _case(
        "small-ratio",
        "a ratio of 2^-20",
        "1/1048576 1048575/1048576 | 1/2 1/2",
        "1 0",
        "0",
    ),
    _case(
        "two-drafts",
        "two drafts with thresholds of their own, and three different target rows",
        "3/8 3/8 1/4 | 1/8 3/8 1/2 | 1/2 1/8 3/8",
        "1/4 1/4 1/2 | 1/4 1/2 1/4",
        "2 1",
        *("huggingface/transformers #28166", "openvinotoolkit/openvino.genai #4190"),
    ),
    _case(
        "rejected-then-better",
        "the first draft may be rejected, the second never is: what stands behind a rejection "
        "does not count",
        "1/4 3/4 | 3/4 1/4 | 1/2 1/2",
        "1/2 1/2 | 1/4 3/4",
        "0 0",
        *("vllm-project/vllm-ascend #7603", "vllm-project/vllm-ascend #7839"),
    ),
    _case(
        "three-drafts",
        "three drafts, each with another threshold",
        "7/16 5/16 1/8 1/8 | 1/2 1/8 1/4 1/8 | 1/8 1/8 3/8 3/8 | 1/4 1/4 1/4 1/4",
        "1/4 1/4 1/4 1/4 | 3/8 1/8 1/2 0 | 1/2 1/4 1/8 1/8",
        "2 2 0",
        *("flashinfer-ai/flashinfer #424", "flashinfer-ai/flashinfer #425"),
    ),
    _case("nothing-drafted", "no draft: plain sampling from the one row", "1/2 0 1/4 1/4", "", ""),
    _case("one-id", "a vocabulary of one id", "1 | 1", "1", "0"),
)

_TENTHS = " ".join(["1/10"] * 10)
ROUNDED = (
    CoinCase(
        "ten-tenths",
        "ten times 0.1 adds up to less than 1 in float64: the largest coin must not leave the "
        "vocabulary",
        _laws(_TENTHS),
        flags=("rounding",),
    ),
    CoinCase(
        "ten-tenths-padded",
        "ten times 0.1, then an id that the target excludes",
        _laws(f"{_TENTHS} 0"),
        flags=("rounding",),
    ),
    CoinCase(
        "ten-tenths-after-a-draft",
        "the same behind an accepted draft",
        _laws(f"1/10 9/10 {' '.join(['0'] * 9)} | {_TENTHS} 0"),
        _laws(f"1/10 9/10 {' '.join(['0'] * 9)}"),
        (1,),
        flags=("rounding",),
    ),
)


def seeded_cases() -> Iterator[tuple[CoinCase, list[Fraction], Fraction]]:
    """Twenty-four larger cases with coins away from every threshold, drawn from a seed."""
    generator = Random(20502052)

    def below(n: int) -> int:
        return int(generator.random() * n)  # random() is the same in every Python

    for n in range(24):
        size, drafts = 4 + below(5), 1 + below(4)
        target = tuple(_seeded_row(size, below) for _ in range(drafts + 1))
        drafter = tuple(_seeded_row(size, below) for _ in range(drafts))
        drawn = tuple(next(x for x in _order(size, below) if law[x]) for law in drafter)
        accept = [_coin(below) for _ in range(drafts)]
        shows = "larger laws, coins away from every threshold"
        case = CoinCase(f"seeded-{n:02d}", shows, target, drafter, drawn, flags=("rounding",))
        yield case, accept, _coin(below)


def _seeded_row(size: int, below: Below) -> Row:
    weights = [below(5) for _ in range(size)]
    weights[below(size)] += 1
    missing = 64 - sum(weights)
    weights[below(size)] += missing
    return tuple(Fraction(weight, 64) for weight in weights)


def _order(size: int, below: Below) -> list[int]:
    start = below(size)
    return [(start + x) % size for x in range(size)]


def _coin(below: Below) -> Fraction:
    """An odd multiple of 2^-40: no ratio of 64ths is closer than 2^-46."""
    return Fraction(2 * below(2**39) + 1, 2**40)
