"""``draftproof tokenizers``: what two tokenizers mean for SLEM, SLRS and TLI."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .options import add_json, at_least, check_writable, console_for, status, write_json

if TYPE_CHECKING:
    from draftproof.adapters.vocabularies import Passage, Side

DESCRIPTION = """\
Compare the tokenizers of a target T and a drafter D: sizes and duplicates, the intersection by
bytes and how much of real text it covers, tokens that the other side cannot spell, texts that do
not come back, sequences of ids that are not canonical, what appended text revises, what psi costs,
and maps by strings against maps by bytes. Each part says what it means for SLEM, SLRS and TLI; the
last one is advice.

T and D are names (see --list), folders with tokenizer files, tokenizer.json, a SentencePiece
.model, a tiktoken file, a .gguf file, or builtin:PAIR for a side of a pair of the gallery (then the
corpus is every short text over their letters). No model is loaded.
"""

EXAMPLES = """\
examples:
  draftproof tokenizers gpt2 gemma3
  draftproof tokenizers path/to/target path/to/drafter --json -
  draftproof tokenizers llama3 smollm2 --corpus my.txt      shares of text, and cuts, of your own
  draftproof tokenizers gpt2 gemma3 --corpus builtin --corpus my.txt
  draftproof tokenizers gpt2 gemma3 --plot lengths.svg
  draftproof tokenizers builtin:many-to-one builtin:many-to-one
  draftproof tokenizers --list

exit codes: 0 done, 2 bad usage or bad input
"""

BUILT_IN = "builtin"


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "tokenizers",
        help="what two tokenizers mean for SLEM, SLRS and TLI",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("target", nargs="?", metavar="T", help="the target's tokenizer")
    command.add_argument("drafter", nargs="?", metavar="D", help="the drafter's tokenizer")
    command.add_argument("--list", action="store_true", help="list the names that are known")
    command.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="FILE",
        help="UTF-8 text to measure on instead of the built-in corpus ('builtin'); repeatable",
    )
    command.add_argument(
        "--plot", metavar="FILE", help="draw token lengths and the shared share (.svg or .png)"
    )
    command.add_argument("--quick", action="store_true", help="smaller samples")
    command.add_argument(
        "--seed", type=at_least(0), default=0, metavar="N", help="of what is sampled (0)"
    )
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Audit the two tokenizers, or list those that are known."""
    if options.list:
        return _list(options)
    if options.target is None or options.drafter is None:
        missing = "T and D" if options.target is None else "D"
        raise ValueError(f"tokenizers: {missing} missing; give two tokenizers, or --list")

    from draftproof.adapters.vocabularies import Settings, audit_vocabularies, every_text
    from draftproof.adapters.vocabularies.plot import check_plot, draw
    from draftproof.adapters.vocabularies.table import print_audit

    check_writable(options.json)
    if options.plot is not None:
        check_plot(options.plot)
        check_writable(options.plot)
    corpus = _corpus(options.corpus)
    settings = Settings.quickly(options.seed) if options.quick else Settings(seed=options.seed)
    with status() as say:
        say(f"loading {options.target}")
        target = _side(options.target, "target")
        say(f"loading {options.drafter}")
        drafter = _side(options.drafter, "drafter")
        if not options.corpus and all(map(_is_toy, (options.target, options.drafter))):
            corpus = every_text(target.vocabulary, drafter.vocabulary)
        found = audit_vocabularies(target, drafter, corpus, settings, say)
    if options.plot is not None:
        draw(found, options.plot)
    print_audit(found, console_for(options.json))
    write_json(found.to_json(), options.json)
    return 0


def _list(options: argparse.Namespace) -> int:
    """Print the names that are known."""
    from draftproof.adapters.assets import CATALOGUE
    from draftproof.adapters.tokenizers import TOKENIZERS
    from rich.table import Table

    if options.target is not None or options.json is not None:
        raise ValueError("tokenizers: --list stands alone, without T and D and without --json")
    table = Table("name", "family", "ids", "licence", box=None)
    licences = {asset.name: asset.licence for asset in CATALOGUE}
    for each in TOKENIZERS:
        licence = licences.get(each.asset, "")
        table.add_row(each.name, each.family, f"{each.size:,}", licence)
    console_for(None).print(table, highlight=False, markup=False)
    return 0


def _corpus(names: list[str]) -> tuple[Passage, ...]:
    from draftproof.adapters.vocabularies import CORPUS, read_corpus

    if not names:
        return CORPUS
    return tuple(
        passage
        for name in dict.fromkeys(names)
        for passage in (CORPUS if name == BUILT_IN else read_corpus(name))
    )


def _side(source: str, role: str) -> Side:
    """The tokenizer that ``source`` names, as ``role`` of the pair."""
    from draftproof.adapters.vocabularies import Side

    if _is_toy(source):
        from draftproof.toymodels.gallery import gallery_pair

        pair = gallery_pair(source.removeprefix(f"{BUILT_IN}:")).pair
        return Side(
            pair.target_tokenizer if role == "target" else pair.drafter_tokenizer,
            f"{source} ({role})",
        )
    return Side(_loaded(source), source)


def _is_toy(source: str) -> bool:
    return source.startswith(f"{BUILT_IN}:")


def _loaded(source: str) -> Any:
    from draftproof.adapters.tokenizers import load_tokenizer

    try:
        return load_tokenizer(source)
    except RuntimeError as problem:  # an asset that could not be fetched
        raise ValueError(str(problem)) from problem
    except ImportError as problem:
        missing = problem.name or problem
        raise ValueError(
            f"{source}: {missing} is not installed: pip install 'draftproof[models]'"
        ) from problem
