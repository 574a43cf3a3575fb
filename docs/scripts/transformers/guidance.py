"""Classifier-free guidance keeps a cache, and rejected drafts stay in it.

The processor behind guidance_scale runs the model once more, without the prompt, with a cache of
its own. Assisted generation runs it on every drafted place and never takes rejected ones back.

    python guidance.py [DRAWS]
"""

import math
import sys

import torch
import transformers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

#: Of the law of plain generate(), and of the assisted one: computed, not drawn.
DUE, GIVEN = 0.7951, 0.7530
EVENT = "the first and third new token are alike"


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


def plain():
    """New ids without help."""
    return draw(guidance_scale=2.0)


def assisted():
    """New ids with a drafter."""
    return draw(guidance_scale=2.0, assistant_model=DRAFTER)


def event(ids):
    """Whether the event happened."""
    return ids[0] == ids[2]


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
