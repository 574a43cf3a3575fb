"""What a harness says it can: the kinds of requests, the coins they need, optional settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..kinds.loading import DOMAINS, OPTIONAL, CoinSpec
from ..subjects import SubjectError

#: Requests that a harness may take, in the order of preference.
KINDS = ("rule", "kernel", "batch_rule")
#: What may be asked for in ``settings``; the others of `OPTIONAL` are Python objects.
SETTINGS = tuple(
    name for name in OPTIONAL if name in ("eos", "temperature", "top_k", "top_p", "min_p")
)
#: Of a `rule` that declares no coins: one uniform for each draft, and one for the last token.
TAPE = CoinSpec("tape", ("K+1",), "uniform")
_SHAPE = 'coins are listed as [name, shape, domain], such as ["accept", "K", "uniform"]'


#: The largest number in a shape: a request has all coins in one line.
LARGEST_AXIS = 4096


@dataclass(frozen=True)
class Capabilities:
    """What a harness offers.

    Attributes:
        name: what it calls itself.
        kinds: those of `KINDS` that it takes.
        coins: what every request comes with.
        settings: names that its requests may hold besides.
        relaxed: the property it declares instead of losslessness, if any.
    """

    name: str
    kinds: tuple[str, ...]
    coins: tuple[CoinSpec, ...]
    settings: frozenset[str] = frozenset()
    relaxed: str | None = None


def capabilities(name: str, answer: dict[str, Any]) -> Capabilities:
    """What ``answer`` says.

    Raises:
        SubjectError: in one line, for what cannot be understood.
    """
    kinds = answer.get("kinds")
    if not isinstance(kinds, list) or not kinds or any(kind not in KINDS for kind in kinds):
        raise SubjectError(
            f"{name}: the capabilities have kinds {kinds!r}; a list of {_listed(KINDS)} is due"
        )
    coins = answer.get("coins")
    if coins is None and kinds == ["rule"]:
        specs: tuple[CoinSpec, ...] = (TAPE,)
    elif not isinstance(coins, list) or not coins:
        raise SubjectError(f"{name}: the capabilities have coins {coins!r}; {_SHAPE}")
    else:
        specs = tuple(_coin(name, entry) for entry in coins)
    if len({spec.name for spec in specs}) < len(specs):
        raise SubjectError(f"{name}: the capabilities list a coin twice")
    settings = answer.get("settings", [])
    if not isinstance(settings, list) or any(each not in SETTINGS for each in settings):
        raise SubjectError(
            f"{name}: the capabilities have settings {settings!r}; there are {_listed(SETTINGS)}"
        )
    relaxed = answer.get("relaxed")
    if relaxed is not None and not (isinstance(relaxed, str) and relaxed.strip()):
        raise SubjectError(f"{name}: relaxed is {relaxed!r}; it must be a text naming the property")
    ordered = tuple(kind for kind in KINDS if kind in kinds)
    return Capabilities(name, ordered, specs, frozenset(settings), relaxed)


def _coin(name: str, entry: Any) -> CoinSpec:
    if isinstance(entry, list) and len(entry) == 3:
        coin, shape, domain = entry
        axes = tuple(shape) if isinstance(shape, list) else (shape,)
        if isinstance(coin, str) and domain in DOMAINS and all(map(_is_axis, axes)):
            return CoinSpec(coin, axes, domain)
    raise SubjectError(
        f"{name}: the capabilities have a coin {entry!r}; {_SHAPE}; a shape has integers up to "
        f'{LARGEST_AXIS}, "K", "K+1" or "V", a domain is one of {_listed(DOMAINS)}'
    )


def _is_axis(axis: Any) -> bool:
    if isinstance(axis, str):
        return axis in ("K", "K+1", "V")
    return isinstance(axis, int) and not isinstance(axis, bool) and 0 <= axis <= LARGEST_AXIS


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
