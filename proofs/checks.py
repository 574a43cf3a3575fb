"""What the checks of the ledger have in common: the gallery, formulas, and all small laws.

Each function here gives lines that say what was found, or raises `ClaimError`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..audit.examples import EXAMPLES
from ..audit.laws import Laws
from ..reference.chance import Chance
from ..reference.distribution import total_variation
from ..reference.exact import ZERO, Rational, rational
from ..reference.models import Ids
from ..reference.pair import Pair, PairError
from ..reference.programs import Program, program
from ..reference.rounds import Round
from ..toymodels.gallery import gallery, gallery_pair
from ..toymodels.models import NgramModel
from ..toymodels.tokenizers import greedy
from .ledger import ClaimError

#: One round, given a pair, a context, how many drafts, and chance.
RoundOf = Callable[[Pair, Ids, int, Chance], Round]


def lossless_on_gallery(
    name: str, form: str | int, contexts: int = 2, of: Iterable[str] | None = None
) -> Iterator[str]:
    """One round of a built-in at every context of up to ``contexts`` new ids of every pair."""
    pairs = gallery() if of is None else [gallery_pair(each) for each in of]
    made = program(name, form)
    checked = places = 0
    for each in pairs:
        try:
            laws = Laws(made, each.pair)
            for context, state in laws.contexts(each.prompt, contexts):
                due = laws.due_law(context, laws.round_law(context, state).longest)
                distance = total_variation(due, laws.completed_round(context, state))
                if distance:
                    raise ClaimError(f"{name} on {each.name} after {context}: distance {distance}")
                places += 1
        except PairError:
            continue  # no token in common, for TLI
        checked += 1
    if not checked:
        raise ClaimError("no pair was checked")
    yield f"{name} {form}: {checked} pairs, {places} contexts, distance 0 at every one"


def lossless_runs(name: str, form: str | int, of: Iterable[str], horizon: int = 3) -> Iterator[str]:
    """Whole runs of a built-in, carried state included."""
    made = program(name, form)
    for each in map(gallery_pair, of):
        laws = Laws(made, each.pair)
        distance = total_variation(
            laws.due_law(each.prompt, horizon), laws.run_law(each.prompt, horizon)
        )
        if distance:
            raise ClaimError(f"{name} on {each.name}: distance {distance} after {horizon} ids")
        yield f"{name} {form} on {each.name}: {horizon} new ids, distance 0"


def acceptance_on_gallery(name: str, form: str | int) -> Iterator[str]:
    """The formula of Table 3 against the enumerated probability of accepting the first draft."""
    made = program(name, form)
    formula = made.acceptance
    if formula is None:
        raise ClaimError(f"{name} has no formula")
    checked = 0
    for each in gallery():
        try:
            due = formula(each.pair, each.prompt)
            found = Laws(made, each.pair).round_law(each.prompt).acceptance
        except PairError:
            continue
        if due != found:
            raise ClaimError(f"{name} on {each.name}: {found} is accepted, the formula says {due}")
        checked += 1
    yield f"{name} {form}: the formula gives the enumerated acceptance on {checked} pairs"


def symbolically_lossless(
    what: str, round_of: RoundOf, sizes: Sequence[tuple[int, int]]
) -> Iterator[str]:
    """For all positive p and q at the sizes (vocabulary, lookahead) given, the law is the target's.

    p and q depend on the context; the code that is run is the algorithm's own.
    """
    from .symbolic import law_formulas, symbolic_pair

    for size, lookahead in sizes:
        made = symbolic_pair(size, lookahead)
        count = 0
        for found in law_formulas(made, with_drafts(round_of, lookahead)):
            if not found.result.is_lossless(found.case):
                raise ClaimError(f"{what}, {size} ids, {lookahead} drafts: not if {found.case}")
            count += 1
        yield (
            f"{what}, {size} ids, {lookahead} draft{'s' * (lookahead > 1)}: lossless in each of "
            f"{count} cases, for all positive p and q"
        )


def with_drafts(round_of: RoundOf, lookahead: int) -> Callable[[Pair, Ids, Chance], Round]:
    """``round_of`` with its number of drafts fixed."""
    return lambda pair, context, chance: round_of(pair, context, lookahead, chance)


def symbolically_accepts(
    what: str, round_of: RoundOf, formula: Callable[[Any, Any], Any], size: int
) -> Iterator[str]:
    """For all positive p and q the first draft is accepted with the probability of ``formula``."""
    from .signs import within
    from .symbolic import law_formulas, symbolic_pair

    made = symbolic_pair(size, 1)
    (p,) = made.pair.target.distributions(())
    (q,) = made.pair.drafter.distributions(())
    count = 0
    for found in law_formulas(made, with_drafts(round_of, 1)):
        due = within(found.case, lambda: formula(p, q))
        if not found.case.equal(found.result.acceptance, due):
            raise ClaimError(
                f"{what}: accepts {found.result.acceptance}, not {due}, where {found.case}"
            )
        count += 1
    yield (
        f"{what}, {size} ids: the formula holds in each of {count} cases, for all positive p and q"
    )


def exact_example(
    name: str, lookahead: int, expected: dict[Ids, str], distance: str, contexts: Ids | None = None
) -> Iterator[str]:
    """A lossy variant on its home pair: its completed law is exactly ``expected``."""
    example = EXAMPLES[name]
    home = gallery_pair(example.home)
    laws = Laws(example.program(lookahead), home.pair)
    context = home.prompt if contexts is None else contexts
    given = laws.completed_round(context)
    due = laws.due_law(context, laws.round_law(context).longest)
    for ids, text in expected.items():
        beginning = sum((n for string, n in given.items() if string[: len(ids)] == ids), ZERO)
        if beginning != rational(text):
            raise ClaimError(f"{name} on {example.home}: P{ids} is {beginning}, not {text}")
        wanted = sum((n for string, n in due.items() if string[: len(ids)] == ids), ZERO)
        yield f"on {example.home}, K = {lookahead}: P{ids} = {beginning}; {wanted} is due"
    found = total_variation(due, given)
    if found != rational(distance):
        raise ClaimError(f"{name} on {example.home}: distance {found}, not {distance}")
    yield f"total variation {found}"


def small_laws(size: int, denominator: int) -> Iterator[tuple[Rational, ...]]:
    """Every law over ``size`` ids whose probabilities are multiples of 1/``denominator``."""
    for parts in itertools.product(range(denominator + 1), repeat=size - 1):
        if sum(parts) <= denominator:
            yield tuple(rational(n, denominator) for n in (*parts, denominator - sum(parts)))


def small_pair(p: Sequence[Rational], q: Sequence[Rational]) -> Pair:
    """A pair over one vocabulary with these laws at every context."""
    tokenizer = greedy(["abcdefgh"[token] for token in range(len(p))])
    return Pair(NgramModel.constant(p), NgramModel.constant(q), tokenizer, tokenizer)


def round_distance(pair: Pair, round_of: RoundOf, lookahead: int) -> Rational:
    """Total variation of one round's completed block from the law due, at the empty context."""
    made = Program("rule", lambda a, c, chance, _: round_of(a, c, lookahead, chance), lookahead)
    laws = Laws(made, pair)
    due = laws.due_law((), laws.round_law(()).longest)
    return total_variation(due, laws.completed_round(()))


