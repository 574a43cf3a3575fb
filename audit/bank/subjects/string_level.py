"""Candidates by way of text: psi, the law that scores them, is taken for another.

Ids 0, 1 and 2 are the texts a, b and ab, on both sides; drafts are joined and cut again, longest
match first.
"""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _encode(drafts, size):
    text = [c for d in drafts for c in ((0, 1) if d == 2 and size > 2 else (d,))]
    ids = []
    for c in text:
        if size > 2 and c == 1 and ids[-1:] == [0]:
            ids[-1] = 2
        else:
            ids.append(c)
    return tuple(int(c) for c in ids)


def _until_last_id(drafts, size):
    """The last id ends a draft and is no text of the target's."""
    stop = [*drafts, size - 1].index(size - 1)
    return tuple(int(d) for d in drafts[:stop])


def _proposals(drafter, ids, lookahead, encode=_encode):
    """The law of the candidates, over all drafts."""
    law, waiting = {}, [((), 1.0)]
    while waiting:
        drafts, mass = waiting.pop()
        q = drafter(list(ids) + list(drafts))[-1]
        if len(drafts) == lookahead:
            candidates = encode(drafts, len(q))
            law[candidates] = law.get(candidates, 0.0) + mass
            continue
        waiting += [((*drafts, d), mass * q[d]) for d in range(len(q)) if q[d] > 0]
    return law


def _psi(law, accepted, size):
    """psi_k: the next candidate's law given those accepted; the rest to 1 is that there is none."""
    begin = {c: n for c, n in law.items() if c[: len(accepted)] == tuple(accepted)}
    psi = np.zeros(size)
    for candidates, mass in begin.items():
        if len(candidates) > len(accepted):
            psi[candidates[len(accepted)]] += mass
    return psi / max(sum(begin.values()), 1e-300)


def _drafts(rng, drafter, ids, lookahead):
    drafts = []
    for _ in range(lookahead):
        q = drafter(list(ids) + drafts)[-1]
        drafts.append(int(rng.choice(len(q), p=q)))
    return drafts


def _left(p, psi, scale=1.0):
    left = np.maximum(scale * p - psi, 0.0)
    return left / left.sum() if left.sum() > 1e-12 else p


def _one(rng, p, psi, t):
    """One token: t, if it was proposed and is accepted, else a draw from what psi leaves of p."""
    if t is not None and (psi[t] == 0 or rng.random() < p[t] / psi[t]):
        return int(t)
    return int(rng.choice(len(p), p=_left(p, psi)))


def composition_counted(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """psi(t) sums all ways to spell t in drafts, though T may cut one that goes on otherwise."""
    rng = np.random.default_rng()
    ids = list(prompt)
    while len(ids) < len(prompt) + max_new_tokens:
        p, q = target(ids)[-1], drafter(ids)[-1]
        candidates = _encode(_drafts(rng, drafter, ids, lookahead), len(p))
        psi = _psi(_proposals(drafter, ids, lookahead), (), len(p))
        if not correct:
            psi = q.copy()  # WRONG: each spelling counts as if T put t first
            if len(p) > 2:
                psi[2] += q[0] * drafter([*ids, 0])[-1][1]
        ids.append(_one(rng, p, psi, candidates[0]))
    return ids[len(prompt) :]


def another_rule(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Several tokens are drafted, and scored with the psi of a single one."""
    rng = np.random.default_rng()
    ids = list(prompt)
    while len(ids) < len(prompt) + max_new_tokens:
        p = target(ids)[-1]
        candidates = _encode(_drafts(rng, drafter, ids, lookahead), len(p))
        scored = lookahead if correct else 1  # WRONG: psi belongs to the rule that ended the draft
        psi = _psi(_proposals(drafter, ids, scored), (), len(p))
        ids.append(_one(rng, p, psi, candidates[0]))
    return ids[len(prompt) :]


def unconditional(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Every candidate is scored as if a new draft had begun with it."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        start, law = list(ids), _proposals(drafter, ids, lookahead)
        size = len(target(ids)[-1])
        candidates = _encode(_drafts(rng, drafter, ids, lookahead), size)
        for k in range(len(candidates) + 1):
            if correct:
                psi = _psi(law, candidates[:k], size)
            else:  # WRONG: that the draft began as it did says something of how it goes on
                psi = _psi(_proposals(drafter, ids, lookahead), (), size)
            t = candidates[k] if k < len(candidates) else None
            ids.append(_one(rng, target(ids)[-1], psi, t))
            if t is None or tuple(ids[len(start) :]) != candidates[: k + 1]:
                break
    return ids[len(prompt) : end]


def no_proposal(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """A draft without text proposes nothing; the token is then drawn from p."""
    rng = np.random.default_rng()
    ids = list(prompt)
    while len(ids) < len(prompt) + max_new_tokens:
        p = target(ids)[-1]
        candidates = _until_last_id(_drafts(rng, drafter, ids, lookahead), len(p))
        psi = _psi(_proposals(drafter, ids, lookahead, _until_last_id), (), len(p))
        if candidates or correct:
            ids.append(_one(rng, p, psi, candidates[0] if candidates else None))
        else:
            ids.append(int(rng.choice(len(p), p=p)))  # WRONG: what psi leaves of p is due
    return ids[len(prompt) :]


def block_bonus(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Candidates verified as a block; behind the last one a bonus from p, as behind drafted ids."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        size = len(target(ids)[-1])
        t = _until_last_id(_drafts(rng, drafter, ids, lookahead), size)
        law = _proposals(drafter, ids, lookahead, _until_last_id)
        rows = target([*ids, *t])[len(ids) - 1 :]
        psi = [_psi(law, t[:i], size) for i in range(len(t) + 1)]
        kept, tau = [1.0], 0
        for i, x in enumerate(t):
            kept.append(min(1.0, kept[i] * rows[i][x] / psi[i][x]))
        for i in range(1, len(t) + 1):
            excess = np.maximum(kept[i] * rows[i] - psi[i], 0.0).sum()
            below = excess + 1.0 - kept[i]
            passes = excess / below if below > 1e-12 else 1.0
            if i == len(t) and not correct:
                passes = kept[i]  # WRONG: that the candidates end here is an outcome of psi
            tau = i if rng.random() < passes else tau
        left = _left(rows[tau], psi[tau], kept[tau])
        final = rows[tau] if t and tau == len(t) and not correct else left
        ids += [*t[:tau], int(rng.choice(size, p=final))]
    return ids[len(prompt) : end]


for _subject in (composition_counted, another_rule, unconditional, no_proposal, block_bonus):
    _subject.array = "numpy"
