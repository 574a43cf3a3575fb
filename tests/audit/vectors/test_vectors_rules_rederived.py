"""Coin, rows, block, stopping and pruned vectors, found again from the files by brute force."""

import math
from fractions import Fraction
from itertools import accumulate, product

import pytest
from vector_models import (
    ONE,
    ZERO,
    exact,
    inverted,
    law_of,
    load,
    model_law,
    played,
    residual,
    valid,
)


def test_coin_vectors():
    for vector in valid("coin"):
        assert played(vector["given"]) == vector["expect"]["ids"], vector["id"]


def test_coin_vectors_mean_one_thing_in_every_arithmetic():
    """Dyadic rows: u < p/q and u q < p agree in float64, as do both ways of inverting."""
    for vector in valid("coin"):
        given, flags = vector["given"], vector["flags"]
        unit = Fraction(1, 2 ** int(given["unit"].removeprefix("2^-")))
        coins = [*given["coins"]["accept"], given["coins"]["final"]]
        for coin in coins:
            u = Fraction(coin["exact"])
            assert u == Fraction(coin["float"]) and 0 <= u < 1 and (u / unit).denominator == 1
        if "rounding" in flags:
            continue
        for j, x in enumerate(given["drafts"]):
            p, q = (given[name][j]["float"] for name in ("target_rows", "draft_rows"))
            u, ratio = coins[j]["float"], Fraction(p[x]) / Fraction(q[x])
            assert Fraction(p[x] / q[x]) == ratio
            assert (u < p[x] / q[x]) == (u * q[x] < p[x]) == (Fraction(u) < ratio)
            left = [max(0.0, a - b) for a, b in zip(p, q, strict=True)]
            total = math.fsum(left)
            if total:
                u = coins[-1]["float"]
                assert [Fraction(v / total) for v in left] == residual(*map(fractions, (p, q)))
                scaled = next((y for y, r in enumerate(accumulate(left)) if u * total < r), None)
                assert scaled == inverted([v / total for v in left], u)


def fractions(row):
    return [Fraction(value) for value in row]


def test_every_edge_of_a_coin_is_there():
    """0, just below 1, at a threshold, and one unit to either side, on both grids."""
    names = {vector["id"] for vector in valid("coin")}
    for grid in ("float64", "float32"):
        for place in ("zero", "below-one", "threshold", "below", "above"):
            for end in ("low", "high"):
                assert f"coin-two-left-accept-1-{place}-{end}-{grid}" in names
    flags = {flag for vector in valid("coin") for flag in vector["flags"]}
    assert {"accept-boundary", "final-boundary", "one-unit", "coin-reuse"} <= flags


def test_final_coins_that_matter_are_flagged():
    for vector in valid("coin"):
        given = vector["given"]
        ids = set()
        for final in ("0/1", f"{2**53 - 1}/{2**53}"):  # the lowest and the highest id that can be
            coins = given["coins"] | {"final": {"exact": final}}
            ids.add(tuple(played(given | {"coins": coins})))
        assert (len(ids) > 1) == ("final-inverse-cdf" in vector["flags"]), vector["id"]


def test_rows_vectors():
    for vector in valid("rows"):
        p, q = (exact(vector["given"][name]) for name in ("target_row", "draft_row"))
        expect = vector["expect"]
        for a, b, accepted in zip(p, q, expect["acceptance"]["exact"], strict=True):
            assert (None if not b else min(ONE, a / b)) == (accepted and Fraction(accepted))
        assert Fraction(expect["overlap"]["exact"]) == sum(map(min, p, q))
        found = expect["residual"] and exact(expect["residual"])
        assert found == residual(p, q), vector["id"]


# ---- the rest -----------------------------------------------------------------------------------


def verified(p_rows, q_rows, drafts):
    """P_0..P_K, h_1..h_K, the law of tau and the final laws of block verification."""
    kept, h = [ONE], []
    for j, x in enumerate(drafts):
        kept.append(min(ONE, kept[j] * p_rows[j][x] / q_rows[j][x]))
    for i in range(1, len(drafts)):
        z = sum(max(ZERO, kept[i] * a - b) for a, b in zip(p_rows[i], q_rows[i], strict=True))
        h.append(z / (z + 1 - kept[i]) if z + 1 - kept[i] else ONE)
    h += kept[-1:] if drafts else []
    tau = dict.fromkeys(range(len(drafts) + 1), ZERO)
    for coins in product([True, False], repeat=len(h)):  # each coin on its own, all looked at
        last = max((i for i, passed in enumerate(coins, 1) if passed), default=0)
        tau[last] += math.prod(
            (t if passed else 1 - t for t, passed in zip(h, coins, strict=True)), start=ONE
        )
    finals = [
        (p_rows[i] if i == len(drafts) else residual(p_rows[i], q_rows[i], kept[i]))
        if share
        else None
        for i, share in tau.items()
    ]
    return kept, h, list(tau.values()), finals


