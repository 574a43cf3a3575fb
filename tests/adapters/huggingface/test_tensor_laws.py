"""Tensor laws against exact ones: the same numbers, the same decisions from the same coins."""

import random
from itertools import pairwise

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")

from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.tensors import IndexMaps, TensorDistribution  # noqa: E402
from draftproof.reference import ExactDistribution, Pair, rational  # noqa: E402
from draftproof.reference.chance import CoinTape  # noqa: E402
from draftproof.reference.distribution import DistributionError  # noqa: E402
from draftproof.reference.programs import program  # noqa: E402
from draftproof.toymodels.gallery import gallery  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

WEIGHTS = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any)
KEPT = frozenset({0, 2, 3})


def both(weights):
    exact = ExactDistribution.from_weights(dict(enumerate(weights)))
    return exact, TensorDistribution(as_row(exact, len(weights)))


def as_row(exact, size):
    row = torch.zeros(size, dtype=torch.float64)
    for token, number in exact.items():
        row[token] = int(number.p) / int(number.q)
    return row


def close(tensor, exact, size=5):
    return torch.allclose(tensor.row[:size], as_row(exact, size), rtol=0, atol=1e-15)


@given(WEIGHTS, WEIGHTS, st.sampled_from(["1", "1/2", "3/4"]))
def test_numbers_are_those_of_exact_laws(one, two, scale):
    (p, tp), (q, tq) = both(one), both(two)
    s = rational(scale)
    fs = int(s.p) / int(s.q)
    for exact, tensor in (
        (p.mass, tp.mass),
        (p.overlap(q), tp.overlap(tq)),
        (p.coincidence(q), tp.coincidence(tq)),
        (p.excess(q, s), tp.excess(tq, fs)),
    ):
        assert float(tensor) == pytest.approx(float(exact), abs=1e-15)
    assert close(tp.push_forward(mirrored), p.push_forward(mirrored))
    if any(token in KEPT for token in p):
        assert close(tp.restrict(KEPT), p.restrict(KEPT))
    else:
        with pytest.raises(DistributionError):
            tp.restrict(KEPT)
    if p.excess(q, s):
        assert close(tp.residual(tq, fs), p.residual(q, s))
    assert list(tp.support()) == list(p.support())


def mirrored(token):
    return 4 - token


@given(WEIGHTS, st.integers(0, 2**20 - 1))
def test_the_same_coin_gives_the_same_id(weights, numerator):
    exact, tensor = both(weights)
    coin = rational(numerator, 2**20)
    edges, total = [], rational(0)
    for number in exact.values():
        total += number
        edges.append(total)
    if min(abs(coin - edge) for edge in edges) < rational(1, 2**40):
        return  # within rounding of an edge either neighbour is right
    assert tensor.quantile(numerator / 2**20) == exact.quantile(coin)


def test_a_coin_beyond_a_rounded_sum_gives_an_id_of_positive_probability():
    row = torch.tensor([0.1] * 9 + [0.0], dtype=torch.float32)
    assert TensorDistribution(row).quantile(1 - 2**-53) == 8
    assert TensorDistribution(torch.tensor([0.0, 1.0, 0.0])).quantile(0.0) == 1


@pytest.mark.parametrize("row", [[0.5, float("nan"), 0.5], [0.0, 0.0]])
def test_nothing_is_drawn_from_what_is_no_law(row):
    with pytest.raises(DistributionError, match="NaN or no mass"):
        TensorDistribution(torch.tensor(row)).quantile(0.5)


class Rows:
    """An exact model seen through tensors."""

    def __init__(self, model):
        self.model, self.size = model, model.size

    def distributions(self, context, continuation=()):
        laws = self.model.distributions(context, continuation)
        return [TensorDistribution(as_row(law, self.size)) for law in laws]


@pytest.mark.parametrize("name", ["standard", "block", "exact-match", "union", "tli"])
def test_the_same_tape_gives_the_same_round(name):
    """On the gallery; coins are odd multiples of 2**-31, which no threshold there is near."""
    made = program(name, 2)
    compared = 0
    for each in gallery():
        pair = each.pair
        if name == "tli" and not pair.intersection:
            continue
        rows = Pair(
            Rows(pair.target), Rows(pair.drafter), pair.target_tokenizer, pair.drafter_tokenizer
        )
        for seed in range(4):
            chosen = random.Random(seed)
            floats = [(2 * chosen.getrandbits(30) + 1) / 2**31 for _ in range(20)]
            tape = CoinTape([rational(int(x * 2**31), 2**31) for x in floats])
            exact = made.run_round(pair, each.prompt, tape, None)
            tensors = made.run_round(rows, each.prompt, CoinTape(floats), None)
            assert tensors == exact
            compared += 1
    assert compared > 100


def test_a_seed_gives_the_same_coins_and_all_differ():
    coins = [TensorSampler(3)._coin() for _ in range(2)]
    assert coins[0] == coins[1]
    sampler = TensorSampler(3)
    drawn = [sampler._coin() for _ in range(200)]
    assert all(0 <= coin < 1 for coin in drawn)
    assert all(a != b for a, b in pairwise(drawn))


def test_a_large_vocabulary_is_pushed_forward_without_losing_mass():
    """Added one after the other in float32, these 262,144 probabilities lose 4e-4 of their sum."""
    scores = 3 * torch.randn(262_144, generator=torch.Generator().manual_seed(0))
    row = scores.softmax(-1)
    pushed = TensorDistribution(row).push_forward(lambda token: int(token > 0))
    due = row[1:].double().sum()
    assert pushed.row.dtype == torch.float32
    assert abs(float(pushed[1] / due) - 1) < 2**-23


def test_the_mass_of_a_set_is_the_exact_one():
    exact, tensor = both([1, 2, 3, 4, 5])
    for kept in (frozenset(), frozenset({0, 4}), frozenset(range(5)), frozenset({1, 99, -1})):
        assert float(tensor.mass_of(kept)) == pytest.approx(float(exact.mass_of(kept)), abs=1e-15)


def test_index_maps_forget_what_was_not_used_for_long():
    maps = IndexMaps(most=3)
    sets = [frozenset({n}) for n in range(9)]
    for each in sets:
        assert maps.ids(each, 20, torch.device("cpu")).tolist() == sorted(each)
    assert len(maps._made) == 3
    assert maps.kept(sets[0], 4, torch.device("cpu")).tolist() == [True, False, False, False]


def test_a_residual_of_nothing_is_one_more_draw(monkeypatch):
    monkeypatch.setattr(TensorSampler, "patience", 5)
    sampler = TensorSampler(0)
    law = TensorDistribution(torch.tensor([0.0, 1.0, 0.0]))
    assert sampler.draw_kept(law, lambda token: 0.0, "residual") == 1
    assert [step.verb for step in sampler.steps] == ["discarded"] * 5 + ["draw"]
