"""Law vectors: models, or rows and drafts, and the exact law of what is emitted.

*Drawn*: the subject or its caller drafts from the drafter; the law of the first ids is the
target's own, whichever lossless rule is at work. *Given drafts*: the law of one block, under the
rule that is named. *Relaxed*: the law that a rule gives which is lossy by design.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...reference.models import Ids
from ...toymodels.models import NgramModel
from ..bank.cases import Case
from .law_cases import BLOCKS, DRAWN, RELAXED_LAWS, Drawn
from .requests import processed
from .writing import INVALID, RELAXED, Vector, as_fraction, law, number, row, rows

LOSSLESS = "the law of plain decoding"
STANDARD = "the law of one block by the standard rule"
MATCH = "the law of one block by exact match"


def law_vectors() -> Iterator[Vector]:
    """All of them."""
    for drawn in DRAWN:
        yield _drawn(drawn)
    for name, shows, case, drafts, reports in BLOCKS:
        for rule, block in (("standard", standard_block), ("exact-match", match_block)):
            yield _block(name, shows, case, drafts, rule, block(case, drafts), reports)
    for drawn, given, declares in RELAXED_LAWS:
        yield _relaxed(drawn, given, declares)
    yield from _invalid()


def model(of: NgramModel) -> dict[str, Any]:
    """A model as its table: the law after some ids is that of their longest suffix in it."""
    tables = of.describe()["tables"]
    return {
        "vocabulary": of.size,
        "after": [
            {
                "suffix": [int(token) for token in suffix.split()],
                "law": row([Fraction(listed.get(str(x), "0")) for x in range(of.size)]),
            }
            for suffix, listed in tables.items()
        ],
    }


def due(case: Case) -> dict[Any, Fraction]:
    """The law of plain decoding: strings of the case's length, joint over its requests."""
    joint: dict[Any, Fraction] = {(): Fraction(1)}
    for prompt in case.prompts:
        own = _strings(case, prompt)
        joint = {
            (*done, ids): mass * more for done, mass in joint.items() for ids, more in own.items()
        }
    return joint if len(case.prompts) > 1 else {ids: mass for (ids,), mass in joint.items()}


def _strings(case: Case, prompt: Ids) -> dict[Ids, Fraction]:
    found: dict[Ids, Fraction] = {(): Fraction(1)}
    end = case.options.get("eos")
    for _ in range(case.length):
        longer: dict[Ids, Fraction] = {}
        for ids, mass in found.items():
            if ids and ids[-1] == end:
                longer[ids] = mass
                continue
            history = prompt + ids
            p = [as_fraction(case.target_law(history)[x]) for x in range(case.target.size)]
            for x, probability in enumerate(processed(p, _request(case), history)):
                if probability:
                    longer[(*ids, x)] = mass * probability
        found = longer
    return found


def _request(case: Case) -> dict[str, Any]:
    """The options as exact numbers."""
    return {
        name: str(Fraction(value).limit_denominator(10_000)) if isinstance(value, float) else value
        for name, value in case.options.items()
    }


def _drawn(drawn: Drawn) -> Vector:
    case = drawn.case
    flags = {"drawn", *drawn.flags}
    if case.length > 1:
        flags.add("several-rounds")
    if len(case.prompts) > 1:
        flags.add("batch")
    if case.options:
        flags.add("end-of-sequence" if set(case.options) == {"eos"} else "request")
    return Vector(
        f"law-{drawn.name}",
        drawn.shows,
        LOSSLESS,
        _given(case),
        {"law": _written(due(case))},
        flags=tuple(flags),
        reports=drawn.reports,
    )


def _given(case: Case) -> dict[str, Any]:
    request = {
        name: number(value) if isinstance(value, str) and name != "logits_processor" else value
        for name, value in _request(case).items()
    }
    return {
        "target": model(case.target),
        "drafter": model(case.drafter),
        "prompts": [list(prompt) for prompt in case.prompts],
        "lookaheads": list(case.lengths or (case.lookahead,)),
        "length": case.length,
        "request": request,
        "drafts": None,
        "rule": None,
    }


def _written(found: Mapping[Any, Fraction]) -> list[dict[str, Any]]:
    if all(isinstance(token, int) for ids in found for token in ids):
        return law(found)
    return [
        {"ids": [list(part) for part in ids], "probability": number(value)}
        for ids, value in sorted(found.items())
        if value
    ]


