"""Token lattices: edges, paths, counts, and two vocabularies at once."""

from __future__ import annotations

from itertools import product

import networkx as nx
import pytest
from draftproof.reference.lattice import (
    count_segmentations,
    one_side,
    segmentations,
    shared_positions,
    token_lattice,
    two_sided_lattice,
)
from draftproof.toymodels.strategies import FLAVOURS, vocabularies
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given
from hypothesis import strategies as st

AB = greedy(["a", "b", "ab", None])


def test_edges_are_the_places_where_tokens_fit():
    lattice = token_lattice(b"aab", AB)
    assert isinstance(lattice, nx.MultiDiGraph)
    assert list(lattice) == [0, 1, 2, 3]
    assert sorted(lattice.edges(keys=True)) == [(0, 1, 0), (1, 2, 0), (1, 3, 2), (2, 3, 1)]
    assert lattice.edges[1, 3, 2] == {"token": 2, "spelling": b"ab"}
    assert lattice.graph["text"] == b"aab"


def test_segmentations_are_listed_in_ascending_order():
    lattice = token_lattice(b"aab", AB)
    assert list(segmentations(lattice)) == [(0, 0, 1), (0, 2)]
    assert count_segmentations(lattice) == 2


def test_the_empty_text_has_the_empty_segmentation():
    lattice = token_lattice(b"", AB)
    assert list(segmentations(lattice)) == [()]
    assert count_segmentations(lattice) == 1


def test_a_text_that_cannot_be_cut_has_none():
    lattice = token_lattice(b"aca", AB)
    assert list(segmentations(lattice)) == []
    assert count_segmentations(lattice) == 0


def test_two_ids_of_one_text_are_two_edges():
    assert list(segmentations(token_lattice(b"a", greedy(["a", "a"])))) == [(0,), (1,)]


def test_bytes_are_positions():
    lattice = token_lattice("é".encode(), greedy(["é", b"\xc3", b"\xa9"]))
    assert list(segmentations(lattice)) == [(0,), (1, 2)]


def test_all_compositions_of_a_token_of_m_characters():
    everything = greedy(["a" * n for n in range(1, 9)])
    for m in range(1, 9):
        assert count_segmentations(token_lattice(b"a" * m, everything)) == 2 ** (m - 1)


def test_counting_lists_nothing():
    everything = greedy(["a", "aa"])
    fibonacci = [1, 1]
    for _ in range(300):
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert count_segmentations(token_lattice(b"a" * 300, everything)) == fibonacci[300]


def test_dead_ends_are_not_explored():
    # Every cut of the as is possible and none leads to the end; listing would take 2**59 steps.
    lattice = token_lattice(b"a" * 60 + b"c", greedy(["a", "aa", "aaa"]))
    assert list(segmentations(lattice)) == []


@given(vocabularies(FLAVOURS["letters"]), st.text(st.sampled_from("ab"), max_size=6))
def test_segmentations_against_trying_all_id_sequences(pieces: list[str], text: str):
    tokenizer = greedy(pieces)
    lattice = token_lattice(text.encode(), tokenizer)
    due = [
        ids
        for length in range(len(text) + 1)
        for ids in product(range(len(pieces)), repeat=length)
        if "".join(pieces[token] for token in ids) == text
    ]
    found = list(segmentations(lattice))
    assert found == sorted(found)
    assert sorted(due) == found
    assert count_segmentations(lattice) == len(found)


def test_two_vocabularies_over_one_text():
    lattice = two_sided_lattice(b"aba", AB, greedy(["a", "b", "ba"]))
    assert lattice.edges[0, 2, ("target", 2)] == {"token": 2, "spelling": b"ab", "side": "target"}
    assert lattice.edges[1, 3, ("drafter", 2)]["spelling"] == b"ba"
    assert list(segmentations(one_side(lattice, "target"))) == [(0, 1, 0), (2, 0)]
    assert list(segmentations(one_side(lattice, "drafter"))) == [(0, 1, 0), (0, 2)]
    assert shared_positions(lattice) == (0, 1, 2, 3)


def test_shared_positions_are_cuts_of_both_sides():
    lattice = two_sided_lattice(b"abab", greedy(["ab"]), greedy(["a", "ba", "b"]))
    assert shared_positions(lattice) == (0, 2, 4)
    assert shared_positions(two_sided_lattice(b"ab", greedy(["a"]), greedy(["ab"]))) == ()


def test_a_side_is_target_or_drafter():
    with pytest.raises(ValueError, match="side is 'both'; it is target or drafter"):
        one_side(two_sided_lattice(b"a", AB, AB), "both")
