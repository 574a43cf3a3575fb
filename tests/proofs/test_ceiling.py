"""The ceiling: certificates hold exactly, block verification reaches it, and it is a maximum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from draftproof.proofs import ceiling as module
from draftproof.reference import Ids, Pair, Rational, program, rational, stop_rule
from draftproof.reference.exact import ONE, ZERO
from draftproof.toymodels import gallery, gallery_pair
from draftproof.toymodels.strategies import two_vocabulary_pairs
from hypothesis import given, settings

linprog = pytest.importorskip("scipy.optimize", reason="needs scipy").linprog

RULES = ("fixed:1", "fixed:2", "determined:1/cap:3", "lookup:2/cap:3", "longest:2")


def closed_form(pair: Pair, context: Ids, slug: str) -> Rational:
    """The largest R(v), from the front: R(v x) = min(P(begins with v x), R(v) p(x | v))."""
    law = module.proposed(pair, context, stop_rule(slug))
    begins: dict[Ids, Rational] = {}
    for ids, number in law.items():
        for k in range(len(ids) + 1):
            begins[ids[:k]] = begins.get(ids[:k], ZERO) + number
    reached = {(): ONE}
    for v in sorted(begins, key=len):
        if v:
            p = pair.target.distributions(context + v[:-1])[0]
            reached[v] = min(begins[v], reached[v[:-1]] * p[v[-1]])
    return sum(reached.values(), ZERO) - 1


def check(pair: Pair, context: Ids, slug: str) -> None:
    """Certificate, closed form and algorithms at one context."""
    rule = stop_rule(slug)
    found = module.ceiling(module.one_pass_programme(pair, context, rule))
    assert found.holds()
    assert found.repaired == 0
    assert found.bound == closed_form(pair, context, slug)
    by_each = module.accepted_by_each(pair, context, rule)
    assert by_each["SLRS, block"] == found.bound  # the gap is exactly zero
    assert max(by_each.values()) == found.bound
    assert found.bound <= module.coupling_bound(pair, context, rule)


@pytest.mark.parametrize("slug", RULES)
def test_block_verification_reaches_the_ceiling_on_the_gallery(slug: str) -> None:
    for named in gallery():
        check(named.pair, named.prompt, slug)


@settings(max_examples=30)
@given(two_vocabulary_pairs())
def test_block_verification_reaches_the_ceiling_on_random_pairs(named: Any) -> None:
    """Also where a law has zeros, a proposal nothing, or the target an end of sequence."""
    check(named.pair, named.prompt, "fixed:2")


def test_token_by_token_is_below_it_somewhere() -> None:
    named = gallery_pair("base")
    by_each = module.accepted_by_each(named.pair, named.prompt, stop_rule("fixed:3"))
    assert by_each["SLRS"] == rational(1533, 1000)
    assert by_each["SLRS, block"] == rational(339, 200)


def largest_coupling(pair: Pair, context: Ids, slug: str) -> float:
    """The largest expected common beginning over joint laws, by linear programming over all."""
    law = module.proposed(pair, context, stop_rule(slug))
    longest = max(map(len, law))
    due: dict[Ids, Rational] = {(): ONE}
    for _ in range(longest):
        due = {
            ids if ids[-1:] == (pair.end_of_sequence,) and ids else (*ids, x): (
                number if ids[-1:] == (pair.end_of_sequence,) and ids else number * p
            )
            for ids, number in due.items()
            for x, p in pair.target.distributions(context + ids)[0].items()
        }
    cells = [(c, y) for c in law for y in due]

    def common(c: Ids, y: Ids) -> int:
        return next(
            (k for k, (a, b) in enumerate(zip(c, y, strict=False)) if a != b), min(len(c), len(y))
        )

    rows = [[float(c == one) for c, _ in cells] for one in law]
    rows += [[float(y == one) for _, y in cells] for one in due]
    solved = linprog(
        [-common(c, y) for c, y in cells],
        A_eq=rows,
        b_eq=[float(n) for n in (*law.values(), *due.values())],
        method="highs",
    )
    assert solved.status == 0
    return -float(solved.fun)


@pytest.mark.parametrize("name", ["base", "composition", "no-proposal", "end-ids-differ"])
def test_the_coupling_bound_is_the_largest_coupling(name: str) -> None:
    named = gallery_pair(name)
    bound = module.coupling_bound(named.pair, named.prompt, stop_rule("fixed:2"))
    found = largest_coupling(named.pair, named.prompt, "fixed:2")
    assert abs(found - float(bound)) < 1e-9  # the solver works in floats


def test_what_is_lossy_can_be_above_the_ceiling() -> None:
    """The planted fault: accepting all candidates; the bound does not cover it."""
    named = gallery_pair("composition")
    rule = stop_rule("fixed:2")
    bound = module.ceiling(module.one_pass_programme(named.pair, named.prompt, rule)).bound
    everything = sum(
        (len(ids) * n for ids, n in module.proposed(named.pair, named.prompt, rule).items()), ZERO
    )
    assert everything > bound
    assert module.accepted(program("slrs", "fixed:2"), named.pair, named.prompt) <= bound


def test_a_certificate_that_was_tampered_with_does_not_hold() -> None:
    named = gallery_pair("merging-target")
    found = module.ceiling(
        module.one_pass_programme(named.pair, named.prompt, stop_rule("fixed:2"))
    )
    lower = dict(found.certificate)
    row = next(row for row in lower if row[0] == "proposed")
    lower[row] -= rational(1, 10**6)
    programme = found.programme
    tampered = replace(found, certificate=lower, bound=programme.value(lower))
    assert not tampered.holds()
    assert not replace(found, bound=found.bound - rational(1, 1000)).holds()


def test_a_coarse_rounding_is_repaired_and_says_so() -> None:
    named = gallery_pair("base")
    programme = module.one_pass_programme(named.pair, named.prompt, stop_rule("fixed:3"))
    floats = module._dual(programme)
    coarse = module._certified(programme, {row: n + 0.01 for row, n in floats.items()}, 3)
    assert coarse.holds()
    assert coarse.repaired > 0
    assert coarse.bound >= module.ceiling(programme).bound
