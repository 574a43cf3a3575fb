"""``draftproof vectors``: test vectors as files, for implementations in any language."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import add_json, check_writable, console
from .vectors_output import print_faults, print_list, print_vectors, try_subject

if TYPE_CHECKING:
    from draftproof.audit.vectors.kills import Progress

DESCRIPTION = """\
Write the test vectors: what an implementation must give for given inputs, as JSON (and three kinds
also as words on lines), with a JSON Schema for each kind. Probabilities are exact fractions and the
nearest float64s. The files are the same on every machine; docs/vectors.md explains them, and
readers/ holds examples in Python, C++ and JavaScript.

With --try, a Python callable is run on the vectors instead: on the laws over drawn drafts, which
every lossless decoder passes, and, when --kind coin is given, on the coins of the standard rule.
"""

EXAMPLES = """\
examples:
  draftproof vectors --out vectors      every file, into that folder
  draftproof vectors --list             the kinds; with --kind, each vector
  draftproof vectors --show coin-two-left-accept-1-threshold-low-float64
  draftproof vectors --check            the files installed are what this version writes
  draftproof vectors --faults           which vectors see which fault of the bank
  draftproof vectors --kills            the table of faults and vectors anew (minutes)
  draftproof vectors --try my_rule.py:verify --as rule
  draftproof vectors --try my_kernel.py:verify --as kernel --kind law --kind coin

exit codes: 0 done, the same, or nothing failed; 1 files differ, or a vector failed; 2 bad input;
3 no vector could be decided
"""

#: Made by trying the bank on the vectors; everything else in the folder takes seconds.
KILLS = "kills.json"


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "vectors",
        help="test vectors for implementations in any language",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--out", metavar="FOLDER", help="where to write; vectors unless given")
    command.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="this kind only; may be repeated",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="write nothing; compare byte for byte with FOLDER, the installed files unless given",
    )
    command.add_argument("--list", action="store_true", help="list what there is")
    command.add_argument(
        "--show", action="append", default=[], metavar="ID", help="print this vector"
    )
    command.add_argument(
        "--faults", action="store_true", help="print the table of the bank's faults by kind"
    )
    command.add_argument(
        "--kills", action="store_true", help="make the kill table anew; needs NumPy and torch"
    )
    command.add_argument("--try", dest="subject", metavar="SUBJECT", help="try a Python callable")
    command.add_argument("--as", dest="subject_kind", metavar="KIND", help="what SUBJECT is")
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write, compare, list or try."""
    from draftproof.audit.vectors.files import KINDS, vectors

    for kind in options.kind:
        if kind not in KINDS:
            vectors(kind)  # says what there is
    modes = [m for m in ("check", "list", "show", "faults", "subject") if getattr(options, m)]
    if len(modes) > 1:
        raise ValueError("--check, --list, --show, --faults and --try exclude one another")
    if options.json and modes not in (["list"], ["faults"], ["subject"]):
        raise ValueError("--json goes with --list, --faults or --try")
    if options.subject_kind and not options.subject:
        raise ValueError("--as goes with --try")
    check_writable(options.json)
    if options.list:
        return print_list(options)
    if options.show:
        return print_vectors(options.show)
    if options.faults:
        return print_faults(options, installed() / KILLS)
    if options.subject:
        return try_subject(options)
    files = _files(options)
    return _check(options, files) if options.check else _write(options, files)


def installed() -> Path:
    """The folder of the vectors that are installed."""
    return Path(str(resources.files("draftproof.vectors")))


def _files(options: argparse.Namespace) -> dict[str, str]:
    from draftproof.audit.vectors.files import KINDS, vector_files

    kinds = list(dict.fromkeys(options.kind)) or list(KINDS)
    files = vector_files(kinds)
    if options.kills:
        files[KILLS] = _kill_file()
    return files


def _kill_file() -> str:
    from draftproof.audit.bank import BANK
    from draftproof.audit.vectors.kills import can_run, kill_file, kill_table

    lacking = [entry.id for entry in BANK.values() if not can_run(entry)]
    if lacking:
        raise ValueError(
            f"the kill table needs NumPy and torch: {len(lacking)} entries of the bank cannot run, "
            f"{lacking[0]} for one"
        )
    with _progress() as progress:
        return kill_file(kill_table(progress=progress))


def _write(options: argparse.Namespace, files: dict[str, str]) -> int:
    folder = Path(options.out or "vectors")
    own = installed()
    copied = {}
    if not options.kind and not (folder.exists() and folder.samefile(own)):
        copied = {
            path.relative_to(own).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted([*own.glob("readers/reader.*"), own / KILLS])
            if path.is_file()
        }
    for name, text in (copied | files).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    size = sum(len(text.encode()) for text in files.values())
    console(stderr=False).print(
        f"{len(files)} files, {size / 1e6:.1f} MB, in {folder}", highlight=False, markup=False
    )
    return 0


def _check(options: argparse.Namespace, files: dict[str, str]) -> int:
    folder = Path(options.out) if options.out else installed()
    shown = console(stderr=False)
    wrong: list[str] = []
    for name, text in files.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{name} is missing")
        elif path.read_bytes() != text.encode():
            wrong.append(f"{name} differs")
    if not options.kind:
        made = {*files, KILLS}
        found = [*folder.glob("*.json"), *folder.glob("*.txt"), *folder.glob("schemas/*.json")]
        names = sorted(path.relative_to(folder).as_posix() for path in found)
        wrong += [f"{name} is not written by this version" for name in names if name not in made]
    for line in wrong:
        shown.print(line, highlight=False, markup=False)
    shown.print(
        f"{len(files)} files compared: {f'{len(wrong)} wrong' if wrong else 'all the same'}",
        highlight=False,
    )
    return 1 if wrong else 0


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A line on a terminal's standard error; nothing when piped."""
    shown = console(stderr=True)
    if not shown.is_terminal:
        yield None
        return
    with shown.status("kill table") as status:
        yield lambda done, total, what: status.update(f"kill table: {done} of {total}, {what}")
