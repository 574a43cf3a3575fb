"""Pairs of a set acceptance, and the comparison of two devices on one tape."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
transformers = pytest.importorskip(
    "transformers", reason="needs: pip install 'draftproof[transformers]'"
)

from decoding_toys import llama  # noqa: E402
from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.decoding.rounding import (  # noqa: E402
    differences,
    first_difference,
    forward_difference,
    sampler_difference,
)
from draftproof.adapters.decoding.runs import run  # noqa: E402
from draftproof.adapters.decoding.synthetic import synthetic_pair  # noqa: E402
from draftproof.adapters.decoding.tapes import compare  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from draftproof.reference.programs import ALGORITHMS  # noqa: E402
from draftproof.reference.standard import standard_acceptance  # noqa: E402
from draftproof.reference.tli import tli_acceptance  # noqa: E402


@pytest.fixture(scope="module")
def sides():
    return synthetic_pair(llama(200), llama(150), 0.6)


def test_the_acceptance_is_the_one_set(sides):
    pair = make_pair(*sides)
    context = sides[0].known[:5]
    assert not pair.same_vocabulary
    for formula in (standard_acceptance, tli_acceptance):
        assert float(formula(pair, context)) == pytest.approx(0.6, abs=1e-5)
    one = make_pair(*synthetic_pair(llama(200), llama(200), 0.25, shared_ids=True))
    assert one.same_vocabulary
    assert float(standard_acceptance(one, (3, 4))) == pytest.approx(0.25, abs=1e-5)


def test_drafts_are_read_whatever_was_said_before(sides):
    """Only known words are ever said, so every round has drafts."""
    program = RealProgram("tli", make_pair(*sides))
    found = run(program, sides[0].known[:4], Always(3), max_new_tokens=40, seed=1)
    assert all(block.drafts for block in found.rounds[:-1])


def test_heads_of_two_sizes_share_no_vocabulary():
    with pytest.raises(ValueError, match="200 and 150"):
        synthetic_pair(llama(200), llama(150), 0.5, shared_ids=True)


def moved(side, factor):
    """The same side with laws a little off, as another device has them."""
    table = side.model.table + factor * torch.randn(
        side.model.table.shape, generator=torch.Generator().manual_seed(1)
    )
    made = type(side.model)(side.model.model, table, side.model.row_of)
    return type(side)(made, side.tokenizer, side.name, side.known)


def agreement(sides, factor, name, lookahead=3):
    pairs = [make_pair(*sides), make_pair(*(moved(side, factor) for side in sides))]
    programs = {id(pair): RealProgram(name, pair) for pair in pairs}

    def run_round(pair, context, chance):
        program = programs[id(pair)]
        return program.rounds(Always(lookahead), lambda _: 99)(pair, context, chance, None)

    known = sides[0].known
    return compare(run_round, *pairs, [known[n : n + 2] for n in range(60)])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_equal_laws_never_part(sides, name):
    found = agreement(sides, 0.0, name)
    assert found.rounds == 60
    assert found.decisions >= 60
    assert found.parted == []


@pytest.mark.parametrize("name", ["standard", "slem", "slrs"])
def test_laws_a_little_off_part_only_near_thresholds(sides, name):
    """Logits off by about 1e-3 move thresholds by less than 1e-2, and some coins are that near."""
    found = agreement(sides, 1e-3, name)
    assert found.within(1e-2)
    assert not agreement(sides, 2.0, name).within(1e-2)


def test_statistics_count_what_happened(sides):
    pair = make_pair(*sides)
    passes = pair.target.passes, pair.drafter.passes
    found = run(RealProgram("standard", pair), sides[0].known[:4], Always(3), max_new_tokens=30)
    s = found.statistics
    assert s.new_tokens == len(found.ids) == 30
    assert s.rounds == len(found.rounds) == s.target_passes == pair.target.passes - passes[0]
    assert s.drafts == s.drafter_passes == pair.drafter.passes - passes[1]
    assert s.accepted == sum(block.accepted for block in found.rounds)
    assert s.tokens_per_target_pass == 30 / s.rounds
    assert 0 < s.target_seconds + s.drafter_seconds <= s.seconds
    plain = run(
        RealProgram("autoregressive", pair), sides[0].known[:4], Always(1), max_new_tokens=5
    )
    assert plain.statistics.acceptance_rate is None
    assert plain.statistics.drafter_passes == 0
    assert set(plain.statistics.as_dict()) >= {"tokens_per_second", "outside_share", "accepted"}


def test_a_stop_id_ends_the_run_where_it_stands(sides):
    pair = make_pair(*sides)
    prompt = sides[0].known[:4]
    free = run(RealProgram("block", pair), prompt, Always(4), max_new_tokens=20, seed=3).ids
    stop = free[7]
    shown = []
    cut = run(
        RealProgram("block", pair),
        prompt,
        Always(4),
        max_new_tokens=20,
        seed=3,
        stop_ids=frozenset({stop}),
        on_ids=shown.append,
    ).ids
    assert cut == free[: free.index(stop) + 1]
    assert shown[-1] == cut


def test_rounding_is_measured_by_part():
    model = CausalModel(llama(50), Settings(temperature=0.7, top_k=7))
    ids = tuple(range(1, 20))
    forward = forward_difference(model, ids, 5)
    assert forward.positions == 5
    assert forward.logit < 1e-4
    assert forward.total_variation < 1e-4
    row = model.logits(ids, 1)[0]
    assert sampler_difference(model, row, ids) < 1e-6


def test_a_difference_of_the_forward_pass_is_measured():
    one = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    two = torch.tensor([[0.0, 1.0], [0.0, 2.0]])
    found = differences(one, two)
    assert (found.positions, found.logit, found.argmax) == (2, 2.0, 1)
    assert found.total_variation == pytest.approx(torch.tensor(1.0).tanh().item())


def test_the_first_difference_of_two_greedy_runs():
    model = CausalModel(llama(50))
    prompt = (1, 2, 3)
    row = model.logits((*prompt, 4), 1)[0]
    assert first_difference(model, prompt, (4, 5), (4, 5)) is None
    found = first_difference(model, prompt, (4, 5, 9), (4, 7, 9))
    assert (found.place, found.gap) == (1, pytest.approx(float((row[5] - row[7]).abs())))


def test_a_run_keeps_the_laws_of_one_round_at_most(sides, monkeypatch):
    """Each is a row of a whole vocabulary: 3 MB a draw for 262,144 ids, and a run has thousands."""
    from draftproof.adapters.decoding import runs

    made, longest = [], []

    class Watched(runs.TensorSampler):
        def __init__(self, seed):
            super().__init__(seed)
            made.append(self)

    monkeypatch.setattr(runs, "TensorSampler", Watched)
    pair = make_pair(*sides)
    run(
        RealProgram("standard", pair),
        sides[0].known[:5],
        Always(2),
        max_new_tokens=24,
        on_ids=lambda ids: longest.append(len(made[0].steps)),
    )
    assert len(longest) > 4
    # Two drafts, two acceptances, and the last draw; a round is shown when the next one begins.
    assert max(longest) <= 5
