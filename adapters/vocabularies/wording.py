"""How the audit puts tokens, texts and numbers into words."""

from __future__ import annotations

from collections.abc import Sequence

from .sides import Token


def token(shown: Token, width: int = 40) -> str:
    """A token's text in quotes, cut to ``width``."""
    return "no text" if shown.text is None else quoted(shown.text, width)


def quoted(text: str, width: int = 24) -> str:
    """``text`` in quotes; what does not print is escaped, what is too long cut."""
    escaped = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return f"'{escaped}'" if len(escaped) <= width else f"'{escaped[: width - 3]}...'"


def large(number: int | None) -> str:
    """A whole number; rounded where it has more than twelve digits."""
    if number is None:
        return "parts of characters"
    if number < 10**12:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    return f"~{number // 10 ** (exponent - 1) / 10}e{exponent}"


def share_of(part: float | None) -> str:
    """`percent`, or that there is nothing to take a share of."""
    return "n/a" if part is None else percent(part)


def decimal(value: float | None) -> str:
    """Two places."""
    return "n/a" if value is None else f"{value:.2f}"


def or_none(value: int | None) -> str:
    """A number, or the word none."""
    return "none" if value is None else str(value)


def listed(ids: Sequence[int]) -> str:
    """Ids in brackets, at most six."""
    return "(" + " ".join(map(str, ids[:6])) + (" ..." if len(ids) > 6 else "") + ")"


def percent(part: float) -> str:
    """``part`` in per cent: a small number is never shown as none, nor nearly all as all."""
    if 0 < part < 0.0005:
        return "under 0.1%"
    if 0.9995 <= part < 1:
        return "over 99.9%"
    return f"{part:.1%}"


def yes_or_no(value: bool | None) -> str:
    """The word; "n/a" where it is not known."""
    return "n/a" if value is None else "yes" if value else "no"
