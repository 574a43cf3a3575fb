"""Certified runs decide as exact arithmetic does, and what floats change keeps to the bounds."""

import random

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import through_tensors  # noqa: E402
from draftproof.adapters.decoding import variation  # noqa: E402
from draftproof.adapters.decoding.certified import (  # noqa: E402
    CertifyingSampler,
    EnclosedLaw,
    EnclosedOneDraft,
    certified,
)
from draftproof.adapters.decoding.enclosure import Tally, exactly  # noqa: E402
from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.decoding.runs import run  # noqa: E402
from draftproof.adapters.decoding.variation import Precision, one_draft, spelled  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.tensors import TensorDistribution  # noqa: E402
from draftproof.reference import ExactDistribution  # noqa: E402
from draftproof.reference.chance import CoinTape  # noqa: E402
from draftproof.reference.distribution import total_variation  # noqa: E402
from draftproof.reference.exact import ONE, ZERO  # noqa: E402
from draftproof.reference.psi_bounds import BoundedPsi  # noqa: E402
from draftproof.reference.slrs import slrs_round  # noqa: E402
from draftproof.reference.slrs_spelled import SpelledLaw, spelled_round, spellings  # noqa: E402
from draftproof.reference.slrs_spelled_block import spelled_block_round  # noqa: E402
from draftproof.reference.stop_rules import Fixed  # noqa: E402
from draftproof.toymodels.gallery import gallery  # noqa: E402
from float_rows import KINDS, exact_law_of, exact_pair, float_pair  # noqa: E402

READ = (0,)
SEEDS = 12
F32, F64 = torch.float32, torch.float64


def round_numbers(seed):
    """Coins at round fractions, where thresholds of toy models lie, and spread ones."""
    chosen = random.Random(seed)
    return [
        chosen.randrange(n) / n if n else chosen.random()
        for n in chosen.choices((3, 5, 8, 12, 18, 0), k=900)
    ]


def certifying(tally, coins):
    tape = CertifyingSampler(0, tally)
    tape._coins = iter(coins)
    return tape


def floats(coins):
    tape = TensorSampler(0)
    tape._coins = iter(coins)
    return tape


def fixed(pair, context, k, chance):
    return slrs_round(
        pair, context, Fixed(k), chance, psi_after=BoundedPsi(pair, context, Fixed(k)).after
    )


ROUNDS = {"spelled": spelled_round, "block": spelled_block_round, "fixed": fixed}


@pytest.mark.parametrize("name", ROUNDS)
def test_every_round_is_the_exact_one_on_the_same_coins(name):
    """Both on the gallery, whose rows float32 cannot hold; floats alone decide otherwise."""
    run_round = ROUNDS[name]
    counted = Tally()
    apart = 0
    for each in gallery():
        pair = through_tensors(each.pair, F32)
        exact, sure = exact_pair(pair), certified(pair)
        tally = sure.target.tally
        for seed in range(SEEDS):
            coins = round_numbers(f"{each.name} {seed}")
            due = run_round(exact, each.prompt, 2, CoinTape(map(exactly, coins)))
            found = run_round(sure, each.prompt, 2, certifying(tally, coins))
            assert found == due
            apart += run_round(pair, each.prompt, 2, floats(coins)) != due
        counted.decisions += tally.decisions
        counted.open += tally.open
        counted.changed += tally.changed
    assert counted.decisions > 500
    assert counted.open > 20
    assert counted.changed > 0
    assert apart > 0


def test_one_draft_decides_as_the_exact_one_does():
    changed = 0
    for each in gallery():
        pair = through_tensors(each.pair, F32)
        exact, sure = exact_pair(pair), certified(pair)
        psi = EnclosedOneDraft(sure)
        for seed in range(SEEDS):
            coins = round_numbers(f"{each.name} {seed}")
            due = slrs_round(exact, each.prompt, Fixed(1), CoinTape(map(exactly, coins)))
            tape = certifying(sure.target.tally, coins)
            after = psi.after(each.prompt)
            assert slrs_round(sure, each.prompt, Fixed(1), tape, psi_after=after) == due
        changed += sure.target.tally.changed
    assert changed > 0


