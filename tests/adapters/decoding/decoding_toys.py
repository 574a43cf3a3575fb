"""What several tests of decoding share: models seen through tensors, small Llamas, the law due."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
transformers = pytest.importorskip(
    "transformers", reason="needs: pip install 'draftproof[transformers]'"
)

from draftproof.adapters.huggingface.tensors import TensorDistribution  # noqa: E402
from draftproof.reference import Pair  # noqa: E402
from draftproof.reference.autoregressive import autoregressive_round  # noqa: E402
from draftproof.reference.enumeration import exact_law  # noqa: E402
from draftproof.reference.rounds import generate  # noqa: E402


class Rows:
    """An exact model seen through tensors of a type, on a device."""

    def __init__(self, model, dtype=torch.float64, device="cpu"):
        self.model, self.size, self.dtype, self.device = model, model.size, dtype, device

    def distributions(self, context, continuation=()):
        made = []
        for law in self.model.distributions(context, continuation):
            row = [float(law[token]) for token in range(self.size)]
            made.append(TensorDistribution(torch.tensor(row, dtype=self.dtype, device=self.device)))
        return made


def through_tensors(pair, dtype=torch.float64, device="cpu"):
    """A pair of exact models seen through tensors."""
    return Pair(
        Rows(pair.target, dtype, device),
        Rows(pair.drafter, dtype, device),
        pair.target_tokenizer,
        pair.drafter_tokenizer,
    )


def due(pair, prompt, length):
    """The exact law of plain decoding."""

    def plain(pair, context, chance, state):
        del state
        return autoregressive_round(pair, context, chance)

    return exact_law(lambda chance: generate(plain, pair, prompt, chance, length).ids)


def llama(size, seed=0, spread=0.5):
    """A Llama of one layer and random weights over ``size`` ids."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        configuration = transformers.LlamaConfig(
            vocab_size=size,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            initializer_range=spread,
        )
        return transformers.LlamaForCausalLM(configuration).eval()
