"""What SLRS costs: psi evaluations, drafter contexts and passes, time.

    python benchmarks/slrs_cost.py made [--json FILE]
    python benchmarks/slrs_cost.py real [--target smollm2] [--drafter drafter-bpe] [--prompts 5]
        [--tokens 20] [--forms spelled,spelled/block,fixed:2,lookup:2/cap:8] [--json FILE]

`made` needs no weights. The drafter is a chain over 64 letters; the target has the likeliest
strings of 1 to 8 letters, 256 to 262,144 of them in all, and longest match. It gives the cost of
one psi(t) by the length of t in drafter ids, at every size of the vocabulary, the costs of a round
by that size, and the time of a softmax over as many ids.

`real` runs every form twice on every prompt at temperature 1, the first time with nothing known of
texts (cold), and gives means and 95% intervals over prompts (Student's t).
"""

import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import torch
from draftproof.adapters.choosing.intervals import estimate
from draftproof.adapters.choosing.predictions import sure
from draftproof.adapters.choosing.recommendation import said
from draftproof.adapters.decoding.lookahead import Always
from draftproof.adapters.decoding.pairs import make_pair
from draftproof.adapters.decoding.programs import RealProgram
from draftproof.adapters.decoding.runs import run
from draftproof.adapters.decoding.text_rules import Numbers, TextRule
from draftproof.adapters.drafters.prompts import prompts
from draftproof.adapters.huggingface.coins import TensorSampler
from draftproof.adapters.huggingface.loading import load
from draftproof.adapters.huggingface.settings import Settings
from draftproof.adapters.huggingface.tensors import TensorDistribution
from draftproof.reference import Pair, psi_lazy, slrs_spelled
from draftproof.reference.models import Ids
from draftproof.toymodels.tokenizers import greedy

LETTERS = [chr(0x100 + n) for n in range(64)]
LONGEST = 8
SIZES = (256, 1024, 4096, 16384, 65536, 262144)
#: What is measured on made pairs. A drafter of letters has no use for `lookup` (one letter each).
MADE = ("spelled", "fixed:8", "determined:1/cap:10", "lookup:1/cap:8")
#: What is counted.
LENGTH = ("contexts", "passes", "ms")
SIZE = ("evaluations", *LENGTH)


class Asked:
    """How often psi was asked, repeats included, and at how many positions."""

    evaluations = 0
    positions = 0

    @classmethod
    def watch(cls) -> None:
        """Count from now on, in this process."""
        for law in (slrs_spelled.SpelledLaw, psi_lazy.NextToken):

            def asked(self: Any, token: int, /, plain: Any = law.__getitem__) -> Any:
                cls.evaluations += 1
                if not getattr(self, "seen", False):
                    self.seen = True
                    cls.positions += 1
                return plain(self, token)

            law.__getitem__ = asked  # pyright: ignore[reportAttributeAccessIssue]


# ---- made pairs ----------------------------------------------------------------------------------


class Chain:
    """A first-order chain over the letters; laws that were given are given again without a pass."""

    size = len(LETTERS)

    def __init__(self) -> None:
        weights = numpy.random.default_rng(1).dirichlet([0.05] * self.size, self.size)
        self.rows = (weights + 1e-4) / (1 + 1e-4 * self.size)
        self.laws = [Numbers(TensorDistribution(torch.tensor(row))) for row in self.rows]
        self.passes = self.contexts = 0
        self.known: set[Ids] = set()

    def distributions(self, context: Ids, continuation: Ids = ()) -> list[Numbers]:
        """One pass."""
        ids = context + continuation
        return self.distributions_after(
            [ids[: len(context) + j] for j in range(len(continuation) + 1)]
        )

    def distributions_after(self, contexts: Any) -> list[Numbers]:
        """One pass for those not given before."""
        new = {context for context in contexts if context not in self.known}
        self.passes += bool(new)
        self.contexts += len(new)
        self.known |= new
        return [self.laws[context[-1]] for context in contexts]


