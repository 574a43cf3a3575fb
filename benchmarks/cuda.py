"""One machine with an accelerator and no network: is it exact, and what does drafting gain?

    python benchmarks/cuda.py [--device cuda] [--target FOLDER --drafter FOLDER] [--seconds 420]
        [--json FILE]

1. Tapes: one coin tape through the algorithms with laws on the CPU and on the device; where the two
   part, the coin must lie within 1e-5 (float32) of its threshold. Exit code 1 if one does not.
2. Forward: one row against K + 1 rows on the device, in float32 and bfloat16.
3. Waits: how often a round waits for the device, as its own debug mode reports.
4. Speed: every algorithm against autoregressive decoding, tokens per second, on the folders given
   (their own acceptance) or on a synthetic pair: models of random weights at the sizes said, with
   laws of a set acceptance. Which of the two is said in the output.

It builds everything from configuration and weights at hand. Parts that the time is too short for
are left out by name.
"""

import sys

# torch looks for a package that has this file's name. It must not find this file instead: neither
# from here, nor from another script of this folder.
if __name__ != "__main__":
    raise ImportError("a script, to be run and not to be imported")
sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]

import argparse  # noqa: E402
import json  # noqa: E402
import platform  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import torch  # noqa: E402
import transformers  # noqa: E402
from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.decoding.rounding import forward_difference  # noqa: E402
from draftproof.adapters.decoding.runs import run  # noqa: E402
from draftproof.adapters.decoding.synthetic import synthetic_pair  # noqa: E402
from draftproof.adapters.decoding.tapes import compare  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel  # noqa: E402

BOUND = 1e-5
ALGORITHMS = ("autoregressive", "standard", "block", "tli", "slem", "slrs")
#: Sizes of the synthetic target: width, layers, vocabulary.
SIZES = {
    "small": ((64, 2, 1000), (32, 1, 900)),
    "large": ((2048, 22, 32000), (512, 4, 30000)),
}


