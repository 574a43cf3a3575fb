"""How many drafts: fixed, or from what was seen."""

import pytest
from draftproof.adapters.decoding.lookahead import Always, Auto, Costs, expected_tokens, line
from draftproof.reference.rounds import Round


class Passes:
    def __init__(self, *timings):
        self.timings = list(timings)


ROUND = {
    "none": Round((1,), 0, (5, 6, 7), (5, 6, 7)),
    "all": Round((5, 6, 7, 1), 3, (5, 6, 7), (5, 6, 7)),
    "plain": Round((1,)),
}


def test_fixed():
    always = Always(3)
    always.saw(ROUND["none"])
    assert always.drafts() == 3
    with pytest.raises(ValueError, match="lookahead is 0"):
        Always(0)


@pytest.mark.parametrize(
    ("acceptance", "candidates", "due"),
    [(0, 3, 1), (1, 3, 4), (0.5, 2, 1.75), (0.5, 0, 1)],
)
def test_expected_tokens(acceptance, candidates, due):
    assert expected_tokens(acceptance, candidates) == pytest.approx(due)


def test_costs_are_a_line_through_the_medians():
    timings = [(1, 5.0), (1, 5.0), (1, 90.0), (3, 9.0), (500, 1000.0)]
    assert line(timings) == pytest.approx((3.0, 2.0))
    assert line([(4, 7.0)]) == (7.0, 0.0)
    assert line([(1, 9.0), (2, 5.0)]) == (7.0, 0.0)  # noise, not a gain
    costs = Costs(timings, [(1, 0.5), (1, 0.5), (1, 30.0)])
    assert costs.round(2, 2.0) == pytest.approx(3 + 2 * 3 + 0.5 * 2)


def test_cheap_drafts_that_are_accepted_make_long_rounds():
    auto = Auto(Passes((1, 1.0), (5, 1.0)), Passes((1, 0.01)))
    assert auto.drafts() == Auto.FIRST
    for _ in range(60):
        auto.saw(ROUND["all"])
    assert auto.drafts() == 16


def test_drafts_that_are_never_accepted_stop_and_are_tried_again():
    auto = Auto(Passes((1, 1.0), (5, 2.0)), Passes((1, 0.5)))
    for _ in range(60):
        auto.saw(ROUND["none"])
    chosen = [auto.drafts() for _ in range(2 * Auto.PROBE)]
    assert chosen == ([0] * (Auto.PROBE - 1) + [1]) * 2


def test_rounds_without_drafts_teach_nothing():
    auto = Auto(Passes((1, 1.0)), Passes((1, 0.1)))
    auto.saw(ROUND["plain"])
    assert auto.drafts() == Auto.FIRST


def test_a_middling_acceptance_gives_a_middling_lookahead():
    """a = (40+1)/(80+2) = 1/2, drafts a tenth of a pass: 1.5/1.1, 1.75/1.2, 1.875/1.3: two."""
    auto = Auto(Passes((1, 1.0), (3, 1.0)), Passes((1, 0.1)))
    auto._accepted = auto._rejected = 40.0
    auto._candidates = auto._drafts = 80.0
    assert auto.drafts() == 2
