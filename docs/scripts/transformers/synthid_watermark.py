"""A SynthID watermark keeps its context, and rejected drafts stay in it.

The processor remembers the tokens that it was called with, one a call. Assisted generation calls it
on every drafted place, also on those that are then rejected, so it watermarks with a context that
is not that of the sequence: another law, and a text that its detector does not recognise as well.

    python synthid_watermark.py [DRAWS]
"""

import math
import sys

import torch
import transformers
from transformers import (
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    SynthIDTextWatermarkingConfig,
)

#: Of the law of plain generate(), and of the assisted one: computed, not drawn.
DUE, GIVEN = 0.0070, 0.0582
EVENT = "the second new token is 0"


def tiny(seed):
    """A random Llama with three tokens."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=3, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=32,
        bos_token_id=None, eos_token_id=None, pad_token_id=0, attn_implementation="eager",
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.6)
    model.generation_config = GenerationConfig(pad_token_id=0, num_assistant_tokens=2)
    model.generation_config.num_assistant_tokens_schedule = "constant"
    model.generation_config.assistant_confidence_threshold = 0.0
    return model


TARGET, DRAFTER = tiny(1), tiny(2)
PROMPT = torch.tensor([[0, 1]])
HORIZON = 3


def draw(**settings):
    """New ids of one call."""
    ids = TARGET.generate(PROMPT, max_new_tokens=HORIZON, do_sample=True, top_k=0, **settings)
    return tuple(ids[0, PROMPT.shape[1] :].tolist())


def watermark():
    """A small watermark."""
    return SynthIDTextWatermarkingConfig(
        ngram_len=2, keys=[3, 5], context_history_size=4, sampling_table_size=64
    )


def plain():
    """New ids without help."""
    return draw(watermarking_config=watermark())


def assisted():
    """New ids with a drafter."""
    return draw(watermarking_config=watermark(), assistant_model=DRAFTER)


def event(ids):
    """Whether the event happened."""
    return ids[1] == 0


def main(draws=20_000):
    """Draw with help and without, and print how often the event happens."""
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, {draws} draws")
    print(f"event: {EVENT}")
    for name, draw, exact in (("plain", plain, DUE), ("assisted", assisted, GIVEN)):
        torch.manual_seed(0)
        rate = sum(event(draw()) for _ in range(draws)) / draws
        error = math.sqrt(max(exact * (1 - exact), 1e-9) / draws)
        print(
            f"{name:>9}: {rate:.4f} drawn, {exact:.4f} exact, {(rate - exact) / error:+.1f} sigma"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
