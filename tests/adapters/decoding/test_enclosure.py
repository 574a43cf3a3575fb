"""Bounds on psi contain the exact value on the same float rows, which the reference finds."""

import math
import random
from itertools import pairwise, product

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from decoding_toys import through_tensors  # noqa: E402
from draftproof.adapters.decoding import certified as certifying  # noqa: E402
from draftproof.adapters.decoding import enclosure  # noqa: E402
from draftproof.adapters.decoding.certified import EnclosedOneDraft, certified  # noqa: E402
from draftproof.adapters.decoding.enclosure import Enclosed, exactly  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.drafters.prompts import prompts  # noqa: E402
from draftproof.adapters.huggingface.tensors import TensorDistribution  # noqa: E402
from draftproof.reference.exact import ZERO  # noqa: E402
from draftproof.reference.psi import candidate_law  # noqa: E402
from draftproof.reference.psi_lazy import LazyPsi  # noqa: E402
from draftproof.reference.slrs_spelled import SpelledLaw, spellings  # noqa: E402
from draftproof.reference.stop_rules import Fixed  # noqa: E402
from draftproof.toymodels.gallery import gallery, gallery_pair  # noqa: E402
from float_rows import KINDS, exact_law_of, exact_pair, float_pair  # noqa: E402

DTYPES = (torch.float32, torch.float64)
READ = (0,)


def outside(pairs, read=READ):
    """How many exact psi of how many lie outside their bounds; a whole law for each pair."""
    count = missed = 0
    for pair in pairs:
        due, found = SpelledLaw(exact_pair(pair), read), SpelledLaw(certified(pair), read)
        for token in range(pair.target.size):
            count += 1
            missed += not holds(found[token], due[token])
    return missed, count


def holds(number, exact):
    """Whether the bounds contain ``exact``."""
    number = Enclosed.of(number)
    above = math.isinf(number.low) or exactly(number.low) <= exact
    return above and (math.isinf(number.high) or exact <= exactly(number.high))


def float_pairs():
    return [float_pair(kind, dtype, seed) for kind, dtype, seed in product(KINDS, DTYPES, range(6))]


def test_psi_lies_inside_on_random_tiny_and_near_certain_rows():
    assert outside(float_pairs()) == (0, 6 * len(KINDS) * 2 * 10)


@pytest.mark.parametrize("dtype", DTYPES, ids=["float32", "float64"])
def test_psi_lies_inside_on_the_gallery(dtype):
    count = 0
    for each in gallery():
        pair = through_tensors(each.pair, dtype)
        read = pair.drafter_context(each.prompt)
        if read is not None:
            missed, of = outside([pair], read)
            assert missed == 0
            count += of
    assert count > 100


def test_the_rationals_behind_the_bounds_are_the_exact_psi():
    for pair in float_pairs():
        due, found = SpelledLaw(exact_pair(pair), READ), SpelledLaw(certified(pair), READ)
        for token in range(pair.target.size):
            assert Enclosed.of(found[token]).exact() == due[token]


def test_bounds_are_close():
    """Relative to psi, but for the last factor: that one's error is absolute, some roundings."""
    for pair in float_pairs():
        law, tree = SpelledLaw(certified(pair), READ), spellings(pair)
        for token, spelling in tree.of_token.items():
            number = Enclosed.of(law[token])
            reached = 1.0
            for k, d in enumerate(spelling):
                node = tree.node(spelling[:k])
                q = certified(pair).drafter.distributions(READ + spelling[:k])[0]
                reached *= float(Enclosed.of(node.goes_on(q, d)).value)
            assert number.high - number.low <= 1e-13 * len(spelling) * reached + 1e-300


def test_near_certain_rows_do_cancel():
    """Floats get some psi wrong by more than a tenth there; their bounds are right all the same."""
    worst = 0.0
    for seed in range(6):
        pair = float_pair("near-certain", torch.float32, seed)
        due, found = SpelledLaw(exact_pair(pair), READ), SpelledLaw(certified(pair), READ)
        for token in range(pair.target.size):
            if due[token]:
                value = exactly(float(Enclosed.of(found[token]).value))
                worst = max(worst, float(abs(value / due[token] - 1)))
    assert worst > 0.1


def test_one_draft_on_the_gallery():
    for each in gallery():
        pair = through_tensors(each.pair, torch.float32)
        found = EnclosedOneDraft(certified(pair)).after(each.prompt)
        due = candidate_law(exact_pair(pair), each.prompt, Fixed(1))
        for accepted in {t[:k] for t in due.law for k in range(len(t) + 1)}:
            for token in range(pair.target.size):
                number = found(accepted)[token]
                assert holds(number, due.next_token(accepted)[token])
                assert Enclosed.of(number).exact() == due.next_token(accepted)[token]


