"""The worked numbers of the docs: named functions whose text fills `worked` and `table` blocks.

Everything printed is computed from the reference; nothing is typed in. Where a page says that two
things are equal, the function that prints them raises if they are not. Here is what several pages
use; `worked_cases` has what
belongs to single pages, `worked_mistakes` what goes wrong.
"""

from __future__ import annotations

import re
from typing import Any

import worked_cases
import worked_claims
import worked_faults
import worked_mistakes
import worked_slrs
import worked_spelled
from draftproof.audit import Laws, run
from draftproof.audit.junit import junit_xml
from draftproof.reference import ALGORITHMS, forms, program, psi, stop_rule
from draftproof.reference.distribution import ExactDistribution, total_variation
from draftproof.reference.drafting import first_laws, unmasked
from draftproof.reference.exact import ZERO, Rational
from draftproof.reference.tli import masked
from draftproof.toymodels import GalleryPair, gallery, gallery_pair
from worked_text import (
    WORKED,
    code,
    columns,
    markdown,
    of_union,
    round_branches,
    short,
    spelled,
    string,
    worked,
)

__all__ = [
    "WORKED",
    "worked_cases",
    "worked_claims",
    "worked_faults",
    "worked_mistakes",
    "worked_slrs",
    "worked_spelled",
]

# ---- one position -------------------------------------------------------------------------------


def _proposed(name: str, named: GalleryPair, lookahead: int) -> tuple[str, ExactDistribution[int]]:
    """What the algorithm calls the law of its first proposal, and that law, over T u D."""
    if name in ("slem", "slrs"):
        return "psi", psi(named.pair, named.prompt, stop_rule(f"fixed:{lookahead}"))
    _, q = first_laws(named.pair, named.prompt, masked if name == "tli" else unmasked)
    law = q if isinstance(q, ExactDistribution) else ExactDistribution({}, sub_stochastic=True)
    return ("q'" if name == "tli" else "q"), law


@worked
def first_token(name: str, pair_name: str, lookahead: str = "2") -> str:
    """The law of a round's first token, by how it came about, from all branches of the round."""
    named = gallery_pair(pair_name)
    pair = named.pair
    algorithm = program(name, int(lookahead))
    (p,) = pair.target.distributions(named.prompt)
    accepted: dict[int, Rational] = {}
    other: dict[int, Rational] = {}
    for leaf in round_branches(algorithm, pair, named.prompt):
        part = accepted if leaf.result.accepted else other
        first = leaf.result.emitted[0]
        part[first] = part.get(first, ZERO) + leaf.probability
    if name == "autoregressive":
        rows = [[of_union(pair, t), p[t], other[t]] for t in p]
        return columns(["token", "p", "emitted"], rows)
    called, q = _proposed(name, named, int(lookahead))
    matches = name in ("exact-match", "slem")
    rejected = sum(other.values(), ZERO)
    rows = []
    for token in sorted({*p, *q}):
        agreed, drawn = accepted.get(token, ZERO), other.get(token, ZERO)
        assert agreed == (p[token] * q[token] if matches else min(p[token], q[token]))
        assert agreed + drawn == p[token]
        rows.append([of_union(pair, token), p[token], q[token], agreed, drawn, agreed + drawn])
    if q.mass != 1:
        rows.append(["(none)", ZERO, 1 - q.mass, ZERO, ZERO, ZERO])
    totals = [sum(accepted.values(), ZERO), rejected, 1]
    rows.append(["sum", 1, 1, *totals])
    by = f"accepted: {f'p * {called}' if matches else f'min(p, {called})'}"
    lines = [columns(["token", "p", called, by, "otherwise", "emitted"], rows)]
    if not matches and rejected:
        residual = ", ".join(
            f"{of_union(pair, t)} {m / rejected}" for t, m in sorted(other.items())
        )
        lines.append(f"\notherwise = {rejected} times the residual; the residual is {residual}")
    return "\n".join(lines)


@worked
def acceptance(name: str, *pair_names: str) -> str:
    """Table 3's formula beside what enumeration counts, and the tokens a round is worth."""
    rows: list[list[Any]] = []
    for pair_name in pair_names:
        named = gallery_pair(pair_name)
        for lookahead in (1, 2, 3):
            algorithm = program(name, lookahead)
            law = Laws(algorithm, named.pair).round_law(named.prompt)
            assert algorithm.acceptance is not None
            formula = algorithm.acceptance(named.pair, named.prompt)
            assert formula == law.acceptance
            rows.append([pair_name, lookahead, formula, law.acceptance, law.tokens])
    return columns(["pair", "lookahead", "formula", "enumerated", "tokens per target pass"], rows)


