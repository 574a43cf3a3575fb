"""Which special tokens end a reply, beside the end of sequence that a tokenizer names."""

from __future__ import annotations

from collections.abc import Mapping

#: Ends of a text or of a turn, as common chat formats spell them.
REPLY_ENDS = (
    *("<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>"),
    *("</s>", "<eos>", "<end_of_turn>", "<EOT>", "<|END_OF_TURN_TOKEN|>", "<|endofprompt|>"),
    *("<｜end▁of▁sentence｜>", "<|EOT|>"),
)


def stops_among(specials: Mapping[str, int]) -> tuple[int, ...]:
    """The ids of the special tokens that end a reply."""
    return tuple(specials[spelling] for spelling in REPLY_ENDS if spelling in specials)
