"""SLRS with spelled proposals on real models: what psi costs, and what the definition would.

    python benchmarks/spelled.py [--target smollm2] [--drafter drafter-bpe] [--prompts 8]
        [--tokens 32] [--lookahead 2] [--threads 1] [--json FILE]

For runs at temperature 1, by prompt, with intervals (Student's t over prompts, 95%):

- evaluations of psi for each verified position, repeats counted, beside 1 + P(proposal) = 2;
- drafter contexts asked for in a round, beside those of the definition for drafts as long: a sum
  over all sequences of drafter ids, computed and not run;
- time of a round over the time of its passes.

Then, without a model's weights: contexts and passes for one psi with drafters over bytes and
targets of 256 to 262,144 ids, at equal token lengths, and the time of a softmax over as many.
"""

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import scipy.stats
import torch
from draftproof.adapters.decoding.lookahead import Always
from draftproof.adapters.decoding.pairs import make_pair
from draftproof.adapters.decoding.programs import RealProgram
from draftproof.adapters.decoding.runs import run
from draftproof.adapters.drafters.prompts import prompts
from draftproof.adapters.huggingface.loading import load
from draftproof.adapters.huggingface.settings import Settings
from draftproof.reference import Pair, slrs_spelled
from draftproof.toymodels.models import NgramModel
from draftproof.toymodels.tokenizers import greedy


def shown(values: list[float]) -> str:
    """Mean and interval as text."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.3f}"
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
    return f"{mean:.3f} [{mean - half:.3f}, {mean + half:.3f}]"


class Counted(slrs_spelled.SpelledLaw):
    """psi that counts how often it is asked, repeats included, and for how many laws."""

    asked = 0
    laws = 0

    def __init__(self, pair: Pair, read: tuple[int, ...]) -> None:
        super().__init__(pair, read)
        self._counted = False

    def __getitem__(self, token: int, /) -> Any:
        Counted.asked += 1
        if not self._counted:
            self._counted = True
            Counted.laws += 1
        return super().__getitem__(token)


def real(options: argparse.Namespace) -> dict[str, Any]:
    """On the models named."""
    target, drafter = (load(name, Settings()) for name in (options.target, options.drafter))
    pair = make_pair(target, drafter)
    program = RealProgram("slrs", pair)
    program.prepare()
    slrs_spelled.SpelledLaw = Counted
    model: Any = pair.drafter
    rows = []
    for n, text in enumerate(prompts("mixed", options.prompts)):
        Counted.asked = Counted.laws = 0
        tokens = model.tokens
        found = run(
            program,
            target.tokenizer.prompt(text),
            Always(options.lookahead),
            max_new_tokens=options.tokens,
            seed=n,
            stop_ids=target.stop_ids,
        )
        s = found.statistics
        drafted = statistics.fmean(len(block.drafts) for block in found.rounds)
        rows.append(
            {
                "evaluations": Counted.asked / Counted.laws,
                "contexts": (model.tokens - tokens) / s.rounds,
                "passes": s.drafter_passes / s.rounds,
                "drafts": drafted,
                "tokens_per_pass": s.tokens_per_target_pass,
                "outside": 1 + s.outside_share,
            }
        )
    drafts = statistics.fmean(row["drafts"] for row in rows)
    definition = drafts * math.log10(pair.drafter.size)
    print(f"{options.target}, {options.drafter}, {options.lookahead} tokens a round, temperature 1")
    for key, said in (
        ("evaluations", "psi evaluations for each verified position (2 expected)"),
        ("contexts", "drafter positions computed a round"),
        ("passes", "drafter passes a round"),
        ("tokens_per_pass", "tokens for each target pass"),
        ("outside", "time of a round over its passes' time"),
    ):
        print(f"  {said:58} {shown([row[key] for row in rows])}")
    print(
        f"  the definition's contexts for {drafts:.1f} drafts of {pair.drafter.size} ids: about "
        f"10^{definition:.0f}"
    )
    return {"prompts": rows, "definition_log10": definition}


def sizes() -> list[dict[str, Any]]:
    """Targets of growing vocabularies over one byte-level drafter, tokens of up to four letters."""
    rows = []
    letters = [chr(0x100 + i) for i in range(64)]
    for count in (256, 4096, 65536, 262144):
        words = [a + b for a in letters for b in letters]
        longer = (a + b for a in words for b in words)
        tokens = [*letters, *words][:count]
        while len(tokens) < count:
            tokens.append(next(longer))
        pair = Pair(
            NgramModel.constant([1] + [0] * (count - 1)),
            NgramModel.from_seed(64, 2, seed=1, denominator=64),
            greedy(tokens),
            greedy(letters),
        )
        asked: list[int] = []
        plain = pair.drafter.distributions

        class Watched:
            size = pair.drafter.size

            def distributions(
                self, context: Any, continuation: Any = (), plain: Any = plain, asked: Any = asked
            ) -> Any:
                asked.append(len(continuation) + 1)
                return plain(context, continuation)

        watched = Pair(pair.target, Watched(), pair.target_tokenizer, pair.drafter_tokenizer)
        token = tokens.index(letters[0] + letters[5])
        _ = slrs_spelled.SpelledLaw(watched, (0,))[token]
        row = torch.randn(count)
        started = time.perf_counter()
        for _ in range(50):
            row.softmax(0)
        softmax = (time.perf_counter() - started) / 50
        rows.append(
            {
                "ids": count,
                "passes": len(asked),
                "contexts": sum(asked),
                "softmax_ms": 1e3 * softmax,
            }
        )
        print(
            f"|T| = {count:7,}: psi of a token of two letters: {sum(asked)} contexts in "
            f"{len(asked)} pass; one softmax over |T| {1e3 * softmax:.3f} ms",
            flush=True,
        )
    return rows


def main() -> None:
    """Both parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="smollm2")
    parser.add_argument("--drafter", default="drafter-bpe")
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--lookahead", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    found = {"sizes": sizes(), "real": real(options)}
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
