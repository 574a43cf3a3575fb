"""Law vectors, found again from the files by brute force."""

import math
from fractions import Fraction
from itertools import product

from vector_models import ONE, ZERO, exact, law_of, load, model_law, residual, valid


def processed(p, request, history):
    """The law that plain decoding draws from, as law.json words it."""
    name = request.get("logits_processor")
    if name == "halve-by-count":
        p = [value / 2 ** history.count(x) for x, value in enumerate(p)]
    elif name:
        last = history[-1]
        banned = {
            "no-repeat": {last} - {0},
            "grammar": {1} if last == 2 else set() if 1 in history else {2},
        }[name]
        p = [ZERO if x in banned else value for x, value in enumerate(p)]
    p = [value / sum(p) for value in p]
    ranked = sorted(range(len(p)), key=lambda x: -p[x])
    kept = ranked
    if (temperature := request.get("temperature")) is not None:
        t = Fraction(temperature["exact"])
        p = [value ** int(1 / t) for value in p] if t else [ZERO] * len(p)
        p[ranked[0]] = p[ranked[0]] or ONE
        p = [value / sum(p) for value in p]
    if "top_k" in request:
        kept = kept[: request["top_k"]]
        p = [value / sum(p[x] for x in kept) if x in kept else ZERO for x, value in enumerate(p)]
    if "top_p" in request:
        most = Fraction(request["top_p"]["exact"])
        kept = [x for k, x in enumerate(kept) if sum(p[y] for y in kept[:k]) < most]
    if "min_p" in request:
        least = Fraction(request["min_p"]["exact"]) * max(p)
        kept = [x for x in kept if p[x] >= least]
    total = sum(p[x] for x in kept)
    return [value / total if x in kept else ZERO for x, value in enumerate(p)]


def plain(given, prompt):
    """The law of plain decoding after one prompt."""
    found = {(): ONE}
    for _ in range(given["length"]):
        longer = {}
        for ids, mass in found.items():
            if ids and ids[-1] == given["request"].get("eos"):
                longer[ids] = mass
                continue
            history = [*prompt, *ids]
            law = processed(model_law(given["target"], history), given["request"], history)
            longer |= {(*ids, x): mass * value for x, value in enumerate(law) if value}
        found = longer
    return found


def due(given):
    each = [plain(given, prompt) for prompt in given["prompts"]]
    if len(each) == 1:
        return each[0]
    return {
        tuple(ids for ids, _ in parts): math.prod((mass for _, mass in parts), start=ONE)
        for parts in product(*(law.items() for law in each))
    }


def test_laws_over_drawn_drafts():
    laws = [v for v in valid("law") if v["given"]["rule"] is None]
    assert len(laws) > 40
    for vector in laws:
        assert law_of(vector["expect"]["law"]) == due(vector["given"]), vector["id"]


def block(given):
    """The law of a block by the rule that is named, over all ways in which it can go."""
    p_rows, q_rows = ([exact(row) for row in given[name]] for name in ("target_rows", "draft_rows"))
    found, reached = {}, ONE

    def add(ids, mass):
        if mass:
            found[ids] = found.get(ids, ZERO) + mass

    for j, x in enumerate(given["drafts"]):
        p, before = p_rows[j], tuple(given["drafts"][:j])
        if given["rule"] == "exact-match":
            accepted, rest = p[x], [ZERO if y == x else value for y, value in enumerate(p)]
        else:
            accepted = min(ONE, p[x] / q_rows[j][x])
            left = residual(p, q_rows[j]) or [ZERO] * len(p)
            rest = [(1 - accepted) * value for value in left]
        for y, value in enumerate(rest):
            add((*before, y), reached * value)
        reached *= accepted
    for y, value in enumerate(p_rows[-1]):
        add((*given["drafts"], y), reached * value)
    return found


def test_laws_of_blocks_with_drafts_given():
    laws = [v for v in valid("law") if v["given"]["rule"]]
    assert {v["given"]["rule"] for v in laws} == {"standard", "exact-match"}
    for vector in laws:
        found = block(vector["given"])
        assert law_of(vector["expect"]["law"]) == found, vector["id"]
        assert sum(found.values()) == 1


#: Relaxed rules in a line each: from p, q and a draft, the chance to accept it, and the law else.
RULES = {
    "law-relaxed-typical-acceptance": lambda p, q, x: (
        float(p[x]) > min(0.09, 0.3 * math.exp(sum(float(a) * math.log(a) for a in p if a))),
        [int(y == p.index(max(p))) for y in range(len(p))],
    ),
    "law-relaxed-top-two-within-delta": lambda p, q, x: (
        p[x] >= sorted(p)[-2] and p[x] >= max(p) - Fraction(1, 4),
        p,
    ),
    "law-relaxed-probability-threshold": lambda p, q, x: (p[x] >= Fraction(1, 4), p),
    "law-relaxed-lenient-ratio": lambda p, q, x: (min(ONE, 2 * p[x] / q[x]), residual(p, q) or p),
    "law-relaxed-ensemble-target": lambda p, q, x: (
        min(ONE, mixed(p, q)[x] / q[x]),
        residual(mixed(p, q), q) or p,
    ),
    "law-relaxed-ratio-near-one": lambda p, q, x: (
        ONE if p[x] / q[x] >= Fraction(9, 10) else p[x] / q[x],
        residual(p, q) or p,
    ),
}


def mixed(p, q):
    return [(3 * a + b) / 4 for a, b in zip(p, q, strict=True)]


def test_relaxed_laws():
    vectors = {v["id"]: v for v in load("law") if v["result"] == "relaxed"}
    assert vectors.keys() == RULES.keys()
    for name, vector in vectors.items():
        given, expect = vector["given"], vector["expect"]
        assert given["length"] == 1 and given["lookaheads"] == [1]
        p, q = (model_law(given[side], given["prompts"][0]) for side in ("target", "drafter"))
        found = [ZERO] * len(p)
        for x, drafted in enumerate(q):
            if drafted:
                accepted, rest = RULES[name](p, q, x)
                found[x] += drafted * Fraction(accepted)
                found = [f + drafted * (1 - Fraction(accepted)) * Fraction(value)
                         for f, value in zip(found, rest, strict=True)]  # fmt: skip
        assert law_of(expect["law"]) == {(x,): f for x, f in enumerate(found) if f}, name
        assert law_of(expect["due"]) == due(given) != law_of(expect["law"])
