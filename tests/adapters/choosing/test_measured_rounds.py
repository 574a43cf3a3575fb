"""What rounds of SLRS cost: real ones at every position, each algorithm with its own memory."""

from collections import Counter
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

import choosing_toys as toys  # noqa: E402
from draftproof.adapters.choosing import measured_rounds  # noqa: E402
from draftproof.adapters.choosing.continuations import continued  # noqa: E402
from draftproof.adapters.choosing.costs import WIDE, Costs, Timing  # noqa: E402
from draftproof.adapters.choosing.measured_rounds import (  # noqa: E402
    Memories,
    Spent,
    between,
    measured_lookaheads,
    spent,
)
from draftproof.adapters.choosing.subject import Subject  # noqa: E402
from draftproof.adapters.choosing.visiting import visited  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.toymodels.gallery import gallery_pair  # noqa: E402


def subject_of(each, rules, most=1):
    return Subject(toys.through_tensors(each.pair), most, rules=rules)


def by_hand(subject, what, context, coins):
    """One round with a drafter that has read what stands before it and knows nothing else."""
    drafter = toys.Rows(subject.memories.model.model)
    pair = subject.pair.__class__(
        subject.pair.target,
        drafter,
        subject.pair.target_tokenizer,
        subject.pair.drafter_tokenizer,
    )
    rule = subject.program(what[0]).rule
    made = RealProgram("slrs", pair, rule=rule)
    run_round = made.rounds(measured_rounds.Always(what[1]), lambda _: 99)
    block = run_round(pair, context, TensorSampler(coins), None)
    return drafter.passes, drafter.tokens - drafter.passes, len(block.candidates)


def test_rounds_are_run_and_their_passes_counted_psi_included():
    each = gallery_pair("composition")
    subject = subject_of(each, ("fixed:2", "lookup:1/cap:2/block"), most=3)
    pair = subject.pair
    text = continued(pair.target, each.prompt, 3, 3, TensorSampler(0), toys.ends_of(pair))
    found = spent(subject.memories, subject.measured, text, 5)
    assert [name for name, _ in subject.measured] == [
        *("slrs-spelled", "slrs-spelled-block") * 3,
        "slrs-fixed:2",
        "slrs-lookup:1/cap:2/block",
    ]
    for position, at in enumerate(found):
        context = text.context(position)
        coins = measured_rounds.random.Random(f"5 {context}").getrandbits(62)
        for what, each_spent in at.items():
            due = by_hand(subject, what, context, coins)
            assert (each_spent.passes, each_spent.more, each_spent.read) == due
    # psi's passes are there: a round of K spelled tokens would draft in fewer.
    assert sum(at["slrs-spelled", 3].passes for at in found) > 3 * 3


def test_costs_of_rounds_go_into_the_figures():
    each = gallery_pair("composition")
    subject = subject_of(each, ("fixed:2",), most=3)
    pair = subject.pair
    text = continued(pair.target, each.prompt, 2, subject.margin, TensorSampler(0))
    at = spent(subject.memories, subject.measured, text, 0)
    found, _ = visited(subject, text, TensorSampler(1))
    figures = found["slrs-fixed:2"]
    assert figures.lookaheads == (2,)
    lengths = 1 + at[0]["slrs-fixed:2", 2].read
    assert figures.passes[0][int(lengths)] >= 1  # a round begins at the first position
    assert figures.drafts[0] >= at[0]["slrs-fixed:2", 2].passes
    assert list(found)[3:6] == ["slrs-spelled", "slrs-spelled-block", "slrs-fixed:2"]
    assert figures.as_dict()["drafter_positions_per_round"][0] >= figures.drafts[0] / sum(
        figures.passes[0].values()
    )


def test_lookaheads_between_those_run_lie_on_straight_lines():
    assert [measured_lookaheads(most) for most in (1, 3, 4, 9)] == [
        (1,),
        (1, 2, 3),
        (1, 2, 4),
        (1, 2, 4, 8, 9),
    ]
    at = {("a", 1): Spent(2, 0, 1), ("a", 4): Spent(8, 3, 4), ("b", 4): Spent(9, 9, 9)}
    assert between(at, "a", (1, 2, 4)) == [Spent(2, 0, 1), Spent(4, 1, 2), Spent(8, 3, 4)]


def test_memories_share_weights_and_nothing_else():
    class Remembering:
        def __init__(self):
            self.passes, self.known, self.weights = 0, {}, object()

        def forget(self):
            self.known.clear()

        def distributions(self, context, continuation=()):
            self.passes += context not in self.known
            self.known[context] = True
            return [self.known[context]]

    model = Remembering()
    drafter = Memories(model)
    drafter.distributions((1,))
    one, two = drafter.new(), drafter.new()
    for memory in (one, two, one, None):
        drafter.asked(memory)
        drafter.distributions((1,))
    assert (one.passes - 1, two.passes - 1, model.passes) == (1, 1, 1)
    assert one.weights is two.weights is model.weights
    drafter.asked(one)
    assert drafter.passes == 2


def test_wide_passes_cost_more_by_their_positions():
    def flat(seconds):
        return Timing(seconds, seconds, seconds, 1)

    found = Costs({1: flat(1.0)}, [flat(0.1)], wide=[flat(0.1 + 0.15)])
    assert found.round(0, 2, Counter({1: 1.0}), 3) == pytest.approx(1.2 + 3 * 0.15 / (WIDE - 1))
    found = Costs({1: flat(1.0)}, [flat(0.1)])
    assert found.round(0, 2, Counter({1: 1.0}), 3) == pytest.approx(1.2)


# A planted fault.


def test_a_memory_that_all_share_is_noticed(monkeypatch):
    """Were the memory one, what one algorithm asked would cost the next nothing."""

    class Remembering(toys.Rows):
        def __init__(self, model):
            super().__init__(model)
            self.known = {}

        def forget(self):
            self.known.clear()

        def distributions(self, context, continuation=()):
            if (context, continuation) not in self.known:
                self.known[context, continuation] = super().distributions(context, continuation)
            return self.known[context, continuation]

    each = gallery_pair("composition")
    pair = replace(each.pair, target=toys.Rows(each.pair.target))

    def passes():
        subject = Subject(replace(pair, drafter=Remembering(each.pair.drafter)), 2)
        text = continued(pair.target, each.prompt, 2, 3, TensorSampler(0))
        found = spent(subject.memories, subject.measured, text, 5)
        return sum(at["slrs-spelled-block", 2].passes for at in found)

    honest = passes()
    monkeypatch.setattr(Memories, "new", lambda self: self.model)
    assert passes() < honest
