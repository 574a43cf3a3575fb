"""Faults that need a second request to be seen."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def noise_of_mixed_batch(target_rows, draft_rows, drafts, lengths, *, correct=False):
    """Race noise for every request but the first is written through an index, into a copy."""
    rng = np.random.default_rng()
    noise = np.ones(target_rows.shape[::2])
    out = []
    for b, n in enumerate(lengths):
        tokens = []
        mine = rng.standard_exponential(target_rows.shape[2])
        if b > 0 and not correct:
            mine = noise[b]  # WRONG: still what the buffer was made with
        for i in range(int(n) + 1):
            p = target_rows[b, i]
            if i == n:
                tokens.append(_draw(rng, p))
                break
            x, q = int(drafts[b, i]), draft_rows[b, i]
            if not rng.random() < p[x] / q[x]:
                tokens.append(int(np.argmax(_residual(p, q) / mine)))
                break
            tokens.append(x)
        out.append(tokens)
    return out


def one_accept_coin(target_rows, draft_rows, drafts, lengths, *, correct=False):
    """One vector of accept coins, broadcast over the batch: requests accept together."""
    rng = np.random.default_rng()
    coins = rng.random(drafts.shape[1])
    out = []
    for b, n in enumerate(lengths):
        tokens = []
        for i in range(int(n)):
            p, q, x = target_rows[b, i], draft_rows[b, i], int(drafts[b, i])
            u = rng.random() if correct else coins[i]  # WRONG: the same for every b
            if not u < p[x] / q[x]:
                tokens.append(_draw(rng, _residual(p, q)))
                break
            tokens.append(x)
        else:
            tokens.append(_draw(rng, target_rows[b, int(n)]))
        out.append(tokens)
    return out


for _subject in (noise_of_mixed_batch, one_accept_coin):
    _subject.array = "numpy"
