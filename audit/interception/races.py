"""Races: which of several undrawn numbers is the least, or the greatest.

Where all of them are one exponential each, scaled, the first race has a closed form (number k wins
with its share of the rates), and later races over the same noise are integrated by `cones`. Other
races (uniforms that are scaled differently, coins that were compared before) are integrated
numerically, once; what such a race leaves is not kept, so that a further use raises by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .coins import Coin
from .cones import SharedNoise, fresh, weight, won
from .elements import EXPONENTIAL, GUMBEL, UNIFORM, Element
from .quadrature import winning_probabilities
from .session import active


class _Exponentials(NamedTuple):
    """A race that is one of independent exponentials."""

    rates: list[float]
    turned: bool
    largest: bool


def race(numbers: Sequence[Element | float], largest: bool) -> int:
    """Index of the greatest of ``numbers``, or of the least; the first of equals, as in argmax.

    Raises:
        UnmodelledRandomCall: where the noise is shared in a way that is not integrated.
    """
    runners = [k for k, x in enumerate(numbers) if isinstance(x, Element)]
    if len(runners) < len(numbers):
        winner = _best_number(numbers, largest)
        if not runners or _beats(numbers[winner], [numbers[k] for k in runners], largest):
            return winner
        best = numbers[winner]
        sign = 1.0 if largest else -1.0
        for k in runners:
            ends = _ends(numbers[k])
            below = ends[0] if largest else ends[1]
            if sign * below >= sign * best:  # type: ignore[operator]
                break
        else:
            return _race_against_a_number(numbers, runners, winner, largest)
    if len(runners) == 1:
        return runners[0]
    elements = [x for x in numbers if isinstance(x, Element)]
    kept = _one_for_each_coin(elements, largest)
    if len(kept) == 1:
        return runners[kept[0]]
    return runners[kept[_decide([elements[k] for k in kept], largest)]]


def first_race(coins: Sequence[Coin], weights: Sequence[float]) -> int | None:
    """Index drawn with positive weights by fresh coins as noise; None if they are not fresh."""
    for coin in coins:
        if coin.noise is not None or coin.low > 0.0 or coin.high < 1.0:
            return None
    if len(coins) == 1:
        return 0
    total = math.fsum(weights)
    taken = active().choices.choose("race", (len(coins),), [weight / total for weight in weights])
    SharedNoise.of_first_race(list(coins), False, list(weights), taken)
    return taken


def _best_number(numbers: Sequence[Element | float], largest: bool) -> int:
    """Index of the first best among plain numbers, NaN before all."""
    best: int | None = None
    for k, x in enumerate(numbers):
        if isinstance(x, Element):
            continue
        if x != x:
            return k
        if best is None or (x > numbers[best] if largest else x < numbers[best]):  # type: ignore[operator]
            best = k
    assert best is not None
    return best


def _ends(x: Element | float) -> tuple[float, float]:
    return x.ends() if isinstance(x, Element) else (x, x)


def _beats(number: Element | float, elements: list[Element | float], largest: bool) -> bool:
    """Whether a number is better than every element, whatever they turn out to be."""
    assert not isinstance(number, Element)
    if number != number:
        return True
    if largest:
        return all(_ends(x)[1] <= number for x in elements)
    return all(_ends(x)[0] >= number for x in elements)


def _race_against_a_number(
    numbers: Sequence[Element | float], runners: list[int], winner: int, largest: bool
) -> int:
    """Decide which elements are better than the best number, then race those."""
    best = numbers[winner]
    assert not isinstance(best, Element)
    better = [k for k in runners if _below(numbers[k], best) != largest]
    if not better:
        return winner
    return better[race([numbers[k] for k in better], largest)]


def _below(x: Element | float, t: float) -> bool:
    return x.below(t) if isinstance(x, Element) else x < t


def _one_for_each_coin(elements: list[Element], largest: bool) -> list[int]:
    """Indices with the best form of every coin, where a coin takes part twice."""
    best: dict[int, int] = {}
    for k, x in enumerate(elements):
        known = best.setdefault(id(x.coin), k)
        if known != k:
            y = elements[known]
            difference = y.plus_element(x.times(-1.0))  # type: ignore[arg-type]
            low, high = _ends(difference)
            if low < 0.0 < high:
                raise x.refuse("a race of two forms of one number, with a third")
            if (high <= 0.0 and low < 0.0) if largest else (low >= 0.0 and high > 0.0):
                best[id(x.coin)] = k
    if len(elements) == 2 and len(best) == 1:
        return [next(iter(best.values()))]
    return sorted(best.values())


def _decide(elements: list[Element], largest: bool) -> int:
    """The winner among elements of different coins."""
    choices = active().choices
    exponentials = _as_exponentials(elements, largest)
    coins = [x.coin for x in elements]
    narrowed = any(coin.low > 0.0 or coin.high < 1.0 for coin in coins)
    shared = any(coin.noise is not None for coin in coins)
    if exponentials is not None and not narrowed:
        rates, turned, greatest = exponentials
        if not shared and not greatest:
            total = math.fsum(rates)
            taken = choices.choose("race", (len(coins),), [rate / total for rate in rates])
            SharedNoise.of_first_race(coins, turned, rates, taken)
            return taken
        return _race_again(coins, exponentials)
    if shared:
        raise elements[0].refuse("noise shared in a way not integrated: a further race")
    forms = tuple((x.base, x.a, x.b, x.c, x.turned, x.coin.low, x.coin.high) for x in elements)
    probabilities = _integrated(forms, largest)
    if probabilities is None:
        raise elements[0].refuse("a race of numbers that are not alike")
    taken = choices.choose("race", (len(coins),), probabilities)
    SharedNoise.spent(coins)
    return taken


@lru_cache(maxsize=4096)
def _integrated(forms: tuple[tuple[object, ...], ...], largest: bool) -> tuple[float, ...] | None:
    """The law of the winner among fresh copies of these forms; None if not found accurately."""
    elements: list[Element] = []
    for base, a, b, c, turned, low, high in forms:
        coin = Coin()
        coin.low, coin.high = low, high  # type: ignore[assignment]
        elements.append(Element(coin, base, a, b, c, turned))  # type: ignore[arg-type]
    return winning_probabilities(elements, largest)


def _race_again(coins: list[Coin], exponentials: _Exponentials) -> int:
    """A race that has no closed form: over noise that was raced before, or for the greatest."""
    rates, turned, largest = exponentials
    session = active()
    noises = list({id(n): n for n in (c.noise or fresh(c, turned) for c in coins)}.values())
    if any(noise.is_spent or noise.turned != turned for noise in noises):
        raise session.refuse("a further race: noise shared in a way not integrated")
    try:
        joint = noises[0].joined(noises[1:])
        at = [next(i for i, c in enumerate(joint.coins) if c is coin) for coin in coins]
        by_coordinate = dict(zip(at, rates, strict=True))
        pieces = [won(joint.cones, by_coordinate, k, largest) for k in at]
    except OverflowError:
        raise session.refuse(
            "a further race over so much noise: cut into too many pieces"
        ) from None
    weights = [weight(cones) for cones in pieces]
    total = math.fsum(weights)
    if abs(total - weight(joint.cones)) > 1e-9 * total:
        raise session.refuse("a further race: rounding lost mass")
    taken = session.choices.choose("race", (len(coins),), [w / total for w in weights])
    joint.cones = pieces[taken]
    return taken


def _as_exponentials(elements: list[Element], largest: bool) -> _Exponentials | None:
    """The race as one of E/rate, for the least or the largest; None if it is not one."""
    first = elements[0]
    base, a, b, c, turned = first.base, first.a, first.b, first.c, first.turned
    if any(x.base != base or x.turned != turned for x in elements):
        return None
    if base == GUMBEL:
        if not all(math.isclose(x.a, a, rel_tol=1e-12) for x in elements):
            return None
        shifts = [-x.b / a for x in elements]  # x = a (log E + b/a): E * exp(b/a)
        top = max(shifts)
        rates = [math.exp(shift - top) for shift in shifts]
        return _Exponentials(rates, turned, largest != (a < 0.0))
    if base == UNIFORM:
        if not all((x.a, x.b) == (a, b) for x in elements):
            return None
        if len({x.c > 0.0 for x in elements}) > 1:
            return None
        # U**c = exp(-c E), monotone in c * E: rate 1/|c|.
        return _Exponentials(
            [1.0 / abs(x.c) for x in elements], turned, largest == ((a < 0.0) != (c < 0.0))
        )
    assert base == EXPONENTIAL
    if not all((x.b, x.c) == (b, c) for x in elements):
        return None
    if len({x.a > 0.0 for x in elements}) > 1:
        return None
    # a * E**c is monotone in E * |a|**(1/c).
    greatest = largest != ((a < 0.0) != (c < 0.0))
    if c == -1.0:
        return _Exponentials([abs(x.a) for x in elements], turned, greatest)
    logs = [-math.log(abs(x.a)) / c for x in elements]
    top = max(logs)
    return _Exponentials([math.exp(x - top) for x in logs], turned, greatest)
