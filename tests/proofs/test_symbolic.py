"""Formulas: their arithmetic, the cases they split into, and laws that are formulas."""

import itertools
from fractions import Fraction

import pytest

pytest.importorskip("z3", reason="needs z3: pip install 'draftproof[proofs]'")

from draftproof.audit.examples import EXAMPLES
from draftproof.proofs.checks import small_laws, small_pair
from draftproof.proofs.counterexamples import counterexample
from draftproof.proofs.exhaustion import expressible, smallest
from draftproof.proofs.formulas import Symbols, UndecidedSignError
from draftproof.proofs.signs import cases, within
from draftproof.proofs.symbolic import law_formulas, symbolic_pair
from draftproof.reference import rational, standard_round
from draftproof.reference.block_verification import block_round
from draftproof.reference.enumeration import exact_law
from hypothesis import given, settings
from hypothesis import strategies as st

VALUES = st.fractions(min_value=Fraction(1, 9), max_value=Fraction(8, 9), max_denominator=9)


def two():
    symbols = Symbols(("x", "y"))
    return symbols, symbols.symbol("x"), symbols.symbol("y")


@given(VALUES, VALUES)
def test_formulas_compute_as_rationals_do(a, b):
    _, x, y = two()
    values = {"x": rational(a), "y": rational(b)}
    u, v = rational(a), rational(b)
    for formula, number in (
        (x + y, u + v),
        (1 - x * y, 1 - u * v),
        (x / (x + y) - y, u / (u + v) - v),
        ((x * x - y * y) / (x + y), u - v),
        (rational(2, 3) * x / y, rational(2, 3) * u / v),
    ):
        assert formula.at(values) == number
    assert str((x * x - y * y) / (x + y)) == "x - y"


def test_formulas_are_handed_over_to_sympy():
    sympy = pytest.importorskip("sympy", reason="needs sympy: pip install 'draftproof[proofs]'")
    _, x, y = two()
    a, b = sympy.symbols("x y")
    assert sympy.simplify(((x - y) / (1 - x * y)).as_sympy() - (a - b) / (1 - a * b)) == 0
    made = symbolic_pair(2, 1)
    p = made.pair.target.distributions((0,))[0]
    assert str(p[0].as_sympy()) == "p(0|0)"


def test_a_comparison_outside_of_cases_raises():
    _, x, y = two()
    with pytest.raises(UndecidedSignError, match="x - y"):
        assert x < y
    assert x / x == 1


def test_every_case_is_run_and_no_impossible_one():
    symbols, x, y = two()
    found = list(cases(symbols, lambda: (x < y, y < x, max(x, y), x + y > 0)))
    assert [(less, more) for less, more, _, _ in (f.result for f in found)] == [
        (False, True),
        (True, False),
        (False, False),
    ]
    assert all(positive for *_, positive in (f.result for f in found))
    assert [str(f.case) for f in found] == ["x - y > 0", "x - y < 0", "x - y = 0"]


def test_a_finished_case_is_not_split_further():
    symbols, x, y = two()
    (found,) = cases(symbols, lambda: x)
    with pytest.raises(UndecidedSignError, match="open"):
        within(found.case, lambda: x < y)


def test_equal_in_a_case_though_not_everywhere():
    symbols, x, y = two()
    *_, last = cases(symbols, lambda: x < y)
    assert last.case.equal(x, y)
    assert not last.case.equal(x, x * y)


@pytest.mark.parametrize(("run", "lookahead"), [(standard_round, 1), (block_round, 2)])
@settings(max_examples=5)
@given(data=st.data())
def test_the_formulas_are_the_exact_law(run, lookahead, data):
    """At rational laws the formulas of the case that holds there give the enumerated law."""
    p, q = (data.draw(st.sampled_from([law for law in small_laws(2, 7) if all(law)])) for _ in "pq")
    made = symbolic_pair(2, 0)
    values = {"p0": p[0], "q0": q[0]}
    exact = exact_law(lambda chance: run(small_pair(p, q), (), lookahead, chance).emitted)
    matching = 0
    for found in law_formulas(made, lambda a, c, chance: run(a, c, lookahead, chance)):
        signs = [(atom(p[0], q[0]), sign) for atom, sign in found.case.chosen]
        if all((value > 0) - (value < 0) == sign for value, sign in signs):
            matching += 1
            assert {ids: f.at(values) for ids, f in found.result.law.items()} == dict(exact)
    assert matching == 1


def test_z3_finds_where_a_wrong_rule_fails_and_nothing_where_a_right_one_is():
    wrong = counterexample(EXAMPLES["resample-from-p"].run_round, 2, 1)
    assert wrong is not None
    assert wrong.distance > 0
    assert counterexample(standard_round, 2, 1) is None


def test_the_smallest_pair_is_the_first_of_all():
    found = smallest(
        EXAMPLES["psi-of-one-draft"].program, [(2, 1), (2, 2), (3, 1), (3, 2)], applies=expressible
    )
    assert found is not None
    assert (found.target, found.drafter, found.lookahead) == (("a", "aa"), ("a",), 2)
    assert found.distance == rational(1, 2)
    assert smallest(EXAMPLES["psi-of-one-draft"].program, [(2, 1), (2, 2)]) is None


def test_all_small_laws_are_listed():
    assert len(list(small_laws(3, 4))) == 15
    assert all(sum(law) == 1 for law in small_laws(3, 4))
    assert len(set(itertools.chain(small_laws(2, 3)))) == 4
