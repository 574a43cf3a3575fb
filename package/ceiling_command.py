"""``draftproof ceiling``: how many candidates any lossless rule can accept, and each one does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .options import add_json, at_least, check_writable, console_for, write_json

if TYPE_CHECKING:
    from draftproof.reference.exact import Rational
    from draftproof.reference.stop_rules import StopRule
    from draftproof.toymodels.pairs import GalleryPair

DESCRIPTION = """\
What is proposed to the target has a law, whatever is then done with it. The ceiling is the largest
expected number of accepted candidates of any lossless rule that is given them and one target pass
over them: the value of a linear programme. HiGHS solves it in floats; its dual values, rounded to
rationals and verified exactly, prove the bound. Beside it stands what each string-level algorithm
accepts at the pair's prompt, exactly.

  gap       ceiling less what block verification accepts
  coupling  a looser bound, for rules that know more than one target pass tells
"""

EXAMPLES = """\
examples:
  draftproof ceiling                        the whole gallery, two drafts
  draftproof ceiling --pair base --lookahead 3
  draftproof ceiling --rule lookup:2/cap:4 --json -

exit codes: 0 every bound is verified, 1 something lossy accepts more than its ceiling, 2 bad usage
"""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "ceiling",
        help="how many candidates any lossless rule can accept (needs scipy)",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--pair", action="append", default=[], metavar="NAME", help="a gallery pair (default: all)"
    )
    rule = command.add_mutually_exclusive_group()
    rule.add_argument(
        "--lookahead", type=at_least(1), metavar="K", help="drafts a round (default 2)"
    )
    rule.add_argument("--rule", metavar="SLUG", help="a stop rule, as in determined:1/cap:4")
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table, write it; 1 if anything is above its ceiling."""
    from importlib.util import find_spec

    from draftproof.reference.stop_rules import Fixed, stop_rule
    from draftproof.toymodels.gallery import gallery, gallery_pair

    check_writable(options.json)
    rule = stop_rule(options.rule) if options.rule else Fixed(options.lookahead or 2)
    pairs = [gallery_pair(name) for name in dict.fromkeys(options.pair)] or list(gallery())
    if find_spec("scipy") is None:
        raise ValueError("the ceiling needs scipy: pip install 'draftproof[proofs]'")
    rows = [_row(named, rule) for named in pairs]
    shown = console_for(options.json)
    shown.print(_table(rows))
    above = [row["pair"] for row in rows if row["above"]]
    closed = sum(row["gap"]["exact"] == "0/1" for row in rows)
    shown.print(
        f"{rule.slug}: {len(rows)} bounds verified in rationals; block verification reaches "
        f"{closed} of them",
        highlight=False,
    )
    for name in above:
        shown.print(f"{name}: more is accepted than the ceiling allows: not lossless")
    write_json(
        {"schema": "draftproof/ceiling/1", "stop_rule": rule.slug, "pairs": rows}, options.json
    )
    return int(bool(above))


def _row(named: GalleryPair, rule: StopRule) -> dict[str, Any]:
    from draftproof.proofs.ceiling import (
        accepted_by_each,
        ceiling,
        coupling_bound,
        one_pass_programme,
    )

    pair, context = named.pair, named.prompt
    found = ceiling(one_pass_programme(pair, context, rule))
    if not found.holds():
        raise RuntimeError(f"{named.name}: the certificate does not hold")
    accepted = accepted_by_each(pair, context, rule)
    return {
        "pair": named.name,
        "context": list(context),
        "accepted": {name: _value(number) for name, number in accepted.items()},
        "ceiling": _value(found.bound),
        "gap": _value(found.bound - accepted["SLRS, block"]),
        "coupling": _value(coupling_bound(pair, context, rule)),
        "denominator": found.denominator,
        "repaired": _value(found.repaired),
        "above": max(accepted.values()) > found.bound,
    }


def _value(number: Rational) -> dict[str, Any]:
    from draftproof.reference.exact import fraction_text

    return {"exact": fraction_text(number), "float": float(number)}


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    from rich.table import Table

    algorithms = tuple(rows[0]["accepted"])
    table = Table("pair", box=None)
    for name in (*algorithms, "ceiling", "gap", "coupling"):
        table.add_column(name, justify="right")
    for row in rows:
        values = (
            *(row["accepted"][name] for name in algorithms),
            row["ceiling"],
            row["gap"],
            row["coupling"],
        )
        table.add_row(row["pair"], *map(_short, values))
    return table


def _short(value: dict[str, Any]) -> str:
    """The fraction where it is short, else four digits."""
    text = value["exact"].removesuffix("/1")
    return text if len(text) <= 9 else f"{value['float']:.4f}"
