"""Faults of the bank, planted in copies of a release's sampler that exist only in memory.

Each is a replacement in the text of one module; `loading.load` refuses one that does not apply
exactly once. They say what the audit of a release would look like if the release had the fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .gpu_sampler import GUMBEL, UTILITIES
from .loading import Patch


@dataclass(frozen=True)
class Fault:
    """One planted fault.

    Attributes:
        name: of the bank's fault that it is an instance of.
        classes: what the audit may call it.
        says: what is wrong, in words.
        patches: module and replacement.
        pair, lookahead: where it shows.
        block, certain: which of the sampler's forms it is in.
        run: whether it shows only in the law of a run, with the drafts' own noise.
    """

    name: str
    classes: tuple[str, ...]
    says: str
    patches: dict[str, list[Patch]]
    pair: str = "base"
    lookahead: int = 1
    block: bool = False
    certain: bool = False
    run: bool = False
    notes: tuple[str, ...] = field(default=())


FAULTS = (
    Fault(
        "accept-without-q",
        ("acceptance-rule",),
        "the acceptance test leaves out the drafter's probability",
        {
            UTILITIES: [
                (
                    "accepted = target_logprob > tl.log(u) + draft_logprob",
                    "accepted = target_logprob > tl.log(u)",
                )
            ]
        },
    ),
    Fault(
        "residual-is-p",
        ("residual",),
        "after a rejection the token is drawn from p, so q's share is drawn twice",
        {
            UTILITIES: [
                ("if is_bonus or not is_valid_rejected_draft:", "if True:"),
            ]
        },
    ),
    Fault(
        "one-hot-residual-keeps-draft",
        ("residual",),
        "the residual of a certain draft still holds the rejected id",
        {UTILITIES: [("block != rejected_draft_token,", "block >= 0,")]},
        pair="one-hot",
        certain=True,
    ),
    Fault(
        "bonus-from-last-row",
        ("position-shift", "target-law"),
        "with every draft accepted, the final token is drawn a row early",
        {
            UTILITIES: [
                (
                    "target_logits_ptr + resample_token_idx * target_logits_stride + block,",
                    "target_logits_ptr + (resample_token_idx - tl.where(is_bonus, 1, 0)) "
                    "* target_logits_stride + block,",
                )
            ]
        },
        pair="shifted-rows",
    ),
    Fault(
        "block-ratio-not-capped",
        ("block-or-tree", "acceptance-rule"),
        "the running ratio of block verification is not capped at 1",
        {
            UTILITIES: [
                (
                    "log_p = tl.minimum(log_p + (target_logprob - draft_logprob), 0.0)",
                    "log_p = log_p + (target_logprob - draft_logprob)",
                )
            ]
        },
        pair="cumulative",
        lookahead=2,
        block=True,
    ),
    Fault(
        "shared-noise",
        ("coupled-randomness",),
        "drafts and residual draw their noise under one key",
        {GUMBEL: [("pos = pos + _DRAFT_NOISE_SALT", "pos = pos + 0")]},
        pair="shared-noise",
        run=True,
    ),
)
