"""From two laws to the fields of a `Result`: distances, witnesses, doubts.

Importable without torch or transformers. Paths that raised (error mass) and paths that were not
run (unexplored mass) are counted in the subject's favour: a distance is then a lower bound, and it
alone can make a LOSSY.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..audit.report import LOSSLESS, LOSSY, UNDECIDED, Value, Witness
from ..audit.verdicts import samples_needed

#: `generate()` computes its probabilities in float32 (unit roundoff 6e-8): a path multiplies a
#: dozen of them, and a law adds hundreds of paths. Differences below this are not asserted.
TOLERANCE = 1e-5

#: The fields of a `Result` that a scenario's laws decide.
Findings = dict[str, Any]
#: Ids of new tokens, as one path of `generate()` returned them.
Ids = tuple[int, ...]
if TYPE_CHECKING:
    from ..audit.interception.enumeration import Enumeration

    Law = Enumeration[Ids]


@dataclass(frozen=True)
class Frame:
    """What a witness is read against.

    Attributes:
        prompt: ids of the target.
        vocabulary: how many ids the target has.
        lookahead: tokens drafted a round.
    """

    prompt: Ids
    vocabulary: int
    lookahead: int


def judge(frame: Frame, due: Law, given: Law, tolerance: float) -> Findings:
    """The fields of a `Result` that follow from the two laws, without the fault's class."""
    found: Findings = {
        "paths": given.paths,
        "error_mass": min(1.0, given.error_mass),  # rounding may carry a sum past one
        "unexplored_mass": min(1.0, given.unexplored_mass),
    }
    distance = lower_bound(due, given)
    if given.law:
        found["total_variation"] = Value.of(distance)
    strange = any(not 0 <= token < frame.vocabulary for ids in given.law for token in ids)
    if strange or distance > tolerance:
        found["witness"] = witness = _witness(frame, due, given, tolerance)
        if due.unexplored_mass + due.error_mass + given.unexplored_mass + given.error_mass == 0.0:
            found["samples_needed"] = samples_needed(*event(due, given))
        return found | {"verdict": LOSSY, "refutes": _refutes(witness)}
    doubt = doubt_of(due, "generate() without an assistant ") or doubt_of(given)
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


def event(due: Law, given: Law) -> tuple[float, float]:
    """The probabilities, due and given, of all strings that are given more often than due."""
    more = [ids for ids, p in given.law.items() if p > due.law.get(ids, 0.0)]
    due_mass, given_mass = (
        math.fsum(law.law.get(ids, 0.0) for ids in more) for law in (due, given)
    )
    return min(1.0, due_mass), min(1.0, given_mass)


def doubt_of(law: Law, whose: str = "") -> str | None:
    """Why ``law`` is not the complete law, None if it is."""
    if law.reason is not None:
        return f"{whose}{law.reason}"
    if law.errors:
        error, _ = max(law.errors.items(), key=lambda item: item[1])
        return f"{whose}raises on paths of probability {law.error_mass:.3g}: {error}"
    return None


def past_an_end(law: Law, ends: Collection[int]) -> bool:
    """Whether ids follow an end of sequence in some string of ``law``."""
    return any(token in ends for ids in law.law for token in ids[:-1])


def _witness(frame: Frame, due: Law, given: Law, tolerance: float) -> Witness:
    """The shortest beginning of a string that is given more often than due; of those, the worst."""
    longest = max(1, *map(len, given.law))
    continuation, probability_due, probability_given = next(
        worst
        for length in range(1, longest + 1)
        for excess, worst in [_worst(_beginnings(due.law, length), _beginnings(given.law, length))]
        if excess > tolerance or length == longest
    )
    return Witness(
        context=frame.prompt,
        continuation=continuation,
        due=Value(None, probability_due),
        given=Value(None, probability_given),
        vocabulary=frame.vocabulary,
        lookahead=frame.lookahead,
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
