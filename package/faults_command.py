"""``draftproof faults``: the fault bank, and which level of checks sees what: the kill matrix."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .options import add_json, check_writable, console, console_for, write_json

if TYPE_CHECKING:
    from draftproof.audit.bank.entry import FaultEntry
    from draftproof.audit.bank.matrix import Killed, Progress
    from rich.console import Console
    from rich.table import Table

DESCRIPTION = """\
Audit the fault bank: small decoders that are wrong in the ways that real ones were, others that
were reported as wrong and are exact, and rules that are relaxed by design. What the audit finds is
held against each entry's exact law, class and verdict.

Each row is an entry, each column a level of checks:
  next token   the law of the first token
  one round    the joint law of a round's block
  run          the joint law of whole runs, over several rounds
  batch        the joint law of several requests
  edges        coins at the ends of their range, rows of NaN, seeds, reported log-probabilities
A cross says that the level sees a difference, a dash that it ran and sees none; an empty cell, that
it does not apply to the entry's kind. A fault of the joint law alone passes the first column.
"""

EXAMPLES = """\
examples:
  draftproof faults                     the whole matrix (some minutes)
  draftproof faults --entry coin-reused-for-residual
                                        one entry: mechanism, code, laws, public reports, verdict
  draftproof faults --entry match-rule --entry one-hot-rule --json -
  draftproof faults --list              ids, classes and titles, without an audit

exit codes: 0 the audit agrees with every entry, 1 it does not (what differs is listed)
"""

CELLS = {"LOSSY": "x", "UNDECIDED": "?", "LOSSLESS": "-", None: ""}


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "faults",
        help="the fault bank, and which check sees which fault",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--entry",
        action="append",
        default=[],
        metavar="ID",
        help="this entry only, in full; may be repeated",
    )
    command.add_argument("--list", action="store_true", help="list the entries without an audit")
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Audit the bank, print the matrix, and say where the audit and the bank disagree."""
    from draftproof.audit.bank import BANK, entry
    from draftproof.audit.bank.matrix import SCHEMA, matrix

    check_writable(options.json)
    chosen = [entry(name) for name in dict.fromkeys(options.entry)] or list(BANK.values())
    shown = console_for(options.json)
    if options.list:
        if options.json:
            raise ValueError("--list prints no JSON; leave out --json or --list")
        shown.print(_listed(chosen))
        return 0
    with _progress() as progress:
        found = list(matrix(chosen, progress))
    if options.entry:
        for each in found:
            _print_entry(each, shown)
    else:
        shown.print(_table(found))
    _print_summary(found, shown)
    write_json(
        {"schema": SCHEMA, "entries": [each.to_json() for each in found]},
        options.json,
    )
    return 1 if any(each.problems() for each in found) else 0


def _listed(entries: Sequence[FaultEntry]) -> Table:
    from rich.table import Table

    table = Table("entry", "kind", "class", "due", "title", box=None)
    for each in entries:
        table.add_row(each.id, each.kind, each.fault or "", each.verdict, each.title)
    return table


def _table(found: Sequence[Killed]) -> Table:
    from rich.table import Table

    table = Table("entry", "class", "total variation", box=None)
    for heading in ("next token", "one round", "run", "batch", "edges"):
        table.add_column(heading, justify="center")
    table.add_column("audit")
    table.add_column("candidates")
    for each in found:
        table.add_row(
            each.entry.id,
            each.entry.fault or "none",
            _distance(each.entry),
            *_cells(each),
            each.verdict or "not run",
            ", ".join(each.candidates),
        )
    return table


def _cells(each: Killed) -> list[str]:
    from draftproof.audit.bank.entry import LEVELS

    return [CELLS[each.level(name)] for name in LEVELS]


def _distance(entry: FaultEntry) -> str:
    if not entry.exact or len(str(entry.total_variation)) > 12:
        return f"~{float(entry.total_variation):.4g}"
    return str(entry.total_variation)


