"""What interception costs: a plain rule in NumPy, one in torch, and ``generate()``; and its paths.

    python benchmarks/interception_paths.py [--rounds 9]

The cost is taken path by path. Rare paths are longer than common ones (each rejection is a round
more), so the subject is also run with its real generators, and its runs are sorted by length; the
paths of an enumeration are compared with runs as long as they. Both are measured in turn, in CPU
seconds of one thread, and the median of the ratios is printed. What an enumeration does once, and
the paths on which the backstop watches, are counted in.

Then the paths of ``generate()`` on the same case are counted: with every draw decided when it is
made, with draws that wait, and with paths merged at the start of a round. Parts whose library is
not installed are left out.
"""

import argparse
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from draftproof.audit.interception import boundary, enumerate_law

P, Q = (0.5, 0.3, 0.2), (0.2, 0.3, 0.5)
#: CPU seconds of the subject's own runs in a round, and of enumerations.
WINDOW = 0.5
#: Paths of an enumeration that are timed: one of them is watched, as one of 64 always is.
TIMED = 64
#: A program, and how long its last run was.
Subject = tuple[Callable[[], Any], Callable[[], int]]


def cost(program: Callable[[], Any], length: Callable[[], int], rounds: int) -> tuple[float, ...]:
    """Paths a CPU second, runs a CPU second of the same lengths, and the median ratio of the two.

    Args:
        program: the subject.
        length: of the run that has just ended.
        rounds: of measuring; one before them is not counted.
    """
    lengths: Counter[int] = Counter()

    def noting() -> Any:
        outcome = program()
        lengths[length()] += 1
        return outcome

    paths = enumerate_law(noting, max_paths=TIMED).paths
    times: defaultdict[int, list[float]] = defaultdict(list)
    ratios, path_times, own_times = [], [], []
    for number in range(rounds + 1):
        until = time.process_time() + WINDOW
        once: defaultdict[int, list[float]] = defaultdict(list)
        while time.process_time() < until:
            start = time.process_time()
            program()
            once[length()].append(time.process_time() - start)
        start, done = time.process_time(), 0
        while not done or time.process_time() < start + WINDOW:
            done += enumerate_law(program, max_paths=TIMED).paths
        a_path = (time.process_time() - start) / done
        for n, found in once.items():
            times[n] += found
        if number:
            shift = sum(map(sum, once.values())) / sum(
                statistics.mean(times[n]) * len(found) for n, found in once.items()
            )
            own = shift * sum(count * own_time(times, n) for n, count in lengths.items()) / paths
            ratios.append(a_path / own)
            path_times.append(a_path)
            own_times.append(own)
    return 1 / statistics.median(path_times), 1 / statistics.median(own_times), *ratios


def own_time(times: dict[int, list[float]], length: int) -> float:
    """Mean time of the runs of a length; of the nearest lengths, for one that was never met."""
    if length in times:
        return statistics.mean(times[length])
    near = sorted(times, key=lambda met: abs(met - length))[:2]
    means = [statistics.mean(times[n]) for n in near]
    if len(near) == 1:
        return means[0] * length / near[0]
    return means[0] + (length - near[0]) * (means[1] - means[0]) / (near[1] - near[0])


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


def with_lengths(rule: Callable[[], Any]) -> Subject:
    """A rule; how many tokens it gave says how long it ran."""
    last = [0]

    def program() -> Any:
        outcome = rule()
        last[0] = len(outcome)
        return outcome

    return program, lambda: last[0]


def generate() -> Subject:
    """Assisted ``generate()`` on toy models, k = 2, n = 3, V = 4, one vocabulary."""
    made = generation(2)
    calls = [0, 0]
    for model in made._models:
        model.forward = counted(model.forward, calls)

    def program() -> Any:
        calls[0] = 0
        return made.assisted()

    return program, lambda: calls[0]


def generation(lookahead: int) -> Any:
    """The survey's case of one vocabulary, V = 4, full support, k = 2; or of another lookahead."""
    from draftproof.adapters.generation import Generation
    from draftproof.adapters.scenarios import ASSISTED, SCENARIOS

    (case,) = (
        s
        for s in SCENARIOS
        if (s.subject, s.lookahead, len(s.target)) == (ASSISTED, 2, 4) and s.settings["top_k"] == 0
    )
    made = Generation(replace(case, lookahead=lookahead))
    made.warm_up()
    return made


