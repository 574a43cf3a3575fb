"""Faulty subjects that no table was made for: the class that a maintainer would name comes first.

Each is audited on a few pairs, from the outside, as any user's code is.
"""

import numpy as np
import pytest
from draftproof.audit.kinds import audit_callable

PAIRS = ("base", "two-id-residual", "context-dependent", "cumulative", "fair-coins", "small")
FEW = ("base", "two-id-residual", "context-dependent", "fair-coins")
new_generator = np.random.default_rng


def residual(p, q):
    left = np.maximum(p - q, 0)
    return left / left.sum() if left.sum() > 0 else p


def draw(rng, law):
    return int(rng.choice(len(law), p=law / law.sum()))


def inverse(law, coin):
    for token, reached in enumerate(np.cumsum(law)[:-1]):
        if coin < reached:
            return token
    return len(law) - 1


def standard(p, q, x, accept=None, final=None, bonus=None):
    rng, block = new_generator(), []
    for j, token in enumerate(x):
        chance = accept(p[j], q[j], token) if accept else p[j][token] / q[j][token]
        if not rng.random() < chance:
            return [*block, draw(rng, (final or residual)(p[j], q[j]))]
        block.append(int(token))
    return [*block, draw(rng, p[len(x)] if bonus is None else bonus(p, q))]


def of_rule(**parts):
    return lambda target_rows, draft_rows, drafts: standard(
        target_rows, draft_rows, drafts, **parts
    )


def on_rows(change_p=lambda p: p, change_q=lambda q: q):
    def rule(target_rows, draft_rows, drafts):
        return standard(change_p(target_rows), change_q(draft_rows), drafts)

    return rule


def even_out(rows):
    return 0.9 * rows + 0.1 / rows.shape[1]


def race_on_one_vector(target_rows, draft_rows, drafts):
    noise, block = new_generator().standard_exponential(target_rows.shape[1]), []
    for j in range(len(drafts) + 1):
        block.append(int(np.argmax(target_rows[j] / noise)))
        if j < len(drafts) and block[-1] != drafts[j]:
            break
    return block


def coins(again):
    """``again``: which coin is used again, and for what."""

    def rule(target_rows, draft_rows, drafts):
        rng, block, coin = new_generator(), [], 0.0
        for j, (p, q, x) in enumerate(zip(target_rows, draft_rows, drafts, strict=False)):
            coin = 1 - coin if again == "mirrored" and j else rng.random()
            if not coin < p[x] / q[x]:
                law = residual(p, q)
                return [*block, draw(rng, law)]
            block.append(int(x))
        last = target_rows[len(drafts)]
        return [*block, inverse(last, coin) if again == "bonus" else draw(rng, last)]

    return rule


def all_or_nothing(target_rows, draft_rows, drafts):
    rng = new_generator()
    p, q = target_rows, draft_rows
    chance = np.prod([min(1, p[j][x] / q[j][x]) for j, x in enumerate(drafts)])
    if rng.random() < chance:
        return [*map(int, drafts), draw(rng, p[len(drafts)])]
    return [draw(rng, residual(p[0], q[0]))]


def running_product(target_rows, draft_rows, drafts):
    rng, block, product = new_generator(), [], 1.0
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        product = min(1.0, product * p[x] / q[x])
        if not rng.random() < product:
            left = np.maximum(product * p - q, 0)
            return [*block, draw(rng, left if left.sum() > 0 else p)]
        block.append(int(x))
    return [*block, draw(rng, target_rows[len(drafts)])]


def exchanged_ids(target_rows, draft_rows, drafts):
    return [{0: 1, 1: 0}.get(t, t) for t in standard(target_rows, draft_rows, drafts)]


