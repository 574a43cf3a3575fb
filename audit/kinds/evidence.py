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
        drafts: for decoders whose drafts were seen, their law in the first round.
        is_stale: whether the models were seen to be called with other ids than were returned.
        requests: how many there were in the call; of more than one, this is the law of one alone.
    """

    case: Case
    length: int
    law: Law
    parts: dict[Ids, Law]
    drafts: Law | None = None
    requests: int = 1
    is_stale: bool = False
