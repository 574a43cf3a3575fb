"""Writing entries down: laws as text, numbers as "n/d"."""

from __future__ import annotations

from typing import Any

from ...reference.exact import rational
from ..report import LOSSLESS, RELAXED
from .cases import Case, law
from .entry import FaultEntry

#: The strongest guarantee that each level of checks can refute.
GUARANTEES = {"next-token": "next-token", "one-round": "block", "run": "run", "batch": "batch"}


def fault(
    name: str,
    title: str,
    where: str,
    kind: str,
    check: str,
    case: Case,
    gives: str,
    distance: str,
    *,
    of_class: str | None,
    due: str | None = None,
    guarantee: str | None = None,
    **more: Any,
) -> FaultEntry:
    """An entry; ``due`` is needed where an option of the case changes what is due."""
    return FaultEntry(
        id=name,
        title=title,
        where=where,
        kind=kind,
        fault=of_class,
        guarantee=guarantee or GUARANTEES[check],
        check=check,
        case=case,
        law=law(gives),
        total_variation=rational(distance),
        due=case.plain_law() if due is None else law(due),
        **more,
    )


def edge(*args: Any, guarantee: str, **more: Any) -> FaultEntry:
    """An entry that no law sees: right for every coin but one, or every row but NaN."""
    name, title, where, kind, *rest = args
    return fault(
        name, title, where, kind, "edges", *rest, guarantee=guarantee, verdict=LOSSLESS, **more
    )


def relaxed(
    name: str,
    title: str,
    where: str,
    case: Case,
    gives: str,
    distance: str,
    says: str,
    **more: Any,
) -> FaultEntry:
    """A rule that is lossy by design; ``says`` is what it declares."""
    return fault(
        name,
        title,
        where,
        "rule",
        "next-token",
        case,
        gives,
        distance,
        of_class="relaxed-by-design",
        verdict=RELAXED,
        relaxed=says,
        **more,
    )


def exact(
    name: str, title: str, where: str, kind: str, check: str, case: Case, **more: Any
) -> FaultEntry:
    """A false alarm: its law is the law due."""
    due = case.plain_law()
    given = more.pop("due", None)
    due = due if given is None else law(given)
    return FaultEntry(
        id=name,
        title=title,
        where=where,
        kind=kind,
        fault=None,
        guarantee=GUARANTEES[check],
        check=check,
        case=case,
        law=due,
        total_variation=rational(0),
        due=due,
        verdict=LOSSLESS,
        **more,
    )
