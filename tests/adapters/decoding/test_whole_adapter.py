"""The whole adapter is lossless: real model classes, cache and all, with every coin enumerated.

The models are n-grams behind the interface of `transformers`. They read their context back from the
cache, so a position too many or too few changes the law. Two views:

* *settled*: each row that comes out of the adapter is the nearest law with small denominators,
  which it must agree with to 1e-12. Everything after that is rational, and the run's law must be
  the n-gram's *exactly*.
* *tensors*: the algorithms run on the tensors themselves, residuals and psi included. Only what is
  drawn from is turned into rationals, so the distance is that of rounding: below 1e-12.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import due  # noqa: E402
from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel  # noqa: E402
from draftproof.reference import ExactDistribution, rational  # noqa: E402
from draftproof.reference.distribution import total_variation  # noqa: E402
from draftproof.reference.enumeration import exact_law  # noqa: E402
from draftproof.reference.programs import ALGORITHMS  # noqa: E402
from draftproof.reference.rounds import generate  # noqa: E402
from draftproof.toymodels.gallery import gallery_pair  # noqa: E402
from draftproof.toymodels.huggingface.models import model_from_rows  # noqa: E402
from draftproof.toymodels.huggingface.toys import order_of  # noqa: E402

LENGTH = 4
PAIRS = ("contexts", "many-to-one", "merging-target")


class Settled:
    """The laws of an adapter as rationals with denominators up to 1000."""

    def __init__(self, inner):
        self.inner, self.size = inner, inner.size

    def distributions(self, context, continuation=()):
        laws = []
        for law in self.inner.distributions(context, continuation):
            numbers = [Fraction(float(x)).limit_denominator(1000) for x in law.row]
            for number, found in zip(numbers, law.row.tolist(), strict=True):
                assert abs(float(number) - found) < 1e-12
            laws.append(
                ExactDistribution(
                    {i: rational(n.numerator, n.denominator) for i, n in enumerate(numbers)}
                )
            )
        return laws


class Enumerated:
    """Enumerated chance that is given tensors."""

    def __init__(self, branch):
        self.branch = branch

    def draw(self, law, what=""):
        return self.branch.draw(exactly(law), what)

    def accept(self, probability, what=""):
        return self.branch.accept(number(probability), what)

    def draw_kept(self, law, keep, what=""):
        return self.branch.draw_kept(exactly(law), lambda token: number(keep(token)), what)


def number(value):
    numerator, denominator = float(value).as_integer_ratio()
    return rational(numerator, denominator)


def exactly(law):
    return ExactDistribution.from_weights({i: number(law[i]) for i in law.support()})


def behind_the_interface(model, cached=True):
    """An exact n-gram model as a `CausalModel` over a model class of transformers."""

    def row(context):
        (law,) = model.distributions(tuple(context))
        return [float(law[token]) for token in range(model.size)]

    return CausalModel(model_from_rows(row, model.size, order_of(model)), cached=cached)


def through_the_adapter(pair, cached=True):
    return replace(
        pair,
        target=behind_the_interface(pair.target, cached),
        drafter=behind_the_interface(pair.drafter, cached),
    )


def law_of_runs(name, pair, prompt, chance_of, lookahead):
    name, _, rule = name.partition(" ")
    run_round = RealProgram(name, pair, rule=rule or "spelled").rounds(
        Always(lookahead), lambda context: LENGTH - (len(context) - len(prompt))
    )

    def once(branch):
        for model in (pair.target, pair.drafter):
            getattr(model, "inner", model).forget()  # each branch goes through the cache anew
        return generate(run_round, pair, prompt, chance_of(branch), LENGTH).ids

    return exact_law(once)


def same(branch):
    return branch


def settled(pair):
    return replace(pair, target=Settled(pair.target), drafter=Settled(pair.drafter))


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "uncached"])
@pytest.mark.parametrize("name", [*ALGORITHMS, "slrs spelled/block", "slrs determined:1/cap:2"])
def test_settled_the_law_is_exactly_the_n_grams(name, cached):
    each = gallery_pair("contexts")
    pair = settled(through_the_adapter(each.pair, cached))
    assert law_of_runs(name, pair, each.prompt, same, 2) == due(each.pair, each.prompt, LENGTH)


@pytest.mark.parametrize("pair_name", PAIRS)
@pytest.mark.parametrize(
    "name",
    [
        *ALGORITHMS,
        "slrs fixed:1",
        "slrs spelled/block",
        "slrs lookup:1/cap:2/block",
    ],
)
def test_tensors_the_law_is_the_n_grams_within_rounding(name, pair_name):
    each = gallery_pair(pair_name)
    drafts = 2 if name.endswith("/block") else 1  # one token is judged alone
    found = law_of_runs(name, through_the_adapter(each.pair), each.prompt, Enumerated, drafts)
    assert float(total_variation(due(each.pair, each.prompt, LENGTH), found)) < 1e-12


def test_a_cache_cropped_by_one_position_too_many_is_noticed(monkeypatch):
    each = gallery_pair("contexts")
    crop = CausalModel._crop

    def one_too_few(self, ids, first):
        surplus = len(self._held) > first > 0
        kept = crop(self, ids, first)
        if surplus and kept > 1:
            self._cache.crop(-1)  # a position is gone that the model is told it has
        return kept

    monkeypatch.setattr(CausalModel, "_crop", one_too_few)
    pair = settled(through_the_adapter(each.pair))
    found = law_of_runs("union", pair, each.prompt, same, 2)
    assert float(total_variation(due(each.pair, each.prompt, LENGTH), found)) > 1e-3


def test_a_law_from_the_wrong_row_is_noticed(monkeypatch):
    each = gallery_pair("contexts")
    asked = CausalModel.distributions

    def shifted(self, context, continuation=()):
        laws = list(asked(self, context, continuation))
        return laws[:1] + laws[:-1]

    pair = through_the_adapter(each.pair)
    monkeypatch.setattr(CausalModel, "distributions", shifted)
    found = law_of_runs("union", settled(pair), each.prompt, same, 2)
    assert float(total_variation(due(each.pair, each.prompt, LENGTH), found)) > 1e-3


def test_padding_of_the_head_is_never_said():
    model = model_from_rows(lambda _: [0.5, 0.5], 2, 2)
    (law,) = CausalModel(model).resized(5).distributions((0,))
    assert law.row.tolist() == pytest.approx([0.5, 0.5, 0, 0, 0])
    assert len(CausalModel(model).resized(1).distributions((0,))[0]) == 1
