"""``draftproof compare``: which drafter, algorithm and lookahead pays for a target, if any."""

from __future__ import annotations

import argparse
from typing import Any

from .model_options import MODELS, add_machine, add_models, add_request, load_models
from .options import add_json, at_least, check_writable, console_for, status, write_json

DESCRIPTION = """\
Measure which drafter, algorithm and lookahead is fastest for a target on your prompts, or that none
is. The target continues each prompt by its own law, and every position of what it writes is
visited. There, from the two models' laws and without drawing anything:

  acceptance     of the first candidate: sum min(p, q) for standard and block (and the union
                 baseline), sum p q for exact match, sum min(p, q') for TLI, and with psi of one
                 draft sum p psi for SLEM and sum min(p, psi) for SLRS
  tokens         for each target pass, against lookahead: what each algorithm keeps given that the
                 text comes out as it did, counted where its rounds begin (SLEM draws its drafts)
  costs          of passes, timed in turns; what is outside of passes, from short real runs
  speedup        over plain decoding that follows from these, and the best lookahead
  rules          stop rules for SLRS, each an algorithm slrs-RULE: psi is found between bounds (what
                 is kept is known to 0.0005), and its drafter passes are counted on real rounds
"""

EPILOG = f"""\
{MODELS}
prompts: a file with one prompt a line, or JSON lines with "prompt"; - for standard input; or ours,
builtin:code, builtin:english or builtin:mixed, with :N for the first N (16; there are 32, mixed
64). Intervals treat prompts as what repeats: give ten or more.

examples:
  draftproof compare --target smollm2 --drafter drafter-bpe --drafter drafter-bytes \\
      --prompts builtin:mixed --threads 1
  draftproof compare --target ./big --drafter ./small --prompts prompts.txt --temperature 0 \\
      --max-lookahead 12 --json compare.json --plot compare.svg
  draftproof compare --target ./big --drafter ./small --prompts prompts.jsonl --shrink --check

reading it: "needed" is the tokens per target pass at which a round costs what it saves; a speedup
is only possible above. An interval that holds 1 has not shown a gain. The best of many combinations
looks better than it is, a little; --check runs it anew.

exit codes: 0 done, whatever is recommended; 2 bad usage or bad input
"""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "compare",
        help="which drafter, algorithm and lookahead pays, from measurements",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_models(command, several=True)
    command.add_argument("--prompts", required=True, metavar="FILE", help="the texts to continue")
    command.add_argument(
        "--positions",
        type=at_least(1),
        default=32,
        metavar="N",
        help="positions visited after each prompt (default: 32)",
    )
    command.add_argument(
        "--max-lookahead",
        type=at_least(1),
        default=8,
        metavar="K",
        help="lookaheads 1 to K are compared (default: 8; slrs drafts one, slrs-spelled and "
        "slrs-spelled-block K target tokens)",
    )
    command.add_argument(
        "--rules",
        metavar="LIST",
        help="stop rules for slrs, with commas between, or none (default: fixed:2, "
        "lookup:2/cap:8, where the target's tokenizer allows them)",
    )
    command.add_argument(
        "--repeats", type=at_least(1), default=9, metavar="N", help="of each timed pass (9)"
    )
    command.add_argument(
        "--shrink",
        action="store_true",
        help="take shared tokens away at random, and find where SLEM overtakes TLI",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="run the best one and plain decoding after every prompt, and compare",
    )
    command.add_argument(
        "--seed", type=at_least(0), default=0, metavar="S", help="of texts, drafts and subsets (0)"
    )
    add_request(command)
    add_machine(command)
    command.add_argument(
        "--plot", metavar="FILE", help="draw tokens and speedup against lookahead (.svg or .png)"
    )
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare, print, and write what was asked for."""
    check_writable(options.json)
    if repeated := {name for name in options.drafter if options.drafter.count(name) > 1}:
        raise ValueError(f"--drafter {min(repeated)} is given twice")

    from draftproof.adapters.choosing.prompts import read_prompts

    prompts = read_prompts(options.prompts)
    from draftproof.adapters.choosing.ruled import USUAL, rule_slugs

    rules = USUAL if options.rules is None else rule_slugs(options.rules)
    if options.plot is not None:
        from draftproof.adapters.vocabularies.plot import check_plot

        check_plot(options.plot)
        check_writable(options.plot)
    with status() as say:
        say("loading models")
        target, *drafters = load_models(options, [options.target, *options.drafter])

        from draftproof.adapters.choosing.comparing import compare
        from draftproof.adapters.choosing.comparison import Plan
        from draftproof.adapters.choosing.table import print_comparison

        plan = Plan(
            positions=options.positions,
            most=options.max_lookahead,
            repeats=options.repeats,
            seed=options.seed,
            shrink=options.shrink,
            check=options.check,
            rules=rules,
        )
        found = compare(target, drafters, prompts, plan, say)
    if options.plot is not None:
        from draftproof.adapters.choosing.plot import draw

        draw(found, options.plot)
    print_comparison(found, console_for(options.json))
    write_json(found.as_dict(), options.json)
    return 0
