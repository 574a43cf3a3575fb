"""Toys for block drafters, which read the target's states and return their own q.

The target shows its one-hot contexts as hidden states. The drafters are tables of the last token:
what they draft need not be good, only right in how it is drawn and scored.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.modeling_utils import PreTrainedModel
from transformers.utils.generic import ModelOutput

from ...toymodels.huggingface.models import CACHE_NAME, ToyConfig, ToyLM
from .case import Case


@dataclass
class StatesOutput(CausalLMOutputWithPast):
    """What a target gives, with the keys and values that some drafters read."""

    shared_kv_states: Any = None


class StatesToyLM(ToyLM):
    """A `ToyLM` that shows its hidden states: one-hot contexts, [1, length, contexts]."""

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        past_key_values: Any = None,
        cache: Any = None,
        use_cache: bool | None = None,
        logits_to_keep: int = 0,
        **kwargs: Any,
    ) -> StatesOutput:
        """As `ToyLM`; ``position_ids`` is in the signature because drafters ask for it."""
        states: list[torch.Tensor] = []
        hook = self.lm_head.register_forward_pre_hook(lambda _, args: states.append(args[0]))
        try:
            found = super().forward(
                input_ids,
                attention_mask,
                past_key_values=past_key_values,
                cache=cache,
                use_cache=use_cache,
                logits_to_keep=0,
            )
        finally:
            hook.remove()
        cached = getattr(found, CACHE_NAME)
        length = 0 if cached is None else cached.get_seq_length()
        keys = torch.zeros(1, 1, length, 1)
        assert found.logits is not None
        return StatesOutput(
            logits=found.logits[:, -logits_to_keep:],  # pyright: ignore[reportArgumentType]
            hidden_states=(states[0], states[0]),  # pyright: ignore[reportArgumentType]
            shared_kv_states={"full_attention": (keys, keys), "sliding_attention": (keys, keys)},
            **{CACHE_NAME: cached},
        )


class Gemma4ToyLM(StatesToyLM):
    """The same under a name that the library looks for."""


class _TableModel(PreTrainedModel):
    """A drafter with one row of weights for each last token."""

    config_class = ToyConfig
    base_model_prefix = "model"
    main_input_name = "input_ids"
    _is_stateful = False

    def __init__(self, config: ToyConfig) -> None:
        super().__init__(config)
        self.table = torch.nn.Parameter(torch.zeros(config.vocab_size, config.vocab_size))
        self.post_init()

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Leave the weights alone."""

    def _supports_logits_to_keep(self) -> bool:
        """Asked by releases in which every drafter generates."""
        return False


@dataclass
class AssistantOutput(ModelOutput):
    """What a single-position drafter gives: logits [1, 1, V] and its next state."""

    logits: Any = None
    last_hidden_state: Any = None


class Gemma4AssistantToy(_TableModel):
    """A single-position drafter: logits are the row of the last token."""

    def forward(self, inputs_embeds: torch.Tensor, **_: Any) -> AssistantOutput:
        """``inputs_embeds`` [1, 1, V + contexts]: the last token's embedding, then a state."""
        size = self.config.vocab_size
        logits = inputs_embeds[..., :size] @ self.table
        return AssistantOutput(logits=logits, last_hidden_state=inputs_embeds[..., size:])


@dataclass
class WindowOutput(ModelOutput):
    """What a window drafter gives: states [1, window, hidden] for the target's head."""

    last_hidden_state: Any = None


class DFlashAssistantToy(_TableModel):
    """A window drafter: each place's state is chosen by the anchor token and the place.

    The cache is written as the library expects, so that its cropping is exercised.
    """

    def forward(
        self,
        noise_embeds: torch.Tensor,
        context_hidden_states: torch.Tensor,
        past_key_values: Any = None,
        cache: Any = None,
        **_: Any,
    ) -> WindowOutput:
        """States [1, window, contexts] from ``noise_embeds`` [1, window, V]."""
        cache = past_key_values if cache is None else cache
        window, width = noise_embeds.shape[1], context_hidden_states.shape[-1]
        rows = torch.zeros(1, 1, context_hidden_states.shape[1] + window, 1)
        cache.update(rows, rows.clone(), 0)
        anchor = noise_embeds[0, 0] @ self.table  # [V]
        states = torch.zeros(1, window, width)
        for place in range(1, window):
            chosen = [(5 * place + 3 * token) % width for token in range(len(anchor))]
            for token, at in enumerate(chosen):
                states[0, place, at] += anchor[token].exp()
        return WindowOutput(last_hidden_state=states)


def assistant_toy(make: type[_TableModel], case: Case) -> Any:
    """A drafter whose table is made from a seed: the same on every machine."""
    size = case.toys["vocabulary"]
    config = ToyConfig(vocab_size=size, order=2)
    config.target_layer_ids = [0]
    config.block_size = case.lookahead + 1
    config.mask_token_id = 0
    model = make(config)
    numbers = random.Random(5)
    rows = [[numbers.randint(1, 9) for _ in range(size)] for _ in range(size)]
    table = [[math.log(part / sum(row)) for part in row] for row in rows]
    model.load_state_dict({"table": torch.tensor(table)})
    model.generation_config = transformers.GenerationConfig()
    return model.eval()
