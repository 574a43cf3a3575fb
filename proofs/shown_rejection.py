"""What establishes the claims about standard speculative decoding, blocks and runs."""

from __future__ import annotations

from collections.abc import Iterator

from ..audit.examples import EXAMPLES
from ..audit.laws import Laws
from ..reference.block_verification import block_round
from ..reference.chance import Chance
from ..reference.distribution import total_variation
from ..reference.enumeration import expectation
from ..reference.exact import ONE, ZERO, Rational, rational
from ..reference.exact_match import exact_match_round
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import program
from ..reference.standard import standard_round
from ..toymodels.gallery import gallery, gallery_pair
from ..toymodels.models import NgramModel
from ..toymodels.tokenizers import greedy
from . import checks
from .ledger import ClaimError

_Z3 = ("z3",)
_LEVIATHAN = "Algorithm 5; Leviathan et al. 2211.17192, Chen et al. 2302.01318"


def bigram_pair(p: list[str], q: list[str]) -> Pair:
    """Two ids; laws at the start, after 0 and after 1, on both sides."""
    models = [
        NgramModel(2, 2, {(): rows[0].split(), (0,): rows[1].split(), (1,): rows[2].split()})
        for rows in (p, q)
    ]
    tokenizer = greedy(["a", "b"])
    return Pair(models[0], models[1], tokenizer, tokenizer)


def expected_tokens() -> Iterator[str]:
    """Acceptances that depend on each other: (1 - a^(k+1)) / (1 - a) is not E[tokens]."""
    pair = bigram_pair(["1/2 1/2", "1 0", "0 1"], ["1 0", "1 0", "1 0"])
    tokens = Laws(program("standard", 2), pair).round_law(()).tokens
    a = rational(1, 2)
    formula = (1 - a**3) / (1 - a)
    if tokens == formula or tokens != 2:
        raise ClaimError(f"E[tokens] is {tokens}, the formula gives {formula}")
    yield (
        "p = (1/2, 1/2), certain of the same id after it; q = (1, 0): each draft's acceptance at "
        f"the start is 1/2, E[tokens] = {tokens} at k = 2, the formula gives {formula}"
    )
    yield "k = 1: E[tokens] = 1 + a whatever p and q are, so 2 is the smallest k; one id: a = 1"


def tokens_by_survival() -> Iterator[str]:
    """E[tokens] = sum over j of P(the first j drafts are accepted), on the gallery."""
    checked = 0
    for each in gallery():
        if each.pair.end_of_sequence is not None:
            continue  # a block is cut there, and counts fewer tokens
        survival: Rational = ZERO
        for j in range(4):

            def accepted(chance: Chance, j: int = j) -> int:
                return int(standard_round(each.pair, each.prompt, 3, chance).accepted >= j)  # noqa: B023

            survival += expectation(accepted)
        tokens = Laws(program("standard", 3), each.pair).round_law(each.prompt).tokens
        if tokens != survival:
            raise ClaimError(f"{each.name}: {tokens} tokens, the sum is {survival}")
        checked += 1
    yield f"k = 3: the sum over j is E[tokens] on {checked} pairs that end no sequence"


def who_attains_the_bound() -> Iterator[str]:
    """The standard rule accepts sum min(p, q), exact match sum p q, which is never more."""
    yield from checks.symbolically_accepts(
        "standard: sum min(p, q)", standard_round, lambda p, q: p.overlap(q), 3
    )
    yield from checks.symbolically_accepts(
        "exact match: sum p q", exact_match_round, lambda p, q: p.coincidence(q), 3
    )


def block_toy() -> Iterator[str]:
    """Where a block accepts more than its tokens one by one."""
    home = checks.small_pair((rational(1, 3), rational(2, 3)), (rational(2, 3), rational(1, 3)))
    found: list[Rational] = []
    for run in (standard_round, block_round):
        found.append(expectation(lambda chance: run(home, (), 2, chance).accepted))  # noqa: B023
    if found != [rational(10, 9), rational(11, 9)]:
        raise ClaimError(f"expected accepted tokens {found}, not 10/9 and 11/9")
    yield "p = (1/3, 2/3), q = (2/3, 1/3), k = 2: 10/9 accepted token by token, 11/9 as a block"


