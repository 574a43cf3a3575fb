"""Intersection, coverage, expressibility and segmentations, against slow and obvious definitions.

Each check is a function that raises; for each a planted fault shows that it does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import pytest
from draftproof.adapters.vocabularies import Passage, Side, segmentations
from draftproof.adapters.vocabularies.facts import facts
from draftproof.adapters.vocabularies.intersection import coverage, intersection
from draftproof.adapters.vocabularies.segmentations import (
    Pieces,
    inexpressible,
    psi_cost,
    weighted_quantiles,
)
from draftproof.reference import inexpressible as slow_inexpressible
from draftproof.reference import map_tokens
from draftproof.toymodels.gallery import gallery
from draftproof.toymodels.quirks import QUIRKS
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given
from hypothesis import strategies as st

PAIRS = [
    each for each in gallery() if each.pair.target_tokenizer is not each.pair.drafter_tokenizer
]
TEXTS = [Passage("one", text) for text in ("ab", "aab", "ba", "a")] + [Passage("two", "abab")]


def sides(each):
    return Side(each.pair.target_tokenizer, "T"), Side(each.pair.drafter_tokenizer, "D")


def spelled(text, vocabulary):
    """Every sequence of ids whose bytes joined are ``text``, by trying all."""
    if not text:
        return [()]
    return [
        (token, *rest)
        for token, piece in enumerate(vocabulary)
        if piece and text.startswith(piece)
        for rest in spelled(text[len(piece) :], vocabulary)
    ]


def check_segmentations(texts, vocabulary):
    counted = Pieces(Counter(piece for piece in vocabulary if piece)).count_all(texts)
    for text in texts:
        ways = spelled(text, vocabulary)
        prefixes = {way[:length] for way in ways for length in range(len(way))}
        assert counted[text] == (len(ways), len(prefixes) if text else 0), text


def check_inexpressible(source, target):
    found = inexpressible(Side(source, "S"), Pieces(Side(target, "T").times), Counter())
    due = slow_inexpressible(source, target)
    assert found.ids == due
    assert {each.id for each in found.examples} <= set(due)


def check_intersection(target, drafter):
    image = map_tokens(drafter.tokenizer, target.tokenizer)
    found = intersection(target, drafter, image)
    t, d = target.vocabulary, drafter.vocabulary
    shared = {text for text in t if text} & {text for text in d if text}
    assert found.texts == len(shared)
    assert found.target_ids == sum(text in shared for text in t)
    assert found.drafter_ids == sum(text in shared for text in d)
    assert found.merged == sum(image.count(token) > 1 for token in range(len(t)))
    for each in found.lengths:
        ours = [text for text in t if text and len(text) == each.bytes]
        theirs = [text for text in d if text and len(text) == each.bytes]
        assert (each.target, each.drafter) == (len(ours), len(theirs))
        assert each.shared_target == len([text for text in ours if text in shared])
        assert each.shared_drafter == len([text for text in theirs if text in shared])
    assert sum(each.target for each in found.lengths) == len([text for text in t if text])


# Segmentations and expressibility.


@given(
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=6),
    st.lists(st.text("ab", min_size=1, max_size=7), min_size=1, max_size=6),
)
def test_segmentations_are_those_that_trying_all_finds(pieces, texts):
    check_segmentations([t.encode() for t in texts], [p.encode() for p in pieces])


def test_segmentations_cut_characters_and_count_duplicates():
    vocabulary = (b"\xc3\xa9", b"\xc3", b"\xa9", b"\xa9", None, b"e\xc3", b"e")
    check_segmentations([b"\xc3\xa9", b"e\xc3\xa9", b"\xa9", b"ee\xc3"], vocabulary)
    counted = Pieces(Counter(text for text in vocabulary if text)).count_all([b"\xc3\xa9"])
    # One character, so the paper's bound is 1: whole, or two ways to join its bytes.
    assert counted == {b"\xc3\xa9": (3, 2)}


def test_with_all_pieces_both_counts_are_the_papers_bound():
    text = b"abcdefgh"
    pieces = Counter({text[i:j] for i in range(8) for j in range(i + 1, 9)})
    assert Pieces(pieces).count_all([text])[text] == (2**7, 2**7)


def test_counts_are_exact_whatever_their_size():
    text = b"a" * 300
    assert Pieces(Counter({b"a" * n: 1 for n in range(1, 301)})).count_all([text]) == {
        text: (2**299, 2**299)
    }


@pytest.mark.parametrize("each", PAIRS, ids=lambda each: each.name)
def test_gallery_pairs(each):
    target, drafter = sides(each)
    check_intersection(target, drafter)
    check_inexpressible(target.tokenizer, drafter.tokenizer)
    check_inexpressible(drafter.tokenizer, target.tokenizer)
    check_segmentations([text for text in target.vocabulary if text], drafter.vocabulary)


@given(
    st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5),
)
def test_expressibility_is_the_references(pieces, others):
    check_inexpressible(greedy(pieces), greedy(others))


@pytest.mark.parametrize(
    "fault",
    ["piece too short", "duplicates ignored", "dead ends counted", "prefix kept too long"],
)
def test_planted_faults_in_the_count_are_seen(monkeypatch, fault):
    vocabulary = (b"a", b"a", b"ab", b"abb")
    texts = [b"aabb", b"aab", b"aba", b"abab"]
    check_segmentations(texts, vocabulary)
    real = Pieces.__init__
    if fault == "piece too short":

        def init(self, times):
            real(self, {text: n for text, n in times.items() if len(text) < 3})

        monkeypatch.setattr(Pieces, "__init__", init)
    elif fault == "duplicates ignored":
        monkeypatch.setattr(
            Pieces, "__init__", lambda self, times: real(self, dict.fromkeys(times, 1))
        )
    elif fault == "dead ends counted":
        monkeypatch.setattr(
            segmentations, "_passes", lambda text, ways, starts, singles: sum(ways) - ways[-1]
        )
    else:
        monkeypatch.setattr(segmentations, "_common", lambda a, b: min(len(a), len(b)))
    with pytest.raises(AssertionError):
        check_segmentations(texts, vocabulary)


def test_a_planted_fault_in_expressibility_is_seen(monkeypatch):
    monkeypatch.setattr(Pieces, "spells", lambda self, text: True)
    with pytest.raises(AssertionError):
        check_inexpressible(greedy(["a", "bc"]), greedy(["a", "b"]))


def test_a_planted_fault_in_the_intersection_is_seen(monkeypatch):
    target, drafter = Side(greedy(["a", "b"]), "T"), Side(greedy(["a", "b", "b"]), "D")
    check_intersection(target, drafter)
    drafter.times.update({b"b": -1})  # as if duplicates were counted once
    with pytest.raises(AssertionError):
        check_intersection(target, drafter)


# Costs, weighted by the corpus.


def test_costs_by_hand():
    target = Side(greedy(["a", "b", "ab", "abb", "c"]), "T")
    pieces = Pieces(Side(greedy(["a", "b", "ab"]), "D").times)
    # Segmentations: a 1, b 1, ab 2 (a b, ab), abb 2 (a b b, ab b), c none.
    # Strict prefixes: (), and for ab also (a); for abb (), (a), (ab), (a b).
    found = psi_cost(target, pieces, Counter({0: 5, 2: 4, 3: 1}))
    rows = [(each.segmentations, each.passes, each.paper) for each in found.quantiles]
    assert [each.share for each in found.quantiles] == [0.5, 0.9, 0.99, 1.0]
    assert rows == [(1, 1, 1), (2, 2, 2), (2, 4, 4), (2, 4, 4)]
    assert found.mean_passes == (5 * 1 + 4 * 2 + 1 * 4) / 10
    assert (found.single, found.none, found.above_paper, found.counted) == (2, 1, 0, 5)
    assert found.worst is not None and found.worst.token.text == "abb"


def test_a_character_in_parts_exceeds_the_papers_bound():
    target = Side(greedy(["é", "a"]), "T")
    drafter = Side(greedy(["é", b"\xc3", b"\xa9", "a"]), "D")
    found = psi_cost(target, Pieces(drafter.times), Counter())
    assert found.quantiles == () and found.mean_passes is None
    assert found.above_paper == 1
    worst = found.above_paper_example
    assert worst is not None
    assert (worst.segmentations, worst.passes, worst.paper) == (2, 2, 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=8))
def test_quantiles_are_those_of_the_list_written_out(values):
    written = sorted(value for value, weight in values for _ in range(weight))
    due = [
        next(v for v in written if sum(w <= v for w in written) >= share * len(written))
        for share in (0.5, 0.9, 0.99, 1.0)
    ]
    assert weighted_quantiles(values) == due


# Coverage.


def covered(target, drafter, corpus):
    encodings = [side.encode_many(each.text for each in corpus) for side in (target, drafter)]
    image = map_tokens(drafter.tokenizer, target.tokenizer)
    return coverage(target, drafter, image, corpus, *encodings)


def numbers(row):
    return (
        row.passages,
        row.unreadable,
        row.tokens,
        row.shared_tokens,
        row.bytes,
        row.shared_bytes,
    )


def test_coverage_by_hand():
    target, drafter = Side(greedy(["a", "b", "ab"]), "T"), Side(greedy(["a", "b", "ba"]), "D")
    one, two, everything = covered(target, drafter, TEXTS)
    assert [each.section for each in (one, two, everything)] == ["one", "two", "all"]
    # Target: ab | a ab | b a | a: six tokens, of which ab twice is not shared.
    assert numbers(one.target) == (4, 0, 6, 4, 8, 4)
    # Drafter: a b | a a b | ba | a: seven tokens, ba is not shared.
    assert numbers(one.drafter) == (4, 0, 7, 6, 8, 6)
    assert numbers(two.target) == (1, 0, 2, 0, 4, 0)  # ab ab
    assert numbers(two.drafter) == (1, 0, 3, 2, 4, 2)  # a ba b
    assert numbers(everything.target) == (5, 0, 8, 4, 12, 4)
    assert everything.target.token_share == 0.5
    assert everything.target.byte_share == 4 / 12


def test_what_cannot_be_read_is_left_out_and_counted():
    target, drafter = Side(greedy(["a", "b"]), "T"), Side(greedy(["a"]), "D")
    (row,) = covered(target, drafter, [Passage("x", "ab"), Passage("x", "a")])
    assert row.section == "x"
    assert numbers(row.drafter) == (2, 1, 1, 1, 1, 1)
    assert numbers(covered(target, drafter, [Passage("x", "b")])[0].drafter)[1:3] == (1, 0)
    assert covered(target, drafter, [Passage("x", "b")])[0].drafter.token_share is None


def test_a_target_id_that_the_map_does_not_reach_is_not_in_reach():
    """Encoding writes the lowest id of b here; a map to the higher one reaches nothing of it."""
    target, drafter = Side(greedy(["a", "b", "b"]), "T"), Side(greedy(["a", "b"]), "D")
    corpus = [Passage("x", "abb")]
    encodings = [side.encode_many(each.text for each in corpus) for side in (target, drafter)]
    (low,) = coverage(target, drafter, (0, 1), corpus, *encodings)
    (high,) = coverage(target, drafter, (0, 2), corpus, *encodings)
    assert (low.target.mapped_share, high.target.mapped_share) == (1.0, 1 / 3)
    assert low.target.token_share == high.target.token_share == 1.0


# Facts of one side.


def test_facts_by_hand():
    pieces = ["a", "b", b"\xc3", "b", None, "ab", "aab", None, b"\xc3"]
    side = Side(greedy(pieces, end_of_sequence=4), "T")
    corpus = [Passage("x", "aab"), Passage("x", "ba"), Passage("x", "c")]
    found = facts(side, corpus, side.encode_many(each.text for each in corpus))
    assert (found.ids, found.with_text, found.without_text) == (9, 7, 2)
    assert (found.end_of_sequence, found.stop_ids, found.beginning) == (4, (4,), ())
    assert found.adds_space is False
    assert found.single_bytes == 3
    assert found.part_characters == 2
    assert found.duplicates == 2
    assert [[t.id for t in group] for group in found.duplicate_examples] == [[1, 3], [2, 8]]
    assert [t.id for t in found.longest] == [6, 5, 0, 1, 2]
    assert found.lengths == ((0.5, 1), (0.9, 3), (0.99, 3))
    assert found.bytes_per_token == 5 / 3  # aab | b a; c has no encoding
    assert found.laws == asdict(side.tokenizer.laws)


@pytest.mark.parametrize(
    ("name", "adds"),
    [("prefix_space", True), ("prefix_space_undone", True), ("characters", False)],
)
def test_a_space_in_front_is_seen_even_where_decoding_takes_it_away(name, adds):
    assert facts(Side(QUIRKS[name](), name), [], []).adds_space is adds
