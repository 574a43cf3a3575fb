"""torch's random calls, answered with tensors that are not drawn yet.

Every function here takes what the call was given and gives what it returns. The kinds of variables
follow torch's CPU code, so that the same seed gives the same variables where it gives the same
numbers there: `multinomial` without replacement is a race over `exponential_` noise, for example.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from . import cells as cellwise
from .arithmetic import add, divide, multiply
from .coins import Coin
from .elements import EXPONENTIAL, Element
from .lazy import Lazy, Truth
from .races import first_race, race
from .session import Session
from .streams import drawn, exponential, inverted, uniform
from .torch_streams import TorchStreams
from .undrawn_torch import Register

MOST_INTEGERS = 10_000
#: Calls that have a model: the methods of `TorchCalls` with these names.
MODELLED = (
    *("rand", "rand_like", "uniform_", "exponential_", "bernoulli", "bernoulli_", "multinomial"),
    *("randint", "randint_like", "random_"),
)


class TorchCalls:
    """The modelled calls, by name, and the refused ones."""

    def __init__(self, session: Session, register: Register, streams: TorchStreams) -> None:
        self._session = session
        self._register = register
        self._streams = streams
        self.modelled: dict[str, Callable[..., Any]] = {
            name: getattr(self, name) for name in MODELLED
        }

    def _noise(
        self,
        into: torch.Tensor,
        kind: str,
        make: Callable[[Session, Coin, str], Any],
        generator: Any,
    ) -> Any:
        """One cell for each number of a tensor."""
        coins = self._streams.coins(generator, into.device, kind, into.numel())
        dtype = str(into.dtype).removeprefix("torch.")
        cells = [make(self._session, coin, dtype) for coin in coins]
        return cellwise.of(cells, tuple(into.shape))

    def rand(self, *size: Any, generator: Any = None, out: Any = None, **options: Any) -> Any:
        """`torch.rand`."""
        if out is not None:
            size = size or (options.pop("size"),)
            shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
            return self.uniform_(out.resize_(tuple(shape)), generator=generator)
        options.pop("names", None)
        into = torch.empty(*size, **options)
        kind = f"a uniform {into.dtype}"
        return self._register.attach(into, self._noise(into, kind, uniform, generator))

    def rand_like(self, input: torch.Tensor, *, generator: Any = None, **options: Any) -> Any:
        """`torch.rand_like`."""
        into = torch.empty_like(input, memory_format=torch.contiguous_format, **options)
        kind = f"a uniform {into.dtype}"
        return self._register.attach(into, self._noise(into, kind, uniform, generator))

    def uniform_(self, into: torch.Tensor, *bounds: float, generator: Any = None, **named: Any):
        """`Tensor.uniform_`."""
        low = bounds[0] if bounds else named.get("from", 0.0)
        high = bounds[1] if len(bounds) > 1 else named.get("to", 1.0)
        cells = self._noise(into, f"a uniform {into.dtype}", uniform, generator)
        if (low, high) != (0.0, 1.0):
            cells = cellwise._map(lambda x: add(multiply(x, high - low), low), cells)
        return self._register.assign(into, cells)

    def exponential_(self, into: torch.Tensor, lambd: float = 1.0, *, generator: Any = None):
        """`Tensor.exponential_`."""
        kind = f"{into.numel()} exponential {into.dtype}"
        cells = self._noise(into, kind, exponential, generator)
        if lambd != 1.0:
            cells = cellwise._map(lambda x: divide(x, lambd), cells)
        return self._register.assign(into, cells)

    def _heads(self, into: torch.Tensor, probabilities: Any, generator: Any) -> Any:
        """Truth values with these probabilities."""
        if isinstance(probabilities, torch.Tensor):
            self._register.settle(probabilities, "bernoulli")
            cells = self._register.numbers(probabilities.expand(into.shape))
        else:
            cells = cellwise.of([float(probabilities)] * into.numel(), tuple(into.shape))
        if any(not 0.0 <= p <= 1.0 for p in cells.flat):
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
        coins = self._noise(into, "a uniform for bernoulli", uniform, generator)
        return cellwise._map(lambda x, p: Truth(lambda: _below(x, p)), coins, cells)

    def bernoulli(
        self, input: torch.Tensor, p: Any = None, *, generator: Any = None, out: Any = None
    ) -> Any:
        """`torch.bernoulli`."""
        if out is not None:
            raise self._session.refuse("torch.bernoulli with out=")
        into = torch.empty_like(input, memory_format=torch.contiguous_format)
        cells = self._heads(into, input if p is None else p, generator)
        return self._register.attach(into, cells)

    def bernoulli_(self, into: torch.Tensor, p: Any = 0.5, *, generator: Any = None) -> Any:
        """`Tensor.bernoulli_`."""
        return self._register.assign(into, self._heads(into, p, generator))

    def multinomial(
        self,
        input: torch.Tensor,
        num_samples: int,
        replacement: bool = False,
        *,
        generator: Any = None,
        out: Any = None,
    ) -> Any:
        """`torch.multinomial`: rows are drawn when they are looked at."""
        self._register.settle(input, "torch.multinomial")
        if input.dim() not in (1, 2):
            raise RuntimeError("prob_dist must be 1 or 2 dim")
        if not input.is_floating_point():
            raise RuntimeError(
                f"multinomial only supports floating-point dtypes for input, got: {input.dtype}"
            )
        size = input.shape[-1]
        numbers = self._register.numbers(input)
        rows = [numbers.tolist()] if input.dim() == 1 else numbers.tolist()
        for row in rows:
            _check(row, 1 if replacement else num_samples)
        cells: list[Any] = []
        if replacement and num_samples > 1:
            kind = "a uniform for multinomial with replacement"
            count = num_samples * len(rows)
            coins = iter(self._streams.coins(generator, input.device, kind, count))
            for row in rows:
                for _ in range(num_samples):
                    cells.append(self._lazily(drawn, next(coins), row))
        else:
            kind = f"{input.numel()} exponential {input.dtype}"
            coins = self._streams.coins(generator, input.device, kind, input.numel())
            for number, row in enumerate(rows):
                noise = coins[number * size : (number + 1) * size]
                ranks = Lazy(lambda row=row, noise=noise: self._ranked(row, noise, num_samples))
                cells.extend(
                    Lazy(lambda k=k, ranks=ranks: ranks.decide()[k]) for k in range(num_samples)
                )
        shape = (*input.shape[:-1], num_samples)
        if out is not None:
            return self._register.assign(out.resize_(shape), cellwise.of(cells, shape))
        into = torch.empty(shape, dtype=torch.int64, device=input.device)
        return self._register.attach(into, cellwise.of(cells, shape))

    def _lazily(self, draw: Callable[..., int], coin: Coin, row: list[float]) -> Lazy:
        return Lazy(lambda: draw(self._session, coin, row))

    def _ranked(self, row: list[float], noise: list[Coin], count: int) -> list[int]:
        """The first of a row's indices in the race of E / weight."""
        self._session.operations += len(row)
        if self._session.fill is not None:
            coin = noise[0]
            return _without_replacement(self._session, coin, row, count)
        left = [k for k, weight in enumerate(row) if weight > 0.0]
        found: list[int] = []
        winner = first_race([noise[k] for k in left], [row[k] for k in left])
        if winner is not None:
            found.append(left.pop(winner))
        while len(found) < count:
            best = left[
                race([Element(noise[k], EXPONENTIAL, row[k], 0.0, -1.0) for k in left], True)
            ]
            found.append(best)
            left.remove(best)
        return found

    def _integers(self, into: torch.Tensor, low: int, high: int, generator: Any) -> Any:
        if high <= low:
            raise RuntimeError("random_ expects 'from' to be less than 'to'")
        if high - low > MOST_INTEGERS:
            raise self._session.refuse(f"an integer from torch among {high - low}")
        kind = f"an integer {into.dtype} among {high - low}"
        coins = self._streams.coins(generator, into.device, kind, into.numel())
        weights = [1.0] * (high - low)
        cells = [
            Lazy(lambda coin=coin: low + drawn(self._session, coin, weights)) for coin in coins
        ]
        return cellwise.of(cells, tuple(into.shape))

    def randint(self, *args: Any, generator: Any = None, out: Any = None, **options: Any) -> Any:
        """`torch.randint`."""
        if out is not None:
            raise self._session.refuse("torch.randint with out=")
        given = list(args)
        size = options.pop("size", None) or given.pop()
        high = options.pop("high", None)
        high = given.pop() if high is None else high
        low = options.pop("low", 0) if not given else given.pop()
        options.setdefault("dtype", torch.int64)
        into = torch.empty(tuple(size), **options)
        cells = self._integers(into, int(low), int(high), generator)
        return self._register.attach(into, cells)

    def randint_like(self, input: torch.Tensor, *bounds: Any, **options: Any) -> Any:
        """`torch.randint_like`."""
        high = options.pop("high", None)
        given = list(bounds)
        high = given.pop() if high is None else high
        low = options.pop("low", 0) if not given else given.pop()
        generator = options.pop("generator", None)
        into = torch.empty_like(input, memory_format=torch.contiguous_format, **options)
        cells = self._integers(into, int(low), int(high), generator)
        return self._register.attach(into, cells)

    def random_(self, into: torch.Tensor, *bounds: Any, generator: Any = None, **named: Any):
        """`Tensor.random_` with bounds."""
        low = named.get("from", bounds[0] if len(bounds) > 1 else 0)
        high = named.get("to", bounds[-1] if bounds else None)
        if high is None:
            raise self._session.refuse("Tensor.random_ without bounds")
        return self._register.assign(into, self._integers(into, int(low), int(high), generator))


