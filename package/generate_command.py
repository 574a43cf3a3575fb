"""``draftproof generate``: text from a real target with a real drafter, and what it cost."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .model_options import MODELS, add_machine, add_models, add_request, load_models, text_of
from .options import add_json, at_least, check_writable, console, write_json

if TYPE_CHECKING:
    from draftproof.adapters.decoding.programs import RealProgram
    from draftproof.adapters.decoding.runs import Run, Statistics

SCHEMA = "draftproof/generate/1"

EPILOG = f"""\
{MODELS}
algorithms:
  tli             drafts what both vocabularies have, verified with the drafter's law given that
  slem            drafts text, re-tokenized for the target; kept while the target draws the same
  slrs            spells target tokens in drafter tokens (--rule fixed:1: drafts one token's text);
                  kept with probability min(1, p / psi), psi the law of what is proposed
                  (--rule spelled/block: all of them are judged together, as in block)
  standard block  verification token by token, or of the whole draft; over two vocabularies what
                  the target lacks is always rejected
  union           the same as standard; exact-match uses no draft probability; autoregressive
                  needs no drafter
All of them give the target's own law. Which one costs least is what `draftproof compare` tells.

examples:
  draftproof generate --target smollm2 --drafter drafter-bpe --algorithm slem \\
      --prompt 'def fibonacci(n):' --temperature 0 --baseline
  draftproof generate --target ./big --drafter ./small --algorithm tli --lookahead auto \\
      --prompt-file prompt.txt --seed 7 --json run.json
  draftproof generate --target tiny-random --drafter tiny-random --algorithm block --prompt abc

--lookahead auto weighs measured costs, so which text a seed gives depends on the machine's speed
then; the law does not.
"""


def add_parser(commands: Any) -> None:
    """Add the command to the parser's ``commands``."""
    command = commands.add_parser(
        "generate",
        help="text from real models, losslessly, and what it cost",
        description="Generate with the reference's own algorithms on real models. The text is "
        "streamed to standard output; acceptance, passes and times follow on standard error.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_models(command)
    command.add_argument(
        "--algorithm", default="tli", metavar="NAME", help="one of those below (default: tli)"
    )
    command.add_argument("--prompt", metavar="TEXT", help="the text to continue")
    command.add_argument("--prompt-file", metavar="FILE", help="the same from a file, or - ")
    command.add_argument(
        "--max-new-tokens", type=at_least(1), default=64, metavar="N", help="default: 64"
    )
    command.add_argument(
        "--lookahead",
        type=_lookahead,
        default=4,
        metavar="K|auto",
        help="drafter tokens a round (slrs spelled: target tokens), or chosen round by round "
        "(default: 4)",
    )
    command.add_argument(
        "--rule",
        metavar="RULE",
        help="slrs: what is proposed: spelled (default), fixed:I, determined:N/cap:C, "
        "tokens:N/cap:C, lookup:N/cap:C, longest:I; /block behind it judges candidates together; "
        "auto chooses rule and lookahead round by round, by measured cost",
    )
    command.add_argument(
        "--look-behind",
        type=at_least(1),
        metavar="N",
        help="slem: re-encode drafts together with the last N target ids, and realign",
    )
    command.add_argument("--seed", type=at_least(0), default=0, metavar="S", help="of the coins")
    command.add_argument(
        "--certify",
        action="store_true",
        help="slrs: decide as exact arithmetic on the models' rows would, in rationals where "
        "rounding leaves it open; count these, and bound what floats could change",
    )
    command.add_argument(
        "--baseline", action="store_true", help="run autoregressive decoding too, and compare"
    )
    add_request(command)
    add_machine(command)
    add_json(command)
    command.set_defaults(run=run)


def _lookahead(text: str) -> int | str:
    return text if text == "auto" else at_least(1)(text)


def run(options: argparse.Namespace) -> int:
    """Generate, and report."""
    from draftproof.reference.programs import ALGORITHMS

    check_writable(options.json)
    if options.algorithm not in ALGORITHMS:
        raise ValueError(
            f"no algorithm is called {options.algorithm!r}; there are {', '.join(ALGORITHMS)}"
        )
    prompt = text_of(options.prompt, options.prompt_file)
    plain = options.algorithm == "autoregressive"
    if options.drafter is None and not plain:
        raise ValueError(f"{options.algorithm} needs --drafter")
    if options.rule is not None and options.algorithm != "slrs":
        raise ValueError(f"--rule is slrs's; {options.algorithm} has none")
    itself = options.rule and not options.rule.startswith("spelled")
    if itself and options.lookahead not in (4, "auto"):
        raise ValueError(f"--rule {options.rule} ends drafts itself; leave out --lookahead")
    if options.certify and options.algorithm != "slrs":
        raise ValueError(f"--certify is slrs's; {options.algorithm} has no bounds")
    names = [options.target] if options.drafter is None else [options.target, options.drafter]
    loaded = load_models(options, names)

    from draftproof.adapters.decoding.certified import certified
    from draftproof.adapters.decoding.pairs import make_pair
    from draftproof.adapters.decoding.programs import RealProgram

    target, drafter = loaded[0], loaded[-1]
    pair = make_pair(target, drafter)
    for remark in target.remarks:
        print(f"draftproof: {remark}", file=sys.stderr)
    ids = target.tokenizer.prompt(prompt)
    if not ids:
        raise ValueError("the prompt gives no ids; a model continues something")
    chosen = certified(pair) if options.certify else pair
    rule = "spelled" if options.rule is None else options.rule
    program = RealProgram(options.algorithm, chosen, options.look_behind, rule)
    program.prepare(ids)
    window = target.model.window
    fits = window is None or len(ids) <= window  # else the run says so
    if fits and not plain and not program.room(ids):
        print(
            "draftproof: the models' context windows leave no room for drafts behind this prompt "
            "(a rule needs as much as it may draft): decoding plainly",
            file=sys.stderr,
        )
    # What is new continues the prompt: a tokenizer that strips a text's first space must not.
    reader = target.tokenizer.bare or target.tokenizer
    stream = _Stream(reader, quiet=options.json == "-")
    found = _run(program, ids, options, target, stream)
    stream.end()
    runs = {options.algorithm: found}
    if options.baseline and not plain:
        print("draftproof: now the same autoregressively", file=sys.stderr)
        runs["autoregressive"] = _run(
            RealProgram("autoregressive", pair), ids, options, target, None
        )
    _report(runs, options)
    write_json(
        {
            "schema": SCHEMA,
            "target": target.name,
            "drafter": drafter.name if options.drafter is not None else None,
            "algorithm": options.algorithm,
            "same_vocabulary": pair.same_vocabulary,
            "lookahead": options.lookahead,
            "seed": options.seed,
            "prompt": prompt,
            "prompt_ids": list(ids),
            "text": reader.decode(found.ids),
            "ids": list(found.ids),
            "runs": {name: each.statistics.as_dict() for name, each in runs.items()},
        },
        options.json,
    )
    return 0


def _run(
    program: RealProgram, ids: tuple[int, ...], options: Any, target: Any, stream: _Stream | None
) -> Run:
    from draftproof.adapters.decoding.lookahead import Always, Auto
    from draftproof.adapters.decoding.runs import run as run_program

    pair = program.pair
    return run_program(
        program,
        ids,
        Auto(pair.target, pair.drafter)
        if options.lookahead == "auto"
        else Always(options.lookahead),
        max_new_tokens=options.max_new_tokens,
        seed=options.seed,
        stop_ids=target.stop_ids,
        on_ids=None if stream is None else stream.show,
    )


class _Stream:
    """Text as it comes: what is certain is printed, characters that are not whole yet wait."""

    def __init__(self, tokenizer: Any, quiet: bool) -> None:
        self._tokenizer = tokenizer
        self._quiet = quiet
        self._text = ""
        self._shown = 0

    def show(self, ids: tuple[int, ...]) -> None:
        """Print what ``ids`` add to what was printed before."""
        if self._quiet:
            return
        self._text = self._tokenizer.decode(ids)
        whole = len(self._text.rstrip("\N{REPLACEMENT CHARACTER}"))
        if whole > self._shown:
            sys.stdout.write(self._text[self._shown : whole])
            sys.stdout.flush()
            self._shown = whole

    def end(self) -> None:
        """Print what is left, and a line's end."""
        if not self._quiet:
            sys.stdout.write(self._text[self._shown :] + "\n")
            sys.stdout.flush()


def _report(runs: dict[str, Run], options: Any) -> None:
    from rich.table import Table

    table = Table(
        "algorithm",
        "new tokens",
        "acceptance",
        "tokens / target pass",
        "target passes",
        "drafter passes",
        "tokens / s",
        "outside passes",
        box=None,
    )
    for name, found in runs.items():
        s = found.statistics
        rate = s.acceptance_rate
        table.add_row(
            name,
            str(s.new_tokens),
            "-" if rate is None else f"{s.accepted} of {s.candidates} ({rate:.0%})",
            f"{s.tokens_per_target_pass:.2f}",
            str(s.target_passes),
            str(s.drafter_passes),
            f"{s.tokens_per_second:.1f}",
            f"{s.outside_share:.1%}",
        )
    out = console(stderr=True)
    out.print()
    out.print(table)
    for found in runs.values():
        s = found.statistics
        if s.decisions is not None:
            out.print(_certificate(s), highlight=False)
        if s.ways is not None:
            out.print(_chosen(s.ways), highlight=False)
    if len(runs) == 2:
        one, two = (found.statistics for found in runs.values())
        out.print(
            f"{options.algorithm} gave {one.tokens_per_second / two.tokens_per_second:.2f} times "
            "the tokens per second of autoregressive decoding in this one run; "
            "`draftproof compare` measures it with an interval",
            highlight=False,
        )


def _chosen(ways: dict[str, dict[str, Any]]) -> str:
    """What was chosen, most often first: rounds, and tokens a second."""
    listed = sorted(ways.items(), key=lambda way: -way[1]["rounds"])
    return "chosen round by round: " + "; ".join(
        f"{name} {way['rounds']} ({way['tokens'] / way['seconds']:.1f} tokens/s)"
        for name, way in listed
        if way["rounds"]
    )


def _certificate(s: Statistics) -> str:
    """What a certified run says of its decisions."""
    said = (
        f"{s.decisions} decisions as exact arithmetic takes them on the models' rows: "
        f"{s.decisions_open} open to rounding, {s.decisions_changed} of these otherwise in floats"
    )
    if s.total_variation is None or s.total_variation_floats is None:
        return said
    return (
        f"{said}\ntotal variation from the exact law of so many tokens: at most "
        f"{s.total_variation:.1e}; without --certify {s.total_variation_floats:.1e}"
    )