@pytest.mark.parametrize("name", ["base", "composition", "many-to-one", "crossing-merges"])
def test_sums_of_products_over_drafts(name):
    """fixed:2: masses of drafts added up, ``1 - on`` for all others, and quotients of these."""
    each = gallery_pair(name)
    pair = through_tensors(each.pair, torch.float32)
    found = LazyPsi(certified(pair), each.prompt, Fixed(2))
    due = LazyPsi(exact_pair(pair), each.prompt, Fixed(2))
    for first, second in product(range(pair.target.size), repeat=2):
        assert holds(found.number((), first), due.number((), first))
        if due.number((), first):
            number = due.number((first,), second)
            assert holds(found.number((first,), second), number)


def moved_by(cumulative, row):
    """Total variation between the law that cumulative sums draw from and the row's own."""
    due = exact_law_of(row)
    edges = [exactly(number) for number in (0.0, *cumulative.double().tolist())]
    given = [(after - before) / edges[-1] for before, after in pairwise(edges)]
    return sum((abs(one - due[x]) for x, one in enumerate(given)), ZERO) / 2


def test_draws_move_by_no_more_than_the_theorem_says():
    row = torch.randn(3000, generator=torch.Generator().manual_seed(1)).mul(3).softmax(-1)
    bound = exactly(len(row) * 2.0**-53)
    assert 0 < moved_by(TensorDistribution(row).cumulative, row) <= bound
    assert moved_by(row.cumsum(0), row) > bound  # planted: sums in float32


def test_any_expression_lies_inside():
    """Random sums, products, differences and quotients of floats of all sizes."""
    chosen = random.Random(5)
    for _ in range(300):
        numbers = [Enclosed.of(chosen.random() * 2.0 ** chosen.randint(-300, 3)) for _ in range(6)]
        for _ in range(12):
            one, two = chosen.sample(numbers, 2)
            kind = chosen.choice("+-*/")
            if kind == "/" and not two.exact():
                continue
            made = {"+": one.__add__, "-": one.__sub__, "*": one.__mul__}.get(kind, one.__truediv__)
            numbers.append(made(two))
        assert all(holds(number, number.exact()) for number in numbers)


def test_comparisons_are_exact():
    third = Enclosed.of(1) / 3
    assert third * 3 == 1
    assert not third * 3 > 1
    assert third > 1 / 3 - 2**-60  # the float is below a third
    assert third != 1 / 3
    assert not Enclosed.of(0)
    with pytest.raises(TypeError, match="no bounds are known"):
        _ = third * torch.tensor(0.5)


def test_bounds_a_hundredth_as_wide_miss(monkeypatch):
    plain = certifying.around_sum

    def narrow(total, terms):
        low, high = plain(total, terms)
        return total - (total - low) / 100, total + (high - total) / 100

    monkeypatch.setattr(certifying, "around_sum", narrow)
    for name in ("_up", "_down"):
        monkeypatch.setattr(enclosure, name, lambda number: number)
    missed, count = outside(float_pairs())
    assert missed > count / 10


def test_no_outward_rounding_misses(monkeypatch):
    for name in ("_up", "_down"):
        monkeypatch.setattr(enclosure, name, lambda number: number)
    with pytest.raises(AssertionError):
        test_any_expression_lies_inside()


def test_half_precision_within_misses(monkeypatch):
    """A sum in float16 somewhere inside."""
    plain = certifying.around_sum
    monkeypatch.setattr(
        certifying,
        "around_sum",
        lambda total, terms: plain(float(torch.tensor(total).half()), terms),
    )
    missed, count = outside(float_pairs())
    assert missed > count / 4


def test_on_a_real_pair(model):
    """Rows of our small models; each token that the target finds likely, at three positions."""
    pair = make_pair(model("drafter-bpe"), model("drafter-bytes"))
    exact = exact_pair(pair)
    sure = certified(pair)
    for text in prompts("mixed", 3):
        ids = pair.target_tokenizer.encode(text)[:12]
        read = pair.drafter_context(ids)
        likely = pair.target.distributions(ids)[0].row.topk(12).indices.tolist()
        due, found = SpelledLaw(exact, read), SpelledLaw(sure, read)
        for token in likely:
            number = Enclosed.of(found[token])
            assert holds(number, due[token])
            assert number.high - number.low <= 1e-11 * number.high
            assert isinstance(pair.drafter.distributions(read)[0], TensorDistribution)
