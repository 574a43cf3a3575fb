"""The reference's algorithms bound to real pairs: what runs in one round.

Only the number of drafts is decided here: the lookahead's, and never more than the tokens that are
still wanted could use, or than the context windows have room for. All depend on the past alone, so
the law of the output stays the target's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

from ...reference.autoregressive import autoregressive_round
from ...reference.chance import Chance
from ...reference.models import Ids
from ...reference.pair import EmptyIntersectionError, Pair
from ...reference.programs import ALGORITHMS, TOKEN_LEVEL
from ...reference.rounds import Round, RoundFunction
from ...reference.slem import slem_round
from ...reference.slrs import slrs_round
from ...reference.slrs_spelled import spelled_round, spellings
from ...reference.slrs_spelled_block import spelled_block_round
from ...reference.stop_rules import Fixed, StopRule
from ...reference.tokenizers import EncodeError, Tokenizer
from ..huggingface.coins import TensorSampler
from ..tokenizers.patterns import UnknownWordsError
from .certified import EnclosedOneDraft
from .lookahead import Always, Lookahead
from .one_draft import OneDraft
from .rule_choice import PLAIN, WAYS, Chooser, choosing, named
from .text_rules import TextRule

#: SLRS with spelled proposals, verified token by token or together.
SPELLED = {"spelled": spelled_round, "spelled/block": spelled_block_round}
#: How SLRS proposes on real models.
RULES = (*SPELLED, "fixed:1")
AUTO = "auto"


@dataclass(frozen=True)
class Enough:
    """``rule``, and stop too once the text makes ``wanted`` target tokens: more are of no use.

    A rule for SLEM, which is lossless however its drafts end.
    """

    rule: StopRule
    tokenizer: Tokenizer
    wanted: int

    @property
    def slug(self) -> str:
        """As the rule within."""
        return self.rule.slug

    @property
    def cap(self) -> int:
        """The largest number of drafts."""
        return self.rule.cap

    def done(self, drafter_ids: Ids, text: str) -> bool:
        """Whether the rule says so, or the text is enough."""
        if self.rule.done(drafter_ids, text):
            return True
        # A target token costs at least one byte, so short texts cannot be enough yet.
        if len(text.encode(errors="surrogatepass")) < self.wanted:
            return False
        try:
            return len(self.tokenizer.encode(text)) >= self.wanted
        except EncodeError:
            return False


@dataclass(frozen=True, eq=False)
class RealProgram:
    """One algorithm on one pair.

    Attributes:
        name: one of `reference.programs.ALGORITHMS`.
        pair: models with tensor laws.
        look_behind: for SLEM, how many target ids are re-encoded with the draft; None for none.
        rule: for SLRS, "spelled" or "spelled/block" (the lookahead counts target tokens), "fixed:1"
            (one draft), a stop rule as in "determined:1/cap:8", which ends drafts itself, or "auto"
            (`rule_choice`).

    Raises:
        ValueError: for a name or rule that is not there, a rule that this target's tokenizer does
            not allow (`tokenizers.words`), or a look-behind without SLEM.
        EmptyIntersectionError: for TLI where the vocabularies share no token, at the first round.
    """

    name: str
    pair: Pair
    look_behind: int | None = None
    rule: str = "spelled"

    def __post_init__(self) -> None:
        if self.name not in ALGORITHMS:
            raise ValueError(
                f"no algorithm is called {self.name!r}; there are {', '.join(ALGORITHMS)}"
            )
        if self.look_behind is not None and self.name != "slem":
            raise ValueError(f"look-behind is slem's; {self.name} has none")
        if self._stops_itself:
            _ = self.text_rule

    @cached_property
    def text_rule(self) -> TextRule:
        """The stop rule at work, for `slrs` with one; made once."""
        return TextRule(self.pair, self.rule)

    @cached_property
    def one_draft(self) -> OneDraft:
        """psi for `slrs` with one draft; made once."""
        enclosed = hasattr(self.pair.drafter, "tally")
        return (EnclosedOneDraft if enclosed else OneDraft)(self.pair)

    def prepare(self, prompt: Ids = ()) -> None:
        """Do beforehand what is done once for a pair: index maps, psi's table, a first short pass.

        Raises:
            EmptyIntersectionError: for TLI where the vocabularies share no token.
        """
        if self.name == "autoregressive":
            return
        if self.name == "tli" and not self.pair.intersection:
            raise EmptyIntersectionError(
                "the two vocabularies share no token, so TLI has nothing to draft; slem and slrs "
                "need no shared token"
            )
        if self.name == "slrs" and self.rule == AUTO:
            for program, _ in self.ways.values():
                program.prepare()
        elif self.name == "slrs" and self.rule in SPELLED:
            _ = spellings(self.pair).node(())
        elif self._stops_itself:
            self.text_rule.prepare()
        elif self.name == "slrs":
            _ = self.one_draft
        if self.name in TOKEN_LEVEL and prompt:
            self.rounds(Always(1), lambda _: 2)(self.pair, prompt[:1], TensorSampler(0), None)

    def room(self, context: Ids) -> int:
        """How many drafts both models' context windows have room for after ``context``."""
        pair, room = self.pair, 2**31
        by_text = self.name in ("slem", "slrs")
        window = getattr(pair.drafter, "window", None)
        if window is not None:
            read = pair.drafter_context(context)
            free = 0 if read is None else window - len(read)
            # A draft is read when the next one is drawn; psi reads whole spellings and a space.
            spelled = self.name == "slrs" and self.rule in SPELLED
            room = (free - 1) // self._longest_spelling if spelled else free + 1
        window = getattr(pair.target, "window", None)
        if by_text and window is not None:  # the others' candidates are no more than their drafts
            room = min(room, (window - len(context)) // self._longest_text)
        if self._stops_itself and room < self.text_rule.rule.cap:
            return 0  # a rule may draft as much as its cap
        return max(0, room)

    @property
    def _stops_itself(self) -> bool:
        return self.name == "slrs" and self.rule not in (*RULES, AUTO)

    @cached_property
    def ways(self) -> dict[str, tuple[RealProgram, int]]:
        """What ``rule="auto"`` chooses among, by name: a program and its lookahead."""
        found: dict[str, tuple[RealProgram, int]] = {}
        for rule, lookahead in WAYS:
            try:
                program = RealProgram("slrs", self.pair, rule=rule)
            except UnknownWordsError:  # stop rules are not for this target
                continue
            found[named(rule, lookahead)] = program, lookahead
        return found

    @cached_property
    def chooser(self) -> Chooser:
        """Who chooses among `ways`; what it learnt stays with the program."""
        return Chooser([*self.ways, PLAIN])

    @cached_property
    def _longest_spelling(self) -> int:
        return max(map(len, spellings(self.pair).of_token.values()), default=1)

    @cached_property
    def _longest_text(self) -> int:
        # In bytes: candidates are seldom more than the bytes of a draft.
        pieces = self.pair.drafter_tokenizer.vocabulary
        return max((len(piece) for piece in pieces if piece), default=1)

    def rounds(self, lookahead: Lookahead, wanted: Callable[[Ids], int]) -> RoundFunction:
        """The round function; ``wanted(context)`` is how many new ids are still asked for."""
        if self.name == "slrs" and self.rule == AUTO:
            each = {
                way: program.rounds(Always(most), wanted)
                for way, (program, most) in self.ways.items()
            }
            return choosing(self.chooser, each)

        def run_round(pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
            left = wanted(context) - 1  # the last token of a round needs no draft
            drafts = 0 if self.name == "autoregressive" else lookahead.drafts()
            drafts = min(drafts, self.room(context)) if drafts and left else 0
            if self.name in TOKEN_LEVEL:
                round_of = TOKEN_LEVEL[self.name][0]
                return round_of(pair, context, min(drafts, left), chance)
            if not drafts or not left:
                return autoregressive_round(pair, context, chance)
            if self.name == "slem":
                rule = Enough(Fixed(drafts), pair.target_tokenizer, left)
                return slem_round(pair, context, rule, chance, self.look_behind, state)
            if self.rule in SPELLED:
                return SPELLED[self.rule](pair, context, min(drafts, left), chance)
            if self._stops_itself:
                return self.text_rule.round(context, chance)
            psi_after = self.one_draft.after(context)
            return slrs_round(pair, context, Fixed(1), chance, psi_after=psi_after)

        return run_round
