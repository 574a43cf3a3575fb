"""The law of the winner among independent numbers of any form, by numerical integration.

Number k wins with probability ``E[prod_j P(x_j < x_k | x_k)]``: one integral over one coin, smooth
between the places where ``x_k`` passes an end of another number's range. Each piece is integrated
by the tanh-sinh rule, which copes with powers and logarithms at the ends.
"""

from __future__ import annotations

import math
from itertools import pairwise

from .elements import Element

#: How far from one the probabilities may add up.
ACCURACY = 1e-10
_STEP = 1.0 / 32.0
_REACH = 115


def _rule() -> list[tuple[float, float]]:
    """Nodes in (0, 1), as the distance to the nearer end with its sign, and weights."""
    rule: list[tuple[float, float]] = []
    for k in range(-_REACH, _REACH + 1):
        t = k * _STEP
        s = 0.5 * math.pi * math.sinh(t)
        node = 1.0 / (1.0 + math.exp(2.0 * abs(s)))  # distance to the end
        weight = _STEP * 0.25 * math.pi * math.cosh(t) / math.cosh(s) ** 2
        rule.append((node if t < 0.0 else -node, weight))
    return rule


_RULE = _rule()


def winning_probabilities(elements: list[Element], largest: bool) -> tuple[float, ...] | None:
    """Probability of each to be the greatest, or the least; None where they do not add to one."""
    found = [_wins(k, elements, largest) for k in range(len(elements))]
    total = math.fsum(found)
    if not abs(total - 1.0) <= ACCURACY:
        return None
    return tuple(probability / total for probability in found)


def _wins(k: int, elements: list[Element], largest: bool) -> float:
    """Probability of number ``k`` to win."""
    mine = elements[k]
    others = [x for j, x in enumerate(elements) if j != k]
    low, high = mine.coin.low, mine.coin.high
    cuts = {mine.cut(end)[0] for x in others for end in x.ends() if math.isfinite(end)}
    ends = [low, *sorted(cut for cut in cuts if low < cut < high), high]
    terms: list[float] = []
    for first, last in pairwise(ends):
        width = last - first
        for node, weight in _RULE:
            u = first + width * node if node > 0.0 else last + width * node
            if first < u < last:
                terms.append(width * weight * _beaten(mine.at(u), others, largest))
    return math.fsum(terms) / (high - low)


def _beaten(value: float, others: list[Element], largest: bool) -> float:
    """Probability that all ``others`` are below ``value``, or above."""
    product = 1.0
    for x in others:
        threshold, side = x.cut(value)
        low, high = x.coin.low, x.coin.high
        share = (min(max(threshold, low), high) - low) / (high - low)
        below = share if side else 1.0 - share
        product *= below if largest else 1.0 - below
        if product == 0.0:
            break
    return product
