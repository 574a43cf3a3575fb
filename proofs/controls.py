"""Negative controls: for every check a definition that is mutated, so that the check must fail.

A check that still holds in a mutated world shows nothing. `MUTATIONS` are the worlds, `CONTROLS`
says which of them must break which check, and `survives` runs one check in one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from ..audit import examples
from ..audit.laws import Laws
from ..reference import block_verification, exact_match, slem, slrs, slrs_block, standard
from ..reference.chance import Chance
from ..reference.distribution import ExactDistribution
from ..reference.exact import ONE
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import program
from ..reference.psi import CandidateLaw, candidate_law
from ..reference.rounds import Round
from . import controls_stop_rules, shown_rejection, shown_strings, shown_vocabularies
from .ledger import Check, run_check

#: An attribute replaced: its owner, its name, what it becomes.
Change = tuple[Any, str, Any]


@contextmanager
def mutated(changes: Callable[[], list[Change]]) -> Iterator[None]:
    """The world in which ``changes`` hold; nothing is remembered from outside of it."""
    candidate_law.cache_clear()
    with ExitStack() as stack:
        for owner, name, value in changes():
            stack.enter_context(mock.patch.object(owner, name, value))
        yield
    candidate_law.cache_clear()


def survives(check: Check, changes: Callable[[], list[Change]]) -> bool:
    """Whether ``check`` still holds where ``changes`` do: it then shows nothing about them."""
    with mutated(changes):
        return run_check(check).verdict == "holds"


def _residual_is_p() -> list[Change]:
    """After a rejection, p itself."""
    changes: list[Change] = [
        (ExactDistribution, "residual", lambda self, other, scale=ONE: self),
        (ExactDistribution, "keep", lambda self, chance_of: self),
    ]
    try:
        from .symbolic import FormulaDistribution
    except ImportError:  # without z3 there are no formulas to mutate
        return changes
    return [
        *changes,
        (FormulaDistribution, "residual", lambda self, other, scale=1: self),
        (FormulaDistribution, "keep", lambda self, chance_of: self),
    ]


def _every_draft_accepted() -> list[Change]:
    """No ratio: what is drafted is accepted."""
    modules = (standard, block_verification, slrs, slrs_block)
    return [(module, "ratio", lambda p, q: 1) for module in modules]


def _formulas_swapped() -> list[Change]:
    """sum min(p, q) and sum p q change places."""
    changes: list[Change] = [
        (ExactDistribution, "overlap", ExactDistribution.coincidence),
        (ExactDistribution, "coincidence", ExactDistribution.overlap),
    ]
    try:
        from .symbolic import FormulaDistribution
    except ImportError:
        return changes
    return [
        *changes,
        (FormulaDistribution, "overlap", FormulaDistribution.coincidence),
        (FormulaDistribution, "coincidence", FormulaDistribution.overlap),
    ]


def _candidates_emitted() -> list[Change]:
    """Exact match that emits the candidates, then one draw."""

    def match(pair: Pair, context: Ids, candidates: Ids, readable: Ids, chance: Chance) -> Ids:
        laws = pair.target.distributions(context, readable)
        return (*readable, chance.draw(laws[len(readable)], "target"))

    return [(exact_match, "match", match), (slem, "match", match)]


def _psi_of_one_draft() -> list[Change]:
    """The law of the candidates, with its first token's probability doubled or halved."""
    honest = CandidateLaw.next_token

    def squared(self: CandidateLaw, accepted: Ids = ()) -> ExactDistribution[int]:
        law = honest(self, accepted)
        return ExactDistribution({t: n * n for t, n in law.items()}, sub_stochastic=True)

    return [(CandidateLaw, "next_token", squared)]


