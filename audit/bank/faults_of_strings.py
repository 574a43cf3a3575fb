"""Faults of psi, the law that scores candidates proposed by way of text."""

from __future__ import annotations

from ...toymodels.pairs import bigram
from .building import fault
from .cases import Case, constant

#: Ids a, b and ab; the drafter says a and b only.
MERGING = constant("1/3 1/3 1/3", "1/2 1/2 0", lookahead=2)
UNEVEN = constant("1/2 1/4 1/4", "1/2 1/2 0", lookahead=2)
#: Three drafts in ten are no text of the target's: the last id.
SILENT = constant("1/2 3/10 1/5 0", "1/10 1/10 1/2 3/10")
#: The drafter may end a draft, by the last id, which the target never says.
ENDING = Case(
    bigram("1/2 1/2 0", "1/3 2/3 0", "3/4 1/4 0", "1 0 0"),
    bigram("1/3 1/3 1/3", "0 1/2 1/2", "2/3 0 1/3", "1 0 0"),
    lookahead=2,
    length=2,
)

STRING_LEVEL = (
    fault(
        "composition-counted-as-psi",
        "psi(t) counts the ways to spell t in drafts",
        "string_level:composition_counted",
        "generate",
        "next-token",
        MERGING,
        "1/6 1/3 1/2",
        "1/6",
        of_class="proposal-law",
        note="in no report: a reading of a lemma on the number of terms of psi",
    ),
    fault(
        "psi-of-one-draft",
        "two drafts, scored with the psi of one",
        "string_level:another_rule",
        "generate",
        "next-token",
        UNEVEN,
        "1/4 1/4 1/2",
        "1/4",
        of_class="proposal-law",
        note="in no report: psi must belong to the rule that ended the draft",
    ),
    fault(
        "psi-unconditional",
        "the second candidate is scored by a fresh psi",
        "string_level:unconditional",
        "generate",
        "run",
        MERGING.but(length=2),
        "0 0: 5/18, 0 1: 1/36, 0 2: 1/36, 1 0: 7/36, 1 1: 1/9, 1 2: 1/36, "
        "2 0: 11/72, 2 1: 1/36, 2 2: 11/72",
        "1/3",
        of_class="block-or-tree",
        note="in no report: the obvious way to get several tokens out of a round; each candidate "
        "of the block is scored as if it were the first",
    ),
    fault(
        "no-proposal-drawn-from-p",
        "a draft that proposes nothing is followed by a draw from p",
        "string_level:no_proposal",
        "generate",
        "next-token",
        SILENT,
        "9/20 29/100 13/50 0",
        "3/50",
        of_class="residual",
        note="in no report: the obvious fallback when a draft has no text",
    ),
    fault(
        "bonus-behind-candidates",
        "block verification with a bonus from p behind the last candidate",
        "string_level:block_bonus",
        "generate",
        "run",
        ENDING,
        "0 0: 1/9, 0 1: 2/9, 1 0: 7/12, 1 1: 1/12",
        "1/12",
        of_class="residual",
        note="in no report: right over one vocabulary, where all drafts have one length; the last "
        "coin is wrong with it",
    ),
)
