"""Which mistake gives every law of whole runs that was seen, where the drafts were not."""

from __future__ import annotations

from collections.abc import Sequence

from .due import DueLaws, Law, prefixes
from .evidence import Evidence
from .mistakes import MISTAKES
from .settings import Ids
from .wrong_rules import Mistake
from .wrong_seen import SAME, distance

#: As many classes as a report has room for.
ENOUGH = 3


class _Tried:
    """Evidence with what it is compared with."""

    def __init__(self, evidence: Evidence) -> None:
        self.due = DueLaws(evidence.case.pair, evidence.case.settings)
        self.ahead = evidence.case.lookahead
        self.length = evidence.length
        self.law = evidence.law
        self.first = prefixes(evidence.law, 1)
        contexts = [(t, u)[:n] for t in range(2) for u in range(2) for n in (0, 1, 2)]
        self.is_free = (
            len({self.due.target.after(self.due.prompt + c) for c in contexts})
            == len({self.due.drafter.after(self.due.prompt + c) for c in contexts})
            == 1
        )
        self.is_right = distance(self.due.strings((), self.length), self.law) <= SAME


def explaining(evidence: Sequence[Evidence], first_only: bool = False) -> list[Mistake]:
    """The mistakes whose law is that of every run, and not always the law due.

    ``first_only``: compare nothing but the first ids, for blocks that end in a way of their own.
    """
    tried = [_Tried(each) for each in evidence if each.case.pair.pair.same_vocabulary]
    # What is wrong, short and over few ids tells most for the least.
    tried.sort(key=lambda t: (t.is_right, t.ahead, t.length, t.due.size))
    if not tried or tried[0].is_right:
        return []
    found: list[Mistake] = []
    for mistake in MISTAKES:
        if any(mistake.faults == other.faults for other in found):
            continue  # it would not add anything
        firsts = tried if first_only else tried[:6]
        if all(_gives_first(mistake, each) for each in firsts) and (
            first_only or all(_gives(mistake, each) for each in tried)
        ):
            found.append(mistake)
            if len(found) == ENOUGH:
                break
    return found


def is_wrong(evidence: Evidence) -> bool:
    """Whether the law that was seen is not the law due."""
    return not _Tried(evidence).is_right


def differs_where_rows_are_alike(evidence: Sequence[Evidence]) -> bool:
    """Whether runs are wrong also where no law depends on what came before."""
    return any(not tried.is_right and tried.is_free for tried in map(_Tried, evidence))


def _gives_first(mistake: Mistake, tried: _Tried) -> bool:
    """Whether the law of the first id is the one that was seen."""
    law = block_law(mistake, tried.due, (), tried.ahead)
    return law is not None and distance(prefixes(law, 1), tried.first) <= SAME


def _gives(mistake: Mistake, tried: _Tried) -> bool:
    law = run_law(mistake, tried.due, tried.ahead, tried.length)
    return law is not None and distance(law, tried.law) <= SAME


def block_law(mistake: Mistake, due: DueLaws, new: Ids, lookahead: int) -> Law | None:
    """The law of a round's block after ``new``, under a mistake; None where it is not known."""
    if mistake.token is not None:
        row = mistake.token(due.row(new), due.drafter.after(due.prompt + new))
        return {(token,): mass for token, mass in enumerate(row) if mass}
    law: Law = {}
    drafting = mistake.drafting or (lambda row: row)
    pending: list[tuple[Ids, float]] = [((), 1.0)]
    for _ in range(lookahead):
        pending = [
            ((*x, token), mass * probability)
            for x, mass in pending
            for token, probability in enumerate(drafting(due.drafter.after(due.prompt + new + x)))
            if probability
        ]
    for x, mass in pending:
        p = [due.row(new + x[:j]) for j in range(lookahead + 1)]
        q = [due.drafter.after(due.prompt + new + x[:j]) for j in range(lookahead)]
        given = mistake.block(p, q, x)
        if given is None:
            return None
        for block, number in given.items():
            law[block] = law.get(block, 0.0) + mass * number
    return law


def run_law(mistake: Mistake, due: DueLaws, lookahead: int, horizon: int) -> Law | None:
    """The law of a whole run under a mistake, each round afresh."""
    at: list[Law] = [{} for _ in range(horizon + 1)]
    at[0][()] = 1.0
    for length in range(horizon):
        for new, mass in at[length].items():
            given = block_law(mistake, due, new, lookahead)
            if given is None:
                return None
            for block, number in given.items():
                longer = (new + block)[:horizon]
                law = at[len(longer)]
                law[longer] = law.get(longer, 0.0) + mass * number
    return at[horizon]
