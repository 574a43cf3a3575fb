"""The terminal report: one line a subject, the exact acceptances, and what is wrong where."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..reference.pair import Pair
from ..toymodels.gallery import GALLERY, gallery_pair
from .report import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Report,
    Result,
    Subject,
)
from .wording import apart, number, spelled

STYLES = {
    LOSSLESS: "green",
    LOSSY: "bold red",
    RELAXED: "yellow",
    UNDECIDED: "magenta",
    NOT_APPLICABLE: "dim",
}
#: More results than this are summed up by subject instead of listed.
LISTED = 20


def print_report(report: Report, console: Console, pairs: dict[str, Pair] | None = None) -> None:
    """Print ``report``, what was surveyed behind what was audited.

    Witnesses on pairs of the gallery, and on those in ``pairs``, are spelled out.
    """
    surveyed = [s for s in report.subjects if s.subject in report.survey]
    audited = [s for s in report.subjects if s.subject not in report.survey]
    _print_part(_part(report, audited), console, pairs or {})
    if surveyed:
        versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
        console.print(f"\nSurveyed, without any say in the exit code: {versions}", highlight=False)
        _print_part(_part(report, surveyed), console, pairs or {})


def _part(report: Report, subjects: Sequence[Subject]) -> Report:
    names = {subject.subject for subject in subjects}
    results = tuple(r for r in report.results if r.subject in names)
    return Report(tuple(subjects), results, versions=report.versions)


def _print_part(report: Report, console: Console, pairs: dict[str, Pair]) -> None:
    if len(report.results) > LISTED and any(r.contexts for r in report.results):
        _print_subjects(report, console)
        _print_acceptances(report.results, console)
    elif report.results:
        _print_results(report.results, console)
    _print_witnesses(report, console, pairs)
    _print_reasons(report, console)
    _print_edges(report, console)
    console.print(_summary(report))


def report_text(report: Report, width: int = 160) -> str:
    """What `print_report` prints, as plain text of at most ``width`` columns."""
    console = Console(file=io.StringIO(), width=width, color_system=None, emoji=False)
    with console.capture() as captured:
        print_report(report, console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _print_subjects(report: Report, console: Console) -> None:
    rows: list[tuple[str | Text, ...]] = []
    for subject in report.subjects:
        results = [r for r in report.results if r.subject == subject.subject]
        rows.append(
            (
                subject.subject,
                _styled(subject.verdict),
                _largest(results),
                f"{len(results):,}",
                f"{sum(r.contexts or 0 for r in results):,}",
                f"{sum(r.paths or 0 for r in results):,}",
            )
        )
    left, right = ("subject", "verdict", "total variation"), ("checks", "contexts", "paths")
    _print_table(console, left, right, rows)


def _print_results(results: Sequence[Result], console: Console) -> None:
    rows: list[tuple[str | Text, ...]] = [
        (
            r.subject,
            r.pair or "",
            r.stop_rule or ("" if r.lookahead is None else f"lookahead {r.lookahead}"),
            r.check,
            _styled(r.verdict),
            number(r.total_variation),
            number(r.acceptance),
            number(r.tokens_per_pass),
            "" if r.paths is None else f"{r.paths:,}",
        )
        for r in results
    ]
    left = ("subject", "pair", "form", "check", "verdict", "total variation")
    _print_table(console, left, ("acceptance", "tokens per pass", "paths"), rows)


def _print_table(
    console: Console,
    left: Sequence[str],
    right: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
) -> None:
    """A table; where the terminal is too narrow for it, a paragraph a row, with nothing cut."""
    table = Table(box=None)
    for heading in left:
        table.add_column(heading, no_wrap=True)
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    # Data is text, never markup: a name may hold square brackets.
    cells = [[part if isinstance(part, Text) else Text(part) for part in row] for row in rows]
    for row in cells:
        table.add_row(*row)
    unlimited = console.options.update(max_width=10_000)
    if console.measure(table, options=unlimited).maximum <= console.width:
        console.print(table)
        return
    headings = (*left, *right)
    for row in cells:
        named = zip(headings[1:], row[1:], strict=True)
        shown = [Text.assemble(heading, " ", part) for heading, part in named if part.plain]
        console.print(Text.assemble(row[0], ": ", Text(", ").join(shown)))


def _print_acceptances(results: Sequence[Result], console: Console) -> None:
    """The first candidate's exact acceptance, pairs down and subjects across."""
    shown = [
        r for r in results if r.check == "one-round" and (r.stop_rule or "").startswith("fixed")
    ]
    lookaheads = sorted({r.lookahead for r in shown if r.lookahead})
    if not lookaheads:
        return
    lookahead = 2 if 2 in lookaheads else lookaheads[0]
    cells = {(r.pair, r.subject): r for r in shown if r.stop_rule == f"fixed:{lookahead}"}
    subjects = list(dict.fromkeys(subject for _, subject in cells))
    if not subjects:
        return
    console.print(
        f"\nExact acceptance of the first candidate, at the prompt, lookahead {lookahead}:"
    )
    table = Table("pair", box=None)
    for subject in subjects:
        table.add_column(subject.partition(":")[2], justify="right")
    for pair in dict.fromkeys(pair for pair, _ in cells):
        table.add_row(pair, *(_acceptance(cells.get((pair, subject))) for subject in subjects))
    console.print(table)


