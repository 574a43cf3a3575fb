"""Enumeration: all branches, each once, adding up to one; programs that cannot be enumerated."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from draftproof.reference import (
    Branch,
    Chance,
    DistributionError,
    DivergenceError,
    ExactDistribution,
    Rational,
    branches,
    exact_law,
    rational,
)
from draftproof.toymodels.strategies import distributions
from hypothesis import given
from hypothesis import strategies as st

HALVES = ExactDistribution({0: rational(1, 2), 1: rational(1, 2)})

#: A random program: a decision with what follows each of its answers, or a result.
trees = st.recursive(
    st.integers(0, 3),
    lambda inner: st.one_of(
        st.tuples(st.just("draw"), distributions(3), st.lists(inner, min_size=3, max_size=3)),
        st.tuples(
            st.just("accept"),
            st.fractions(-1, 2, max_denominator=5).map(rational),
            st.lists(inner, min_size=2, max_size=2),
        ),
    ),
    max_leaves=12,
)


def run(tree: Any, chance: Chance) -> int:
    while not isinstance(tree, int):
        verb, law, following = tree
        answer = chance.draw(law) if verb == "draw" else chance.accept(law)
        tree = following[answer]
    return tree


def law_of(tree: Any) -> dict[int, Rational]:
    """The law of a tree's result, by recursion over the tree."""
    if isinstance(tree, int):
        return {tree: rational(1)}
    verb, law, following = tree
    if verb == "accept":
        p = max(rational(0), min(rational(1), law))
        law = {False: 1 - p, True: p}
    total: dict[int, Rational] = {}
    for answer, branch in enumerate(following):
        weight = law[answer]
        for result, number in law_of(branch).items():
            total[result] = total.get(result, rational(0)) + weight * number
    return {result: number for result, number in total.items() if number}


@given(trees)
def test_the_law_of_a_random_program(tree: Any) -> None:
    """Mass one, the law found by recursion, every branch once."""
    leaves = list(branches(lambda chance: run(tree, chance)))
    assert sum((leaf.probability for leaf in leaves), rational(0)) == 1
    assert all(leaf.probability > 0 for leaf in leaves)
    assert exact_law(lambda chance: run(tree, chance)) == ExactDistribution(law_of(tree))
    paths = [tuple((step.verb, step.outcome) for step in leaf.steps) for leaf in leaves]
    assert len(set(paths)) == len(paths)


@given(trees)
def test_a_program_sees_nothing_of_the_enumeration(tree: Any) -> None:
    """Steps along a branch are decisions with their laws, as the tree has them."""
    for leaf in branches(lambda chance: run(tree, chance)):
        node = tree
        for step in leaf.steps:
            verb, law, following = node
            assert (step.verb, step.law) == (verb, law)
            node = following[step.outcome]
        assert node == leaf.result


def test_a_program_without_choices_has_one_branch() -> None:
    leaves = list(branches(lambda chance: chance.draw(ExactDistribution.certain("x"))))
    assert [(leaf.result, leaf.probability) for leaf in leaves] == [("x", 1)]


def options_vary() -> Callable[[Branch], int]:
    calls = iter(range(100))
    return lambda chance: (
        chance.draw(HALVES)
        if next(calls) % 2
        else chance.draw(
            ExactDistribution({0: rational(1, 3), 1: rational(1, 3), 2: rational(1, 3)})
        )
    )


def order_of_decisions_varies() -> Callable[[Branch], int]:
    calls = iter(range(100))

    def program(chance: Branch) -> int:
        draws = 1 + next(calls) % 3
        return sum(chance.draw(HALVES) for _ in range(draws))

    return program


@pytest.mark.parametrize("hidden", [options_vary, order_of_decisions_varies])
def test_hidden_state_is_noticed(hidden: Callable[[], Callable[[Branch], int]]) -> None:
    """A program that counts its calls does something else on the next branch."""
    with pytest.raises((DivergenceError, DistributionError)):
        exact_law(hidden())


def test_randomness_from_elsewhere_is_noticed() -> None:
    """Decisions that hang on another generator change between branches."""
    generator = random.Random(0)

    def program(chance: Branch) -> int:
        law = ExactDistribution.from_weights({0: 1, 1: generator.randrange(1, 10)})
        return chance.draw(law) + chance.draw(HALVES)

    with pytest.raises((DivergenceError, DistributionError)):
        exact_law(program)


def test_what_is_caught_ends_a_branch() -> None:
    """An exception named in ``catch`` is a leaf with its probability; others end everything."""

    def program(chance: Branch) -> int:
        if chance.draw(HALVES):
            raise KeyError("x")
        return 0

    leaves = list(branches(program, catch=KeyError))
    assert [leaf.result for leaf in leaves] == [0, None]
    assert isinstance(leaves[1].error, KeyError)
    assert [leaf.probability for leaf in leaves] == [rational(1, 2)] * 2
    with pytest.raises(KeyError):
        list(branches(program))


def test_only_exact_laws_of_full_mass_are_enumerated() -> None:
    class Foreign:
        """A distribution of another kind."""

    with pytest.raises(TypeError, match="only exact distributions can be enumerated, not Foreign"):
        exact_law(lambda chance: chance.draw(Foreign()))  # type: ignore[arg-type]
    half = ExactDistribution({0: rational(1, 2)}, sub_stochastic=True)
    with pytest.raises(DistributionError, match="cannot draw from a law of mass 1/2"):
        exact_law(lambda chance: chance.draw(half))
