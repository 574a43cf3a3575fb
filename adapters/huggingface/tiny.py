"""A tiny model of random weights over bytes, made on the fly: for trying things out."""

from __future__ import annotations

from typing import Any

import torch
import transformers

#: Of the random weights.
SEED = 20240607


def tiny_random() -> tuple[Any, Any]:
    """A seeded Llama of two layers over `byte_tokenizer`'s ids, and that tokenizer."""
    from ..drafters.vocabulary import BEGIN, END, byte_tokenizer, real

    wrapped = byte_tokenizer()
    configuration = transformers.LlamaConfig(
        vocab_size=len(wrapped),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        initializer_range=0.2,
        bos_token_id=BEGIN,
        eos_token_id=END,
        tie_word_embeddings=True,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return transformers.LlamaForCausalLM(configuration), real(wrapped)
