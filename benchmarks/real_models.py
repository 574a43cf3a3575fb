"""Real models on this machine: what drafting costs and gains, beside transformers' own.

    python benchmarks/real_models.py overhead|assisted|speed|rounding [--target smollm2]
        [--drafter drafter-bpe] [--shared drafter-shared] [--prompts 16] [--tokens 48]
        [--lookahead 5] [--threads 1] [--json FILE]

overhead   time outside the models' forward passes, as a share of the time inside, by algorithm
assisted   tokens per target pass, passes and time beside transformers' assisted generation, on the
           routes that the audit finds lossless: the same pair, prompts, settings and lookahead
speed      tokens per second against autoregressive decoding, paired by prompt, for lookaheads
rounding   what one row against several rows changes in the forward pass, and what the sampler does

Runs alternate within each prompt, so that what else the machine does meets all of them alike.
Intervals are Student's t over prompts, at 95%.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import scipy.stats
import torch
from draftproof.adapters.decoding.lookahead import Always, Auto
from draftproof.adapters.decoding.pairs import make_pair
from draftproof.adapters.decoding.programs import RealProgram
from draftproof.adapters.decoding.rounding import (
    first_difference,
    forward_difference,
    sampler_difference,
)
from draftproof.adapters.decoding.runs import run
from draftproof.adapters.drafters.prompts import prompts
from draftproof.adapters.huggingface.loading import load
from draftproof.adapters.huggingface.settings import Settings

ALGORITHMS = ("slem", "tli", "slrs", "standard", "block")


def interval(values: list[float]) -> tuple[float, float, float]:
    """Mean and 95% interval over prompts."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, float("-inf"), float("inf")
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / len(values) ** 0.5
    return mean, mean - half, mean + half


def shown(values: list[float]) -> str:
    """An interval as text."""
    mean, low, high = interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


class Bench:
    """Loaded models, and prompts as target ids."""

    def __init__(self, options: argparse.Namespace, temperature: float) -> None:
        self.options = options
        settings = Settings(temperature=temperature)
        self.target = load(options.target, settings, dtype=options.dtype)
        self.drafter = load(options.drafter, settings, dtype=options.dtype)
        self.temperature = temperature
        self.pair = make_pair(self.target, self.drafter)
        texts = prompts("mixed", options.prompts)
        self.prompts = [self.target.tokenizer.prompt(text) for text in texts]

    def program(self, name: str) -> RealProgram:
        """An algorithm on the pair, warmed up."""
        made = RealProgram(name, self.pair)
        made.prepare(self.prompts[0])
        return made

    def run(self, program: RealProgram, prompt: tuple[int, ...], lookahead: Any, seed: int) -> Any:
        """One run."""
        return run(
            program,
            prompt,
            Auto(self.target.model, self.drafter.model)
            if lookahead == "auto"
            else Always(lookahead),
            max_new_tokens=self.options.tokens,
            seed=seed,
            stop_ids=self.target.stop_ids,
        )


def overhead(options: argparse.Namespace) -> Any:
    """Time outside the forward passes, of the time inside."""
    rows = {}
    for temperature in (0.0, 1.0):
        bench = Bench(options, temperature)
        programs = {name: bench.program(name) for name in ALGORITHMS}
        shares: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
        for n, prompt in enumerate(bench.prompts):
            for name, program in programs.items():
                found = bench.run(program, prompt, options.lookahead, n)
                shares[name].append(found.statistics.outside_share)
        for name, values in shares.items():
            rows[f"{name}, temperature {temperature:g}"] = values
            print(
                f"{name:9} temperature {temperature:g}: outside / inside, median "
                f"{statistics.median(values):.1%} ({min(values):.1%} to {max(values):.1%})"
            )
    return rows


class Counted:
    """Counts a model's forward passes."""

    def __init__(self, model: Any) -> None:
        self.passes = 0
        model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, *_: Any) -> None:
        self.passes += 1


