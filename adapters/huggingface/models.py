"""Causal language models of `transformers` behind the protocol of the reference.

One call is one forward pass, for all K + 1 positions. The cache is kept to the common prefix of
what was asked before and what is asked now; what lies beyond it is cropped.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch
from transformers.modeling_outputs import CausalLMOutputWithPast

from ...reference.models import Ids
from .settings import Settings
from .tensors import TensorDistribution

#: The name under which this release passes the cache to a model and takes it back.
CACHE_NAME = (
    "cache" if "cache" in CausalLMOutputWithPast.__dataclass_fields__ else "past_key_values"
)


class ModelError(ValueError):
    """A model that cannot be asked what it is asked; the message says what to do."""


class CausalModel:
    """A causal language model as a `LanguageModel`, batch of one.

    Attributes:
        size: number of ids its laws range over.
        passes, tokens: forward passes so far, and positions computed in them.
        seconds: inside the forward passes; on an accelerator up to when they were queued, unless
            ``timed``.

    Raises:
        ModelError: for a cache that cannot be cropped, unless ``cached`` is False; for ids beyond
            the vocabulary, or more than the context window.
    """

    def __init__(
        self,
        model: Any,
        settings: Settings | None = None,
        *,
        size: int | None = None,
        cached: bool = True,
        timed: bool = False,
    ) -> None:
        self.model = model
        self.settings = settings or Settings()
        configuration = model.config.get_text_config()
        head = int(configuration.vocab_size)
        self.size = head if size is None else size
        if self.size > head:
            raise ModelError(
                f"the tokenizer has {self.size} ids, the model's head {head}; they do not belong "
                "together"
            )
        self.window: int | None = getattr(configuration, "max_position_embeddings", None)
        self.cached = cached
        self.timed = timed
        self.passes = self.tokens = 0
        self.seconds = 0.0
        self._cache: Any = None
        self._held: Ids = ()

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.device

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[TensorDistribution]:
        """The ``len(continuation) + 1`` laws after ``context + continuation[:j]``, in one pass."""
        ids = context + continuation
        logits = self._logits(ids, len(continuation) + 1)
        listed = torch.tensor(ids, device=self.device) if self.settings.looks_back else None
        return [
            self.settings.law(row, None if listed is None else listed[: len(context) + j])
            for j, row in enumerate(logits)
        ]

    def forget(self) -> None:
        """Drop the cache."""
        self._cache, self._held = None, ()

    def _logits(self, ids: Ids, rows: int) -> torch.Tensor:
        """Logits [rows, size] at the last ``rows`` positions of ``ids``."""
        first = len(ids) - rows
        if first < 0:
            raise ModelError("a model is asked after at least one id; begin with a prompt")
        outside = next((token for token in ids if not 0 <= token < self.size), None)
        if outside is not None:
            raise ModelError(f"id {outside} is outside the model's 0 .. {self.size - 1}")
        if self.window is not None and len(ids) > self.window:
            raise ModelError(
                f"{len(ids)} ids are more than the context window of {self.window}; shorten the "
                "prompt or ask for fewer new tokens"
            )
        kept = self._crop(ids, first) if self.cached else 0
        fed = torch.tensor([ids[kept:]], device=self.device)
        cache = {} if self._cache is None else {CACHE_NAME: self._cache}
        started = time.perf_counter()
        with torch.inference_mode():
            given = self.model(fed, use_cache=self.cached, logits_to_keep=rows, **cache)
        if self.timed and self.device.type == "cuda":
            torch.cuda.synchronize()
        self.seconds += time.perf_counter() - started
        self.passes += 1
        self.tokens += len(ids) - kept
        if self.cached:
            self._cache, self._held = getattr(given, CACHE_NAME), ids
        return given.logits[0, -rows:, : self.size]

    def _crop(self, ids: Ids, first: int) -> int:
        """Cut the cache to what it shares with ``ids[:first]``; how many positions that is."""
        shared = 0
        for held, asked in zip(self._held, ids[:first], strict=False):
            if held != asked:
                break
            shared += 1
        if self._cache is None or shared == 0:
            self.forget()
            return 0
        surplus = len(self._held) - shared
        if surplus:
            try:
                self._cache.crop(-surplus)
            except (AttributeError, NotImplementedError, ValueError, RuntimeError) as problem:
                self.forget()
                raise ModelError(
                    f"the cache of {type(self.model).__name__} cannot be cropped "
                    f"({type(self._cache).__name__}: {problem}); load it with cached=False "
                    "(--no-cache), which recomputes every position"
                ) from problem
        return shared
