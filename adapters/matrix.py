"""Many releases, one matrix: what each of them does under each setting.

A matrix is a JSON object of schema ``draftproof/releases/1``: the date, and for each release the
versions and the results of its report. Printed, it is one row for each case that some release does
not pass, and a count of the rest.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..audit.report import EXIT_CODES, LOSSLESS, LOSSY, NOT_APPLICABLE, RELAXED, UNDECIDED, worst
from .releases import ReleaseError, environment

SCHEMA = "draftproof/releases/1"
#: How a cell is written where nothing applies.
NOTHING = "·"

Row = tuple[str, str, int]


def run_releases(
    releases: Sequence[str],
    *,
    routes: Iterable[str] | None = None,
    quick: bool = False,
    budget: float | None = None,
    processes: int = 2,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Sweep each release in its own environment.

    Args:
        releases: of transformers.
        routes: keys of `routes.ROUTES`; None for all of them.
        quick: only the cases that tell most.
        budget: seconds for each release.
        processes: how many to use.
        say: told what takes time.

    Returns:
        The matrix, as JSON.

    Raises:
        ReleaseError: for a release that cannot be set up or does not finish.
    """
    found: dict[str, Any] = {}
    for release in releases:
        python = environment(release, say)
        say(f"sweeping transformers {release}")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            options: list[str] = ["--processes", str(processes), "--json", str(file)]
            options += ["--quick"] if quick else []
            options += [] if budget is None else ["--budget", str(budget)]
            command = [str(python), "-m", "draftproof.adapters.sweep_command", *options]
            command += [] if routes is None else list(routes)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not file.exists():
                said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
                raise ReleaseError(f"the sweep of transformers {release} failed: {said}")
            found[release] = json.loads(file.read_text(encoding="utf-8"))
    return merged(found, datetime.now(UTC).date().isoformat())


def merged(reports: dict[str, Any], date: str) -> dict[str, Any]:
    """One matrix out of a report for each release."""
    return {
        "schema": SCHEMA,
        "date": date,
        "releases": {
            release: {"versions": report["versions"], "results": report["results"]}
            for release, report in reports.items()
        },
    }


def rows_of(matrix: dict[str, Any]) -> dict[Row, dict[str, dict[str, Any]]]:
    """The results of each case, by release, in the order in which they were run."""
    rows: dict[Row, dict[str, dict[str, Any]]] = {}
    for release, held in matrix["releases"].items():
        for result in held["results"]:
            key = (result["subject"], result["pair"], result["lookahead"])
            rows.setdefault(key, {})[release] = result
    order = list(dict.fromkeys(subject for subject, _, _ in rows))
    return dict(sorted(rows.items(), key=lambda item: order.index(item[0][0])))


def cell(result: dict[str, Any] | None) -> str:
    """One cell: the verdict, and the distance where there is one that counts."""
    if result is None or result["verdict"] == NOT_APPLICABLE:
        return NOTHING
    verdict, distance = result["verdict"], result["total_variation"]
    if verdict in (LOSSY, RELAXED) and distance is not None:
        return f"{verdict} {distance['float']:.3f}"
    if verdict == UNDECIDED and result["error_mass"]:
        return "crashes" if result["error_mass"] > 0.999 else "crashes at times"
    return verdict


def exit_code(matrix: dict[str, Any]) -> int:
    """That of the worst verdict of any release."""
    return EXIT_CODES[worst(verdicts(matrix))]


def verdicts(matrix: dict[str, Any]) -> set[str]:
    """Every verdict that some release got."""
    return {r["verdict"] for held in matrix["releases"].values() for r in held["results"]}


def told(matrix: dict[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
    """The rows to print: cases that some release does not pass, and a count of those all pass."""
    releases = list(matrix["releases"])
    telling: list[list[str]] = []
    passed: dict[str, list[int]] = {}
    for (subject, pair, lookahead), by_release in rows_of(matrix).items():
        route = subject.partition(":")[2]
        cells = [cell(by_release.get(release)) for release in releases]
        if set(cells) <= {LOSSLESS, NOTHING}:
            counts = passed.setdefault(route, [0] * len(releases))
            for at, text in enumerate(cells):
                counts[at] += text == LOSSLESS
        else:
            telling.append([route, pair, str(lookahead), *cells])
    counted = [
        [route, "every other setting", "", *(f"{n} {LOSSLESS}" if n else NOTHING for n in counts)]
        for route, counts in passed.items()
    ]
    return telling, counted


def text_of(matrix: dict[str, Any], width: int = 120) -> str:
    """The matrix for a terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("route", "setting", "k", *matrix["releases"]):
        table.add_column(name, overflow="fold")
    telling, counted = told(matrix)
    for row in (*telling, *counted):
        table.add_row(*row)
    console = Console(width=width, no_color=True, highlight=False)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, "", summary(matrix)])


def summary(matrix: dict[str, Any]) -> str:
    """One line: when, and with what."""
    held = matrix["releases"]
    torches = sorted({each["versions"].get("torch", "?") for each in held.values()})
    cases = max(len(each["results"]) for each in held.values())
    return (
        f"{matrix['date']}: transformers {', '.join(held)}; torch {', '.join(torches)}; "
        f"{cases} cases each"
    )


def markdown_of(matrix: dict[str, Any]) -> str:
    """The matrix as Markdown, for the documentation."""
    telling, counted = told(matrix)
    header = ["route", "setting", "k", *matrix["releases"]]
    lines = [
        f"| {' | '.join(header)} |",
        f"| {' | '.join('---' if at < 2 else '---:' for at in range(len(header)))} |",
        *(f"| {' | '.join(row)} |" for row in (*telling, *counted)),
    ]
    return "\n".join([*lines, "", f"{summary(matrix)}."])
