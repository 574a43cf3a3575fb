"""`kernel` subjects: laws from thresholds, and what does not fit the structure."""

import itertools
import math
import random

import kind_subjects as subjects
import pytest
from draftproof.audit.kinds import audit_callable
from draftproof.audit.kinds.kernel_races import shared_race


@pytest.mark.parametrize("name", ["kernel", "gumbel_kernel", "float32_kernel"])
def test_correct_kernels_are_lossless_given_their_structure(name):
    report = audit_callable(getattr(subjects, name), "kernel")
    assert report.verdict == "LOSSLESS"
    found = [r for r in report.results if r.verdict == "LOSSLESS"]
    assert all(r.reason.startswith("given structure") for r in found)
    if name == "float32_kernel":
        assert max(r.tolerance for r in found if r.check != "dtype") == pytest.approx(1e-5, rel=0.1)


def one(subject, pair, check, **options):
    report = audit_callable(subject, "kernel", pairs=[pair], lookahead=1, shrink=False, **options)
    (found,) = [r for r in report.results if r.check == check]
    return found


def test_an_accept_coin_used_again_has_its_exact_distance():
    found = one(subjects.reused_kernel, "two-id-residual", "next-token")
    assert found.total_variation.float == pytest.approx(1 / 10, abs=1e-12)
    assert found.acceptance is None
    assert found.fault == "coupled-randomness"


def test_an_inflated_ratio_is_seen():
    @subjects.numpy_rule
    def kernel(target_rows, draft_rows, drafts, coins):
        return subjects.kernel(target_rows * 1.001, draft_rows, drafts, coins)

    kernel.coins = subjects.kernel.coins
    assert one(kernel, "base", "next-token").verdict == "LOSSY"


def test_noise_raced_twice_is_integrated_together():
    found = one(subjects.shared_noise_kernel, "base", "one-round")
    assert found.verdict == "LOSSY"
    assert found.refutes == ("block",)


def test_what_is_outside_the_structure_is_undecided():
    found = one(subjects.strange_kernel, "base", "one-round")
    assert found.verdict == "UNDECIDED"
    assert "outside the declared structure" in found.reason


def test_a_kernel_that_draws_for_itself_is_undecided():
    @subjects.numpy_rule
    def kernel(target_rows, draft_rows, drafts, coins):
        return subjects.standard(target_rows, draft_rows, drafts)

    kernel.coins = subjects.kernel.coins
    found = one(kernel, "base", "one-round")
    assert found.verdict == "UNDECIDED"


def test_shared_races_add_up_and_have_the_right_marginals():
    w, v = (0.5, 0.3, 0.2), (0.1, 0.6, 0.3)
    joint = {(i, j): shared_race(w, v, i, j) for i, j in itertools.product(range(3), repeat=2)}
    assert math.fsum(joint.values()) == pytest.approx(1)
    for i in range(3):
        assert math.fsum(joint[i, j] for j in range(3)) == pytest.approx(w[i])
        assert math.fsum(joint[j, i] for j in range(3)) == pytest.approx(v[i])


def test_shared_races_agree_with_draws():
    numbers = random.Random(1)
    w, v = (0.5, 0.3, 0.2), (0.1, 0.6, 0.3)
    counts = dict.fromkeys(itertools.product(range(3), repeat=2), 0)
    for _ in range(20_000):
        noise = [numbers.expovariate(1) for _ in range(3)]
        winners = (min(range(3), key=lambda k, x=x: noise[k] / x[k]) for x in (w, v))
        counts[tuple(winners)] += 1
    for (i, j), count in counts.items():
        assert count / 20_000 == pytest.approx(shared_race(w, v, i, j), abs=0.015)