def _print_entry(each: Killed, shown: Console) -> None:
    entry = each.entry

    def line(name: str, text: str) -> None:
        shown.print(f"  {name:<12}{text}", highlight=False, markup=False)

    shown.print(f"[bold]{entry.id}[/]: {entry.title}", highlight=False)
    line("mechanism", entry.mechanism)
    line("class", entry.fault or "none: it is exact")
    line("guarantee", entry.guarantee)
    line("seen by", "nothing" if entry.is_false_alarm else entry.check)
    line("case", _case(entry))
    width = max(len(_spelled(ids)) for ids in {*entry.due, *entry.law})
    for ids in sorted({*entry.due, *entry.law}):
        due, given = (_probability(law[ids], entry.exact) for law in (entry.due, entry.law))
        line("law", f"{_spelled(ids):<{width}}  due {due:<10} given {given}")
    line("distance", _distance(entry))
    if entry.shares_law_with:
        line("same law", ", ".join(entry.shares_law_with))
    if entry.reports:
        line("reports", ", ".join(entry.reports))
    if entry.note:
        line("note", entry.note)
    verdict = each.verdict or "not run: torch or NumPy is not installed"
    if each.undeclared:
        verdict += f" as {entry.relaxed!r}; {each.undeclared} when it is not declared"
    line("audit", verdict)
    line("candidates", ", ".join(each.candidates) or "none")
    shown.print()
    for code in entry.source.splitlines():
        shown.print(f"    {code}", highlight=False, markup=False, soft_wrap=True)
    shown.print()


def _case(entry: FaultEntry) -> str:
    """The laws of a case in one line."""
    case = entry.case
    parts = [f"p {_laws(case.target)}", f"q {_laws(case.drafter)}"]
    parts.append(f"prompts {[list(prompt) for prompt in case.prompts]}")
    if not case.lengths:
        parts.append(f"lookahead {case.lookahead}")
    parts += [f"{name} {value}" for name, value in case.options.items()]
    if case.lengths:
        parts.append(f"drafts {list(case.lengths)}")
    if case.spoiled:
        parts.append(f"{case.spoiled} is NaN")
    if case.coin:
        parts.append(f"every coin at its {case.coin}")
    return "; ".join(parts)


def _laws(model: Any) -> str:
    tables = model.describe()["tables"]
    written = [(context, " ".join(_row(law, model.size))) for context, law in tables.items()]
    if len(written) == 1:
        return f"({written[0][1]})"
    return ", ".join(f"after {context or 'anything else'} ({law})" for context, law in written)


def _row(law: Any, size: int) -> list[str]:
    if isinstance(law, dict):
        return [str(law.get(str(x), law.get(x, 0))) for x in range(size)]
    return [str(number) for number in law]


def _spelled(ids: Any) -> str:
    if ids and isinstance(ids[0], tuple):
        return " | ".join(_spelled(part) for part in ids)
    return " ".join(map(str, ids))


def _probability(number: Any, exact: bool) -> str:
    return str(number) if exact else f"~{float(number):.6g}"


def _print_summary(found: Sequence[Killed], shown: Console) -> None:
    for each in found:
        for problem in each.problems():
            shown.print(f"{each.entry.id}: {problem}", highlight=False, markup=False)
    skipped = sum(each.report is None for each in found)
    faults = [e for e in found if not e.entry.is_false_alarm and not e.entry.is_relaxed]
    alarms = [e for e in found if e.entry.is_false_alarm]
    seen = sum(e.level(e.entry.check) == "LOSSY" and e.verdict == e.entry.verdict for e in faults)
    certified = sum(e.verdict == "LOSSLESS" for e in alarms)
    relaxed = [e for e in found if e.entry.is_relaxed]
    declared = sum(e.verdict == "RELAXED" for e in relaxed)
    shown.print(
        f"\n{seen} of {len(faults)} faults seen, {certified} of {len(alarms)} false alarms "
        f"certified, {declared} of {len(relaxed)} relaxed rules named",
        highlight=False,
    )
    if skipped:
        shown.print(f"{skipped} not run: torch or NumPy is not installed", highlight=False)


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
        task = bar.add_task("faults")

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield advance
