"""Rules for whole blocks, trees and several candidates, put together wrongly."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def token_residual(target_rows, draft_rows, drafts, *, correct=False):
    """Block verification's running product decides, the residual is that of single tokens."""
    rng = np.random.default_rng()
    k = len(drafts)
    reach = np.ones(k + 1)  # how much of the block so far is due, at most 1
    for i, x in enumerate(drafts):
        reach[i + 1] = min(1.0, reach[i] * target_rows[i][x] / draft_rows[i][x])
    left = [np.maximum(reach[i] * target_rows[i] - draft_rows[i], 0.0) for i in range(k)]
    kept = 0
    for i in range(1, k + 1):
        h = reach[i]
        if correct and i < k:
            h = left[i].sum() / (left[i].sum() + 1.0 - reach[i]) if left[i].sum() > 0 else 0.0
        if rng.random() < h:
            kept = i
    if kept == k:
        law = target_rows[k]
    elif correct:
        law = left[kept] / left[kept].sum()
    else:
        law = _residual(target_rows[kept], draft_rows[kept])  # WRONG: p where reach * p is due
    return [*map(int, drafts[:kept]), _draw(rng, law)]


def product_without_q(target_rows, draft_rows, drafts, *, correct=False):
    """The running product for drafts without a law, q taken as 1, and the longest one wins."""
    rng = np.random.default_rng()
    kept, product = 0, 1.0
    for i, x in enumerate(drafts, start=1):
        product *= target_rows[i - 1][x]
        coin = rng.random()
        if correct:
            if coin >= target_rows[i - 1][x]:
                break
            kept = i
        elif coin < product:  # WRONG: a rejection at i is forgotten when a later coin is low
            kept = i
    law = target_rows[kept].copy()
    if kept < len(drafts):
        law[drafts[kept]] = 0.0
        law = law / law.sum() if law.sum() > 0 else target_rows[kept]
    return [*map(int, drafts[:kept]), _draw(rng, law)]


def longest_of_independent(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Four branches, three through the drafter's first choice, each matched with a target draw of
    its own (it is the branch's id with probability p of that id); the branch that matches wins."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        first, second = map(int, np.argsort(-drafter(ids)[-1], kind="stable")[:2])
        p = target(ids)[-1].copy()
        for branch in (first, first, first, second):
            if rng.random() < p[branch]:  # WRONG: more branches, more chances
                ids.append(branch)
                break
            if correct:
                p[branch] = 0.0
                p /= p.sum()
        else:
            p[first] = 0.0
            ids.append(_draw(rng, p / p.sum()))
    return ids[len(prompt) : end]


def second_tested_against_p(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Two candidates from q; the second is tested against p although the first used it up."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        q, p = drafter(ids)[-1], target(ids)[-1]
        due = p
        for _ in range(2):
            x = _draw(rng, q)
            if rng.random() < due[x] / q[x]:
                ids.append(x)
                break
            if correct:
                due = _residual(due, q)
        else:
            # WRONG: after two rejections the residual of the residual is due
            ids.append(_draw(rng, due if correct else _residual(p, q)))
    return ids[len(prompt) : end]


for _subject in (
    token_residual,
    product_without_q,
    longest_of_independent,
    second_tested_against_p,
):
    _subject.array = "numpy"
