"""One entry of the bank."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...reference.exact import Rational
from ..report import LOSSLESS, LOSSY, RELAXED
from .cases import Case, Law

SUBJECTS = Path(__file__).parent / "subjects"
#: The levels of checks, from the cheapest up; edges are results of their own.
LEVELS = ("next-token", "one-round", "run", "batch", "edges")


@dataclass(frozen=True, eq=False)
class FaultEntry:
    """A mechanism, its exact law, and the public reports behind it.

    Attributes:
        id: what it is asked for by.
        row: its name in the team's table of toys, None for one that has no row there.
        title: one line.
        where: file and function in ``subjects/``, as "file:function".
        kind: the contract's kind of subject.
        fault: the contract's class; None for false alarms.
        guarantee: the strongest guarantee that it refutes; for false alarms, that was doubted.
        check: the lowest of `LEVELS` that sees it.
        case: where the law is stated.
        law: the exact law that it gives there.
        total_variation: its distance from the law due.
        due: the law due.
        reports: public reports, as "owner/repository #number".
        shares_law_with: ids of entries that give the same law on the same case: telling them apart
            there is impossible.
        verdict: what the audit must say.
        relaxed: the property that it declares instead of losslessness, for relaxed rules.
        note: what else is to be known of the law.
        exact: False where the law is irrational and stated as a rational close to it.
    """

    id: str
    title: str
    where: str
    kind: str
    fault: str | None
    guarantee: str
    check: str
    case: Case
    law: Law
    total_variation: Rational
    due: Law
    row: str | None = None
    reports: tuple[str, ...] = ()
    shares_law_with: tuple[str, ...] = ()
    verdict: str = LOSSY
    relaxed: str | None = None
    note: str | None = None
    exact: bool = True

    @property
    def is_false_alarm(self) -> bool:
        """Whether it is exact although it was reported, or looks, otherwise."""
        return self.verdict == LOSSLESS and self.check != "edges"

    @property
    def is_relaxed(self) -> bool:
        """Whether it is lossy by design, and LOSSY only where it does not say so."""
        return self.verdict == RELAXED

    @property
    def needs_torch(self) -> bool:
        """Whether the subject takes tensors; all others take NumPy arrays."""
        return self.where.startswith("torch_own:")

    @cached_property
    def _node(self) -> ast.FunctionDef:
        file, _, name = self.where.partition(":")
        tree = ast.parse((SUBJECTS / f"{file}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        raise LookupError(f"{self.id}: there is no {name} in subjects/{file}.py")

    @property
    def mechanism(self) -> str:
        """What goes wrong, in plain words: the subject's docstring on one line."""
        return " ".join((ast.get_docstring(self._node) or "").split())

    @property
    def source(self) -> str:
        """The subject's code."""
        file = self.where.partition(":")[0]
        lines = (SUBJECTS / f"{file}.py").read_text(encoding="utf-8").splitlines()
        return "\n".join(lines[self._node.lineno - 1 : self._node.end_lineno])

    @property
    def has_control(self) -> bool:
        """Whether the subject can be run with the fault mended."""
        return any(argument.arg == "correct" for argument in self._node.args.kwonlyargs)

    def subject(self) -> Callable[..., Any]:
        """The callable; imports NumPy or torch."""
        file, _, name = self.where.partition(":")
        module = importlib.import_module(f"{__package__}.subjects.{file}")
        return getattr(module, name)

    def control(self) -> Callable[..., Any]:
        """The subject with its fault mended, which must be LOSSLESS.

        Raises:
            LookupError: when there is none.
        """
        if not self.has_control:
            raise LookupError(f"{self.id} has no mended version")
        broken = self.subject()
        signature = inspect.signature(broken)

        @functools.wraps(broken)
        def mended(*args: Any, **kwargs: Any) -> Any:
            return broken(*args, **kwargs, correct=True)

        del mended.__wrapped__
        kept = [p for name, p in signature.parameters.items() if name != "correct"]
        mended.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return mended
