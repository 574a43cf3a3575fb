"""Where torch's generators stand: their seeds carry the place.

torch's generators are C objects that code makes, seeds, saves and restores in many ways. Each of
them keeps its seed, so the place of a stream is stored there: after every modelled draw the
generator is seeded with a *marker* that stands for (stream, position). Whatever code does then
(`manual_seed`, `get_state` and `set_state`, `fork_rng`) does to the place what it would have done
to the true state. Generators are put back as they were when the path ends.
"""

from __future__ import annotations

import ctypes
from collections.abc import Hashable
from typing import Any

import torch

from .coins import Coin
from .session import Session
from .streams import Unseeded

_FIRST_MARKER = 0x6472_6166_7400_0000  # no seed that people use


class TorchStreams:
    """The places of all generators on a path.

    Attributes:
        foreign: whether a generator was used on this path that is not torch's global CPU generator.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._places: dict[int, tuple[Hashable, int]] = {}
        self._found: list[tuple[Any, torch.Tensor]] = []
        self._known: set[int] = set()
        self._scratch = torch.Generator()
        self._unseeded = Unseeded()
        self._start = torch.default_generator.get_state()
        self._undrawn = self._head(self._scratch.manual_seed(0))
        self._drawn_past = False
        self.foreign = False

    def start(self) -> None:
        """Before a path: the global generator is at the start of a stream of its own."""
        self._places.clear()
        self._drawn_past = self.foreign = False
        self._mark(torch.default_generator, (self._unseeded, 0))

    def finish(self) -> None:
        """After a path: all generators are as they were."""
        for generator, state in self._found:
            self._look_at(generator)
            generator.set_state(state)
        self._found.clear()
        self._known.clear()

    def restore(self) -> None:
        """After all paths."""
        torch.default_generator.set_state(self._start)

    def _mark(self, generator: Any, place: tuple[Hashable, int]) -> None:
        marker = _FIRST_MARKER + len(self._places)
        self._places[marker] = place
        generator.manual_seed(marker)

    def coins(self, generator: Any, device: Any, kind: Hashable, count: int) -> list[Coin]:
        """The next ``count`` variables of a generator, or of the global one of a device."""
        if generator is None:
            generator = _default(device)
        if generator is not torch.default_generator:
            self.foreign = True
            if id(generator) not in self._known:
                self._known.add(id(generator))
                self._found.append((generator, generator.get_state()))
        key, position = self._place(generator)
        self._mark(generator, (key, position + count))
        return [self._session.coin(key, position + k, kind) for k in range(count)]

    def _place(self, generator: Any) -> tuple[Hashable, int]:
        seed = generator.initial_seed()
        place = self._places.get(seed)
        if place is not None:
            self._look_at(generator)
            return place
        if generator.device.type != "cpu" or self._is_fresh(generator):
            return ("torch", generator.device.type, seed), 0
        return ("torch state", bytes(generator.get_state().tolist())), 0

    def _is_fresh(self, generator: Any) -> bool:
        """Whether nothing was really drawn since the generator was seeded."""
        self._scratch.manual_seed(generator.initial_seed())
        return torch.equal(self._scratch.get_state(), generator.get_state())

    def _head(self, generator: Any) -> bytes:
        """The part of a CPU generator's state that says how many numbers it has drawn."""
        state = generator.get_state()
        return ctypes.string_at(state.data_ptr() + 8, 16)

    def _look_at(self, generator: Any) -> None:
        """Note if somebody really drew from a generator that was seeded with a marker."""
        if generator.device.type == "cpu" and self._head(generator) != self._undrawn:
            self._drawn_past = True

    def advanced(self) -> bool:
        """Whether somebody really drew from a generator that the path has used."""
        self._look_at(torch.default_generator)
        return self._drawn_past


def _default(device: torch.device) -> Any:
    if device.type == "cpu":
        return torch.default_generator
    module = getattr(torch, device.type)
    index = device.index if device.index is not None else module.current_device()
    return module.default_generators[index]
