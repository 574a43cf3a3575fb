"""Naming the fault: what well-known mistake gives every law that was seen, or which part is wrong.

The laws a subject gave are compared with those of the mistakes in `mistakes`; a mistake that
explains all of them names the class. Failing that, the parts of the rule are compared one by one,
and failing that, which checks failed and which passed says where the fault can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..report import LOSSY, Result
from .due import DueLaws, Law, longest, prefixes
from .evidence import Evidence
from .mistakes import MISTAKES
from .settings import PLAIN, Ids
from .wrong_rules import Mistake, ratio, residual

#: Laws closer than this are the same for the purpose of naming.
SAME = 1e-7
#: Checks of what a batch is asked for.
OF_REQUESTS = ("temperature", "greedy", "mixed", "eos")
#: With fewer laws than this, a mistake that explains them all may not be the one that was made.
ENOUGH = 4
#: Classes by the check that alone fails.
BY_CHECK = {
    **dict.fromkeys(
        ("temperature", "top-k", "top-p", "min-p", "combined"), ("target-law", "proposal-law")
    ),
    **dict.fromkeys(("processor", "mask"), ("target-law", "position-shift")),
    "greedy": ("target-law", "acceptance-rule"),
    "near-greedy": ("numerical-edge", "target-law"),
    "eos": ("stopping", "position-shift"),
    "stop-positions": ("stopping", "position-shift"),
    "p-equals-q": ("numerical-edge", "residual"),
    "zeros": ("numerical-edge", "residual"),
    "disjoint": ("numerical-edge", "residual"),
    "dtype": ("numerical-edge",),
    "id-order": ("vocabulary-map", "position-shift"),
    "padding": ("vocabulary-map", "numerical-edge"),
    "no-drafts": ("position-shift", "target-law"),
    "second-request": ("state-not-rolled-back", "coupled-randomness"),
    "bonus": ("position-shift", "target-law"),
    "mixed": ("target-law", "position-shift"),
}
LOOK = {
    "target-law": "the law that drafts are verified with, and whether plain decoding draws from it",
    "stopping": "what follows an end of sequence, and how many ids a run returns",
    "numerical-edge": "divisions by zero, empty residuals and comparisons at exact zeros and ones",
    "vocabulary-map": "how ids of one side become ids of the other, and ids that have no text",
    "position-shift": "which row and which request each draw takes",
    "state-not-rolled-back": "what a round or a request leaves behind for the next",
    "coupled-randomness": "which draws share a coin, a noise vector, a seed or a stream",
    "acceptance-rule": "the comparison that accepts a draft",
    "residual": "the draw after a rejection",
    "proposal-law": "whether the q that scores a draft is the q that drew it",
    "block-or-tree": "how the ratios of several positions are combined",
}


def classified(results: Sequence[Result], evidence: Sequence[Evidence], kind: str) -> list[Result]:
    """``results`` with a fault, candidates and a place to look where they are LOSSY."""
    lossy = [r for r in results if r.verdict == LOSSY]
    plain = [e for e in evidence if e.case.settings == PLAIN and e.case.dtype == "float64"]
    mistake = _explaining(plain, kind) if lossy else None
    failed = {r.check for r in lossy}
    general = {"next-token", "one-round", "run"} & failed
    out: list[Result] = []
    for result in results:
        if result.verdict != LOSSY or result.fault is not None:
            out.append(result)
            continue
        if _outlandish(result):
            faults, look = ("vocabulary-map", "numerical-edge"), _of_outlandish(result)
        elif result.guarantee == "batch" and not general and result.check not in OF_REQUESTS:
            faults = _of_batch(result)
            look = f"look at {LOOK[faults[0]]}"
        elif mistake and (general or result.check not in BY_CHECK):
            faults = mistake.faults
            if len(plain) < ENOUGH:  # other mistakes give this law on so few cases too
                other = _by_parts(plain, kind, failed, result)[:1]
                late = kind == "generate" and "next-token" not in failed
                both = (*other, *faults) if late else (*faults, *other)
                faults = tuple(dict.fromkeys(both))
            look = f"it behaves like {mistake.what}; look at {mistake.where}"
        elif general and result.check not in ("eos", "dtype"):
            faults = _by_parts(plain, kind, failed, result)
            look = f"look at {LOOK[faults[0]]}"
        else:
            faults = BY_CHECK.get(result.check) or _by_parts(plain, kind, failed, result)
            only = ", ".join(sorted(failed)[:4])
            look = f"only some checks fail ({only}); look at {LOOK[faults[0]]}"
        noted = result.fault_candidates  # half precision was seen
        kept = tuple(fault for fault in faults if fault not in noted)[: 3 - len(noted)]
        faults = (*kept, *noted) if noted else tuple(faults[:3])
        reason = "; ".join(filter(None, (result.reason, look)))
        out.append(replace(result, fault=faults[0], fault_candidates=faults, reason=reason))
    return out


def _of_batch(result: Result) -> tuple[str, ...]:
    """Classes for a batch whose requests are right when each is alone."""
    if result.refutes == ("batch",):
        return ("coupled-randomness", "state-not-rolled-back", "position-shift")
    return ("position-shift", "state-not-rolled-back", "coupled-randomness")


def _outlandish(result: Result) -> bool:
    witness = result.witness
    return witness is not None and any(
        not 0 <= token < witness.vocabulary for token in witness.continuation
    )


def _of_outlandish(result: Result) -> str:
    assert result.witness is not None
    if -1 in result.witness.continuation:
        return "an id that no vocabulary has; -1 looks like padding: return only the new ids"
    return "an id that no vocabulary has"


def _explaining(evidence: Sequence[Evidence], kind: str) -> Mistake | None:
    """The first mistake whose law is that of every case, and not always the law due."""
    for mistake in MISTAKES:
        if mistake.drafting is not None and kind != "generate":
            continue
        differs = False
        for each in evidence:
            found = _explains(mistake, each, kind)
            if found is None:
                break
            differs = differs or found
        else:
            if differs:
                return mistake
    return None


def _explains(mistake: Mistake, evidence: Evidence, kind: str) -> bool | None:
    """None if the law is another; else whether it differs from the law due."""
    due = DueLaws(evidence.case.pair, evidence.case.settings)
    ahead = evidence.case.lookahead
    if not evidence.case.pair.pair.same_vocabulary:
        return False
    if kind == "generate":
        law = run_law(mistake, due, ahead, evidence.length)
    else:
        law = due.completed(block_law(mistake, due, (), ahead), evidence.length)
    if _distance(law, evidence.law) > SAME:
        return None
    return _distance(law, due.strings((), evidence.length)) > SAME


def _distance(one: Law, other: Law) -> float:
    return max(abs(one.get(ids, 0.0) - other.get(ids, 0.0)) for ids in {**one, **other})


def block_law(mistake: Mistake, due: DueLaws, new: Ids, lookahead: int) -> Law:
    """The law of a round's block after ``new``, under a mistake."""
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
        for block, number in mistake.block(p, q, x).items():
            law[block] = law.get(block, 0.0) + mass * number
    return law


