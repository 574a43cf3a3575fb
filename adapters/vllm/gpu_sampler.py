"""The rejection sampler of vLLM's GPU model runner, as kernels of the audit.

What is called is ``rejection_sample`` of ``vllm/v1/worker/gpu/spec_decode/rejection_sampler_utils``
(0.32.0 and 0.27.1; a chain of five or six Triton kernels), as ``RejectionSampler._verify`` of
``rejection_sampler.py`` calls it:

- ``target_logits`` [rows, V]: float32, one row for every draft and one for the bonus token;
- ``draft_logits`` [requests, K, V], before temperature, or None: then drafts count as certain;
- ``draft_sampled`` [rows]: the id that each row was computed from, so a draft sits one row late;
- ``pos`` [rows]: the position of that id in the request, which keys the random numbers;
- ``idx_mapping`` and its kin: which slot of temperatures, seeds and draft logits a request has.

Drafts are drawn by ``gumbel_sample`` of ``vllm/v1/worker/gpu/sample/gumbel.py``, called as
``sample_draft`` of ``speculator.py`` does: at the position of the id *before* the one drawn. In
0.27.1 that is written ``positions + 1``, the speculator's positions trailing the target's by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from .coins import Coins, CoinSource, drawing
from .loading import Patch, Tree, load

GUMBEL = "vllm.v1.worker.gpu.sample.gumbel"
UTILITIES = "vllm.v1.worker.gpu.spec_decode.rejection_sampler_utils"
STRUCTURED = "vllm.v1.worker.gpu.structured_outputs"
#: A request's seed and the position of its last token, where nothing depends on which.
SEED, POSITION = 11, 7


@dataclass(frozen=True)
class Request:
    """One row of a batch.

    Attributes:
        target: [K+1, V] probabilities.
        drafter: [K, V] probabilities, None for drafts that count as certain.
        drafts: K ids; -1 for a place that holds none.
        seed: of the request.
        position: of its last token.
        temperature: 0 for greedy.
    """

    target: Any
    drafter: Any
    drafts: tuple[int, ...]
    seed: int = SEED
    position: int = POSITION
    temperature: float = 1.0


class GpuSampler:
    """A release's sampler, loaded; `patches` make a faulty copy of it.

    Args:
        tree: the release.
        block: block verification instead of the standard rule.
        patches: replacements in the text of its modules.
        interpreter: kernels run in Triton's interpreter instead of `language`.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        block: bool = False,
        patches: dict[str, list[Patch]] | None = None,
        interpreter: bool = False,
    ) -> None:
        self.version = tree.version
        self.block = block
        self._tree = tree
        self._structured: Any = None
        self.modules: dict[str, ModuleType] = load(
            tree, [GUMBEL, UTILITIES], patches=patches, interpreter=interpreter
        )

    def verify(self, requests: Sequence[Request], source: CoinSource) -> list[list[int]]:
        """The ids that each request keeps, final one included.

        All requests have probabilities of drafts or none has, as in the engine. Slots are given
        out in reverse, so that a mix-up of rows and slots shows.
        """
        import torch

        count, steps = len(requests), max(len(r.drafts) for r in requests)
        slots = list(range(count))[::-1]
        rows = [len(r.drafts) + 1 for r in requests]
        target = torch.cat([logits(r.target) for r in requests])
        size = target.shape[1]
        temperature, seeds = torch.ones(count), torch.zeros(count, dtype=torch.int64)
        draft_logits = None
        if requests[0].drafter is not None:
            draft_logits = torch.zeros(count, max(steps, 1), size)
        for slot, r in zip(slots, requests, strict=True):
            temperature[slot], seeds[slot] = r.temperature, r.seed
            if draft_logits is not None and r.drafts:
                draft_logits[slot, : len(r.drafts)] = logits(r.drafter) * (r.temperature or 1.0)
        with drawing(self.modules, source), np.errstate(all="ignore"):
            sampled, number = self.modules[UTILITIES].rejection_sample(
                target,
                draft_logits,
                _ints([i for r in requests for i in (0, *r.drafts)]),
                _ints([0, *np.cumsum(rows)]),
                torch.tensor([r.position + i for r in requests for i in range(len(r.drafts) + 1)]),
                _ints(slots),
                _ints([s for s, n in zip(slots, rows, strict=True) for _ in range(n)]),
                _ints([i for n in rows for i in range(n)]),
                temperature,
                seeds,
                max(steps, 1),
                use_block_verification=self.block,
            )
        kept = zip(sampled.tolist(), number.tolist(), strict=True)
        return [ids[:length] for ids, length in kept]

    def marked(self, target_rows: Any, drafts: tuple[int, ...]) -> tuple[int, ...]:
        """What structured outputs leave of ``drafts``: -1 from the first excluded one on.

        As the engine does it: the scheduler cuts the drafts at the first that the grammar excludes
        (``validate_tokens``) and says how many are left; ``grammar_invalid_drafts`` turns that into
        rows, and ``RejectionSampler.__call__`` fills -1 in. The row of the first excluded draft is
        still the grammar's.
        """
        import torch

        if self._structured is None:
            self._structured = load(self._tree, [STRUCTURED])[STRUCTURED]
        valid = next((n for n, i in enumerate(drafts) if target_rows[n][i] == 0), len(drafts))
        rows = len(drafts) + 1
        batch = SimpleNamespace(
            req_ids=["request"],
            num_reqs=1,
            num_draft_tokens=len(drafts),
            num_draft_tokens_per_req=np.array([len(drafts)]),
            expanded_local_pos=torch.arange(rows),
            cu_num_logits=torch.tensor([0, rows]),
        )
        invalid = self._structured.grammar_invalid_drafts(batch, ["request"], [valid])
        drawn = torch.tensor([0, *drafts])
        return tuple((drawn if invalid is None else drawn.masked_fill(invalid, -1)).tolist()[1:])

    def draft(
        self, row: Any, source: CoinSource, seed: int = SEED, position: int = POSITION
    ) -> int:
        """A draft drawn from ``row``, as the release's speculators draw it."""
        import torch

        gumbel_sample = self.modules[GUMBEL].gumbel_sample
        named = gumbel_sample.__code__.co_varnames[: gumbel_sample.__code__.co_argcount]
        drafting = {"is_drafting": True} if "is_drafting" in named else {}
        with drawing(self.modules, source), np.errstate(all="ignore"):
            drawn = gumbel_sample(
                logits([row]),
                _ints([0]),
                torch.ones(1),
                torch.tensor([seed]),
                torch.tensor([position]),
                apply_temperature=True,
                **drafting,
            )
        return int(drawn[0])


