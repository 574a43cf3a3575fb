"""Whole decoders, a kernel and a batch rule that were reported as biased, or look so: exact."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def _verify(rng, target_rows, draft_rows, drafts):
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        return [*out, _draw(rng, left / left.sum())]
    return [*out, _draw(rng, target_rows[len(drafts)])]


def _tempered(row, temperature):
    if temperature == 0:
        return np.eye(len(row))[int(np.argmax(row))]
    weights = (row / row.max()) ** (1.0 / temperature)
    return weights / weights.sum()


def top_two_tree(target, drafter, prompt, lookahead, max_new_tokens):
    """Candidates are the drafter's two likeliest ids, always. Each is tested with p(x), q taken as
    1, and p is renormalised after a rejection: exact, since the candidates are certain."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        p = target(ids)[-1].copy()
        for x in np.argsort(-drafter(ids)[-1], kind="stable")[:2]:
            if rng.random() < p[x]:
                ids.append(int(x))
                break
            p[x] = 0.0
            p /= p.sum()
        else:
            ids.append(_draw(rng, p))
    return ids[len(prompt) : end]


def without_replacement(target, drafter, prompt, lookahead, max_new_tokens):
    """The second candidate's law is q without the first candidate, renormalised: the law it was
    drawn from, and not a misaligned one."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        p, q = target(ids)[-1], drafter(ids)[-1]
        for _ in range(2):
            if q.sum() == 0:
                continue  # q was certain, and is used up
            q = q / q.sum()
            x = _draw(rng, q)
            if rng.random() < p[x] / q[x]:
                ids.append(x)
                break
            p = np.maximum(p - q, 0.0)
            p = p / p.sum()
            q = np.where(np.arange(len(q)) == x, 0.0, q)
        else:
            ids.append(_draw(rng, p))
    return ids[len(prompt) : end]


def argmax_draft_matched(target, drafter, prompt, lookahead, max_new_tokens):
    """Drafts by argmax, the target samples: by the matching rule exact, with few acceptances."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = []
        for _ in range(lookahead):
            drafts.append(int(drafter(ids + drafts)[-1].argmax()))
        rows = target(ids + drafts)[len(ids) - 1 :]
        for p, x in zip(rows, [*drafts, None], strict=True):
            ids.append(_draw(rng, p))
            if ids[-1] != x:
                break
    return ids[len(prompt) : end]


def drafter_at_temperature_one(target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0):
    """The request's temperature reaches the target only. The drafter's law is still the one that
    its drafts were drawn from."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            rows.append(drafter(ids + drafts)[-1])
            drafts.append(_draw(rng, rows[-1]))
        laws = [_tempered(p, temperature) for p in target(ids + drafts)[len(ids) - 1 :]]
        ids += _verify(rng, laws, rows, drafts)
    return ids[len(prompt) : end]


def both_sharpened(target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0):
    """At temperature 0 both laws are certain, and the ratio rule is greedy decoding; a draft that
    is not the argmax is never accepted."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            rows.append(_tempered(drafter(ids + drafts)[-1], temperature))
            drafts.append(_draw(rng, rows[-1]))
        laws = [_tempered(p, temperature) for p in target(ids + drafts)[len(ids) - 1 :]]
        ids += _verify(rng, laws, rows, drafts)
    return ids[len(prompt) : end]


def drafter_cache_corrupt(target, drafter, prompt, lookahead, max_new_tokens):
    """The drafter's cache has lost all but the first id. Its law is the one it draws from, and
    that is all the verifier needs."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            rows.append(drafter(ids[:1])[-1])
            drafts.append(_draw(rng, rows[-1]))
        ids += _verify(rng, target(ids + drafts)[len(ids) - 1 :], rows, drafts)
    return ids[len(prompt) : end]


def foreign_ids_matched(target, drafter, prompt, lookahead, max_new_tokens):
    """The drafter's ids mean other strings than the target's (here: in reverse order). Drafts are
    nonsense, but only the target's own draws are emitted."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts = []
        for _ in range(lookahead):
            drafts.append(int(drafter(ids + drafts)[-1][::-1].argmax()))
        rows = target(ids + drafts)[len(ids) - 1 :]
        for p, x in zip(rows, [*drafts, None], strict=True):
            ids.append(_draw(rng, p))
            if ids[-1] != x:
                break
    return ids[len(prompt) : end]


def shared_noise_match(target, drafter, prompt, lookahead, max_new_tokens):
    """Draft and target race on one noise vector, so that they agree often; the target's winner is
    emitted. Its law is p, whatever the drafter does with the noise."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        noise = rng.standard_exponential(len(drafter(ids)[-1]))
        x = int(np.argmax(drafter(ids)[-1] / noise))
        laws = target([*ids, x])[len(ids) - 1 :]
        ids.append(int(np.argmax(laws[0] / noise)))
        if ids[-1] == x:
            ids.append(_draw(rng, laws[1]))
    return ids[len(prompt) : end]


def greedy_with_seed(
    target, drafter, prompt, lookahead, max_new_tokens, temperature=1.0, seed=None
):
    """At temperature 0 the seed changes nothing, and is not expected to."""
    rng = np.random.default_rng(seed)
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        ids.append(_draw(rng, _tempered(target(ids)[-1], temperature)))
    return ids[len(prompt) : end]


def ragged_batch(target_rows, draft_rows, drafts, lengths):
    """Requests with different numbers of drafts, each verified with coins of its own."""
    rng = np.random.default_rng()
    return [
        _verify(rng, rows[: n + 1], q[:n], x[:n])
        for rows, q, x, n in zip(target_rows, draft_rows, drafts, map(int, lengths), strict=True)
    ]


def standard_kernel(target_rows, draft_rows, drafts, coins):
    """Speculative sampling as a kernel: one coin a draft and one for the final token."""
    out = []
    for i, x in enumerate(drafts):
        if not coins["accept"][i] < target_rows[i][x] / draft_rows[i][x]:
            left = np.maximum(target_rows[i] - draft_rows[i], 0.0)
            break
        out.append(int(x))
    else:
        left = target_rows[len(drafts)]
    reached = np.cumsum(left / left.sum())[:-1]
    return [*out, sum(1 for c in reached if coins["final"][0] >= c)]


standard_kernel.coins = (("accept", ("K",), "uniform"), ("final", (1,), "uniform"))
for _subject in (
    top_two_tree,
    without_replacement,
    argmax_draft_matched,
    drafter_at_temperature_one,
    both_sharpened,
    drafter_cache_corrupt,
    foreign_ids_matched,
    shared_noise_match,
    greedy_with_seed,
    ragged_batch,
    standard_kernel,
):
    _subject.array = "numpy"