#: Calls that always draw and have no model.
REFUSED = frozenset(
    [
        *("randn", "randn_like", "normal", "normal_", "randperm", "poisson", "binomial"),
        *("cauchy_", "log_normal_", "geometric_", "_standard_gamma", "_sample_dirichlet"),
        *("dropout_", "rrelu_", "trunc_normal_", "kaiming_uniform_", "xavier_uniform_"),
        *("gumbel_softmax",),
    ]
)


def _below(x: Any, p: float) -> bool:
    return x.below(p) if isinstance(x, Element) else x < p


def _check(row: list[float], count: int) -> None:
    """Refuse, as torch does, a row that cannot be drawn from."""
    if not all(0.0 <= weight < math.inf for weight in row):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not math.fsum(row) > 0.0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if count > len(row):
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if sum(weight > 0.0 for weight in row) < count:
        raise RuntimeError("not enough non-negative category to sample without replacement")


def _without_replacement(session: Session, coin: Coin, row: list[float], count: int) -> list[int]:
    """With all uniforms the same constant: one draw after another from what is left."""
    left = list(row)
    found: list[int] = []
    for _ in range(count):
        cumulative = [math.fsum(left[: k + 1]) for k in range(len(left))]
        taken = inverted(session, coin, cumulative)
        found.append(taken)
        left[taken] = 0.0
    return found
