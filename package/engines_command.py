"""``draftproof audit`` of engines that are no Python functions: harnesses and black boxes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .options import at_least, real

if TYPE_CHECKING:
    from draftproof.audit.report import Report
    from draftproof.audit.running import Progress
    from rich.console import Console

#: The options that name an engine, one of which may be given, and what argparse calls them.
ENGINES = {
    "harness": "harness",
    "samples": "samples",
    "server": "server",
    "command": "command_line",  # "command" is the subcommand
}
#: Options of the exact audit that say nothing about samples.
_EXACT = ("pair", "random", "lookahead", "horizon", "kind")


def add_options(command: Any) -> None:
    """Add the options that name an engine, and what they need."""
    group = command.add_argument_group("engines that are no Python functions")
    group.add_argument("--harness", metavar="COMMAND", help="a program that answers JSON lines")
    group.add_argument(
        "--request-seconds", type=real, metavar="S", help="time for one answer (default: 5)"
    )
    group.add_argument("--samples", metavar="FILE", help="JSON lines of samples; - is stdin")
    group.add_argument("--command", dest="command_line", metavar="COMMAND", help="prints them")
    group.add_argument("--server", metavar="URL", help="an OpenAI-compatible completions server")
    group = command.add_argument_group("samples of black boxes")
    group.add_argument(
        "--due",
        metavar="LAW",
        help="the law that is due: the name of a pair of toy models, or logprobs for what the "
        "server states; else the speculative mode is compared with the plain one",
    )
    group.add_argument("--alpha", type=real, default=0.01, help="level, all told (default: 0.01)")
    group.add_argument("--power", type=real, default=0.9, help="of what is seen (default: 0.9)")
    group.add_argument(
        "--foretell", type=real, default=0.05, metavar="X", help="draws that show X (default: 0.05)"
    )
    group.add_argument("--max-tokens", type=at_least(1), metavar="N", help="new tokens of a reply")
    group.add_argument("--prompt", action="append", metavar="TEXT", help="a text, or [id, ...]")
    group.add_argument("--draws", type=at_least(1), metavar="N", help="each mode and prompt (1000)")
    group.add_argument(
        "--model", metavar="NAME", help="the speculative mode (default: speculative)"
    )
    group.add_argument("--plain-model", metavar="NAME", help="the plain mode (default: plain)")
    group.add_argument("--plain-server", metavar="URL", help="of the plain mode, if another one")
    group.add_argument("--at-once", type=at_least(1), metavar="N", help="requests at a time (4)")
    group.add_argument("--save", metavar="FILE", help="add the samples to FILE, as JSON lines")


def named(options: argparse.Namespace) -> str | None:
    """The option that names an engine, if one was given."""
    given = _given(options)
    return given[0] if given else None


def _given(options: argparse.Namespace) -> list[str]:
    return [name for name, option in ENGINES.items() if getattr(options, option) is not None]


def check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together.

    Raises:
        ValueError: in one line.
    """
    engine = named(options)
    for_server = ("prompt", "draws", "model", "plain_model", "plain_server", "at_once", "save")
    if engine is None:
        for name in (*for_server, "due", "max_tokens", "request_seconds"):
            if getattr(options, name) is not None:
                raise ValueError(f"{_spelled(name)} needs one of {_listed(ENGINES)}")
        return
    if len(given := _given(options)) > 1:
        raise ValueError(f"--{given[0]} and --{given[1]} name two engines; audit one at a time")
    if options.subject is not None:
        raise ValueError(f"--{engine} names what is audited; leave out {options.subject}")
    refused = [*for_server, "due", "max_tokens"] if engine == "harness" else ["request_seconds"]
    if engine in ("samples", "command"):
        refused += for_server
    if engine != "harness":
        refused += _EXACT
    for name in refused:
        if getattr(options, name):
            raise ValueError(f"{_spelled(name)} does not apply to --{engine}")
    if engine == "server" and not options.prompt:
        raise ValueError("--server needs at least one --prompt")
    if options.due and options.due != "logprobs" and engine != "server" and not options.max_tokens:
        raise ValueError("--due needs --max-tokens, the new tokens that a reply could have at most")
    if options.due == "logprobs" and engine != "server":
        raise ValueError("--due logprobs needs --server, which states them")


def audited(options: argparse.Namespace, progress: Progress | None) -> Report:
    """The report on the engine that ``options`` name.

    Raises:
        ValueError, OSError: in one line.
    """
    engine = named(options)
    if engine == "harness":
        return _harness(options, progress)
    from .black_box_command import audited as audited_box

    assert engine is not None
    return audited_box(engine, options, progress)


def printed(options: argparse.Namespace, report: Report, console: Console) -> bool:
    """Whether the report needed a form of its own, which has then been printed."""
    engine = named(options)
    if engine is None:
        return False
    if engine == "harness":
        from draftproof.audit.table import print_report

        print_report(report, console)
        for reason in dict.fromkeys(r.reason for r in report.results if r.reason):
            if reason.startswith("given structure"):
                console.print(reason, highlight=False, markup=False)
        return True
    from draftproof.audit.samples.table import print_samples

    print_samples(report, console)
    return True


def _harness(options: argparse.Namespace, progress: Progress | None) -> Report:
    from draftproof.audit.harness.auditing import audit_harness
    from draftproof.audit.kinds.auditing import BUDGET, HORIZON, Plan

    plan = Plan(
        tuple(options.pair) or None,
        options.random,
        options.seed,
        (options.lookahead,) if options.lookahead else None,
        options.horizon or HORIZON,
        BUDGET if options.budget is None else options.budget,
        options.tolerance,
        options.relaxed,
    )
    return audit_harness(
        options.harness,
        options.kind,
        plan=plan,
        seconds=options.request_seconds,
        progress=progress,
        say=lambda line: print(f"draftproof: not answered: {line}", file=sys.stderr),
    )


def _spelled(name: str) -> str:
    return "--as" if name == "kind" else f"--{name.replace('_', '-')}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)
