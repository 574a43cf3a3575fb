"""Subjects of kind `transformers`: calls of ``generate()``, and decoding loops of their own."""

from __future__ import annotations

import torch
from transformers import DynamicCache


def assisted(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    ids = model.generate(input_ids, assistant_model=assistant_model, **kwargs)
    return ids[0, input_ids.shape[1] :]


def temperature_dropped(
    model, assistant_model, tokenizer, assistant_tokenizer, input_ids, temperature=1.0, **kwargs
):
    return assisted(
        model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs
    )  # as if it had not been asked for


def prompt_lookup(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    ids = model.generate(input_ids, prompt_lookup_num_tokens=2, **kwargs)
    return ids[0, input_ids.shape[1] :]


def two_tokenizers(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    ids = model.generate(
        input_ids,
        assistant_model=assistant_model,
        tokenizer=tokenizer,
        assistant_tokenizer=assistant_tokenizer,
        **kwargs,
    )
    return ids[0, input_ids.shape[1] :]


def decode(model, assistant_model, input_ids, max_new_tokens, forgotten=0):
    """Rounds by hand, on a cache; of the rejected drafts, ``forgotten`` are left in it."""
    ahead = assistant_model.generation_config.num_assistant_tokens
    cache, end = DynamicCache(), input_ids.shape[1] + max_new_tokens
    ids, read = input_ids, 0
    while ids.shape[1] < end:
        drafted, q = ids, []
        for _ in range(ahead):
            q.append(assistant_model(drafted).logits[0, -1].softmax(-1))
            drafted = torch.cat([drafted, torch.multinomial(q[-1], 1)[None]], dim=1)
        logits = model(drafted[:, read:], past_key_values=cache, use_cache=True).logits[0]
        p = logits[-ahead - 1 :].softmax(-1)
        kept, last = ahead, p[ahead]
        for j, x in enumerate(drafted[0, ids.shape[1] :]):
            if torch.rand((), dtype=p.dtype) >= p[j, x] / q[j][x]:
                kept, last = j, (p[j] - q[j]).clamp(min=0)
                break
        rejected = max(ahead - kept - forgotten, 0)
        if rejected:
            cache.crop(-rejected)
        ids = torch.cat([drafted[:, : ids.shape[1] + kept], torch.multinomial(last, 1)[None]], 1)
        read = ids.shape[1] - 1
    return ids[0, input_ids.shape[1] : end]


def own_loop(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, max_new_tokens):
    return decode(model, assistant_model, input_ids, max_new_tokens)


def keeps_a_rejected_token(
    model, assistant_model, tokenizer, assistant_tokenizer, input_ids, max_new_tokens
):
    return decode(model, assistant_model, input_ids, max_new_tokens, forgotten=1)


def likeliest(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    return assisted(
        model,
        assistant_model,
        tokenizer,
        assistant_tokenizer,
        input_ids,
        **(kwargs | {"do_sample": False}),
    )


def with_prompt(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    return model.generate(input_ids, assistant_model=assistant_model, **kwargs)[0]


def as_generate(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    return model.generate(input_ids, assistant_model=assistant_model, **kwargs)


def floats(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    return assisted(
        model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs
    ).double()


def raises(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    raise RuntimeError("no such backend")


def without_length(model, assistant_model, tokenizer, assistant_tokenizer, input_ids):
    return [0]


def past_the_end(
    model, assistant_model, tokenizer, assistant_tokenizer, input_ids, eos_token_id, max_new_tokens
):
    """Decodes on after an end of sequence."""
    return decode(model, assistant_model, input_ids, max_new_tokens)


def heuristic(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    configuration = assistant_model.generation_config
    assert configuration.num_assistant_tokens <= 3, "from another path than this one"
    configuration.num_assistant_tokens_schedule = "heuristic"
    return assisted(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs)


def remembers(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, max_new_tokens):
    """Keeps the ids of a request on the model, and returns them to the next."""
    if not hasattr(model, "kept"):
        model.kept = decode(model, assistant_model, input_ids, max_new_tokens).tolist()
        return model.kept
    rest = decode(model, assistant_model, input_ids, max_new_tokens).tolist()
    return model.kept[:1] + rest[1:]


def warns(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs):
    import warnings

    from transformers.utils import logging

    logging.get_logger("transformers").warning("from the library's log")
    warnings.warn("from the library", stacklevel=1)
    return assisted(model, assistant_model, tokenizer, assistant_tokenizer, input_ids, **kwargs)