def block_rows(case: Case, drafts: Ids) -> tuple[list[Any], list[Any]]:
    """The laws of the target and of the drafter at each of the drafts."""
    after = [case.prompt + drafts[:j] for j in range(len(drafts) + 1)]
    return [case.target_law(ids) for ids in after], [case.draft_law(ids) for ids in after[:-1]]


def standard_block(case: Case, drafts: Ids) -> dict[Ids, Fraction]:
    """Accept with min(1, p/q), else the residual; behind the last one a bonus id."""
    target, drafter = block_rows(case, drafts)
    found: dict[Ids, Fraction] = {}
    reached = Fraction(1)
    for j, x in enumerate(drafts):
        p, q = target[j], drafter[j]
        accepted = min(Fraction(1), as_fraction(p[x] / q[x]))
        if accepted < 1:
            for y, probability in p.residual(q).items():
                ids = (*drafts[:j], y)
                mass = reached * (1 - accepted) * as_fraction(probability)
                found[ids] = found.get(ids, Fraction(0)) + mass
        reached *= accepted
    for y, probability in target[-1].items():
        found[(*drafts, y)] = reached * as_fraction(probability)
    return found


def match_block(case: Case, drafts: Ids) -> dict[Ids, Fraction]:
    """Emit y ~ p and go on while y is the draft."""
    target, _ = block_rows(case, drafts)
    found: dict[Ids, Fraction] = {}
    reached = Fraction(1)
    for j, p in enumerate(target):
        for y, probability in p.items():
            if j == len(drafts) or y != drafts[j]:
                found[(*drafts[:j], y)] = reached * as_fraction(probability)
        reached *= as_fraction(p[drafts[j]]) if j < len(drafts) else 0
    return found


def _block(
    name: str,
    shows: str,
    case: Case,
    drafts: Ids,
    rule: str,
    found: Mapping[Ids, Fraction],
    reports: Sequence[str],
) -> Vector:
    target, drafter = block_rows(case, drafts)
    size = case.target.size
    return Vector(
        f"law-given-{rule}-{name}-{''.join(map(str, drafts)) or 'none'}",
        shows,
        STANDARD if rule == "standard" else MATCH,
        {
            "vocabulary": size,
            "target_rows": rows(target, size),
            "draft_rows": rows(drafter, size),
            "drafts": list(drafts),
            "rule": rule,
        },
        {"law": law(found)},
        flags=("given-drafts", *(("no-drafts",) if not drafts else ())),
        reports=tuple(reports),
    )


def _relaxed(drawn: Drawn, given: Mapping[Any, Any], declares: str) -> Vector:
    case = drawn.case
    expect = {
        "law": _written({ids: as_fraction(value) for ids, value in given.items()}),
        "due": _written(due(case)),
    }
    return Vector(
        f"law-relaxed-{drawn.name}",
        drawn.shows,
        declares,
        _given(case),
        expect,
        RELAXED,
        ("drawn", *drawn.flags),
        drawn.reports,
    )


def _invalid() -> Iterator[Vector]:
    """Inputs that nothing can be due for."""
    half = row([Fraction(1, 2)] * 2)
    none = {"exact": [None, None], "float": [None, None]}
    good = {
        "vocabulary": 2,
        "target_rows": [half, half],
        "draft_rows": [half],
        "drafts": [0],
        "rule": "standard",
    }
    nan, outside = "a row holds NaN", "a draft is outside the vocabulary"
    cases: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("nan-target-row", nan, "vllm-project/vllm #21876", {"target_rows": [none, none]}),
        ("nan-draft-row", nan, "vllm-project/vllm #41834", {"draft_rows": [none]}),
        ("id-outside", outside, "ggml-org/llama.cpp #3812", {"drafts": [2]}),
        ("row-missing", "a target row is missing", "", {"target_rows": [half]}),
    )
    for name, error, report, changes in cases:
        flags = ("nan",) if name.startswith("nan") else ()
        yield Vector(
            f"law-invalid-{name}",
            f"no law is due: {error}",
            STANDARD,
            good | changes,
            {"refused": error},
            INVALID,
            flags,
            (report,) if report else (),
        )