def _print_witnesses(report: Report, console: Console, pairs: dict[str, Pair]) -> None:
    for subject in report.subjects:
        lossy = [r for r in report.results if r.subject == subject.subject and r.witness]
        if not lossy:
            continue
        result = min(lossy, key=_size)
        witness = result.witness
        assert witness is not None
        name = result.pair or ""
        pair = pairs.get(name) or (gallery_pair(name).pair if name in GALLERY else None)
        console.print(
            f"\n{subject.subject} is lossy in {len(lossy)} of its checks. Smallest witness: pair "
            f"{result.pair}, lookahead {witness.lookahead}, check {result.check}",
            markup=False,
            highlight=False,
        )
        console.print(
            f"  after {spelled(witness.context, pair)} comes "
            f"{spelled(witness.continuation, pair)} with probability "
            f"{apart(witness.given, witness.due)}; due is {apart(witness.due, witness.given)}",
            highlight=False,
            markup=False,
        )
        console.print(
            f"  largest total variation of this check {number(result.total_variation)}; class "
            f"{result.fault or 'unknown'}; refutes {', '.join(result.refutes)}",
            highlight=False,
            markup=False,
        )
        if result.reason:
            console.print(f"  {result.reason}", highlight=False, markup=False)
        if needed := result.samples_needed:
            console.print(
                f"  by sampling it takes {needed.n:,} samples to see that ({needed.test}, level "
                f"{needed.alpha}, power {needed.power})",
                highlight=False,
                markup=False,
            )


def _print_reasons(report: Report, console: Console) -> None:
    for verdict in (UNDECIDED, NOT_APPLICABLE):
        found = [r for r in report.results if r.verdict == verdict]
        for reason in dict.fromkeys(r.reason for r in found):
            who = dict.fromkeys(f"{r.subject} on {r.pair}" for r in found if r.reason == reason)
            listed = list(who)
            more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
            console.print(
                f"{verdict}: {', '.join(listed[:3])}{more}: {reason}",
                style=STYLES[verdict],
                markup=False,
            )


def _print_edges(report: Report, console: Console) -> None:
    for edge in report.edges:
        if edge.verdict not in (LOSSLESS, NOT_APPLICABLE):
            line = f"edge {edge.check} on {edge.pair}: {edge.verdict}: {edge.reason}"
            console.print(line, highlight=False, markup=False)


def _summary(report: Report) -> Text:
    verdict = report.verdict
    checks = [r for r in report.results if r.verdict != NOT_APPLICABLE]
    pairs = len({r.pair for r in report.results})
    text = Text("\n")
    text.append(verdict, style=STYLES[verdict])
    text.append(f": {len(report.subjects)} subject{_s(len(report.subjects))}, {pairs} ")
    text.append(f"pair{_s(pairs)}, {len(checks):,} checks")
    if verdict == LOSSLESS:
        rounded = any(r.total_variation and r.total_variation.exact is None for r in checks)
        bounds = [r.tolerance for r in checks if r.tolerance]
        text.append(", every distance ")
        text.append(f"within {max(bounds):.3g}" if rounded and bounds else "exactly 0")
    return text


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _size(result: Result) -> tuple[int, int, int, int]:
    """Sorts witnesses: smallest vocabulary, lookahead, context, continuation."""
    witness = result.witness
    assert witness is not None
    return (
        witness.vocabulary,
        witness.lookahead or 0,
        len(witness.context),
        len(witness.continuation),
    )


def _styled(verdict: str) -> Text:
    return Text(verdict, style=STYLES[verdict])


def _largest(results: Iterable[Result]) -> str:
    values = [r.total_variation for r in results if r.total_variation]
    return number(max(values, key=lambda value: value.float)) if values else ""


def _acceptance(result: Result | None) -> Text:
    if result is None or result.verdict == NOT_APPLICABLE:
        return Text("n/a", style="dim")
    if result.verdict != LOSSLESS:
        return _styled(result.verdict)
    return Text(number(result.acceptance))
