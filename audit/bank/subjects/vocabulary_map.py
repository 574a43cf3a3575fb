"""Ids of two vocabularies are taken for each other."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def one_preimage(target_rows, draft_rows, drafts, *, correct=False):
    """The drafter's last id is padding, mapped to the id before it; q of that one alone is used."""
    rng = np.random.default_rng()
    last = target_rows.shape[1] - 1
    folded = draft_rows.copy()
    folded[:, last] = 0.0
    if correct:
        folded[:, last - 1] += draft_rows[:, last]
    out = []
    for p, q, x in zip(target_rows, folded, drafts, strict=False):
        token = int(min(x, last - 1))
        # WRONG: q(token) leaves out the drafts that arrive by way of the padding
        if q[token] == 0 or rng.random() < p[token] / q[token]:
            out.append(token)
            continue
        return [*out, int(rng.choice(len(p), p=_residual(p, q)))]
    bonus = target_rows[len(drafts)]
    return [*out, int(rng.choice(len(bonus), p=bonus))]


def unmapped_score(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The drafter's columns are in reverse order: drafts are mapped back, their scores are not."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        columns = drafter(ids)[-1][::-1]  # column c of the drafter's head scores id V - 1 - c
        column = int(rng.choice(len(columns), p=columns))
        x = len(columns) - 1 - column
        q = columns[::-1] if correct else columns  # WRONG: indexed by id, ordered by column
        p = target(ids)[-1]
        if q[x] == 0 or rng.random() < p[x] / q[x]:
            ids.append(x)
        else:
            ids.append(int(rng.choice(len(p), p=_residual(p, q))))
    return ids[len(prompt) : end]


for _subject in (one_preimage, unmapped_score):
    _subject.array = "numpy"
