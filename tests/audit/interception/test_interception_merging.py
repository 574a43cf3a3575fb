"""Merged paths: the law of all paths, from far fewer; and a state key that misses something."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from draftproof.audit.interception import boundary, enumerate_law
from draftproof.audit.interception.merging import MERGE_TOLERANCE

#: The law after each id, and the drafter's.
TARGET = ((0.5, 0.3, 0.2), (0.1, 0.6, 0.3), (0.25, 0.25, 0.5))
DRAFTER = ((0.2, 0.3, 0.5), (0.4, 0.4, 0.2), (0.3, 0.4, 0.3))
LOOKAHEAD = 2


def draw(row: Any) -> int:
    return random.choices(range(3), row)[0]


def decoder(
    horizon: int, key: Callable[[list[int], int], Any], remembers: bool = False
) -> Callable[[], tuple[int, ...]]:
    """Speculative decoding; one that ``remembers`` is wrong at every second rejection."""

    def run() -> tuple[int, ...]:
        ids, rejections = [0], 0
        while len(ids) <= horizon:
            boundary(key(ids, rejections))
            drafts = [ids[-1]]
            for _ in range(LOOKAHEAD):
                drafts.append(draw(DRAFTER[drafts[-1]]))
            for before, draft in pairwise(drafts):
                p, q = TARGET[before], DRAFTER[before]
                if random.random() >= p[draft] / q[draft]:
                    left = [max(a - b, 0.0) for a, b in zip(p, q, strict=True)]
                    rejections += 1
                    ids.append(draw(p if remembers and rejections % 2 == 0 else left))
                    break
                ids.append(draft)
            else:
                ids.append(draw(TARGET[drafts[-1]]))
        return tuple(ids[1 : horizon + 1])

    return run


def ids_alone(ids: list[int], rejections: int) -> Any:
    return tuple(ids)


def everything(ids: list[int], rejections: int) -> Any:
    return tuple(ids), rejections


def due(horizon: int) -> dict[tuple[int, ...], float]:
    laws: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(horizon):
        laws = {
            (*ids, token): mass * p
            for ids, mass in laws.items()
            for token, p in enumerate(TARGET[ids[-1] if ids else 0])
        }
    return laws


def test_merged_paths_have_the_law_of_all_paths_and_are_fewer():
    every = enumerate_law(decoder(3, ids_alone))
    merged = enumerate_law(decoder(3, ids_alone), merge=decoder(2, ids_alone))
    assert every.reason is None and merged.reason is None, merged.reason
    assert every.merged == every.cross_check_paths == 0
    assert merged.law == pytest.approx(due(3), abs=MERGE_TOLERANCE)
    assert every.law == pytest.approx(due(3), abs=MERGE_TOLERANCE)
    assert merged.merged > 5 and merged.unexplored_mass == 0.0
    assert 2 * (merged.paths - merged.cross_check_paths) < every.paths


def test_the_key_alone_decides_what_is_merged():
    """A Markov chain's state is its last token and its length, so its paths do not multiply."""

    def chain(horizon: int) -> Callable[[], int]:
        def run() -> int:
            token = 0
            for place in range(horizon):
                boundary((place, token))
                token = draw(TARGET[token])
            return token

        return run

    merged = enumerate_law(chain(12), merge=chain(4))
    assert merged.reason is None
    assert merged.paths - merged.cross_check_paths <= 12 * 3 * 3
    law = [1.0, 0.0, 0.0]
    for _ in range(12):
        law = [sum(law[i] * TARGET[i][j] for i in range(3)) for j in range(3)]
    assert [merged.law[k] for k in range(3)] == pytest.approx(law, abs=1e-12)


def test_a_key_that_misses_something_is_caught():
    small = decoder(3, ids_alone, True)
    found = enumerate_law(decoder(4, ids_alone, True), merge=small)
    assert found.law == {} and found.unexplored_mass == 1.0
    assert "merging is unsound: the state key misses something" in (found.reason or "")


def test_the_same_decoder_with_the_whole_key_is_complete():
    every = enumerate_law(decoder(3, everything, True))
    found = enumerate_law(decoder(3, everything, True), merge=decoder(3, everything, True))
    assert found.reason is None and found.merged > 5
    assert found.law == pytest.approx(every.law, abs=MERGE_TOLERANCE)
    assert found.law != pytest.approx(due(3), abs=1e-6)


def test_a_small_case_that_merges_nothing_checks_nothing():
    found = enumerate_law(decoder(4, ids_alone), merge=decoder(1, ids_alone))
    assert found.law == {} and "merging was not checked" in (found.reason or "")


def test_a_small_case_that_is_not_complete_checks_nothing():
    small = decoder(3, ids_alone)
    found = enumerate_law(decoder(4, ids_alone), merge=small, max_paths=20)
    assert found.law == {} and "the small case, all paths: budget spent" in (found.reason or "")


def carried() -> bool:
    u = random.random()
    boundary(0)
    return random.random() < 0.5 and u < 0.5


def confined() -> bool:
    u = random.random()
    first = u < 0.5
    boundary(0)
    return random.random() < 0.5 and (u < 0.75 or first)


def drawn_again() -> bool:
    random.seed(3)
    first = random.random() < 0.5
    boundary(0)
    random.seed(3)
    return (random.random() < 0.25) or first


@pytest.mark.parametrize("program", [carried, confined, drawn_again])
def test_undrawn_numbers_do_not_pass_a_boundary(program: Callable[[], bool]):
    assert enumerate_law(program).reason is None
    found = enumerate_law(program, merge=program)
    assert found.law == {} and "before a boundary and used after" in (found.reason or "")


def test_an_undrawn_number_in_a_key_is_refused():
    found = enumerate_law(
        lambda: boundary(random.random()),  # type: ignore[arg-type]
        merge=lambda: boundary(random.random()),  # type: ignore[arg-type]
    )
    assert found.law == {} and "hash()" in (found.reason or "")


def test_boundaries_do_nothing_elsewhere():
    boundary([])  # type: ignore[arg-type]
    found = enumerate_law(decoder(2, ids_alone))
    assert found.law == pytest.approx(due(2), abs=1e-12)


def test_loops_that_may_go_on_for_ever_are_complete_when_merged():
    def until_accepted(rounds: int) -> Callable[[], int]:
        def run() -> int:
            count = 0
            for place in range(rounds):
                boundary((place, count))
                while random.random() < 0.25:
                    pass
                count += random.random() < 0.5
            return count

        return run

    found = enumerate_law(until_accepted(3), merge=until_accepted(2))
    assert found.reason is None, found.reason
    assert [found.law[k] for k in range(4)] == pytest.approx([1 / 8, 3 / 8, 3 / 8, 1 / 8], abs=1e-9)


def test_rows_of_torch_that_wait_do_not_pass_a_boundary():
    torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
    row = torch.tensor([0.25, 0.75])

    def program(looked_at: bool) -> Callable[[], tuple[int, int]]:
        def run() -> tuple[int, int]:
            first = torch.multinomial(row, 1)
            key = int(first) if looked_at else 0
            boundary(key)
            second = int(torch.multinomial(row, 1))
            return int(first), second

        return run

    assert "before a boundary" in (enumerate_law(program(False), merge=program(False)).reason or "")
    found = enumerate_law(program(True), merge=program(True))
    assert "not checked" in (found.reason or ""), "every path has a state of its own here"
