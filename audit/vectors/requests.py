"""What a request does to the target's law, exactly: processor, temperature, top-k, top-p, min-p."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

#: In words, in the order in which they are applied to each row; the result is renormalised.
ORDER = {
    "logits_processor": "a named change of the logits after a history of ids, prompt included: see "
    "PROCESSORS",
    "temperature": "logits are divided by it: p becomes p^(1/T) normalised; 0 leaves the likeliest "
    "id alone",
    "top_k": "the k likeliest ids are kept",
    "top_p": "ids are kept from the likeliest down, as long as those before hold less than top_p",
    "min_p": "ids of at least min_p times the likeliest one's probability are kept",
    "eos": "the id that ends a string; whatever is emitted behind it counts as another string",
}
PROCESSORS = {
    "no-repeat": "the last id gets the logit minus infinity, unless it is 0",
    "grammar": "after id 2, id 1 gets the logit minus infinity; else id 2 does, until id 1 has "
    "been seen",
    "halve-by-count": "each id's logit is lowered by log 2 for every time that it has occurred",
}


def processed(
    p: Sequence[Fraction], request: Mapping[str, Any], history: Sequence[int]
) -> list[Fraction]:
    """The law that plain decoding draws from, where the model's own is ``p``.

    Raises:
        ValueError: for a temperature whose inverse is no whole number.
    """
    law = _normalised(_by_processor(p, request.get("logits_processor"), history))
    if (temperature := request.get("temperature")) is not None:
        law = _tempered(law, Fraction(temperature))
    likeliest = sorted(range(len(law)), key=lambda x: (-law[x], x))
    if (top_k := request.get("top_k")) is not None:
        law = _kept(law, likeliest[:top_k])
    if (top_p := request.get("top_p")) is not None:
        kept: list[int] = []
        for x in likeliest:
            if sum((law[y] for y in kept), Fraction(0)) >= Fraction(top_p):
                break
            kept.append(x)
        law = _kept(law, kept)
    if (min_p := request.get("min_p")) is not None:
        least = Fraction(min_p) * max(law)
        law = _kept(law, [x for x, value in enumerate(law) if value >= least])
    return law


def _by_processor(
    p: Sequence[Fraction], name: str | None, history: Sequence[int]
) -> Sequence[Fraction]:
    if name is None:
        return p
    if name == "halve-by-count":
        return [value / 2 ** history.count(x) for x, value in enumerate(p)]
    banned: set[int]
    if name == "no-repeat":
        banned = set(history[-1:]) - {0}
    elif history and history[-1] == 2:
        banned = {1}
    else:
        banned = set() if 1 in history else {2}
    return [Fraction(0) if x in banned else value for x, value in enumerate(p)]


def _tempered(law: Sequence[Fraction], temperature: Fraction) -> list[Fraction]:
    if temperature == 0:
        best = max(range(len(law)), key=lambda x: law[x])
        return [Fraction(int(x == best)) for x in range(len(law))]
    power = 1 / temperature
    if power.denominator != 1:
        raise ValueError(f"a temperature of {temperature} has no exact law; 1/T must be whole")
    return _normalised([value ** int(power) for value in law])


def _kept(law: Sequence[Fraction], kept: Sequence[int]) -> list[Fraction]:
    return _normalised([value if x in kept else Fraction(0) for x, value in enumerate(law)])


def _normalised(law: Sequence[Fraction]) -> list[Fraction]:
    total = sum(law)
    return [Fraction(value / total) for value in law]