def theirs(
    target: Any, drafter: Any, prompt: Any, options: Any, temperature: float, seed: int
) -> Any:
    """One call of transformers' own assisted generation; its statistics."""
    model, assistant = target.model.model, drafter.model.model
    settings = assistant.generation_config
    settings.num_assistant_tokens = options.lookahead
    settings.num_assistant_tokens_schedule = "constant"
    settings.assistant_confidence_threshold = 0.0
    named: dict[str, Any] = {}
    if target.tokenizer is not drafter.tokenizer and drafter.wrapped is not None:
        named = {"tokenizer": target.wrapped, "assistant_tokenizer": drafter.wrapped}
    if temperature:
        named |= {"temperature": temperature, "top_k": 0, "top_p": 1.0}
    torch.manual_seed(seed)
    before = (target.counted.passes, drafter.counted.passes)
    started = time.perf_counter()
    ids = model.generate(
        torch.tensor([prompt]),
        max_new_tokens=options.tokens,
        do_sample=temperature > 0,
        assistant_model=assistant,
        eos_token_id=sorted(target.loaded.stop_ids),
        pad_token_id=0,
        **named,
    )
    seconds = time.perf_counter() - started
    return SimpleNamespace(
        ids=tuple(ids[0, len(prompt) :].tolist()),
        target_passes=target.counted.passes - before[0],
        drafter_passes=drafter.counted.passes - before[1],
        seconds=seconds,
    )


def assisted(options: argparse.Namespace) -> Any:
    """Beside transformers' assisted generation."""
    from draftproof.adapters.huggingface.loading import folder_of
    from transformers import AutoTokenizer

    results = []
    routes = (
        ("slem", options.drafter, 0.0),
        ("standard", options.shared, 0.0),
        ("standard", options.shared, 1.0),
    )
    for algorithm, drafter_name, temperature in routes:
        chosen = argparse.Namespace(**{**vars(options), "drafter": drafter_name})
        bench = Bench(chosen, temperature)
        program = bench.program(algorithm)
        shared = bench.pair.same_vocabulary
        sides = [
            SimpleNamespace(
                loaded=each,
                model=each.model,
                tokenizer=each.tokenizer,
                counted=Counted(each.model.model),
                wrapped=None if shared else AutoTokenizer.from_pretrained(folder_of(name)),
            )
            for each, name in ((bench.target, options.target), (bench.drafter, drafter_name))
        ]
        rows = []
        for n, prompt in enumerate(bench.prompts):
            ours = bench.run(program, prompt, options.lookahead, n)
            other = theirs(*sides, prompt, options, temperature, n)
            s = ours.statistics
            rows.append(
                {
                    "same_ids": ours.ids == other.ids,
                    "tokens_per_target_pass": (
                        s.tokens_per_target_pass,
                        len(other.ids) / other.target_passes,
                    ),
                    "target_passes": (s.target_passes, other.target_passes),
                    "drafter_passes": (s.drafter_passes, other.drafter_passes),
                    "seconds_per_token": (
                        s.seconds / s.new_tokens,
                        other.seconds / len(other.ids),
                    ),
                }
            )
        results.append({"route": algorithm, "temperature": temperature, "prompts": rows})
        print(
            f"{algorithm}, {drafter_name}, temperature {temperature:g}, lookahead "
            f"{options.lookahead}, {len(rows)} prompts of {options.tokens} tokens; the same ids on "
            f"{sum(row['same_ids'] for row in rows)}"
        )
        for key in ("tokens_per_target_pass", "target_passes", "drafter_passes"):
            pairs = [row[key] for row in rows]
            print(
                f"  {key:24} ours {statistics.fmean(a for a, _ in pairs):8.3f}  theirs "
                f"{statistics.fmean(b for _, b in pairs):8.3f}  difference "
                f"{shown([a - b for a, b in pairs])}"
            )
        ratios = [b / a for a, b in (row["seconds_per_token"] for row in rows)]
        median = statistics.median(ratios)
        print(f"  {'time, theirs / ours':24} median {median:.3f}, mean {shown(ratios)}")
    return results


