"""``draftproof trace``: one round of an algorithm, step by step."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .options import add_json, at_least, check_writable, console_for, write_json

if TYPE_CHECKING:
    from draftproof.audit.trace import Trace
    from draftproof.reference.chance import Step
    from rich.console import Console

EPILOG = """\
examples:
  draftproof trace standard --pair base --seed 1
  draftproof trace slem --pair retokenized --seed 3 --lookahead 3
  draftproof trace slrs --pair composition --seed 2 --form fixed:2/one-token
  draftproof trace slrs --pair composition --seed 5 --form spelled:2/block
  draftproof trace tli --pair many-to-one --seed 1 --json -

A coin is a number in [0, 1). A draft is the first token, in id order, whose cumulative probability
exceeds the coin; an acceptance is a coin below the ratio. Where candidates are judged together,
"fail" (-1 in JSON) is drawn beside tokens, and what is kept first decides.
"""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "trace",
        help="one round, step by step",
        description="Run one round of a built-in algorithm on a gallery pair with seeded coins, "
        "and show what happens: drafts, text, segmentations, candidates, laws, coins, what was "
        "accepted and why.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "algorithm", metavar="ALGORITHM", help="as in draftproof audit builtin:NAME"
    )
    command.add_argument(
        "--pair", default="base", metavar="NAME", help="a gallery pair (default: base)"
    )
    command.add_argument(
        "--seed", type=at_least(0), default=1, metavar="S", help="seed of the coins"
    )
    command.add_argument(
        "--lookahead", type=at_least(1), metavar="K", help="drafts a round (default: 2)"
    )
    command.add_argument(
        "--form", metavar="RULE", help="another form, e.g. characters:3/cap:5 or fixed:2/one-token"
    )
    add_json(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the round and show it."""
    from draftproof.audit.trace import trace
    from draftproof.reference.programs import program
    from draftproof.toymodels.gallery import gallery_pair

    check_writable(options.json)
    if options.form and options.lookahead:
        raise ValueError("--form says how long drafts are; leave out --lookahead")
    named = gallery_pair(options.pair)
    form = options.form or options.lookahead or 2
    chosen = program(options.algorithm.removeprefix("builtin:"), form)
    found = trace(chosen, named.name, named.pair, named.prompt, options.seed)
    print_trace(found, console_for(options.json))
    write_json(found.to_json(), options.json)
    return 0


def print_trace(found: Trace, console: Console) -> None:
    """Print a trace as a person reads it."""
    block = found.round
    form = f" ({found.program.stop_rule})" if found.program.stop_rule else ""
    console.print(
        f"[bold]{found.program.name}[/]{form} on pair [bold]{found.pair_name}[/], "
        f"coins from seed {found.seed}",
        highlight=False,
    )
    console.print(f"context   {_target(found, found.context)}", highlight=False)
    if found.program.lookahead is not None:
        read = (
            "cannot be encoded by the drafter"
            if found.read is None
            else _drafter(found, found.read)
        )
        console.print(f"  as the drafter reads it: {read}", highlight=False)
    for step in found.steps:
        if step.what.startswith("draft"):
            console.print(_draft_line(found, step), highlight=False)
    if found.program.lookahead is not None:
        _print_proposal(found, console)
    for step in found.steps:
        if not step.what.startswith("draft"):
            console.print(_decision_line(found, step), highlight=False)
    _print_positions(found, console)
    console.print(
        f"emitted   {_target(found, block.emitted)}: {block.accepted} accepted", highlight=False
    )


def _print_proposal(found: Trace, console: Console) -> None:
    drafter_ways, target_ways = found.spellings
    console.print(
        f"text      {found.text!r}, spelled in {drafter_ways} way{_s(drafter_ways)} by the "
        f"drafter's tokens and {target_ways} by the target's",
        highlight=False,
    )
    if found.text:
        for line in _lattice_lines(found):
            console.print(line, highlight=False)
    candidates = found.round.candidates
    said = _target(found, candidates) if candidates else "none: there is no proposal"
    console.print(f"candidates {said}", highlight=False)