def likeliest(chain: Chain, count: int) -> tuple[list[str], numpy.ndarray]:
    """The letters and the likeliest longer strings, equally many of each length; probabilities."""
    places = numpy.arange(chain.size)
    strings, chances = places[:, None], numpy.full(chain.size, 1 / chain.size)
    tokens, found = list(LETTERS), [chances]
    for length in range(2, LONGEST + 1):
        longer = (chances[:, None] * chain.rows[strings[:, -1]]).ravel()
        most = (count - len(tokens)) // (LONGEST + 1 - length)
        kept = numpy.argsort(-longer)[: max(most, 1024)]
        strings = numpy.column_stack([strings[kept // chain.size], places[kept % chain.size]])
        chances = longer[kept]
        tokens += ["".join(LETTERS[n] for n in string) for string in strings[:most]]
        found.append(chances[:most])
    return tokens, numpy.concatenate(found)


def made_pair(chain: Chain, count: int) -> Pair:
    """A pair whose target has ``count`` ids."""
    tokens, chances = likeliest(chain, count)
    p = torch.tensor(chances) ** 0.7
    law = TensorDistribution(p / p.sum())

    def laws(context: Ids, continuation: Ids = ()) -> list[TensorDistribution]:
        del context
        return [law] * (len(continuation) + 1)

    target: Any = SimpleNamespace(size=count, distributions=laws)
    drafter: Any = chain
    return Pair(target, drafter, greedy(tokens), greedy(LETTERS))


def psi_of(pair: Pair, form: str, token: int) -> Any:
    """psi(t) behind a letter."""
    if form == "spelled":
        return slrs_spelled.SpelledLaw(pair, (0,))[token]
    return TextRule(pair, form).psi((0,)).after(())[token].exact()


def means(counts: list[tuple[float, ...]], keys: tuple[str, ...]) -> dict[str, float]:
    """The mean of every column, by name."""
    columns = zip(*counts, strict=True)
    return dict(zip(keys, map(statistics.fmean, columns), strict=True))


def by_length(count: int = 65536, each: int = 5) -> list[dict[str, Any]]:
    """One psi(t) for tokens of every length: contexts, passes, milliseconds; nothing known."""
    chain = Chain()
    pair = made_pair(chain, count)
    vocabulary = pair.target_tokenizer.vocabulary
    lengths = [len((piece or b"").decode()) for piece in vocabulary]
    rows = []
    for form in MADE:
        psi_of(pair, form, 0)  # what is made once for a pair
        for length in range(1, LONGEST + 1):
            tokens = [t for t, n in enumerate(lengths) if n == length][::7][:each]
            counts = []
            for token in tokens:
                chain.known.clear()
                chain.passes = chain.contexts = 0
                started = time.perf_counter()
                if not psi_of(pair, form, token) > 0:
                    continue  # never proposed: nothing to find out
                counts.append((chain.contexts, chain.passes, 1e3 * (time.perf_counter() - started)))
            if counts:
                rows.append({"form": form, "length": length} | means(counts, LENGTH))
    return rows


def by_size(rounds: int = 60) -> list[dict[str, Any]]:
    """Rounds with one spelled token, or the rule's: by the size of the target's vocabulary."""
    rows = []
    for count in SIZES:
        chain = Chain()
        pair = made_pair(chain, count)
        logits = torch.randn(count)
        started = time.perf_counter()
        for _ in range(50):
            logits.softmax(0)
        softmax = 1e3 * (time.perf_counter() - started) / 50
        for form in MADE:
            program = RealProgram("slrs", pair, rule=form)
            one = program.rounds(Always(1), lambda _: 1 << 20)
            one(pair, (0,), TensorSampler(99), None)
            counts = []
            for n in range(rounds):
                context = (n % 64,)
                chain.known.clear()
                chain.passes = chain.contexts = Asked.evaluations = 0
                started = time.perf_counter()
                one(pair, context, TensorSampler(n), None)
                spent = 1e3 * (time.perf_counter() - started)
                counts.append((Asked.evaluations, chain.contexts, chain.passes, spent))
            costs = means(counts, SIZE)
            rows.append({"form": form, "ids": count, "softmax_ms": softmax, **costs})
            said = ", ".join(f"{value:.3f} {key}" for key, value in costs.items())
            print(f"|T| {count:7,} {form:18} {said}, softmax {softmax:.3f} ms", flush=True)
    return rows


# ---- real pairs ----------------------------------------------------------------------------------


def one_run(program: RealProgram, prompt: Ids, target: Any, options: Any, seed: int) -> Any:
    """The counts of one run."""
    drafter: Any = program.pair.drafter
    tokens, passes = drafter.tokens, len(drafter.timings)
    Asked.evaluations = Asked.positions = 0
    length, ends = options.tokens, target.stop_ids
    lookahead = Always(options.lookahead)
    found = run(program, prompt, lookahead, max_new_tokens=length, seed=seed, stop_ids=ends)
    s = found.statistics
    prompt_read = drafter.timings[passes][0] - 1  # of the first pass, all but one position
    proposed = sum(min(block.accepted + 1, len(block.candidates)) for block in found.rounds)
    verified = max(Asked.positions, 1)
    return {
        "rounds": s.rounds,
        "evaluations": Asked.evaluations / verified,
        "due": 1 + min(proposed / verified, 1),
        "contexts": (drafter.tokens - tokens - prompt_read) / s.rounds,
        "passes": s.drafter_passes / s.rounds,
        "drafts": s.drafts / s.rounds,
        "tokens_per_pass": s.tokens_per_target_pass,
        "time": 1 + s.outside_share,
    }


def real(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every form on the models named."""
    target, drafter = (load(name, Settings()) for name in (options.target, options.drafter))
    pair = make_pair(target, drafter)
    texts = prompts("mixed", options.prompts)
    rows = []
    for form in options.forms.split(","):
        program = RealProgram("slrs", pair, rule=form)
        program.prepare()
        cold, warm = (
            [
                one_run(program, tuple(target.tokenizer.prompt(text)), target, options, n)
                for n, text in enumerate(texts)
            ]
            for _ in range(2)
        )
        columns = {key: [each[key] for each in warm] for key in warm[0]}
        columns["time_cold"] = [each["time"] for each in cold]
        if form.endswith("/block"):
            del columns["due"]  # an average over all that was spelled, verified or not
        print(form)
        found: dict[str, Any] = {"form": form}
        for key, values in columns.items():
            number = sure(estimate(statistics.fmean, values))
            found[key] = number.as_dict()
            print(f"  {key:16} {said(number, 3)}")
        # The definition asks for every draft of as many ids as a round's drafts had, on average.
        ids = statistics.fmean(columns["drafts"])
        found["definition_log10"] = ids * math.log10(pair.drafter.size) + math.log10(ids)
        power = found["definition_log10"]
        print(f"  the definition's contexts a round: 10^{power:.1f}", flush=True)
        rows.append(found)
    return rows


def main() -> None:
    """One part, as asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("made", "real"))
    parser.add_argument("--target", default="smollm2")
    parser.add_argument("--drafter", default="drafter-bpe")
    parser.add_argument("--prompts", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=20)
    parser.add_argument("--lookahead", type=int, default=2)
    parser.add_argument("--forms", default="spelled,spelled/block,fixed:2,lookup:2/cap:8")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    Asked.watch()
    if options.part == "made":
        matched = [{"ids": count, **row} for count in SIZES for row in by_length(count, 3)]
        found: Any = {"length": by_length(), "matched": matched, "size": by_size()}
        for row in [*found["length"], *matched]:
            print(", ".join(f"{key} {value}" for key, value in row.items()))
    else:
        found = {"target": options.target, "drafter": options.drafter, "forms": real(options)}
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
