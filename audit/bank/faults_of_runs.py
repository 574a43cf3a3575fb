"""Faults of bookkeeping: rows and positions, what the cache holds, where a text ends."""

from __future__ import annotations

from typing import Any

from ...toymodels.pairs import bigram, context_free
from .building import fault
from .cases import BIGRAM, REPEATING, REPEATING_0, REPEATING_1, SECOND_ORDER, Case

#: Laws that depend on the last two ids; the drafter alternates.
ALTERNATING = Case(SECOND_ORDER.target, bigram("0 1", "0 1", "1 0"), lookahead=2, length=4)

POSITION_SHIFT = (
    fault(
        "next-row-after-reject",
        "after a rejection the next row's sample is emitted",
        "position_shift:next_row_after_reject",
        "rule",
        "next-token",
        REPEATING_1,
        "1/20 19/20",
        "9/20",
        of_class="position-shift",
        row="T19",
        reports=("openvinotoolkit/openvino.genai #4190",),
    ),
    fault(
        "bonus-from-last-row",
        "the bonus token is drawn from the row before",
        "position_shift:bonus_from_last_row",
        "rule",
        "one-round",
        REPEATING.but(length=2),
        "0 0: 1/4, 0 1: 1/4, 1 0: 1/4, 1 1: 1/4",
        "2/5",
        of_class="position-shift",
        row="T20",
        reports=("huggingface/transformers #28166",),
        note="each token's own law is right, only the joint law is not",
    ),
    fault(
        "kernel-final-from-last-row",
        "the same in a kernel",
        "kernels:final_from_last_row",
        "kernel",
        "one-round",
        REPEATING.but(length=2),
        "0 0: 1/4, 0 1: 1/4, 1 0: 1/4, 1 1: 1/4",
        "2/5",
        of_class="position-shift",
        row="T20",
        reports=("huggingface/transformers #28166",),
    ),
    fault(
        "draft-row-one-early",
        "from the second draft on, q is the row before",
        "position_shift:draft_row_before",
        "rule",
        "one-round",
        BIGRAM.but(lookahead=2, length=2),
        (
            "0 0: 1/4, 0 1: 3/20, 0 2: 1/10, 1 0: 3/20, 1 1: 1/20, 1 2: 1/10, 2 0: 1/30, "
            "2 1: 7/50, 2 2: 2/75"
        ),
        "31/300",
        of_class="position-shift",
        row="T20",
        reports=("huggingface/transformers #28166",),
    ),
    fault(
        "accept-boundary-off-by-one",
        "after a fully accepted block, rows are read one too early",
        "position_shift:accept_boundary",
        "generate",
        "run",
        REPEATING_0.but(length=3),
        (
            "0 0 0: 81/200, 0 0 1: 9/200, 0 1 0: 9/200, 0 1 1: 1/200, 1 0 0: 9/200, "
            "1 0 1: 1/200, 1 1 0: 9/200, 1 1 1: 81/200"
        ),
        "1/25",
        of_class="position-shift",
        row="T21",
        reports=("kekzl/imp #667",),
    ),
    fault(
        "undrafted-request-skipped",
        "requests without drafts shift the rows of the others",
        "position_shift:undrafted_skipped",
        "batch_rule",
        "batch",
        BIGRAM.but(prompts=((0,), (1,)), lengths=(0, 1)),
        (
            "0 | 0: 1/4, 0 | 1: 3/20, 0 | 2: 1/10, 1 | 0: 3/20, 1 | 1: 9/100, 1 | 2: 3/50, "
            "2 | 0: 1/10, 2 | 1: 3/50, 2 | 2: 1/25"
        ),
        "2/5",
        of_class="position-shift",
        row="T19",
        reports=("vllm-project/vllm #41758", "vllm-project/vllm #3951"),
    ),
)

