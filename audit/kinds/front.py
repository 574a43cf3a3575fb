"""Where `run` and the command line hand over callables, and texts that name them."""

from __future__ import annotations

from typing import Any

from ..report import Report
from ..subjects import SubjectError
from .auditing import BUDGET, HORIZON, Plan, Progress, audit_callable
from .isolation import PATH_SECONDS, audit_isolated
from .loading import load

#: What comes before the colon in subjects that are no callables.
FAMILIES = ("builtin", "example", "transformers", "vllm")


def names_callable(subject: str) -> bool:
    """Whether ``subject`` is written as a callable is: ``path/file.py:name``, ``module:name``."""
    family, colon, _ = subject.partition(":")
    return subject.endswith(".py") or ".py:" in subject or (bool(colon) and family not in FAMILIES)


def run_callable(
    subject: object, kind: str | None, *, isolate: bool = False, **options: Any
) -> Report:
    """Audit a callable, or the one that a text names; see `audit_callable` for the options.

    With ``isolate`` a subject named by a text runs in a process of its own, where it may hang or
    crash without harm; ``path_seconds`` then limits each path.

    Raises:
        SubjectError: for a subject that cannot be audited, in one line.
    """
    if "lookaheads" in options:
        options["lookahead"] = options.pop("lookaheads")
    options.pop("processes", None)
    if not isinstance(subject, str):
        if isolate:
            raise SubjectError("only a subject named by a text can run in a process of its own")
        return audit_callable(subject, kind, **options)  # pyright: ignore[reportArgumentType]
    if not names_callable(subject):
        raise SubjectError(
            f"{subject!r} names no callable, so it has no kind to be given; write "
            "path/file.py:name or package.module:name"
        )
    if not isolate:
        options.pop("path_seconds", None)
        return audit_callable(load(subject, kind), kind, **options)
    return run_isolated(subject, kind, **options)


def run_isolated(
    subject: str,
    kind: str | None,
    *,
    pairs: Any = None,
    random: int | None = None,
    seed: int = 0,
    lookahead: Any = None,
    horizon: int | None = None,
    budget: float | None = None,
    tolerance: float | None = None,
    relaxed: str | None = None,
    shrink: bool = True,
    path_seconds: float = PATH_SECONDS,
    progress: Progress | None = None,
) -> Report:
    """As `audit_callable`, in a process of its own."""
    plan = Plan(
        tuple(pairs) if pairs else None,
        random,
        seed,
        (lookahead,) if isinstance(lookahead, int) else tuple(lookahead) if lookahead else None,
        HORIZON if horizon is None else horizon,
        BUDGET if budget is None else budget,
        tolerance,
        relaxed,
        shrink,
    )
    return audit_isolated(subject, kind, plan, path_seconds=path_seconds, progress=progress)
