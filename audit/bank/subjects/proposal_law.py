"""The q that scores a draft is not the q that drew it."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _verify(rng, target_rows, draft_rows, drafts):
    """One correct round over proposals whose laws are ``draft_rows``."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if q[x] > 0 and rng.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        left = left / left.sum() if left.sum() > 0 else p
        return [*out, int(rng.choice(len(p), p=left))]
    bonus = target_rows[len(drafts)]
    return [*out, int(rng.choice(len(bonus), p=bonus))]


def argmax_draft(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Drafts are the most likely id of q, but ratio and residual use q as if drawn from it."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            q = drafter(ids + drafts)[-1]
            drafts.append(int(q.argmax()))
            one_hot = np.eye(len(q))[drafts[-1]]
            rows.append(one_hot if correct else q)  # WRONG: nothing was drawn from q
        ids += _verify(rng, target(ids + drafts)[len(ids) - 1 :], rows, drafts)
    return ids[len(prompt) : end]


def top_two_draft(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """Drafts are drawn from the two likeliest ids of q, but scored with the q before that cut."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            q = drafter(ids + drafts)[-1]
            kept = np.where(q >= np.sort(q)[-2], q, 0.0)
            kept = kept / kept.sum()
            drafts.append(int(rng.choice(len(q), p=kept)))
            rows.append(kept if correct else q)  # WRONG: the unprocessed q is handed on
        ids += _verify(rng, target(ids + drafts)[len(ids) - 1 :], rows, drafts)
    return ids[len(prompt) : end]


def sharpened_draft(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The drafter samples at a temperature of 1/2; the verifier gets its law at temperature 1."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        drafts, rows = [], []
        for _ in range(lookahead):
            q = drafter(ids + drafts)[-1]
            sharp = q**2 / (q**2).sum()
            drafts.append(int(rng.choice(len(q), p=sharp)))
            rows.append(sharp if correct else q)  # WRONG: the temperature is not in it
        ids += _verify(rng, target(ids + drafts)[len(ids) - 1 :], rows, drafts)
    return ids[len(prompt) : end]


def beam_draft(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """The draft is the likeliest sequence, found by beam search, but scored as if it were drawn."""
    rng = np.random.default_rng()
    ids, end = list(prompt), len(prompt) + max_new_tokens
    while len(ids) < end:
        beams = [(1.0, [], [])]
        for _ in range(lookahead):
            wider = []
            for mass, path, rows in beams:
                q = drafter(ids + path)[-1]
                wider += [(mass * q[x], [*path, x], [*rows, q]) for x in range(len(q))]
            beams = sorted(wider, key=lambda beam: -beam[0])
        _, drafts, rows = beams[0]
        if correct:
            rows = [np.eye(len(q))[x] for q, x in zip(rows, drafts, strict=True)]
        # WRONG: a searched draft has probability one, not q
        ids += _verify(rng, target(ids + drafts)[len(ids) - 1 :], rows, drafts)
    return ids[len(prompt) : end]


def unwritten_q(target_rows, draft_rows, drafts, *, correct=False):
    """The verifier reads a buffer of draft probabilities that nothing writes: all zeros."""
    rng = np.random.default_rng()
    buffer = draft_rows if correct else np.zeros_like(draft_rows)  # WRONG: never filled
    out = []
    for p, q, x in zip(target_rows, buffer, drafts, strict=False):
        ratio = p[x] / q[x] if q[x] > 0 else np.inf
        if rng.random() < min(1.0, ratio):
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0)
        return [*out, int(rng.choice(len(p), p=left / left.sum()))]
    bonus = target_rows[len(drafts)]
    return [*out, int(rng.choice(len(bonus), p=bonus))]


for _subject in (
    argmax_draft,
    top_two_draft,
    sharpened_draft,
    beam_draft,
    unwritten_q,
):
    _subject.array = "numpy"
