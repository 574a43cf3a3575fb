"""Verdicts in words, as tests show them when they fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from draftproof.audit.report import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    RELAXED,
    UNDECIDED,
    Report,
    Result,
    Value,
)

#: The pair of the counterexample that shrinking found.
SMALLEST = "smallest"
_LISTED = 6


def failure_of(
    report: Report, *, allow_undecided: bool = False, strict_edges: bool = False
) -> str | None:
    """Why an assertion about ``report`` fails, None if it does not."""
    subject = report.subjects[0]
    failed_edges = [edge for edge in report.edges if edge.verdict in (LOSSY, UNDECIDED)]
    passed = {LOSSLESS, RELAXED, *((UNDECIDED,) if allow_undecided else ())}
    if report.verdict in passed and not (strict_edges and failed_edges):
        return None
    lines = [f"{subject.subject} is {report.verdict} ({subject.kind}, {_tally(report)})"]
    if report.verdict == LOSSY:
        lossy = [r for r in report.results if r.verdict == LOSSY]
        lines += _indented(_lossy(min(lossy, key=_size)))
        lines += [f"  lossy too: {_listed(lossy)}"]
        lines += ['  if that is by design, say so: f.relaxed = "..." or relaxed="..."']
    for reason, results in _by_reason(report.results, UNDECIDED):
        lines += [f"  UNDECIDED, {_listed(results)}:", f"    {reason}"]
    if report.verdict == UNDECIDED:
        lines += ["  undecided is not lossless; allow_undecided=True lets it pass"]
    if report.verdict == NOT_APPLICABLE:
        lines += [f"  nothing could be checked: {subject.reason or 'no check applies'}"]
    if failed_edges:
        weight = "these fail the test" if strict_edges else "these alone would not fail the test"
        lines += [f"  edges that failed ({weight}):"]
        lines += [f"    {_place(edge)}: {edge.reason or edge.verdict}" for edge in failed_edges]
    return "\n".join(lines)


def explained(result: Result, smallest: Result | None = None) -> str:
    """One result that is LOSSY or UNDECIDED; ``smallest`` is the subject's smallest witness."""
    head = f"{result.verdict}: {result.subject} ({result.kind}), {_place(result)}"
    if result.verdict == UNDECIDED:
        known = f"error mass {result.error_mass:.3g}, " if result.error_mass else ""
        mass = "" if result.unexplored_mass is None else f"{result.unexplored_mass:.3g}"
        lines = [f"{head}: neither lossless nor lossy, since it could not be decided"]
        lines += [f"  {result.reason or 'no reason given'}"]
        if mass:
            lines += [f"  known so far: {known}unexplored mass {mass}"]
        return "\n".join(lines)
    lines = [head, *_indented(_lossy(result, place=False))]
    if smallest is not None and smallest is not result:
        told = (result.reason or "").split("; ")
        lines += [f"  smallest counterexample found: {_witness(smallest)}"]
        lines += [f"    {part}" for part in (smallest.reason or "").split("; ") if part not in told]
    return "\n".join(lines)


def _lossy(result: Result, place: bool = True) -> Iterator[str]:
    if place:
        yield f"smallest counterexample: {_place(result)}"
    if result.total_variation:
        tolerance = "" if result.tolerance is None else f"; the tolerance is {result.tolerance:.2g}"
        yield f"total variation {_number(result.total_variation)}{tolerance}"
    if result.witness:
        yield _witness(result)
    if result.fault:
        others = [name for name in result.fault_candidates if name != result.fault]
        perhaps = f" (or {', '.join(others)})" if others else ""
        yield f"class of fault: {result.fault}{perhaps}"
    if result.refutes:
        yield f"what does not hold: {', '.join(result.refutes)}"
    yield from (result.reason or "").split("; ")
    if needed := result.samples_needed:
        yield (
            f"by sampling it takes {needed.n:,} samples to see ({needed.test}, level "
            f"{needed.alpha}, power {needed.power})"
        )


def _witness(result: Result) -> str:
    witness = result.witness
    if witness is None:
        return _place(result)
    return (
        f"after {list(witness.context)} comes {list(witness.continuation)} with probability "
        f"{_number(witness.given)}; due is {_number(witness.due)}"
    )


def _place(result: Result) -> str:
    parts = [f"check {result.check}"]
    parts += [f"pair {result.pair}"] if result.pair else []
    parts += [f"lookahead {result.lookahead}"] if result.lookahead else []
    return ", ".join(parts)


def _tally(report: Report) -> str:
    checked = [r for r in report.results if r.verdict != NOT_APPLICABLE]
    if report.verdict in (LOSSY, UNDECIDED):
        bad = sum(r.verdict == report.verdict for r in checked)
        return f"in {bad} of {len(checked)} checks"
    return f"{len(checked)} checks"


def _by_reason(results: Sequence[Result], verdict: str) -> Iterator[tuple[str, list[Result]]]:
    grouped: dict[str, list[Result]] = {}
    for result in results:
        if result.verdict == verdict:
            grouped.setdefault(result.reason or "no reason given", []).append(result)
    yield from grouped.items()


def _listed(results: Sequence[Result]) -> str:
    """Checks, each with its pairs; the rest of a long list as a number."""
    pairs: dict[str, dict[str, None]] = {}
    for result in results:
        if result.pair != SMALLEST:
            pairs.setdefault(result.check, {})[result.pair or ""] = None
    shown: list[str] = []
    for check, named in pairs.items():
        names = [name for name in named if name]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        shown.append(f"{check} ({', '.join(names[:_LISTED])}{more})" if names else check)
    return ", ".join(shown)


def _indented(lines: Iterator[str]) -> list[str]:
    return [f"  {line}" for line in lines if line]


def _size(result: Result) -> tuple[bool, bool, int, int, int, int]:
    """Sorts results: what shrinking found, then the smallest witness."""
    witness = result.witness
    if witness is None:
        return (True, True, 0, 0, 0, 0)
    return (
        result.pair != SMALLEST,
        False,
        witness.vocabulary,
        witness.lookahead or 0,
        len(witness.context),
        len(witness.continuation),
    )


def _number(value: Value) -> str:
    return f"{value.float:.6g}" if value.exact is None else f"{value.exact}"