def _lattice_lines(found: Trace) -> Iterable[str]:
    """The lattice of the drafted text: what each side's tokens can span."""
    from draftproof.reference.lattice import two_sided_lattice

    raw = b"".join(found.pair.drafter_tokenizer.vocabulary[d] or b"" for d in found.round.drafts)
    lattice = two_sided_lattice(raw, found.pair.target_tokenizer, found.pair.drafter_tokenizer)
    for side in ("drafter", "target"):
        edges = sorted(
            (start, end, data["spelling"])
            for start, end, data in lattice.edges(data=True)
            if data["side"] == side
        )
        spans = " ".join(
            f"{start}-{end}:{spelling.decode('utf-8', 'backslashreplace')!r}"
            for start, end, spelling in edges
        )
        yield f"  {side} tokens by place: {spans or 'none'}"


def _draft_line(found: Trace, step: Step) -> str:
    return (
        f"{step.what:9} {_drafter(found, (step.outcome,))} from "
        f"{_law(step.law, found, drafter=True)}; coin {_coin(step.coin)}"
    )


def _decision_line(found: Trace, step: Step) -> str:
    if step.verb == "accept":
        ratio = step.law
        bound = "at least 1, so surely" if ratio >= 1 else f"coin {_coin(step.coin)}"
        verdict = "passes" if step.outcome else "fails"
        return f"{step.what:9} with probability min(1, {_short(ratio)}), {bound}: {verdict}"
    token = _target(found, (step.outcome,))
    law = _law(step.law, found, drafter=False)
    if step.verb == "draw":
        return f"{step.what:9} {token} from {law}; coin {_coin(step.coin)}"
    kept = "kept" if step.verb == "draw_kept" else "thrown away"
    return f"{step.what:9} {token} from {law}, {kept}; coins {_coin(step.coin)}"


def _print_positions(found: Trace, console: Console) -> None:
    for k, place in enumerate(found.positions, start=1):
        console.print(f"laws at {k}  p   {_law(place.p, found, drafter=False)}", highlight=False)
        if place.proposal is not None:
            name = {"slrs": "psi", "tli": "q'"}.get(found.program.name, "q")
            law = _law(place.proposal, found, drafter=False)
            missing = 1 - place.proposal.mass
            none = f", none {_short(missing)}" if 0 < missing < 1 else ""
            overlap = _short(place.p.overlap(place.proposal))
            console.print(
                f"           {name:3} {law}{none}; sum min(p, {name}) = {overlap}", highlight=False
            )


def _law(law: Any, found: Trace, *, drafter: bool) -> str:
    spell = _drafter_spelling if drafter else _target_spelling
    if not law.mass:
        return "no outcome"
    return ", ".join(f"{spell(found, outcome)} {_short(law[outcome])}" for outcome in law.support())


def _target(found: Trace, ids: tuple[int, ...]) -> str:
    return f"{list(ids)} " + " ".join(_target_spelling(found, token) for token in ids)


def _drafter(found: Trace, ids: tuple[int, ...]) -> str:
    return f"{list(ids)} " + " ".join(_drafter_spelling(found, token) for token in ids)


def _target_spelling(found: Trace, token: int) -> str:
    from draftproof.reference.slrs_block import FAIL

    if token == FAIL:
        return "fail"  # what passing is tossed against
    if token >= found.pair.target.size:
        return _drafter_spelling(found, token - found.pair.target.size) + "(not in T)"
    return _spelling(found.pair.target_tokenizer, token)


def _drafter_spelling(found: Trace, token: int) -> str:
    return _spelling(found.pair.drafter_tokenizer, token)


def _spelling(tokenizer: Any, token: int) -> str:
    raw = tokenizer.vocabulary[token]
    if raw is None:
        return "<end>" if token == tokenizer.end_of_sequence else f"<{token}>"
    return repr(raw.decode("utf-8", errors="backslashreplace"))


def _coin(coin: Any) -> str:
    if isinstance(coin, tuple):
        return " and ".join(_coin(each) for each in coin)
    return f"{float(coin):.4f}"


def _short(number: Any) -> str:
    text = str(number)
    return text if len(text) <= 9 else f"~{float(number):.4g}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
