"""A random number that has decided something decides again."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _inverse(law, u):
    """The first id whose cumulative probability exceeds the coin ``u``."""
    for x, reached in enumerate(np.cumsum(law)[:-1]):
        if u < reached:
            return x
    return len(law) - 1


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def coin_reused(target_rows, draft_rows, drafts, *, correct=False):
    """The coin that rejected the draft also picks the residual token by inverse CDF."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        u = rng.random()
        if u < p[x] / q[x]:
            out.append(int(x))
            continue
        if correct:
            u = rng.random()
        return [*out, _inverse(_residual(p, q), u)]  # WRONG: u lies above p/q, it is not uniform
    return [*out, _inverse(target_rows[len(drafts)], rng.random())]


def coin_reused_one_hot(target_rows, draft_rows, drafts, *, correct=False):
    """One coin again accepts and draws, for drafts without a law: accept with p(x), else not x."""
    rng = np.random.default_rng()
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        u = rng.random()
        if u < p[x]:
            out.append(int(x))
            continue
        if correct:
            u = rng.random()
        left = np.where(np.arange(len(p)) == x, 0.0, p)
        return [*out, _inverse(left / left.sum(), u)]  # WRONG: u lies above p(x)
    return [*out, _inverse(target_rows[len(drafts)], rng.random())]


