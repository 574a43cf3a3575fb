"""psi by the tree of drafts: shared beginnings are asked once, all of one depth in one pass.

The second of the versions of psi; `psi` has the list. Nodes are drafts under construction. Where
`psi.candidate_law` runs the drafting program once for every draft, and asks the drafter again at
each of its tokens, here the drafter is asked once at each distinct beginning, and all the contexts
of one depth together: cap passes at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .distribution import Distribution
from .models import Ids, distributions_after
from .pair import Pair
from .stop_rules import Reader, StopRule, reader
from .tokenizers import EncodeError


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, finished or not.

    Attributes:
        ids: the drafter's ids, a final end of sequence included.
        texts: the text after each of them, the end of sequence left out.
        mass: the product of their q.
        ended: whether the last id is the drafter's end of sequence.
    """

    ids: Ids = ()
    texts: tuple[str, ...] = ()
    mass: Any = 1
    ended: bool = False

    @property
    def text(self) -> str:
        """The text of the draft."""
        return self.texts[-1] if self.texts else ""


@dataclass
class Work:
    """What was asked of the drafter: contexts, and the passes that they were asked in."""

    evaluations: int = 0
    passes: int = 0


@dataclass(eq=False)
class DraftTree:
    """All drafts after one context under one rule; the drafter's laws are kept by draft.

    Every version of psi that walks through drafts does it on this tree. Laws that drafting has
    found already can be put into ``laws`` beforehand.
    """

    pair: Pair
    context: Ids
    rule: StopRule
    work: Work = field(default_factory=Work)
    laws: dict[Ids, Distribution[int]] = field(default_factory=dict)

    @cached_property
    def read(self) -> Ids | None:
        """The context as the drafter reads it; None when it cannot."""
        return self.pair.drafter_context(self.context)

    @cached_property
    def reads(self) -> Reader:
        """The rule for the pair's target."""
        return reader(self.rule, self.pair.target_tokenizer)

    def done(self, draft: Draft) -> bool:
        """Whether drafting stops here."""
        return self.read is None or draft.ended or self.reads.done(draft.ids, draft.texts)

    def candidates(self, draft: Draft) -> Ids:
        """What a finished draft proposes; nothing where its text has no encoding."""
        try:
            ids = self.reads.candidates(draft.texts) if draft.text else ()
        except EncodeError:
            return ()
        end = self.pair.end_of_sequence
        if end is None or not draft.ended or not self.reads.all_used(draft.texts):
            return ids
        return (*ids, end)

    def ask(self, drafts: Sequence[Draft]) -> list[Distribution[int]]:
        """The drafter's law after each of ``drafts``: one pass for those not known yet."""
        unknown = list(dict.fromkeys(d.ids for d in drafts if d.ids not in self.laws))
        if unknown:
            before = self.read or ()
            found = distributions_after(self.pair.drafter, [before + ids for ids in unknown])
            self.laws.update(zip(unknown, found, strict=True))
            self.work.passes += 1
            self.work.evaluations += len(unknown)
        return [self.laws[draft.ids] for draft in drafts]

    def children(
        self, draft: Draft, law: Distribution[int], only: Iterable[int] | None = None
    ) -> Iterator[Draft]:
        """The drafts one token longer, of the tokens ``only``; none of zero probability."""
        tokenizer = self.pair.drafter_tokenizer
        grows = tokenizer.laws.concatenative
        for token in law.support() if only is None else sorted(only):
            number = law[token]
            if not number > 0:
                continue
            ids, mass = (*draft.ids, token), draft.mass * number
            if token == tokenizer.end_of_sequence:
                yield Draft(ids, draft.texts, mass, True)
            else:
                text = draft.text + tokenizer.decode((token,)) if grows else tokenizer.decode(ids)
                yield Draft(ids, (*draft.texts, text), mass)


class Scores(dict[Any, Any]):
    """Numbers by outcome, zero for all others: what a rule needs of a law to score with it."""

    def __missing__(self, outcome: object) -> int:
        return 0

    def add(self, outcome: object, number: Any) -> None:
        """Add ``number`` to that of ``outcome``."""
        self[outcome] = self[outcome] + number


def tree_law(pair: Pair, context: Ids, rule: StopRule, work: Work | None = None) -> Scores:
    """The law of the candidates t_1..t_m, by the tree of all drafts; counts into ``work``.

    Numbers are of whatever kind the drafter's laws have.
    """
    tree = DraftTree(pair, context, rule, work or Work())
    law = Scores()
    layer = [Draft()]
    while layer:
        for draft in filter(tree.done, layer):
            law.add(tree.candidates(draft), draft.mass)
        open_ = [draft for draft in layer if not tree.done(draft)]
        laws = tree.ask(open_)
        layer = [
            child for draft, q in zip(open_, laws, strict=True) for child in tree.children(draft, q)
        ]
    return law


def divided(part: Any, whole: Any) -> Any:
    """part / whole, of masses: 0 and 1 may be plain integers, which Python divides as floats."""
    if isinstance(part, int) and isinstance(whole, int):
        return part // whole
    return part / whole


def next_scores(law: Scores, accepted: Ids = ()) -> Scores:
    """psi_{k+1}( . | ``accepted``) from the law of the candidates; psi when it is empty."""
    k = len(accepted)
    found = Scores()
    mass: Any = 0
    for ids, number in law.items():
        if ids[:k] == accepted:
            mass = mass + number
            if len(ids) > k:
                found.add(ids[k], number)
    return Scores({token: divided(number, mass) for token, number in found.items()})
