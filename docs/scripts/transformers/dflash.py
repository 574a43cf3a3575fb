"""In 5.15.0 a window drafter draws from processed logits and is scored with the raw ones.

With a temperature the draft comes from softmax(logits / T), but the logits that are returned are
the raw ones, so q is not the law that the draft was drawn from. Fixed in 5.15.1.

    python dflash.py [DRAWS]
"""

import math
import sys
from types import SimpleNamespace

import torch
import transformers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedModel

#: Of the law of plain generate(), and of the assisted one: computed, not drawn.
DUE, GIVEN = 0.1611, 0.2342
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
    model.generation_config = GenerationConfig(pad_token_id=0)
    return model


class Drafter(PreTrainedModel):
    """Fills a window of two: the anchor token, and one draft that depends on it."""

    config_class = LlamaConfig

    def __init__(self, config):
        super().__init__(config)
        self.scale = torch.nn.Parameter(torch.tensor(1.5))

    def forward(self, noise_embeds, context_hidden_states, past_key_values, **kwargs):
        """States for the target's head; the cache is written as the library expects."""
        rows = torch.zeros(1, 1, context_hidden_states.shape[1] + noise_embeds.shape[1], 1)
        past_key_values.update(rows, rows.clone(), 0)
        return SimpleNamespace(last_hidden_state=self.scale * noise_embeds.flip(1))


TARGET = tiny(1)
CONFIG = LlamaConfig(**TARGET.config.to_dict())
CONFIG.target_layer_ids, CONFIG.block_size, CONFIG.mask_token_id = [0], 2, 0
DRAFTER = Drafter(CONFIG)
PROMPT = torch.tensor([[0, 1]])
HORIZON = 3


def draw(**settings):
    """New ids of one call."""
    ids = TARGET.generate(PROMPT, max_new_tokens=HORIZON, do_sample=True, top_k=0, **settings)
    return tuple(ids[0, PROMPT.shape[1] :].tolist())


def plain():
    """New ids without help."""
    return draw(temperature=2.0)


def assisted():
    """New ids with a window drafter."""
    return draw(assistant_model=DRAFTER, speculation_type="dflash", temperature=2.0)


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
