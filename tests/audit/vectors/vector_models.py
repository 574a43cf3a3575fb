"""Small independent models in fractions, written from the format page alone."""

import json
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import accumulate

ONE, ZERO = Fraction(1), Fraction(0)
FOLDER = resources.files("draftproof.vectors")


@cache
def load(kind):
    """The vectors of a kind, from its file."""
    return json.loads(FOLDER.joinpath(f"{kind}.json").read_text(encoding="utf-8"))["vectors"]


def valid(kind):
    return [vector for vector in load(kind) if vector["result"] == "valid"]


def exact(row):
    return [Fraction(value) for value in row["exact"]]


def law_of(listed):
    """A law from a file, as a mapping; batches have tuples of tuples."""
    return {_key(each["ids"]): Fraction(each["probability"]["exact"]) for each in listed}


def _key(ids):
    return tuple(tuple(part) if isinstance(part, list) else part for part in ids)


def residual(p, q, scale=1):
    left = [max(Fraction(0), scale * a - b) for a, b in zip(p, q, strict=True)]
    return [value / sum(left) for value in left] if any(left) else None


def inverted(law, coin):
    return next(x for x, reached in enumerate(accumulate(law)) if coin < reached)


def played(given, fault=None):
    """The standard rule at a coin vector's coins; with a fault, that decoder instead."""
    p_rows, q_rows = ([exact(row) for row in given[name]] for name in ("target_rows", "draft_rows"))
    accept = [Fraction(coin["exact"]) for coin in given["coins"]["accept"]]
    final = Fraction(given["coins"]["final"]["exact"])
    for j, x in enumerate(given["drafts"]):
        p, q = p_rows[j], q_rows[j]
        ratio = min(Fraction(1), p[x] / q[x])
        if accept[j] <= ratio if fault == "at-most" else accept[j] < ratio:
            continue
        # Behind a threshold of 1 nothing is left, and only a wrong rule comes here.
        coin = accept[j] if fault == "reused" else final
        return [*given["drafts"][:j], inverted(residual(p, q), coin)]
    return [*given["drafts"], inverted(p_rows[-1], final)]


def model_law(model, ids):
    """The law after ``ids``: that of the longest suffix listed."""
    by_suffix = {tuple(each["suffix"]): each["law"] for each in model["after"]}
    ids = tuple(ids)
    return next(exact(by_suffix[ids[k:]]) for k in range(len(ids) + 1) if ids[k:] in by_suffix)
