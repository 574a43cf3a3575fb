"""Every estimator's expectation, by enumeration of what it draws, is the reference's exact number.

The reference enumerates the algorithms' own coins; the estimators draw a text (and, for SLEM,
drafts) and no coin. Nothing else is shared but the models. Numbers agree to float64 rounding.
"""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

import choosing_toys as toys  # noqa: E402
from draftproof.adapters.choosing import figures as sums  # noqa: E402
from draftproof.adapters.choosing import given_text, starts, strings, visiting  # noqa: E402
from draftproof.adapters.choosing.continuations import Continuation, continued  # noqa: E402
from draftproof.adapters.choosing.spelled import SPELLED, spelled  # noqa: E402
from draftproof.adapters.choosing.visiting import Subject, visited  # noqa: E402
from draftproof.adapters.decoding.one_draft import OneDraft  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.tensors import TensorDistribution  # noqa: E402
from draftproof.reference import branches, program  # noqa: E402
from draftproof.reference.rounds import cut  # noqa: E402
from draftproof.toymodels.gallery import gallery, gallery_pair  # noqa: E402

EXACT = 1e-12
PAIRS = tuple(each.name for each in gallery())


def first_round_tokens(each, name, drafts, ends=()):
    made = toys.made_of(name, drafts)
    total = 0.0
    for leaf in branches(lambda chance: made.run_round(each.pair, each.prompt, chance, None)):
        emitted = leaf.result.emitted
        for end in ends:
            emitted = cut(emitted, end)
        total += float(leaf.probability) * len(emitted)
    return total


def deviations(each, most, names, algorithms, ends=None, subject=None):
    """|expected - due| tokens of a round at the prompt, by (algorithm, drafts)."""
    found = toys.expected_figures(each, 1, most, names, ends, subject)
    return {
        (name, drafts): abs(numbers[0] - first_round_tokens(each, name, drafts, sorted(ends or ())))
        for (name, drafts), numbers in found.items()
        if name in algorithms
    }


GIVEN_TEXT = ("tli", "slrs", *SPELLED, "standard", "block", "exact-match")


@pytest.mark.parametrize("pair_name", PAIRS)
def test_token_level_and_slrs_given_the_text(pair_name):
    found = deviations(gallery_pair(pair_name), 2, toys.TEXT, GIVEN_TEXT)
    assert {name for name, _ in found} >= {
        "slrs",
        *SPELLED,
        "standard",
        "block",
        "exact-match",
    }
    assert max(found.values()) < EXACT, found


@pytest.mark.parametrize("pair_name", PAIRS)
def test_slem_given_its_drafts(pair_name):
    found = deviations(gallery_pair(pair_name), 2, toys.DRAFTS, ("slem",))
    assert len(found) == 2
    assert max(found.values()) < EXACT, found


def test_three_drafts():
    each = gallery_pair("composition")
    assert max(deviations(each, 3, toys.TEXT, GIVEN_TEXT).values()) < EXACT
    assert max(deviations(each, 3, toys.DRAFTS, ("slem",)).values()) < EXACT


@pytest.mark.parametrize("pair_name", ["base", "merging-target", "composition"])
def test_ids_that_end_a_text_besides_the_end_of_sequence(pair_name):
    each = gallery_pair(pair_name)
    ends = frozenset({1}) | toys.ends_of(each.pair)
    found = deviations(each, 2, toys.TEXT, GIVEN_TEXT, ends)
    found |= deviations(each, 2, toys.DRAFTS, ("slem",), ends)
    assert max(found.values()) < EXACT, found


@pytest.mark.parametrize(
    ("pair_name", "positions"),
    [("base", 2), ("many-to-one", 2), ("composition", 3), ("end-in-target-only", 3)],
)
def test_rounds_and_their_tokens_where_rounds_begin(pair_name, positions):
    each = gallery_pair(pair_name)
    found = toys.expected_figures(each, positions, 2, toys.TEXT)
    for (name, drafts), (_, count, tokens, _) in found.items():
        if name != "slem":
            due = toys.due_counts(each, name, drafts, positions)
            assert (count, tokens) == pytest.approx(due, abs=EXACT), (name, drafts)


@pytest.mark.parametrize(("pair_name", "most"), [("base", 1), ("bpe-greedy", 2)])
def test_rounds_of_slem_where_rounds_begin(pair_name, most):
    each = gallery_pair(pair_name)
    found = toys.expected_figures(each, 2, most, (*toys.TEXT, *toys.DRAFTS))
    for drafts in range(1, most + 1):
        _, count, tokens, drawn = found["slem", drafts]
        due = toys.due_counts(each, "slem", drafts, 2)
        assert (count, tokens) == pytest.approx(due, abs=EXACT)
        assert drawn == pytest.approx(drafts * count)


def test_positions_all_alike_would_count_too_many_tokens():
    """Where difficulty comes in stretches, the mean over positions is above what a run gives."""
    each = gallery_pair("contexts")
    found = toys.expected_figures(each, 3, 2, toys.TEXT)
    apart = [
        abs(numbers[0] / 3 - numbers[2] / numbers[1])
        for (name, _), numbers in found.items()
        if name in GIVEN_TEXT
    ]
    assert max(apart) > 1e-3


