"""Look-behind realignment: what it proposes, and that it never changes the law."""

from __future__ import annotations

import pytest
from draftproof.reference import Chance, Fixed, Ids, Pair, exact_law, generate, program, slem_round
from draftproof.reference.realignment import (
    Window,
    continuation,
    longest_common_run,
    realigned,
)
from draftproof.toymodels import GalleryPair, gallery_pair
from draftproof.toymodels.strategies import pairs
from hypothesis import given, settings
from hypothesis import strategies as st

IDS = st.lists(st.integers(0, 3), max_size=6).map(tuple)


def law_of_two(pair: Pair, prompt: Ids, window: Window) -> object:
    """Two tokens by SLEM whose first round is handed ``window`` as the state of the last one."""

    def run_round(pair: Pair, context: Ids, chance: Chance, state: object) -> object:
        return slem_round(pair, context, Fixed(2), chance, window.size, state or window)

    return exact_law(lambda chance: generate(run_round, pair, prompt, chance, 2).ids)


@settings(max_examples=60)
@given(pairs(), st.integers(1, 3), st.integers(0, 4), st.data())
def test_any_state_is_harmless(
    named: GalleryPair, size: int, length: int, data: st.DataObject
) -> None:
    """Whatever the drafter is made to have read, SLEM emits the target's law, exactly."""
    drafter_ids = st.integers(0, named.pair.drafter.size - 1)
    read = tuple(data.draw(st.lists(drafter_ids, max_size=4)))
    window = Window(size, read, length)
    made = program("autoregressive", 1)
    due = exact_law(
        lambda chance: generate(made.run_round, named.pair, named.prompt, chance, 2).ids
    )
    assert law_of_two(named.pair, named.prompt, window) == due


def test_that_check_can_fail() -> None:
    """A decoder whose state does matter is refuted by it: tokens repeat those of the state."""
    named = gallery_pair("contexts")

    def run_round(pair: Pair, context: Ids, chance: Chance, state: object) -> object:
        repeated = (state[-1],) if isinstance(state, tuple) else context[-1:]
        block = program("standard", 1).run_round(pair, context + repeated, chance, None)
        return type(block)(block.emitted, state=block.emitted)

    wrong = exact_law(lambda chance: generate(run_round, named.pair, named.prompt, chance, 2).ids)
    due = exact_law(
        lambda chance: (
            generate(
                program("autoregressive", 1).run_round, named.pair, named.prompt, chance, 2
            ).ids
        )
    )
    assert wrong != due


def runs(ids: Ids) -> set[Ids]:
    return {ids[i:j] for i in range(len(ids)) for j in range(i + 1, len(ids) + 1)}


@given(IDS, IDS)
def test_the_longest_common_run(old: Ids, new: Ids) -> None:
    """A run of both, none is longer, and it is the first of its length in ``old``."""
    i, j, length = longest_common_run(old, new)
    assert old[i : i + length] == new[j : j + length]
    common = runs(old) & runs(new)
    assert length == max(map(len, common), default=0)
    if length:
        earlier = [k for k in range(i) if old[k : k + length] in common]
        assert not earlier


@given(IDS, IDS)
def test_realigned_and_continuation(old: Ids, new: Ids) -> None:
    i, j, length = longest_common_run(old, new)
    joined = realigned(old, new)
    assert joined[: i + length] == old[: i + length]
    assert joined[i + length :] == new[j + length :]
    if not length:
        assert joined == old + new
        assert continuation(old, new) == new
    assert continuation(old, old + new) == new or runs(old) & runs(new)


@pytest.mark.parametrize(
    ("old", "new", "whole", "behind"),
    [
        ((1, 2), (1, 2, 3), (1, 2, 3), (3,)),
        ((0, 1, 2), (1, 2, 3), (0, 1, 2, 3), (3,)),
        ((0, 1, 2), (1, 5, 3), (0, 1, 5, 3), (3,)),  # the run ends early: one id is skipped
        ((0,), (2,), (0, 2), (2,)),
        ((), (2,), (2,), (2,)),
        ((0, 1), (), (0, 1), ()),
    ],
)
def test_worked_cases(old: Ids, new: Ids, whole: Ids, behind: Ids) -> None:
    assert realigned(old, new) == whole
    assert continuation(old, new) == behind


def test_a_window_re_encodes_the_join() -> None:
    """T = {a, b, ab}: after the id a, a drafted b would be ab by text; behind a, it is b."""
    pair = gallery_pair("retokenized").pair
    assert pair.target_tokenizer.encode("ab") == (2,)
    assert Window(1).candidates(pair, (1,), "ab") == (2,)
    # The join of a and b is one id; no id is common, so what the text says is proposed whole.
    assert Window(1).candidates(pair, (0,), "b") == (2,)
    assert Window(2).candidates(pair, (1, 0), "a") == (0,)


def test_the_first_round_reads_as_without_a_window() -> None:
    pair = gallery_pair("crossing-merges").pair
    assert Window(2).drafter_context(pair, (0, 1, 2)) == pair.drafter_context((0, 1, 2))


def test_a_window_that_cannot_be_read_proposes_nothing() -> None:
    """D = {a, ab} cannot encode b, b."""
    pair = gallery_pair("unreadable-context").pair
    assert Window(1, (0,), 2).drafter_context(pair, (0, 1, 1)) is None
    shared = gallery_pair("contexts").pair
    assert Window(1, (0,), 2).drafter_context(shared, (0, 1, 1)) == (0, 1, 1)


def test_the_state_carried_is_what_the_drafter_has_read() -> None:
    """After a round: the drafter's context and drafts, and the length of the target's context."""
    named = gallery_pair("crossing-merges")
    made = program("slem", "fixed:2/look-behind:2")
    for leaf in exact_law(
        lambda chance: made.run_round(named.pair, named.prompt, chance, None)
    ).support():
        assert isinstance(leaf.state, Window)
        assert leaf.state.previous_ids == (0, *leaf.drafts)
        assert leaf.state.previous_length == len(named.prompt)
