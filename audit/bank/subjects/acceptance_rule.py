"""The test that accepts a draft is not u < p(x) / q(x)."""
# pyright: reportFunctionMemberAccess=false

import random

import numpy as np


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def _draw(law):
    return random.choices(range(len(law)), weights=list(law))[0]


def always_accept(target_rows, draft_rows, drafts):
    """Every draft is emitted, whatever p says; only the bonus token is the target's."""
    # WRONG: p of the drafted ids is not looked at
    return [*map(int, drafts), _draw(target_rows[len(drafts)])]


def coin_is_zero(target_rows, draft_rows, drafts, *, correct=False):
    """The device has no random numbers, so the uniforms are a tensor of zeros."""
    coins = [random.random() if correct else 0.0 for _ in drafts]  # WRONG: 0 < p/q, always
    out = []
    for p, q, x, u in zip(target_rows, draft_rows, drafts, coins, strict=False):
        if not u < p[x] / q[x]:
            return [*out, _draw(_residual(p, q))]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


def first_unverified(target_rows, draft_rows, drafts, *, correct=False):
    """The first draft is committed as it is; verification begins with the second."""
    out = []
    for i, x in enumerate(drafts):
        p, q = target_rows[i], draft_rows[i]
        unverified = i == 0 and not correct  # WRONG: id 0 is trusted
        if unverified or random.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        return [*out, _draw(_residual(p, q))]
    return [*out, _draw(target_rows[len(drafts)])]


def argmax_match(target_rows, draft_rows, drafts):
    """Accepts a draft if it is the target's likeliest id, else emits that: greedy at T > 0."""
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        best = int(p.argmax())  # WRONG: greedy decoding's token, where a sampled one is due
        out.append(best)
        if best != x:
            return out
    return [*out, _draw(target_rows[len(drafts)])]


def inflated_ratio(target_rows, draft_rows, drafts, *, correct=False):
    """The ratio is multiplied by 1.01: too little for a test that samples, not for this one."""
    boost = 1.0 if correct else 1.01
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if random.random() < boost * p[x] / q[x]:  # WRONG: accepts one percent too often
            out.append(int(x))
            continue
        return [*out, _draw(_residual(p, q))]
    return [*out, _draw(target_rows[len(drafts)])]


def nearly_one_accepts(target_rows, draft_rows, drafts, *, correct=False):
    """A ratio of 0.9 and more counts as one, to save coins."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        ratio = p[x] / q[x]
        close = ratio >= 0.9 and not correct  # WRONG: up to a tenth is never rejected
        if close or random.random() < ratio:
            out.append(int(x))
            continue
        return [*out, _draw(_residual(p, q))]
    return [*out, _draw(target_rows[len(drafts)])]


for _subject in (
    always_accept,
    coin_is_zero,
    first_unverified,
    argmax_match,
    inflated_ratio,
    nearly_one_accepts,
):
    _subject.array = "numpy"
