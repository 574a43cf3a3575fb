"""A step of an audit: something that gives results or edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..report import Result


@dataclass(frozen=True)
class Step:
    """One part of the audit.

    Attributes:
        blank: a result without a verdict, for when the step does not end.
        is_edge: whether what it gives are edges.
    """

    blank: Result
    run: Callable[[], list[Result]]
    is_edge: bool = False

    @property
    def name(self) -> str:
        """For progress and for messages."""
        where = f" on {self.blank.pair}" if self.blank.pair else ""
        ahead = f", lookahead {self.blank.lookahead}" if self.blank.lookahead else ""
        return f"{self.blank.check}{where}{ahead}"