def speed(options: argparse.Namespace) -> Any:
    """Tokens per second against autoregressive decoding."""
    results = []
    for temperature in (0.0, 1.0):
        for drafter_name in options.drafters:
            chosen = argparse.Namespace(**{**vars(options), "drafter": drafter_name})
            bench = Bench(chosen, temperature)
            plain = bench.program("autoregressive")
            names = ("standard", "block") if bench.pair.same_vocabulary else ("slem", "tli", "slrs")
            for name in names:
                program = bench.program(name)
                for lookahead in (1,) if name == "slrs" else (*options.lookaheads, "auto"):
                    ratios, per_pass = [], []
                    for n, prompt in enumerate(bench.prompts):
                        one = bench.run(program, prompt, lookahead, n).statistics
                        two = bench.run(plain, prompt, 1, n).statistics
                        ratios.append(one.tokens_per_second / two.tokens_per_second)
                        per_pass.append(one.tokens_per_target_pass)
                    results.append(
                        {
                            "drafter": drafter_name,
                            "algorithm": name,
                            "temperature": temperature,
                            "lookahead": lookahead,
                            "speedups": ratios,
                            "tokens_per_target_pass": per_pass,
                        }
                    )
                    print(
                        f"{drafter_name:14} {name:9} T={temperature:g} lookahead {lookahead!s:4} "
                        f"speedup {shown(ratios)}  tokens/pass {shown(per_pass)}",
                        flush=True,
                    )
    return results


def rounding(options: argparse.Namespace) -> Any:
    """The forward pass and the sampler, each by itself; then greedy runs."""
    bench = Bench(options, 0.0)
    model = bench.target.model
    program = bench.program("slem")
    plain = bench.program("autoregressive")
    worst = {"logit": 0.0, "total_variation": 0.0, "sampler": 0.0}
    flips = positions = equal = 0
    ties = []
    for n, prompt in enumerate(bench.prompts):
        found = bench.run(plain, prompt, 1, n).ids
        ids = prompt + found
        rows = min(options.lookahead + 1, len(ids) - 1)
        forward = forward_difference(model, ids, rows)
        worst["logit"] = max(worst["logit"], forward.logit)
        worst["total_variation"] = max(worst["total_variation"], forward.total_variation)
        flips += forward.argmax
        positions += forward.positions
        sampled = SimpleNamespace(settings=Settings())
        row = model.logits(ids, 1)[0]
        worst["sampler"] = max(worst["sampler"], sampler_difference(sampled, row, ids))
        drafted = bench.run(program, prompt, options.lookahead, n).ids
        difference = first_difference(model, prompt, drafted, found)
        equal += difference is None
        if difference is not None:
            ties.append((n, difference.place, difference.gap))
    print(
        f"forward, one row against {options.lookahead + 1}: logits differ by up to "
        f"{worst['logit']:.2e}, laws by a total variation up to {worst['total_variation']:.2e}, "
        f"the likeliest id at {flips} of {positions} positions"
    )
    print(f"sampler, the same logits: total variation up to {worst['sampler']:.2e}")
    print(f"greedy: {equal} of {len(bench.prompts)} runs equal to plain greedy; ties {ties}")
    return {"worst": worst, "flips": flips, "positions": positions, "equal": equal, "ties": ties}


def main() -> None:
    """Run the part that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("overhead", "assisted", "speed", "rounding"))
    parser.add_argument("--target", default="smollm2")
    parser.add_argument("--drafter", default="drafter-bpe")
    parser.add_argument("--shared", default="drafter-shared")
    parser.add_argument(
        "--drafters", nargs="+", default=["drafter-bpe", "drafter-bytes", "drafter-shared"]
    )
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--lookahead", type=int, default=5)
    parser.add_argument("--lookaheads", type=int, nargs="+", default=[1, 2, 3, 5])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {options.threads} thread(s), {options.target}", flush=True)
    found = globals()[options.part](options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
