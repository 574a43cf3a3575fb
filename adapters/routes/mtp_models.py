"""A small model with drafting layers, written to a checkpoint as `use_mtp` reads one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file

from .case import Case
from .toys import needed, write_weights

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


def mtp_model(case: Case) -> Any:
    """A target of one layer and ``case.lookahead`` drafting layers, loaded from a checkpoint.

    The folder lives as long as the process: the drafting layers are read from it in every call.
    """
    folder = tempfile.TemporaryDirectory(prefix="draftproof-mtp-")
    _FOLDERS.append(folder)
    path = Path(folder.name)
    eos = case.toys.get("eos")
    config = needed("Glm4MoeConfig")(
        vocab_size=case.toys["vocabulary"],
        hidden_size=8,
        intermediate_size=8,
        moe_intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=4,
        n_routed_experts=2,
        num_experts_per_tok=2,
        n_shared_experts=1,
        first_k_dense_replace=1,
        num_nextn_predict_layers=case.lookahead,
        max_position_embeddings=64,
        bos_token_id=0,
        eos_token_id=eos,
        pad_token_id=0,
        attn_implementation="eager",
    )
    make = needed("Glm4MoeForCausalLM")
    model = write_weights(make(config), seed=1)
    model.save_pretrained(path)
    _add_drafting_layers(path, model)
    model = make.from_pretrained(path, attn_implementation="eager")
    # The published checkpoints' layer numbers, which the class names, are not those of a toy.
    model._keys_to_ignore_on_load_unexpected = [r"model\.layers\.[1-9].*"]
    model.generation_config = transformers.GenerationConfig(
        eos_token_id=eos, pad_token_id=eos or 0, bos_token_id=0
    )
    return model.eval()


def _add_drafting_layers(path: Path, model: Any) -> None:
    """Write the drafting layers into the checkpoint under the names that published ones have."""
    from transformers.modeling_layers import MtpModel

    layers = model.config.num_mtp_layers
    drafting = write_weights(MtpModel(model, layers), seed=2)
    first = model.config.num_hidden_layers
    weights: dict[str, torch.Tensor] = load_file(path / "model.safetensors")
    for name, tensor in drafting.state_dict().items():
        head, _, rest = name.partition(".")
        if head != "layers":
            continue
        index, _, rest = rest.partition(".")
        weights[f"model.layers.{first + int(index)}.{rest.removeprefix('mtp_block.')}"] = (
            tensor.clone().contiguous()
        )
    save_file(weights, path / "model.safetensors", metadata={"format": "pt"})
