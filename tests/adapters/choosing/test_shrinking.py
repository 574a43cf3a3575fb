"""Subsets are nested; TLI's acceptance with each is the formula's on a pair with fewer tokens."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

import choosing_toys as toys  # noqa: E402
from draftproof.adapters.choosing.continuations import continued  # noqa: E402
from draftproof.adapters.choosing.costs import Costs, Timing  # noqa: E402
from draftproof.adapters.choosing.shrinking import FRACTIONS, Shrinking, crossing  # noqa: E402
from draftproof.adapters.choosing.shrunk import shrunk  # noqa: E402
from draftproof.adapters.choosing.visiting import Figures, Subject, visited  # noqa: E402
from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.reference import program  # noqa: E402
from draftproof.reference.tli import tli_acceptance  # noqa: E402
from draftproof.toymodels.gallery import gallery, gallery_pair  # noqa: E402

TWO = [each for each in gallery() if not each.pair.same_vocabulary]


def acceptances(each, shrinking):
    pair = toys.through_tensors(each.pair)
    p = pair.target.distributions(each.prompt)[0].row
    read = pair.drafter_context(each.prompt)
    q = torch.zeros_like(p)
    if read is not None:
        law = pair.drafter.distributions(read)[0].push_forward(pair.union_id).row[: len(p)]
        q[: len(law)] = law
    return [
        float(torch.minimum(p, shrinking.laws(q[None], place)[0]).sum())
        for place in range(len(shrinking.sizes))
    ]


def restricted(pair, kept):
    """The pair whose shared tokens are ``kept`` alone."""
    fewer = replace(pair)
    image = tuple(t if t in kept else None for t in pair.target_id_of)
    vars(fewer)["target_id_of"] = image
    return fewer


@pytest.mark.parametrize("each", TWO, ids=lambda each: each.name)
def test_every_subset_gives_the_formula_s_acceptance(each):
    shrinking = Shrinking(each.pair, 3, (1.0, 0.7, 0.4, 0.0))
    found = acceptances(each, shrinking)
    for place in range(4):
        kept = shrinking.subset(place)
        due = tli_acceptance(restricted(each.pair, kept), each.prompt) if kept else 0
        assert found[place] == pytest.approx(float(due), abs=1e-12)
    if each.pair.intersection:
        whole = program("tli", 1).acceptance(each.pair, each.prompt)
        assert found[0] == pytest.approx(float(whole), abs=1e-12)
    assert found[3] == 0


def nested(shrinking):
    subsets = [shrinking.subset(place) for place in range(len(shrinking.fractions))]
    return all(smaller <= larger for larger, smaller in pairwise(subsets)) and [
        len(subset) for subset in subsets
    ] == list(shrinking.sizes)


def many_shared(size=300):
    from types import SimpleNamespace

    return SimpleNamespace(
        intersection=frozenset(range(0, size, 2)), target=SimpleNamespace(size=size)
    )


def test_subsets_are_nested_seeded_and_of_the_sizes_said():
    made = Shrinking(many_shared(), 5)
    assert nested(made)
    assert made.sizes == tuple(round(150 * share) for share in FRACTIONS)
    assert made.subset(0) == many_shared().intersection
    assert made.subset(3) == Shrinking(many_shared(), 5).subset(3)
    assert made.subset(3) != Shrinking(many_shared(), 6).subset(3)


def test_subsets_drawn_anew_for_each_size_are_noticed():
    class Anew(Shrinking):
        def subset(self, place):
            return Shrinking(many_shared(), place).subset(place)

    assert not nested(Anew(many_shared(), 5))


def test_the_crossing_lies_on_the_line_between_two_shares():
    shares = (1.0, 0.5, 0.0)
    assert crossing(shares, [0.8, 0.6, 0.0], 0.3) == pytest.approx(0.25)
    assert crossing(shares, [0.8, 0.2, 0.0], 0.4) == pytest.approx(0.5 + 0.5 * 0.2 / 0.6)
    assert crossing(shares, [0.8, 0.3, 0.0], 0.3) == pytest.approx(0.5)
    assert crossing(shares, [0.2, 0.1, 0.0], 0.3) is None  # SLEM is ahead all along
    assert crossing(shares, [0.2, 0.1, 0.05], 0.0) is None  # and here TLI


@pytest.mark.parametrize("pair_name", ["many-to-one", "merging-target", "bpe-greedy"])
def test_all_shared_tokens_give_tli_itself_and_none_nothing(pair_name):
    each = gallery_pair(pair_name)
    pair = toys.through_tensors(each.pair)
    subject = Subject(pair, 2, Shrinking(pair, 1, (1.0, 0.5, 0.0)))
    text = continued(pair.target, each.prompt, 4, subject.margin, TensorSampler(3))
    found, (whole, some, nothing) = visited(subject, text, TensorSampler(4))
    assert len(pair.intersection) == 0 or same_figures(whole, found["tli"])
    assert some.acceptance <= text.positions
    assert nothing.acceptance == 0
    assert nothing.tokens == [text.positions] * 2
    assert nothing.drafts == [0, 0]
    one = flat_costs()
    curves = shrunk((1.0, 0.5, 0.0), (2, 1, 0), [[whole, some, nothing]], [found["slem"]], 0, one)
    assert curves.acceptance.tli[0].value == pytest.approx(whole.acceptance / text.positions)
    assert curves.acceptance.slem.value == pytest.approx(found["slem"].acceptance / text.positions)
    assert curves.tokens.tli[2].value == curves.speedup.tli[2].value == 1  # plain decoding
    assert curves.as_dict()["predicted_speedup"]["slem"]["value"] > 0


def figures(tokens):
    return Figures(
        10,
        10 * (tokens - 1),
        (1,),
        [10 * tokens],
        [10.0],
        [10 * tokens],
        [10.0],
        [Counter({2: 10.0})],
    )


@pytest.mark.parametrize(("tokens", "pays"), [(1.3, True), (1.005, False)])
def test_crossings_on_made_up_figures(tokens, pays):
    """TLI gives 1.4, 1.2 and 1 tokens a pass; a round costs 1.01 passes."""
    subsets = [[figures(each) for each in (1.4, 1.2, 1.0)]] * 3
    found = shrunk((1.0, 0.5, 0.0), (2, 1, 0), subsets, [figures(tokens)] * 3, 0, flat_costs())
    due = 0.75 if pays else 0.5 * 0.005 / 0.2
    for curve in (found.acceptance, found.tokens):
        assert curve.crossing.value == pytest.approx(due)
        assert curve.crossing.low == pytest.approx(due)
    assert (found.speedup.crossing is not None) == pays


def flat_costs():
    one = Timing(1.0, 1.0, 1.0, 1)
    return Costs({1: one, 2: one, 3: one}, [Timing(0.01, 0.01, 0.01, 1)])


def same_figures(one, other):
    return all(
        getattr(one, name) == pytest.approx(getattr(other, name))
        for name in ("acceptance", "tokens", "rounds", "tokens_anywhere", "drafts")
    )
