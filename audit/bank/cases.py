"""Cases: the models, the lookahead and the request on which an entry's law is stated."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...reference.distribution import ExactDistribution
from ...reference.exact import ONE, Rational, rational
from ...reference.models import Ids
from ...toymodels.models import NgramModel
from ...toymodels.pairs import bigram, context_free

#: Of ids, or for a batch of one string of ids a request.
Law = ExactDistribution[Any]


@dataclass(frozen=True, eq=False)
class Case:
    """Where a law is stated.

    Attributes:
        target, drafter: the models.
        lookahead: drafts a round.
        prompts: one for each request; all kinds but ``batch_rule`` have one.
        lengths: how many drafts each request of a batch has.
        length: how many new ids the law is of; a shorter block is completed by the target.
        options: what the request asks for by keyword; a logits processor by its name in
            `PROCESSORS`.
        spoiled: "p" or "q" for a first row of NaN, "p[2]" for a single NaN.
        coin: "lowest" or "highest" where every uniform is at that end of its range.
    """

    target: NgramModel
    drafter: NgramModel
    lookahead: int = 1
    prompts: tuple[Ids, ...] = ((0,),)
    lengths: tuple[int, ...] = ()
    length: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    spoiled: str | None = None
    coin: str | None = None

    def but(self, **changes: Any) -> Case:
        """The same case with other settings."""
        return replace(self, **changes)

    @property
    def prompt(self) -> Ids:
        """The first request's prompt."""
        return self.prompts[0]

    def target_law(self, ids: Ids) -> ExactDistribution[int]:
        """The target's own law after ``ids``."""
        return self.target.distributions(ids)[0]

    def draft_law(self, ids: Ids) -> ExactDistribution[int]:
        """The drafter's law after ``ids``."""
        return self.drafter.distributions(ids)[0]

    def plain_law(self) -> Law:
        """The law of plain decoding when no option changes it: what is due."""
        eos = self.options.get("eos")
        laws = [strings(self, prompt, self.length, eos) for prompt in self.prompts]
        if len(laws) == 1:
            return ExactDistribution(laws[0])
        joint: dict[Hashable, Rational] = {(): ONE}
        for law in laws:
            joint = {
                (*done, ids): mass * number  # type: ignore[misc]
                for done, mass in joint.items()
                for ids, number in law.items()
            }
        return ExactDistribution(joint)

    def describe(self) -> dict[str, Any]:
        """Everything the law depends on, fit for JSON and for comparison."""
        return {
            "target": self.target.describe(),
            "drafter": self.drafter.describe(),
            "lookahead": self.lookahead,
            "prompts": [list(prompt) for prompt in self.prompts],
            "lengths": list(self.lengths),
            "length": self.length,
            "options": dict(self.options),
            "spoiled": self.spoiled,
            "coin": self.coin,
        }


def strings(case: Case, after: Ids, length: int, eos: int | None = None) -> dict[Ids, Rational]:
    """The target's law of the next ``length`` ids; a string ends early with ``eos``."""
    found: dict[Ids, Rational] = {(): ONE}
    for _ in range(length):
        longer: dict[Ids, Rational] = {}
        for ids, mass in found.items():
            if eos is not None and ids[-1:] == (eos,):
                longer[ids] = mass
                continue
            for token, number in case.target_law(after + ids).items():
                longer[(*ids, token)] = mass * number
        found = longer
    return found


def law(text: str) -> Law:
    """A law from text: "7/20 39/100 13/50" over ids 0, 1, ..., or "0 1: 1/9, ..." over strings.

    In a batch the requests' strings stand side by side, with a bar between them: "0 1 | 2: 1/9".
    """
    if ":" not in text:
        return ExactDistribution({(x,): rational(n) for x, n in enumerate(text.split())})
    pairs = (item.split(":") for item in text.split(","))
    return ExactDistribution({_outcome(key): rational(n.strip()) for key, n in pairs})


def _outcome(key: str) -> Any:
    parts = tuple(tuple(int(token) for token in part.split()) for part in key.split("|"))
    return parts[0] if len(parts) == 1 else parts


def constant(target: str, drafter: str, **settings: Any) -> Case:
    """A case whose laws are the same after every context."""
    return Case(context_free(target), context_free(drafter), **settings)


#: The pair of most entries. Its residual is a point mass, which hides faults that reweight it.
BASE = constant("1/2 3/10 1/5", "1/5 3/10 1/2")
#: A residual with two ids in it, equally likely.
TWO_LEFT = constant("2/5 2/5 1/5", "1/10 1/10 4/5")
#: The same target with a draft that is always id 0.
CERTAIN_DRAFT = constant("2/5 2/5 1/5", "1 0 0")
#: Races with three different rates.
RACES = constant("1/2 2/5 1/10", "1/10 3/10 3/5")
#: Fair coins on both sides.
FAIR = constant("1/2 1/2", "1/2 1/2")


def _last_id_repeats(first_of_drafter: str) -> Case:
    """After the prompt both ids are equally likely, later the last id nine times in ten again."""
    tables = {
        (): ("1/2", "1/2"),
        **{(before, 0): ("9/10", "1/10") for before in (0, 1)},
        **{(before, 1): ("1/10", "9/10") for before in (0, 1)},
    }
    return Case(NgramModel(2, 3, tables), context_free(first_of_drafter))


#: Laws that depend on the last id; drafts are always 0, always 1, or either.
REPEATING_0 = _last_id_repeats("1 0")
REPEATING_1 = _last_id_repeats("0 1")
REPEATING = _last_id_repeats("1/2 1/2")
#: Laws that depend on the last two ids.
SECOND_ORDER = Case(
    NgramModel(
        2,
        3,
        {
            (): ("1/2", "1/2"),
            (0, 0): ("3/4", "1/4"),
            (0, 1): ("1/3", "2/3"),
            (1, 0): ("1/5", "4/5"),
            (1, 1): ("1/2", "1/2"),
        },
    ),
    context_free("1/3 2/3"),
)
#: One vocabulary of three ids, and laws that depend on the last id.
BIGRAM = Case(
    bigram("1/2 3/10 1/5", "1/2 3/10 1/5", "1/5 1/5 3/5", "1/10 7/10 1/5"),
    bigram("1/5 3/10 1/2", "1/5 3/10 1/2", "1/2 1/4 1/4", "1/3 1/3 1/3"),
)
