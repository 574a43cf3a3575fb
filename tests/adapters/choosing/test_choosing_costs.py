"""Costs, predictions and the recommendation: by hand, on made-up numbers."""

from collections import Counter

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

import choosing_toys as toys
from draftproof.adapters.choosing.checking import checked, program_of
from draftproof.adapters.choosing.costs import Costs, Timing, measured
from draftproof.adapters.choosing.predictions import (
    acceptance,
    best_of,
    predictions,
)
from draftproof.adapters.choosing.recommendation import recommended
from draftproof.adapters.choosing.starts import round_starts
from draftproof.adapters.choosing.visiting import Figures
from draftproof.toymodels.gallery import gallery_pair


def flat(seconds):
    return Timing(seconds, seconds, seconds, 1)


def costs(draft=0.1, two=1.5, four=1.75):
    return Costs({1: flat(1.0), 2: flat(two), 4: flat(four)}, [flat(draft)])


class Clock:
    """A model whose pass over n positions behind its cache takes n + 1 seconds."""

    size = 50

    def __init__(self):
        self.seconds, self.passes, self.held, self.given = 0.0, 0, (), set()
        self.fed = []

    def forget(self):
        self.held, self.given = (), set()

    def distributions(self, context, continuation=()):
        ids = context + continuation
        if not continuation and ids in self.given:
            return
        shared = 0
        for one, other in zip(self.held, context[:-1], strict=False):
            if one != other:
                break
            shared += 1
        self.fed.append(len(ids) - shared)
        self.seconds += 1 + len(ids) - shared
        self.passes += 1
        self.held = ids
        self.given.add(ids)


def test_passes_are_timed_over_the_positions_said_and_never_remembered():
    target, drafter = Clock(), Clock()
    found = measured((target, (1, 2, 3)), [(drafter, (4, 5))], 4, repeats=60)
    assert {size: timing.median for size, timing in found.target.items()} == {
        size: size + 1 for size in range(1, 5)
    }
    assert all(timing.low == timing.high for timing in found.target.values())
    assert found.drafters[0] == Timing(2, 2, 2, 240)


def test_a_pass_is_read_off_straight_lines():
    found = costs()
    assert [found.target_pass(n) for n in (1, 2, 3, 4, 6)] == [1, 1.5, 1.625, 1.75, 2.0]
    assert costs(four=1.2).target_pass(9) == 1.2  # more positions are never taken to cost less
    assert Costs({1: flat(2.0)}, []).target_pass(5) == 2
    assert found.round(0, 3, {2: 1, 4: 2}) == pytest.approx(1.5 + 2 * 1.75 + 0.3)


def figures(tokens, rounds=4.0, positions=8):
    return Figures(
        positions,
        positions * 0.5,
        (1, 2),
        [positions * 1.5, positions * 1.7],
        [rounds, rounds],
        [tokens, tokens + 1],
        [rounds, 2 * rounds],
        [Counter({2: rounds}), Counter({1: 1.0, 3: rounds - 1})],
    )


def test_speedup_is_tokens_over_seconds_against_a_token_s_seconds():
    found = costs()
    found.outside[0, "tli"], found.outside[None, "autoregressive"] = 0.25, 0.1
    one, two = predictions({(0, "tli"): [figures(6.0), figures(7.0)]}, found)
    assert one.tokens_per_pass.value == pytest.approx(13 / 8)
    seconds = (8 * 1.5 + 8 * 0.1) * 1.25
    assert one.speedup.value == pytest.approx(13 / seconds * 1.1)
    assert one.needed == pytest.approx(seconds / 8 / 1.1)
    assert one.from_any_position.value == pytest.approx(1.5)
    assert (one.drafts, one.verified) == (1, 2)
    seconds = (2 * 1.0 + 6 * 1.625 + 16 * 0.1) * 1.25
    assert two.speedup.value == pytest.approx(15 / seconds * 1.1)
    assert two.speedup.low < two.speedup.value < two.speedup.high
    assert best_of([one, two]) is two
    assert acceptance([figures(6.0)]).value == 0.5
    with pytest.raises(AssertionError):  # outside time left out is noticed
        found.outside.clear()
        again, _ = predictions({(0, "tli"): [figures(6.0), figures(7.0)]}, found)
        assert again.speedup.value == pytest.approx(one.speedup.value)


@pytest.mark.parametrize(
    ("tokens", "verdict", "words"),
    [
        (
            [14.0, 14.1, 14.2],
            "use",
            "tli with small and lookahead 2: predicted speedup 2.26 [2.22, 2.30]",
        ),
        ([6.0, 9.0, 14.0], "unclear", "perhaps tli with small"),
        ([14.0], "unclear", "do not set apart from 1"),
        ([5.0, 5.1, 5.2], "none", "no algorithm pays here: a pass over 2 positions costs 1.50"),
    ],
)
def test_the_three_verdicts(tokens, verdict, words):
    found = costs()
    made = predictions({(0, "tli"): [figures(each) for each in tokens]}, found)
    advice = recommended(made, found, ["small"])
    assert advice.verdict == verdict
    assert words in advice.text
    said = advice.as_dict(["small"])
    assert said["algorithm"] == ("autoregressive" if verdict == "none" else "tli")
    assert (said["lookahead"] is None) == (verdict == "none")


def test_rounds_begin_where_others_end():
    # One draft that is kept with probability 1/4, 1/2, 1 on three positions.
    found = round_starts([[0.25], [0.5], [1.0]])
    assert found.tolist() == pytest.approx([1, 0.75, 0.25 + 0.75 * 0.5])
    assert round_starts([[1.0, 1.0]] * 4).tolist() == [1, 0, 0, 1]
    assert round_starts([[]] * 3).tolist() == [1, 1, 1]
    assert round_starts([]).tolist() == []


@pytest.mark.parametrize(
    ("name", "rule"), [("slrs-spelled", "spelled"), ("slrs-spelled-block", "spelled/block")]
)
def test_a_check_runs_what_the_table_calls_so(name, rule):
    """Names of the table that are a rule of SLRS; the first round's passes are left out as run."""
    each = gallery_pair("contexts")
    pair = toys.through_tensors(each.pair)
    assert program_of(name, pair).rule == rule
    found = checked(pair, name, 2, [each.prompt] * 3, tokens=9, seed=1, ends=frozenset())
    assert len(found.runs) == 3
    assert all(one.drafts > 0 and other.drafts == 0 for one, other in found.runs)
    assert found.after_prompts is not None
    assert found.after_prompts.value > 0
