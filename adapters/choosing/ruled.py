"""What SLRS keeps under a stop rule, given the text that comes out.

As for the other algorithms (`given_text`). With M(u), the probability that the candidates begin
with u, psi_i(x_i) = M(x_1..x_i) / M(x_1..x_{i-1}); so a_j = prod min(1, psi_i(x_i) / p_i(x_i))
token by token, and min(1, R_1, .., R_j) for the block, where R_j = M(x_1..x_j) / (p_1(x_1) ..
p_j(x_j)). As with spelled proposals the last factor is not summed over the vocabulary.

**Between bounds.** M is known between bounds that close as the drafter is asked, and closing them
altogether can take thousands of contexts. Here they are refined until those that follow for a_j
are at most `APART` apart, and a_j is taken to be the middle: it is wrong by at most half of that. A
text is followed as long as more than `APART` can still be kept. Where a number has not come so far
after `STEPS` refinements it is left; what is left is reported (`Figures.open`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy

from ...reference.models import Ids
from ..decoding.text_rules import read_rule
from .continuations import Continuation
from .given_text import Kept

#: Names of algorithms begin so; what follows is the rule.
NAME = "slrs-"
#: The rules of a comparison that names none.
USUAL = ("fixed:2", "lookup:2/cap:8")
APART = 1e-3
STEPS = 400
#: Tokens of a round that are followed behind a position.
LONGEST = 16


class Rule(Protocol):
    """A stop rule at work: what is needed of `text_rules.TextRule`."""

    block: bool
    rule: Any

    def psi(self, context: Ids) -> Any:
        """psi after ``context``; its ``mass(ids)`` has bounds that refine."""
        ...


@dataclass(frozen=True)
class Ruled:
    """One position's figures: a_j given the text, and how far apart its bounds are at most."""

    kept: Kept
    open: float

    @property
    def acceptance(self) -> float:
        """min(1, psi / p) of the text's first token: sum min(p, psi) in expectation."""
        return float(self.kept.text[0])


def rule_slugs(said: str) -> tuple[str, ...]:
    """The rules of a list with commas; none for "none".

    Raises:
        ValueError: for what names no rule, a rule for toy models, or one that is given twice.
    """
    if said == "none":
        return ()
    slugs = tuple(slug.strip() for slug in said.split(","))
    for slug in slugs:
        read_rule(slug)
        if slugs.count(slug) > 1:
            raise ValueError(f"--rules: {slug} is given twice")
    return slugs


def ruled(rule: Rule, text: Continuation, position: int) -> Ruled:
    """The figures at a position of a text."""
    psi = rule.psi(text.context(position))
    future = text.future(position, LONGEST)
    masses = [psi.mass(())]
    chances: list[float] = []
    found: tuple[list[float], list[float]] = ([], [])
    for place, token in enumerate(future):
        masses.append(psi.mass(future[: place + 1]))
        chances.append(float(text.laws[position + place][token]))
        for _ in range(STEPS):
            found = kept_between(masses, chances, rule.block)
            if found[1][-1] - found[0][-1] <= APART:
                break
            # One step of both: what the part asks the drafter, the whole mostly asks as well.
            if not (masses[-2].refine() | masses[-1].refine()):
                break
        if found[1][-1] <= APART:
            break
    low, high = (numpy.array(each + [0.0] * (len(future) - len(each))) for each in found)
    given = (low + high) / 2
    goes_on = numpy.array([token not in text.ends for token in future])
    return Ruled(Kept(given, given * goes_on), float(numpy.max(high - low)))


def kept_between(
    masses: Sequence[Any], chances: Sequence[float], block: bool
) -> tuple[list[float], list[float]]:
    """Bounds on a_1, a_2, ..: the lower ones, the upper ones.

    Args:
        masses: of x_1..x_j for j = 0, 1, .., with ``low`` and ``high``.
        chances: p_1(x_1), p_2(x_2), ..
        block: whether candidates are judged together.
    """
    lower, upper = [1.0], [1.0]
    together = 1.0
    for whole, part, p in zip(masses, masses[1:], chances, strict=False):
        if block:
            together *= p
            low, high = (float(mass) / together for mass in (part.low, part.high))
            lower.append(min(lower[-1], low))
            upper.append(min(upper[-1], high))
        else:
            low = float(part.low) / (float(whole.high) * p) if whole.high else 0.0
            high = float(part.high) / (float(whole.low) * p) if whole.low else 1.0
            lower.append(lower[-1] * min(1.0, low))
            upper.append(upper[-1] * (min(1.0, high) if part.high else 0.0))
    return lower[1:], upper[1:]