RULES = {
    "p and q exchanged": (of_rule(accept=lambda p, q, x: q[x] / p[x]), "acceptance-rule"),
    "a little slack": (of_rule(accept=lambda p, q, x: p[x] / q[x] + 0.05), "acceptance-rule"),
    "1e-6 added to q": (of_rule(accept=lambda p, q, x: p[x] / (q[x] + 1e-6)), "numerical-edge"),
    "q clamped": (of_rule(accept=lambda p, q, x: p[x] / max(q[x], 9e-3)), "numerical-edge"),
    "1e-6 added to the residual": (
        of_rule(final=lambda p, q: np.maximum(p - q, 0) + 1e-6),
        "numerical-edge",
    ),
    "p - q without a clip": (of_rule(final=lambda p, q: abs(p - q)), "residual"),
    "residual squared": (of_rule(final=lambda p, q: residual(p, q) ** 2), "residual"),
    "p evened out": (on_rows(change_p=even_out), "target-law"),
    "q evened out": (on_rows(change_q=even_out), "proposal-law"),
    "q of the next id": (on_rows(change_q=lambda q: np.roll(q, 1, 1)), "vocabulary-map"),
    "ids exchanged at the end": (exchanged_ids, "vocabulary-map"),
    "rows of p in reverse": (on_rows(change_p=lambda p: p[::-1]), "position-shift"),
    "bonus of the row before": (of_rule(bonus=lambda p, q: p[len(q) - 1]), "position-shift"),
    "one noise vector": (race_on_one_vector, "coupled-randomness"),
    "coin again for the bonus": (coins("bonus"), "coupled-randomness"),
    "coin mirrored": (coins("mirrored"), "coupled-randomness"),
    "all drafts or none": (all_or_nothing, "block-or-tree"),
    "running product": (running_product, "block-or-tree"),
}


def run_of(drafting, verifying):
    """A decoder from how a draft is drawn and how drafts are verified; ``kept`` goes with it."""

    def decode(target, drafter, prompt, lookahead, max_new_tokens):
        rng, ids, end = new_generator(), list(prompt), len(prompt) + max_new_tokens
        while len(ids) < end:
            drafts, rows, kept = [], [], []
            for _ in range(lookahead):
                rows.append(drafter(ids + drafts)[-1])
                drafts.append(drafting(rng, rows[-1], kept))
            laws = target(ids + drafts)[len(ids) - 1 :]
            ids += verifying(rng, laws, rows, drafts, kept)
        return ids[len(prompt) : end]

    return decode


def by_coin(rng, q, kept):
    kept.append(rng.random())
    return inverse(q, kept[-1])


def by_race(rng, q, kept):
    kept.append(rng.standard_exponential(len(q)))
    return int(np.argmax(q / kept[-1]))


def verified(rng, p, q, x, kept):
    return standard(p, q, x)


def again_after_a_rejection(again):
    def verify(rng, p, q, x, kept):
        for j, token in enumerate(x):
            if not rng.random() < p[j][token] / q[j][token]:
                return [*x[:j], again(residual(p[j], q[j]), kept[j])]
        return [*x, draw(rng, p[len(x)])]

    return verify


def race(law, noise):
    return int(np.argmax(law / noise))


def coin_of_the_draft_accepts(rng, p, q, x, kept):
    for j, token in enumerate(x):
        if not kept[j] < p[j][token]:
            left = np.where(np.arange(len(p[j])) == token, 0, p[j])
            return [*x[:j], draw(rng, left)]
    return [*x, draw(rng, p[len(x)])]


def candidates(target, drafter, prompt, lookahead, max_new_tokens):
    rng, ids, end = new_generator(), list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        q, p = drafter(ids)[-1], target(ids)[-1]
        for _ in range(3):
            x = draw(rng, q)
            if rng.random() < p[x] / q[x]:
                ids.append(x)
                break
        else:
            ids.append(draw(rng, residual(p, q)))
    return ids[len(prompt) : end]


