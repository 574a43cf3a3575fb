"""The tie between the theorems and the code: the Python algorithms' laws, as examples for Coq.

The definitions that the theorems speak about compute (`coq/Tie.v`). For a pair at a context,
`examples` runs each Python algorithm through the enumerator and writes its exact law beside the
pair's own tables; Coq runs its definition on the tables and must come to the same law, number by
number. `tie_files` does so for the gallery and for random pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from ..reference.distribution import Distribution, ExactDistribution
from ..reference.enumeration import branches, exact_law
from ..reference.exact import Rational
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program, program
from ..reference.proposals import propose
from ..reference.stop_rules import StopRule, stop_rule
from ..toymodels.gallery import gallery
from ..toymodels.pairs import GalleryPair
from ..toymodels.strategies import pairs as pair_strategy

#: Drafts in a round; two show a rejection behind an acceptance.
LOOKAHEAD = 2

#: For string-level algorithms.
STOP_RULES = (f"fixed:{LOOKAHEAD}", f"characters:2/cap:{LOOKAHEAD}")

#: For the random pairs.
SEED = 2502

#: How many pairs go into one file.
_SHELF = 12

_HEADER = """\
(** The laws of the Python algorithms, and of the definitions the theorems are about, on {what}.
    Written by draftproof.proofs.coq_tie; not for reading. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From draftproof Require Import Tie.

"""


@dataclass(frozen=True, slots=True)
class Place:
    """A pair at a context: what one family of examples is about."""

    name: str
    pair: Pair
    context: Ids


def tie_files(random: int = 12) -> dict[str, str]:
    """Sources to compile beside `coq/`: the gallery's pairs, then ``random`` random pairs."""
    places = [Place(one.name, one.pair, one.prompt) for one in gallery()]
    shelves = {
        f"Gallery{start // _SHELF + 1}": places[start : start + _SHELF]
        for start in range(0, len(places), _SHELF)
    }
    chosen = [
        Place(f"random-{number}", one.pair, one.prompt)
        for number, one in enumerate(random_pairs(random, SEED), 1)
    ]
    if chosen:
        shelves["RandomPairs"] = chosen
    return {name: source(shelf, name) for name, shelf in shelves.items()}


def random_pairs(count: int, seed: int) -> list[GalleryPair]:
    """``count`` pairs from the exported strategies; the same for the same seed."""
    drawn: list[GalleryPair] = []
    options = settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    )

    def collect(one: GalleryPair) -> None:
        drawn.append(one)

    seeded(seed)(options(given(pair_strategy())(collect)))()
    return drawn[:count]


def source(places: Iterable[Place], what: str) -> str:
    """One file of examples."""
    return _HEADER.format(what=what) + "\n".join(
        line for place in places for line in examples(place)
    )


def examples(place: Place) -> Iterator[str]:
    """The tables of one place, then one example for each algorithm that runs there."""
    pair, context = place.pair, place.context
    name = "pair_" + re.sub(r"\W", "_", place.name)
    rules = {slug: stop_rule(slug) for slug in STOP_RULES}
    yield f"Definition {name} := {_pair(pair, context, rules.values())}."
    algorithms = ["union", "block", "exact-match"]
    algorithms += ["standard"] if pair.same_vocabulary else []
    algorithms += ["tli"] if pair.intersection else []
    for algorithm in algorithms:
        defined = algorithm.replace("-", "_")
        law = _law(program(algorithm, LOOKAHEAD), pair, context)
        yield _example(f"{name}_{defined}", f"{defined} {name}", law)
    for number, (slug, rule) in enumerate(rules.items(), 1):
        drafts = f"{name}_drafts_{number}"
        yield f"Definition {drafts} := {_strings(pair, context, rule)}."
        for defined, form in (
            ("slem", program("slem", slug)),
            ("slrs", program("slrs", slug)),
            ("slrs_one", program("slrs", f"{slug}/one-token")),
        ):
            law = _law(form, pair, context)
            yield _example(f"{name}_{defined}_{number}", f"{defined} {name} {drafts}", law)


def _example(name: str, term: str, law: Mapping[Ids, Rational]) -> str:
    rows = _list(f"({_ids(block)}, {_number(mass)})" for block, mass in law.items())
    return f"Example {name} : agrees ({term}) {rows}.\nProof. by vm_compute. Qed."


def _law(form: Program, pair: Pair, context: Ids) -> ExactDistribution[Ids]:
    return exact_law(lambda chance: form.run_round(pair, context, chance, None).emitted)


def _pair(pair: Pair, context: Ids, rules: Iterable[StopRule]) -> str:
    read = pair.drafter_context(context)
    longest = LOOKAHEAD
    for rule in rules:
        candidates = _proposals(pair, context, rule).values()
        longest = max([longest, *map(len, candidates)])
    target = {
        context + more: pair.target.distributions(context + more)[0]
        for more in _strings_up_to(pair.target.size, longest)
    }
    drafter = (
        {}
        if read is None
        else {
            read + more: pair.drafter.distributions(read + more)[0]
            for more in _strings_up_to(pair.drafter.size, LOOKAHEAD - 1)
        }
    )
    ends = pair.end_of_sequence
    return "Pair " + " ".join(
        (
            str(pair.target.size),
            str(pair.drafter.size),
            _ids(context),
            "None" if read is None else f"(Some {_ids(read)})",
            str(LOOKAHEAD),
            _laws(target, pair.target.size),
            _laws(drafter, pair.drafter.size),
            _list("None" if token is None else f"Some {token}" for token in pair.target_id_of),
            "None" if ends is None else f"(Some {ends})",
        )
    )


def _strings(pair: Pair, context: Ids, rule: StopRule) -> str:
    proposals = _proposals(pair, context, rule)
    stops = _list(_ids(drafts) for drafts in proposals)
    tokenized = _list(f"({_ids(drafts)}, {_ids(ids)})" for drafts, ids in proposals.items())
    return f"Strings {rule.cap} {stops} {tokenized}"


def _proposals(pair: Pair, context: Ids, rule: StopRule) -> dict[Ids, Ids]:
    """Every draft that ``rule`` may end with, and the candidates it proposes."""
    found = (leaf.result for leaf in branches(lambda chance: propose(pair, context, rule, chance)))
    return {proposal.drafter_ids: proposal.candidates for proposal in found}


def _strings_up_to(size: int, length: int) -> Iterator[Ids]:
    """All strings over 0 .. size - 1 of at most ``length`` ids, the shortest first."""
    layer: list[Ids] = [()]
    for _ in range(length + 1):
        yield from layer
        layer = [(*ids, token) for ids in layer for token in range(size)]


def _laws(laws: Mapping[Ids, Distribution[int]], size: int) -> str:
    return _list(
        f"({_ids(context)}, {_list(_number(law[token]) for token in range(size))})"
        for context, law in laws.items()
    )


def _number(number: Rational) -> str:
    return f"{number.numerator} // {number.denominator}"


def _ids(ids: Sequence[int]) -> str:
    return _list(map(str, ids))


def _list(items: Iterable[str]) -> str:
    inside = "; ".join(items)
    return f"[:: {inside}]" if inside else "[::]"
