"""What was seen of a subject, kept for naming its fault."""

from __future__ import annotations

from dataclasses import dataclass

from .cases import Case
from .due import Law
from .settings import Ids


@dataclass(frozen=True)
class Evidence:
    """A law that a subject gave on one case.

    Attributes:
        law: of strings of ``length`` new ids.
        parts: for rules, the law of the block for each draft.
    """

    case: Case
    length: int
    law: Law
    parts: dict[Ids, Law]
