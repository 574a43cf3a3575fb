"""Rules that were reported as biased and are exact. An auditor must certify them."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def one_hot_rule(target_rows, draft_rows, drafts):
    """Accept with p(x), else p without x. It never looks at q: exact for any draft, drawn or not,
    since it is exact given the draft."""
    rng = np.random.default_rng()
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        if rng.random() < p[x]:
            out.append(int(x))
            continue
        rest = np.where(np.arange(len(p)) == x, 0.0, p)
        return [*out, _draw(rng, rest / rest.sum())]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def zero_q_kernel(target_rows, draft_rows, drafts):
    """Draft probabilities are set to zero on purpose: accept if u < p(x), then the residual of p
    with the drafted id's mass taken off. The same as the one-hot rule."""
    rng = np.random.default_rng()
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        used = np.zeros(len(p))
        if rng.random() < p[x]:
            out.append(int(x))
            continue
        used[x] = p[x]
        rest = np.maximum(p - used, 0.0)
        return [*out, _draw(rng, rest / rest.sum())]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def match_rule(target_rows, draft_rows, drafts):
    """Emit y ~ p and go on while y is the draft: what is emitted is the target's own draw."""
    rng = np.random.default_rng()
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        out.append(_draw(rng, p))
        if out[-1] != x:
            return out
    return [*out, _draw(rng, target_rows[len(drafts)])]


def missing_row_is_one_hot(target_rows, draft_rows, drafts):
    """Where q is not known (here: every second row) the one-hot rule stands in. Each is exact."""
    rng = np.random.default_rng()
    out = []
    for i, x in enumerate(drafts):
        p = target_rows[i]
        q = draft_rows[i] if i % 2 else np.eye(len(p))[x]
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        return [*out, _draw(rng, left / left.sum())]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def exponential_race(target_rows, draft_rows, drafts):
    """The sampler "takes the largest": of p / noise, with fresh exponential noise. That is a draw
    from p."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        return [*out, int(np.argmax(left / rng.standard_exponential(len(p))))]
    bonus = target_rows[len(drafts)]
    return [*out, int(np.argmax(bonus / rng.standard_exponential(len(bonus))))]


def residual_in_place(target_rows, draft_rows, drafts):
    """The token after a rejection is drawn from a variable called p, which by then holds the
    residual."""
    rng = np.random.default_rng()
    out = []
    for i, x in enumerate(drafts):
        p = target_rows[i].copy()
        if rng.random() < p[x] / draft_rows[i][x]:
            out.append(int(x))
            continue
        p -= draft_rows[i]
        p[p < 0] = 0
        p /= p.sum()
        return [*out, _draw(rng, p)]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def block_longest_prefix(target_rows, draft_rows, drafts):
    """Block verification keeps the longest prefix whose own coin falls low; a coin in between may
    fall high."""
    rng = np.random.default_rng()
    k, v = len(drafts), target_rows.shape[1]
    reach = np.ones(k + 1)
    for i, x in enumerate(drafts):
        reach[i + 1] = min(1.0, reach[i] * target_rows[i][x] / draft_rows[i][x])
    padded = [*draft_rows, np.zeros(v)]
    left = [np.maximum(reach[i] * target_rows[i] - padded[i], 0.0) for i in range(k + 1)]
    kept = 0
    for i in range(1, k + 1):
        mass = left[i].sum()
        h = reach[k] if i == k else mass / (mass + 1.0 - reach[i]) if mass > 0 else 0.0
        if rng.random() < h:
            kept = i
    return [*map(int, drafts[:kept]), _draw(rng, left[kept] / left[kept].sum())]


def uniform_fallback(target_rows, draft_rows, drafts):
    """A uniform draw if the residual is empty. A draft is then never rejected: p covers q."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        left = left / left.sum() if left.sum() > 0 else np.full(len(p), 1.0 / len(p))
        return [*out, _draw(rng, left)]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def coin_rescaled(target_rows, draft_rows, drafts):
    """The coin that rejected is used again, rescaled from [h, 1) to [0, 1): uniform once more."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        u, h = rng.random(), p[x] / q[x]
        if u < h:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        reached = np.cumsum(left / left.sum())
        fresh = (u - h) / (1.0 - h)
        return [*out, next((i for i, c in enumerate(reached[:-1]) if fresh < c), len(p) - 1)]
    return [*out, _draw(rng, target_rows[len(drafts)])]


for _subject in (
    one_hot_rule,
    zero_q_kernel,
    match_rule,
    missing_row_is_one_hot,
    exponential_race,
    residual_in_place,
    block_longest_prefix,
    uniform_fallback,
    coin_rescaled,
):
    _subject.array = "numpy"