STATE = (
    fault(
        "rejected-left-in-state",
        "the rejected draft stays in the cache",
        "state_not_rolled_back:rejected_left",
        "generate",
        "run",
        REPEATING_0.but(length=2),
        "0 0: 9/20, 0 1: 1/20, 1 0: 9/20, 1 1: 1/20",
        "2/5",
        of_class="state-not-rolled-back",
        row="T21",
        reports=(
            "ml-explore/mlx-lm #1423",
            "vllm-project/vllm #53505",
            "vllm-project/vllm #40831",
            "huggingface/text-generation-inference #2997",
        ),
    ),
    fault(
        "state-never-trimmed",
        "a recurrent state has read every draft",
        "state_not_rolled_back:never_trimmed",
        "generate",
        "run",
        SECOND_ORDER.but(length=2),
        "0 0: 1/10, 0 1: 2/5, 1 0: 1/6, 1 1: 1/3",
        "11/40",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("ml-explore/mlx-lm #846", "vllm-project/vllm #39273"),
    ),
    fault(
        "state-reset-to-zero",
        "the cache's length is reset to 0 by a rejection",
        "state_not_rolled_back:reset_to_zero",
        "generate",
        "run",
        SECOND_ORDER.but(length=2),
        "0 0: 1/4, 0 1: 1/4, 1 0: 1/6, 1 1: 1/3",
        "1/8",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("paiml/aprender #2014",),
    ),
    fault(
        "bonus-not-written",
        "the bonus token gets no cache entry",
        "state_not_rolled_back:bonus_not_written",
        "generate",
        "run",
        REPEATING_0.but(length=3),
        (
            "0 0 0: 81/200, 0 0 1: 9/200, 0 1 0: 9/200, 0 1 1: 1/200, 1 0 0: 9/200, "
            "1 0 1: 1/200, 1 1 0: 9/200, 1 1 1: 81/200"
        ),
        "1/25",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("vllm-project/vllm #3951", "huggingface/transformers #30413"),
    ),
    fault(
        "trimmed-by-stale-count",
        "the cache is trimmed by the round before's count",
        "state_not_rolled_back:stale_trim",
        "generate",
        "run",
        SECOND_ORDER.but(length=2),
        "0 0: 1/10, 0 1: 2/5, 1 0: 1/6, 1 1: 1/3",
        "11/40",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("ml-explore/mlx-lm #1528",),
    ),
    fault(
        "one-row-kept",
        "the cache keeps fewer rows than were accepted",
        "state_not_rolled_back:one_row_kept",
        "generate",
        "run",
        ALTERNATING,
        (
            "0 0 0 0: 27/128, 0 0 0 1: 9/128, 0 0 1 0: 1/32, 0 0 1 1: 1/16, 0 1 0 0: 1/120, "
            "0 1 0 1: 1/30, 0 1 1 0: 1/24, 0 1 1 1: 1/24, 1 0 0 0: 1/150, 1 0 0 1: 2/75, "
            "1 0 1 0: 1/15, 1 0 1 1: 1/15, 1 1 0 0: 1/30, 1 1 0 1: 2/15, 1 1 1 0: 1/12, "
            "1 1 1 1: 1/12"
        ),
        "73/1800",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("sgl-project/sglang #33872", "sgl-project/sglang #34189"),
        note="right for lookahead 1: lookaheads beyond those tested must be tried",
    ),
    fault(
        "last-token-stale-after-fallback",
        "a plain step does not update the last token",
        "state_not_rolled_back:stale_after_fallback",
        "generate",
        "run",
        REPEATING.but(length=2),
        "0 0: 9/20, 0 1: 1/20, 1 0: 9/20, 1 1: 1/20",
        "2/5",
        of_class="state-not-rolled-back",
        row="T21",
        reports=("jjang-ai/vmlx #150",),
    ),
)


def _ends_with_2(**settings: Any) -> Case:
    """Id 2 ends the text; drafts are id 2, then id 0."""
    drafter = bigram("0 0 1", "0 0 1", "0 0 1", "1 0 0")
    return Case(context_free("1/2 3/10 1/5"), drafter, options={"eos": 2}, **settings)


STOPPING = (
    fault(
        "only-last-token-tested-for-end",
        "an end accepted inside a block goes unseen",
        "stopping:only_last_token",
        "generate",
        "run",
        _ends_with_2(lookahead=2, length=2),
        (
            "0 0: 1/4, 0 1: 3/20, 0 2: 1/10, 1 0: 3/20, 1 1: 9/100, 1 2: 3/50, 2 0: 1/10, "
            "2 1: 3/50, 2 2: 1/25"
        ),
        "1/5",
        of_class="stopping",
        row="T38",
        reports=(
            "huggingface/transformers #47912",
            "LostRuins/koboldcpp #1276",
            "openvinotoolkit/openvino.genai #1951",
        ),
    ),
    fault(
        "bonus-after-end",
        "a bonus token is added behind an accepted end",
        "stopping:bonus_after_end",
        "rule",
        "one-round",
        _ends_with_2(lookahead=2, length=2),
        (
            "0 0: 1/4, 0 1: 3/20, 0 2: 1/10, 1 0: 3/20, 1 1: 9/100, 1 2: 3/50, 2 0: 1/10, "
            "2 1: 3/50, 2 2: 1/25"
        ),
        "1/5",
        of_class="stopping",
        row="T38",
        reports=("huggingface/transformers #47912",),
    ),
    fault(
        "cut-at-wrong-offset",
        "the end's place in the block cuts the whole text",
        "stopping:cut_at_wrong_offset",
        "generate",
        "run",
        _ends_with_2(length=3),
        (
            "0 0 0: 1/8, 0 0 1: 3/40, 0 1 0: 3/40, 0 1 1: 9/200, 1 0 0: 3/40, 1 0 1: 9/200, "
            "1 1 0: 9/200, 1 1 1: 27/1000, 2: 61/125"
        ),
        "36/125",
        of_class="stopping",
        row="T38",
        reports=("PaddlePaddle/FastDeploy #7121",),
    ),
)
