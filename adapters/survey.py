"""The survey: is unmodified `generate()` of the installed `transformers` lossless?

Every scenario is one call with an assistant, enumerated exactly, against the same call without,
enumerated likewise. The law compared is that of strings of new token ids, cut at the horizon; an
end of sequence ends a plain string, so any id that follows one shows as a difference.

Importable without torch or transformers; see `missing`.

What a result asserts: ideal independent uniforms, these toy models, this horizon, this tolerance.
Paths that raised (error mass) and paths that were not run (unexplored mass) are counted in the
subject's favour: ``total_variation`` is then a lower bound, and it alone can make a LOSSY.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from ..audit.report import (
    LOSSY,
    NOT_APPLICABLE,
    UNDECIDED,
    Report,
    Result,
    Subject,
    Witness,
    subject_of,
)
from ..audit.running import Progress
from ..toymodels.huggingface import missing
from .judging import TOLERANCE, Findings, Frame, judge, past_an_end
from .scenarios import ASSISTED, HORIZON, SCENARIOS, TWO_TOKENIZERS, Scenario

#: Seconds that a survey may take when nobody says otherwise.
BUDGET = 120.0

COLUMNS_OUT_OF_ORDER = (
    "drafts are drawn from the shared tokens in the order in which the drafter's get_vocab() lists "
    "them, a hash map's, but are scored as if listed by id, so the q that scores is not the q that "
    "drew"
)

if TYPE_CHECKING:
    from .generation import Generation
    from .judging import Law


def survey(
    routes: Iterable[str] | None = None,
    *,
    budget: float | None = None,
    tolerance: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Survey the installed `transformers`.

    Args:
        routes: "assisted", "two-tokenizers"; None for both.
        budget: seconds for everything, `BUDGET` by default; what it cuts short is UNDECIDED, with
            its unexplored mass.
        tolerance: distances above this are LOSSY even where `TOLERANCE` would allow them.
        progress: called after each scenario.

    Returns:
        A `Report` on `ASSISTED` and `TWO_TOKENIZERS`, or what ``routes`` names of them. A failure
        of any kind is a verdict in it with the exception named, never raised; without torch or
        transformers both are NOT_APPLICABLE.

    Raises:
        ValueError: for a route that there is not.
    """
    names = _named_routes(routes)
    lacking = missing()
    if lacking is not None:
        return _nothing_surveyed(names, NOT_APPLICABLE, lacking)
    try:
        from .generation import VERSIONS
    except Exception as raised:  # a release whose parts have moved
        return _nothing_surveyed(names, UNDECIDED, f"cannot be surveyed: {_named(raised)}")
    deadline = time.monotonic() + (BUDGET if budget is None else budget)
    tolerance = TOLERANCE if tolerance is None else min(TOLERANCE, tolerance)
    scenarios = [scenario for scenario in SCENARIOS if scenario.subject in names]
    results: list[Result] = []
    for done, scenario in enumerate(scenarios, start=1):
        results.append(run_scenario(scenario, deadline - time.monotonic(), tolerance))
        if progress is not None:
            progress(done, len(scenarios), scenario.subject)
    results.sort(key=lambda result: names.index(result.subject))
    grouped = groupby(results, key=lambda result: result.subject)
    subjects = tuple(subject_of(name, "transformers", found) for name, found in grouped)
    return Report(subjects, tuple(results), versions=dict(VERSIONS))


def _named_routes(routes: Iterable[str] | None) -> tuple[str, ...]:
    """The subjects that ``routes`` stands for, in the survey's order."""
    known = {name.partition(":")[2]: name for name in (ASSISTED, TWO_TOKENIZERS)}
    wanted = list(known if routes is None else routes)
    for route in wanted:
        if route not in known:
            raise ValueError(f"no route is called {route!r}; there are {', '.join(known)}")
    return tuple(name for route, name in known.items() if route in wanted)


def run_scenario(scenario: Scenario, seconds: float, tolerance: float = TOLERANCE) -> Result:
    """The `Result` of one scenario, within a budget of ``seconds``; never raises."""
    from .enumeration import enumerate_law
    from .generation import Generation, quiet

    started = time.monotonic()
    found: Findings
    try:
        with quiet():
            generation = Generation(scenario)
            due = enumerate_law(generation.plain, seconds=seconds)
            generation.warm_up()
            spent = time.monotonic() - started
            given = enumerate_law(generation.assisted, seconds=seconds - spent)
            found = _judge(scenario, generation, due, given, tolerance)
    except Exception as raised:
        found = {"verdict": UNDECIDED, "reason": f"cannot be set up: {_named(raised)}"}
    return Result(
        scenario.subject,
        "transformers",
        scenario.pair,
        check="run",
        guarantee="run",
        lookahead=scenario.lookahead,
        horizon=HORIZON,
        tolerance=tolerance,
        seconds=time.monotonic() - started,
        **found,
    )


def _judge(
    scenario: Scenario, generation: Generation, due: Law, given: Law, tolerance: float
) -> Findings:
    """The fields of a `Result` that follow from the two laws."""
    frame = Frame(generation.prompt, generation.vocabulary, scenario.lookahead)
    found = judge(frame, due, given, tolerance)
    if found["verdict"] == LOSSY:
        found |= _fault(generation, given, found["witness"])
    return found


def _fault(generation: Generation, given: Law, witness: Witness) -> Findings:
    """The fault classes of a LOSSY result and their mechanisms, as far as they are known.

    A stopping fault comes first only where the witness shows it.
    """
    known: list[tuple[tuple[str, ...], str]] = []
    if generation.shared_columns_out_of_order():
        known.append((("vocabulary-map", "proposal-law"), COLUMNS_OUT_OF_ORDER))
    if past_an_end(given, (generation.eos,)):
        first = 0 if generation.eos in witness.continuation[:-1] else len(known)
        known.insert(first, (("stopping",), "ids follow an end of sequence"))
    classes = tuple(name for names, _ in known for name in names)
    return {
        "fault": classes[0] if classes else None,
        "fault_candidates": classes,
        "reason": "; also, ".join(mechanism for _, mechanism in known) or None,
    }


def _nothing_surveyed(names: Iterable[str], verdict: str, reason: str) -> Report:
    """A report on the routes ``names`` with no result, for ``reason``."""
    subjects = tuple(Subject(name, "transformers", verdict, reason=reason) for name in names)
    return Report(subjects, ())


def _named(raised: Exception) -> str:
    return f"{type(raised).__name__}: {' '.join(str(raised).split())[:200]}"


def summary(results: Iterable[Result]) -> str:
    """One line a result, for people."""
    lines: list[str] = []
    for result in results:
        distance = result.total_variation
        lines.append(
            f"{result.verdict:<10} {result.subject:<27} {result.pair}, lookahead "
            f"{result.lookahead}: distance {'-' if distance is None else f'{distance.float:.2e}'}, "
            f"{result.paths} paths, {result.seconds or 0.0:.1f} s"
        )
    return "\n".join(lines)
