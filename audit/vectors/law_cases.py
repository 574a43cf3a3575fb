"""The models, settings and drafts of law vectors.

The bank's own cases are all here, each once, named after the first entry that states its law on
it: a fault is seen on the case where its law is known. Beside them, cases of several positions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...reference.models import Ids
from ...toymodels.models import NgramModel
from ...toymodels.pairs import context_free
from ..bank import FALSE_ALARMS, FAULTS, RELAXED_RULES, FaultEntry
from ..bank.cases import (
    BASE,
    BIGRAM,
    CERTAIN_DRAFT,
    RACES,
    REPEATING,
    SECOND_ORDER,
    TWO_LEFT,
    Case,
    constant,
)


@dataclass(frozen=True)
class Drawn:
    """A case whose drafts are drawn."""

    name: str
    shows: str
    case: Case
    reports: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


#: Seeded models: zeros in the laws, every context another law.
SEEDED = Case(
    NgramModel(
        3,
        2,
        {
            (): ("1/4", "1/4", "1/2"),
            (0,): ("1/6", "0", "5/6"),
            (1,): ("0", "1/3", "2/3"),
            (2,): ("1/2", "1/2", "0"),
        },
    ),
    NgramModel(
        3,
        2,
        {
            (): ("1/2", "1/4", "1/4"),
            (0,): ("1/3", "1/3", "1/3"),
            (1,): ("1/5", "4/5", "0"),
            (2,): ("0", "1/2", "1/2"),
        },
    ),
)
_OWN = (
    Drawn("base-two-drafts", "the base pair, two drafts", BASE.but(lookahead=2, length=2)),
    Drawn("two-left-two-ids", "two ids left, two ids long", TWO_LEFT.but(length=2)),
    Drawn(
        "bigram-three-ids",
        "laws that depend on the last id, three ids",
        BIGRAM.but(length=3),
        flags=("shifted-rows",),
    ),
    Drawn(
        "zeros-two-drafts",
        "laws with zeros that depend on the last id",
        SEEDED.but(lookahead=2, length=2),
        flags=("shifted-rows", "zero-probability", "excluded-by-drafter"),
    ),
    Drawn(
        "second-order-two-drafts",
        "laws that depend on the last two ids, two drafts, three ids",
        SECOND_ORDER.but(lookahead=2, length=3),
        flags=("shifted-rows",),
    ),
    Drawn(
        "disjoint",
        "a drafter that never says what the target says",
        constant("1/4 3/4 0 0", "0 0 1/3 2/3", lookahead=2, length=2),
        flags=("zero-probability", "excluded-by-drafter"),
    ),
    Drawn(
        "nearly-one",
        "a ratio of 0.95 at the likeliest draft",
        constant("19/40 21/40", "1/2 1/2"),
    ),
)


def _key(case: Case) -> str:
    return json.dumps(case.describe(), sort_keys=True)


#: Names of cases that several entries share, by one of these, and what they are.
SHARED = {
    "always-accept": ("base", "the base pair, whose residual is one id"),
    "coin-reused-for-residual": ("two-left", "two ids in the residual, equally likely"),
    "coin-reused-one-hot": ("certain-draft", "a draft that is always id 0"),
    "gumbel-noise-shared": ("races", "three different rates"),
    "match-rule": ("bigram-two-drafts", "laws that depend on the last id, two drafts"),
    "bonus-from-last-row": ("repeating", "laws that repeat the last id"),
    "bonus-not-written": ("repeating-three-ids", "laws that repeat the last id, three ids long"),
    "state-never-trimmed": ("second-order", "laws that depend on the last two ids"),
    "temperature-ignored": ("half-temperature", "a temperature of 1/2"),
    "history-without-last": ("grammar-unlocked", "a mask that a draft may unlock"),
    "ragged-batch": ("batch-with-undrafted", "two requests, one of them without drafts"),
    "bonus-after-end": ("end-in-block", "an end of sequence inside a block"),
    "argmax-draft-matched": ("bigram", "laws that depend on the last id, two ids long"),
    "greedy-with-seed": ("zero-temperature", "a temperature of 0"),
}


def _of_bank() -> tuple[Drawn, ...]:
    """Every case of the bank on which a law is stated, edges aside, once each."""
    groups: dict[str, list[FaultEntry]] = {}
    for entry in (*FAULTS, *FALSE_ALARMS):
        case = entry.case
        if entry.check == "edges" or case.spoiled or case.coin:
            continue
        if case.options.get("temperature") == 1e-6:
            continue  # its exact law has a million digits: see TINY
        groups.setdefault(_key(case), []).append(entry)
    return tuple(_named(entries) for entries in groups.values())


def _named(entries: Sequence[FaultEntry]) -> Drawn:
    """The case that ``entries`` share; of one entry alone, named after it."""
    reports = tuple(dict.fromkeys(report for entry in entries for report in entry.reports))
    first = entries[0]
    name, shows = first.id, f"the case of {first.id}: {first.title}"
    for entry in entries:
        if entry.id in SHARED:
            name, shows = SHARED[entry.id]
    return Drawn(name, shows, first.case, reports)


#: A temperature at which exp(log(p) / T) underflows in float64, and p^(1/T) can still be written.
TINY = Drawn(
    "tiny-temperature",
    "near temperature 0 everything underflows that is not divided by the largest",
    constant("3/10 1/2 1/5", "1/5 3/10 1/2").but(options={"temperature": 1 / 1100}),
    ("NVIDIA-NeMo/Automodel #3627",),
)
DRAWN = (*_of_bank(), TINY, *_OWN)

#: name, what it shows, case, drafts, reports.
BLOCKS: tuple[tuple[str, str, Case, Ids, tuple[str, ...]], ...] = (
    *(
        (name, shows, case, drafts, ())
        for name, shows, case, all_drafts in (
            ("base", "the base pair", BASE, ((0,), (1,), (2,), ())),
            ("two-left", "two ids in the residual", TWO_LEFT, ((2,), (0,))),
            ("races", "an uneven residual", RACES, ((2,),)),
            ("certain-draft", "q is one-hot", CERTAIN_DRAFT, ((0,),)),
            ("bigram", "laws that depend on the last id", BIGRAM, ((0, 1), (2, 2), (1, 0))),
            ("repeating", "laws that repeat the last id", REPEATING, ((1, 1), (0, 1))),
            ("zeros", "laws with zeros", SEEDED, ((1, 1), (2, 1), (0, 1))),
            (
                "three",
                "three drafts from one law each",
                constant("1/2 3/10 1/5", "1/5 3/10 1/2"),
                ((2, 1, 0), (2, 2, 2)),
            ),
            ("nearly-one", "a ratio of 0.95", constant("19/40 21/40", "1/2 1/2"), ((0,),)),
            ("ratio-two-thirds", "p is 2/3 of q", constant("1/3 2/3", "1/2 1/2"), ((0,), (1,))),
        )
        for drafts in all_drafts
    ),
)


def _lenient() -> Mapping[Any, Any]:
    """What accepting every ratio of 0.9 and more gives where the ratio is 19/20."""
    from ..bank.cases import law

    return law("1/2 1/2")


#: What is drawn, the law that the relaxed rule gives, and what it declares.
RELAXED_LAWS: tuple[tuple[Drawn, Mapping[Any, Any], str], ...] = (
    *(
        (Drawn(entry.id, entry.title, entry.case, entry.reports), entry.law, entry.relaxed or "")
        for entry in RELAXED_RULES
    ),
    (
        Drawn(
            "ratio-near-one",
            "a ratio of 0.9 and more counts as one",
            Case(context_free("19/40 21/40"), context_free("1/2 1/2")),
        ),
        _lenient(),
        "leniency above 0.9",
    ),
)
