"""Toy pairs as tensors, chance that enumerates some draws, and the reference's own counts."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import torch
from draftproof.adapters.choosing.continuations import continued
from draftproof.adapters.choosing.visiting import Subject, visited
from draftproof.adapters.huggingface.tensors import TensorDistribution
from draftproof.reference import ExactDistribution, Pair, branches, program, rational
from draftproof.reference.rounds import rounds


class Rows:
    """An exact model seen through tensors; counts and times its passes."""

    window = None

    def __init__(self, model, dtype=torch.float64):
        self.model, self.size, self.dtype = model, model.size, dtype
        self.passes = self.tokens = 0
        self.seconds = 0.0
        self.timings = []
        self.device = torch.device("cpu")

    def forget(self):
        pass

    def distributions(self, context, continuation=()):
        started = time.perf_counter()
        made = []
        for law in self.model.distributions(context, continuation):
            row = torch.zeros(self.size, dtype=self.dtype)
            for token, number in law.items():
                row[token] = float(number)
            made.append(TensorDistribution(row))
        spent = time.perf_counter() - started
        self.passes += 1
        self.tokens += 1 + len(continuation)
        self.seconds += spent
        self.timings.append((1 + len(continuation), spent))
        return made


def through_tensors(pair):
    return replace(pair, target=Rows(pair.target), drafter=Rows(pair.drafter))


def ends_of(pair):
    return frozenset() if pair.end_of_sequence is None else frozenset({pair.end_of_sequence})


class Some:
    """Enumerates the draws whose name begins as given; takes the likeliest outcome of others."""

    def __init__(self, branch, *names):
        self.branch, self.names = branch, names

    def draw(self, law, what=""):
        if not what.startswith(self.names):
            return int(law.row.argmax())
        numbers = {i: rational(*float(law[i]).as_integer_ratio()) for i in law.support()}
        return self.branch.draw(ExactDistribution.from_weights(numbers), what)


TEXT, DRAFTS = ("text", "reading"), ("draft",)


def expected_figures(each, positions, most, names, ends=None, subject=None):
    """Expectations, over the draws named, of what `visited` finds: by (algorithm, drafts)."""
    subject = subject or Subject(through_tensors(each.pair), most)
    ends = ends_of(each.pair) if ends is None else ends

    def run(branch):
        chance = Some(branch, *names)
        text = continued(subject.pair.target, each.prompt, positions, subject.margin, chance, ends)
        return visited(subject, text, chance)[0]

    sums = {}
    for leaf in branches(run):
        weight = float(leaf.probability)
        for name, found in leaf.result.items():
            for place, drafts in enumerate(found.lookaheads):
                numbers = sums.setdefault((name, drafts), [0.0, 0.0, 0.0, 0.0])
                for k, listed in enumerate(
                    (found.tokens_anywhere, found.rounds, found.tokens, found.drafts)
                ):
                    numbers[k] += weight * listed[place]
    return sums


def made_of(name, drafts):
    """The reference's program of an algorithm of the tables."""
    forms = {"slrs-spelled": f"spelled:{drafts}", "slrs-spelled-block": f"spelled:{drafts}/block"}
    return program("slrs", forms[name]) if name in forms else program(name, drafts)


def due_counts(each, name, drafts, positions):
    """The reference's expected rounds that begin on the first positions, and their tokens."""
    made = made_of(name, drafts)

    def run(branch):
        found = list(rounds(made.run_round, each.pair, each.prompt, branch, positions))
        return len(found), sum(len(block.emitted) for block in found)

    count = tokens = 0.0
    for leaf in branches(run):
        count += float(leaf.probability) * leaf.result[0]
        tokens += float(leaf.probability) * leaf.result[1]
    return count, tokens


class Reading:
    """A toy tokenizer as a loaded one: with a beginning, stop ids and prompts."""

    def __init__(self, inner):
        self.inner = inner
        self.vocabulary, self.laws = inner.vocabulary, inner.laws
        self.end_of_sequence = inner.end_of_sequence
        self.beginning = ()
        self.stop_ids = frozenset({inner.end_of_sequence} - {None})
        self.encode, self.decode = inner.encode, inner.decode

    def prompt(self, text):
        return self.beginning + tuple(self.encode(text))


def loaded(model, tokenizer, name):
    reading = Reading(tokenizer)
    return SimpleNamespace(
        model=Rows(model),
        tokenizer=reading,
        name=name,
        parameters=7,
        config=None,
        stop_ids=reading.stop_ids,
    )


def loaded_pair(pair: Pair):
    return [
        loaded(pair.target, pair.target_tokenizer, "big"),
        loaded(pair.drafter, pair.drafter_tokenizer, "small"),
    ]