def test_a_coin_on_a_threshold_is_open_and_is_decided_exactly():
    tally = Tally()
    law = EnclosedLaw(TensorDistribution(torch.tensor([0.1, 0.2, 0.7], dtype=F64)), tally)
    third = law[1] / (law[0] + law[1])
    tape = certifying(tally, [float(third.value), 0.5, 0.25])
    assert tape.accept(third) == (third.exact() > exactly(float(third.value)))
    assert (tally.decisions, tally.open) == (1, 1)
    assert tape.accept(third)
    assert (tally.decisions, tally.open) == (2, 1)
    assert tape.draw(law) == 1
    assert (tally.decisions, tally.open) == (3, 1)


def test_a_draw_at_the_edge_of_two_ids_is_decided_exactly():
    tally = Tally()
    row = torch.tensor([0.1, 0.2, 0.7], dtype=F64)
    edge = float((exactly(0.1) / sum(map(exactly, row.tolist()))).numerator) / float(
        (exactly(0.1) / sum(map(exactly, row.tolist()))).denominator
    )
    for coin in (edge, edge - 2**-55, edge + 2**-55):
        law = EnclosedLaw(TensorDistribution(row), tally)
        assert law.quantile(coin) == exact_law_of(row).quantile(exactly(coin))
    assert tally.open == 3


def test_a_certain_acceptance_is_certain():
    """A coin beside a float32 tensor would be rounded to 1."""
    assert TensorSampler(0).below(1 - 2**-53, torch.tensor(1.0))
    assert not CoinTape([]).below(1 - 2**-53, torch.tensor(1.0))


def test_what_has_no_bounds_is_refused():
    with pytest.raises(TypeError, match="no bounds are known"):
        certifying(Tally(), [0.5]).accept(torch.tensor(0.5))
    law = EnclosedLaw(TensorDistribution(torch.tensor([0.5, 0.5])), Tally())
    for ask in (law.overlap, law.excess, law.residual, law.coincidence):
        with pytest.raises(TypeError, match="only numbers, masses and draws"):
            ask(law)


def longest(pair):
    return max(map(len, spellings(pair).of_token.values()))


def rows_of(pair, dtype):
    """The bound's premise, with the rows' sums as they are."""
    tally = Tally()
    for context in [(), *((a,) for a in range(3)), *((a, b) for a in range(3) for b in range(3))]:
        EnclosedLaw(pair.drafter.row(READ + context), tally)
    EnclosedLaw(pair.target.row(READ), tally)
    if pair.drafter.kind == "off":
        tally.off = max(tally.off, pair.drafter.off * (1 + 1e-6))
    unit = torch.finfo(dtype).eps / 2
    return Precision(unit, tally.off, pair.target.size, pair.drafter.size)


def pairs(kinds=KINDS):
    for kind in kinds:
        for dtype in (F32, F64):
            for seed in range(8):
                yield float_pair(kind, dtype, seed), dtype


def psi_error(pair, change=lambda psi: psi):
    """The sum over all tokens of |psi' - psi|: what the code computes, and what is exact."""
    due, found = SpelledLaw(exact_pair(pair), READ), SpelledLaw(pair, READ)
    return sum(
        (abs(exactly(float(change(found[t]))) - due[t]) for t in range(pair.target.size)), ZERO
    )


def test_psi_is_within_its_bound():
    for pair, dtype in pairs():
        assert psi_error(pair) <= exactly(spelled(rows_of(pair, dtype), longest(pair)).psi)


def test_a_hundredth_of_the_bound_is_too_small():
    """Rows that sum to 1 + e use up more than that."""
    over = [
        psi_error(pair) > exactly(spelled(rows_of(pair, dtype), longest(pair)).psi / 100)
        for pair, dtype in pairs(["off"])
    ]
    assert any(over)


