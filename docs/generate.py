"""Regenerate the generated blocks of docs/*.md and README.md in place, and the pictures.

    python docs/generate.py            rewrite every fast block
    python docs/generate.py --slow     and the slow ones (minutes)
    python docs/generate.py --torch    and those that need torch and transformers (minutes)
    python docs/generate.py --check    change nothing; exit 1 naming what is stale

A block is what stands between two comment lines, each alone on its line:

    <!-- begin: draftproof trace tli --pair many-to-one -->     the command and its real output
    <!-- begin: worked NAME ARGUMENT... -->                     what docs/worked.py prints, fenced
    <!-- begin: table NAME ARGUMENT... -->                      the same, as Markdown
    <!-- end -->

`begin-slow` blocks are left alone without `--slow`, `begin-torch` blocks without `--torch`.
Commands run in this process, as if piped: no colours, and the width that draftproof gives a pipe.
In JSON the seconds and the versions of what is installed are masked, so that only a change of
substance makes a block stale.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^<!-- begin(?P<kind>-slow|-torch)?: (?P<command>.+?) -->\n(?P<body>.*?)^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)
FAST, SLOW, TORCH = frozenset({""}), frozenset({"-slow"}), frozenset({"-torch"})
MARKER = re.compile(r"^<!-- (begin\b.*|end) -->$", re.MULTILINE)


class BlockError(ValueError):
    """A block that cannot be generated; the message names it."""


def documents() -> list[Path]:
    """The files that may hold generated blocks."""
    return [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]


def regenerated(text: str, kinds: frozenset[str] = FAST) -> tuple[str, list[str]]:
    """``text`` with every block of ``kinds`` current, and the commands of those that were not.

    Raises:
        BlockError: for a marker without its partner, or a command that does not exist.
    """
    stale: list[str] = []

    def renew(match: re.Match[str]) -> str:
        if (match["kind"] or "") not in kinds:
            return match[0]
        body = f"\n{_contents(match['command'])}\n\n"
        if body != match["body"]:
            stale.append(match["command"])
        start, end = match.span("body")
        return match[0][: start - match.start()] + body + match[0][end - match.start() :]

    new = BLOCK.sub(renew, text)
    if left := MARKER.search(BLOCK.sub("", text)):
        raise BlockError(f"a marker without its partner: {left[0]}")
    return new, stale


@cache
def _contents(command: str) -> str:
    program, *arguments = shlex.split(command)
    if program == "draftproof":
        return _fenced("console", f"$ {command}\n{run(arguments)}")
    if program in ("worked", "table"):
        text = "\n".join(line.rstrip() for line in _worked(arguments).splitlines())
        return text if program == "table" else _fenced("text", text)
    raise BlockError(f"a block is draftproof, worked or table, not {command!r}")


def pictures() -> dict[Path, str]:
    """The pictures of the pages, as they should be."""
    _find_neighbours()
    import plot

    return {ROOT / "docs" / "acceptance.svg": plot.acceptance()}


def _find_neighbours() -> None:
    """Let the files beside this one be imported."""
    if str(ROOT / "docs") not in sys.path:
        sys.path.insert(0, str(ROOT / "docs"))


def _worked(arguments: list[str]) -> str:
    _find_neighbours()
    import worked

    name, *rest = arguments
    if name not in worked.WORKED:
        raise BlockError(f"docs/worked.py has no {name!r}")
    return worked.WORKED[name](*rest)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def run(arguments: list[str]) -> str:
    """What ``draftproof ARGUMENTS`` prints when piped, and its exit code unless that is 0.

    The words ``2>/dev/null`` at the end leave out standard error, as in a shell.
    """
    from draftproof.cli import main

    silent = arguments[-1:] == ["2>/dev/null"]
    out = io.StringIO()
    with (
        _plain_terminal(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO() if silent else out),
    ):
        try:
            code = main(arguments[:-1] if silent else arguments)
        except SystemExit as end:  # argparse, after help or an error of usage
            code = end.code
    text = _masked(out.getvalue())
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines + ([f"(exit code {code})"] if code else []))


def _masked(text: str) -> str:
    text = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0.0', text)
    text = re.sub(r"\([0-9]+\.[0-9] s\)", "(0.0 s)", text)
    versions = re.compile(r'("versions": \{)(.*?)(\})', re.DOTALL)
    return versions.sub(
        lambda m: m[1] + re.sub(r'(": )"[^"]*"', r'\1"..."', m[2]) + m[3], text, count=1
    )


@contextlib.contextmanager
def _plain_terminal() -> Iterator[None]:
    before = dict(os.environ)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        os.environ.pop(name, None)
    os.environ["COLUMNS"] = "100"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main(arguments: list[str] | None = None) -> int:
    """Rewrite or check; returns the exit code."""
    parser = argparse.ArgumentParser(
        description="Regenerate the generated blocks of docs/*.md and README.md."
    )
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if stale")
    parser.add_argument("--slow", action="store_true", help="slow blocks too")
    parser.add_argument("--torch", action="store_true", help="blocks that need torch too")
    parser.add_argument("files", nargs="*", type=Path, help="default: all of them")
    options = parser.parse_args(arguments)
    kinds = FAST | (SLOW if options.slow else FAST) | (TORCH if options.torch else FAST)
    stale_anywhere = False
    for path in options.files or documents():
        try:
            text = path.read_text(encoding="utf-8")
            new, stale = regenerated(text, kinds)
        except (OSError, BlockError) as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            return 2
        stale_anywhere |= bool(stale)
        for command in stale:
            print(f"{path}: {'stale' if options.check else 'renewed'}: {command}")
        if stale and not options.check:
            path.write_text(new, encoding="utf-8")
    if not options.files:
        for path, picture in pictures().items():
            if not path.exists() or path.read_text(encoding="utf-8") != picture:
                stale_anywhere = True
                print(f"{path}: {'stale' if options.check else 'renewed'}")
                if not options.check:
                    path.write_text(picture, encoding="utf-8")
    return 1 if options.check and stale_anywhere else 0


if __name__ == "__main__":
    raise SystemExit(main())
