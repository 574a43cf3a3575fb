"""Toy causal language models that `transformers` takes for real ones.

`ToyLM` is an n-gram lookup table built from the parts that `generate()` handles: an embedding, a
key-value cache and an output head. Tokens enter through ``embed_tokens`` as one-hot rows, go into
the cache, and the context is read back *from the cache*, so a cache cropped by one token too many
or too few changes the logits, as it would in a real model. Routes that replace the embedding or
the head of a drafter are obeyed for the same reason.

Sources: the model protocol of `transformers` 4.48 to 5.24 (the cache is passed as
``past_key_values`` up to 5.22 and as ``cache`` from 5.24).
"""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import DynamicCache, GenerationConfig, GenerationMixin
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.modeling_utils import PreTrainedModel

try:  # transformers 5
    from transformers import PreTrainedConfig
except ImportError:  # transformers 4
    from transformers import PretrainedConfig as PreTrainedConfig

#: The name under which this release passes the cache to a model and takes it back.
CACHE_NAME = (
    "cache" if "cache" in CausalLMOutputWithPast.__dataclass_fields__ else "past_key_values"
)

#: The logit of probability zero. Minus infinity times zero is NaN in a linear layer; this is finite
#: in every dtype, and temperatures up to 13 leave it an exact zero after a float64 softmax.
LOG_ZERO = -1e4


