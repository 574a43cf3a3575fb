"""``draftproof audit transformers``: every route, and release by release."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .options import console, console_for, write_json

if TYPE_CHECKING:
    from draftproof.audit.report import Report
    from draftproof.audit.running import Progress

#: Options of the audit that say nothing about transformers.
_OTHERS = ("pair", "random", "lookahead", "horizon", "kind")


def add_options(command: Any) -> None:
    """Add the options that only transformers has."""
    command.add_argument(
        "--quick", action="store_true", help="transformers: only the settings that tell most"
    )
    command.add_argument(
        "--releases",
        metavar="LIST",
        help="transformers: sweep these releases, such as 4.48.3,5.24.0, each in an environment "
        "of its own with the torch that is here, and print one matrix (--json writes it)",
    )


def check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    Raises:
        ValueError: in one line.
    """
    subject = options.subject or ""
    if subject.partition(":")[0] != "transformers":
        for name in ("quick", "releases"):
            if getattr(options, name):
                raise ValueError(f"--{name} applies to transformers only")
        return
    for option in _OTHERS:
        if getattr(options, option):
            name = "as" if option == "kind" else option
            raise ValueError(f"--{name} does not apply to transformers, which has its own toys")
    if options.releases is not None:
        for option in ("junit", "relaxed", "tolerance"):
            if getattr(options, option) is not None:
                raise ValueError(f"--{option} does not go together with --releases")


def swept(options: argparse.Namespace, progress: Progress | None) -> Report:
    """The report on the installed transformers.

    Raises:
        ValueError: without torch or transformers, or for a route that there is not.
    """
    from draftproof.adapters import missing
    from draftproof.adapters.sweep import sweep

    if problem := missing():
        raise ValueError(problem)
    return sweep(
        _routes(options),
        quick=options.quick,
        budget=options.budget,
        tolerance=options.tolerance,
        processes=1 if options.quick else _processes(),
        progress=progress,
    )


def run_releases(options: argparse.Namespace) -> int:
    """Sweep releases, print their matrix, and return the exit code of the worst."""
    from draftproof.adapters import missing
    from draftproof.adapters.matrix import exit_code, run_releases, text_of
    from draftproof.adapters.releases import listed
    from draftproof.adapters.routes import named_routes

    releases, routes = listed(options.releases), _routes(options)
    named_routes(routes)
    if problem := missing():
        raise ValueError(problem)
    matrix = run_releases(
        releases,
        routes=routes,
        quick=options.quick,
        budget=options.budget,
        processes=_processes(),
        say=_said(),
    )
    shown = console_for(options.json)
    shown.print(text_of(matrix, shown.width), highlight=False, markup=False, soft_wrap=True)
    write_json(matrix, options.json)
    return exit_code(matrix)


def _routes(options: argparse.Namespace) -> list[str] | None:
    _, colon, route = options.subject.partition(":")
    return [route] if colon else None


def _processes() -> int:
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def _said() -> Callable[[str], None]:
    """Says what takes time on a terminal's standard error; nothing when piped."""
    if not console(stderr=True).is_terminal:
        return lambda line: None
    return lambda line: print(f"draftproof: {line}", file=sys.stderr)