def stale(target, drafter, prompt, lookahead, max_new_tokens):
    rng, ids, seen = new_generator(), [], list(prompt)
    while len(ids) < max_new_tokens:
        drafts, rows = [], []
        for _ in range(lookahead):
            rows.append(drafter(seen + drafts)[-1])
            drafts.append(draw(rng, rows[-1]))
        block = standard(target(seen + drafts)[len(seen) - 1 :], rows, drafts)
        ids += block
        seen += block if len(block) > len(drafts) else drafts[: len(block)]
    return ids[:max_new_tokens]


RUNS = {
    "drafts evened out": (
        run_of(lambda rng, q, kept: draw(rng, 0.7 * q + 0.3 / len(q)), verified),
        "proposal-law",
    ),
    "drafts mirrored": (
        run_of(lambda rng, q, kept: len(q) - 1 - draw(rng, q), verified),
        "vocabulary-map",
    ),
    "coin of the draft again": (
        run_of(by_coin, again_after_a_rejection(inverse)),
        "coupled-randomness",
    ),
    "noise of the draft again": (
        run_of(by_race, again_after_a_rejection(race)),
        "coupled-randomness",
    ),
    "coin of the draft accepts": (run_of(by_coin, coin_of_the_draft_accepts), "coupled-randomness"),
    "three candidates": (candidates, "block-or-tree"),
    "rejected draft kept": (stale, "state-not-rolled-back"),
}


def first_named(report):
    """The first candidate and all of them, of most results that say so."""
    lossy = [r for r in report.results if r.verdict == "LOSSY"]
    assert lossy and all("look at" in r.reason for r in lossy)
    assert all(r.fault == r.fault_candidates[0] for r in lossy)
    most = max(lossy, key=lambda r: sum(r.fault_candidates == s.fault_candidates for s in lossy))
    return most.fault


@pytest.mark.parametrize("name", RULES)
def test_the_class_of_a_wrong_rule(name):
    rule, fault = RULES[name]
    rule.array = "numpy"
    report = audit_callable(rule, "rule", pairs=PAIRS, lookahead=(1, 2), shrink=False)
    assert first_named(report) == fault


@pytest.mark.parametrize("name", RUNS)
def test_the_class_of_a_wrong_decoder(name):
    run, fault = RUNS[name]
    run.array = "numpy"
    ids = 1 if run is candidates else 2  # each candidate multiplies the paths
    report = audit_callable(run, "generate", pairs=FEW, lookahead=1, horizon=ids, shrink=False)
    assert first_named(report) == fault


def test_the_class_of_what_is_wrong_with_some_requests_of_a_batch_only():
    def later_ones_unverified(target_rows, draft_rows, drafts, lengths):
        return [
            standard(
                target_rows[b][: n + 1],
                draft_rows[b][:n],
                drafts[b][:n],
                accept=(lambda p, q, x: 1.0) if b else None,
            )
            for b, n in enumerate(lengths)
        ]

    later_ones_unverified.array = "numpy"
    pairs = ("base", "two-id-residual")
    report = audit_callable(
        later_ones_unverified, "batch_rule", pairs=pairs, lookahead=1, shrink=False
    )
    assert first_named(report) == "acceptance-rule"
    assert {r.guarantee for r in report.results if r.verdict == "LOSSY"} >= {"batch"}


def test_the_class_of_a_wrong_rule_in_torch():
    torch = pytest.importorskip("torch")

    def doubled(target_rows, draft_rows, drafts):
        for j, x in enumerate(drafts.tolist()):
            p, q = target_rows[j], draft_rows[j]
            if not torch.rand(()) < p[x] / q[x]:
                left = torch.clamp(p - q / 2, min=0)
                return [*drafts[:j].tolist(), int(torch.multinomial(left, 1))]
        return [*drafts.tolist(), int(torch.multinomial(target_rows[-1], 1))]

    report = audit_callable(doubled, "rule", pairs=PAIRS[:4], lookahead=1, shrink=False)
    assert first_named(report) == "residual"