def marks_drafts(tree: Tree) -> bool:
    """Whether the release marks drafts that a grammar excludes before it verifies them."""
    name = "def grammar_invalid_drafts("
    return tree.has(STRUCTURED) and name in tree.path(STRUCTURED).read_text(encoding="utf-8")


def logits(rows: Any) -> Any:
    """float32 logits [n, V] of probability rows; minus infinity for 0."""
    import torch

    numbers = np.asarray(rows, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return torch.from_numpy(np.log(numbers).astype(np.float32))


def _ints(numbers: Any) -> Any:
    import torch

    return torch.tensor([int(n) for n in numbers], dtype=torch.int32)


Kernel = Callable[[Any, Any, Any, Any], list[int]]


def verifying(sampler: GpuSampler, *, certain: bool = False, grammar: bool = False) -> Kernel:
    """`kernel` subject: one request, its drafts given.

    Args:
        certain: the sampler is not told the drafter's probabilities, so drafts count as certain
            (greedy drafters and n-grams); the audit must then draw from one-hot rows.
        grammar: as with structured outputs: zeros of the target's rows are what a grammar excludes,
            and drafts are marked as `GpuSampler.marked` does before they are verified.
    """

    def kernel(target_rows: Any, draft_rows: Any, drafts: Any, coins: Any) -> list[int]:
        ids = tuple(int(i) for i in drafts)
        if grammar:
            ids = sampler.marked(target_rows, ids)
        request = Request(target_rows, None if certain else draft_rows, ids)
        source = Coins(coins["accept"], coins["noise"])
        return sampler.verify([request], source)[0]

    return declared(kernel, (("accept", "K", "uniform"), ("noise", (1, "V"), "exponential")))


def declared(kernel: Kernel, coins: Sequence[tuple[str, Any, str]]) -> Any:
    """``kernel`` as the audit takes it: NumPy rows, its coins declared, results remembered.

    Kernels are float32 inside: coins are rounded to it here, so that probing between two float32
    numbers costs no call.
    """
    seen: dict[Any, tuple[tuple[Any, ...], list[int]]] = {}

    def remembering(target_rows: Any, draft_rows: Any, drafts: Any, coins: Any) -> list[int]:
        rounded = {name: np.asarray(c, dtype=np.float32) for name, c in coins.items()}
        rows = (np.asarray(target_rows).tobytes(), np.asarray(draft_rows).tobytes())
        key = (*rows, tuple(int(i) for i in drafts), *(c.tobytes() for c in rounded.values()))
        if key not in seen:
            arguments = (target_rows, draft_rows, drafts, rounded)
            seen[key] = arguments, kernel(*arguments)
        return list(seen[key][1])

    remembering.array = "numpy"  # type: ignore[attr-defined]
    remembering.coins = list(coins)  # type: ignore[attr-defined]
    remembering.seen = seen  # type: ignore[attr-defined]
    return remembering