def run_law(mistake: Mistake, due: DueLaws, lookahead: int, horizon: int) -> Law:
    """The law of a whole run under a mistake, each round afresh."""
    at: list[Law] = [{} for _ in range(horizon + 1)]
    at[0][()] = 1.0
    for length in range(horizon):
        for new, mass in at[length].items():
            for block, number in block_law(mistake, due, new, lookahead).items():
                longer = (new + block)[:horizon]
                law = at[len(longer)]
                law[longer] = law.get(longer, 0.0) + mass * number
    return at[horizon]


def _by_parts(
    evidence: Sequence[Evidence], kind: str, failed: set[str], result: Result
) -> tuple[str, ...]:
    """Classes from which parts of the rule are wrong, or from which guarantees are refuted."""
    if kind == "generate":
        if evidence and any(longest(e.law) < e.length or _stops_short(e) for e in evidence):
            return ("stopping", "position-shift")
        if "next-token" in failed:
            return ("proposal-law", "residual", "acceptance-rule")
        return ("state-not-rolled-back", "position-shift", "coupled-randomness")
    wrong = _wrong_parts([e for e in evidence if e.case.lookahead == 1])
    if "next-token" not in failed:  # then accepting and drawing after a rejection fit together
        wrong -= {"accept", "final"}
        if kind == "kernel" or "bonus" not in wrong:
            return ("coupled-randomness", "position-shift", "block-or-tree")
    if "accept" in wrong:
        both = "final" in wrong
        return ("acceptance-rule", "target-law" if both else "proposal-law", "residual")
    if "final" in wrong:
        return ("residual", "coupled-randomness", "position-shift")
    if "bonus" in wrong:
        return ("position-shift", "target-law", "coupled-randomness")
    if result.check in BY_CHECK and "next-token" not in result.refutes:
        return BY_CHECK[result.check]
    return ("coupled-randomness", "block-or-tree", "position-shift")


def _stops_short(evidence: Evidence) -> bool:
    return any(len(ids) < evidence.length for ids in evidence.law)


def _wrong_parts(evidence: Sequence[Evidence]) -> set[str]:
    """Which of accept, final and bonus differ from the rule's, over rounds of one draft."""
    wrong: set[str] = set()
    for each in evidence:
        due = DueLaws(each.case.pair, each.case.settings)
        for x, law in each.parts.items():
            p = [due.row(()), due.row(x)]
            q = [due.drafter.after(due.prompt)]
            accepted = {ids: m for ids, m in law.items() if len(ids) > 1}
            rejected = {ids: m for ids, m in law.items() if len(ids) == 1}
            chance, left = sum(accepted.values()), sum(rejected.values())
            if abs(chance - ratio(p, q, x, 0)) > SAME:
                wrong.add("accept")
            if left > SAME and _differs(prefixes(rejected, 1), left, residual(p, q, x, 0)):
                wrong.add("final")
            second = {ids[1:]: m for ids, m in accepted.items()}
            if chance > SAME and _differs(prefixes(second, 1), chance, p[1]):
                wrong.add("bonus")
    return wrong


def _differs(law: Law, mass: float, row: Sequence[float]) -> bool:
    return any(abs(law.get((t,), 0.0) / mass - v) > SAME for t, v in enumerate(row))