def _examples_mended() -> list[Change]:
    """Every lossy example replaced by plain decoding, which is lossless."""

    def plain(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        del lookahead
        return program("autoregressive", 1).run_round(pair, context, chance, None)

    mended = {
        name: replace(example, run_round=plain) for name, example in examples.EXAMPLES.items()
    }
    return [
        (examples, "EXAMPLES", mended),
        *((m, "EXAMPLES", mended) for m in _with_examples()),
        (shown_rejection, "RESAMPLE", plain),
        (shown_vocabularies, "redistributed", plain),
        (shown_vocabularies, "transferred", plain),
    ]


def _with_examples() -> list[Any]:
    from . import checks

    return [checks, shown_rejection, shown_strings, shown_vocabularies]


def _counts_off_by_one() -> list[Change]:
    """One segmentation too many."""
    honest = shown_strings.count_segmentations
    return [(shown_strings, "count_segmentations", lambda lattice: honest(lattice) + 1)]


def _greedy_says_nothing() -> list[Change]:
    """Tokenizers that cut every text into its characters."""
    honest = shown_strings.greedy
    return [(shown_strings, "greedy", lambda words: honest([w for w in words if len(w) == 1]))]


def _tokens_off_by_one() -> list[Change]:
    """A round that is said to give one token more than it does."""
    honest = Laws.round_law

    def longer(self: Laws, context: Ids, state: Any = None) -> Any:
        law = honest(self, context, state)
        return replace(law, tokens=law.tokens + 1)

    return [(Laws, "round_law", longer)]


def _no_bound() -> list[Change]:
    """A relaxed rule that accepts everything, held against the bound of the stated one."""

    def all_accepted(pair: Pair, context: Ids, lookahead: int, chance: Chance, factor: Any) -> Ids:
        del lookahead, factor
        (q,) = pair.drafter.distributions(context)
        return (chance.draw(q),)

    return [(shown_rejection, "lenient", all_accepted)]


def _top_p_of_everything() -> list[Change]:
    """A filter that keeps all."""
    return [(shown_vocabularies, "top_p", lambda law, nucleus: law)]


def _acceptance_formulas_low() -> list[Change]:
    """TLI that masks nothing, in the formula."""
    return [
        (shown_vocabularies, "tli_acceptance", lambda pair, context: -ONE),
        (shown_strings, "program", lambda name, form: _low(program(name, form), name)),
    ]


def _low(made: Any, name: str) -> Any:
    formula = made.acceptance
    return replace(made, acceptance=lambda pair, c: formula(pair, c) + (name == "slem"))


def _texts_returned() -> list[Change]:
    """The target's law at a rewritten context taken for its law at the context."""
    return [(Laws, "due_law", lambda self, context, length: ExactDistribution({(0,) * length: 1}))]


def _blocks_kept_short() -> list[Change]:
    """Block verification that accepts nothing."""

    def nothing(pair: Pair, context: Ids, lookahead: int, chance: Chance) -> Round:
        del lookahead
        return program("autoregressive", 1).run_round(pair, context, chance, None)

    return [(shown_rejection, "block_round", nothing)]


#: What can be mutated, by name.
MUTATIONS: dict[str, Callable[[], list[Change]]] = {
    "residual is p": _residual_is_p,
    "every draft accepted": _every_draft_accepted,
    "formulas swapped": _formulas_swapped,
    "candidates emitted": _candidates_emitted,
    "another psi": _psi_of_one_draft,
    "examples mended": _examples_mended,
    "counts off by one": _counts_off_by_one,
    "characters only": _greedy_says_nothing,
    "tokens off by one": _tokens_off_by_one,
    "no bound": _no_bound,
    "filters keep all": _top_p_of_everything,
    "formulas off": _acceptance_formulas_low,
    "another due law": _texts_returned,
    "blocks kept short": _blocks_kept_short,
    **controls_stop_rules.MUTATIONS,
}
#: For each claim, what must break its checks, in their order.
CONTROLS: dict[str, tuple[str, ...]] = {
    "standard-one-token": ("residual is p", "every draft accepted"),
    "standard-block": ("every draft accepted", "residual is p"),
    "rounds-to-runs": ("residual is p",),
    "standard-acceptance": ("formulas swapped", "every draft accepted"),
    "expected-tokens": ("tokens off by one", "tokens off by one"),
    "coupling-bound": ("formulas swapped",),
    "resample-from-p": ("examples mended",) * 3,
    "block-verification": ("residual is p", "every draft accepted"),
    "block-accepts-at-least": ("every draft accepted", "blocks kept short", "blocks kept short"),
    "relaxed-error": ("no bound",),
    "exact-match": ("candidates emitted", "candidates emitted"),
    "slem": ("candidates emitted",) * 3,
    "slem-retokenized": ("examples mended", "candidates emitted"),
    "theorem-3.1": ("formulas swapped", "another psi", "formulas off"),
    "slrs": ("residual is p", "another psi"),
    "slrs-unbounded-rules": ("another psi",),
    "slrs-several-tokens": ("every draft accepted", "residual is p"),
    "psi-by-composition": ("examples mended",) * 2,
    "psi-of-another-rule": ("examples mended",) * 2,
    "psi-unconditional": ("examples mended",) * 2,
    "no-proposal-from-p": ("examples mended",) * 2,
    "kept-draw": ("residual is p",),
    "lemma-3.1": ("characters only", "counts off by one"),
    "union": ("residual is p", "formulas swapped"),
    "tli": ("every draft accepted", "formulas swapped"),
    "tli-many-to-one": ("residual is p",),
    "one-preimage": ("examples mended",),
    "tli-at-least-union": ("formulas off", "filters keep all", "filters keep all"),
    "redistribution": ("examples mended", "residual is p"),
    "transferred-probabilities": ("examples mended",),
    **controls_stop_rules.CONTROLS,
}
