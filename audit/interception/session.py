"""The path that is being enumerated, as the fakes of random calls see it.

Fakes live in the programs that hold them, before a path and after it; `current` tells them whether
they are to answer with undrawn numbers (a `Session` is active), with constants (one with ``fill``)
or as the real call would (None).
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

from .choices import Choices, UnmodelledRandomCall
from .coins import Coin

#: Narrowest first.
DTYPES = ("float16", "bfloat16", "float32", "float64")


class Session:
    """What is known of the current path.

    Attributes:
        choices: answer what has to be decided.
        fill: None, or the constant that every uniform is (see `endpoints`).
        epoch: number of the path; generators that outlive a path go back to where they were.
        idealised: how far, in total variation, the modelled numbers may be from the written ones:
            constants below `elements.TINY` that were left out.
        operations: how many operations were seen on this path.
        narrowest: index into `DTYPES` of the narrowest dtype seen on any path, None before.
        wanted: the namespace of a module in which an undrawn number met ``float()``.
        thread: in which the paths run.
        torch: what answers torch's calls, None where torch is not loaded.
        streams: of the generators met on this path, by their address, with the generator.
    """

    def __init__(self, choices: Choices, fill: float | None = None) -> None:
        self.choices = choices
        self.fill = fill
        self.epoch = 0
        self.idealised = 0.0
        self.operations = 0
        self.narrowest: int | None = None
        self.wanted: dict[str, Any] | None = None
        self.thread = threading.get_ident()
        self.torch: Any = None
        self.streams: dict[int, tuple[Any, Any]] = {}
        self._variables: dict[Hashable, tuple[Hashable, Coin]] = {}

    def start(self, again: bool = False) -> None:
        """Forget the path before, or the run of this one that is made again."""
        self.epoch += 1
        if again:
            self.choices.start_again()
        else:
            self.choices.start()
        self.idealised = 0.0
        self.operations = 0
        self._variables.clear()
        self.streams.clear()

    def coins(self) -> list[Coin]:
        """All variables that were drawn on this path."""
        return [coin for _, coin in self._variables.values()]

    def refuse(self, call: str) -> UnmodelledRandomCall:
        """Note that ``call`` is not modelled, and give the exception to raise."""
        return self.choices.refuse(call)

    def unread(self, use: str, element: Any) -> Exception:
        """The exception for a use that is not modelled where it is, but may be once more."""
        from .conversions import caller

        self.wanted = self.wanted or caller()
        return element.refuse(use)

    def saw(self, dtype: str) -> None:
        """Note that numbers of this dtype had a part in a decision."""
        if dtype in DTYPES:
            width = DTYPES.index(dtype)
            if self.narrowest is None or width < self.narrowest:
                self.narrowest = width

    def coin(self, stream: Hashable, position: int, kind: Hashable) -> Coin:
        """The variable that a generator gives at a position of its stream.

        Raises:
            UnmodelledRandomCall: if it was drawn there before, in another way.
        """
        key = (stream, position)
        known = self._variables.get(key)
        if known is None:
            coin = Coin()
            self._variables[key] = (kind, coin)
            return coin
        if known[0] != kind:
            raise self.refuse(
                f"{kind} from a generator that is at a place where {known[0]} was drawn before"
            )
        return known[1]


_active: list[Session | None] = []


def current() -> Session | None:
    """The session of the path that is running, None outside of one.

    Raises:
        UnmodelledRandomCall: in another thread than the path's.
    """
    session = _active[-1] if _active else None
    if session is not None and threading.get_ident() != session.thread:
        raise session.refuse("a random call in another thread")
    return session


def active() -> Session:
    """The session of the path that is running.

    Raises:
        RuntimeError: outside of one: an undrawn number was kept after its path.
    """
    session = _active[-1] if _active else None
    if session is None:
        raise RuntimeError("an undrawn number was used after the path that it belongs to")
    return session


class running:  # noqa: N801 - a context manager, read as `with running(session):`
    """While entered, `current` gives this session; None, to be outside of one for a while."""

    def __init__(self, session: Session | None) -> None:
        self._session = session

    def __enter__(self) -> None:
        _active.append(self._session)

    def __exit__(self, *_: object) -> None:
        _active.pop()
