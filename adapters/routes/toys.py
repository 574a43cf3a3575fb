"""What a route's builder gives: models, and the keywords that turn help on."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import transformers

from ...toymodels.huggingface.models import ToyLM, toy_model
from .case import Case, NotThereError


@dataclass
class Toys:
    """The models of one case.

    Attributes:
        target: whose `generate()` is called.
        vocabulary: how many ids it has.
        eos: ids that end a sequence.
        assistance: keywords that turn help on, for each call.
        models: those whose configurations are put back before every path.
        skipped: ids in front of the new ones in what `generate()` returns; None for the prompt's.
        tokenizers: the target's and the drafter's, where there are two.
        again: keywords of both calls that are objects of the case, such as its tokenizer.
    """

    target: Any
    vocabulary: int
    eos: tuple[int, ...]
    assistance: Callable[[int], dict[str, Any]]
    models: tuple[Any, ...]
    skipped: int | None = None
    tokenizers: tuple[Any, ...] = ()
    again: Mapping[str, Any] = field(default_factory=dict)


def ends_of(case: Case) -> tuple[int, ...]:
    """The ids that end a sequence: what the settings name, or the toy's own."""
    named = case.settings.get("eos_token_id", case.toys.get("eos"))
    if named is None:
        return ()
    return tuple(named) if isinstance(named, (list, tuple)) else (named,)


def target_model(case: Case, make: type[ToyLM] = ToyLM) -> ToyLM:
    """The n-gram target of a case; ``make`` gives it what a route asks of a target."""
    model = toy_model(case.toys["vocabulary"], case.toys.get("order", 3), seed=1)
    return dressed(model, make, case.toys.get("eos"))


def drafter_model(case: Case, vocabulary: int | None = None, seed: int = 2) -> ToyLM:
    """The n-gram drafter of a case, with its own generation configuration filled in."""
    model = toy_model(vocabulary or case.toys["vocabulary"], 3, seed=seed)
    eos = case.toys.get("drafter_eos", case.toys.get("eos"))
    drafter = dressed(model, ToyLM, eos)
    drafting(drafter, case)
    return drafter


def dressed(model: ToyLM, make: type[ToyLM], eos: int | None) -> ToyLM:
    """``model`` as another class with the same weights, and its end of sequence."""
    if make is not ToyLM:
        other = make(model.config)  # pyright: ignore[reportArgumentType]
        other.load_state_dict(model.state_dict())
        model = other.eval()
    model.generation_config = transformers.GenerationConfig(eos_token_id=eos, pad_token_id=eos or 0)
    return model


def drafting(drafter: Any, case: Case) -> None:
    """Write a case's drafting into the assistant's own generation configuration."""
    settings = drafter.generation_config
    settings.num_assistant_tokens = case.lookahead
    settings.num_assistant_tokens_schedule = "constant"
    settings.assistant_confidence_threshold = 0.0  # the default stops drafts early
    for name, value in case.drafter.items():
        setattr(settings, name, value)


def write_weights(model: Any, seed: int, scale: float = 1.5) -> Any:
    """Give a real architecture's small model weights of its own, the same on every machine."""
    numbers = random.Random(seed)
    with torch.no_grad():
        for name, weights in sorted(model.named_parameters()):
            if weights.dim() == 1:
                weights.fill_(1.0 if "norm" in name else 0.0)
                continue
            drawn = [numbers.gauss(0.0, scale) for _ in range(weights.numel())]
            weights.copy_(torch.tensor(drawn).reshape(weights.shape) / weights.shape[-1] ** 0.5)
    return model.eval()


def spelling(case: Case) -> dict[str, Any]:
    """The target's tokenizer, for settings that ask for one."""
    if not case.toys.get("spelled"):
        return {}
    from ...toymodels.huggingface.tokenizers import toy_tokenizer

    return {"tokenizer": toy_tokenizer((*"abcdef", "</s>"))}


def needed(name: str) -> Any:
    """A class of the installed release.

    Raises:
        NotThereError: if it has none of that name.
    """
    try:
        return getattr(transformers, name)
    except AttributeError:
        raise NotThereError(f"transformers {transformers.__version__} has no {name}") from None


def generator_class(name: str) -> Any:
    """A candidate generator of the installed release, looked up to say that it is there.

    Raises:
        NotThereError: if it has none of that name.
    """
    module = transformers.generation.candidate_generator
    found = getattr(module, name, None)
    if found is None:
        raise NotThereError(f"transformers {transformers.__version__} has no {name}")
    return found
