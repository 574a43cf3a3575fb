"""The byte-level n-gram drafter: trained counts and those of the text before, interpolated.

The law is the interpolation of Witten and Bell (1991). Let c(h, s) be how often symbol s followed
the bytes h in training, plus ``recency`` times how often it did in the text so far; N(h) the sum
over s, and T(h) ``spread`` times the number of s with c(h, s) > 0. For contexts h of growing length

    p(s | h) = (c(h, s) + T(h) p(s | h without its first byte)) / (N(h) + T(h)),

begun with the uniform law over 256 bytes and the end; where T(h) is 0 the shorter context decides.
Training counts contexts as long as its tables, the text so far those of up to ``recent`` bytes.
Witten and Bell have spread 1; a larger one trusts a context less, and suits held-out text better.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...reference.models import Ids
from ..huggingface.models import ModelError
from ..huggingface.settings import Settings
from ..huggingface.tensors import TensorDistribution
from .counts import END, SYMBOLS, Table, packed

WEIGHTS, DESCRIPTION = "ngram.safetensors", "ngram.json"
#: The numbers of the law, as they are stored.
OPTIONS = ("recent", "recency", "spread")
#: Bytes of the text so far that are searched.
MEMORY = 4096
#: How many of the laws given last are kept, as `CausalModel` keeps them.
_REMEMBERED = 64


class NgramModel:
    """Counts as a `LanguageModel` over the ids of the byte vocabulary.

    A special id within a context begins a new document: only the bytes after it count.

    Attributes:
        size: of the byte vocabulary; the beginning of a sequence has probability zero.
        passes, tokens, seconds, timings: as those of a `CausalModel`; a row is a token.
        window: None, any context will do.
        parameters: how many counts there are.
    """

    window: int | None = None

    def __init__(
        self,
        tables: Sequence[Table],
        settings: Settings | None = None,
        *,
        recent: int = 10,
        recency: int = 2,
        spread: int = 8,
        size: int = SYMBOLS + 1,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.tables = tuple(tables)
        self.settings = settings or Settings()
        self.recent, self.recency, self.spread = recent, recency, spread
        self.size = size
        self.device = torch.device(device)
        self.dtype = dtype if dtype == torch.float64 else torch.float32
        self.passes = self.tokens = 0
        self.seconds = 0.0
        self.timings: list[tuple[int, float]] = []
        self._given: dict[Ids, TensorDistribution] = {}

    @property
    def parameters(self) -> int:
        """How many counts are stored."""
        return sum(len(table.counts) for table in self.tables)

    def forget(self) -> None:
        """Drop the laws that were given a moment ago; there is no other cache."""
        self._given.clear()

    def resized(self, size: int) -> NgramModel:
        """The same model over ``size`` ids; those beyond its own have probability zero."""
        if size < SYMBOLS:
            raise ModelError(f"the n-gram drafter has {SYMBOLS} symbols, more than {size} ids")
        self.forget()
        self.size = size
        return self

    def distributions(self, context: Ids, continuation: Ids = ()) -> Sequence[TensorDistribution]:
        """The ``len(continuation) + 1`` laws after ``context + continuation[:j]``."""
        ids = context + continuation
        if not continuation and ids in self._given:
            return [self._given[ids]]
        outside = next((token for token in ids if not 0 <= token < self.size), None)
        if outside is not None:
            raise ModelError(f"id {outside} is outside the model's 0 .. {self.size - 1}")
        started = time.perf_counter()
        rows = np.zeros((len(continuation) + 1, self.size))
        for j, row in enumerate(rows):
            row[:SYMBOLS] = self.probabilities(_text(ids[: len(context) + j]))
        with np.errstate(divide="ignore"):
            logits = torch.from_numpy(np.log(rows)).to(self.device, self.dtype)
        spent = time.perf_counter() - started
        self.seconds += spent
        self.timings.append((len(rows), spent))
        self.passes += 1
        self.tokens += len(rows)
        listed = torch.tensor(ids, device=self.device) if self.settings.looks_back else None
        laws = [
            self.settings.law(row, None if listed is None else listed[: len(context) + j])
            for j, row in enumerate(logits)
        ]
        if len(self._given) >= _REMEMBERED:
            self._given.clear()
        self._given[ids] = laws[-1]
        return laws

    def probabilities(self, text: bytes) -> NDArray[np.float64]:
        """The law [257] of the symbol after ``text``: 256 bytes, then the end."""
        text = text[-MEMORY:]
        before = np.frombuffer(text, np.uint8)
        law = np.full(SYMBOLS, 1 / SYMBOLS)
        # Where the context occurred before: `places` are the indices of what followed.
        places = np.arange(len(before))
        for length in range(max(len(self.tables), self.recent + 1)):
            if length:
                if length > len(before):
                    break
                places = places[places >= length]
                places = places[before[places - length] == before[-length]]
            recent = length <= self.recent and len(places)
            counts = np.zeros(SYMBOLS)
            if recent:
                counts += self.recency * np.bincount(before[places], minlength=SYMBOLS)
            if length < len(self.tables):
                symbols, seen = self.tables[length].after(packed(text[len(text) - length :]))
                counts[symbols] += seen
            elif not recent:
                break  # a longer context did not occur either
            kinds = np.count_nonzero(counts)
            if kinds:
                new = self.spread * kinds
                law = (counts + new * law) / (counts.sum() + new)
        return law

    def save(self, folder: Path) -> None:
        """Write counts and description into a folder."""
        from safetensors.numpy import save_file

        arrays: dict[str, Any] = {}
        for length, table in enumerate(self.tables):
            for part in ("contexts", "starts", "symbols", "counts"):
                arrays[f"{length}.{part}"] = np.ascontiguousarray(getattr(table, part))
        save_file(arrays, folder / WEIGHTS)
        described = {"lengths": len(self.tables)} | {name: getattr(self, name) for name in OPTIONS}
        (folder / DESCRIPTION).write_text(json.dumps(described) + "\n", "utf-8")


def read_ngram(
    folder: Path, settings: Settings | None = None, device: Any = "cpu", dtype: Any = torch.float32
) -> NgramModel:
    """The model that `NgramModel.save` wrote.

    Raises:
        ModelError: for files that are damaged or incomplete.
    """
    from safetensors.numpy import load_file

    try:
        described = json.loads((folder / DESCRIPTION).read_text("utf-8"))
        arrays = load_file(folder / WEIGHTS)
        tables = [
            Table(*(arrays[f"{length}.{part}"] for part in Table.__dataclass_fields__))
            for length in range(described["lengths"])
        ]
        options = {name: int(described[name]) for name in OPTIONS}
    except Exception as problem:  # safetensors, JSON and missing keys each fail their own way
        raise ModelError(
            f"the n-gram drafter in {folder} is damaged ({type(problem).__name__}); delete the "
            "folder, then: make models"
        ) from problem
    return NgramModel(tables, settings, device=device, dtype=dtype, **options)


def _text(ids: Ids) -> bytes:
    try:
        return bytes(ids)
    except ValueError:
        last = max(place for place, token in enumerate(ids) if token >= END)
        return bytes(ids[last + 1 :])
