"""``draftproof audit``: is it lossless?"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import engines_command, transformers_command
from .audit_help import DESCRIPTION, EPILOG
from .options import add_json, at_least, check_writable, console, console_for, real, write_json

if TYPE_CHECKING:
    from draftproof.audit.report import Report
    from draftproof.audit.running import Progress
    from draftproof.reference.pair import Pair


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "audit",
        help="is it lossless? exact laws, verdicts, counterexamples",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("subject", nargs="?", metavar="SUBJECT", help="what to audit (see above)")
    command.add_argument("--as", dest="kind", metavar="KIND", help="the kind of a callable subject")
    command.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="NAME",
        help="a gallery pair; may be repeated (default: all; see draftproof gallery)",
    )
    command.add_argument(
        "--random", type=at_least(1), metavar="N", help="N random pairs instead of the gallery"
    )
    command.add_argument(
        "--seed", type=at_least(0), default=0, metavar="S", help="seed of --random (default: 0)"
    )
    command.add_argument(
        "--lookahead",
        type=at_least(1),
        metavar="K",
        help="drafts a round (default: 1, 2 and 3; 1 and 2 with --random)",
    )
    command.add_argument(
        "--horizon",
        type=at_least(1),
        metavar="N",
        help="new tokens of whole runs, and how far contexts reach (default: 4; 3 with --random)",
    )
    command.add_argument(
        "--budget", type=real, metavar="SECONDS", help="what is unfinished by then is UNDECIDED"
    )
    command.add_argument(
        "--tolerance",
        type=real,
        metavar="X",
        help="never call a distance above X lossless (exact subjects always use 0)",
    )
    command.add_argument(
        "--relaxed", metavar="TEXT", help="the subject is lossy by design; TEXT names the property"
    )
    command.add_argument(
        "--strict", action="store_true", help="failed edges change the exit code too"
    )
    transformers_command.add_options(command)
    engines_command.add_options(command)
    add_json(command)
    command.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Audit, print, write, and return the exit code of the contract."""
    check_writable(options.json)
    check_writable(options.junit)
    _check(options)
    if options.releases is not None:
        return transformers_command.run_releases(options)
    report, pairs = _report(options)
    if options.relaxed is not None and not options.kind:
        report = report.relaxed(options.relaxed)
    from draftproof.audit.junit import junit_xml
    from draftproof.audit.table import print_report

    if not engines_command.printed(options, report, console_for(options.json)):
        print_report(report, console_for(options.json), pairs)
    write_json(report.to_json(), options.json)
    if options.junit:
        Path(options.junit).write_text(junit_xml(report), encoding="utf-8")
    code = report.exit_code(options.strict)
    if report.verdict == "NOT_APPLICABLE":
        print(f"draftproof: nothing could be checked: {_reason(report)}", file=sys.stderr)
    return code


def _check(options: argparse.Namespace) -> None:
    if options.relaxed is not None and not options.relaxed.strip():
        raise ValueError(
            "--relaxed needs a text that names the property, e.g. 'typical acceptance'"
        )
    if options.junit == "-":
        raise ValueError("--junit needs the name of a file; only --json can go to standard output")
    if options.junit is not None and options.junit == options.json:
        raise ValueError(f"--json and --junit would both write {options.junit}")
    if options.random and options.pair:
        raise ValueError("--random draws its own pairs; leave out --pair")
    transformers_command.check(options)
    engines_command.check(options)


def _report(options: argparse.Namespace) -> tuple[Report, dict[str, Pair]]:
    subject = options.subject
    if engines_command.named(options):
        with _progress() as progress:
            return engines_command.audited(options, progress), {}
    if subject is not None and subject.partition(":")[0] == "transformers":
        with _progress() as progress:
            return transformers_command.swept(options, progress), {}
    if subject is not None and subject.partition(":")[0].partition("@")[0] == "vllm":
        return _vllm(options, subject), {}
    from draftproof.audit.kinds.front import names_callable, run_callable

    if options.kind or (subject is not None and names_callable(subject)):
        if subject is None:
            raise ValueError(f"--as {options.kind} says the kind of a callable: name one")
        with _progress() as progress:
            report = run_callable(
                subject,
                options.kind,
                isolate=True,
                pairs=options.pair,
                random=options.random,
                seed=options.seed,
                lookahead=options.lookahead,
                horizon=options.horizon,
                budget=options.budget,
                tolerance=options.tolerance,
                relaxed=options.relaxed,
                progress=progress,
            )
        return report, {}
    if options.random:
        from draftproof.audit.random_pairs import run_random

        with _progress() as progress:
            return run_random(
                "builtin" if subject is None else subject,
                count=options.random,
                seed=options.seed,
                lookaheads=(options.lookahead,) if options.lookahead else (1, 2),
                horizon=options.horizon or 3,
                budget=options.budget,
                progress=progress,
            )
    from draftproof.audit.running import HORIZON, LOOKAHEADS, run_named

    with _progress() as progress:
        report = run_named(
            "builtin" if subject is None else subject,
            pairs=options.pair,
            lookaheads=(options.lookahead,) if options.lookahead else LOOKAHEADS,
            horizon=options.horizon or HORIZON,
            budget=options.budget,
            processes=None,
            progress=progress,
        )
    if subject is None:
        report = _with_survey(report, options)
    return report, {}


def _survey(options: argparse.Namespace) -> Report:
    from draftproof.adapters.survey import survey

    with _progress() as progress:
        return survey(budget=options.budget, tolerance=options.tolerance, progress=progress)


def _vllm(options: argparse.Namespace, subject: str) -> Report:
    from draftproof.adapters.vllm.survey import survey_vllm

    for option in ("pair", "random", "lookahead", "horizon", "kind"):
        if getattr(options, option):
            name = "as" if option == "kind" else option
            raise ValueError(f"--{name} does not apply to vllm, which has its own pairs")
    family, _, selection = subject.partition(":")
    with _progress() as progress:
        return survey_vllm(
            selection or family.removeprefix("vllm") or None,
            budget=options.budget,
            tolerance=options.tolerance,
            progress=progress,
        )


def _with_survey(report: Report, options: argparse.Namespace) -> Report:
    """``report`` with the survey behind it; a survey that fails is said in one line."""
    from draftproof.adapters.survey import missing

    problem = "--pair narrows this audit to the built-ins" if options.pair else missing()
    if problem is None:
        try:
            surveyed = _survey(options)
        except Exception as failure:
            problem = f"it failed with {type(failure).__name__}: {' '.join(str(failure).split())}"
        else:
            return dataclasses.replace(
                report,
                subjects=report.subjects + surveyed.subjects,
                results=report.results + surveyed.results,
                survey=frozenset(subject.subject for subject in surveyed.subjects),
                versions=report.versions | surveyed.versions,
            )
    console(stderr=True).print(
        f"no survey of transformers: {problem}", highlight=False, markup=False
    )
    return report


def _reason(report: Report) -> str:
    return next(
        (subject.reason for subject in report.subjects if subject.reason), "no reason given"
    )


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on a terminal's standard error; nothing when piped."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=shown, transient=True) as bar:
        task = bar.add_task("auditing", total=None)

        def update(done: int, total: int, subject: str) -> None:
            bar.update(task, completed=done, total=total, description=f"auditing {subject}")

        yield update
