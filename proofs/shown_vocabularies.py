"""What establishes the claims about algorithms over two vocabularies, token by token."""

from __future__ import annotations

from collections.abc import Iterator

from ..audit.examples import EXAMPLES
from ..audit.laws import Laws
from ..reference.chance import Chance
from ..reference.distribution import Distribution, ExactDistribution, total_variation
from ..reference.drafting import Drafts, draft_tokens
from ..reference.exact import ZERO, Rational, rational
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program
from ..reference.rounds import Round
from ..reference.standard import verify
from ..reference.tli import tli_acceptance
from ..reference.union import union_acceptance
from ..toymodels.gallery import gallery
from ..toymodels.models import NgramModel
from ..toymodels.tokenizers import greedy
from . import checks, exhaustion
from .ledger import ClaimError


def tli_at_least_union() -> Iterator[str]:
    """Theorem 4.1 without filters."""
    checked = more = 0
    for each in gallery():
        if not each.pair.intersection:
            continue
        tli, union = (f(each.pair, each.prompt) for f in (tli_acceptance, union_acceptance))
        if tli < union:
            raise ClaimError(f"{each.name}: TLI accepts {tli}, the union {union}")
        checked, more = checked + 1, more + (tli > union)
    yield f"TLI accepts at least as often on {checked} pairs, more often on {more}"


def top_p(law: ExactDistribution[str], nucleus: Rational) -> ExactDistribution[str]:
    """The likeliest outcomes that together reach ``nucleus``, renormalised."""
    kept: list[str] = []
    reached: Rational = ZERO
    for outcome in sorted(law, key=lambda x: (-law[x], x)):
        if reached >= nucleus:
            break
        kept.append(outcome)
        reached += law[outcome]
    return law.restrict(kept)


def filters_after_masking() -> Iterator[str]:
    """q = (a .20, z .10, b .06, c .06, twelve of .58/12), z outside T, top-p .3, p certain of a."""
    rest = {f"r{i}": rational(58, 1200) for i in range(12)}
    q = ExactDistribution(
        {"a": rational(1, 5), "z": rational(1, 10), "b": rational(6, 100), "c": rational(6, 100)}
        | rest
    )
    shared = [token for token in q if token != "z"]
    nucleus = rational(3, 10)
    union = top_p(q, nucleus)["a"]
    before = top_p(q, nucleus).restrict(shared)["a"]
    after = top_p(q.restrict(shared), nucleus)["a"]
    if (union, after) != (rational(2, 3), rational(5, 8)) or before < union:
        raise ClaimError(f"union {union}, filters before masking {before}, after {after}")
    yield f"the union accepts {union}; TLI {after} with top-p after masking, {before} before it"


def smaller_filter_example() -> Iterator[str]:
    """No vocabulary with fewer than four drafter tokens shows it, for denominators up to 12."""
    for size in (2, 3, 4):
        for denominator in range(1, 13):
            for law in checks.small_laws(size, denominator):
                if not all(law) or len(set(law)) < size:
                    continue  # no ties: how they are broken is another matter
                found = _filter_loss(law)
                if found is not None:
                    yield f"smallest: {size} drafter tokens, {found}"
                    return
        yield f"{size} drafter tokens: none, for laws with denominators up to 12"
    raise ClaimError("no small law shows it")


def _filter_loss(law: tuple[Rational, ...]) -> str | None:
    names = [*"abcd"[: len(law) - 1], "z"]
    q = ExactDistribution(dict(zip(names, law, strict=True)))
    shared = names[:-1]
    for tenths in range(1, 10):
        nucleus = rational(tenths, 10)
        filtered = top_p(q, nucleus)
        after = top_p(q.restrict(shared), nucleus)
        for token in shared:  # p is certain of it
            if after[token] < filtered[token]:
                listed = ", ".join(f"{n} {v}" for n, v in q.items())
                return (
                    f"q = ({listed}), z outside T, top-p {nucleus}, p certain of {token}: the "
                    f"union accepts {filtered[token]}, TLI {after[token]}"
                )
    return None


def one_preimage() -> Iterator[str]:
    """A map from many to one that scores one of the many."""
    yield from checks.exact_example("one-preimage", 1, {(0,): "1/2", (1,): "1/2"}, "1/10")
    sizes = [(total, drafts) for total in range(2, 5) for drafts in (1, 2)]
    found = exhaustion.smallest(EXAMPLES["one-preimage"].program, sizes, duplicates=True)
    if found is None:
        raise ClaimError("no small pair shows it")
    yield f"smallest: {found}"


