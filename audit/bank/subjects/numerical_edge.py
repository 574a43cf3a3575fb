"""Right for real numbers between 0 and 1, wrong at their edges: NaN, 0 / 0, a coin of exactly 0."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def nothing_left(target_rows, draft_rows, drafts, *, correct=False):
    """Kept or recovered in one draw, from h one_hot(x) + (1 - h) residual. Where p is q the
    residual is 0/0, and 0 times that is NaN as well; the fallback then emits the first id."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        h = min(1.0, p[x] / q[x])
        left = np.maximum(p - q, 0.0)
        with np.errstate(invalid="ignore"):
            left = left if correct and left.sum() == 0 else left / left.sum()
        law = h * np.eye(len(p))[x] + (1.0 - h) * left
        if np.isnan(law).any():
            law = np.eye(len(p))[0]  # WRONG: argmax of NaN, though h is 1
        out.append(_draw(rng, law))
        if out[-1] != x:
            return out
    return [*out, _draw(rng, target_rows[len(drafts)])]


def coin_zero_accepts(target_rows, draft_rows, drafts, *, correct=False):
    """Accepts when the coin is at most p/q. A coin can be 0, and then so can p."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        u, ratio = rng.random(), p[x] / q[x]
        if (u < ratio) if correct else (u <= ratio):  # WRONG: 0 <= 0
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        return [*out, _draw(rng, left / left.sum() if left.sum() > 0 else p)]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def overshooting_search(target_rows, draft_rows, drafts, *, correct=False):
    """Plain sampling by inverse CDF; the cumulative sum may end below 1, and below the coin."""
    rng = np.random.default_rng()
    p = target_rows[0]
    u = rng.random()
    for x, reached in enumerate(np.cumsum(p)):
        if u < reached or (correct and x == len(p) - 1):
            return [x]
    return [len(p)]  # WRONG: an id outside the vocabulary


def nan_means_rejected_id(target_rows, draft_rows, drafts):
    """A NaN in q makes every comparison false and every residual NaN: the first index wins."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.nan_to_num(np.maximum(p - q, 0.0))
        if left.sum() == 0:
            return [*out, int(np.argmax(left))]  # WRONG: all zero, so it is id 0
        return [*out, _draw(rng, left / left.sum())]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def nan_logit_is_zero(target_rows, draft_rows, drafts):
    """NaN logits are replaced by 0, and 0 may be the largest logit of all."""
    rng = np.random.default_rng()
    with np.errstate(divide="ignore"):
        logits = np.log(target_rows)
    logits = np.where(np.isnan(logits), 0.0, logits)  # WRONG: a poisoned row must not be sampled
    rows = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    out = []
    for p, x in zip(rows, drafts, strict=False):
        out.append(_draw(rng, p))
        if out[-1] != x:
            return out
    return [*out, _draw(rng, rows[len(drafts)])]


def nan_row_out_of_range(target_rows, draft_rows, drafts):
    """The sampler starts from the padding index, and no NaN is ever larger than minus infinity."""
    rng = np.random.default_rng()
    p = target_rows[0]
    if not np.isnan(p).any():
        return [_draw(rng, p)]
    best, winner = -np.inf, len(p)
    for x, score in enumerate(p):
        if score > best and not np.isnan(p).all():
            best, winner = score, x
    return [winner]  # WRONG: with a row of NaN it is still len(p)


def tiny_temperature(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, *, correct=False
):
    """Softmax without its maximum taken off: near temperature 0 everything underflows to 0 / 0."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        with np.errstate(divide="ignore", invalid="ignore"):
            logits = np.log(target(ids)[-1])
            scaled = logits / max(temperature, 1e-9)
            if correct:
                scaled = scaled - scaled.max()
            weights = np.exp(scaled)
            law = np.nan_to_num(weights / weights.sum())
        # WRONG: a law of zeros is taken for a certain one
        ids.append(_draw(rng, law) if law.sum() > 0.5 else int(np.argmax(law)))
    return ids[len(prompt) : end]


def temperature_zero(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, *, correct=False
):
    """Logits are divided by the temperature before rows with temperature 0 are set apart."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        p = target(ids)[-1]
        if temperature == 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = np.log(p) / np.float64(0.0)
            best = p if correct else np.nan_to_num(scaled, nan=0.0, neginf=-1.0)
            ids.append(int(np.argmax(best)))  # WRONG: of -inf, -inf, -inf
        else:
            law = (p / p.max()) ** (1.0 / temperature)
            ids.append(_draw(rng, law / law.sum()))
    return ids[len(prompt) : end]


for _subject in (
    nothing_left,
    coin_zero_accepts,
    overshooting_search,
    nan_means_rejected_id,
    nan_logit_is_zero,
    nan_row_out_of_range,
    tiny_temperature,
    temperature_zero,
):
    _subject.array = "numpy"
