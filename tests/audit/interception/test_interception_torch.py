"""Exact laws of torch programs: the idioms in which samplers are written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")

from draftproof.audit.interception import Enumeration, enumerate_law  # noqa: E402

torch.set_num_threads(1)
P = torch.tensor((1 / 2, 3 / 10, 1 / 5), dtype=torch.float64)
Q = torch.tensor((1 / 5, 3 / 10, 1 / 2), dtype=torch.float64)
ZERO = torch.tensor((0.0, 0.4, 0.6), dtype=torch.float64)


def law_of(program: Callable[[], Any], size: int = 3) -> list[float]:
    found = enumerate_law(program)
    assert found.reason is None, found.reason
    assert found.errors == {} and found.unexplored_mass <= 1e-12
    return [found.law.get(k, 0.0) for k in range(size)]


def near(law: Any, abs: float = 1e-12) -> Any:
    return pytest.approx(list(law), abs=abs)


SAMPLERS: dict[str, Callable[[Any], Any]] = {
    "multinomial": lambda p: torch.multinomial(p, 1),
    "multinomial method": lambda p: p.multinomial(num_samples=1),
    "multinomial of a row": lambda p: torch.multinomial(p[None], 1)[0, 0],
    "multinomial out": lambda p: torch.multinomial(p, 1, out=torch.empty(0, dtype=torch.long)),
    "multinomial with replacement": lambda p: torch.multinomial(p, 2, replacement=True)[1],
    "multinomial unnormalised": lambda p: torch.multinomial(3 * p, 1),
    "first of two without replacement": lambda p: torch.multinomial(p, 2)[0],
    "Categorical": lambda p: torch.distributions.Categorical(probs=p).sample(),
    "Categorical logits": lambda p: torch.distributions.Categorical(logits=p.log()).sample((2,))[1],
    "OneHotCategorical": lambda p: torch.distributions.OneHotCategorical(p).sample().argmax(),
    "searchsorted": lambda p: torch.searchsorted(p.cumsum(0), torch.rand(1)),
    "searchsorted right": lambda p: torch.searchsorted(p.cumsum(0), torch.rand(()), right=True),
    "bucketize": lambda p: torch.bucketize(torch.rand(1), p.cumsum(0)),
    "count of sums below": lambda p: (torch.rand(()) > p.cumsum(0)).sum(),
    "count of sums below, turned": lambda p: (p.cumsum(0) < torch.rand(1)).sum(),
    "first sum above": lambda p: (p.cumsum(0) > torch.rand(1)).nonzero()[0],
    "first sum above by argmax": lambda p: (p.cumsum(0) >= torch.rand(1)).int().argmax(),
    "first sum above by float argmax": lambda p: (p.cumsum(0) >= torch.rand(1)).float().argmax(),
    "difference with the coin": lambda p: ((p.cumsum(0) - torch.rand(1)) > 0).nonzero()[0, 0],
    "exponential race": lambda p: p.div(torch.empty_like(p).exponential_(1)).argmax(),
    "exponential race in place": lambda p: (
        p.clone().div_(torch.empty_like(p).exponential_()).argmax(dim=-1)
    ),
    "exponential race, rate 2": lambda p: (p / torch.empty(3).exponential_(2.0)).argmax(-1),
    "least arrival": lambda p: (torch.empty_like(p).exponential_() / p).argmin(),
    "least arrival by uniform": lambda p: (-torch.log(torch.rand(3)) / p).argmin(),
    "least arrival by 1 - u": lambda p: (-torch.log1p(-torch.rand(3)) / p).argmin(),
    "Gumbel": lambda p: (p.log() - torch.log(-torch.log(torch.rand(3)))).argmax(),
    "Gumbel with guards": lambda p: (
        p.log() - torch.log(-torch.log(torch.rand_like(p) + 1e-20) + 1e-20)
    ).argmax(),
    "Gumbel with clamps": lambda p: (
        p.log() - (-torch.rand(3).clamp_min(1e-20).log()).clamp(min=1e-20).log()
    ).argmax(),
    "Gumbel by 1 - u": lambda p: (p.log() - torch.log(-torch.log(1 - torch.rand(3)))).argmax(),
    "Gumbel of exponential": lambda p: (p.log() - torch.empty(3).exponential_().log()).argmax(),
    "Gumbel by topk": lambda p: (p.log() - torch.empty(3).exponential_().log()).topk(1).indices,
    "Gumbel by max": lambda p: (p.log() - torch.empty(3).exponential_().log()).max(-1)[1],
    "Gumbel by sort": lambda p: torch.sort(
        p.log() - torch.empty(3).exponential_().log(), descending=True
    )[1][0],
    "Gumbel by argsort": lambda p: torch.argsort(torch.empty(3).exponential_().log() - p.log())[0],
    "uniform to a weight": lambda p: (torch.rand(3) ** (1 / p)).argmax(),
    "log uniform by weight": lambda p: (torch.rand(3).log() / p).argmax(),
    "negative arrival": lambda p: (torch.empty(3).exponential_().neg() / p).argmax(),
    "race in logarithms": lambda p: (torch.rand(3).log().neg().log() - p.log()).argmin(),
    "exponential law of torch": lambda p: torch.distributions.Exponential(p).sample().argmin(),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_have_the_law_of_their_row(name: str):
    assert law_of(lambda: int(SAMPLERS[name](P))) == near(P.tolist())


@pytest.mark.parametrize("name", SAMPLERS)
def test_tokens_without_probability_are_never_drawn(name: str):
    if name in ("first of two without replacement", "exponential law of torch"):
        pytest.skip("torch itself draws a token without probability, or refuses the rate 0")
    found = enumerate_law(lambda: int(SAMPLERS[name](ZERO)))
    assert found.reason is None, found.reason
    assert [found.law.get(k, 0.0) for k in range(3)] == near(ZERO.tolist(), 1e-9)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_gumbel_noise_at_a_temperature(temperature: float):
    logits = P.log()
    due = (logits / temperature).softmax(-1).tolist()

    def scaled_logits() -> int:
        return int((logits / temperature - torch.empty(3).exponential_().log()).argmax())

    def scaled_noise() -> int:
        return int((logits + temperature * -torch.empty(3).exponential_().log()).argmax())

    def both() -> int:
        return int(((logits - torch.empty(3).exponential_().log() * temperature) / 7).argmax())

    for program in (scaled_logits, scaled_noise, both):
        assert law_of(program) == near(due)


def test_torch_s_gumbel_distribution_is_idealised_and_says_so():
    def program() -> int:
        noise = torch.distributions.Gumbel(torch.zeros(3), torch.ones(3)).sample()
        return int((P.log() + noise).argmax())

    found = enumerate_law(program)
    assert [found.law[k] for k in range(3)] == near(P.tolist(), 1e-9)
    assert 0.0 < found.idealised < 1e-6


def test_guards_that_are_not_tiny_are_refused():
    found = enumerate_law(lambda: int(-torch.log(torch.rand(3) + 0.01).argmax()))
    assert found.law == {} and "logarithm" in (found.reason or "")


def test_logits_that_are_minus_infinity_never_win():
    logits = torch.tensor([-math.inf, 0.0, -math.inf, math.log(3.0)])
    assert law_of(lambda: int((logits - torch.empty(4).exponential_().log()).argmax()), 4) == near(
        [0, 0.25, 0, 0.75], 1e-7
    )


def test_rows_of_noise_are_independent():
    rows = torch.stack([P, Q])

    def program() -> int:
        drawn = (rows / torch.empty_like(rows).exponential_()).argmax(dim=-1)
        return int(drawn[0]) * 3 + int(drawn[1])

    assert law_of(program, 9) == near(torch.outer(P, Q).flatten().tolist())


def test_draws_without_replacement_have_the_law_of_successive_draws():
    found = enumerate_law(lambda: tuple(torch.multinomial(P, 3).tolist()))
    p = P.tolist()
    for order, mass in found.law.items():
        i, j, _ = order
        assert mass == pytest.approx(p[i] * p[j] / (1 - p[i]), abs=1e-12)
    assert len(found.law) == 6


# ---- acceptance ---------------------------------------------------------------------------------

ACCEPTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "u < p/q": lambda p, q: torch.rand(2) < p / q,
    "u <= p/q": lambda p, q: torch.rand_like(p) <= p / q,
    "p/q > u": lambda p, q: p / q > torch.rand(2),
    "min(1, p/q) > u": lambda p, q: torch.minimum(torch.ones(()), p / q) > torch.rand(2),
    "clamped": lambda p, q: torch.rand(2) < (p / q).clamp(max=1.0),
    "u * q < p": lambda p, q: torch.rand(2) * q < p,
    "u < min(p, q) / q": lambda p, q: torch.rand(2, dtype=p.dtype) < torch.min(p, q) / q,
    "1 - u > 1 - p/q": lambda p, q: 1 - torch.rand(2) > 1 - p / q,
    "1 - u <= p/q": lambda p, q: 1 - torch.rand(2) <= p / q,
    "log u < log p - log q": lambda p, q: torch.rand(2).log() < p.log() - q.log(),
    "-log u > log q - log p": lambda p, q: torch.empty(2).exponential_() > q.log() - p.log(),
    "u - p/q < 0": lambda p, q: (torch.rand(2) - p / q) < 0,
    "uniform_": lambda p, q: torch.empty(2).uniform_() < p / q,
    "uniform_ of (1, 2)": lambda p, q: torch.empty(2).uniform_(1, 2) < 1 + p / q,
    "bernoulli": lambda p, q: torch.bernoulli((p / q).clamp(max=1)).bool(),
    "bernoulli method": lambda p, q: (p / q).clamp(max=1).bernoulli() == 1,
    "bernoulli_": lambda p, q: torch.empty(2).bernoulli_((p / q).clamp(max=1)) > 0.5,
    "Bernoulli": lambda p, q: torch.distributions.Bernoulli((p / q).clamp(max=1)).sample().bool(),
    "Uniform": lambda p, q: torch.distributions.Uniform(0.0, 1.0).sample((2,)) < p / q,
    "two coins": lambda p, q: torch.stack([torch.rand(()), torch.rand(())]) < p / q,
    "item": lambda p, q: torch.tensor([torch.rand(1).item() < x for x in (p / q).tolist()]),
    "tolist": lambda p, q: torch.tensor(
        [u < x for u, x in zip(torch.rand(2).tolist(), (p / q).tolist(), strict=True)]
    ),
    "where": lambda p, q: torch.where(torch.rand(2) < p / q, torch.ones(2), torch.zeros(2)).bool(),
    "filled one by one": lambda p, q: _one_by_one(p, q),
    "numpy": lambda p, q: torch.tensor((torch.rand(2).numpy() < (p / q).numpy()).tolist()),
    "float64": lambda p, q: torch.rand(2).double() < p / q,
    "gather": lambda p, q: torch.rand(2, 3).gather(1, torch.tensor([[1], [0]]))[:, 0] < p / q,
    "permuted": lambda p, q: torch.rand(3, 1, 2).permute(1, 2, 0)[0, :, 1] < p / q,
    "concatenated": lambda p, q: torch.cat([torch.rand(1), torch.rand(1)]) < p / q,
}


def _one_by_one(p: Any, q: Any) -> Any:
    accepted = torch.zeros(2, dtype=torch.bool)
    for k in range(2):
        accepted[k] = torch.rand(()) < p[k] / q[k]
    return accepted


NUMERATOR = torch.tensor((0.3, 0.2), dtype=torch.float64)
DENOMINATOR = torch.tensor((0.4, 0.8), dtype=torch.float64)


@pytest.mark.parametrize("name", ACCEPTANCES)
def test_acceptance_tests_have_the_probability_of_their_ratio(name: str):
    def program() -> int:
        a, b = ACCEPTANCES[name](NUMERATOR, DENOMINATOR).tolist()
        return 2 * int(a) + int(b)

    due = [1 / 4 * 3 / 4, 1 / 4 * 1 / 4, 3 / 4 * 3 / 4, 3 / 4 * 1 / 4]
    assert law_of(program, 4) == near(due)


LENGTHS: dict[str, Callable[[Any], Any]] = {
    "cumprod": lambda a: a.cumprod(0).sum(),
    "int cumprod": lambda a: a.int().cumprod(dim=0).sum(),
    "cumsum of rejections": lambda a: ((~a).cumsum(dim=-1) < 1).sum(),
    "first rejection by argmin": lambda a: torch.cat([a, torch.tensor([False])]).int().argmin(),
    "first rejection by nonzero": lambda a: torch.cat([~a, torch.tensor([True])]).nonzero()[0],
    "loop": lambda a: next((k for k in range(3) if not a[k]), 3),
    "list": lambda a: [*a.tolist(), False].index(False),
    "all": lambda a: torch.tensor(3) if a.all() else (~a).int().argmax(),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_accepted_prefixes(name: str):
    ratios = torch.tensor((0.5, 0.25, 0.75))
    found = enumerate_law(lambda: int(LENGTHS[name](torch.rand(3) < ratios)))
    assert found.reason is None, found.reason
    due = [0.5, 0.5 * 0.75, 0.125 * 0.25, 0.125 * 0.75]
    assert [found.law.get(k, 0.0) for k in range(4)] == near(due)
    if name in ("cumprod", "int cumprod", "cumsum of rejections", "loop", "all"):
        assert found.paths == 4, "coins after the first rejection are not looked at"


def test_rows_that_are_not_looked_at_are_not_drawn():
    rows = P.expand(5, 3)
    found = enumerate_law(lambda: int(torch.multinomial(rows, 1).squeeze(1)[3]))
    assert found.paths == 3 and len(found.law) == 3


# ---- shared variables ---------------------------------------------------------------------------


def residual(p: Any, q: Any) -> Any:
    positive = (p - q).clamp(min=0)
    return positive / positive.sum()


T7 = (
    torch.tensor((2 / 5, 2 / 5, 1 / 5), dtype=torch.float64),
    torch.tensor((1 / 10, 1 / 10, 4 / 5), dtype=torch.float64),
)
T8 = (
    torch.tensor((1 / 2, 2 / 5, 1 / 10), dtype=torch.float64),
    torch.tensor((1 / 10, 3 / 10, 3 / 5), dtype=torch.float64),
)
INVERSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "searchsorted": lambda cdf, u: torch.searchsorted(cdf, u),
    "sum": lambda cdf, u: (u > cdf).sum(),
    "nonzero": lambda cdf, u: (cdf > u).nonzero()[0],
}


@pytest.mark.parametrize("inversion", INVERSIONS)
@pytest.mark.parametrize("affine", [False, True])
def test_a_coin_used_twice_is_one_coin(inversion: str, affine: bool):
    p, q = T7

    def program() -> int:
        draft = torch.multinomial(q, 1)
        u = torch.rand(1, dtype=torch.float64)
        ratio = p[draft] / q[draft]
        if u < ratio:
            return int(draft)
        if affine:  # back on [0, 1): right again
            u = (u - ratio) / (1 - ratio)
        return int(INVERSIONS[inversion](residual(p, q).cumsum(0), u))

    due = p.tolist() if affine else [3 / 10, 1 / 2, 1 / 5]
    assert law_of(program) == near(due)


def test_a_coin_used_twice_with_a_one_hot_draft():
    p = T7[0]

    def program() -> int:
        u = torch.rand(())
        if u < p[0]:
            return 0
        rest = p.clone()
        rest[0] = 0
        return int(torch.searchsorted((rest / rest.sum()).cumsum(0), u.double()))

    assert law_of(program) == near([2 / 5, 4 / 15, 1 / 3])


NOISES: dict[str, Callable[[], Any]] = {
    "exponential": lambda: (lambda e: lambda p: (p / e).argmax())(torch.empty(3).exponential_()),
    "Gumbel": lambda: (lambda g: lambda p: (p.log() + g).argmax())(
        -torch.empty(3).exponential_().log()
    ),
    "uniform": lambda: (lambda u: lambda p: (p.log() - torch.log(-torch.log(u))).argmax())(
        torch.rand(3)
    ),
}


@pytest.mark.parametrize("noise", NOISES)
def test_noise_raced_twice_is_integrated_exactly(noise: str):
    p, q = T8

    def program() -> int:
        winner = NOISES[noise]()
        draft = winner(q)
        if torch.rand(1) < p[draft] / q[draft]:
            return int(draft)
        return int(winner(residual(p, q)))

    assert law_of(program) == near([58 / 105, 73 / 210, 1 / 10])


def test_the_same_race_twice_has_the_same_winner():
    def program() -> bool:
        e = torch.empty(3).exponential_()
        winners = [int((row / e).argmax()) for row in (P, Q, P, Q)]
        return winners[:2] == winners[2:]

    assert law_of(program, 2) == near([0, 1])


def test_positions_that_share_a_uniform_are_coupled():
    half = torch.tensor([0.5, 0.5])

    def program() -> int:
        u = torch.rand(1)
        first, second = (torch.searchsorted(half.cumsum(0), u) for _ in range(2))
        return int(first) * 2 + int(second)

    assert law_of(program, 4) == near([0.5, 0, 0, 0.5])


def test_noise_that_was_compared_is_raced_by_numerical_integration():
    def program() -> int:
        e = torch.empty(2).exponential_()
        early = bool(e[0] < 1.0)
        return 2 * int(early) + int(e.argmin())

    t = math.exp(-1.0)
    # min is number 1, and number 0 lies below 1 or above.
    below = (1 - t) - (1 - t * t) / 2
    above = t - t * t / 2
    due = [t * t / 2, above, (1 - t * t) / 2, below]
    assert law_of(program, 4) == near(due, 1e-10)


def test_uniforms_that_are_scaled_differently_are_raced():
    # The greatest of a U, b V: number 1 wins with probability b / 2a for b < a.
    scale = torch.tensor((1.0, 0.5), dtype=torch.float64)
    assert law_of(lambda: int((torch.rand(2) * scale).argmax()), 2) == near([0.75, 0.25], 1e-10)


def test_noise_shared_in_a_way_that_is_not_integrated_is_refused():
    def program() -> bool:
        e = torch.empty(3).exponential_()
        e.argmin()
        return bool(int((P / e).argmax()) == 0 and e[0] < 1.0)

    found = enumerate_law(program)
    assert found.law == {} and "not integrated" in (found.reason or "")


# ---- memory -------------------------------------------------------------------------------------


def test_in_place_noise_makes_the_tensor_undrawn_and_all_its_views():
    rows = torch.stack([P, Q])

    def program() -> int:
        noise = torch.empty_like(rows)
        first = noise[0]
        for row in range(2):
            noise[row].exponential_()
        return 3 * int((rows[0] / first).argmax()) + int(rows.div_(1.0).div(noise)[1].argmax())

    assert law_of(program, 9) == near(torch.outer(P, Q).flatten().tolist())


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_in_place_noise_without_gradients(mode: Callable[[], Any]):
    def program() -> int:
        with mode():
            noise = torch.empty(2, 3)
            noise[1].exponential_()
            noise[0].fill_(1.0)
            return int((P / noise[1]).argmax()) + int(noise[0].sum()) - 3

    assert law_of(program) == near(P.tolist())


def test_a_plain_tensor_that_noise_is_written_into_becomes_undrawn():
    def program() -> int:
        row = P.clone()
        row.div_(torch.empty(3).exponential_())
        return int(row.argmax())

    assert law_of(program) == near(P.tolist())


def test_memory_that_is_overwritten_is_plain_again():
    def program() -> float:
        noise = torch.rand(2)
        noise.fill_(0.25)
        return float(noise.sum())

    assert enumerate_law(program).law == {0.5: 1.0}


def test_mixed_rows_keep_their_plain_numbers():
    def program() -> tuple[bool, ...]:
        noise = torch.zeros(3)
        noise[1] = torch.rand(())
        return tuple((noise < torch.tensor([0.5, 0.25, -1.0])).tolist())

    assert enumerate_law(program).law == {
        (True, True, False): 0.25,
        (True, False, False): 0.75,
    }


def test_integers():
    assert law_of(lambda: int(torch.randint(3, (1,)))) == near([1 / 3] * 3)
    assert law_of(lambda: int(torch.randint(1, 3, (2,))[1])) == near([0, 0.5, 0.5])
    assert law_of(lambda: int(torch.randint(low=0, high=2, size=(1,)))) == near([0.5, 0.5, 0])
    assert law_of(lambda: int((torch.rand(1) * 3).long())) == near([1 / 3] * 3)
    assert law_of(lambda: int((torch.rand(1) * 3).floor())) == near([1 / 3] * 3)
    assert law_of(lambda: int(torch.empty(1).random_(3))) == near([1 / 3] * 3)


def test_the_narrowest_dtype_that_decided_is_reported():
    def dtype_of(row: Any) -> str | None:
        return enumerate_law(lambda: int(torch.multinomial(row, 1))).narrowest_dtype

    assert dtype_of(P) == "float64"
    assert dtype_of(P.float()) == "float32"
    assert dtype_of(P.half()) == "float16"
    assert dtype_of(P.bfloat16()) == "bfloat16"
    # The coin's own dtype is idealised, and whole numbers are exact in any.
    assert enumerate_law(lambda: bool(torch.rand(1) < P[0])).narrowest_dtype == "float64"
    assert enumerate_law(lambda: bool(1 - torch.rand(1) < P[0])).narrowest_dtype == "float64"


def base_rule(p: Any = P, q: Any = Q) -> tuple[int, ...]:
    drafts = torch.multinomial(q, 2, replacement=True)
    accepted = torch.rand(2) < p[drafts] / q[drafts]
    kept = int(accepted.cumprod(0).sum())
    row = residual(p, q) if kept < 2 else p
    return (*drafts[:kept].tolist(), int(torch.multinomial(row, 1)))


def test_a_plain_rule_is_lossless():
    found: Enumeration[tuple[int, ...]] = enumerate_law(base_rule)
    first = [sum(m for block, m in found.law.items() if block[0] == k) for k in range(3)]
    assert first == near(P.tolist())
    assert found.paths <= 40 and found.operations > 10
