"""Real architectures of the library, small enough to enumerate, with weights of our own."""

from __future__ import annotations

from typing import Any

import transformers

from .case import Case
from .toys import needed, write_weights

_SIZES: dict[str, Any] = {
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "max_position_embeddings": 64,
    "attn_implementation": "eager",
}


def _configured(model: Any, case: Case) -> Any:
    eos = case.toys.get("eos")
    model.generation_config = transformers.GenerationConfig(
        eos_token_id=eos, pad_token_id=eos or 0, bos_token_id=0
    )
    return model


def mistral(case: Case) -> Any:
    """A Mistral of two layers that looks back three tokens."""
    config = needed("MistralConfig")(
        vocab_size=case.toys["vocabulary"],
        num_hidden_layers=2,
        sliding_window=3,
        bos_token_id=0,
        eos_token_id=case.toys.get("eos"),
        pad_token_id=0,
        **_SIZES,
    )
    return _configured(write_weights(needed("MistralForCausalLM")(config), seed=1), case)


def llama(case: Case, layers: int = 2) -> Any:
    """A Llama of ``layers`` layers."""
    config = needed("LlamaConfig")(
        vocab_size=case.toys["vocabulary"],
        num_hidden_layers=layers,
        bos_token_id=0,
        eos_token_id=case.toys.get("eos"),
        pad_token_id=0,
        **_SIZES,
    )
    return _configured(write_weights(needed("LlamaForCausalLM")(config), seed=1), case)


def t5(case: Case, seed: int) -> Any:
    """A T5 of one layer on each side."""
    config = needed("T5Config")(
        vocab_size=case.toys["vocabulary"],
        d_model=8,
        d_kv=4,
        d_ff=8,
        num_layers=1,
        num_decoder_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        bos_token_id=0,
        eos_token_id=case.toys.get("eos"),
        pad_token_id=0,
        tie_word_embeddings=False,
        attn_implementation="eager",
    )
    model = write_weights(needed("T5ForConditionalGeneration")(config), seed)
    model = _configured(model, case)
    model.generation_config.decoder_start_token_id = 0
    return model
