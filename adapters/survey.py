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

import math
import time
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..audit.report import (
    LOSSLESS,
    LOSSY,
    NOT_APPLICABLE,
    UNDECIDED,
    Report,
    Result,
    Subject,
    Value,
    Witness,
    subject_of,
)
from ..audit.running import Progress
from ..audit.verdicts import samples_needed
from ..toymodels.huggingface import missing
from .scenarios import ASSISTED, HORIZON, SCENARIOS, TWO_TOKENIZERS, Scenario

#: `generate()` computes its probabilities in float32 (unit roundoff 6e-8): a path multiplies a
#: dozen of them, and a law adds hundreds of paths. Differences below this are not asserted.
TOLERANCE = 1e-5

#: Seconds that a survey may take when nobody says otherwise.
BUDGET = 120.0

COLUMNS_OUT_OF_ORDER = (
    "drafts are drawn from the shared tokens in the order in which the drafter's get_vocab() lists "
    "them, a hash map's, but are scored as if listed by id, so the q that scores is not the q that "
    "drew"
)

#: The fields of a `Result` that a scenario's laws decide.
Findings = dict[str, Any]
#: Ids of new tokens, as one path of `generate()` returned them.
Ids = tuple[int, ...]
if TYPE_CHECKING:
    from .enumeration import Enumeration
    from .generation import Generation

    Law = Enumeration[Ids]


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
    found: Findings = {
        "paths": given.paths,
        "error_mass": min(1.0, given.error_mass),  # rounding may carry a sum past one
        "unexplored_mass": min(1.0, given.unexplored_mass),
    }
    distance = lower_bound(due, given)
    if given.law:
        found["total_variation"] = Value.of(distance)
    strange = any(not 0 <= token < generation.vocabulary for ids in given.law for token in ids)
    if strange or distance > tolerance:
        found["witness"] = witness = _witness(scenario, generation, due, given, tolerance)
        if due.unexplored_mass + due.error_mass + given.unexplored_mass + given.error_mass == 0.0:
            found["samples_needed"] = samples_needed(*_event(due, given))
        return (
            found
            | {"verdict": LOSSY, "refutes": _refutes(witness)}
            | _fault(generation, given, witness)
        )
    doubt = _doubt(due, "generate() without an assistant ") or _doubt(given)
    if doubt and distance == 0.0:
        found.pop("total_variation", None)  # a lower bound of nothing says nothing
    return found | {"verdict": UNDECIDED if doubt else LOSSLESS, "reason": doubt}


def _refutes(witness: Witness) -> tuple[str, ...]:
    """The guarantees that ``witness`` refutes: one token suffices against "next-token"."""
    return ("next-token", "run") if len(witness.continuation) == 1 else ("run",)


def lower_bound(due: Law, given: Law) -> float:
    """The least total variation distance between the laws, whatever the unknown masses hold.

    The probability that ``given`` surely has beyond what ``due`` has, less what ``due`` may have
    in its own unknown mass. It is the distance itself when both laws are complete.
    """
    excess = (p - due.law.get(ids, 0.0) for ids, p in given.law.items())
    unknown = due.unexplored_mass + due.error_mass
    return max(0.0, math.fsum(x for x in excess if x > 0.0) - unknown)


def _event(due: Law, given: Law) -> tuple[float, float]:
    """The probabilities, due and given, of all strings that are given more often than due."""
    more = [ids for ids, p in given.law.items() if p > due.law.get(ids, 0.0)]
    due_mass, given_mass = (
        math.fsum(law.law.get(ids, 0.0) for ids in more) for law in (due, given)
    )
    return min(1.0, due_mass), min(1.0, given_mass)


def _doubt(law: Law, whose: str = "") -> str | None:
    """Why ``law`` is not the complete law, None if it is."""
    if law.reason is not None:
        return f"{whose}{law.reason}"
    if law.errors:
        error, _ = max(law.errors.items(), key=lambda item: item[1])
        return f"{whose}raises on paths of probability {law.error_mass:.3g}: {error}"
    return None


def _witness(
    scenario: Scenario, generation: Generation, due: Law, given: Law, tolerance: float
) -> Witness:
    """The shortest beginning of a string that is given more often than due; of those, the worst."""
    continuation, probability_due, probability_given = next(
        worst
        for length in range(1, HORIZON + 1)
        for excess, worst in [_worst(_beginnings(due.law, length), _beginnings(given.law, length))]
        if excess > tolerance or length == HORIZON
    )
    return Witness(
        context=generation.prompt,
        continuation=continuation,
        due=Value(None, probability_due),
        given=Value(None, probability_given),
        vocabulary=generation.vocabulary,
        lookahead=scenario.lookahead,
    )


def _beginnings(law: dict[Ids, float], length: int) -> dict[Ids, float]:
    """The law of the first ``length`` ids; strings that are shorter stand for themselves."""
    masses: dict[Ids, float] = {}
    for ids, probability in law.items():
        masses[ids[:length]] = masses.get(ids[:length], 0.0) + probability
    return masses


def _worst(
    due: dict[Ids, float], given: dict[Ids, float]
) -> tuple[float, tuple[Ids, float, float]]:
    """All the probability given beyond what is due; and where most of it lies: ids, due, given."""
    excess = {ids: p - due.get(ids, 0.0) for ids, p in given.items()}
    worst = max(excess, key=lambda ids: (excess[ids], ids))
    total = math.fsum(x for x in excess.values() if x > 0.0)
    return total, (worst, due.get(worst, 0.0), given[worst])


def _fault(generation: Generation, given: Law, witness: Witness) -> Findings:
    """The fault classes of a LOSSY result and their mechanisms, as far as they are known.

    A stopping fault comes first only where the witness shows it.
    """
    known: list[tuple[tuple[str, ...], str]] = []
    if generation.shared_columns_out_of_order():
        known.append((("vocabulary-map", "proposal-law"), COLUMNS_OUT_OF_ORDER))
    if any(generation.eos in ids[:-1] for ids in given.law):
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
