"""The algebra of distributions: the identities that the algorithms' theorems rest on."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from draftproof.reference import (
    Distribution,
    DistributionError,
    ExactDistribution,
    Rational,
    fraction,
    fraction_text,
    rational,
    total_variation,
)
from draftproof.reference.distribution import ratio
from draftproof.toymodels.strategies import distributions
from hypothesis import assume, given
from hypothesis import strategies as st

SIZE = 5
LAWS = distributions(SIZE)
IDS = range(SIZE)
SCALES = st.fractions(0, 1, max_denominator=6).map(rational)


@st.composite
def sub_laws(draw: st.DrawFn) -> ExactDistribution[int]:
    """Laws with some mass missing."""
    law, kept = draw(LAWS), draw(SCALES)
    return law.keep(lambda _: kept)


@given(LAWS, sub_laws())
def test_overlap_and_excess_share_out_the_law(p: ExactDistribution, q: ExactDistribution) -> None:
    """sum min(p, q) + sum (p - q)+ = 1, and likewise for q."""
    assert p.overlap(q) + p.excess(q) == 1
    assert q.overlap(p) + q.excess(p) == q.mass
    assert p.overlap(q) == q.overlap(p)
    assert p.coincidence(q) == q.coincidence(p)
    assert p.coincidence(q) <= p.overlap(q)


@given(LAWS, sub_laws())
def test_overlap_and_residual_make_up_the_law(p: ExactDistribution, q: ExactDistribution) -> None:
    """The theorem of Algorithm 5: min(p, q) + (1 - sum min(p, q)) * residual = p, id by id."""
    rejected = 1 - p.overlap(q)
    assume(rejected)
    left = p.residual(q)
    assert left.mass == 1
    for x in IDS:
        assert min(p[x], q[x]) + rejected * left[x] == p[x]
        assert p[x] > q[x] or left[x] == 0


@given(LAWS, SCALES, LAWS)
def test_scaled_residual(p: ExactDistribution, scale: Rational, q: ExactDistribution) -> None:
    """(scale * p - q)+ normalised, as block verification needs it."""
    positive = {x: max(rational(0), scale * p[x] - q[x]) for x in IDS}
    assert p.excess(q, scale) == sum(positive.values(), rational(0))
    if p.excess(q, scale):
        assert p.residual(q, scale) == ExactDistribution.from_weights(positive)
    else:
        with pytest.raises(DistributionError, match="nothing is left"):
            p.residual(q, scale)


@given(LAWS, st.sets(st.sampled_from(IDS)))
def test_restriction_is_conditioning(p: ExactDistribution, kept: set[int]) -> None:
    mass = sum((p[x] for x in kept), rational(0))
    if not mass:
        with pytest.raises(DistributionError, match="no mass is left"):
            p.restrict(kept)
        return
    narrowed = p.restrict(kept)
    assert narrowed.mass == 1
    assert set(narrowed) <= kept
    for x in kept:
        assert narrowed[x] * mass == p[x]


@given(sub_laws(), st.lists(st.sampled_from("xyz"), min_size=SIZE, max_size=SIZE))
def test_push_forward_sums_preimages(p: ExactDistribution, image: list[str]) -> None:
    pushed = p.push_forward(lambda x: image[x])
    assert pushed.mass == p.mass
    for letter in "xyz":
        preimages = [p[x] for x in IDS if image[x] == letter]
        assert pushed[letter] == sum(preimages, rational(0))


@given(LAWS, LAWS, LAWS)
def test_total_variation_is_a_distance(
    p: ExactDistribution, q: ExactDistribution, r: ExactDistribution
) -> None:
    assert total_variation(p, q) == total_variation(q, p)
    assert (total_variation(p, q) == 0) == (p == q)
    assert 0 <= total_variation(p, q) <= 1
    assert total_variation(p, r) <= total_variation(p, q) + total_variation(q, r)
    assert total_variation(p, q) == 1 - p.overlap(q) == p.excess(q)
    disjoint = not set(p) & set(q)
    assert (total_variation(p, q) == 1) == disjoint


@given(LAWS, LAWS, st.lists(st.sampled_from("xy"), min_size=SIZE, max_size=SIZE))
def test_total_variation_shrinks_under_maps(
    p: ExactDistribution, q: ExactDistribution, image: list[str]
) -> None:
    """Looking at less cannot tell more; some event attains the distance."""
    seen = total_variation(p.push_forward(image.__getitem__), q.push_forward(image.__getitem__))
    assert seen <= total_variation(p, q)
    event = [x for x in IDS if p[x] > q[x]]
    attained = sum((p[x] - q[x] for x in event), rational(0))
    assert attained == total_variation(p, q)


def test_missing_mass_counts_as_an_outcome() -> None:
    half = ExactDistribution({0: rational(1, 2)}, sub_stochastic=True)
    assert total_variation(ExactDistribution.certain(0), half) == rational(1, 2)
    assert total_variation(half, half) == 0


@given(LAWS)
def test_quantile_covers_each_outcome_by_its_probability(p: ExactDistribution) -> None:
    """[0, 1) falls apart into one interval for each outcome, in ascending order, of its length."""
    start = rational(0)
    for x, number in p.items():
        tiny = number / 1000
        assert p.quantile(start) == x
        assert p.quantile(start + number - tiny) == x
        start += number
    assert start == 1
    assert list(p) == sorted(p)


def test_quantile_beyond_the_mass_is_refused() -> None:
    half = ExactDistribution({0: rational(1, 2)}, sub_stochastic=True)
    assert half.quantile(rational(0)) == 0
    with pytest.raises(DistributionError, match="a coin of 1/2 lies beyond the mass 1/2"):
        half.quantile(rational(1, 2))


@given(LAWS, st.lists(SCALES, min_size=SIZE, max_size=SIZE))
def test_keeping_thins_the_law(p: ExactDistribution, chances: list[Rational]) -> None:
    kept = p.keep(chances.__getitem__)
    for x in IDS:
        assert kept[x] == p[x] * chances[x]
    assert kept.mass == sum((p[x] * chances[x] for x in IDS), rational(0))
    if kept.mass:
        assert kept.normalised().mass == 1
        assert all(kept.normalised()[x] * kept.mass == kept[x] for x in IDS)
    else:
        with pytest.raises(DistributionError, match="without mass"):
            kept.normalised()


def test_keeping_clips_what_is_no_probability() -> None:
    p = ExactDistribution({0: rational(1, 2), 1: rational(1, 2)})
    assert p.keep(lambda x: 3 if x else -3) == ExactDistribution(
        {1: rational(1, 2)}, sub_stochastic=True
    )


@given(LAWS)
def test_laws_are_values(p: ExactDistribution) -> None:
    """Zeros and the order of listing do not matter; hashes and pickles agree."""
    listed = [(x, p[x]) for x in reversed(IDS)]
    again = ExactDistribution(listed)
    assert again == p
    assert hash(again) == hash(p)
    assert list(again) == list(p)
    assert pickle.loads(pickle.dumps(p)) == p
    assert len(p) == sum(p[x] > 0 for x in IDS)
    assert p[SIZE + 1] == 0
    assert SIZE + 1 not in p
    assert p != dict(p)
    protocol: Distribution[int] = p
    assert list(protocol.support()) == list(p)


def test_outcomes_that_cannot_be_compared_keep_their_order() -> None:
    third = rational(1, 3)
    law = ExactDistribution({"b": third, 1: third, None: third})
    assert list(law) == ["b", 1, None]
    assert law == ExactDistribution({None: third, 1: third, "b": third})
    assert law.quantile(rational(1, 2)) == 1


def test_repeated_outcomes_add_up() -> None:
    half = rational(1, 2)
    assert ExactDistribution([(0, half), (0, half)]) == ExactDistribution.certain(0)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({0: rational(3, 2), 1: rational(-1, 2)}, "the probability of 1 is -1/2, below 0"),
        ({0: rational(1, 2)}, "sum to 1/2, not to 1"),
        ({0: 1, 1: rational(1, 2)}, "sum to 3/2, not to 1"),
        ({}, "sum to 0, not to 1"),
    ],
)
def test_numbers_that_are_no_law(numbers: dict[int, Rational], said: str) -> None:
    with pytest.raises(DistributionError, match=said):
        ExactDistribution(numbers)


def test_a_sub_law_may_fall_short_but_not_exceed() -> None:
    assert ExactDistribution({}, sub_stochastic=True).mass == 0
    with pytest.raises(DistributionError, match="sum to 3/2, not to at most 1"):
        ExactDistribution({0: rational(3, 2)}, sub_stochastic=True)


def test_floats_are_no_probabilities() -> None:
    with pytest.raises(DistributionError, match=r"probability of 0: .*0\.5"):
        ExactDistribution({0: 0.5, 1: float("nan")})  # type: ignore[dict-item]


def test_weights_without_mass_cannot_be_normalised() -> None:
    with pytest.raises(DistributionError, match="weights that sum to 0"):
        ExactDistribution.from_weights({0: 0, 1: 0})
    with pytest.raises(DistributionError, match="below 0"):
        ExactDistribution.from_weights({0: 3, 1: -1})


@pytest.mark.parametrize(
    ("p", "q", "expected"), [("1/2", "1/4", 2), ("0", "1/4", 0), ("0", "0", 0), ("1/3", "0", 1)]
)
def test_ratio(p: str, q: str, expected: int) -> None:
    assert ratio(rational(p), rational(q)) == expected


@given(st.fractions())
def test_exact_numbers_round_trip(number: Fraction) -> None:
    made = rational(number)
    assert fraction(made) == number
    assert rational(fraction_text(made)) == made
    assert fraction_text(made) == f"{number.numerator}/{number.denominator}"
    assert rational(made) == made


def test_exact_numbers_from_text_and_pairs() -> None:
    assert rational("0.25") == rational(1, 4) == rational("1/4")
    assert fraction_text(rational(0)) == "0/1"


@pytest.mark.parametrize("value", [0.5, True, None, float("nan")])
def test_no_exact_number(value: object) -> None:
    with pytest.raises(TypeError, match="exact number cannot be made"):
        rational(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "a", "1/", "nan", "inf"])
def test_no_exact_number_in_text(text: str) -> None:
    with pytest.raises(ValueError):
        rational(text)
