"""Exact numbers compared: python-flint's fmpq against the standard library's Fraction.

    python benchmarks/exact_numbers.py [--runs 3] [--vocabulary 6] [--tokens 6]

Both compute one exact joint law in one process, turn by turn: every string of standard speculative
decoding with one draft a token, target and drafter bigram models with seeded rational tables. The
laws must be equal, and each must sum to exactly 1. gmpy2 joins in when it is installed; floats show
what exactness costs.
"""

import argparse
import platform
import random
import statistics
import time
from fractions import Fraction

from flint import fmpq


def tables(vocabulary, seed):
    """A bigram table of whole-number weights: a row for each last token, one more for the start."""
    coins = random.Random(seed)
    return [[coins.randint(1, 9) for _ in range(vocabulary)] for _ in range(vocabulary + 1)]


def joint_law(number, target, drafter, tokens):
    """The law of the first ``tokens`` tokens, string by string, in numbers of one kind."""

    def normalised(row):
        return [number(weight) / number(sum(row)) for weight in row]

    def step(p, q):
        """One draft from q, accepted with min(1, p/q), else the normalised residual."""
        accepted = [min(a, b) for a, b in zip(p, q, strict=True)]
        left = number(1) - sum(accepted, start=number(0))
        residual = [a - b for a, b in zip(p, accepted, strict=True)]
        mass = sum(residual, start=number(0))
        if mass == 0:
            return accepted
        return [a + left * (r / mass) for a, r in zip(accepted, residual, strict=True)]

    p_rows, q_rows = [normalised(row) for row in target], [normalised(row) for row in drafter]
    law = {(): number(1)}
    for _ in range(tokens):
        longer = {}
        for string, probability in law.items():
            last = string[-1] if string else -1
            for token, conditional in enumerate(step(p_rows[last], q_rows[last])):
                longer[(*string, token)] = probability * conditional
        law = longer
    return law


def kinds():
    """The kinds of number to compare, by name; each is called with one whole number."""
    found = {"flint.fmpq": fmpq, "fractions.Fraction": Fraction}
    try:
        from gmpy2 import mpq
    except ImportError:
        pass
    else:
        found["gmpy2.mpq"] = mpq
    return found | {"float": float}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--vocabulary", type=int, default=6)
    options.add_argument("--tokens", type=int, default=6)
    chosen = options.parse_args()
    target, drafter = tables(chosen.vocabulary, 1), tables(chosen.vocabulary, 2)
    seconds = {name: [] for name in kinds()}
    first = None
    for _ in range(chosen.runs):
        for name, number in kinds().items():
            start = time.perf_counter()
            law = joint_law(number, target, drafter, chosen.tokens)
            total = sum(law.values(), start=number(0))
            seconds[name].append(time.perf_counter() - start)
            if name == "float":
                continue
            assert total == 1, f"{name}: the law sums to {total}"
            spelled = {s: (int(x.numerator), int(x.denominator)) for s, x in law.items()}
            first = first or spelled
            assert spelled == first, f"{name} found another law"
    print(
        f"{chosen.vocabulary**chosen.tokens:,} strings, {platform.machine()} {platform.system()}, "
        f"Python {platform.python_version()}, {chosen.runs} runs"
    )
    print("| numbers | median s | all runs | times fmpq |")
    print("| --- | ---: | --- | ---: |")
    base = statistics.median(seconds["flint.fmpq"])
    for name, runs in seconds.items():
        wall = statistics.median(runs)
        every = ", ".join(f"{each:.2f}" for each in runs)
        print(f"| {name} | {wall:.2f} | {every} | {wall / base:.1f} |")


if __name__ == "__main__":
    main()
