"""What an algorithm keeps of its drafts *given the text that comes out*.

**Why given the text.** A lossless algorithm's output has the target's law whatever it keeps. So let
the target write x_1, x_2, .. after a context, and ask with which probability a round that begins
there, and whose output is that text, kept at least j drafts: a_j. Then E[a_j], over texts, is the
probability of keeping j drafts, and no draft has to be drawn and no coin spent. One forward pass
over the drafter gives all a_j.

**The probabilities.** Write r_i = q_i(x_i) / p_i(x_i), R_j = r_1 .. r_j. The drafts that are kept
are x_1..x_j, which were drafted with probability q_1(x_1) .. q_j(x_j) and come out with probability
p_1(x_1) .. p_j(x_j); what follows them has the target's law in each algorithm. So

- standard, union, TLI (with q'):  q_i min(1, p_i/q_i) = min(p_i, q_i), so a_j = prod min(1, r_i);
- SLRS: the same with psi_i( . | x_1..x_{i-1}), a sub-probability;
- exact match: the draws are x_i, and the drafts agree with probability q_i(x_i): a_j = prod q_i;
- block: tau >= j given the drafts x_1..x_j with probability P_j = min(1, P_{j-1} / r_j), so
  a_j = P_j R_j = min(a_{j-1}, R_j) = min(1, R_1, .., R_j): never below the standard one.

**Less noise.** E[a_j | x_1..x_{j-1}] needs no x_j: it is a sum over the vocabulary, a_{j-1} times
sum min(p_j, q_j) for the standard rule, a_{j-1} times sum p_j q_j for exact match, and
sum min(a_{j-1} p_j, R_{j-1} q_j) for the block. For one draft it is exact. Ends are left out of
that sum: a round whose last kept token is an end gives no token behind it. So 1 + sum over j <= K
of these numbers has the round's expected number of tokens as its expectation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import torch

from ...reference.chance import Chance
from ...reference.drafting import unmasked
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.tli import masked
from ..huggingface.tensors import TensorDistribution

Numbers = Any  # a numpy array of floats

#: The rules, by algorithm.
RULES = {
    "tli": "each",
    "slrs": "each",
    "standard": "each",
    "block": "block",
    "exact-match": "match",
}


@dataclass(frozen=True)
class Kept:
    """Of one round, for up to n drafts.

    Attributes:
        text: [n], a_j: probability of keeping at least j drafts, given the text.
        before: [n], the same given the text before x_j only, and that none of the j is an end.
    """

    text: Numbers
    before: Numbers


def kept(
    p: torch.Tensor, q: torch.Tensor, text: Ids, ends: frozenset[int], rule: str = "each"
) -> Kept:
    """What is kept of drafts from ``q`` on ``text``.

    Args:
        p: [n, vocabulary], the target's laws after text[:j].
        q: [n, vocabulary], the laws of the drafts, as target ids; rows may sum to less than one.
        text: n ids. Only the last one may be an end.
        ends: ids that end a text.
        rule: one of the values of `RULES`.
    """
    places = torch.arange(len(text), device=p.device)
    chosen = torch.tensor(text, dtype=torch.long, device=p.device)
    drawn = torch.stack([p[places, chosen], q[places, chosen]]).double().cpu().numpy()
    ratios = drawn[1] / drawn[0]
    products = numpy.cumprod(ratios)
    if rule == "each":
        given = numpy.cumprod(numpy.minimum(1.0, ratios))
        at_step = _sums(torch.minimum(p, q), ends)
        return Kept(given, _before(given) * at_step)
    if rule == "match":
        given = numpy.cumprod(drawn[1])
        return Kept(given, _before(given) * _sums(p * q, ends))
    given = numpy.minimum.accumulate(numpy.minimum(1.0, products))
    scales = torch.tensor(
        numpy.stack([_before(given), _before(products)]), dtype=p.dtype, device=p.device
    )[:, :, None]
    return Kept(given, _sums(torch.minimum(scales[0] * p, scales[1] * q), ends))


def _before(products: Numbers) -> Numbers:
    """The products of one factor less."""
    return numpy.concatenate([[1.0], products[:-1]])


def _sums(numbers: torch.Tensor, ends: frozenset[int]) -> Numbers:
    """Row sums of [n, vocabulary] without the ends."""
    sums = numbers.sum(1)
    if ends:
        sums = sums - numbers[:, sorted(ends)].sum(1)
    return sums.double().cpu().numpy()


class Drafter:
    """The laws of a pair's drafts as target ids, along a text that comes out.

    Drafts are the drafter's own ids. Where several of them mean x_i, which one was drafted is drawn
    by their probabilities: the drafter's later laws depend on it.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._meaning: dict[int, list[int]] = {}
        for d, token in enumerate(pair.target_id_of):
            if token is not None:
                self._meaning.setdefault(token, []).append(d)

    def laws(self, read: Ids, text: Ids, chance: Chance) -> list[Any]:
        """The drafter's laws, over its own ids, after drafts that mean text[:0], text[:1], ..

        At most one for each id of ``text``; fewer where an id means nothing to the drafter.
        """
        laws: list[Any] = []
        drafted: Ids = ()
        while len(laws) < len(text):
            # In one pass as far as the text has one reading.
            run: Ids = ()
            for token in text[len(laws) : -1]:
                choices = self._meaning.get(token, [])
                if len(choices) != 1:
                    break
                run += (choices[0],)
            laws += self.pair.drafter.distributions(read + drafted, run)
            drafted += run
            choices = self._meaning.get(text[len(laws) - 1], [])
            if len(laws) == len(text) or not choices:
                break
            weights = torch.stack([laws[-1][d] for d in choices])
            if not bool(weights.sum() > 0):
                break
            law = TensorDistribution(weights / weights.sum())
            drafted += (choices[chance.draw(law, "reading")],)
        return laws

    def as_target_ids(self, laws: list[Any], rows: int, mask: bool) -> torch.Tensor:
        """[rows, vocabulary of the target]: each law pushed along the token map, zero beyond.

        With ``mask`` it is the law given that the token is shared (TLI's q').
        """
        size = self.pair.target.size
        proposal = masked if mask and not self.pair.same_vocabulary else unmasked
        made: list[torch.Tensor] = []
        for law in laws[:rows]:
            drawn: Any = proposal(self.pair, law)
            if drawn is None:
                break  # nothing is drafted there, so nothing behind it either
            if not self.pair.same_vocabulary:
                drawn = drawn.push_forward(self.pair.union_id)
            row = drawn.row[:size]
            made.append(torch.nn.functional.pad(row, (0, size - len(row))))
        if not made:
            return laws[0].row.new_zeros(rows, size)
        stacked = torch.stack(made)
        return torch.nn.functional.pad(stacked, (0, 0, 0, rows - len(made)))
