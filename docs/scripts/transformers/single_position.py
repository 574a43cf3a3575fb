"""A single-position drafter takes the most likely token and is scored as if it had drawn.

The token comes from argmax, the logits that are returned are the raw ones: q is not the law that
the draft was taken from, so accepted drafts are too rare or too frequent.

    python single_position.py [DRAWS]
"""

import math
import sys
from types import SimpleNamespace

import torch
import transformers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutputWithPast

#: Of the law of plain generate(), and of the assisted one: computed, not drawn.
DUE, GIVEN = 0.7940, 0.9111
EVENT = "the first two new tokens are alike"


def tiny(seed):
    """A random Llama with three tokens."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=3, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=32,
        bos_token_id=None, eos_token_id=None, pad_token_id=0, attn_implementation="eager",
    )  # fmt: skip
    model = Gemma4Tiny(config).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.6)
    model.generation_config = GenerationConfig(pad_token_id=0)
    return model


class Output(CausalLMOutputWithPast):
    """With the keys and values that the drafter reads; it ignores them here."""

    shared_kv_states = None


class Gemma4Tiny(LlamaForCausalLM):
    """The library looks for the name."""

    def forward(self, *args, return_shared_kv_states=None, **kwargs):
        """As Llama, with what the drafter asks for."""
        found = super().forward(*args, **kwargs)
        found = Output(**found)
        found.shared_kv_states = {}
        return found


class Gemma4AssistantTiny(PreTrainedModel):
    """A drafter: fixed logits for each last token."""

    config_class = LlamaConfig

    def __init__(self, config, table):
        super().__init__(config)
        self.table = torch.nn.Parameter(torch.tensor(table))
        self.generation_config = GenerationConfig(num_assistant_tokens=1)

    def forward(self, inputs_embeds, **kwargs):
        """Logits by the last token alone."""
        last = torch.cdist(inputs_embeds[0, :, :8], TARGET.get_input_embeddings().weight).argmin()
        return SimpleNamespace(
            logits=self.table[last][None, None], last_hidden_state=inputs_embeds[..., 8:]
        )


TARGET = tiny(1)
DRAFTER = Gemma4AssistantTiny(TARGET.config, [[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.5, 0.0, 1.0]])
PROMPT = torch.tensor([[0, 1]])
HORIZON = 3


def draw(**settings):
    """New ids of one call."""
    ids = TARGET.generate(PROMPT, max_new_tokens=HORIZON, do_sample=True, top_k=0, **settings)
    return tuple(ids[0, PROMPT.shape[1] :].tolist())


def plain():
    """New ids without help."""
    return draw()


def assisted():
    """New ids with a single-position drafter."""
    return draw(assistant_model=DRAFTER)


def event(ids):
    """Whether the event happened."""
    return ids[1] == ids[0]


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
