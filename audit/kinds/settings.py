"""What a request asks for beyond a model's own law, and the law that is due then.

The order is the one of plain ``generate()`` in `transformers`: logits processor, temperature,
top-k, top-p, min-p, each on the law that the one before it left, renormalised. Temperature 0 is a
mode of its own: the likeliest id, and where several are equally likely any of them. Where ids tie
for the last place of top-k or top-p, all of them may be kept, or the first, or the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..report import Result

Row = tuple[float, ...]
Ids = tuple[int, ...]
#: Which of the ids that tie at a cut are kept.
Tie = Literal["all", "first", "last"]
TIES: tuple[Tie, ...] = ("all", "first", "last")


class Processor(Protocol):
    """A logits processor as subjects get it, and as the due law needs it."""

    def factors(self, history: Ids, size: int) -> Row:
        """What the probability of each of ``size`` ids is multiplied with after ``history``."""
        ...

    def __call__(self, ids: Any, logits: Any) -> Any:
        """``logits`` after ``ids``, the logarithms of the factors added; minus infinity for 0."""
        ...


class Factors:
    """A logits processor that multiplies probabilities, depending on the ids before.

    Called as ``processor(ids, logits)`` with a list, 1-D array or tensor of ids and the logits (or
    log-probabilities) of one row; both may have a batch axis of one more dimension, as in
    `transformers`. What comes back has the type of ``logits``, which is not changed.
    """

    def factors(self, history: Ids, size: int) -> Row:
        """What the probability of each of ``size`` ids is multiplied with after ``history``."""
        raise NotImplementedError

    def __call__(self, ids: Any, logits: Any) -> Any:
        """``logits``, the logarithms of the factors added; minus infinity for 0."""
        listed = ids.tolist() if hasattr(ids, "tolist") else list(ids)
        if isinstance(logits, list):
            changed = list(logits)
            self._change(changed, listed)
            return changed
        changed = logits.clone() if hasattr(logits, "clone") else logits.copy()
        if listed and isinstance(listed[0], list):
            for row, history in enumerate(listed):
                self._change(changed[row], history)
        else:
            self._change(changed[0] if changed.ndim == 2 else changed, listed)
        return changed

    def _change(self, row: Any, history: list[int]) -> None:
        for token, factor in enumerate(self.factors(tuple(history), len(row))):
            if factor != 1.0:
                row[token] = row[token] + math.log(factor) if factor else -math.inf


class HalveByCount(Factors):
    """A frequency penalty: each earlier occurrence of an id halves its probability."""

    def factors(self, history: Ids, size: int) -> Row:
        """A half to the power of each id's count."""
        return tuple(0.5 ** history.count(token) for token in range(size))


class Banning(Factors):
    """A logits processor that bans ids, which ones depending on the ids before."""

    def banned(self, history: Ids) -> frozenset[int]:
        """The ids that may not follow ``history``."""
        raise NotImplementedError

    def factors(self, history: Ids, size: int) -> Row:
        """Zero for what is banned."""
        banned = self.banned(history)
        return tuple(0.0 if token in banned else 1.0 for token in range(size))


class NoRepeat(Banning):
    """No id but 0 may follow itself; 0 is left out so that a prompt of zeros changes nothing."""

    def banned(self, history: Ids) -> frozenset[int]:
        """The last id, unless it is 0."""
        return frozenset(history[-1:]) - {0}


class Grammar(Banning):
    """Id 2 is banned until id 1 has been seen, and after id 2 comes 0 or 2 only."""

    def banned(self, history: Ids) -> frozenset[int]:
        """What the state reached after ``history`` bans."""
        if history and history[-1] == 2:
            return frozenset({1})
        return frozenset() if 1 in history else frozenset({2})


class Nothing(Banning):
    """Bans nothing: for subjects that cannot do without a processor."""

    def banned(self, history: Ids) -> frozenset[int]:
        """No id."""
        del history
        return frozenset()


@dataclass(frozen=True)
class Settings:
    """What a request asks for; None is what is not asked for.

    Attributes:
        tie: which ids top-k and top-p keep of those that tie for the last place.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    processor: Processor | None = None
    eos: int | None = None
    tie: Tie = "all"

    @property
    def needs(self) -> frozenset[str]:
        """The keywords that a subject must name to be asked this."""
        asked = {
            "temperature": self.temperature,
            "top_k": self.top_k,
            "top_p": self.top_p,
            "min_p": self.min_p,
            "logits_processor": self.processor,
            "eos": self.eos,
        }
        return frozenset(name for name, value in asked.items() if value is not None)

    def due(self, row: Row, history: Ids) -> Row:
        """The law due where the model's own is ``row`` and ``history`` came before."""
        if self.processor is not None:
            factors = self.processor.factors(history, len(row))
            row = _normalised(tuple(x * f for x, f in zip(row, factors, strict=True)))
        if self.temperature is not None:
            row = _tempered(row, self.temperature)
        if self.top_k is not None:
            row = _likeliest(row, min(self.top_k, len(row)), self.tie)
        if self.top_p is not None:
            row = _nucleus(row, self.top_p, self.tie)
        if self.min_p is not None:
            cut = self.min_p * max(row)
            row = _normalised(tuple(x if x >= cut else 0.0 for x in row))
        return row


#: A request that asks for nothing.
PLAIN = Settings()


def likeliest(row: Row) -> list[int]:
    """Every id of the largest probability in ``row``."""
    return [token for token, x in enumerate(row) if x >= max(row) * (1 - 1e-6)]


def _tempered(row: Row, temperature: float) -> Row:
    if temperature == 0:
        first = likeliest(row)[0]
        return tuple(float(token == first) for token in range(len(row)))
    top = math.log(max(row))
    return _normalised(
        tuple(math.exp((math.log(x) - top) / temperature) if x > 0 else 0.0 for x in row)
    )


def _nucleus(row: Row, mass: float, tie: Tie) -> Row:
    """The fewest likeliest ids whose probabilities add up to ``mass`` or more."""
    total = 0.0
    for count, probability in enumerate(sorted(row, reverse=True), 1):
        total += probability
        if total >= mass:
            return _likeliest(row, count, tie)
    return row


def _likeliest(row: Row, count: int, tie: Tie) -> Row:
    """The ``count`` likeliest ids; where several tie for the last place, which of them."""
    last = -1 if tie == "last" else 1
    order = sorted(range(len(row)), key=lambda token: (-row[token], last * token))
    kept = set(order[:count])
    cut = row[order[count - 1]]
    if tie == "all":
        kept |= {token for token, x in enumerate(row) if x == cut}
    return _normalised(tuple(x if token in kept else 0.0 for token, x in enumerate(row)))


def _normalised(row: Row) -> Row:
    total = math.fsum(row)
    return tuple(x / total for x in row)


def not_applicable(blank: Result, missing: frozenset[str]) -> Result:
    """``blank`` with the reason that the subject does not name the keywords ``missing``."""
    from dataclasses import replace

    return replace(blank, reason=f"the signature does not name {', '.join(sorted(missing))}")
