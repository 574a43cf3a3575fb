"""A workshop for Coq: sources in a folder, compiled in the order of their dependencies.

`statements` reads what a source states, `Workshop` compiles sources and asks Coq what a statement
rests on. Nothing is ever written beside the sources themselves.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

#: Where the proofs are; the files are installed with the package.
SOURCES = Path(__file__).resolve().parent / "coq"

#: What enables them on Debian and Ubuntu; other systems have packages of the same names.
INSTALL = "apt-get install --no-install-recommends coq libcoq-mathcomp-algebra"

NOT_INSTALLED = f"Coq with Mathematical Components is not installed: {INSTALL}"

CLOSED = "Closed under the global context"

#: The library's own quarrels, not ours.
_QUIET = "-notation-overridden,-ambiguous-paths,-redundant-canonical-projection"
_FLAGS = ("-w", _QUIET, "-time", "-Q", ".", "draftproof")
_TIMEOUT = 300  # seconds for one file; the slowest takes a few

_STATEMENT = re.compile(r"^(Theorem|Lemma|Corollary|Fact|Example)\s+(\w+)", re.MULTILINE)
_END = re.compile(r"\b(?:Qed|Defined|Admitted|Abort)\.")
_REQUIRE = re.compile(r"From draftproof Require (?:Import|Export) ([\w\s]+)\.")
_ERROR = re.compile(
    r'File "\./(\w+)\.v", line (\d+), characters \d+-\d+:\s+Error:\s*(.*)', re.DOTALL
)
_TIMING = re.compile(r"^Chars (\d+) - (\d+) \[.*\] ([0-9.]+) secs", re.MULTILINE)


class CoqError(ValueError):
    """Coq is not there, or did not do what it was asked to."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A theorem, lemma or example as the source has it.

    Attributes:
        kind: "Theorem", "Lemma", "Corollary", "Fact" or "Example".
        name: as the ledger calls it.
        file: the file's name without its ending.
        first_line: of the statement.
        last_line: of the proof.
        text: the statement, up to the proof.
        start: position of the first character in the file.
        end: position behind the proof.
    """

    kind: str
    name: str
    file: str
    first_line: int
    last_line: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that does not compile: where, and Coq's own words."""

    file: str
    line: int
    message: str


def coqc() -> str | None:
    """Coq's compiler, or None; DRAFTPROOF_COQC names another than the one on the path."""
    return shutil.which(os.environ.get("DRAFTPROOF_COQC", "coqc"))


def statements(file: str, text: str) -> tuple[Statement, ...]:
    """Everything that ``text`` states, in its order."""
    found: list[Statement] = []
    for match in _STATEMENT.finditer(text):
        end = _END.search(text, match.end())
        if end is None:
            raise CoqError(f"{file}.v: the proof of {match[2]} has no end")
        proof = text.find("Proof", match.start(), end.end())
        stated = text[match.start() : proof if proof > 0 else end.end()].strip()
        first = text.count("\n", 0, match.start()) + 1
        last = text.count("\n", 0, end.end()) + 1
        found.append(
            Statement(match[1], match[2], file, first, last, stated, match.start(), end.end())
        )
    return tuple(found)


def dependencies(text: str) -> frozenset[str]:
    """The files of ours that a file requires, without their endings."""
    return frozenset(name for names in _REQUIRE.findall(text) for name in names.split())


class Workshop:
    """A folder of sources to compile in; the texts may differ from those on disk (controls).

    Attributes:
        texts: file name, without ending, to source.
        folder: where they lie.
    """

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        if coqc() is None:
            raise CoqError(NOT_INSTALLED)
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.output: dict[str, str] = {}
        for name, text in texts.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        """Put a source into the folder."""
        self.texts[name] = text
        (self.folder / f"{name}.v").write_text(text, encoding="utf-8")

    def needed(self, names: Iterable[str]) -> dict[str, frozenset[str]]:
        """``names`` and all that they require, each with what it requires."""
        found: dict[str, frozenset[str]] = {}
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found[name] = dependencies(self.texts[name])
                todo += found[name]
        return found

    def compile_file(self, name: str) -> Failure | None:
        """Run Coq on one file whose dependencies are compiled."""
        start = time.monotonic()
        command = [coqc() or "coqc", *_FLAGS, f"{name}.v"]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Failure(name, 0, f"more than {_TIMEOUT} seconds")
        self.seconds[name] = time.monotonic() - start
        self.output[name] = done.stdout
        if done.returncode == 0:
            return None
        error = _ERROR.search(done.stderr)
        if error is None:
            return Failure(name, 0, done.stderr.strip()[-500:] or f"exit code {done.returncode}")
        return Failure(error[1], int(error[2]), " ".join(error[3].split()))

    def compile(self, names: Iterable[str], jobs: int = 2) -> tuple[Failure, ...]:
        """Compile ``names`` and what they need, ``jobs`` at a time; stops after a failure."""
        waiting = self.needed(names)
        done: set[str] = set()
        failures: list[Failure] = []
        running: dict[Future[Failure | None], str] = {}
        with ThreadPoolExecutor(jobs) as pool:
            while waiting or running:
                ready = [n for n in waiting if waiting[n] <= done] if not failures else []
                for name in ready:
                    del waiting[name]
                    running[pool.submit(self.compile_file, name)] = name
                if not running:
                    break
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    done.add(running.pop(future))
                    if (failure := future.result()) is not None:
                        failures.append(failure)
        return tuple(failures)

    def assumptions(self, asked: Iterable[Statement]) -> dict[Statement, tuple[str, ...]]:
        """What Coq says each statement rests on; an empty tuple where it says it is closed.

        All are asked about together first, which spares Coq going through what they share; one by
        one only if the answer is not that nothing is assumed.
        """
        asked = tuple(asked)
        together = " ".join(f"let _ := @{one.file}.{one.name} in" for one in asked)
        question = [f"Definition everything := {together} tt.", 'Goal True. idtac "##". Abort.']
        if self._answers(asked, [*question, "Print Assumptions everything."]) == [()]:
            return dict.fromkeys(asked, ())
        questions = [
            line
            for one in asked
            for line in (
                'Goal True. idtac "##". Abort.',
                f"Print Assumptions {one.file}.{one.name}.",
            )
        ]
        return dict(zip(asked, self._answers(asked, questions), strict=True))

    def _answers(self, asked: Iterable[Statement], questions: list[str]) -> list[tuple[str, ...]]:
        lines = ["From mathcomp Require Import all_ssreflect ssralg ssrnum."]
        lines += [
            f"From draftproof Require {file}." for file in sorted({one.file for one in asked})
        ]
        self.write("Assumptions", "\n".join([*lines, *questions]) + "\n")
        if (failure := self.compile_file("Assumptions")) is not None:
            raise CoqError(f"the assumptions could not be printed: {failure.message}")
        heading = re.compile(r"^##$", re.MULTILINE)
        answers: list[tuple[str, ...]] = []
        for part in heading.split(self.output["Assumptions"])[1:]:
            said = [line for line in part.splitlines() if line and not line.startswith("Chars ")]
            answers.append(() if said == [CLOSED] else tuple(said) or ("no answer",))
        return answers

    def spent_on(self, one: Statement) -> float:
        """Seconds that Coq reports for the sentences of a statement and its proof."""
        return sum(
            float(seconds)
            for start, end, seconds in _TIMING.findall(self.output.get(one.file, ""))
            if one.start <= int(start) and int(end) <= one.end
        )


def sources() -> dict[str, str]:
    """The proofs as they lie on disk: file name, without ending, to text."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.v"))}