def counted(forward: Callable[..., Any], calls: list[int]) -> Callable[..., Any]:
    """A model's forward pass, counted in ``calls``; its signature stays, `generate()` reads it."""
    from functools import wraps

    @wraps(forward)
    def function(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        return forward(*args, **kwargs)

    return function


@contextmanager
def draws_that_do_not_wait() -> Iterator[None]:
    """Plain replay: every row, and every comparison with a coin, branches when it is made."""
    from draftproof.audit.interception.lazy import decided
    from draftproof.audit.interception.undrawn_torch import Register

    attach, assign = Register.attach, Register.assign

    def decide(cells: Any) -> None:
        for cell in cells.flat:
            decided(cell)

    def eager_attach(self: Any, tensor: Any, cells: Any, is_nonsense: bool = False) -> Any:
        decide(cells)
        return attach(self, tensor, cells, is_nonsense)

    def eager_assign(self: Any, tensor: Any, cells: Any) -> Any:
        decide(cells)
        return assign(self, tensor, cells)

    Register.attach, Register.assign = eager_attach, eager_assign
    try:
        yield
    finally:
        Register.attach, Register.assign = attach, assign


@contextmanager
def boundaries_at_rounds() -> Iterator[None]:
    """A boundary wherever ``generate()`` asks for candidates: at the start of a round.

    There its state is the ids so far, how many tokens are drafted next, and what the caches hold,
    the rows of the ids but the last; their lengths are in the key.
    """
    from transformers.generation.candidate_generator import AssistedCandidateGenerator

    real = AssistedCandidateGenerator.get_candidates

    def get_candidates(self: Any, input_ids: Any, *args: Any, **kwargs: Any) -> Any:
        cache = self.assistant_kwargs.get("past_key_values")
        kept = None if cache is None else min(cache.get_seq_length(), input_ids.shape[1] - 1)
        boundary((tuple(input_ids[0].tolist()), self.num_assistant_tokens, kept))
        return real(self, input_ids, *args, **kwargs)

    AssistedCandidateGenerator.get_candidates = get_candidates
    try:
        yield
    finally:
        AssistedCandidateGenerator.get_candidates = real


def count_paths(program: Callable[[], Any]) -> None:
    """Print how many paths ``generate()`` has, three ways; the three laws have to be the same."""
    from draftproof.adapters import generation as module

    one_draft = generation(1)

    def small() -> Any:
        horizon, module.HORIZON = module.HORIZON, 2
        try:
            return one_draft.assisted()
        finally:
            module.HORIZON = horizon

    with draws_that_do_not_wait():
        plain = enumerate_law(program)
    waiting = enumerate_law(program)
    with boundaries_at_rounds():
        merged = enumerate_law(program, merge=small)
    law = waiting.law
    for name, found in (("plain replay", plain), ("draws wait", waiting), ("and merged", merged)):
        apart = max((abs(found.law.get(key, 0.0) - law[key]) for key in law), default=0.0)
        paths = found.paths - found.cross_check_paths
        besides = f" + {found.cross_check_paths} to cross-check" * bool(found.cross_check_paths)
        print(
            f"{name:14} {paths:6} paths{besides}  {plain.paths / paths:5.1f} times fewer  "
            f"law {apart:.1e} apart{'' if found.reason is None else '  ' + found.reason}"
        )


def main() -> None:
    """Print one line for each subject, and the paths of ``generate()``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="of measuring, for each subject")
    rounds = parser.parse_args().rounds
    subjects = (
        ("numpy", lambda: with_lengths(numpy_rule()), "numpy_rule"),
        ("torch", lambda: with_lengths(torch_rule()), "torch_rule"),
        ("transformers", generate, "generate"),
    )
    for needs, make, name in subjects:
        if find_spec(needs) is None:
            print(f"{name:12} left out: {needs} is not installed", file=sys.stderr)
            continue
        program, length = make()
        paths, own, *ratios = cost(program, length, rounds)
        print(
            f"{name:12} {paths:8.0f} paths/s  alone {own:8.0f} runs/s as long  "
            f"ratio {statistics.median(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f})  "
            f"{enumerate_law(program).paths} paths in all",
            flush=True,
        )
    if find_spec("transformers") is not None:
        count_paths(generate()[0])


if __name__ == "__main__":
    main()
