"""Wall time of `draftproof tokenizers` on one core, loading included, against its limit.

    python benchmarks/tokenizer_audit.py [--runs 3] [--only gpt2/gemma3]

Every run is a fresh process that may use one core only. CPU seconds tell what a busy machine hides
in the wall time. The assets must be there (`make assets` once): fetching is not what is measured.
"""

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 30  # allowed for 50,000 against 262,000 ids

# Target and drafter.
PAIRS = (("gpt2", "gemma3"), ("gemma3", "gpt2"), ("smollm2", "gemma3"))


def measure(target, drafter):
    """Wall seconds, CPU seconds, peak MiB and the exit code of one run."""
    command = [sys.executable, "-m", "draftproof", "tokenizers", target, drafter]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        sys.exit(f"{target} against {drafter}: exit code {done.returncode}: {done.stderr.strip()}")
    return wall, cpu, after.ru_maxrss / 1024  # the largest child so far


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--only", help="measure this one, as in gpt2/gemma3")
    chosen = options.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the runs inherit it
    print(
        f"1 core, {platform.machine()} {platform.system()}, Python {platform.python_version()}, "
        f"load before {os.getloadavg()[0]:.1f}, {chosen.runs} runs"
    )
    print("| target | drafter | wall s | all runs | CPU s | limit s | peak MiB |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: |")
    within = True
    for target, drafter in PAIRS:
        if chosen.only not in (None, f"{target}/{drafter}"):
            continue
        runs = [measure(target, drafter) for _ in range(chosen.runs)]
        wall = statistics.median(each for each, *_ in runs)
        within = within and wall <= SECONDS
        every = ", ".join(f"{each:.1f}" for each, *_ in runs)
        cpu = statistics.median(each for _, each, _ in runs)
        print(
            f"| {target} | {drafter} | {wall:.1f} | {every} | {cpu:.1f} | {SECONDS} | "
            f"{max(each for *_, each in runs):.0f} |",
            flush=True,
        )
    sys.exit(0 if within else "over the limit")


if __name__ == "__main__":
    main()
