"""Whether configuration, weights and tokenizer belong together and make a causal language model."""

from __future__ import annotations

import math
from typing import Any

import torch
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from .models import ModelError

#: What the class of a model that continues text is called.
_CAUSAL_ENDINGS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
#: The part of a head that the ids of its tokenizer fill at least; the rest is padding.
_LEAST_FILLED = 0.9


def check_configuration(configuration: Any, name: str) -> None:
    """Refuse what is no decoder: encoder-decoders, encoders, classifiers.

    Raises:
        ModelError: naming the kind of model.
    """
    if getattr(configuration, "is_encoder_decoder", False):
        raise ModelError(
            f"{name} is an encoder-decoder ({configuration.model_type}); a causal language model "
            "is needed"
        )
    listed: tuple[str, ...] = tuple(getattr(configuration, "architectures", None) or ())
    mapped = type(configuration) in MODEL_FOR_CAUSAL_LM_MAPPING
    if mapped and (not listed or any(each.endswith(_CAUSAL_ENDINGS) for each in listed)):
        return
    kind = ", ".join(listed) or configuration.model_type
    raise ModelError(f"{name} is no causal language model ({kind}); one is needed")


def check_weights(found: dict[str, Any], model: Any, name: str) -> None:
    """Refuse a model of which some weights were not in its files.

    `transformers` fills what is missing with random numbers and goes on.

    Args:
        found: what ``output_loading_info`` gave.

    Raises:
        ModelError: with their number and the first one.
    """
    missing = sorted(found.get("missing_keys") or ())
    if missing:
        verb = "weight is" if len(missing) == 1 else "weights are"
        raise ModelError(
            f"{len(missing)} {verb} missing from {name}, the first {missing[0]}; get the whole "
            f"model, or the files that go with its config.json ({type(model).__name__})"
        )


def check_tokenizer(tokenizer: Any, model: Any, name: str) -> None:
    """Refuse a tokenizer that is not this model's, as far as numbers tell.

    Raises:
        ModelError: for more ids than the head has, for so few that they are not its own, and for
            an end of sequence that is ordinary text to the tokenizer.
    """
    head = int(model.config.get_text_config().vocab_size)
    size = len(tokenizer.vocabulary)
    if size > head:
        raise ModelError(
            f"vocabulary larger than the head: the tokenizer of {name} has {size:,} ids, its head "
            f"{head:,}; use the tokenizer that the model was trained with"
        )
    if size < _LEAST_FILLED * head:
        raise ModelError(
            f"tokenizer and model of {name} do not match: {size:,} ids for a head of {head:,}; "
            "use the tokenizer that the model was trained with"
        )
    own = tokenizer.end_of_sequence
    for end in sorted(ends_of(model)):
        text = tokenizer.vocabulary[end] if end < size else None
        if own is not None and own not in ends_of(model) and text is not None:
            raise ModelError(
                f"tokenizer and model of {name} do not match: the model ends with id {end}, which "
                f"is {text!r} to the tokenizer, whose own end is id {own}; use the tokenizer that "
                "the model was trained with"
            )


def ends_of(model: Any) -> frozenset[int]:
    """The ids with which the model's configuration ends a reply."""
    found: set[int] = set()
    for holder in (model.config.get_text_config(), getattr(model, "generation_config", None)):
        stated = getattr(holder, "eos_token_id", None)
        if stated is not None:
            found.update([stated] if isinstance(stated, int) else stated)
    return frozenset(found)


def check_forward(model: Any, name: str) -> None:
    """One small forward pass: the laws are numbers, and no position sees what comes after it.

    Raises:
        ModelError: for weights that give NaN or infinity, and for a model that looks ahead.
    """
    last = int(model.config.get_text_config().vocab_size) - 1
    fed = torch.tensor([[0, 0], [0, last]], device=model.device)
    with torch.inference_mode():
        first = model(fed, use_cache=False).logits[:, 0].float()
    if not bool(first.isfinite().all()):
        raise ModelError(
            f"the weights of {name} give NaN or infinity in {_dtype(model)}; the files are damaged "
            "or the dtype is too narrow (try dtype float32)"
        )
    allowed = math.sqrt(torch.finfo(model.dtype).eps) * (1 + float(first.abs().max()))
    if float((first[0] - first[1]).abs().max()) > allowed:
        raise ModelError(
            f"{name} is no causal language model: its law at a position depends on later ones"
        )


def _dtype(model: Any) -> str:
    return str(model.dtype).removeprefix("torch.")