def test_block_vectors():
    for vector in load("block"):
        given, expect = vector["given"], vector["expect"]
        if "accepted" in expect:
            mean = ZERO
            for drafts in product(range(given["target"]["vocabulary"]), repeat=given["lookahead"]):
                seen = [[*given["prompt"], *drafts[:j]] for j in range(len(drafts) + 1)]
                q_rows = [model_law(given["drafter"], ids) for ids in seen[:-1]]
                mass = math.prod((q[x] for q, x in zip(q_rows, drafts, strict=True)), start=ONE)
                if mass:
                    p_rows = [model_law(given["target"], ids) for ids in seen]
                    tau = verified(p_rows, q_rows, drafts)[2]
                    mean += mass * sum(i * share for i, share in enumerate(tau))
            assert Fraction(expect["accepted"]["exact"]) == mean
            continue
        p_rows, q_rows = ([exact(r) for r in given[n]] for n in ("target_rows", "draft_rows"))
        kept, h, tau, finals = verified(p_rows, q_rows, given["drafts"])
        assert [exact(expect[name]) for name in ("kept", "thresholds", "tau")] == [kept, h, tau]
        assert [final and exact(final) for final in expect["final"]] == finals, vector["id"]
        law = {
            (*given["drafts"][:i], y): share * value
            for i, (share, final) in enumerate(zip(tau, finals, strict=True))
            for y, value in enumerate(final or ())
            if value
        }
        assert law_of(expect["law"]) == law, vector["id"]


def test_stopping_vectors():
    for vector in valid("stopping"):
        given, ids, ended = vector["given"], list(vector["given"]["new"]), False
        for token in given["block"]:
            if ended or len(ids) == given["max_new_tokens"]:
                break
            ids.append(token)
            ended = token == given["end_of_sequence"]
        finished = ended or len(ids) == given["max_new_tokens"]
        assert vector["expect"] == {"ids": ids, "ended": ended, "finished": finished}, vector["id"]


def test_pruned_vectors():
    for vector in valid("pruned"):
        given = vector["given"]
        q = [ZERO] * given["vocabulary"]
        for column, token in enumerate(given["id_of_column"]):
            if token is not None:
                source = given.get("columns") or given["model"]
                q[token] = exact(source)[column if "columns" in given else token]
        ids = [token for token in given["id_of_column"] if token is not None]
        share = [Fraction(token in ids, len(ids)) for token in range(given["vocabulary"])]
        q = [value / sum(q) for value in q] if any(q) else share
        assert exact(vector["expect"]["q"]) == q, vector["id"]


@pytest.mark.parametrize("kind", ["coin", "rows", "law", "stopping", "pruned"])
def test_invalid_vectors_are_refused_for_what_is_wrong_with_them(kind):
    refused = [v for v in load(kind) if v["result"] == "invalid"]
    assert refused
    for vector in refused:
        assert WRONG[vector["expect"]["refused"]](vector["given"]), vector["id"]


def rows_of(given):
    return [*given.get("target_rows", ()), *given.get("draft_rows", ())]


WRONG = {
    "a row holds NaN": lambda g: any(None in row["exact"] for row in rows_of(g)),
    "a draft is outside the vocabulary": lambda g: max(g["drafts"]) >= g["vocabulary"],
    "a draft has q = 0": lambda g: exact(g["draft_rows"][0])[g["drafts"][0]] == 0,
    "a target row is missing": lambda g: len(g["target_rows"]) <= len(g["drafts"]),
    "a probability is negative": lambda g: min(exact(g["target_row"])) < 0,
    "a row does not sum to one": lambda g: sum(exact(g["target_row"])) != 1,
    "the rows have different lengths": lambda g: (
        len(exact(g["target_row"])) != len(exact(g["draft_row"]))
    ),
    "a round emits at least one id": lambda g: not g["block"],
    "max_new_tokens is at least 1": lambda g: g["max_new_tokens"] < 1,
    "an id has two columns": lambda g: len(set(g["id_of_column"])) < len(g["id_of_column"]),
    "an id is outside the vocabulary": lambda g: max(g["id_of_column"]) >= g["vocabulary"],
    "no column has an id": lambda g: not any(x is not None for x in g["id_of_column"]),
}
