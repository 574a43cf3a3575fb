"""Paths per second of interception: a plain rule in NumPy, one in torch, and ``generate()``.

    python benchmarks/interception_paths.py [--seconds 3]

CPU seconds of one thread, so that a busy machine disturbs little; the best of several windows.
Beside each number stands what the subject takes on its own, with its real generators. Parts whose
library is not installed are left out.
"""

import argparse
import sys
import time
from importlib.util import find_spec

from draftproof.audit.interception import enumerate_law

P, Q = (0.5, 0.3, 0.2), (0.2, 0.3, 0.5)
WINDOW = 0.25


def rate(count, seconds):
    """The best count a CPU second; ``count`` runs something and says how often."""
    count()
    best, until = 0.0, time.process_time() + seconds
    while time.process_time() < until:
        start, done = time.process_time(), 0
        while time.process_time() - start < WINDOW:
            done += count()
        best = max(best, done / (time.process_time() - start))
    return best


def numpy_rule():
    """Two drafts, V = 3, drawn and verified in NumPy."""
    import numpy as np

    rng, p, q = np.random.default_rng(0), np.array(P), np.array(Q)

    def rule():
        drafts = rng.choice(3, size=2, p=q)
        for k, draft in enumerate(drafts):
            if rng.random() >= min(1.0, p[draft] / q[draft]):
                left = np.maximum(p - q, 0)
                return (*drafts[:k].tolist(), int(rng.choice(3, p=left / left.sum())))
        return (*drafts.tolist(), int(rng.choice(3, p=p)))

    return rule


def torch_rule():
    """The same in torch, vectorised."""
    import torch

    torch.set_num_threads(1)
    p, q = (torch.tensor(row, dtype=torch.float64) for row in (P, Q))
    target, draft, at = p.expand(3, 3), q.expand(2, 3), torch.arange(2)

    def rule():
        drafts = torch.multinomial(draft, 1)[:, 0]
        accepted = torch.rand(2) < target[at, drafts] / draft[at, drafts]
        kept = int(accepted.cumprod(0).sum())
        row = target[kept]
        if kept < 2:
            left = (row - draft[kept]).clamp(min=0)
            row = left / left.sum()
        return (*drafts[:kept].tolist(), int(torch.multinomial(row, 1)))

    return rule


def generate():
    """Assisted ``generate()`` on toy models, k = 2, n = 3, V = 4."""
    from draftproof.adapters.generation import Generation
    from draftproof.adapters.scenarios import SCENARIOS

    chosen = next(s for s in SCENARIOS if s.pair.startswith("one-vocabulary") and s.lookahead == 2)
    made = Generation(chosen)
    made.warm_up()
    return made.assisted


def main():
    """Print one line for each subject."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each number")
    seconds = parser.parse_args().seconds
    subjects = (("numpy", numpy_rule), ("torch", torch_rule), ("transformers", generate))
    for needs, subject in subjects:
        if find_spec(needs) is None:
            print(f"{subject.__name__:12} left out: {needs} is not installed", file=sys.stderr)
            continue
        program = subject()
        paths = rate(lambda: enumerate_law(program).paths, seconds)  # noqa: B023
        alone = rate(lambda: program() is not None, seconds)  # noqa: B023
        all_paths = enumerate_law(program).paths
        print(
            f"{subject.__name__:12} {paths:8.0f} paths/s  alone {alone:8.0f} runs/s  "
            f"ratio {alone / paths:5.2f}  {all_paths} paths in all"
        )


if __name__ == "__main__":
    main()
