"""Faults of the q that scores a draft."""

from __future__ import annotations

from ...toymodels.pairs import bigram, context_free
from .building import fault
from .cases import BASE, Case, constant

#: Two target ids left by a drafter that draws from its two likeliest.
CUT = constant("2/5 3/5 0", "1/2 3/10 1/5")

#: The likeliest two ids do not begin with the likeliest one.
BEST_PATH = Case(
    context_free("1/2 1/5 3/10"),
    bigram("1/5 3/10 1/2", "1/5 3/10 1/2", "4/5 1/10 1/10", "1/3 1/3 1/3"),
    lookahead=2,
)

PROPOSAL_LAW = (
    fault(
        "argmax-draft-softmax-q",
        "draft by argmax, score with softmax q",
        "proposal_law:argmax_draft",
        "generate",
        "next-token",
        BASE,
        "3/5 0 2/5",
        "3/10",
        of_class="proposal-law",
        row="T4",
        reports=(
            "huggingface/transformers #32867",
            "huggingface/transformers #47932",
            "huggingface/transformers #28166",
            "jaymody/speculative-sampling #3",
        ),
    ),
    fault(
        "raw-q-after-top-k",
        "draft from the top 2 of q, score with the whole q",
        "proposal_law:top_two_draft",
        "generate",
        "next-token",
        CUT,
        "1/2 1/2 0",
        "1/10",
        of_class="proposal-law",
        row="T5",
        reports=("huggingface/transformers #47932", "huggingface/transformers #47961"),
    ),
    fault(
        "drafter-temperature-not-in-q",
        "draft at temperature 1/2, score at temperature 1",
        "proposal_law:sharpened_draft",
        "generate",
        "next-token",
        BASE,
        "1/2 9/38 5/19",
        "6/95",
        of_class="proposal-law",
        reports=("huggingface/transformers #47932",),
    ),
    fault(
        "beam-search-scored-as-drawn",
        "draft by beam search, score as if drawn",
        "proposal_law:beam_draft",
        "generate",
        "next-token",
        BEST_PATH,
        "1/3 2/3 0",
        "7/15",
        of_class="proposal-law",
        row="T4",
        reports=("apple/ml-recurrent-drafter #6",),
    ),
    fault(
        "q-never-written",
        "the buffer of draft probabilities is all zeros",
        "proposal_law:unwritten_q",
        "rule",
        "next-token",
        BASE,
        "1/5 3/10 1/2",
        "3/10",
        of_class="proposal-law",
        row="T2",
        reports=("zhongkaifu/TensorSharp #74",),
    ),
)
