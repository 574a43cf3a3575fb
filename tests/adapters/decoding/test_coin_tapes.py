"""One tape through exact laws and through tensors: the same decisions, up to the stated bound.

Every decision compares a coin with a threshold. Tensors round thresholds: sums of at most a few
numbers below one, each within one rounding, so by less than `BOUND` for the type. Where the two
runs first decide differently, the coin must lie within `BOUND` of the exact threshold there; it is
an error if it does not, and the count of such places is kept small by the coins being spread.
"""

import random

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import Rows, through_tensors  # noqa: E402
from draftproof.adapters.decoding.one_draft import OneDraft  # noqa: E402
from draftproof.adapters.huggingface.tensors import TensorDistribution  # noqa: E402
from draftproof.reference import rational  # noqa: E402
from draftproof.reference.chance import CoinTape  # noqa: E402
from draftproof.reference.programs import program  # noqa: E402
from draftproof.reference.slrs import slrs_round  # noqa: E402
from draftproof.reference.stop_rules import Fixed  # noqa: E402
from draftproof.toymodels.gallery import gallery  # noqa: E402

#: Rounding of a threshold, absolute: 16 units in the last place of one.
BOUND = {torch.float32: rational(16, 2**24), torch.float64: rational(16, 2**53)}
DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=pytest.mark.skipif(
            not torch.cuda.is_available(),
            reason="no CUDA device; benchmarks/cuda.py checks the same where there is one",
        ),
    ),
]
NAMES = ("standard", "block", "exact-match", "union", "tli", "slem", "slrs")
NAMES += ("slrs spelled:2", "slrs spelled:2/block")
SEEDS = range(6)


def coins(seed, edges):
    """Numerators over 2**31: spread ones, and where ``edges``, every third at a round number."""
    chosen = random.Random(seed)
    numerators = [2 * chosen.getrandbits(30) + 1 for _ in range(600)]
    if edges:
        numerators[::3] = [(chosen.randrange(20) * 2**31) // 20 for _ in numerators[::3]]
    return numerators


def run(name, pair, prompt, tape):
    if name == "slrs":
        tensors = isinstance(pair.target, Rows)
        after = OneDraft(pair).after(prompt) if tensors else None
        return slrs_round(pair, prompt, Fixed(1), tape, psi_after=after)
    name, _, form = name.partition(" ")
    return program(name, form or 2).run_round(pair, prompt, tape, None)


class Remembering(CoinTape):
    """A tape that keeps what the second coin of each kept draw was compared with."""

    def __init__(self, coins):
        super().__init__(coins)
        self.keeps = {}

    def draw_kept(self, law, keep, what=""):
        def remembered(outcome):
            self.keeps[len(self.steps)] = keep(outcome)
            return self.keeps[len(self.steps)]

        return super().draw_kept(law, remembered, what)


def thresholds(step, keep):
    """What the step's coins are compared with, exactly."""
    if step.verb == "accept":
        return [(step.coin, step.law)]
    coin, *kept = step.coin if isinstance(step.coin, tuple) else (step.coin,)
    edges, total = [], rational(0)
    for number in step.law.values():
        total += number
        edges.append(total)
    return [*((coin, edge) for edge in edges), *((other, keep) for other in kept)]


def differences(name, pair, prompt, dtype, device, numerators):
    """The first step at which tensors decide otherwise, and how near its coins were; or None."""
    exact = Remembering([rational(n, 2**31) for n in numerators])
    rounded = CoinTape([n / 2**31 for n in numerators])
    rows = through_tensors(pair, dtype, device)
    due = run(name, pair, prompt, exact)
    found = run(name, rows, prompt, rounded)
    for place, (one, two) in enumerate(zip(exact.steps, rounded.steps, strict=False)):
        assert (one.what, one.verb.startswith("d")) == (two.what, two.verb.startswith("d"))
        if (one.verb, one.outcome) != (two.verb, two.outcome):
            keep = exact.keeps.get(place)
            return min(abs(coin - edge) for coin, edge in thresholds(one, keep))
    assert found == due
    return None


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_coins_decide_the_same(name, dtype, device):
    compared = differing = 0
    for each in gallery():
        if name == "tli" and not each.pair.intersection:
            continue
        for seed in SEEDS:
            for edges in (False, True):
                distance = differences(
                    name, each.pair, each.prompt, dtype, device, coins(seed, edges)
                )
                compared += 1
                if distance is not None:
                    assert distance <= BOUND[dtype]
                    differing += 1
    assert compared > 500
    assert differing < compared / 10


def test_a_wrong_threshold_is_noticed(monkeypatch):
    """Coins moved by 0.02: somewhere a coin decides otherwise, farther than the bound."""
    quantile = TensorDistribution.quantile
    monkeypatch.setattr(
        TensorDistribution, "quantile", lambda self, coin: quantile(self, max(0.0, coin - 0.02))
    )
    found = [
        differences("standard", each.pair, each.prompt, torch.float64, "cpu", coins(seed, edges))
        for each in gallery()
        for seed in SEEDS
        for edges in (False, True)
    ]
    assert any(distance is not None and distance > BOUND[torch.float64] for distance in found)
