"""``draftproof gallery``: the named pairs of toy models and tokenizers."""

from __future__ import annotations

import argparse
from typing import Any

from .options import add_json, check_writable, console_for, write_json

EXAMPLES = """\
examples:
  draftproof gallery              what each pair shows
  draftproof gallery --json -     the same for a program
"""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "gallery",
        help="the named pairs that decoders are tried on",
        description="List the named pairs: what each shows, whether its tokenizers are injective "
        "(different texts, different ids), and the sizes of the vocabularies.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the gallery."""
    from draftproof.toymodels.gallery import gallery
    from rich.table import Table

    check_writable(options.json)
    rows = [
        {
            "name": each.name,
            "shows": each.shows,
            "target_injective": each.pair.target_tokenizer.laws.injective,
            "drafter_injective": each.pair.drafter_tokenizer.laws.injective,
            "target_vocabulary": each.pair.target.size,
            "drafter_vocabulary": each.pair.drafter.size,
        }
        for each in gallery()
    ]
    table = Table("pair", "|T|", "|D|", "injective", "shows", box=None)
    for row in rows:
        table.add_row(
            row["name"],
            str(row["target_vocabulary"]),
            str(row["drafter_vocabulary"]),
            _injective(row["target_injective"], row["drafter_injective"]),
            row["shows"],
        )
    console_for(options.json).print(table)
    write_json({"schema": "draftproof/gallery/1", "pairs": rows}, options.json)
    return 0


def _injective(target: bool, drafter: bool) -> str:
    return {
        (True, True): "both",
        (True, False): "target only",
        (False, True): "drafter only",
        (False, False): "neither",
    }[target, drafter]
