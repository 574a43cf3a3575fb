"""Causal language models of `transformers` behind the protocol of the reference.

One call is one forward pass, for all K + 1 positions. The cache is kept to the common prefix of
what was asked before and what is asked now; what lies beyond it is cropped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import torch
from transformers.modeling_outputs import CausalLMOutputWithPast

from ...reference.models import Ids
from .errors import ModelError
from .memory import memory_for
from .settings import Settings
from .tensors import TensorDistribution
from .tree_pass import Tree, may_take_trees, tree_of

#: The name under which this release passes the cache to a model and takes it back.
CACHE_NAME = (
    "cache" if "cache" in CausalLMOutputWithPast.__dataclass_fields__ else "past_key_values"
)


#: How many numbers the laws given last may have that are kept.
_REMEMBERED = 4_000_000


class CausalModel:
    """A causal language model as a `LanguageModel`, batch of one.

    A law that was given a moment ago is given again without a pass: psi asks for the laws that the
    drafts were drawn from.

    Attributes:
        size: number of ids its laws range over. More than the head has is filled up with
            probability zero (`resized`), for drafters whose head is padded less than the target's.
        passes, tokens: forward passes so far, and positions computed in them.
        seconds: inside the forward passes; on an accelerator up to when they were queued, unless
            ``timed``.
        timings: (positions computed, seconds) of each pass.

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
        self.timings: list[tuple[int, float]] = []
        self._cache: Any = None
        self._held: Ids = ()
        self._drops = False
        self._restricted = 0
        self._trees_hold: bool | None = None
        self._given: dict[Ids, TensorDistribution] = {}

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.device

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[TensorDistribution]:
        """The ``len(continuation) + 1`` laws after ``context + continuation[:j]``, in one pass."""
        ids = context + continuation
        asked = [ids[: len(context) + j] for j in range(len(continuation) + 1)]
        if all(each in self._given for each in asked):
            return [self._given[each] for each in asked]
        return self._laws(asked, self.logits(ids, len(continuation) + 1))

    def distributions_after(self, contexts: Sequence[Ids]) -> Sequence[TensorDistribution]:
        """The law after each of ``contexts``; those that share a beginning in one pass.

        One by one where the model's cache or its way to attend does not allow for a tree.
        """
        unknown = list(dict.fromkeys(c for c in contexts if c not in self._given))
        tree = tree_of(unknown) if len(unknown) > 1 and self._takes_trees else None
        room = math.inf if self.window is None else self.window
        if tree is None or len(tree.trunk) + len(tree.ids) > room:
            return [self.distributions(context)[0] for context in contexts]
        if self._trees_hold is None:
            return self._try_trees(tree, unknown, contexts)
        known = {c: self._given[c] for c in contexts if c in self._given}
        known.update(zip(unknown, self._laws(unknown, self._tree_logits(tree)), strict=True))
        return [known[context] for context in contexts]

    def _try_trees(
        self, tree: Tree, unknown: list[Ids], contexts: Sequence[Ids]
    ) -> Sequence[TensorDistribution]:
        """The laws one by one, and whether a tree gives the same: only then it is asked again."""
        found = {context: self.distributions(context)[0] for context in contexts}
        try:
            rows = [
                self._law(row, context).row
                for row, context in zip(self._tree_logits(tree), unknown, strict=True)
            ]
        except (RuntimeError, ValueError, TypeError, IndexError):
            self._trees_hold = False
            self.forget()
        else:
            close = 1e-5 if torch.finfo(self.model.dtype).bits > 16 else 1e-2
            self._trees_hold = all(
                bool((row - found[context].row).abs().max() <= close)
                for row, context in zip(rows, unknown, strict=True)
            )
        return [found[context] for context in contexts]

    def _laws(self, asked: Sequence[Ids], logits: torch.Tensor) -> list[TensorDistribution]:
        """The laws after contexts, from their logits [contexts, size]."""
        # One row and several round differently. What a draft was drawn from must stay its law.
        laws = [
            self._given[each] if each in self._given else self._law(row, each)
            for row, each in zip(logits, asked, strict=True)
        ]
        self._given.update(zip(asked, laws, strict=True))
        while len(self._given) * self.size > max(_REMEMBERED, len(laws) * self.size):
            del self._given[next(iter(self._given))]
        return laws

    def _law(self, row: torch.Tensor, context: Ids) -> TensorDistribution:
        looks_back = self.settings.looks_back
        return self.settings.law(
            row, torch.tensor(context, device=self.device) if looks_back else None
        )

    def resized(self, size: int) -> CausalModel:
        """The same model over ``size`` ids: columns of the head cut off, or of probability zero.

        For drafters only: a cut changes the law, which a proposal may.
        """
        self.forget()
        self.size = size
        return self

    def forget(self) -> None:
        """Drop the cache."""
        self._cache, self._held = None, ()
        self._given.clear()

    def logits(self, ids: Ids, rows: int) -> torch.Tensor:
        """Logits [rows, size] at the last ``rows`` positions of ``ids``."""
        first = len(ids) - rows
        if first < 0:
            raise ModelError("a model is asked after at least one id; begin with a prompt")
        self._check(ids)
        kept = self._crop(ids, first) if self.cached else 0
        logits = self._pass(ids[kept:], rows, len(ids))
        if self.cached:
            self._held = ids
        return logits

    def _check(self, ids: Ids) -> None:
        """Raise `ModelError` for ids that there are none of, or more than the window has."""
        outside = next((token for token in ids if not 0 <= token < self.size), None)
        if outside is not None:
            raise ModelError(f"id {outside} is outside the model's 0 .. {self.size - 1}")
        if self.window is not None and len(ids) > self.window:
            raise ModelError(
                f"{len(ids)} ids are more than the context window of {self.window}; shorten the "
                "prompt or ask for fewer new tokens"
            )

    @property
    def _takes_trees(self) -> bool:
        # Without a cache it is not known yet whether it drops the past.
        return (
            self._trees_hold is not False
            and self._cache is not None
            and not self._drops
            and may_take_trees(self.model.config.get_text_config())
        )

    def _tree_logits(self, tree: Tree) -> torch.Tensor:
        """Logits [contexts, size] behind the contexts of ``tree``."""
        self._check(tree.trunk + tree.ids)
        kept = self._crop(tree.trunk, len(tree.trunk))
        logits = self._pass(
            tree.trunk[kept:] + tree.ids,
            len(tree.ids),
            len(tree.trunk) + len(tree.ids),
            attention_mask=tree.mask(kept, self.model.dtype, self.device),
            position_ids=tree.positions(kept, self.device),
        )
        # Only the trunk is a text of its own: the nodes are taken out of the cache.
        self._held = tree.trunk
        self._cut(len(tree.ids))
        return logits[list(tree.places)]

    def _pass(self, new: Ids, rows: int, length: int, **further: Any) -> torch.Tensor:
        """Logits [rows, size] at the last ``rows`` of the ids ``new``, behind what the cache holds.

        ``length`` is how many positions the cache holds after it.
        """
        fed = torch.tensor([new], device=self.device)
        cache = {} if self._cache is None else {CACHE_NAME: self._cache}
        started = time.perf_counter()
        advice = "take a shorter prompt, a smaller model, a narrower dtype or another device"
        with memory_for(f"in a pass over {len(new)} ids", advice), torch.inference_mode():
            given = self.model(fed, use_cache=self.cached, logits_to_keep=rows, **cache, **further)
        if self.timed and self.device.type == "cuda":
            torch.cuda.synchronize()
        spent = time.perf_counter() - started
        self.seconds += spent
        self.timings.append((len(new), spent))
        self.passes += 1
        self.tokens += len(new)
        if self.cached and self._cache is None:
            self._record(getattr(given, CACHE_NAME, None), length)
        logits = given.logits[0, -rows:, : self.size]
        missing = self.size - logits.shape[-1]
        return torch.nn.functional.pad(logits, (0, missing), value=-math.inf) if missing else logits

    def _record(self, cache: Any, length: int) -> None:
        """Hold a new cache; where it drops the past, let it record that from now on.

        transformers 5.24 offers to; caches of releases before refuse to be cropped there.
        """
        if cache is None:
            raise self._uncropped("gives back no cache that can be cropped")
        layers = getattr(cache, "layers", ())
        self._drops = any(hasattr(layer, "record_past") for layer in layers)
        kind = type(cache).__name__
        if not self._drops and kind != "DynamicCache":
            # Releases that record no past crop such caches in part: keys, and not running states.
            raise self._uncropped(f"has a cache that cannot be cropped ({kind})")
        self._cache = cache
        if self._drops:
            self._restricted = length
            cache.activate_past_recording()

    def _crop(self, ids: Ids, first: int) -> int:
        """Cut the cache to what it shares with ``ids[:first]``; how many positions that is."""
        shared = 0
        for held, asked in zip(self._held, ids[:first], strict=False):
            if held != asked:
                break
            shared += 1
        surplus = len(self._held) - shared
        # A cache that drops the past holds no more than a window before where it was cropped: going
        # back behind that place would leave the window short, in silence.
        too_far = self._drops and surplus > 0 and shared < self._restricted
        if self._cache is None or shared == 0 or too_far:
            self.forget()
            return 0
        if surplus:
            self._cut(surplus)
            self._restricted = shared
        return shared

    def _cut(self, surplus: int) -> None:
        """Take the last ``surplus`` positions out of the cache."""
        try:
            self._cache.crop(-surplus)
        except (AttributeError, NotImplementedError, ValueError, RuntimeError) as problem:
            kind = type(self._cache).__name__
            self.forget()
            said = f"has a cache that cannot be cropped ({kind}: {problem})"
            raise self._uncropped(said) from problem

    def _uncropped(self, what: str) -> ModelError:
        return ModelError(
            f"{type(self.model).__name__} {what}; load it with cached=False (--no-cache), which "
            "recomputes every position"
        )
