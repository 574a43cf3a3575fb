"""N-gram models: which law answers where, where laws come from, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product

import pytest
from draftproof.reference.distribution import ExactDistribution
from draftproof.reference.exact import rational
from draftproof.toymodels.models import NgramModel, PrunedHead
from draftproof.toymodels.strategies import distributions, models
from draftproof.toymodels.tables import ModelError
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given, settings
from hypothesis import strategies as st


def law(*numbers: str) -> ExactDistribution[int]:
    return ExactDistribution({k: rational(number) for k, number in enumerate(numbers)})


def test_longest_listed_suffix_answers():
    model = NgramModel(2, 3, {(): ["1/2", "1/2"], (1,): [1, 0], (0, 1): {1: 1}})
    assert model.distributions(()) == (law("1/2", "1/2"),)
    assert model.distributions((0,)) == (law("1/2", "1/2"),)
    assert model.distributions((1, 1)) == (law("1", "0"),)
    assert model.distributions((1, 0, 1)) == (law("0", "1"),)


def test_rows_follow_the_continuation():
    model = NgramModel.from_seed(3, 3, seed=5)
    for context, continuation in product([(), (2,), (0, 1, 2)], [(), (1,), (1, 0, 2, 2)]):
        rows = model.distributions(context, continuation)
        singly = [
            model.distributions(context + continuation[:j])[0] for j in range(len(continuation) + 1)
        ]
        assert list(rows) == singly


@given(models(), st.data())
def test_a_law_depends_on_no_more_than_the_order_says(model: NgramModel, data: st.DataObject):
    ids = st.integers(0, model.size - 1)
    longest = tuple(data.draw(st.lists(ids, max_size=5)))
    suffix = longest[max(0, len(longest) - model.order + 1) :]
    if len(suffix) == model.order - 1:
        assert model.distributions(longest) == model.distributions(suffix)
    assert sum(model.distributions(longest)[0].values()) == 1


def test_constant_law_everywhere():
    model = NgramModel.constant({0: Fraction(1, 3), 2: "2/3"}, size=4)
    assert model.size == 4
    assert set(model.distributions((3, 3), (1, 2))) == {law("1/3", "0", "2/3")}
    assert NgramModel.constant({0: 1}).size == 1


def test_seeded_laws_are_fixed():
    rows = NgramModel.from_seed(3, 2, seed=1, zeros="1/4").distributions((), (0, 1, 2))
    code = (
        "from draftproof.toymodels.models import NgramModel;"
        "m = NgramModel.from_seed(3, 2, seed=1, zeros='1/4');"
        "print([*reversed([m.distributions(c)[0] for c in [(2,), (1,), (0,), ()]])])"
    )
    for hash_seed in ("1", "2"):
        said = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.strip() == str(list(rows))


def test_seeded_laws_honour_their_arguments():
    laws = [
        NgramModel.from_seed(4, 2, seed, zeros="1/2", denominator=6, forbidden=[1]).distributions(
            (context,)
        )[0]
        for seed in range(30)
        for context in range(4)
    ]
    assert len(set(laws)) > 20, "of the 28 there are: each seed and context draws its own"
    assert all(1 not in each for each in laws)
    assert {len(each) for each in laws} == {1, 2, 3}
    assert all(6 % int(number.denominator) == 0 for each in laws for number in each.values())
    full = [NgramModel.from_seed(4, 1, seed).distributions(())[0] for seed in range(30)]
    assert {len(each) for each in full} == {4}


def test_counts_of_a_text():
    tokenizer = greedy(["a", "b", None], end_of_sequence=2)
    model = NgramModel.from_text("aab", tokenizer, 2)
    assert model.distributions(()) == (law("1/2", "1/4", "1/4"),)
    assert model.distributions((0,)) == (law("1/2", "1/2", "0"),)
    assert model.distributions((1,)) == (law("0", "0", "1"),)
    assert model.distributions((2,)) == (law("1/2", "1/4", "1/4"),), "never seen: the shorter one"
    smooth = NgramModel.from_text("aab", tokenizer, 2, smoothing=1)
    assert smooth.distributions((1,)) == (law("1/4", "1/4", "1/2"),)
    padded = greedy(["a", None])
    assert NgramModel.from_text("", padded, 1, smoothing="1/2").distributions(()) == (
        law("1", "0"),
    )


def test_a_pruned_head_renormalises():
    whole = NgramModel(3, 2, {(): ["1/2", "1/4", "1/4"], (1,): [0, 1, 0]})
    head = PrunedHead(whole, [2, 0])
    assert head.size == 3
    assert head.id_of_column == (2, 0)
    assert head.distributions((0,), (1,)) == (
        law("2/3", "0", "1/3"),
        law("1/2", "0", "1/2"),
    )
    assert head.columns(()) == law("1/3", "2/3"), "column 0 is id 2"
    assert head.describe()["kept"] == [2, 0]


@settings(max_examples=50)
@given(models(size=3), st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
def test_a_pruned_head_is_the_model_given_the_kept_ids(model: NgramModel, kept: list[int]):
    (narrow,), (wide,) = PrunedHead(model, kept).distributions(()), model.distributions(())
    assert set(narrow) <= set(kept)
    mass = sum((wide[token] for token in kept), rational(0))
    assert all(narrow[token] * mass == wide[token] for token in kept)


@given(distributions(4, max_support=2))
def test_drawn_laws_are_laws(drawn: ExactDistribution[int]):
    assert sum(drawn.values()) == 1
    assert 1 <= len(drawn) <= 2


def test_a_description_builds_the_model_again():
    model = NgramModel(2, 3, {(): ["1/3", "2/3"], (0, 1): [1, 0]})
    described = model.describe()
    tables = {
        tuple(map(int, context.split())): {int(token): number for token, number in row.items()}
        for context, row in described["tables"].items()
    }
    again = NgramModel(described["size"], described["order"], tables)
    assert again.distributions((), (0, 1)) == model.distributions((), (0, 1))
    assert "2/3" in repr(model)
    seeded = NgramModel.from_seed(2, 2, 9, zeros="1/3").describe()
    assert NgramModel.from_seed(**seeded).describe() == seeded


HALVES = ["1/2", "1/2"]


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        (lambda: NgramModel(0, 1, {}), "size is 0; a vocabulary has at least one id"),
        (lambda: NgramModel(2, 0, {}), "order is 0; it must be 1 or more"),
        (
            lambda: NgramModel(2, 2, {(0, 1): HALVES}),
            r"context \(0, 1\) has 2 ids; order 2 reads 1",
        ),
        (lambda: NgramModel(2, 2, {0: HALVES}), "context 0 is no tuple of ids"),
        (lambda: NgramModel(2, 2, {(5,): HALVES}), r"context \(5,\): id 5 is outside 0 \.\. 1"),
        (lambda: NgramModel(2, 1, {(): [1]}), r"law at context \(\): 1 probabilities for 2 ids"),
        (lambda: NgramModel(2, 1, {(): {2: 1}}), r"law at context \(\): id 2 is outside 0 \.\. 1"),
        (
            lambda: NgramModel(2, 2, {(1,): ["3/2", "-1/2"]}),
            r"law at context \(1,\): the probability of 1 is -1/2, below 0",
        ),
        (
            lambda: NgramModel.constant(["1/2", "1/3"]),
            r"law at context \(\): the probabilities sum to 5/6, not to 1",
        ),
        (
            lambda: NgramModel.constant([0.5, 0.5]),
            r"law at context \(\): id 0: 0\.5 is no exact number; write n/d or text",
        ),
        (
            lambda: NgramModel.constant([0, float("nan")]),
            r"law at context \(\): id 1: nan is no exact number",
        ),
        (lambda: NgramModel.constant(["nan", 0]), "id 0: 'nan' is no exact number"),
        (lambda: NgramModel.constant(["1/0", 0]), "id 0: '1/0' is no exact number"),
        (
            lambda: NgramModel(2, 2, {(0,): HALVES}).distributions((1,)),
            r"context \(1,\): neither it nor a suffix of it has a law",
        ),
        (
            lambda: NgramModel.from_seed(2, 2, 0).distributions((0,), (7,)),
            r"context \(7,\): id 7 is outside 0 \.\. 1",
        ),
        (lambda: NgramModel.from_seed(3, 1, 0, denominator=2), "denominator is 2, below the 3 ids"),
        (lambda: NgramModel.from_seed(3, 1, 0, zeros=1), "zeros is 1; it must be at least 0"),
        (lambda: NgramModel.from_seed(2, 1, 0, forbidden=[0, 1]), "none of the 2 ids is allowed"),
        (lambda: NgramModel.from_seed(2, 1, 0, forbidden=[2]), "forbidden: id 2 is outside"),
        (lambda: NgramModel.from_text("", greedy(["a"]), 1), "text '' has nothing to count"),
        (lambda: NgramModel.from_text("a", greedy(["a"]), 0), "order is 0"),
        (
            lambda: NgramModel.from_text("a", greedy(["a"]), 1, smoothing="-1"),
            "smoothing is -1, below 0",
        ),
        (lambda: PrunedHead(NgramModel.constant(HALVES), []), "kept is empty"),
        (lambda: PrunedHead(NgramModel.constant(HALVES), [2]), r"kept: id 2 is outside 0 \.\. 1"),
        (lambda: PrunedHead(NgramModel.constant(HALVES), [1, 1]), "kept: id 1 has two columns"),
    ],
)
def test_bad_input_is_named(build, complaint):
    with pytest.raises(ModelError, match=complaint) as caught:
        build()
    assert "\n" not in str(caught.value)
