"""Negative controls for the machine-checked proofs: mutations with which Coq must refuse a proof.

A proof that still checks when its theorem is made false, or when the algorithm it speaks of is
broken, shows nothing. Each `Control` changes one text, in the statement of a theorem or in a
definition of its file, and names the theorem whose *proof* must then fail. An error elsewhere, or
in reading the mutated text, does not count. `refuted_examples` does the same for what is computed.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from .coq_mutations import DEFINITIONS, STATEMENTS
from .coq_workshop import CoqError, Failure, Statement, Workshop, sources, statements

#: Errors of reading, not of proving: with these a mutation is no control at all.
_UNREADABLE = ("Syntax error", "was not found in the current environment", "Lexer error")


@dataclass(frozen=True, slots=True)
class Control:
    """One mutation.

    Attributes:
        theorem: "File.name": whose proof must fail.
        original: a text that occurs once, in the statement of the theorem or in a definition.
        mutated: what it becomes.
        in_statement: where ``original`` is looked for.
    """

    theorem: str
    original: str
    mutated: str
    in_statement: bool = True

    @property
    def file(self) -> str:
        """The file's name without its ending."""
        return self.theorem.partition(".")[0]

    @property
    def name(self) -> str:
        """What tests call it."""
        return f"{self.theorem}: {self.original} -> {self.mutated}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a control; ``refused`` is True if the right proof failed."""

    control: Control
    refused: bool
    said: str


CONTROLS: tuple[Control, ...] = (
    *(Control(theorem, before, after) for theorem, before, after in STATEMENTS),
    *(Control(theorem, before, after, False) for theorem, before, after in DEFINITIONS),
)


def uncontrolled(texts: Mapping[str, str], controls: Iterable[Control] = CONTROLS) -> list[str]:
    """The theorems that no control is about; lemmas serve theorems, examples are refuted apart."""
    controlled = {control.theorem for control in controls}
    names = (
        f"{one.file}.{one.name}"
        for file, text in texts.items()
        for one in statements(file, text)
        if one.kind == "Theorem"
    )
    return [name for name in names if name not in controlled]


def mutate(control: Control, text: str) -> tuple[str, Statement]:
    """The file as mutated, up to the end of the theorem's proof, and the theorem in it.

    Raises:
        CoqError: when the theorem or the text to change is not there, or there more than once.
    """
    _, _, name = control.theorem.partition(".")
    found = [one for one in statements(control.file, text) if one.name == name]
    if len(found) != 1:
        raise CoqError(f"{control.file}.v has {len(found)} statements called {name}")
    (theorem,) = found
    place = theorem.text if control.in_statement else text[: theorem.start]
    if place.count(control.original) != 1:
        raise CoqError(f"{control.name}: the text occurs {place.count(control.original)} times")
    changed = place.replace(control.original, control.mutated)
    behind = (
        text[theorem.start + len(theorem.text) :] if control.in_statement else text[theorem.start :]
    )
    before = text[: theorem.start] if control.in_statement else ""
    whole = before + changed + behind
    mutated = next(one for one in statements(control.file, whole) if one.name == name)
    return _closed(whole[: mutated.end]), mutated


def _closed(text: str) -> str:
    """``text`` with the sections that it leaves open closed, so that a proof is all it can lack."""
    opened: list[str] = []
    for verb, name in re.findall(r"^(Section|End) (\w+)\.", text, re.MULTILINE):
        if verb == "Section":
            opened.append(name)
        else:
            opened.remove(name)
    return "\n".join([text, *(f"End {name}." for name in reversed(opened)), ""])


def judge(control: Control, theorem: Statement, failure: Failure | None) -> Outcome:
    """Whether Coq refused the theorem's proof, and nothing else."""
    if failure is None:
        return Outcome(control, False, "Coq accepts the mutated file")
    said = f"{failure.file}.v, line {failure.line}: {failure.message}"
    if any(words in failure.message for words in _UNREADABLE):
        return Outcome(control, False, f"the mutation cannot be read: {said}")
    proof = theorem.first_line + theorem.text.count("\n")
    here = failure.file == theorem.file and proof <= failure.line <= theorem.last_line
    return Outcome(control, here, said if here else f"not in the proof of {theorem.name}: {said}")


def run_controls(
    controls: Sequence[Control] = CONTROLS, texts: Mapping[str, str] | None = None, jobs: int = 2
) -> tuple[Outcome, ...]:
    """Compile the proofs once, then every mutated file against them.

    Raises:
        CoqError: without Coq, or when the unmutated proofs do not compile.
    """
    texts = sources() if texts is None else texts
    with tempfile.TemporaryDirectory(prefix="draftproof-controls-") as folder:
        compiled = Path(folder) / "compiled"
        compiled.mkdir()
        workshop = Workshop(compiled, texts)
        failures = workshop.compile({control.file for control in controls}, jobs)
        if failures:
            raise CoqError(f"{failures[0].file}.v does not compile: {failures[0].message}")

        def run(numbered: tuple[int, Control]) -> Outcome:
            number, control = numbered
            mutated, theorem = mutate(control, texts[control.file])
            own = Path(folder) / f"control{number}"
            copytree(compiled, own, copy_function=_link)
            (own / f"{control.file}.vo").unlink()
            (own / f"{control.file}.v").unlink()
            room = Workshop(own, {control.file: mutated})
            return judge(control, theorem, room.compile_file(control.file))

        with ThreadPoolExecutor(jobs) as pool:
            return tuple(pool.map(run, enumerate(controls)))


def refuted_examples(texts: Mapping[str, str]) -> dict[str, str]:
    """Files in which every example of ``texts`` is denied, and Coq is told that it will fail.

    Each example computes a boolean; its denial must not compute to true.
    """
    denied: dict[str, str] = {}
    for file, text in texts.items():
        examples = [one for one in statements(file, text) if one.kind == "Example"]
        if not examples:
            continue
        lines = [line for line in text.splitlines() if line.startswith("From ")]
        lines += [f"From draftproof Require Import {file}."]
        lines += ["Import Order.TTheory GRing.Theory Num.Theory.", "Local Open Scope ring_scope."]
        for one in examples:
            stated = one.text.partition(":")[2].strip().removesuffix(".")
            lines += [f"Goal ~~ ({stated}).", "Proof. Fail by vm_compute. Abort."]
        denied[f"Denied{file}"] = "\n".join(lines) + "\n"
    return denied


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)
