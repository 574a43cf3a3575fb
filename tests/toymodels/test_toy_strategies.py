"""The strategies reach what they promise, and shrink to the small end."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from draftproof.reference.distribution import ExactDistribution
from draftproof.toymodels.pairs import GalleryPair
from draftproof.toymodels.strategies import (
    FLAVOURS,
    distributions,
    models,
    pairs,
    same_vocabulary_pairs,
    tokenizers,
    two_vocabulary_pairs,
    vocabularies,
)
from draftproof.toymodels.tokenizers import ToyTokenizer
from hypothesis import HealthCheck, find, given, settings

SEARCH = settings(
    max_examples=400, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@given(vocabularies(min_size=2, max_size=5))
def test_vocabularies_are_distinct_pieces(pieces: list[str]):
    assert 2 <= len(set(pieces)) == len(pieces) <= 5
    assert any(set(pieces) <= set(flavour.pieces) for flavour in FLAVOURS.values())


@settings(deadline=None)
@given(pairs())
def test_pairs_are_whole_and_describe_themselves(drawn: GalleryPair):
    pair = drawn.pair
    assert drawn.prompt
    assert all(token < pair.target.size for token in drawn.prompt)
    for model in (pair.target, pair.drafter):
        assert 2 <= model.size <= 5
        assert 1 <= model.order <= 3
        assert 1 <= len(model.distributions(drawn.prompt[:0])[0]) <= 3
    described = json.loads(json.dumps(drawn.describe()))
    assert described["target"]["size"] == pair.target.size
    assert ("tokenizer" in described) == pair.same_vocabulary
    assert json.dumps(drawn.describe(), ensure_ascii=False) in repr(drawn)


def test_what_matters_is_reached_often_enough():
    """In 300 pairs: sizes 2 to 5, orders 1 to 3, zeros, equal, disjoint and one-hot laws."""
    seen: Counter[object] = Counter()

    @settings(SEARCH, max_examples=300)
    @given(pairs())
    def count(drawn: GalleryPair) -> None:
        pair = drawn.pair
        (target,), (drafter,) = (model.distributions(()) for model in (pair.target, pair.drafter))
        tokenizer_pair = pair.target_tokenizer, pair.drafter_tokenizer
        seen["size", pair.target.size] += 1
        seen["order", pair.target.order] += 1
        seen["same" if pair.same_vocabulary else "two"] += 1
        seen["zeros"] += len(target) < pair.target.size
        seen["one-hot"] += len(target) == 1
        seen["equal"] += pair.same_vocabulary and pair.target is pair.drafter
        seen["disjoint"] += pair.same_vocabulary and not target.overlap(drafter)
        seen["end"] += pair.end_of_sequence is not None
        seen["changed text"] += any("normalisers" in t.describe() for t in tokenizer_pair)

    count()
    wanted = {("size", n) for n in range(2, 6)} | {("order", n) for n in range(1, 4)}
    wanted |= {"same", "two", "zeros", "one-hot", "equal", "disjoint", "end", "changed text"}
    assert {each for each in wanted if seen[each] < 15} == set()


def test_a_law_shrinks_to_one_hot_and_small_rationals():
    assert find(distributions(3), lambda law: True, settings=SEARCH) == ExactDistribution({0: 1})
    even = find(distributions(3), lambda law: len(law) == 2, settings=SEARCH)
    assert sorted(str(number) for number in even.values()) == ["1/2", "1/2"]
    skewed = find(distributions(3), lambda law: 0 < law[0] < law[1], settings=SEARCH)
    assert len(skewed) == 2
    assert str(skewed[0]) == "1/3"


def test_laws_keep_to_the_ids_allowed():
    only = find(distributions(4, allowed=[2, 3]), lambda law: len(law) == 2, settings=SEARCH)
    assert set(only) == {2, 3}


def test_a_model_shrinks_to_order_one():
    assert find(models(), lambda m: True, settings=SEARCH).describe() == {
        "size": 2,
        "order": 1,
        "tables": {"": {"0": "1/1"}},
    }
    depends = find(
        models(size=2),
        lambda m: m.distributions((0,)) != m.distributions((1,)),
        settings=SEARCH,
    )
    assert depends.order == 2
    assert len(depends.describe()["tables"]) == 2, "one context beside the empty one is enough"


@pytest.mark.parametrize("strategy", [same_vocabulary_pairs(), two_vocabulary_pairs()])
def test_a_pair_shrinks_to_few_tokens_and_halves(strategy):
    def first_token_can_be_rejected(drawn: GalleryPair) -> bool:
        (p,), (q,) = (m.distributions(()) for m in (drawn.pair.target, drawn.pair.drafter))
        return 0 < p[0] < q[0]

    small = find(strategy, first_token_can_be_rejected, settings=SEARCH)
    assert small.prompt == (0,)
    assert (small.pair.target.size, small.pair.drafter.size) == (2, 2)
    assert (small.pair.target.order, small.pair.drafter.order) == (1, 1)
    (p,), (q,) = small.pair.target.distributions(()), small.pair.drafter.distributions(())
    assert [str(number) for number in p.values()] == ["1/2", "1/2"]
    assert dict(q) == {0: 1}


@pytest.mark.parametrize("law", ["injective", "round_trips", "total", "concatenative", "canonical"])
def test_tokenizers_that_break_each_law_are_found(law: str):
    def broken(tokenizer: ToyTokenizer) -> bool:
        return not getattr(tokenizer.laws, law)

    small = find(tokenizers(), broken, settings=SEARCH)
    assert len(small.vocabulary) <= 3