def draft_coin_accepts(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The draft is drawn by inverse CDF, and the same coin then decides whether it is accepted."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        coins = [rng.random() for _ in range(lookahead)]
        drafts, rows = [], []
        for u in coins:
            rows.append(drafter(ids + drafts)[-1])
            drafts.append(_inverse(rows[-1], u))
        laws = target(ids + drafts)[len(ids) - 1 :]
        for p, q, x, u in zip(laws, rows, drafts, coins, strict=False):
            # WRONG: given the draft, its coin lies in the draft's own interval
            if not (rng.random() if correct else u) < p[x] / q[x]:
                ids.append(_inverse(_residual(p, q), rng.random()))
                break
            ids.append(x)
        else:
            ids.append(_inverse(laws[-1], rng.random()))
    return ids[len(prompt) : end]


def shared_gumbel(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Draft and residual token are both Gumbel races, run on the same noise vector."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows, noise = [], [], []
        for _ in range(lookahead):
            rows.append(drafter(ids + drafts)[-1])
            noise.append(rng.gumbel(size=len(rows[-1])))
            drafts.append(int(np.argmax(_log(rows[-1]) + noise[-1])))
        laws = target(ids + drafts)[len(ids) - 1 :]
        for p, q, x, g in zip(laws, rows, drafts, noise, strict=False):
            if not rng.random() < p[x] / q[x]:
                # WRONG: x has won the race on this noise already
                g = rng.gumbel(size=len(p)) if correct else g
                ids.append(int(np.argmax(_log(_residual(p, q)) + g)))
                break
            ids.append(x)
        else:
            ids.append(int(np.argmax(_log(laws[-1]) + rng.gumbel(size=len(laws[-1])))))
    return ids[len(prompt) : end]


def _log(law):
    with np.errstate(divide="ignore"):
        return np.log(law)


def bonus_noise_reused(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Noise offsets overlap by one: the bonus token races on the last draft's noise."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows, noise = [], [], None
        for _ in range(lookahead):
            rows.append(drafter(ids + drafts)[-1])
            noise = rng.standard_exponential(len(rows[-1]))
            drafts.append(int(np.argmax(rows[-1] / noise)))
        laws = target(ids + drafts)[len(ids) - 1 :]
        for p, q, x in zip(laws, rows, drafts, strict=False):
            if not rng.random() < p[x] / q[x]:
                ids.append(int(rng.choice(len(p), p=_residual(p, q))))
                break
            ids.append(x)
        else:
            if correct or noise is None:
                noise = rng.standard_exponential(len(laws[-1]))
            ids.append(int(np.argmax(laws[-1] / noise)))  # WRONG: the last draft won on it
    return ids[len(prompt) : end]


def one_coin_a_step(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Every token of a step is drawn with the same seed, that is with the same coin."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        step = rng.random()
        drafts, rows = [], []
        for _ in range(lookahead):
            rows.append(drafter(ids + drafts)[-1])
            u = rng.random() if correct else step  # WRONG: one coin for all positions
            drafts.append(_inverse(rows[-1], u))
        laws = target(ids + drafts)[len(ids) - 1 :]
        for p, q, x in zip(laws, rows, drafts, strict=False):
            if not rng.random() < p[x] / q[x]:
                ids.append(_inverse(_residual(p, q), rng.random()))
                break
            ids.append(x)
        else:
            ids.append(_inverse(laws[-1], rng.random() if correct else step))  # WRONG: as above
    return ids[len(prompt) : end]


def one_coin_accepts_all(target_rows, draft_rows, drafts, *, correct=False):
    """One uniform for the whole chain: every position is tested with the same coin."""
    rng = np.random.default_rng()
    u = rng.random()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if correct:
            u = rng.random()
        if u < p[x] / q[x]:  # WRONG: after the first test u is no longer uniform
            out.append(int(x))
            continue
        return [*out, int(rng.choice(len(p), p=_residual(p, q)))]
    bonus = target_rows[len(drafts)]
    return [*out, int(rng.choice(len(bonus), p=bonus))]


def requests_share_stream(target_rows, draft_rows, drafts, lengths, *, correct=False):
    """Requests without a seed all read one stream from its start: the same coins for each."""
    rng = np.random.default_rng()
    batch, k = drafts.shape
    coins = rng.random((batch if correct else 1, k + 1))
    out = []
    for b in range(batch):
        mine = coins[b if correct else 0]  # WRONG: request b has no coins of its own
        tokens = []
        for i in range(int(lengths[b]) + 1):
            tokens.append(_inverse(target_rows[b, i], mine[i]))
            if i == lengths[b] or tokens[-1] != drafts[b, i]:
                break
        out.append(tokens)
    return out


def seed_ignored(target_rows, draft_rows, drafts, seed=None, *, correct=False):
    """A request's seed is accepted, and the draws come from a generator that never sees it."""
    rng = np.random.default_rng(seed if correct else None)  # WRONG: not the request's
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if not rng.random() < p[x] / q[x]:
            return [*out, _inverse(_residual(p, q), rng.random())]
        out.append(int(x))
    return [*out, _inverse(target_rows[len(drafts)], rng.random())]


def ranks_disagree(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Two tensor-parallel ranks hold half of the model each, and each counts the accepted drafts
    with coins of its own: after a disagreement rank 1's cache holds other tokens than rank 0's."""
    rng = np.random.default_rng()
    ids, end, other = list(prompt), len(prompt) + max_new_tokens, list(prompt)
    while len(ids) < end:
        drafts = []
        for _ in range(lookahead):
            drafts.append(int(drafter(ids + drafts)[-1].argmax()))
        halves = [target(seen + drafts)[len(seen) - 1 :] for seen in (ids, other)]
        rows = (halves[0] + halves[1]) / 2
        kept = [0, 0]
        for rank in range(2):
            while kept[rank] < lookahead and rng.random() < rows[kept[rank], drafts[kept[rank]]]:
                kept[rank] += 1
        last = rows[kept[0]].copy()
        if kept[0] < lookahead:
            last[drafts[kept[0]]] = 0.0
        final = int(rng.choice(len(last), p=last / last.sum()))
        ids += [*drafts[: kept[0]], final]
        other += [*drafts[: kept[0 if correct else 1]], final]  # WRONG: rank 0 must say how many
    return ids[len(prompt) : end]


for _subject in (
    coin_reused,
    coin_reused_one_hot,
    draft_coin_accepts,
    shared_gumbel,
    bonus_noise_reused,
    one_coin_a_step,
    one_coin_accepts_all,
    requests_share_stream,
    seed_ignored,
    ranks_disagree,
):
    _subject.array = "numpy"
