"""SLRS with laws as tensors: the same lines, the same coins, the same rounds as with rationals."""

from __future__ import annotations

import random
from typing import Any

import pytest
from draftproof.reference import (
    BoundedPsi,
    CoinTape,
    Ids,
    LazyPsi,
    Pair,
    rational,
    slrs_block_kept_round,
    slrs_round,
    states_psi,
    stop_rule,
    tree_law,
)
from draftproof.toymodels import gallery

torch = pytest.importorskip("torch")


class AsTensors:
    """A toy model whose laws are rows of float64."""

    def __init__(self, model: Any) -> None:
        from draftproof.adapters.huggingface.tensors import TensorDistribution

        self._model, self._kind = model, TensorDistribution
        self.size = model.size
        self.state = getattr(model, "state", None)

    def distributions(self, context: Ids, continuation: Ids = ()) -> Any:
        rows = self._model.distributions(context, continuation)
        return [
            self._kind(torch.tensor([float(law[x]) for x in range(self.size)], dtype=torch.float64))
            for law in rows
        ]


def on_tensors(pair: Pair) -> Pair:
    return Pair(
        AsTensors(pair.target),
        AsTensors(pair.drafter),
        pair.target_tokenizer,
        pair.drafter_tokenizer,
    )


@pytest.mark.parametrize("several", [slrs_round, slrs_block_kept_round])
@pytest.mark.parametrize("version", [LazyPsi, BoundedPsi])
def test_the_same_coins_give_the_same_rounds(version: Any, several: Any) -> None:
    """Six seeds on every pair: float64 against rationals; no coin lies within rounding of a bound.

    Coins are multiples of 2^-53 from fixed seeds, so that this either holds or does not.
    """
    rule = stop_rule("determined:2/cap:3")
    for named in gallery():
        floats = on_tensors(named.pair)
        for seed in range(6):
            rounds = []
            numbers = random.Random(seed)
            drawn = [numbers.getrandbits(53) for _ in range(400)]
            tapes = [rational(n, 1 << 53) for n in drawn], [n / (1 << 53) for n in drawn]
            for pair, coins in zip((named.pair, floats), tapes, strict=True):
                psi_after = version(pair, named.prompt, rule).after
                chance = CoinTape(coins)
                block = several(pair, named.prompt, rule, chance, psi_after=psi_after)
                rounds.append((block, chance.spent))
            assert rounds[0] == rounds[1], named.name


def test_the_numbers_are_those_of_the_rationals() -> None:
    rule = stop_rule("fixed:2")
    for named in gallery():
        floats = on_tensors(named.pair)
        exact = tree_law(named.pair, named.prompt, rule)
        near = tree_law(floats, named.prompt, rule)
        assert set(exact) == set(near)
        assert all(abs(float(near[ids]) - float(exact[ids])) < 1e-12 for ids in exact)
        if named.pair.drafter_tokenizer.laws.concatenative:
            merged = states_psi(floats, named.prompt, rule)
            due = states_psi(named.pair, named.prompt, rule)
            assert all(abs(float(merged[t]) - float(due[t])) < 1e-12 for t in due)
