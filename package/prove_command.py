"""``draftproof prove``: the ledger of claims, and what establishes each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .options import add_json, check_writable, console, console_for, write_json

if TYPE_CHECKING:
    from draftproof.proofs import Claim, Entry
    from rich.console import Console

DESCRIPTION = """\
Every claim about the algorithms, with its status: proved for every finite vocabulary, proved for
all p and q at fixed sizes, checked exactly on instances, refuted by a smallest counterexample, or
corrected. The command runs what establishes each claim and says where one no longer holds.

  symbolic        the algorithm's own code on formulas: all positive p and q at the sizes named
  instances       exact laws on the gallery
  counterexample  an exact wrong law
  minimality      nothing smaller shows it: by z3, by formulas, by exhaustion
  Coq             theorems for every finite vocabulary: compiled with --coq, which needs Coq
"""

EXAMPLES = """\
examples:
  draftproof prove                  the whole ledger (a minute or two)
  draftproof prove --list           names, statements and status, without running anything
  draftproof prove slrs             one claim, step by step
  draftproof prove --coq            compile the Coq theorems too, and look for axioms
  draftproof prove --json -         the ledger for a program

exit codes: 0 every entry holds, 1 one does not, 2 bad usage
"""
COLOURS = {"holds": "green", "fails": "bold red", "not run": "yellow"}


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "prove",
        help="the ledger of claims: proved, refuted, corrected, and what establishes each",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("name", nargs="*", metavar="NAME", help="a claim (default: all)")
    command.add_argument("--list", action="store_true", help="run nothing")
    command.add_argument("--coq", action="store_true", help="compile the Coq development too")
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the ledger, print it, write it; 1 if an entry no longer holds."""
    from draftproof.proofs.claims import CLAIMS, claim_named
    from draftproof.proofs.ledger import Entry, verify

    check_writable(options.json)
    claims = [claim_named(name) for name in dict.fromkeys(options.name)] or list(CLAIMS.values())
    shown = console_for(options.json)
    theorems = _theorems(options.coq)
    if options.list:
        entries = [Entry(claim) for claim in claims]
    else:
        entries = []
        with _progress(len(claims)) as update:
            for entry in verify(claims):
                entries.append(entry)
                update(entry.claim.name)
    if options.name and not options.list:
        for entry in entries:
            _step_by_step(shown, entry, theorems)
    else:
        _table(shown, entries, options.list, theorems)
    write_json(ledger_json(entries, theorems, ran=not options.list), options.json)
    failed = any(entry.verdict == "fails" for entry in entries)
    return int(failed or (theorems is not None and not all(theorems.values())))


def _theorems(wanted: bool) -> dict[str, bool] | None:
    """Whether each Coq theorem compiles without axioms; None when that was not asked for."""
    if not wanted:
        return None
    from draftproof.proofs.machine_checked import checked_theorems

    return checked_theorems()


def ledger_json(
    entries: Sequence[Entry], theorems: dict[str, bool] | None, ran: bool
) -> dict[str, Any]:
    """The ledger, schema ``draftproof/ledger/1``."""
    from draftproof.proofs.ledger import STATUSES

    return {
        "schema": "draftproof/ledger/1",
        "statuses": STATUSES,
        "coq": theorems,
        "claims": [
            {
                "name": entry.claim.name,
                "family": entry.claim.family,
                "statement": entry.claim.words,
                "symbols": entry.claim.symbols,
                "source": entry.claim.source,
                "status": entry.claim.status,
                "corrected": entry.claim.corrected,
                "why": entry.claim.why,
                "objection": entry.claim.answers,
                "theorems": list(entry.claim.theorems),
                "verdict": entry.verdict if ran else None,
                "seconds": round(entry.seconds, 3) if ran else None,
                "checks": [
                    {
                        "how": step.check.how,
                        "what": step.check.what,
                        "verdict": step.verdict,
                        "lines": step.lines,
                        "seconds": round(step.seconds, 3),
                    }
                    for step in entry.steps
                ],
            }
            for entry in entries
        ],
    }


def _table(
    shown: Console, entries: Sequence[Entry], listing: bool, theorems: dict[str, bool] | None
) -> None:
    from draftproof.proofs.claims import FAMILIES
    from rich.markup import escape
    from rich.table import Table

    for family, about in FAMILIES.items():
        of_family = [entry for entry in entries if entry.claim.family == family]
        if not of_family:
            continue
        columns = ("claim", "status", "statement") if listing else ("claim", "status", "", "", "by")
        table = Table(*columns, box=None, title=about, title_justify="left", title_style="bold")
        for entry in of_family:
            claim = entry.claim
            if listing:
                table.add_row(claim.name, claim.status, escape(claim.words))
                continue
            verdict = f"[{COLOURS[entry.verdict]}]{entry.verdict}[/]"
            table.add_row(
                claim.name, claim.status, verdict, f"{entry.seconds:.1f} s", _by(claim, theorems)
            )
        shown.print(table)
        shown.print()
    for entry in entries:
        for step in entry.steps:
            if step.verdict != "holds":
                said = escape(f"{entry.claim.name}: {step.check.what}: {step.lines[-1]}")
                shown.print(f"[{COLOURS[step.verdict]}]{step.verdict}[/] {said}")
    if not listing:
        shown.print(_conclusion(entries, theorems), highlight=False)


def _by(claim: Claim, theorems: dict[str, bool] | None) -> str:
    parts = list(dict.fromkeys(check.how for check in claim.checks))
    if claim.theorems:
        states = [None if theorems is None else theorems.get(name) for name in claim.theorems]
        parts.insert(0, "Coq" if None in states else "Coq: fails" if False in states else "Coq: ok")
    return ", ".join(parts)


def _conclusion(entries: Sequence[Entry], theorems: dict[str, bool] | None) -> str:
    count = sum(entry.verdict == "holds" for entry in entries)
    said = f"{count} of {len(entries)} entries hold"
    if theorems is None:
        return f"{said}; Coq's part was not run (draftproof prove --coq, or make proofs)"
    return f"{said}; {sum(theorems.values())} of {len(theorems)} theorems closed, without axioms"


def _step_by_step(shown: Console, entry: Entry, theorems: dict[str, bool] | None) -> None:
    from rich.markup import escape

    claim = entry.claim
    shown.print(f"[bold]{claim.name}[/]: {claim.status}", highlight=False)
    listed = [
        ("claim", claim.words),
        ("symbols", claim.symbols),
        ("source", claim.source),
        ("true", claim.corrected),
        ("why", claim.why),
    ]
    for name, text in listed:
        if text:
            shown.print(f"  {name:<8} {escape(text)}", highlight=False)
    for name in claim.theorems:
        state = "compile with --coq" if theorems is None else theorems.get(name, "not found")
        shown.print(f"  {'Coq':<8} {name} ({state})", highlight=False)
    for step in entry.steps:
        head = escape(f"{step.check.how}: {step.check.what}")
        verdict = f"[{COLOURS[step.verdict]}]{step.verdict:<8}[/]"
        shown.print(f"  {verdict} {head} ({step.seconds:.1f} s)", highlight=False)
        for line in step.lines:
            shown.print(f"           {escape(line)}", highlight=False)
    shown.print()


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A progress bar on a terminal's standard error; nothing when piped."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield lambda name: None
        return
    from rich.progress import Progress

    with Progress(console=shown, transient=True) as bar:
        task = bar.add_task("proving", total=total)
        yield lambda name: bar.update(task, advance=1, description=name)
