"""The command line: ``draftproof COMMAND``; every command's ``--help`` shows examples."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from . import (
    __version__,
    audit_command,
    ceiling_command,
    compare_command,
    faults_command,
    gallery_command,
    generate_command,
    prove_command,
    tokenizers_command,
    trace_command,
    vectors_command,
)

DESCRIPTION = """\
Is this speculative decoder lossless? draftproof answers exactly: it runs the decoder once for
every way its coins can fall, adds the branches up in rational numbers, and compares the law that
comes out with the target model's own.
"""

EXAMPLES = """\
examples:
  draftproof audit                      the built-in algorithms, then the installed transformers
  draftproof audit builtin:slrs --pair base --lookahead 2 --json -
  draftproof audit example:resample-from-p   a decoder that is not lossless, and its witness
  draftproof gallery                    the pairs of toy models that decoders are tried on
  draftproof trace tli --pair many-to-one --seed 1      one round, step by step
  draftproof faults --list              the fault bank: what goes wrong in real decoders
  draftproof generate --target smollm2 --drafter drafter-bpe --prompt 'def f(x):'   real models
  draftproof compare --target T --drafter D --prompts FILE   which drafter, algorithm, lookahead
  draftproof tokenizers gpt2 gemma3     what two tokenizers mean for SLEM, SLRS and TLI
  draftproof vectors --out vectors      test vectors for implementations in any language
  draftproof prove                      every claim about the algorithms: proved or refuted

exit codes: 0 lossless (or declared relaxed), 1 lossy, 2 bad usage or bad input, 3 undecided
"""

EXIT_BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others here; options are not abbreviated."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where to read more."""
        line = " ".join(message.split())
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {line} ({self.prog} --help says more)\n")


def parser() -> argparse.ArgumentParser:
    """The whole command line's parser."""
    top = _Parser(
        prog="draftproof",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"draftproof {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (
        audit_command,
        gallery_command,
        trace_command,
        faults_command,
        prove_command,
        ceiling_command,
        generate_command,
        compare_command,
        tokenizers_command,
        vectors_command,
    ):
        module.add_parser(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    Whatever is wrong with the input is said in one line on standard error, with exit code 2.
    Setting ``DRAFTPROOF_TRACEBACK`` shows where an error came from.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print("draftproof: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BAD_INPUT
    except (ValueError, OSError) as problem:
        if os.environ.get("DRAFTPROOF_TRACEBACK"):
            raise
        print(f"draftproof: {_one_line(problem)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except Exception as problem:
        if os.environ.get("DRAFTPROOF_TRACEBACK"):
            raise
        print(
            f"draftproof: internal error, {type(problem).__name__}: {_one_line(problem)} "
            "(DRAFTPROOF_TRACEBACK=1 shows where; please report it)",
            file=sys.stderr,
        )
        return EXIT_BAD_INPUT


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split()) or type(problem).__name__
