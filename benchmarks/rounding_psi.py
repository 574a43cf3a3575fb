"""What rounding changes in psi on real models, beside the bound of docs/rounding.md.

    python benchmarks/rounding_psi.py [--target smollm2] [--drafter drafter-bpe] [--prompts 3]
        [--tokens 20] [--lookahead 2] [--rows float64|float32] [--json FILE]

Certified runs at temperature 1:

- decisions, those open to rounding, those that floats alone would have decided otherwise;
- |psi' - psi| / psi of every psi that was asked for, psi in rationals: the largest, and the mean
  over drafted tokens, which estimates S, the sum over all tokens of |psi' - psi|;
- the bounds: S, the total variation of a position in floats and certified, of the whole run;
- what the theorem leaves out: psi of drafted tokens from rows of one pass and of a pass each;
- time that certifying adds outside the passes, as part of a plain run's; alternating, median.

``--rows float32`` normalises rows in float32, as the code did before these figures.
"""

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import torch
from draftproof.adapters.decoding.certified import certified
from draftproof.adapters.decoding.enclosure import Enclosed, Tally
from draftproof.adapters.decoding.lookahead import Always
from draftproof.adapters.decoding.pairs import make_pair
from draftproof.adapters.decoding.programs import RealProgram
from draftproof.adapters.decoding.runs import Run, run
from draftproof.adapters.decoding.variation import of_rule
from draftproof.adapters.drafters.prompts import prompts
from draftproof.adapters.huggingface.loading import load
from draftproof.adapters.huggingface.settings import Settings
from draftproof.adapters.huggingface.tensors import TensorDistribution
from draftproof.reference import slrs_spelled

REPEATS = 3


class InFloat32(Settings):
    """Settings whose laws are normalised in float32."""

    def law(self, logits: torch.Tensor, ids: torch.Tensor | None = None) -> TensorDistribution:
        """The law of the next id, at temperature 1."""
        del ids
        return TensorDistribution(logits.float().softmax(-1))


class Watched(slrs_spelled.SpelledLaw):
    """psi that keeps the numbers it gave: one list for each law, drafted tokens first."""

    seen: ClassVar[list[tuple["Watched", dict[int, Any]]]] = []

    def __init__(self, pair: Any, read: tuple[int, ...]) -> None:
        super().__init__(pair, read)
        self.read, self.numbers = read, {}
        Watched.seen.append((self, self.numbers))

    def __getitem__(self, token: int, /) -> Any:
        number = super().__getitem__(token)
        self.numbers.setdefault(token, number)
        return number


def errors(numbers: list[Any]) -> list[float]:
    """|psi' - psi| / psi of enclosed numbers, psi exactly."""
    found = []
    for number in numbers:
        if isinstance(number, Enclosed) and number.exact():
            value = Enclosed.of(float(number.value)).exact()
            found.append(float(abs(value / number.exact() - 1)))
    return found


def apart(pair: Any, laws: list[tuple[Watched, dict[int, Any]]], drafted: list[int]) -> list[float]:
    """|psi' / psi'' - 1| of drafted tokens: rows of one pass, and rows of a pass each."""
    model: Any = pair.drafter
    found = []

    class OneByOne:
        size = model.size

        def distributions(self, context: Any, continuation: Any = ()) -> list[Any]:
            ids = context + continuation
            return [
                model.distributions(ids[: len(context) + j])[0]
                for j in range(len(continuation) + 1)
            ]

    single = type(pair)(pair.target, OneByOne(), pair.target_tokenizer, pair.drafter_tokenizer)
    tree = slrs_spelled.spellings(pair)
    slrs_spelled.spellings = lambda _: tree
    for (law, _), token in zip(laws, drafted, strict=True):
        model.forget()
        together = float(slrs_spelled.SpelledLaw(pair, law.read)[token])
        model.forget()
        one = float(slrs_spelled.SpelledLaw(single, law.read)[token])
        found.append(abs(together / one - 1) if one else 0.0)
    return found


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="smollm2")
    parser.add_argument("--drafter", default="drafter-bpe")
    parser.add_argument("--prompts", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=20)
    parser.add_argument("--lookahead", type=int, default=2)
    parser.add_argument("--rows", choices=("float64", "float32"), default="float64")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    settings = InFloat32() if options.rows == "float32" else Settings()
    target, drafter = (load(name, settings) for name in (options.target, options.drafter))
    pair = make_pair(target, drafter)
    programs = [RealProgram("slrs", each) for each in (pair, certified(pair))]
    for program in programs:
        program.prepare()
    slrs_spelled.SpelledLaw = Watched

    def once(program: RealProgram, text: str, seed: int) -> Run:
        return run(
            program,
            target.tokenizer.prompt(text),
            Always(options.lookahead),
            max_new_tokens=options.tokens,
            seed=seed,
            stop_ids=target.stop_ids,
        )

    worst: list[float] = []
    drafted: list[float] = []
    passes: list[float] = []
    ratios: list[float] = []
    total = Tally()
    for n, text in enumerate(prompts("mixed", options.prompts)):
        Watched.seen = []
        found = once(programs[1], text, n)
        tally: Tally = programs[1].pair.target.tally  # type: ignore[attr-defined]
        total.decisions += tally.decisions
        total.open += tally.open
        total.changed += tally.changed
        total.off, total.unit = max(total.off, tally.off), tally.unit
        proposed = [token for block in found.rounds for token in block.candidates]
        laws = [each for each in Watched.seen if each[1]]
        worst += errors([number for _, numbers in laws for number in numbers.values()])
        # A verified candidate is the first number that its law was asked for.
        first = [next(iter(numbers.items())) for _, numbers in laws]
        verified = [
            (law, item) for law, item in zip(laws, first, strict=True) if item[0] in proposed
        ]
        drafted += errors([number for _, (_, number) in verified])
        passes += apart(pair, [law for law, _ in verified], [token for _, (token, _) in verified])
        for _ in range(REPEATS):
            plain, sure = (once(program, text, n).statistics for program in programs)
            outside = [
                each.seconds - each.target_seconds - each.drafter_seconds for each in (plain, sure)
            ]
            ratios.append((outside[1] - outside[0]) / plain.seconds)
    bounds = of_rule(pair, "spelled", total)
    assert bounds is not None
    lines = {
        "decisions": total.decisions,
        "open to rounding": total.open,
        "otherwise in floats": total.changed,
        "largest |row sum - 1|, at most": total.off,
        "psi asked for": len(worst),
        "largest |psi' - psi| / psi": max(worst),
        "the same, mean over drafted tokens (S)": statistics.fmean(drafted),
        "bound on S": bounds.psi,
        "bound, one position, floats": bounds.rounding,
        "limit of kept draws, one position": bounds.limit,
        "bound, one position, certified": bounds.coins,
        "bound, a run, certified": options.tokens * bounds.coins,
        "psi from one pass against a pass each, largest": max(passes),
        "time added, part of a plain run, median": statistics.median(ratios),
    }
    print(
        f"{options.target}, {options.drafter}, rows normalised in {options.rows}, "
        f"{options.prompts} prompts of {options.tokens} tokens"
    )
    for name, number in lines.items():
        print(f"  {name:50} {number if isinstance(number, int) else f'{number:.3g}'}")
    if options.json:
        options.json.write_text(
            json.dumps({"found": lines, "bounds": asdict(bounds)}, indent=2) + "\n", "utf-8"
        )


if __name__ == "__main__":
    sys.exit(main())
