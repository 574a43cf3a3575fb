"""Toy models and tokenizers that `transformers` takes for real ones.

`models` has n-gram tables behind ``PreTrainedModel``, with a real cache, embedding and head;
`tokenizers` has fast tokenizers of the `tokenizers` library. Both import torch and transformers;
this package does not, and `missing` says whether they are there. The other names exported here are
loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .requirements import INSTALL_COMMAND, missing

if TYPE_CHECKING:
    from .models import CACHE_NAME, ToyConfig, ToyLM, toy_model
    from .tokenizers import EOS, OrderedTokenizer, toy_tokenizer

__all__ = [
    "CACHE_NAME",
    "EOS",
    "INSTALL_COMMAND",
    "OrderedTokenizer",
    "ToyConfig",
    "ToyLM",
    "missing",
    "toy_model",
    "toy_tokenizer",
]

_TOKENIZERS = ("EOS", "OrderedTokenizer", "toy_tokenizer")


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "tokenizers" if name in _TOKENIZERS else "models"
    return getattr(import_module(f".{module}", __name__), name)
