"""Laws as tensors: the distribution protocol of the reference, on whatever device the model is on.

`TensorDistribution` holds one row of probabilities. The algorithms of `draftproof.reference` draw,
compare and subtract it with the same lines that they use for rationals; a row never leaves its
device, and what does (the id that was drawn, the answer to a comparison) is one number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Container, Hashable, Iterator
from typing import Any

import torch

from ...reference.distribution import Distribution, DistributionError


class IndexMaps:
    """Functions and sets of ids as index tensors, made once for each function, set and device.

    Asking a Python function about every id of a vocabulary costs seconds; a pair asks the same
    few functions again and again. The ``most`` that were used last are kept.
    """

    def __init__(self, most: int = 1024) -> None:
        self._most = most
        # Beside each tensor what its key is the identity of, which must not be freed before it.
        self._made: OrderedDict[Hashable, tuple[Any, Any]] = OrderedDict()

    def image(
        self, function: Callable[[int], int], size: int, device: torch.device
    ) -> tuple[torch.Tensor, int]:
        """``function`` of every id below ``size``, and one more than the largest."""
        owner = getattr(function, "__self__", None)
        identity = (id(owner), getattr(function, "__name__", "")) if owner else (id(function), "")

        def make() -> tuple[torch.Tensor, int]:
            listed = [function(token) for token in range(size)]
            made = torch.tensor(listed, dtype=torch.long, device=device)
            return made, max(listed, default=-1) + 1

        return self._once(("image", *identity, size, str(device)), function, make)

    def ids(self, ids: Collection[int], size: int, device: torch.device) -> torch.Tensor:
        """The ids below ``size`` that are in ``ids``, in ascending order."""

        def make() -> torch.Tensor:
            listed = sorted(token for token in ids if 0 <= token < size)
            return torch.tensor(listed, dtype=torch.long, device=device)

        return self._once(("ids", id(ids), size, str(device)), ids, make)

    def kept(self, ids: Container[int], size: int, device: torch.device) -> torch.Tensor:
        """A mask of the ids below ``size`` that are in ``ids``."""

        def make() -> torch.Tensor:
            if isinstance(ids, Collection):
                mask = torch.zeros(size, dtype=torch.bool, device=device)
                mask[self.ids(ids, size, device)] = True
                return mask
            return torch.tensor([token in ids for token in range(size)], device=device)

        return self._once(("kept", id(ids), size, str(device)), ids, make)

    def _once(self, key: Hashable, held: Any, make: Callable[[], Any]) -> Any:
        if key in self._made:
            self._made.move_to_end(key)
        else:
            self._made[key] = held, make()
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        return self._made[key][1]


#: Those of this process.
MAPS = IndexMaps()


class TensorDistribution(Distribution[int]):
    """A law over ids 0 .. n - 1 as a tensor [n] of probabilities, float32 or float64.

    Sub-stochastic where the row sums to less than one. Numbers it gives are tensors without
    dimensions, on the row's device.

    Raises:
        DistributionError: where an operation would divide by no mass.
    """

    __slots__ = ("_cumulative", "row")

    def __init__(self, row: torch.Tensor) -> None:
        if row.dim() != 1:
            raise DistributionError(f"a law is a tensor of one dimension, not of {row.dim()}")
        self.row = row
        self._cumulative: torch.Tensor | None = None

    @property
    def mass(self) -> torch.Tensor:
        """The sum of all probabilities."""
        return self.row.sum()

    def __getitem__(self, outcome: int, /) -> torch.Tensor:
        if 0 <= outcome < len(self.row):
            return self.row[outcome]
        return self.row.new_zeros(())

    def __len__(self) -> int:
        return len(self.row)

    def support(self) -> Iterator[int]:
        """The ids of positive probability, in ascending order; one transfer."""
        yield from self.row.nonzero()[:, 0].tolist()

    @property
    def cumulative(self) -> torch.Tensor:
        """[n] the sums of the first 1, 2, .. probabilities, in float64; made once."""
        if self._cumulative is None:
            self._cumulative = self.row.to(torch.float64).cumsum(0)
        return self._cumulative

    def quantile(self, coin: Any) -> int:
        """The first id whose cumulative probability exceeds ``coin``; one transfer.

        Cumulative sums are in float64 whatever the row is in. Where rounding leaves their last one
        at or below the coin, the last id of positive probability is taken, never one of zero.

        Raises:
            DistributionError: for a law that holds NaN, or nothing.
        """
        cumulative = self.cumulative
        # Scaled to what the row sums to, so that no id gains what rounding left out.
        point = cumulative[-1] * float(coin)
        found = int(torch.searchsorted(cumulative, point, right=True))
        if found < len(self.row):
            return found
        if not bool(cumulative[-1] > 0):
            raise DistributionError(
                "a law holds NaN or no mass at all: the model's logits are no numbers here (try "
                "--dtype float32)"
            )
        return int(self.row.nonzero()[-1, 0])

    def mass_of(self, kept: Collection[int]) -> torch.Tensor:
        """The probability that the id is in ``kept``; summed in float64."""
        index = MAPS.ids(kept, len(self.row), self.row.device)
        return self.row[index].sum(dtype=torch.float64).to(self.row.dtype)

    def restrict(self, kept: Container[int]) -> TensorDistribution:
        """The law given that the id is in ``kept``; raises when that has no mass."""
        mask = MAPS.kept(kept, len(self.row), self.row.device)
        return _normalised(
            torch.where(mask, self.row, 0.0), "no mass is left after the restriction"
        )

    def push_forward(self, image: Callable[[int], Any]) -> TensorDistribution:
        """The law of ``image(id)``, which must be an id too; equal images add up."""
        index, size = MAPS.image(image, len(self.row), self.row.device)
        return TensorDistribution(added_up(self.row, index, size))

    def overlap(self, other: Distribution[int]) -> torch.Tensor:
        """``sum min(self, other)``."""
        return torch.minimum(*_aligned(self.row, _row(other))).sum()

    def coincidence(self, other: Distribution[int]) -> torch.Tensor:
        """``sum self * other``."""
        one, two = _aligned(self.row, _row(other))
        return (one * two).sum()

    def excess(self, other: Distribution[int], scale: Any = 1) -> torch.Tensor:
        """``sum max(0, scale * self - other)``."""
        return self._left(other, scale).sum()

    def residual(self, other: Distribution[int], scale: Any = 1) -> TensorDistribution:
        """``max(0, scale * self - other)``, normalised; over this law's ids.

        Where rounding leaves nothing of it, the law itself: an exact algorithm never asks then, and
        what asks has a rejection of a probability within rounding of zero.
        """
        left = self._left(other, scale)
        mass = left.sum()
        safe = torch.where(mass > 0, left / torch.where(mass > 0, mass, 1), self.row)
        return TensorDistribution(safe)

    def keep(self, chance_of: Callable[[int], Any]) -> TensorDistribution:
        """The sub-distribution of draws kept with probability ``chance_of(id)`` each.

        Asks about every id of positive probability: for small vocabularies.
        """
        kept = self.row.clone()
        for token in self.support():
            kept[token] *= min(1.0, max(0.0, float(chance_of(token))))
        return TensorDistribution(kept)

    def normalised(self) -> TensorDistribution:
        """The law given that there is an outcome."""
        return _normalised(self.row, "a law without mass cannot be normalised")

    def _left(self, other: Distribution[int], scale: Any) -> torch.Tensor:
        size = len(self.row)
        theirs = _row(other)[:size]
        padded = torch.nn.functional.pad(theirs, (0, size - len(theirs)))
        return (scale * self.row - padded).clamp(min=0)

    def __repr__(self) -> str:
        return f"TensorDistribution({len(self.row)} ids on {self.row.device}, {self.row.dtype})"


def added_up(row: torch.Tensor, index: torch.Tensor, size: int) -> torch.Tensor:
    """[size], each entry of ``row`` added to the one that ``index`` names; sums are in float64.

    One after the other in float32, a vocabulary's probabilities lose some 1e-4 of their sum.
    """
    sums = row.new_zeros(size, dtype=torch.float64)
    return sums.index_add_(0, index, row.double()).to(row.dtype)


def _row(law: Distribution[int]) -> torch.Tensor:
    if not isinstance(law, TensorDistribution):
        raise TypeError(f"a tensor law is compared with tensor laws, not {type(law).__name__}")
    return law.row


def _aligned(one: torch.Tensor, two: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    size = min(len(one), len(two))  # beyond it one of them is zero
    return one[:size], two[:size]


def _normalised(row: torch.Tensor, complaint: str) -> TensorDistribution:
    mass = row.sum()
    if not bool(mass > 0):
        raise DistributionError(complaint)
    return TensorDistribution(row / mass)
