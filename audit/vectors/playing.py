"""Running a subject many times under one interception: at given coins, or in all ways.

What is set up by `intercepted` takes longer than a small law does; here it is done once for a
subject, and the vectors go by inside. Not for laws of torch subjects: see `Alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..interception import enumerate_law
from ..interception.choices import Choices
from ..interception.patching import Watch, intercepted
from ..interception.session import Session

#: Paths of one law: more than this, and a vector is left to a proper audit.
MOST_PATHS = 200
#: Mass that is not worth another path: a rejection loop has infinitely many.
MASS_FLOOR = 1e-12


class NoLawError(RuntimeError):
    """A law could not be found; the message says why."""


class OutOfCoinsError(BaseException):
    """The subject asked for more coins than the vector has for it; not to be caught by it."""


class Played(Session):
    """A session whose uniform numbers may be given, in the order in which they are drawn.

    Coins of a stream that is read again at the same place are the same ones.
    """

    def __init__(self) -> None:
        super().__init__(Choices())
        self._tape: Iterator[float] | None = None
        self._known: dict[Hashable, float] = {}

    def play(self, coins: Sequence[float] | None) -> None:
        """Start again, with these numbers; None to enumerate."""
        self.start()
        self.fill = None
        self._tape = None if coins is None else iter(coins)
        self._known.clear()

    def coin(self, stream: Hashable, position: int, kind: Hashable) -> Any:
        """The next number, which becomes what uniforms are; undrawn without numbers to play."""
        if self._tape is None:
            return super().coin(stream, position, kind)
        key = (stream, position)
        if key not in self._known:
            try:
                self._known[key] = next(self._tape)
            except StopIteration:
                raise OutOfCoinsError from None
        self.fill = self._known[key]
        return super().coin(stream, position, kind)


class Alone:
    """Enumerates each program under an interception of its own.

    What is known of a torch tensor is kept by the address of its memory, which the next vector's
    tensors may be given.
    """

    def law(self, run: Callable[[], Any]) -> dict[Any, float]:
        """The exact law of what ``run`` returns.

        Raises:
            NoLawError: when a path raises, there are too many, or a call is not modelled.
        """
        found = enumerate_law(run, max_paths=MOST_PATHS)
        if found.reason is not None:
            raise NoLawError(found.reason)
        if found.errors:
            raise NoLawError(f"it raises {next(iter(found.errors))}")
        return found.law


class Player:
    """Runs programs at given coins, or enumerates them; see `player`."""

    def __init__(self, session: Played, watch: Watch) -> None:
        self._session = session
        self._watch = watch

    def play(self, coins: Sequence[float], run: Callable[[], Any]) -> Any:
        """What ``run`` returns when the uniform numbers it draws are these.

        Raises:
            OutOfCoinsError: for more draws than coins.
            UnmodelledRandomCall: for a random call that is not modelled.
        """
        session = self._session
        session.choices = Choices()
        session.play(coins)
        with self._watch.path(with_backstop=False):
            outcome = run()
        self._check()
        return outcome

    def law(self, run: Callable[[], Any]) -> dict[Any, float]:
        """The exact law of what ``run`` returns.

        Raises:
            NoLawError: when a path raises, there are too many, or a call is not modelled.
        """
        session = self._session
        session.play(None)
        choices = session.choices = Choices(floor=MASS_FLOOR * 1e-3)
        found: dict[Any, float] = {}
        for path in range(MOST_PATHS):
            session.start()
            with self._watch.path(with_backstop=False):
                try:
                    outcome = run()
                except Exception as raised:
                    self._check()
                    line = " ".join(str(raised).split())
                    raise NoLawError(f"it raises {type(raised).__name__}: {line[:100]}") from None
            choices.end()
            self._check()
            choices.finish()
            found[outcome] = found.get(outcome, 0.0) + choices.mass
            if choices.is_explored(MASS_FLOOR, path % 64 == 63) or not choices.advance():
                return found
        raise NoLawError(f"it has more than {MOST_PATHS:,} paths")

    def _check(self) -> None:
        if self._session.choices.refusals:
            raise NoLawError(self._session.choices.refusals[0])


@contextmanager
def player(program: Callable[..., Any]) -> Iterator[Player]:
    """While entered, random calls are answered; ``program`` is what will be run.

    Generators that it keeps are found through it.
    """
    session = Played()
    with intercepted(session, program) as watch:
        yield Player(session, watch)
