"""Demand 4: a tape of coins and a branch of the enumeration take the same decisions.

Discarded kept-draws left out, they leave the same trace: the enumerator replaces "draw until kept"
by the law of the kept draw. Both directions are tried: coins made for a branch lead down that
branch, and random coins lead down some branch of those enumerated.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from draftproof.reference import (
    ALGORITHMS,
    Chance,
    CoinTape,
    ExactDistribution,
    Generation,
    Leaf,
    Rational,
    Sampler,
    Step,
    branches,
    forms,
    generate,
    program,
    rational,
)
from draftproof.toymodels import GALLERY, GalleryPair, gallery_pair
from draftproof.toymodels.strategies import pairs
from hypothesis import given, settings
from hypothesis import strategies as st

Run = Callable[[Chance], Any]

#: Pairs with a rejection, contexts, no proposals, ends, drafts of several meanings.
PAIRS = ("base", "contexts", "no-proposal", "crossing-merges", "end-ids-differ", "many-to-one")


class CoinsFor(CoinTape):
    """Chance that follows a branch's decisions, and makes the coins that would lead there.

    Before a kept draw it makes up to two draws that are thrown away, where such are possible.
    """

    def __init__(self, steps: tuple[Step, ...], generator: random.Random) -> None:
        super().__init__([])
        self._wanted = iter(steps)
        self._generator = generator
        self.coins: list[Rational] = []

    def draw(self, law: Any, what: str = "") -> Any:
        step = self._next("draw", what)
        self.coins.append(self._inside(law, step.outcome))
        return step.outcome

    def accept(self, probability: Any, what: str = "") -> bool:
        step = self._next("accept", what)
        edge = max(rational(0), min(rational(1), rational(probability)))
        low, high = (rational(0), edge) if step.outcome else (edge, rational(1))
        self.coins.append(self._between(low, high))
        return step.outcome

    def draw_kept(self, law: Any, keep: Any, what: str = "") -> Any:
        step = self._next("draw_kept", what)
        losing = [x for x in law if keep(x) < 1]
        for _ in range(self._generator.randrange(3) if losing else 0):
            x = self._generator.choice(losing)
            self.coins += [self._inside(law, x), self._between(max(rational(0), keep(x)), 1)]
        kept = min(rational(1), rational(keep(step.outcome)))
        self.coins += [self._inside(law, step.outcome), self._between(rational(0), kept)]
        return step.outcome

    def _next(self, verb: str, what: str) -> Step:
        step = next(self._wanted)
        assert (step.verb, step.what) == (verb, what)
        return step

    def _inside(self, law: ExactDistribution[Any], outcome: Any) -> Rational:
        start = rational(0)
        for x, number in law.items():
            if x == outcome:
                return self._between(start, start + number)
            start += number
        raise AssertionError(f"{outcome!r} has no mass in {law!r}")

    def _between(self, low: Rational, high: Rational | int) -> Rational:
        """A random coin in [low, high); the lower end itself now and then."""
        share = self._generator.choice([0, self._generator.randrange(1000)])
        return low + (high - low) * rational(share, 1000)


def kept_steps(steps: Any) -> tuple[Step, ...]:
    return tuple(step for step in steps if step.verb != "discarded")


def as_key(steps: Any) -> tuple[Any, ...]:
    return tuple((step.verb, step.what, step.outcome) for step in steps)


def check_branch(run: Run, leaf: Leaf[Any], seed: int, replay: type[CoinTape] = CoinTape) -> None:
    """Coins made for ``leaf`` give its result and its steps when replayed."""
    made = CoinsFor(leaf.steps, random.Random(seed))
    assert run(made) == leaf.result
    tape = replay(made.coins)
    assert run(tape) == leaf.result
    assert kept_steps(tape.steps) == leaf.steps
    assert tape.spent == len(made.coins)


def check_tape(run: Run, leaves: dict[tuple[Any, ...], Leaf[Any]], seed: int) -> None:
    """A random tape leads down one of the branches, with its result and steps."""
    tape = Sampler(seed)
    result = run(tape)
    leaf = leaves[as_key(kept_steps(tape.steps))]
    assert leaf.result == result
    assert leaf.steps == kept_steps(tape.steps)
    replayed = CoinTape(coins_of(tape))
    assert run(replayed) == result
    assert replayed.steps == tape.steps


def coins_of(tape: CoinTape) -> list[Any]:
    coins: list[Any] = []
    for step in tape.steps:
        coins += step.coin if isinstance(step.coin, tuple) else (step.coin,)
    return coins


def one_round(named: GalleryPair, name: str, form: str) -> Run:
    made = program(name, form)
    return lambda chance: made.run_round(named.pair, named.prompt, chance, None)


def whole_run(named: GalleryPair, name: str, form: str, tokens: int) -> Callable[..., Generation]:
    made = program(name, form)
    return lambda chance: generate(made.run_round, named.pair, named.prompt, chance, tokens)


def enumerated(run: Run) -> dict[tuple[Any, ...], Leaf[Any]]:
    return {as_key(leaf.steps): leaf for leaf in branches(run)}


EVERY_FORM = [(name, form) for name in ALGORITHMS for form in forms(name, 2)]


@pytest.mark.parametrize(("name", "form"), EVERY_FORM)
@pytest.mark.parametrize("pair_name", PAIRS)
def test_one_round(pair_name: str, name: str, form: str) -> None:
    """Every branch by coins of its own; random tapes by the branches."""
    run = one_round(gallery_pair(pair_name), name, form)
    leaves = enumerated(run)
    for seed, leaf in enumerate(leaves.values()):
        check_branch(run, leaf, seed)
    for seed in range(20):
        check_tape(run, leaves, seed)


@pytest.mark.parametrize(("name", "form"), EVERY_FORM)
def test_whole_runs(name: str, form: str) -> None:
    """Three tokens, several rounds with what they carry, an end of sequence on the way."""
    run = whole_run(gallery_pair("end-ids-differ"), name, form, 3)
    leaves = enumerated(run)
    assert sum((leaf.probability for leaf in leaves.values()), rational(0)) == 1
    for seed, leaf in enumerate(list(leaves.values())[:200]):
        check_branch(run, leaf, seed)
    for seed in range(20):
        check_tape(run, leaves, seed)


@settings(max_examples=40)
@given(pairs(), st.sampled_from(EVERY_FORM), st.integers(0, 2**32))
def test_one_round_on_random_pairs(named: GalleryPair, form: tuple[str, str], seed: int) -> None:
    if form[0] == "tli" and not named.pair.intersection:
        return
    run = one_round(named, *form)
    leaves = enumerated(run)
    check_tape(run, leaves, seed)
    chosen = random.Random(seed).choice(list(leaves.values()))
    check_branch(run, chosen, seed)


class Descending(CoinTape):
    """Planted: draws go through the outcomes from the last to the first."""

    def draw(self, law: Any, what: str = "") -> Any:
        coin = self._coin()
        reverse = ExactDistribution({-x: number for x, number in law.items()})
        outcome = -reverse.quantile(coin)
        self.steps.append(Step("draw", what, outcome, law, coin))
        return outcome


class AcceptsAtTheEdge(CoinTape):
    """Planted: a coin equal to the probability accepts."""

    def accept(self, probability: Any, what: str = "") -> bool:
        coin = self._coin()
        accepted = bool(coin <= probability)
        self.steps.append(Step("accept", what, accepted, probability, coin))
        return accepted


class KeepsEverything(CoinTape):
    """Planted: the second coin of a kept draw is not looked at."""

    def draw_kept(self, law: Any, keep: Any, what: str = "") -> Any:
        return super().draw_kept(law, lambda _: 1, what)


@pytest.mark.parametrize(
    ("planted", "name"),
    [(Descending, "standard"), (AcceptsAtTheEdge, "standard"), (KeepsEverything, "slrs")],
)
def test_a_planted_fault_leaves_the_branch(planted: type[CoinTape], name: str) -> None:
    """The check of `test_one_round` fails for a tape that spends its coins otherwise."""
    run = one_round(gallery_pair("base"), name, "fixed:2")
    failures = 0
    for seed, leaf in enumerate(enumerated(run).values()):
        try:
            check_branch(run, leaf, seed, planted)
        except (AssertionError, ValueError):
            failures += 1
    assert failures > 0


def test_every_gallery_pair_is_sampled_down_a_branch() -> None:
    """All pairs, the several-token SLRS, which uses all three verbs."""
    for pair_name in GALLERY:
        run = one_round(gallery_pair(pair_name), "slrs", "fixed:2")
        leaves = enumerated(run)
        for seed in range(5):
            check_tape(run, leaves, seed)
