"""The machine-checked proofs: Coq compiles the files of `proofs/coq`, and says what they rest on.

`check` compiles them in a folder of its own and asks Coq for the assumptions of every theorem,
lemma and example. A proof counts only if Coq answers "Closed under the global context": no axiom,
nothing admitted. The laws of the Python algorithms are compiled with them (`coq_tie`). ``make
proofs`` runs `main`, which prints one line for each theorem.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .coq_tie import tie_files
from .coq_workshop import CoqError, Failure, Statement, Workshop, sources, statements

EXIT_NOT_PROVED = 1
EXIT_UNDECIDED = 3


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement that Coq was asked about.

    Attributes:
        statement: what was to be proved.
        closed: whether it is proved, and from nothing.
        assumptions: what Coq names instead; empty when closed.
        seconds: what Coq spent on statement and proof.
    """

    statement: Statement
    closed: bool
    assumptions: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Result:
    """What a check found; ``proved`` is True only if all files compile and all is closed."""

    checked: tuple[Checked, ...]
    failures: tuple[Failure, ...]
    seconds: float
    file_seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def proved(self) -> bool:
        """Whether every statement is proved and rests on nothing."""
        return not self.failures and bool(self.checked) and all(one.closed for one in self.checked)

    def theorem(self, name: str) -> Checked:
        """The statement called ``name`` ("File.name" where a name occurs twice).

        Raises:
            KeyError: when there is none.
        """
        for one in self.checked:
            if name in (one.statement.name, f"{one.statement.file}.{one.statement.name}"):
                return one
        raise KeyError(name)


def check(texts: Mapping[str, str] | None = None, jobs: int = 2) -> Result:
    """Compile the proofs and ask what each statement rests on.

    ``texts`` is what to compile, file name to source: by default `sources` and `tie_files`.

    Raises:
        CoqError: without Coq.
    """
    texts = {**sources(), **tie_files()} if texts is None else texts
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="draftproof-coq-") as folder:
        workshop = Workshop(Path(folder), texts)
        failures = workshop.compile(texts, jobs)
        if failures:
            return Result((), failures, time.monotonic() - start, workshop.seconds)
        stated = [one for name, text in texts.items() for one in statements(name, text)]
        rests_on = workshop.assumptions(stated)
        checked = tuple(
            Checked(one, not rests_on[one], rests_on[one], workshop.spent_on(one)) for one in stated
        )
        return Result(checked, (), time.monotonic() - start, workshop.seconds)


def checked_theorems(jobs: int = 2) -> dict[str, bool]:
    """For every theorem and example of `proofs/coq`, as "File.name", whether it is closed.

    Where a file does not compile, nothing counts as closed.

    Raises:
        CoqError: without Coq.
    """
    texts = sources()
    result = check(texts, jobs)
    closed = {one.statement for one in result.checked if one.closed}
    return {
        f"{one.file}.{one.name}": one in closed
        for file, text in texts.items()
        for one in statements(file, text)
        if one.kind in ("Theorem", "Example")
    }


def main() -> int:
    """Print every theorem with what it rests on; the exit code is 0 only if all are closed."""
    try:
        result = check()
    except CoqError as problem:
        print(problem, file=sys.stderr)
        return EXIT_UNDECIDED
    for line in report(result):
        print(line)
    return 0 if result.proved else EXIT_NOT_PROVED


def report(result: Result) -> list[str]:
    """The lines that `main` prints: theorems one by one, lemmas and examples counted."""
    lines = [f"{one.file}.v, line {one.line}: {one.message}" for one in result.failures]
    for one in result.checked:
        if one.statement.kind == "Theorem" or not one.closed:
            place = f"{one.statement.file}.v:{one.statement.first_line}"
            rests_on = (
                "closed under the global context" if one.closed else "; ".join(one.assumptions)
            )
            lines.append(f"{one.statement.name:40} {place:34} {rests_on}")
    counts = {
        kind: sum(one.statement.kind == kind for one in result.checked)
        for kind in ("Theorem", "Lemma", "Example")
    }
    closed = "all closed" if result.proved else "NOT all closed"
    lines.append(
        f"{counts['Theorem']} theorems, {counts['Lemma']} lemmas, {counts['Example']} examples: "
        f"{closed}, in {result.seconds:.0f} s"
    )
    return lines


if __name__ == "__main__":
    sys.exit(main())