def smallest_denominator(
    what: str, round_of: RoundOf, size: int, lookahead: int, upto: int = 6
) -> Iterator[str]:
    """By enumeration: the least common denominator of p and q at which the rule is lossy."""
    tried = 0
    for denominator in range(1, upto + 1):
        worst = ZERO
        where: tuple[Any, Any] | None = None
        for p, q in itertools.product(small_laws(size, denominator), repeat=2):
            tried += 1
            distance = round_distance(small_pair(p, q), round_of, lookahead)
            if distance > worst:
                worst, where = distance, (p, q)
        if where is not None:
            p, q = (f"({', '.join(map(str, law))})" for law in where)
            yield (
                f"{what}, {size} ids, {lookahead} draft{'s' * (lookahead > 1)}: denominators below "
                f"{denominator} show nothing; p = {p}, q = {q} is off by {worst} ({tried} laws)"
            )
            return
    raise ClaimError(f"{what}: lossless for every denominator up to {upto}")


def needs_this_size(
    what: str, round_of: RoundOf, size: int, lookahead: int, denominator: int = 6
) -> Iterator[str]:
    """A rule is lossy at (size, lookahead), and lossless with fewer ids or fewer drafts.

    Smaller sizes: for all positive p and q by formulas and z3, and with zeros by exhaustion over
    all laws with denominators up to ``denominator``.
    """
    smaller = [(size - 1, lookahead)] if size > 1 else []
    smaller += [(size, lookahead - 1)] if lookahead > 1 else []
    for fewer, drafts in smaller:
        if fewer > 1:
            yield from symbolically_lossless(what, round_of, [(fewer, drafts)])
        for d in range(1, denominator + 1):
            for p, q in itertools.product(small_laws(fewer, d), repeat=2):
                if distance := round_distance(small_pair(p, q), round_of, drafts):
                    raise ClaimError(f"{what}: {fewer} ids suffice: p = {p}, q = {q}, {distance}")
        yield f"{what}, {fewer} ids, {drafts} drafts: no law with denominators up to {denominator}"
    yield from found_by_z3(what, round_of, size, lookahead)


def found_by_z3(what: str, round_of: RoundOf, size: int, lookahead: int) -> Iterator[str]:
    """z3 finds positive p and q at which the rule is lossy; they are then run exactly."""
    from .counterexamples import counterexample

    found = counterexample(round_of, size, lookahead)
    if found is None:
        raise ClaimError(f"{what}: z3 finds no p and q over {size} ids")
    yield f"{what}, {size} ids, {lookahead} drafts: z3 finds {found}"