def redistributed(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """Drafts from q as it is, scored by q with what lies outside T spread over the shared tokens.

    The mistake that the condition on out-of-vocabulary redistribution rules out.
    """
    drafts = draft_tokens(pair, context, lookahead, chance)
    laws = [_spread(pair, law) for law in drafts.laws]
    return verify(pair, context, Drafts(drafts.drafter_ids, drafts.tokens, tuple(laws)), chance)


def _spread(pair: Pair, law: Distribution[int]) -> Distribution[int]:
    shared = [x for x in law.support() if x < pair.target.size]
    outside = sum((law[x] for x in law.support() if x >= pair.target.size), ZERO)
    if not shared or not outside:
        return law
    return ExactDistribution({x: law[x] + outside / len(shared) for x in shared})


def drawn_redistributed(pair: Pair, q: Distribution[int]) -> Distribution[int]:
    """The redistributed law over D, to draw from: what T lacks is spread over what it has."""
    shared = [d for d in q.support() if d in pair.shared_drafter_ids]
    outside = sum((q[d] for d in q.support() if d not in pair.shared_drafter_ids), ZERO)
    if not shared or not outside:
        return q
    return ExactDistribution({d: q[d] + outside / len(shared) for d in shared})


def redistribution() -> Iterator[str]:
    """Lossy when the redistributed law is only scored with."""

    def make(lookahead: int) -> Program:
        return Program(
            "redistributed",
            lambda a, c, chance, _: redistributed(a, c, lookahead, chance),
            lookahead,
        )

    found = exhaustion.smallest(make, [(total, 1) for total in range(2, 6)])
    if found is None:
        raise ClaimError("scoring with a redistributed q came out exact everywhere")
    yield f"drawn from q, scored with the redistributed q: {found}"


def redistribution_drawn() -> Iterator[str]:
    """Lossless when it is the law that is drawn from, on the gallery."""
    checked = changed = 0
    for each in gallery():

        def run(pair: Pair, context: Ids, chance: Chance, _: object) -> Round:
            drafts = draft_tokens(pair, context, 2, chance, drawn_redistributed)
            return verify(pair, context, drafts, chance)

        laws = Laws(Program("redistributed", run, 2), each.pair)
        due = laws.due_law(each.prompt, laws.round_law(each.prompt).longest)
        if off := total_variation(due, laws.completed_round(each.prompt)):
            raise ClaimError(f"{each.name}: off by {off}")
        checked += 1
        changed += len(each.pair.shared_drafter_ids) < each.pair.drafter.size
    yield f"drawn from the q that scores: exact on {checked} pairs, {changed} with tokens T lacks"


def transferred(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
    """Drafts re-tokenized for the target, each scored by the drafter's probability at its place.

    The probabilities go with the drafter's tokens, one for each position; the target's tokens of
    the same text are not drawn with them.
    """
    from ..reference.proposals import propose
    from ..reference.stop_rules import Fixed

    proposal = propose(pair, context, Fixed(lookahead), chance)
    laws: list[ExactDistribution[int]] = []
    for j, token in enumerate(proposal.candidates):
        drawn = proposal.drafter_ids[: min(j, len(proposal.drafter_ids) - 1) + 1]
        law = pair.drafter.distributions(proposal.read + drawn[:-1])[0]
        laws.append(ExactDistribution({token: law[drawn[-1]]}, sub_stochastic=True))
    drafts = Drafts(proposal.drafter_ids, proposal.candidates, tuple(laws))
    return verify(pair, context, drafts, chance)


def alignment() -> Iterator[str]:
    """Probabilities carried over by position are not the law of the candidates."""

    def make(lookahead: int) -> Program:
        return Program(
            "transferred", lambda a, c, chance, _: transferred(a, c, lookahead, chance), lookahead
        )

    sizes = [(total, drafts) for total in range(2, 6) for drafts in (1, 2)]
    found = exhaustion.smallest(make, sizes, applies=exhaustion.expressible)
    if found is None:
        raise ClaimError("transferred probabilities came out exact everywhere")
    yield f"smallest: {found}"
    one = Pair(
        NgramModel.constant(["1/2", "1/2"]),
        NgramModel.constant(["1/4", "3/4"]),
        greedy(["a", "b"]),
        greedy(["a", "b"]),
    )
    laws = Laws(make(1), one)
    if total_variation(laws.due_law((), 2), laws.completed_round(())):
        raise ClaimError("over one vocabulary the transfer should be exact")
    yield "where the tokens of both sides are the same it is the drafter's own probability: exact"