def test_half_precision_within_is_over_the_bound():
    over = [
        psi_error(pair, lambda psi: torch.as_tensor(psi).half())
        > exactly(spelled(rows_of(pair, dtype), longest(pair)).psi)
        for pair, dtype in pairs(["random"])
    ]
    assert sum(over) > len(over) / 2


def law_in_floats(pair):
    """The exact law of a verified position, of the thresholds that the code computes in floats."""
    psi, in_floats = SpelledLaw(exact_pair(pair), READ), SpelledLaw(pair, READ)
    row = pair.target.row(READ)
    p = exact_law_of(row.row)
    given = dict.fromkeys(range(pair.target.size), ZERO)
    left = dict.fromkeys(range(pair.target.size), ZERO)
    for t in range(pair.target.size):
        value = in_floats[t]
        if float(value):
            accepted = max(ZERO, min(ONE, exactly(min(2.0, float(row[t] / value)))))
        else:
            accepted = ONE if p[t] else ZERO
        given[t] += psi[t] * accepted
        if p[t]:
            kept = 1 - value / row[t]
            left[t] = p[t] * max(ZERO, exactly(max(-1.0, float(kept))))
    rejected = 1 - sum(given.values(), ZERO)
    mass = sum(left.values(), ZERO)
    for t, number in left.items():
        given[t] += rejected * number / mass if mass else rejected * p[t]
    return p, ExactDistribution(given)


def test_the_law_of_a_position_is_within_its_bound():
    worst = 0.0
    for pair, dtype in pairs():
        bounds = spelled(rows_of(pair, dtype), longest(pair))
        distance = total_variation(*law_in_floats(pair))
        assert distance <= exactly(bounds.rounding)
        if bounds.rounding < 1e-3:
            worst = max(worst, float(distance) / bounds.rounding)
    assert worst > 0


def test_the_law_moves_when_rows_do_not_sum_to_one():
    moved = [float(total_variation(*law_in_floats(pair))) for pair, _ in pairs(["off"])]
    assert max(moved) > 1e-4


def test_bounds_grow_with_what_they_depend_on():
    rows = Precision(2**-53, 1e-11, 49152, 4096)
    first = spelled(rows, 24)
    assert first.psi < first.rounding < 2e-8
    assert first.coins < 1e-10
    assert spelled(rows, 25).rounding > first.rounding
    assert spelled(Precision(2**-24, 3e-5, 49152, 4096), 24).psi > 24 * 2 * 3e-5
    assert one_draft(rows).rounding < first.rounding
    assert variation.sum_of_products(2, 100, rows, others=1.0) > 2 * rows.off
    # Two factors of rows that are exact, and one addition: four roundings, and a little.
    exact = Precision(2**-53, 0.0, 10, 10)
    assert 4 * 2**-53 <= variation.sum_of_products(2, 2, exact) < 5 * 2**-53


RULES = ("spelled", "spelled/block", "fixed:1", "fixed:2", "determined:1/cap:4", "fixed:2/block")


def test_a_run_counts_its_decisions(model):
    pair = make_pair(model("drafter-bpe"), model("drafter-bytes"))
    prompt = pair.target_tokenizer.encode("The night was")
    runs = {}
    for each in (pair, certified(pair)):
        for rule in RULES:
            program = RealProgram("slrs", each, rule=rule)
            runs[each is pair, rule] = run(program, prompt, Always(2), max_new_tokens=8, seed=3)
    for rule in RULES:
        plain, sure = runs[True, rule], runs[False, rule]
        assert plain.statistics.decisions is None
        assert plain.ids == sure.ids  # a coin within 1e-9 of a threshold: below 1e-6 for these
        s = sure.statistics
        assert s.decisions >= 2 * s.rounds
        assert (s.decisions_open, s.decisions_changed) == (0, 0)
        if rule not in ("spelled", "fixed:1"):
            assert s.total_variation is None
        else:
            assert 0 < s.total_variation < 1e-9 < s.total_variation_floats < 1e-4