@worked
def geometric(pair_name: str = "base") -> str:
    """(1 - a^(k+1)) / (1 - a) beside the enumerated tokens of standard decoding."""
    named = gallery_pair(pair_name)
    rows = []
    for k in (1, 2, 3):
        algorithm = program("standard", k)
        law = Laws(algorithm, named.pair).round_law(named.prompt)
        a = law.acceptance
        formula = (1 - a ** (k + 1)) / (1 - a)
        assert formula == law.tokens
        rows.append([k, a, formula, law.tokens])
    return columns(["k", "a", "(1 - a^(k+1)) / (1 - a)", "enumerated"], rows)


# ---- the gallery --------------------------------------------------------------------------------


@worked
def gallery_pairs() -> str:
    """Every pair with what it shows."""
    rows = []
    for each in gallery():
        pair = each.pair
        kept = [
            side
            for side, tokenizer in (
                ("T", pair.target_tokenizer),
                ("D", pair.drafter_tokenizer),
            )
            if tokenizer.laws.injective
        ]
        rows.append(
            [
                f"`{each.name}`",
                each.shows,
                _vocabulary(pair.target_tokenizer),
                "the same" if pair.same_vocabulary else _vocabulary(pair.drafter_tokenizer),
                {2: "both", 0: "neither"}.get(len(kept), f"only {''.join(kept)}"),
                code(string(pair, each.prompt)),
            ]
        )
    return markdown(["pair", "what it shows", "T", "D", "injective", "prompt"], rows)


def _vocabulary(tokenizer: Any) -> str:
    return " ".join(code(spelled(tokenizer, t)) for t in range(len(tokenizer.vocabulary)))


@worked
def gallery_laws() -> str:
    """What the tokenizers of every two-vocabulary pair keep and break."""
    names = ("injective", "round_trips", "total", "concatenative", "canonical")
    rows = []
    for each in gallery():
        for side, tokenizer in (
            ("T", each.pair.target_tokenizer),
            ("D", each.pair.drafter_tokenizer),
        ):
            if side == "T" or not each.pair.same_vocabulary:
                kept = ["yes" if getattr(tokenizer.laws, name) else "-" for name in names]
                rows.append([f"`{each.name}`", side, *kept])
    return markdown(["pair", "side", *(name.replace("_", "-") for name in names)], rows)


@worked
def gallery_acceptance(lookahead: str = "2") -> str:
    """The first candidate's exact acceptance at the prompt, pairs down, algorithms across."""
    names = [name for name in ALGORITHMS if name != "autoregressive"]
    rows = []
    for each in gallery():
        row = [f"`{each.name}`"]
        for name in names:
            algorithm = program(name, int(lookahead))
            assert algorithm.acceptance is not None
            applies = name != "tli" or each.pair.intersection
            number = algorithm.acceptance(each.pair, each.prompt)
            row.append(short(number) if applies else "n/a")
        rows.append(row)
    return markdown(["pair", *names], rows)


@worked
def exact_on(name: str, *pair_names: str) -> str:
    """The one-round test at every context within three tokens: the largest distance found."""
    rows = []
    for pair_name in pair_names:
        named = gallery_pair(pair_name)
        largest, accepted, contexts = [], [], 0
        for lookahead in (1, 2):
            laws = Laws(program(name, lookahead), named.pair)
            distances = []
            for context, state in laws.contexts(named.prompt, 3):
                given = laws.completed_round(context, state)
                due = laws.due_law(context, max(map(len, given)))
                distances.append(total_variation(due, given))
            contexts = len(distances)
            largest.append(max(distances))
            accepted.append(laws.round_law(named.prompt).acceptance)
        rows.append([pair_name, contexts, *largest, *accepted])
    by = ("1 draft", "2 drafts")
    header = [f"{what}, {drafts}" for what in ("distance", "accepted") for drafts in by]
    return columns(["pair", "contexts", *header], rows)


@worked
def junit() -> str:
    """The JUnit document of one lossy example, its times masked."""
    report = run("example:resample-from-p", pairs=["base"], lookaheads=[1])
    return re.sub(r'time="[0-9.]+"', 'time="0.000"', junit_xml(report))


@worked
def stop_rule_slugs() -> str:
    """The forms in which each algorithm is audited with at most two drafts."""
    rows = []
    for name in ALGORITHMS:
        for form in forms(name, 2):
            slug = program(name, form).stop_rule
            rows.append([f"`builtin:{name}`", "null" if slug is None else f"`{slug}`"])
    return markdown(["subject", "stop_rule"], rows)
