"""What the wagers would have seen: bounds that hold for every law at a stated distance.

A law at total variation x from what is due gives some event A the probability d + x where d is due.
The wager on A alone then reaches its goal with at least the probability computed here, whatever the
law is otherwise: the goal counts A's share of the average, and the mixture's `regret` in full, and
tails of binomials are bounded by Chernoff. The real power is larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache

from .betting import divergence, regret

#: Probability with which a promised distance is seen, unless another is asked for.
POWER = 0.9
#: Nobody draws more.
MOST_DRAWS = 10**12


def seen_against_law(
    draws: int, biases: Iterable[float], log_goal: float, power: float = POWER, slack: float = 0.0
) -> float:
    """The least distance x such that every law at x or more is seen with probability ``power``.

    Args:
        draws: how many samples there are.
        biases: the probabilities due of all events, complements among them.
        log_goal: what the logarithm of the wager on one event must reach.
        power: the probability.
        slack: how far the biases may be off.

    Returns:
        The distance; 1.0 where no distance below it is.
    """
    if draws < 1:
        return 1.0
    goal = (log_goal + regret(draws)) / draws
    worst = 0.0
    for bias in set(biases):
        if bias >= 1:
            continue
        heads = _fewest_heads(draws, bias, goal, slack)
        high = 1 - bias  # no law gives this event more than that above what is due
        if heads is None:
            worst = max(worst, high)
            continue
        most = (heads - 1) / draws
        target = math.log(1 / (1 - power)) / draws
        low = max(0.0, most - bias)
        for _ in range(60):
            middle = (low + high) / 2
            if bias + middle > most and divergence(most, bias + middle) >= target:
                high = middle
            else:
                low = middle
        worst = max(worst, high)
    return worst


def _fewest_heads(draws: int, bias: float, goal: float, slack: float) -> int | None:
    """The fewest heads, above what is due, whose share diverges enough; None if none do."""
    if divergence(1.0, bias, slack) < goal:
        return None
    low, high = math.floor(bias * draws), draws
    while high - low > 1:
        middle = (low + high) // 2
        if divergence(middle / draws, bias, slack) >= goal:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=4096)
def seen_between_modes(pairs: int, log_goal: float, power: float = POWER) -> float:
    """The same for two modes of which only samples are seen, ``pairs`` of them.

    An event has probability P(A) in one mode and P(A) - x in the other. Of the pairs that differ in
    it, m, the one mode has it in k: the wager on the fair coin has reached its goal T (regret
    included) where D = 2k - m has D^2 >= 2mT. That fails only if D - cm < T/(2c), for every c > 0,
    which is bounded by Chernoff; the bound is largest at P(A) = (1 + x)/2, so that it holds for
    all. It takes the modes' samples as independent.
    """
    if pairs < 1:
        return 1.0
    goal = log_goal + regret(pairs)
    target = math.log(1 - power)
    low, high = 0.0, 1.0
    if _missed(pairs, 1.0, goal) > target:
        return 1.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if _missed(pairs, middle, goal) <= target else (middle, high)
    return high


def _missed(pairs: int, x: float, goal: float) -> float:
    """The logarithm of a bound on the probability that distance ``x`` is missed."""
    if x <= 0:
        return 0.0
    more, fewer = (1 + x) ** 2 / 4, (1 - x) ** 2 / 4
    best = 0.0
    for step in range(3, 15):
        c = 2 * x / (1 + x * x) * step / 10

        def bound(tilt: float, c: float = c) -> float:
            moment = 1 + more * math.expm1(-tilt * (1 - c)) + fewer * math.expm1(tilt * (1 + c))
            return tilt * goal / (2 * c) + pairs * math.log(moment)

        low, high = 0.0, 8.0
        for _ in range(30):
            one, two = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, two) if bound(one) < bound(two) else (one, high)
        best = min(best, bound((low + high) / 2))
    return best


def draws_for(distance: float, seen: Callable[[int], float]) -> int:
    """The fewest draws for which ``seen(draws)`` is ``distance`` or less.

    What is seen gets no larger with more draws, but for the steps of whole numbers.

    Raises:
        ValueError: for a distance that is not above 0.
    """
    if not distance > 0:
        raise ValueError(f"no number of draws shows a distance of {distance}")
    high = 1
    while seen(high) > distance:
        high *= 2
        if high > MOST_DRAWS:
            return high
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if seen(middle) <= distance else (middle, high)
    return high