def llama(width: int, layers: int, vocabulary: int, device: str, dtype: torch.dtype) -> Any:
    """A Llama of random weights."""
    torch.manual_seed(0)
    heads = max(2, width // 64)
    configuration = transformers.LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    with torch.device(device):
        return transformers.LlamaForCausalLM(configuration).to(dtype).eval()


def tapes(device: str) -> tuple[dict[str, Any], bool]:
    """Part 1."""
    sides: list[Any] = []
    made: Any = ()
    for where in ("cpu", device):
        models = [llama(*size, where, torch.float32) for size in SIZES["small"]]
        made = synthetic_pair(*models, 0.6)
        sides.append(make_pair(*made))
    known = made[0].known
    found, right = {}, True
    for name in ALGORITHMS:
        programs = {id(pair): RealProgram(name, pair) for pair in sides}

        def run_round(pair: Any, context: Any, chance: Any, programs: Any = programs) -> Any:
            return programs[id(pair)].rounds(Always(4), lambda _: 99)(pair, context, chance, None)

        contexts = [known[n : n + 2] for n in range(40)]
        agreement = compare(run_round, sides[0], sides[1], contexts)
        right &= agreement.within(BOUND)
        found[name] = {
            "rounds": agreement.rounds,
            "decisions": agreement.decisions,
            "parted": agreement.parted,
        }
        farthest = max(agreement.parted, default=0.0)
        print(
            f"tape  {name:14} {agreement.rounds} rounds, {agreement.decisions} decisions, "
            f"{len(agreement.parted)} parted, farthest {farthest:.1e} "
            f"({'within' if agreement.within(BOUND) else 'BEYOND'} {BOUND:g})",
            flush=True,
        )
    return found, right


def forward(device: str, size: tuple[int, int, int]) -> dict[str, Any]:
    """Part 2."""
    found = {}
    for dtype in (torch.float32, torch.bfloat16):
        model = CausalModel(llama(*size, device, dtype))
        ids = tuple((31 * n) % 500 for n in range(64))
        measured = forward_difference(model, ids, 6)
        name = str(dtype).removeprefix("torch.")
        found[name] = vars(measured)
        print(
            f"forward {name}: one row against 6, logits differ by up to {measured.logit:.2e}, laws "
            f"by {measured.total_variation:.2e}, likeliest id at {measured.argmax} of 6",
            flush=True,
        )
    return found


def waits(pair: Any, prompt: Any, device: str) -> dict[str, float]:
    """Part 3: synchronising calls a round, as CUDA's debug mode reports them."""
    found: dict[str, float] = {}
    if device != "cuda":
        print("waits: only CUDA reports them; left out")
        return found
    for name in ALGORITHMS:
        program = RealProgram(name, pair)
        program.prepare(prompt)
        run_round = program.rounds(Always(5), lambda _: 99)
        run_round(pair, prompt[:3], TensorSampler(0), None)
        rounds = 10
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                for n in range(rounds):
                    run_round(pair, prompt[: 4 + n], TensorSampler(n), None)
            finally:
                torch.cuda.set_sync_debug_mode("default")
        found[name] = sum("synchroniz" in str(each.message) for each in caught) / rounds
        print(f"waits {name:14} {found[name]:.1f} a round at lookahead 5", flush=True)
    return found


def speed(pair: Any, prompt: Any, deadline: float) -> list[dict[str, Any]]:
    """Part 4."""
    rows: list[dict[str, Any]] = []
    plain = RealProgram("autoregressive", pair)
    run(plain, prompt, Always(1), max_new_tokens=8)
    for name in ALGORITHMS[1:]:
        for lookahead in (1,) if name == "slrs" else (2, 4, 6):
            if time.monotonic() > deadline:
                print(f"speed {name} lookahead {lookahead}: left out, out of time")
                continue
            program = RealProgram(name, pair)
            program.prepare(prompt)
            ratios, runs = [], []
            for seed in range(3):
                one = run(program, prompt, Always(lookahead), max_new_tokens=96, seed=seed)
                two = run(plain, prompt, Always(1), max_new_tokens=96, seed=seed)
                runs.append(one.statistics)
                ratios.append(one.statistics.tokens_per_second / two.statistics.tokens_per_second)
            rows.append(
                {
                    "algorithm": name,
                    "lookahead": lookahead,
                    "speedups": ratios,
                    "runs": [each.as_dict() for each in runs],
                }
            )
            s = runs[1]
            print(
                f"speed {name:9} lookahead {lookahead}: {statistics.median(ratios):.2f} times "
                f"autoregressive ({min(ratios):.2f} to {max(ratios):.2f}), acceptance "
                f"{s.acceptance_rate or 0:.2f}, {s.tokens_per_target_pass:.2f} tokens a pass, "
                f"{s.tokens_per_second:.1f} tokens/s, outside passes {s.outside_share:.1%}",
                flush=True,
            )
    return rows


def main() -> int:
    """Run all parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--target")
    parser.add_argument("--drafter")
    parser.add_argument("--size", choices=tuple(SIZES), default="large")
    parser.add_argument("--acceptance", type=float, default=0.7)
    parser.add_argument("--seconds", type=float, default=420.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("no CUDA device here; --device cpu runs the same on the CPU", file=sys.stderr)
        return 2
    deadline = time.monotonic() + options.seconds
    name = torch.cuda.get_device_name() if options.device == "cuda" else platform.processor()
    print(f"{time.strftime('%Y-%m-%d')}, {name}, torch {torch.__version__}", flush=True)
    agreed, right = tapes(options.device)
    sizes = SIZES[options.size]
    rounded = forward(options.device, sizes[0])
    dtype = torch.bfloat16 if options.device == "cuda" else torch.float32
    if options.target and options.drafter:
        from draftproof.adapters.huggingface.loading import load

        loaded = [
            load(folder, device=options.device, dtype=dtype, timed=True)
            for folder in (options.target, options.drafter)
        ]
        pairs = {"weights at hand": (make_pair(*loaded), loaded[0].tokenizer.prompt("The "))}
    else:
        models = [llama(*size, options.device, dtype) for size in sizes]
        sides = synthetic_pair(*models, options.acceptance, timed=True)
        said = f"synthetic pair, widths, layers, vocabularies {sizes}, acceptance "
        said += f"{options.acceptance:g}, {dtype}"
        pairs = {said: (make_pair(*sides), sides[0].known[:32])}
    results = {}
    for said, (pair, prompt) in pairs.items():
        print(said, flush=True)
        results[said] = {
            "waits": waits(pair, prompt, options.device),
            "speed": speed(pair, prompt, deadline),
        }
    if options.json:
        found = {"device": name, "tapes": agreed, "forward": rounded, "pairs": results}
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if not right:
        print("a coin far from its threshold was decided differently", file=sys.stderr)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