@pytest.mark.parametrize("each", gallery(), ids=lambda each: each.name)
def test_acceptance_is_table_3_at_every_position(each):
    pair = toys.through_tensors(each.pair)
    subject = Subject(pair, 1)
    text = continued(
        pair.target, each.prompt, 3, subject.margin, TensorSampler(0), toys.ends_of(pair)
    )
    found, _ = visited(subject, text, TensorSampler(1))
    for name, figures in found.items():
        if name in SPELLED:
            continue  # known in expectation only: the next test
        formula = program(name, 1).acceptance
        due = sum(float(formula(each.pair, text.context(t))) for t in range(text.positions))
        assert figures.acceptance == pytest.approx(due, abs=EXACT), name


@pytest.mark.parametrize("each", gallery(), ids=lambda each: each.name)
def test_acceptance_of_spelled_proposals_in_expectation(each):
    pair = toys.through_tensors(each.pair)
    (p,) = pair.target.distributions(each.prompt)
    found = 0.0
    for token in p.support():
        text = Continuation(each.prompt, (token,), [p], 1, toys.ends_of(pair))
        found += float(p[token]) * spelled(pair, text, 0, 1).acceptance
    due = float(program("slrs", "spelled:1").acceptance(each.pair, each.prompt))
    assert found == pytest.approx(due, abs=EXACT)


# Planted faults: each check above fails on them.


def test_psi_that_forgets_what_was_accepted_is_noticed(monkeypatch):
    after = OneDraft.after
    monkeypatch.setattr(
        OneDraft, "after", lambda self, context: lambda accepted: after(self, context)(())
    )
    found = deviations(gallery_pair("merging-target"), 1, toys.TEXT, ("slrs",))
    other = deviations(gallery_pair("retokenized"), 1, toys.TEXT, ("slrs",))
    assert max(*found.values(), *other.values()) > 1e-3


def test_psi_of_other_tokens_is_noticed(monkeypatch):
    psi = OneDraft._psi
    monkeypatch.setattr(
        OneDraft,
        "_psi",
        lambda self, row, accepted: TensorDistribution(psi(self, row, accepted).row.roll(1)),
    )
    each = gallery_pair("no-proposal")
    assert deviations(each, 1, toys.TEXT, ("slrs",))["slrs", 1] > 1e-3
    assert deviations(each, 1, toys.DRAFTS, ("slem",))["slem", 1] > 1e-3


def test_a_missing_renormalisation_is_noticed(monkeypatch):
    def unscaled(pair, q):
        kept = torch.tensor([d in pair.shared_drafter_ids for d in range(len(q))])
        return TensorDistribution(torch.where(kept, q.row, 0.0))

    monkeypatch.setattr(given_text, "masked", unscaled)
    found = deviations(gallery_pair("inexpressible"), 2, toys.TEXT, ("tli",))
    assert min(found.values()) > 1e-3


def test_one_meaning_scored_for_several_ids_is_noticed(monkeypatch):
    def one(self, image):
        row = self.row.new_zeros(len(self.row) + 8)
        for token in self.support():
            row[image(token)] = self.row[token]
        return TensorDistribution(row)

    monkeypatch.setattr(TensorDistribution, "push_forward", one)
    found = deviations(gallery_pair("many-to-one"), 1, toys.TEXT, ("standard",))
    assert max(found.values()) > 1e-3


def test_candidates_all_scored_by_the_first_law_are_noticed(monkeypatch):
    monkeypatch.setattr(
        strings, "_laws", lambda pair, text, t: lambda begin, rest: [text.laws[t]] * (len(rest) + 1)
    )
    found = deviations(gallery_pair("contexts"), 2, toys.DRAFTS, ("slem",))
    assert found["slem", 2] > 1e-3


def test_the_standard_rule_in_place_of_the_block_is_noticed(monkeypatch):
    monkeypatch.setitem(given_text.RULES, "block", "each")
    assert deviations(gallery_pair("base"), 2, toys.TEXT, ("block",))["block", 2] > 1e-3


def test_spelled_proposals_one_by_one_in_place_of_the_block_are_noticed(monkeypatch):
    together = visiting.spelled

    def apart(*arguments):
        found = together(*arguments)
        return replace(found, together=found.kept)

    monkeypatch.setattr(visiting, "spelled", apart)
    found = deviations(gallery_pair("base"), 2, toys.TEXT, ("slrs-spelled-block",))
    assert found["slrs-spelled-block", 2] > 1e-3


def test_starts_at_every_position_are_noticed(monkeypatch):
    monkeypatch.setattr(sums, "round_starts", lambda kept: starts.numpy.ones(len(kept)))
    each = gallery_pair("base")
    found = toys.expected_figures(each, 2, 2, toys.TEXT)
    due = toys.due_counts(each, "standard", 2, 2)
    assert abs(found["standard", 2][1] - due[0]) > 1e-3
