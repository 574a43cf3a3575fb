"""Up to 5.17 ids follow an end of sequence that was accepted inside a block.

With two tokenizers the drafter does not stop at the target's end of sequence, which has another id
there. Accepted as the first of two drafts it is passed over: only the last token is looked at.
Fixed in 5.18.0.

    python past_an_end.py [DRAWS]
"""

import math
import sys

import torch
import transformers
from tokenizers import Tokenizer, decoders, models
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

#: Of the law of plain generate(), and of the assisted one: computed, not drawn.
DUE, GIVEN = 0.0000, 0.0652
EVENT = "ids follow an end of sequence"


def tiny(seed, size):
    """A random Llama with ``size`` tokens."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=size, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
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


class Listed(PreTrainedTokenizerFast):
    """Lists its vocabulary in an order that is given, one that a hash map may have."""

    listing = ()

    def get_vocab(self):
        """Token to id, in the order of ``listing``."""
        ids = super().get_vocab()
        return {token: ids[token] for token in self.listing or sorted(ids, key=ids.get)}


def tokenizer(tokens, listing=()):
    """A tokenizer that gives the tokens the ids 0, 1, ..."""
    backend = Tokenizer(models.BPE({token: at for at, token in enumerate(tokens)}, []))
    backend.decoder = decoders.Fuse()
    made = Listed(tokenizer_object=backend, clean_up_tokenization_spaces=False)
    made.listing = listing
    return made


TARGET, DRAFTER = tiny(1, 3), tiny(2, 4)
TARGET_TOKENIZER = tokenizer("abc")
DRAFTER_TOKENIZER = tokenizer("cxab")
PROMPT = torch.tensor([[0, 1]])
HORIZON = 3


def draw(**settings):
    """New ids of one call."""
    ids = TARGET.generate(
        PROMPT, max_new_tokens=HORIZON, do_sample=True, top_k=0, eos_token_id=2, **settings
    )
    return tuple(ids[0, PROMPT.shape[1] :].tolist())


def plain():
    """New ids without help."""
    return draw()


def assisted():
    """New ids with a drafter that has a tokenizer of its own."""
    return draw(
        assistant_model=DRAFTER, tokenizer=TARGET_TOKENIZER, assistant_tokenizer=DRAFTER_TOKENIZER
    )


def event(ids):
    """Whether the event happened."""
    return 2 in ids[:-1]


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
