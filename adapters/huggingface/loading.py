"""Models by name, folder, GGUF file or hub name, each with its tokenizer, checked and in silence.

What is wrong is said in one line, a `ModelError`: what, where and what to do.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from .checks import check_configuration, check_forward, check_tokenizer, check_weights, ends_of
from .devices import device_named, dtype_named
from .gguf_files import converted
from .hub import fetched
from .memory import memory_for
from .models import CausalModel, ModelError
from .names import NAMES, TINY, place_of
from .quiet import silence
from .settings import Settings
from .tiny import tiny_random

__all__ = ["NAMES", "Loaded", "ModelError", "load"]

#: Keyword of `from_pretrained` for the dtype, in this release.
_DTYPE = "dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype"
#: Code that comes with a model is never run, and transformers does not ask whether to.
_OWN_CODE_ONLY = {"trust_remote_code": False, "local_files_only": True}
#: The counts of an n-gram drafter.
NGRAM = "ngram.safetensors"
#: What `from_pretrained` looks for in a folder.
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


@dataclass(frozen=True)
class Loaded:
    """A model ready to be asked, with the tokenizer of its ids.

    Attributes:
        model: a `CausalModel`, or the n-gram drafter, which answers the same.
        tokenizer: padded to the model's size.
        name: what it was asked for by.
        parameters: how many numbers were learnt, tied ones once.
        config: the configuration of `transformers`, or None.
        stop_ids: every id that ends a reply: the tokenizer's and those of the configuration.
        remarks: what a user should know, a line each.
    """

    model: Any
    tokenizer: Any
    name: str
    parameters: int
    config: Any
    stop_ids: frozenset[int] = frozenset()
    remarks: tuple[str, ...] = ()


def load(
    source: str | Path,
    settings: Settings | None = None,
    *,
    device: str | torch.device = "cpu",
    dtype: str | torch.dtype = "float32",
    cached: bool = True,
    timed: bool = False,
) -> Loaded:
    """A causal language model and its tokenizer.

    Args:
        source: one of `NAMES`, a folder with weights and tokenizer, a GGUF file (converted once
            into the cache), or a hub name where the network allows.
        settings: what turns logits into laws; the plain softmax without.
        device: "cpu", "cuda", "cuda:1", or "auto": cuda where there is one.
        dtype: "float32", "float64", "bfloat16" or "float16".
        cached: False recomputes every position, for caches that cannot be cropped.
        timed: waits for the accelerator after each pass, so that its seconds are true.

    Raises:
        ModelError: in one line, for everything that keeps the model from being used.
    """
    where, kind = device_named(device), dtype_named(dtype)
    name = str(source)
    if name == TINY:
        made, tokenizer = tiny_random()
        return _ready(made.to(where, kind), tokenizer, name, settings, cached, timed)
    folder = folder_of(source)
    if (folder / NGRAM).is_file():
        from ..drafters.ngram import read_ngram

        ngram = read_ngram(folder, settings, where, kind)
        tokenizer = _tokenizer(folder, name).padded(ngram.size)
        return _described(ngram, tokenizer, name, ngram.parameters, None, tokenizer.stop_ids)
    return _ready(*_read(folder, name, where, kind), name, settings, cached, timed)


def folder_of(source: str | Path) -> Path:
    """The folder to load from; converts and fetches where that is what was named."""
    if isinstance(source, str) and source in NAMES:
        found = place_of(source)
        return converted(found, source) if found.is_file() else found
    path = Path(source).expanduser()
    if path.is_dir():
        return path
    if path.is_file():
        if path.suffix == ".gguf":
            return converted(path)
        raise ModelError(f"{path} is neither a folder of a model nor a .gguf file")
    name = str(source)
    if isinstance(source, Path) or path.suffix == ".gguf" or name.startswith((".", "/", "~")):
        raise ModelError(f"{path} does not exist")
    if name.count("/") > 1 or (os.sep != "/" and os.sep in name):
        raise ModelError(f"{name} does not exist, and is no hub name (owner/model)")
    return fetched(name, NAMES)


def _read(folder: Path, name: str, device: torch.device, dtype: torch.dtype) -> tuple[Any, Any]:
    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder} has no config.json; it is not the folder of a model")
    if not any(any(folder.glob(pattern)) for pattern in _WEIGHTS):
        raise ModelError(f"{folder} has no weights (*.safetensors); get the whole model")
    read = f"{name} cannot be loaded from {folder}"
    try:
        with silence():
            configuration = transformers.AutoConfig.from_pretrained(folder, **_OWN_CODE_ONLY)
    except Exception as problem:
        raise ModelError(f"{read}: its config.json: {_line(problem)}") from problem
    check_configuration(configuration, name)
    tokenizer = _tokenizer(folder, name)
    options = {_DTYPE: dtype, "output_loading_info": True, **_OWN_CODE_ONLY}
    advice = "take a smaller model, a narrower dtype or another device"
    try:
        with memory_for(f"loading {name} on {device}", advice), silence():
            given: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, **options)
    except ModelError:
        raise
    except Exception as problem:  # safetensors, pickles and model classes each fail their own way
        raise ModelError(
            f"{read} ({type(problem).__name__}: {_line(problem)}); if a file is cut short or "
            "damaged, get it again"
        ) from problem
    model, found = given
    check_weights(found, model, str(folder))
    with memory_for(f"moving {name} to {device}", advice):
        return model.to(device), tokenizer


def _tokenizer(folder: Path, name: str) -> Any:
    from ..tokenizers import load_tokenizer

    try:
        with silence():
            return dataclasses.replace(load_tokenizer(folder), name=name, _padded={})
    except Exception as problem:
        raise ModelError(
            f"the tokenizer of {name} in {folder} cannot be loaded: {_line(problem)}"
        ) from problem


def _ready(
    model: Any, tokenizer: Any, name: str, settings: Settings | None, cached: bool, timed: bool
) -> Loaded:
    model.eval().requires_grad_(False)
    check_tokenizer(tokenizer, model, name)
    with memory_for(f"in a pass of two tokens of {name}", "take a smaller model"), silence():
        check_forward(model, name)
    causal = CausalModel(model, settings, cached=cached, timed=timed)
    parameters = sum(each.numel() for each in model.parameters())
    stops = tokenizer.stop_ids | {end for end in ends_of(model) if end < causal.size}
    tokenizer = tokenizer.padded(causal.size)
    return _described(causal, tokenizer, name, parameters, model.config, frozenset(stops))


def _described(
    model: Any, tokenizer: Any, name: str, parameters: int, config: Any, stops: frozenset[int]
) -> Loaded:
    loaded = Loaded(model, tokenizer, name, parameters, config, stops)
    if stops:
        return loaded
    said = f"{name} has no end of sequence: a reply ends at the number of new tokens asked for"
    return dataclasses.replace(loaded, remarks=(said,))


def _line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:300]
