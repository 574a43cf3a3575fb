"""Betting on coins whose bias is known, if the decoder is lossless.

The wager is the mixture of Krichevsky and Trofimov: the next toss is foretold to be a head with
probability (heads + 1/2) / (tosses + 1). What a stake of 1 has become after n tosses is

    E(n) = KT(heads, tails) / (bias^heads (1 - bias)^tails).

If the tosses are independent with that bias, or the bias given the past is always that, E is a
martingale with E(0) = 1: its expectation is 1, and by Ville's inequality the probability that it
ever reaches 1/alpha is at most alpha. The average of such wagers is one too, and so is the product
of wagers on different coins that are tossed in turn.
"""

from __future__ import annotations

import math
from fractions import Fraction

HALF = Fraction(1, 2)


def kt(heads: int, tails: int) -> Fraction:
    """The probability that the mixture gives to one sequence with so many heads and tails."""
    value = Fraction(1)
    for n in range(heads):
        value *= (n + HALF) / (n + 1)
    for n in range(tails):
        value *= (n + HALF) / (heads + n + 1)
    return value


def wager(heads: int, tails: int, bias: Fraction) -> Fraction | None:
    """The wager, exactly; None stands for infinity: what has probability zero was seen.

    On a coin that leaves no choice the stake is kept until that happens.
    """
    if bias in (0, 1):
        return None if (heads and bias == 0) or (tails and bias == 1) else Fraction(1)
    return kt(heads, tails) / (bias**heads * (1 - bias) ** tails)


def log_kt(heads: int, tails: int) -> float:
    """The logarithm of `kt`."""
    return (
        math.lgamma(heads + 0.5)
        + math.lgamma(tails + 0.5)
        - math.lgamma(heads + tails + 1)
        - math.log(math.pi)
    )


def log_wager(heads: int, tails: int, bias: float, slack: float = 0.0) -> float:
    """The logarithm of `wager`; infinity where what has probability zero was seen.

    With ``slack`` the bias may be off by as much: the wager is against the likeliest that either
    side of the coin can then be, so that its expectation is at most 1 for every such bias.
    """
    up, down = min(1.0, bias + slack), min(1.0, 1 - bias + slack)
    if up <= 0 or down <= 0:
        return math.inf if (heads and up <= 0) or (tails and down <= 0) else 0.0
    due = (heads * math.log(up) if heads else 0.0) + (tails * math.log(down) if tails else 0.0)
    return log_kt(heads, tails) - due


def regret(tosses: int) -> float:
    """How far the logarithm of the mixture may lie below that of the best bias in hindsight.

    It lies furthest where all tosses are alike, about log(pi tosses) / 2 below.
    """
    return -log_kt(tosses, 0)


def divergence(share: float, bias: float, slack: float = 0.0) -> float:
    """Of a coin of ``bias`` from one of ``share``: the Kullback-Leibler divergence, in nats.

    With ``slack``, less what a wager gives away for it; that can be negative.
    """
    total = 0.0
    for x, y in ((share, bias), (1 - share, 1 - bias)):
        if x > 0:
            if y + slack <= 0:
                return math.inf
            total += x * math.log(x / min(1.0, y + slack))
    return total


def bounds(heads: int, tails: int, alpha: float) -> tuple[float, float]:
    """Between what the bias lies, at all times at once with probability 1 - alpha.

    The biases against which the wager has not reached 1/alpha: a confidence sequence.
    """
    n = heads + tails
    if n == 0:
        return 0.0, 1.0
    share = heads / n

    def excluded(bias: float) -> bool:
        return log_wager(heads, tails, bias) >= math.log(1 / alpha)

    low, high = 0.0, share
    if heads and excluded(low):
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if excluded(middle) else (low, middle)
    else:
        low = 0.0
    lowest = low
    low, high = share, 1.0
    if tails and excluded(high):
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if excluded(middle) else (middle, high)
    else:
        high = 1.0
    return lowest, high


def log_mean(logs: list[float]) -> float:
    """The logarithm of the mean of numbers given by their logarithms."""
    most = max(logs)
    if math.isinf(most):
        return most
    return most + math.log(math.fsum(math.exp(x - most) for x in logs) / len(logs))
