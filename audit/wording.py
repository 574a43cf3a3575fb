"""How reports put numbers and tokens into words."""

from __future__ import annotations

from ..reference.models import Ids
from ..reference.pair import Pair
from .report import Value


def spelled(ids: Ids, pair: Pair | None) -> str:
    """``ids`` with their spellings; without them where the pair is not known."""
    if pair is None:
        return str(list(ids))
    end = pair.end_of_sequence
    vocabulary = pair.target_tokenizer.vocabulary

    def spelling(token: int) -> str:
        if not 0 <= token < len(vocabulary):
            return "?"
        raw = vocabulary[token]
        if raw is None:
            return "end" if token == end else "special"
        return repr(raw.decode("utf-8", errors="backslashreplace"))

    return f"{list(ids)} ({' '.join(spelling(token) for token in ids)})"


def apart(value: Value, other: Value) -> str:
    """``value`` with as many digits as it takes to tell it from ``other``."""
    short = number(value)
    return short if short != number(other) else f"{value.float:.17g}"


def number(value: Value | None) -> str:
    """Exactly where that is short, else rounded and marked so."""
    if value is None:
        return ""
    if value.exact is not None:
        exact = str(value.exact)
        return exact if len(exact) <= 9 else f"~{value.float:.4g}"
    return f"{value.float:.3g}"
