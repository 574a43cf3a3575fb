"""The ledger as pages: every claim with its idea, its theorems as Coq has them, and its numbers."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from draftproof.proofs import STATUSES, Entry
from draftproof.proofs.claims import CLAIMS, FAMILIES
from draftproof.proofs.ledger import verify
from worked_text import code, markdown, worked


@worked
def ledger_statuses() -> str:
    """What each status asserts, and how many claims have it."""
    counts = dict.fromkeys(STATUSES, 0)
    for claim in CLAIMS.values():
        counts[claim.status] += 1
    rows = [[status, STATUSES[status], counts[status]] for status in STATUSES]
    return markdown(["status", "what it asserts", "claims"], rows)


@worked
def ledger() -> str:
    """Every claim, its status, and what establishes it."""
    rows = []
    for claim in CLAIMS.values():
        by = [f"`{name}`" for name in claim.theorems]
        by += list(dict.fromkeys(check.how for check in claim.checks))
        link = f"[{claim.name}](proofs/{claim.family}.md#{claim.name.replace('.', '')})"
        rows.append([link, claim.words, claim.status, ", ".join(by)])
    return markdown(["claim", "statement", "status", "by"], rows)


@worked
def ledger_objections() -> str:
    """Which claims answer which objection."""
    return "\n".join(
        f"{number}. "
        + ", ".join(
            f"[{claim.name}](proofs/{claim.family}.md#{claim.name.replace('.', '')})"
            for claim in CLAIMS.values()
            if claim.answers == number
        )
        for number in (1, 2, 3)
    )


@worked
def claims_of(family: str) -> str:
    """The claims of a family: statement, idea, machine-checked lines, and numbers."""
    if family not in FAMILIES:
        raise ValueError(f"no family is called {family!r}")
    return "\n\n".join(_described(entry) for entry in _verified(family))


@cache
def _verified(family: str) -> list[Entry]:
    entries = list(verify(claim for claim in CLAIMS.values() if claim.family == family))
    failed = [entry.claim.name for entry in entries if entry.verdict != "holds"]
    if failed:
        raise ValueError(f"not established: {', '.join(failed)}")
    return entries


def _described(entry: Entry) -> str:
    claim = entry.claim
    parts = [
        f"## {claim.name}",
        f"**{claim.status.capitalize()}.** {claim.words}",
        f"{code(claim.symbols)}",
        f"*Source:* {claim.source}.",
    ]
    if claim.corrected:
        parts.append(f"*What is true:* {claim.corrected}.")
    parts.append(f"*Idea.* {claim.why}")
    if claim.theorems:
        statements = "\n\n".join(statement(name) for name in claim.theorems)
        parts.append(
            f"*Machine-checked, for every finite vocabulary:*\n\n```coq\n{statements}\n```"
        )
    lines = [f"{step.check.how}: {line}" for step in entry.steps for line in step.lines]
    parts.append("*Numbers:*\n\n```text\n" + "\n".join(lines) + "\n```")
    return "\n\n".join(parts)


def statement(name: str) -> str:
    """A theorem as its file states it, with the place."""
    file, _, theorem = name.partition(".")
    text = resources.files("draftproof.proofs").joinpath(f"coq/{file}.v").read_text("utf-8")
    found = re.search(
        rf"^(?:Theorem|Lemma|Corollary|Example) {re.escape(theorem)}\b.*?\.(?=\s*\n\s*Proof)",
        text,
        re.MULTILINE | re.DOTALL,
    )
    if found is None:
        raise ValueError(f"no theorem {theorem} in {file}.v")
    line = text.count("\n", 0, found.start()) + 1
    return f"(* proofs/coq/{file}.v, line {line} *)\n{found[0]}"


@worked
def formulas(name: str, lookahead: str) -> str:
    """The law of one round over two ids, case by case."""
    from draftproof.proofs.symbolic import law_formulas, symbolic_pair
    from draftproof.reference.programs import program

    made = symbolic_pair(2, 0)
    algorithm = program(name, int(lookahead))
    lines = []
    for found in law_formulas(
        made, lambda pair, context, chance: algorithm.run_round(pair, context, chance, None)
    ):
        if not found.result.is_lossless(found.case):
            raise ValueError(f"{name} is not lossless where {found.case}")
        lines.append(f"{found.case}: accepted with probability {found.result.acceptance}")
        lines += [f"    {ids}: {formula}" for ids, formula in sorted(found.result.law.items())]
    return "\n".join(lines)


@worked
def coq_theorems() -> str:
    """Every theorem of the Coq development, and the claims that it establishes."""
    from draftproof.proofs.coq_workshop import sources, statements

    used: dict[str, list[str]] = {}
    for claim in CLAIMS.values():
        for name in claim.theorems:
            used.setdefault(name, []).append(claim.name)
    rows = [
        [
            f"`{one.name}`",
            f"`{file}.v`, {one.first_line}",
            ", ".join(used.get(f"{file}.{one.name}", [])),
        ]
        for file, text in sources().items()
        for one in statements(file, text)
        if one.kind == "Theorem"
    ]
    return markdown(["theorem", "where", "claims"], rows)
