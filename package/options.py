"""What several commands share: where output goes, and numbers read from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

#: Columns of a table that is not shown on a terminal.
PIPED_WIDTH = 160


def add_json(command: argparse.ArgumentParser) -> None:
    """Add ``--json FILE|-``."""
    command.add_argument(
        "--json",
        metavar="FILE",
        help="write the result as JSON; '-' puts it, alone, on standard output",
    )


def console_for(json_to: str | None) -> Console:
    """Where tables go: standard output, or standard error when that is taken by ``--json -``."""
    return console(stderr=json_to == "-")


def console(stderr: bool) -> Console:
    """A console that keeps `PIPED_WIDTH` when nobody looks at it."""
    made = _Console(stderr=stderr, emoji=False)  # names with colons are shown as they are
    return made if made.is_terminal else _Console(stderr=stderr, emoji=False, width=PIPED_WIDTH)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to the command line: exit code 1, rich's answer, says LOSSY here."""
        raise BrokenPipeError


@contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """What is being done, on a terminal's standard error; nothing when piped."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield lambda what: None
        return
    with shown.status("starting") as line:
        yield lambda what: line.update(what)


def check_writable(path: str | None) -> None:
    """Find out before long work whether its result can be written; leaves no file behind.

    Raises:
        OSError: naming the file, when it cannot be opened for writing.
    """
    if path not in (None, "-"):
        is_new = not Path(path).exists()
        with Path(path).open("a", encoding="utf-8"):
            pass
        if is_new:
            Path(path).unlink()


def write_json(value: Any, path: str | None) -> None:
    """Write ``value`` to ``path``, to standard output for "-", nowhere for None."""
    if path is None:
        return
    text = json.dumps(value, indent=2, allow_nan=False) + "\n"
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        Path(path).write_text(text, encoding="utf-8")


def at_least(bound: int) -> Callable[[str], int]:
    """A converter for whole numbers from ``bound`` on."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < bound:
            raise argparse.ArgumentTypeError(f"{value} is below {bound}")
        return value

    return number


def real(text: str) -> float:
    """A converter for finite numbers that are not negative."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number from 0 on")
    return value
