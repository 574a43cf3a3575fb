"""Segmentations against their definitions, spelled out without cleverness."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from draftproof.reference.exact import rational
from draftproof.reference.lattice import segmentations, token_lattice
from draftproof.toymodels.segmentation import (
    BytePairSegmentation,
    GreedySegmentation,
    UnigramSegmentation,
)
from draftproof.toymodels.strategies import FLAVOURS, vocabularies
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given, settings
from hypothesis import strategies as st

letters = vocabularies(FLAVOURS["letters"])
texts = st.text(st.sampled_from("ab"), max_size=7)


def numbered(pieces: list[str]) -> dict[str, int]:
    return {piece: token for token, piece in enumerate(pieces)}


@given(letters, texts)
def test_greedy_takes_the_longest_piece_at_each_position(pieces: list[str], text: str):
    position = 0
    for segment in GreedySegmentation(numbered(pieces)).segment(text):
        fitting = [piece for piece in pieces if text.startswith(piece, position)]
        if isinstance(segment, str):
            assert not fitting
            position += 1
        else:
            assert pieces[segment] == max(fitting, key=len)
            position += len(pieces[segment])
    assert position == len(text)


@given(letters, texts, st.permutations([("a", "b"), ("b", "a"), ("a", "a"), ("ab", "a")]))
def test_bpe_merges_by_rank(pieces: list[str], text: str, merges: list[tuple[str, str]]):
    symbols = list(text)
    while True:
        possible = [m for m in merges if m in pairwise(symbols)]
        if not possible:
            break
        index = 0
        while index < len(symbols) - 1:
            if (symbols[index], symbols[index + 1]) == possible[0]:
                symbols[index : index + 2] = [symbols[index] + symbols[index + 1]]
            index += 1
    table = numbered(pieces)
    due = [x for s in symbols for x in ([table[s]] if s in table else list(s))]
    assert BytePairSegmentation(table, merges).segment(text) == due


@settings(max_examples=200)
@given(letters, texts, st.data())
def test_unigram_is_the_best_of_all_segmentations(
    pieces: list[str], text: str, data: st.DataObject
):
    scores = {piece: data.draw(st.integers(-3, 1)) for piece in pieces}
    segments = UnigramSegmentation(numbered(pieces), scores).segment(text)
    ways = list(segmentations(token_lattice(text.encode(), greedy(pieces))))
    if any(isinstance(segment, str) for segment in segments):
        assert not ways, "a character is left uncovered only when it must be"
        return
    best = min(ways, key=lambda ids: (-sum(scores[pieces[t]] for t in ids), len(ids), ids))
    assert tuple(segments) == best


def test_unigram_takes_exact_scores_and_breaks_ties_towards_fewer_tokens():
    pieces = numbered(["a", "aa"])
    third = rational(1, 3)
    assert UnigramSegmentation(pieces, {"a": -third, "aa": "-2/3"}).segment("aaa") == [0, 1]
    assert UnigramSegmentation(pieces, {"a": -third, "aa": "-3/4"}).segment("aaa") == [0, 0, 0]
    # 1/10 three times is exactly 3/10, which floats would get wrong.
    tenths = UnigramSegmentation(numbered(["a", "aaa"]), {"a": "-1/10", "aaa": "-3/10"})
    assert tenths.segment("aaa") == [1]


def test_uncovered_characters_are_left_as_they_are():
    pieces = numbered(["a", "ab"])
    for segmentation in (
        GreedySegmentation(pieces),
        BytePairSegmentation(pieces, [("a", "b")]),
        UnigramSegmentation(pieces, {"a": 0, "ab": 0}),
    ):
        assert segmentation.segment("bab?") == ["b", 1, "?"]
        assert segmentation.segment("") == []


@pytest.mark.parametrize("text", ["".join(t) for n in range(6) for t in product("ab", repeat=n)])
def test_a_merged_symbol_without_a_piece_falls_apart(text: str):
    # After a+b has been merged, an a before a b is no longer there to be matched.
    segments = BytePairSegmentation({"a": 0, "b": 1}, [("a", "b")]).segment(text)
    assert "".join(s if isinstance(s, str) else "ab"[s] for s in segments) == text
    assert sum(isinstance(s, str) for s in segments) == 2 * text.count("ab")
