"""What SUBJECT on the command line names, and the cells that auditing it comes to."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..reference.programs import ALGORITHMS, Program, forms, program
from ..toymodels.gallery import GalleryPair, gallery_pair
from .exact_audit import Cell
from .examples import EXAMPLES


class SubjectError(ValueError):
    """A subject that cannot be audited; the message says why, and what could."""


@dataclass(frozen=True)
class CellName:
    """A cell by names alone, so that it can be sent to another process.

    ``form`` is a stop-rule slug of `draftproof.reference.programs.program`, or for an example the
    lookahead as text.
    """

    subject: str
    form: str
    pair: str

    def cell(self) -> Cell:
        """The cell itself."""
        named = gallery_pair(self.pair)
        return cell(self.subject, self.form, named)


def cell(subject: str, form: str, named: GalleryPair) -> Cell:
    """The cell of ``subject`` in ``form`` on a pair."""
    program_, fault = _program(subject, form)
    return Cell(
        subject,
        program_,
        named.name,
        named.pair,
        named.prompt,
        fault,
    )


def _program(subject: str, form: str) -> tuple[Program, str | None]:
    family, _, name = subject.partition(":")
    if family == "example":
        return EXAMPLES[name].program(int(form)), EXAMPLES[name].fault
    return program(name, form), None


def subjects_named(subject: str) -> tuple[str, ...]:
    """The subjects that ``builtin``, ``builtin:NAME``, ``example`` or ``example:NAME`` stands for.

    Raises:
        SubjectError: for anything else; the message names what there is.
    """
    family, separator, name = subject.partition(":")
    known: dict[str, Iterable[str]] = {"builtin": ALGORITHMS, "example": EXAMPLES}
    if family not in known:
        raise SubjectError(
            f"no subject is called {subject!r}; there are builtin, builtin:NAME, example, "
            "example:NAME and transformers"
        )
    names = tuple(known[family])
    if not separator:
        return tuple(f"{family}:{each}" for each in names)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {family}:{near[0]}?" if near else ""
        raise SubjectError(f"there is no {subject!r} among {', '.join(names)}{hint}")
    return (subject,)


def subject_forms(subject: str, lookaheads: Sequence[int]) -> tuple[str, ...]:
    """Every form in which ``subject`` is audited, each once."""
    family, _, name = subject.partition(":")
    if family == "example":
        return tuple(str(lookahead) for lookahead in lookaheads)
    listed = [form for lookahead in lookaheads for form in forms(name, lookahead)]
    return tuple(dict.fromkeys(listed)) if name != "autoregressive" else (listed[0],)
