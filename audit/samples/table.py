"""The terminal report on a black box."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..report import LOSSY, NOT_APPLICABLE, UNDECIDED, Report, Result

STYLES = {LOSSY: "bold red", UNDECIDED: "magenta", NOT_APPLICABLE: "dim"}


def print_samples(report: Report, console: Console) -> None:
    """One line for each statistic at each prompt, what would have been seen, and the verdict."""
    shown = [result for result in report.results if result.sampling is not None]
    table = Table(box=None)
    for heading in ("statistic", "prompt", "categories", "verdict"):
        table.add_column(heading, no_wrap=True)
    for heading in ("draws", "level", "total variation", "seen above"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in shown:
        sampling = result.sampling
        assert sampling is not None
        low, high = sampling.interval
        table.add_row(
            result.check,
            Text(result.pair or ""),
            sampling.partition,
            Text(result.verdict, style=STYLES.get(result.verdict, "")),
            f"{sampling.draws:,}",
            f"{sampling.level:.2g}",
            f"{low:.3g} to {high:.3g}",
            f"{sampling.seen:.3g}",
        )
    if shown:
        console.print(table)
        console.print()
    for line in _lines(shown, report.results):
        console.print(line, markup=False, highlight=False)
    text = Text()
    text.append(report.verdict, style=STYLES.get(report.verdict, ""))
    text.append(f": {'; '.join(s.reason or '' for s in report.subjects)}")
    console.print()
    console.print(text)


def _lines(shown: Sequence[Result], results: Sequence[Result]) -> list[str]:
    """What is lossy, what would have been seen, and what could not be looked at."""
    lines = [f"{r.check} at {r.pair}: {r.reason}" for r in shown if r.verdict == LOSSY]
    for check in dict.fromkeys(r.check for r in shown):
        found = [r.sampling for r in shown if r.check == check and r.sampling is not None]
        seen = max(sampling.seen for sampling in found)
        where = "" if len(found) == 1 else " at any one prompt"
        line = (
            f"in {check} a total variation above {seen:.3g}{where} would have been seen with "
            f"probability {found[0].power:g}"
        )
        ahead = [sampling.ahead for sampling in found if sampling.ahead is not None]
        if ahead:
            distance, draws = max(ahead, key=lambda each: each[1])
            line += f"; {distance:g} is seen within {draws:,} replies"
        lines.append(line)
    for reason in dict.fromkeys(r.reason for r in results if r.verdict == NOT_APPLICABLE):
        checks = dict.fromkeys(r.check for r in results if r.reason == reason)
        lines.append(f"not looked at: {', '.join(checks)}: {reason}")
    return lines
