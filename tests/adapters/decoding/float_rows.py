"""Models whose laws are rows of floats, and the exact models that these rows are."""

import random
from fractions import Fraction

import torch
from draftproof.adapters.huggingface.tensors import TensorDistribution
from draftproof.reference import ExactDistribution, Pair, rational
from draftproof.toymodels.tokenizers import greedy

#: Kinds of rows.
KINDS = ("random", "tiny", "near-certain", "off")


class FloatRows:
    """A model with a row of floats for every context.

    Kinds: *random* weights; *tiny*, most masses about 1e-30; *near-certain*, all but a few units in
    the last place on one id; *off*, random rows that sum to 1 + ``off``.
    """

    def __init__(self, size, kind="random", dtype=torch.float64, seed=0, off=1e-3):
        self.size, self.kind, self.dtype, self.seed, self.off = size, kind, dtype, seed, off
        self._rows = {}

    def row(self, context):
        if context not in self._rows:
            chosen = random.Random(f"{self.seed} {context}")
            weights = [chosen.expovariate(1) for _ in range(self.size)]
            if self.kind == "tiny":
                weights = [w * (1e-30 if chosen.random() < 0.6 else 1) for w in weights]
            if self.kind == "near-certain":
                few = 4 * torch.finfo(self.dtype).eps
                weights = [few * w for w in weights]
                weights[chosen.randrange(self.size)] = 1
            total = sum(weights) / (1 + self.off * (self.kind == "off"))
            row = torch.tensor([w / total for w in weights], dtype=self.dtype)
            self._rows[context] = TensorDistribution(row)
        return self._rows[context]

    def distributions(self, context, continuation=()):
        ids = context + continuation
        return [self.row(ids[: len(context) + j]) for j in range(len(continuation) + 1)]


class ExactRows:
    """The exact model that a model of float rows is: each float a rational, each row normalised."""

    def __init__(self, model):
        self.model, self.size = model, model.size

    def distributions(self, context, continuation=()):
        laws = self.model.distributions(context, continuation)
        return [exact_law_of(law.row) for law in laws]


def exact_law_of(row):
    """The law that a row of floats is."""
    return ExactDistribution.from_weights(
        {token: rational(Fraction(number)) for token, number in enumerate(row.tolist())}
    )


def exact_pair(pair):
    """The exact pair that a pair of float rows is."""
    return Pair(
        ExactRows(pair.target),
        ExactRows(pair.drafter),
        pair.target_tokenizer,
        pair.drafter_tokenizer,
    )


#: Letters, and longer tokens of them that the drafter spells; one needs twelve letters.
TARGET = ["a", "b", " ", "ab", "ba", "abb", " a", "  ", "abab", "abababababab"]
DRAFTER = ["a", "b", " "]


def float_pair(kind, dtype, seed=0, off=1e-3):
    """A pair of random float rows over two vocabularies."""
    return Pair(
        FloatRows(len(TARGET), kind, dtype, 2 * seed, off),
        FloatRows(len(DRAFTER), kind, dtype, 2 * seed + 1, off),
        greedy(TARGET),
        greedy(DRAFTER),
    )
