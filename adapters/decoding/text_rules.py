"""SLRS on real models under the stop rules of the reference: fixed:2, determined:1/cap:8, ..

A draft is a string of bytes here and T(draft) what `tokenizers.words.Words` makes of it, so that a
draft may end within a character. `slrs_round` and the versions of psi are the reference's. psi
asks for single tokens, follows the drafts that can still begin with them, most probable ones
first, asks the drafter after many in one pass, and ends as soon as the coin is decided.

Numbers are Python floats: sums and products of psi are in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...reference.chance import Chance
from ...reference.models import Ids, distributions_after
from ...reference.pair import Pair
from ...reference.psi_bounds import BoundedPsi
from ...reference.readings import longest_spelling, of_words, spellings
from ...reference.rounds import Round
from ...reference.slrs import slrs_round
from ...reference.slrs_block import slrs_block_kept_round
from ...reference.stop_rules import Characters, StopRule, stop_rule
from ..huggingface.tensors import TensorDistribution
from ..tokenizers.patterns import UnknownWordsError
from ..tokenizers.words import Drafts, Words

BLOCK = "/block"
#: For messages.
LISTED = (
    "auto, spelled, fixed:I, tokens:N/cap:C, determined:N/cap:C, lookup:N/cap:C and longest:I, "
    "all but auto with /block behind it if candidates are to be verified together"
)
#: One step towards a decision leaves at most this part of what is open, a quarter.
LEAVING = 4


class Numbers(TensorDistribution):
    """A law whose single numbers are Python floats: one transfer for all of them."""

    __slots__ = ("_array",)

    def __init__(self, law: TensorDistribution) -> None:
        super().__init__(law.row)
        self._array: Any = law.row.double().cpu().numpy()

    def __getitem__(self, outcome: int, /) -> Any:
        return float(self._array[outcome]) if 0 <= outcome < len(self._array) else 0.0

    def support(self) -> Iterator[int]:
        """The ids of positive probability, in ascending order."""
        yield from self._array.nonzero()[0].tolist()


class InNumbers:
    """A model whose laws are `Numbers`; each is made once while the model remembers it."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.size: int = model.size
        self._made: dict[int, tuple[TensorDistribution, Numbers]] = {}

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[Any]:
        """Those of the model."""
        return [self._numbers(law) for law in self.model.distributions(context, continuation)]

    def distributions_after(self, contexts: Sequence[Ids]) -> Sequence[Any]:
        """Those of the model."""
        return [self._numbers(law) for law in distributions_after(self.model, contexts)]

    def _numbers(self, law: Any) -> Any:
        if not isinstance(law, TensorDistribution):
            return law
        held = self._made.get(id(law))
        if held is None or held[0] is not law:
            if len(self._made) > 512:
                self._made.clear()
            held = self._made[id(law)] = law, Numbers(law)
        return held[1]


@dataclass(frozen=True, eq=False)
class ByBytes(Pair):
    """A pair whose drafts are bytes; contexts are read as the ``whole`` pair reads them."""

    whole: Pair

    def drafter_context(self, context: Ids) -> Ids | None:
        """D(text of the context), None where the drafter cannot read it."""
        return self.whole.drafter_context(context)


def by_bytes(pair: Pair) -> Pair:
    """``pair`` with drafts of bytes; as it is where its tokenizers are toys.

    Raises:
        UnknownWordsError: where it is not known when a token of the target is certain.
    """
    models = {"target": _in_numbers(pair.target), "drafter": _in_numbers(pair.drafter)}
    target, drafter = (_continuing(t) for t in (pair.target_tokenizer, pair.drafter_tokenizer))
    if not hasattr(target, "encoder"):
        return replace(pair, **models)
    return ByBytes(
        target_tokenizer=Words(target), drafter_tokenizer=Drafts(drafter), whole=pair, **models
    )


def _in_numbers(model: Any) -> Any:
    """`InNumbers`; the laws of a `certified` model have numbers of their own."""
    return model if hasattr(model, "tally") else InNumbers(model)


def _continuing(tokenizer: Any) -> Any:
    """The tokenizer within its role, as it encodes and decodes what continues a text."""
    inner = getattr(tokenizer, "inner", tokenizer)
    return getattr(inner, "bare", None) or inner


def read_rule(slug: str) -> tuple[StopRule, bool]:
    """The stop rule that ``slug`` names, and whether candidates are verified as a block.

    Raises:
        ValueError: for a slug that names none, or one that is for toy models.
    """
    rule = stop_rule(slug.removesuffix(BLOCK))
    if isinstance(rule, Characters):
        raise ValueError(f"{slug} is for toy models: drafts are bytes on real ones")
    return rule, slug.endswith(BLOCK)


class TextRule:
    """A stop rule at work on a pair of real models.

    Args:
        pair: models with tensor laws.
        slug: as in ``fixed:2`` or ``determined:1/cap:8``; with ``/block`` candidates are verified
            as a block.

    Raises:
        ValueError: for a slug that names no rule, or one that cannot be used here; among them
            `UnknownWordsError`, where it is not known when a token of the target is certain.
    """

    def __init__(self, pair: Pair, slug: str) -> None:
        try:
            self.rule, self.block = read_rule(slug)
        except ValueError as problem:
            if "no stop rule" not in str(problem):
                raise
            raise ValueError(f"slrs has no rule {slug!r} here; there are {LISTED}") from None
        try:
            self.pair: Pair = by_bytes(pair)
        except UnknownWordsError as refused:
            raise UnknownWordsError(f"the rule {slug!r} cannot be used: {refused}") from None

    def psi(self, context: Ids) -> BoundedPsi:
        """psi after ``context``, one token at a time and no closer than a coin asks."""
        return BoundedPsi(self.pair, context, self.rule, leaving=LEAVING)

    def prepare(self) -> None:
        """Sort the vocabularies by their texts, which is done once."""
        tokenizers = (self.pair.drafter_tokenizer, of_words(self.pair.target_tokenizer))
        for tokenizer in tokenizers:
            _ = spellings(tokenizer), longest_spelling(tokenizer)

    def round(self, context: Ids, chance: Chance) -> Round:
        """One round of SLRS after ``context``."""
        psi_after = self.psi(context).after
        if self.block:
            return slrs_block_kept_round(self.pair, context, self.rule, chance, psi_after)
        return slrs_round(self.pair, context, self.rule, chance, psi_after=psi_after)
