"""Several contexts in one forward pass: their tree, and who may look at whom in it.

Contexts that share a beginning are laid out as the nodes of a tree behind it, each node once. In
the pass a node sees the beginning, its ancestors and itself, at the positions that it has in its
context; so its row is that of its context alone, up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...reference.models import Ids


@dataclass(frozen=True)
class Tree:
    """Contexts laid out for one pass.

    Attributes:
        trunk: what all contexts begin with; not empty, and shorter than each of them.
        ids: the nodes behind it, parents first.
        parents: for each node the place of its parent, -1 for the trunk's end.
        depths: for each how many nodes lead to it.
        places: for each context the node that it ends with.
    """

    trunk: Ids
    ids: Ids
    parents: tuple[int, ...]
    depths: tuple[int, ...]
    places: tuple[int, ...]

    def mask(self, kept: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        """[1, 1, rows, columns] to add to scores: 0 where a row sees a column.

        Columns are all positions, the trunk's first; rows those behind the first ``kept``.
        """
        length, nodes = len(self.trunk), len(self.ids)
        among = torch.zeros(nodes, nodes, dtype=torch.bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                among[node] = among[parent]
            among[node, node] = True
        sees = torch.ones(length - kept + nodes, length + nodes, dtype=torch.bool)
        sees[: length - kept] = sees[: length - kept].tril(kept)
        sees[length - kept :, length:] = among
        added = torch.zeros(sees.shape, dtype=dtype).masked_fill(~sees, torch.finfo(dtype).min)
        return added[None, None].to(device)

    def positions(self, kept: int, device: torch.device) -> torch.Tensor:
        """[1, rows], the position of each row in its context."""
        length = len(self.trunk)
        listed = [*range(kept, length), *(length + depth for depth in self.depths)]
        return torch.tensor([listed], device=device)


#: Families whose attention goes by the mask and the positions that it is given. Others may count
#: places in the cache (ALiBi, windows of their own), or keep a running state.
FAMILIES = frozenset(
    (
        "llama",
        "mistral",
        "qwen2",
        "qwen3",
        "gpt2",
        "gptj",
        "gpt_neox",
        "gpt_bigcode",
        "opt",
        "codegen",
    )
)


def may_take_trees(configuration: Any) -> bool:
    """Whether a model with this configuration can be asked for a tree."""
    return (
        configuration.model_type in FAMILIES
        and getattr(configuration, "_attn_implementation", None) in ("sdpa", "eager")
        and set(getattr(configuration, "layer_types", None) or ()) <= {"full_attention"}
        and not getattr(configuration, "sliding_window", None)
    )


def tree_of(contexts: Sequence[Ids]) -> Tree | None:
    """The tree of ``contexts``; None where they share no beginning that is shorter than each."""
    most = min(map(len, contexts)) - 1
    shared = 0
    first, last = min(contexts), max(contexts)  # what these share is shared by all between them
    while shared < most and first[shared] == last[shared]:
        shared += 1
    if not shared:
        return None
    nodes: dict[Ids, int] = {}
    ids: list[int] = []
    parents: list[int] = []
    depths: list[int] = []
    for context in contexts:
        for end in range(shared + 1, len(context) + 1):
            beginning = context[shared:end]
            if beginning not in nodes:
                parents.append(nodes.get(beginning[:-1], -1))
                depths.append(len(beginning) - 1)
                ids.append(beginning[-1])
                nodes[beginning] = len(nodes)
    places = tuple(nodes[context[shared:]] for context in contexts)
    return Tree(contexts[0][:shared], tuple(ids), tuple(parents), tuple(depths), places)
