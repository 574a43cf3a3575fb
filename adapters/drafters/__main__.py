"""``python -m draftproof.adapters.drafters``: everything that `make models` makes.

Fetches SmolLM2 and converts it, and trains the drafters, two at a time with a thread each. What is
there already is skipped.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from .one import TARGET, made, shares

USAGE = "usage: python -m draftproof.adapters.drafters [NAME ...]"
#: In this order, so that the longest begin first. What needs the target's tokenizer waits for it.
NAMES = ("drafter-bpe", TARGET, "drafter-bytes", "drafter-ngram", "drafter-shared")


def main(arguments: Sequence[str] = ()) -> int:
    """Make what is named, or everything; the exit code, 2 where something could not be made."""
    unknown = [name for name in arguments if name not in NAMES]
    if unknown:
        help_asked = unknown[0] in ("-h", "--help")
        names = f"{USAGE}; names: {', '.join(NAMES)}"
        print(names if help_asked else f"{unknown[0]} is no name of a model; {names}",
              file=sys.stdout if help_asked else sys.stderr)  # fmt: skip
        return 0 if help_asked else 2
    wanted = [name for name in NAMES if not arguments or name in arguments]
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes: two trainings share two cores
    context = multiprocessing.get_context("spawn")
    troubles: list[str] = []
    with ProcessPoolExecutor(min(2, len(wanted)), mp_context=context) as pool:
        running = {name: pool.submit(made, name) for name in wanted if not shares(name)}
        if TARGET in running:
            troubles += _outcome(TARGET, running.pop(TARGET))
        with contextlib.suppress(BrokenProcessPool):  # then those that run say so
            running |= {name: pool.submit(made, name) for name in wanted if shares(name)}
        for name, one in running.items():
            troubles += _outcome(name, one)
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 2 if troubles else 0


def _outcome(name: str, one: Future[str | None]) -> list[str]:
    try:
        trouble = one.result()
    except BrokenProcessPool:
        return [f"{name}: its process was ended, perhaps for want of memory"]
    return [] if trouble is None else [trouble]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
