"""The rejection sampler of vLLM's first engine, v1's default, as kernels of the audit.

What is called is ``RejectionSampler.forward`` of ``vllm/v1/sample/rejection_sampler.py``, whole: it
draws the bonus token with ``Sampler`` (``sampler.py``, with the torch path of
``ops/topk_topp_sampler.py``), applies temperature, and runs its own three Triton kernels on random
numbers that torch draws: ``torch.rand`` for acceptances (one for every draft of the batch), a row
of ``exponential_()`` a request for the token after a rejection, and another for the bonus token.
Those three calls are given coins here, in the order in which they are made: that of the bonus
token comes first. ``GPUModelRunner`` builds the metadata as `_metadata` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from .gpu_sampler import Kernel, Request, declared, logits
from .loading import LoadError, Patch, Tree, load

SAMPLER = "vllm.v1.sample.rejection_sampler"
_NEEDED = (
    *("vllm.v1.outputs", "vllm.v1.sample.metadata", "vllm.v1.spec_decode.metadata"),
    *("vllm.v1.sample.ops.topk_topp_sampler", "vllm.v1.sample.sampler"),
    "vllm.model_executor.warmup.jit_warmup",
    "vllm.model_executor.warmup.jit_warmup_triton_helper",
)


class EngineSampler:
    """A release's `RejectionSampler` with its `Sampler`; ``patches`` make a faulty copy."""

    def __init__(
        self,
        tree: Tree,
        *,
        patches: dict[str, list[Patch]] | None = None,
        interpreter: bool = False,
    ) -> None:
        self.version = tree.version
        needed = [name for name in _NEEDED if tree.has(name)]
        self.modules: dict[str, ModuleType] = load(
            tree, [*needed, SAMPLER], patches=patches, interpreter=interpreter
        )
        sampler = self.modules["vllm.v1.sample.sampler"].Sampler()
        try:
            self._forward = self.modules[SAMPLER].RejectionSampler(sampler)
        except TypeError as raised:
            raise LoadError(f"RejectionSampler of vllm {tree.version}: {raised}") from None

    def verify(
        self, requests: Sequence[Request], accept: Any, recovered: Any, bonus: Any
    ) -> list[list[int]]:
        """The ids that each request keeps.

        Args:
            requests: as in `draftproof.adapters.vllm.gpu_sampler`.
            accept: a coin for every draft of the batch, in order.
            recovered: exponential noise, a row a request.
            bonus: exponential noise, a row a request.
        """
        import torch

        rows = torch.cat([logits(r.target) for r in requests])
        drafts = [list(r.drafts) for r in requests]
        probabilities = None
        if requests[0].drafter is not None:
            laws = [np.asarray(r.drafter, dtype=np.float32).reshape(len(r.drafts), -1)
                    for r in requests if r.drafts]  # fmt: skip
            probabilities = torch.from_numpy(np.concatenate(laws)) if laws else None
        with _torch_draws(accept, [bonus, recovered]):
            output = self._forward(
                self._layout(drafts), probabilities, rows, self._metadata(requests)
            )
        ids, _ = self._forward.parse_output(output.sampled_token_ids, rows.shape[1])
        return [list(map(int, row)) for row in ids]

    def _layout(self, drafts: list[list[int]]) -> Any:
        """Where drafts and bonus rows lie, as ``_calc_spec_decode_metadata`` of the runner says."""
        import torch

        made = self.modules["vllm.v1.spec_decode.metadata"].SpecDecodeMetadata.make_dummy(
            drafts, torch.device("cpu")
        )
        ends = np.cumsum([len(d) + 1 for d in drafts]) - 1
        all_rows = np.arange(int(ends[-1]) + 1)
        made.bonus_logits_indices = torch.from_numpy(ends)
        made.target_logits_indices = torch.from_numpy(np.setdiff1d(all_rows, ends))
        return made

    def _metadata(self, requests: Sequence[Request]) -> Any:
        import torch

        temperature = torch.tensor([r.temperature for r in requests])
        greedy = [r.temperature == 0 for r in requests]
        nothing = torch.empty(0)
        return self.modules["vllm.v1.sample.metadata"].SamplingMetadata(
            temperature=None if all(greedy) else temperature,
            all_greedy=all(greedy),
            all_random=not any(greedy),
            top_p=None,
            top_k=None,
            generators={},
            max_num_logprobs=None,
            no_penalties=True,
            prompt_token_ids=None,
            frequency_penalties=nothing,
            presence_penalties=nothing,
            repetition_penalties=nothing,
            output_token_ids=[[] for _ in requests],
            allowed_token_ids_mask=None,
            bad_words_token_ids={},
            logitsprocs=SimpleNamespace(argmax_invariant=[], non_argmax_invariant=[]),
        )


@contextmanager
def _torch_draws(accept: Any, rows: Sequence[Any]) -> Iterator[None]:
    """``torch.rand`` gives ``accept``, calls of ``exponential_`` one of ``rows`` after another."""
    import torch

    waiting = [np.asarray(row, dtype=np.float32) for row in rows]
    saved = torch.rand, torch.Tensor.exponential_

    def rand(*size: Any, dtype: Any = None, device: Any = None, **rest: Any) -> Any:
        del device, rest
        shape = tuple(size[0]) if size and not isinstance(size[0], int) else tuple(size)
        return torch.tensor(np.asarray(accept).reshape(shape), dtype=dtype or torch.float32)

    def exponential(self: Any, lambd: float = 1.0, *, generator: Any = None) -> Any:
        if lambd != 1.0 or generator is not None:
            raise RuntimeError("the engine drew noise in a way that is not modelled")
        row = waiting.pop(0)
        return self.copy_(torch.from_numpy(row.reshape(tuple(self.shape))))

    torch.rand, torch.Tensor.exponential_ = rand, exponential  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.rand, torch.Tensor.exponential_ = saved  # type: ignore[assignment]


def verifying(sampler: EngineSampler, *, certain: bool = False) -> Kernel:
    """`kernel` subject: one request; ``certain`` hides the drafter's probabilities from it."""

    def kernel(target_rows: Any, draft_rows: Any, drafts: Any, coins: Any) -> list[int]:
        request = Request(
            target_rows, None if certain else draft_rows, tuple(int(i) for i in drafts)
        )
        return sampler.verify([request], coins["accept"], coins["recovered"], coins["bonus"])[0]

    noise = (1, "V")
    return declared(
        kernel,
        (
            ("accept", "K", "uniform"),
            ("recovered", noise, "exponential"),
            ("bonus", noise, "exponential"),
        ),
    )
