"""A pair as it is measured: its algorithms, and what is found once for all texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ...reference.pair import Pair
from ..decoding.one_draft import OneDraft
from ..decoding.programs import RealProgram
from ..tokenizers.patterns import UnknownWordsError
from .checking import program_of
from .given_text import Drafter
from .measured_rounds import Memories, What, measured_lookaheads
from .ruled import LONGEST, NAME
from .shrinking import Shrinking
from .spelled import SPELLED

#: In the order of tables. Over two vocabularies the union baseline is "standard"; over one, TLI is.
ALGORITHMS = ("tli", "slem", "slrs", *SPELLED, "standard", "block", "exact-match")
#: What "slrs" drafts: its psi is known as a row. Spelled proposals are an algorithm beside it.
SLRS_DRAFTS = 1


class Subject:
    """A pair as it is measured: what is found once for it is kept.

    Args:
        pair: what is measured. most: the largest lookahead. shrinking: of the shared tokens.
        rules: slugs of stop rules for SLRS.
        seed: of the rounds that are run.

    Attributes:
        remark: why the rules are left out; None where they are not.
    """

    def __init__(
        self,
        pair: Pair,
        most: int,
        shrinking: Shrinking | None = None,
        rules: Sequence[str] = (),
        seed: int = 0,
    ) -> None:
        self.memories = Memories(pair.drafter)
        self.pair = replace(pair, drafter=self.memories)
        self.most = most
        self.drafter = Drafter(self.pair)
        self.shrinking = shrinking
        self.seed = seed
        self.remark: str | None = None
        self._programs: dict[str, RealProgram] = {}
        self.rules: tuple[str, ...] = tuple(NAME + slug for slug in rules)
        try:
            for name in self.rules:
                _ = self.program(name).text_rule
        except UnknownWordsError as refused:
            self.rules, self.remark = (), str(refused)

    def program(self, algorithm: str) -> RealProgram:
        """What ``algorithm`` is run as; made once, for what it learns of texts serves all runs."""
        if algorithm not in self._programs:
            self._programs[algorithm] = program_of(algorithm, self.pair)
        return self._programs[algorithm]

    @cached_property
    def measured(self) -> Mapping[What, RealProgram]:
        """The algorithms whose rounds are run at every position."""
        lookaheads = measured_lookaheads(self.most)
        counted = {(name, k): self.program(name) for k in lookaheads[::-1] for name in SPELLED}
        return counted | {(name, self.cap(name)): self.program(name) for name in self.rules}

    def cap(self, rule: str) -> int:
        """The most drafts of a rule's rounds."""
        return self.program(rule).text_rule.rule.cap

    @cached_property
    def one_draft(self) -> OneDraft:
        """psi of one draft."""
        return OneDraft(self.pair)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Those that differ on this pair and can run."""
        left_out = "tli" if self.pair.same_vocabulary or not self.pair.intersection else None
        place = ALGORITHMS.index(SPELLED[-1]) + 1
        names = (*ALGORITHMS[:place], *self.rules, *ALGORITHMS[place:])
        return tuple(name for name in names if name != left_out)

    def lookaheads(self, name: str) -> tuple[int, ...]:
        """Those that an algorithm's figures are for; a rule has one, its cap."""
        if name in self.rules:
            return (self.cap(name),)
        return tuple(range(1, 1 + (SLRS_DRAFTS if name == "slrs" else self.most)))

    @property
    def subsets(self) -> tuple[str, ...]:
        """Names for TLI with each subset of the shared tokens; none unless they shrink."""
        count = 0 if self.shrinking is None else len(self.shrinking.sizes)
        return tuple(f"tli/{place}" for place in range(count))

    @property
    def margin(self) -> int:
        """Ids wanted behind the last position: as many as a round there can keep, less one.

        Of a round's candidates at most `LONGEST` are followed; a draft that makes more is a
        curiosity (long runs of spaces, many bytes), and keeping all of them is rarer still.
        """
        longest = max(map(len, self.one_draft.candidates), default=1)
        longest *= max(map(self.cap, self.rules), default=1)
        return max(self.most, min(longest, LONGEST)) - 1