class ToyConfig(PreTrainedConfig):
    """The sizes of a `ToyLM`: ``vocab_size`` tokens, ``order - 1`` of them looked back at."""

    model_type = "draftproof-toy"

    def __init__(self, vocab_size: int = 4, order: int = 3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.vocab_size = vocab_size
        self.order = order
        self.hidden_size = vocab_size
        self.num_hidden_layers = 1
        self.num_attention_heads = 1
        self.num_key_value_heads = 1
        self.tie_word_embeddings = False


class ToyLM(PreTrainedModel, GenerationMixin):
    """An n-gram model: logits are a table row chosen by the last ``order - 1`` cached tokens.

    Attributes:
        calls: how often it was called, copies included, as the one entry of a list.
    """

    config_class = ToyConfig
    base_model_prefix = "model"
    main_input_name = "input_ids"
    _is_stateful = False
    _supports_cache_class = True  # asked for by 4.x

    def __init__(self, config: ToyConfig) -> None:
        super().__init__(config)
        contexts = (config.vocab_size + 1) ** (config.order - 1)
        self.embed_tokens = torch.nn.Embedding(config.vocab_size, config.vocab_size)
        self.lm_head = torch.nn.Linear(contexts, config.vocab_size, bias=False)
        self.calls = [0]
        self.post_init()

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Leave the weights alone: `toy_model` writes them."""

    def get_input_embeddings(self) -> torch.nn.Module:
        """The embedding, which some routes replace."""
        return self.embed_tokens

    def set_input_embeddings(self, value: torch.nn.Module) -> None:
        """Replace the embedding."""
        self.embed_tokens = value

    def get_output_embeddings(self) -> torch.nn.Module:
        """The head, which some routes replace."""
        return self.lm_head

    def set_output_embeddings(self, new_embeddings: torch.nn.Module) -> None:
        """Replace the head."""
        self.lm_head = new_embeddings

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        past_key_values: Any = None,
        cache: Any = None,
        use_cache: bool | None = None,
        logits_to_keep: int = 0,
        return_dict: bool | None = None,
        **kwargs: Any,
    ) -> CausalLMOutputWithPast:
        """Logits [batch, len, vocab] after each of ``input_ids``, and the cache, grown by len.

        ``attention_mask`` is in the signature because `generate()` looks for it there; nothing is
        ever padded, so it is not used. All positions are returned whatever ``logits_to_keep`` says
        unless it is positive.
        """
        assert input_ids is not None
        self.calls[0] += 1
        cache = past_key_values if cache is None else cache
        if cache is None and use_cache:
            cache = DynamicCache()
        rows = self.embed_tokens(input_ids)[:, None]  # [1, heads = 1, len, hidden]
        length = rows.shape[-2]
        if cache is not None:
            rows, _ = cache.update(rows, rows.clone(), 0)
        logits = self.lm_head(self._contexts(rows[:, 0], length)[:, -logits_to_keep:])
        return CausalLMOutputWithPast(logits=logits, **{CACHE_NAME: cache})

    def _contexts(self, rows: torch.Tensor, length: int) -> torch.Tensor:
        """One-hot contexts [batch, length, contexts] of the last ``length`` cached ``rows``."""
        absent = 1.0 - rows.sum(-1, keepdim=True)
        marked = torch.cat([rows, absent], dim=-1)
        before = marked.new_zeros(len(rows), self.config.order - 2, marked.shape[-1])
        before[:, :, -1] = 1.0
        marked = torch.cat([before, marked], dim=1)
        contexts = marked.new_ones(len(rows), length, 1)
        for back in range(self.config.order - 1):
            end = marked.shape[1] - back
            column = marked[:, end - length : end]
            contexts = (contexts[:, :, :, None] * column[:, :, None, :]).flatten(2)
        return contexts


def toy_model(vocabulary: int, order: int, seed: int, *, eos: int | None = None) -> ToyLM:
    """A `ToyLM` whose table is made from ``seed``: the same on every machine.

    Args:
        vocabulary: number of tokens.
        order: of the n-gram; 3 or more makes a stale cache visible two tokens on.
        seed: of the table. Each row holds the logarithms of small whole numbers, normalised.
        eos: id that ends a sequence; None if nothing does.
    """
    model = ToyLM(ToyConfig(vocab_size=vocabulary, order=order))
    numbers = random.Random(seed)
    columns: list[list[float]] = []
    for _ in range((vocabulary + 1) ** (order - 1)):
        parts = [numbers.randint(1, 9) for _ in range(vocabulary)]
        columns.append([math.log(part / sum(parts)) for part in parts])
    return _written(model, torch.tensor(columns), eos)


def model_from_rows(
    after: Callable[[tuple[int, ...]], Sequence[float]],
    size: int,
    order: int,
    *,
    unused: int = 0,
    eos: int | None = None,
    dtype: str = "float64",
) -> ToyLM:
    """A `ToyLM` with given laws, zeros included; its last ``unused`` ids are never said.

    Logits are the logarithms of the probabilities, and `LOG_ZERO` for a zero, which a softmax makes
    an exact zero again. A row that is not to be had (`ValueError`), as after an unused id, is even.

    Args:
        after: the law after a context of at most ``order - 1`` ids, as ``size`` probabilities.
        size: number of ids that have laws.
        order: of the n-gram; 1 is a law that does not depend on context.
        unused: how many ids are added behind them.
        eos: id that ends a sequence; None if nothing does.
        dtype: of weights and logits.
    """
    order = max(order, 2)
    vocabulary = size + unused
    model = ToyLM(ToyConfig(vocab_size=vocabulary, order=order))
    columns: list[list[float]] = []
    for newest_first in itertools.product(range(vocabulary + 1), repeat=order - 1):
        context = tuple(reversed([i for i in newest_first if i < vocabulary]))
        try:
            row = list(after(context))
        except ValueError:
            row = [1.0 / size] * size
        columns.append([LOG_ZERO if p == 0 else math.log(p) for p in row] + [LOG_ZERO] * unused)
    return _written(
        model.to(getattr(torch, dtype)), torch.tensor(columns, dtype=torch.float64), eos
    )


def copied(model: ToyLM) -> ToyLM:
    """A model of its own with the same weights: what is replaced in one stays in the other.

    The tensors themselves are shared. It draws nothing, as making a model anew would.
    """
    twin = model.__new__(type(model))
    vars(twin).update(vars(model))
    for registry in ("_parameters", "_buffers", "_modules"):
        setattr(twin, registry, dict(getattr(model, registry)))
    twin.config = copy.copy(model.config)
    twin.generation_config = copy.copy(model.generation_config)
    return twin


def _written(model: ToyLM, columns: torch.Tensor, eos: int | None) -> ToyLM:
    """``model`` with a table [contexts, vocabulary] of logits."""
    weights = {
        "embed_tokens.weight": torch.eye(model.config.vocab_size),
        "lm_head.weight": columns.T,
    }
    model.load_state_dict(weights)
    model.generation_config = GenerationConfig(eos_token_id=eos, pad_token_id=eos)
    model.eval()
    return model