def block_never_below() -> Iterator[str]:
    """Expected accepted drafts, both ways, on the gallery."""
    for k in (1, 2, 3):
        more = 0
        for each in gallery():
            token, block = (
                expectation(lambda chance: run(each.pair, each.prompt, k, chance).accepted)  # noqa: B023
                for run in (standard_round, block_round)
            )
            if block < token:
                raise ClaimError(f"{each.name}, k = {k}: block {block} below token-wise {token}")
            more += block > token
        yield f"k = {k}: never below on {len(gallery())} pairs, above on {more}"


def block_symbolic() -> Iterator[str]:
    """Block accepts no less than token-wise, for all p and q over two ids, two drafts."""
    from .formulas import Formula
    from .signs import cases
    from .symbolic import symbolic_branches, symbolic_pair

    made = symbolic_pair(2, 2)

    def accepted(run: checks.RoundOf) -> Formula:
        total = made.symbols.number(0)
        for block, branch in symbolic_branches(
            made.symbols, lambda chance: run(made.pair, (), 2, chance)
        ):
            total = total + branch.probability * block.accepted
        return total

    count = 0
    for found in cases(made.symbols, lambda: accepted(block_round) - accepted(standard_round)):
        gain = found.result
        if found.case.model(made.symbols.term(gain.numerator * gain.denominator) < 0) is not False:
            raise ClaimError(f"block may accept less where {found.case}")
        count += 1
    yield f"two ids, two drafts: in each of {count} cases the gain is nowhere negative (z3)"


def one_round_suffices() -> Iterator[str]:
    """Whole runs are exact wherever rounds are; a round that is wrong makes runs wrong."""
    yield from checks.lossless_runs("standard", 2, ("base", "contexts", "bpe-greedy"))
    wrong = EXAMPLES["resample-from-p"].program(1)
    home = gallery_pair("base")
    laws = Laws(wrong, home.pair)
    distance = total_variation(laws.due_law(home.prompt, 3), laws.run_law(home.prompt, 3))
    if not distance:
        raise ClaimError("a run of wrong rounds came out exact")
    yield f"resample-from-p on base: rounds are off by 3/20, runs of 3 ids by {distance}"


def lenient(pair: Pair, context: Ids, lookahead: int, chance: Chance, factor: Rational) -> Ids:
    """Accept with min(1, p / (factor q)), the residual as due."""
    del lookahead
    (p,) = pair.target.distributions(context)
    (q,) = pair.drafter.distributions(context)
    x = chance.draw(q)
    if chance.accept(p[x] / (factor * q[x])):
        return (x,)
    return (chance.draw(p.residual(q)),)


def relaxed_error() -> Iterator[str]:
    """The bound on every law with denominators up to 5 over three ids, factors 9/10 and 1/2."""
    from ..reference.enumeration import exact_law

    for factor in (rational(9, 10), rational(1, 2)):
        tried = tight = 0
        for p in checks.small_laws(3, 4):
            for q in checks.small_laws(3, 4):
                pair = checks.small_pair(p, q)
                due = pair.target.distributions(())[0]
                if any(a == b for a, b in [(p, q)]):
                    continue  # nothing is ever rejected
                law = exact_law(lambda chance: lenient(pair, (), 1, chance, factor)[0])  # noqa: B023
                off = total_variation(due, law)  # pyright: ignore[reportArgumentType]
                bound = sum(
                    (
                        b * (min(ONE, a / (factor * b)) - min(ONE, a / b))
                        for a, b in zip(p, q, strict=True)
                        if b
                    ),
                    ZERO,
                )
                if off > bound:
                    raise ClaimError(f"p = {p}, q = {q}: off by {off}, the bound says {bound}")
                tried += 1
                tight += off == bound
        yield f"ratio times 1/({factor}): {tried} laws within the bound, {tight} attain it"


RESAMPLE = EXAMPLES["resample-from-p"].run_round
