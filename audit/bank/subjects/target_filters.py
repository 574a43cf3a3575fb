"""The verifier's p is not plain decoding's: filters of the vocabulary, and what softmax is fed."""
# pyright: reportFunctionMemberAccess=false

import random

import numpy as np


def _draw(law):
    return random.choices(range(len(law)), weights=[float(x) for x in law])[0]


def _min_p(row, min_p):
    kept = np.where(row >= min_p * row.max(), row, 0.0)
    return kept / kept.sum()


def _top_k(row, top_k):
    kept = np.where(row >= np.sort(row)[-min(top_k, len(row))], row, 0.0)
    return kept / kept.sum()


def _nucleus(row, top_p):
    """The ids of the fewest likeliest ones that hold ``top_p`` of the mass."""
    order = np.argsort(-row, kind="stable")
    before = np.cumsum(row[order]) - row[order]
    return order[before < top_p]


def _match(target, drafter, ids, lookahead, processed):
    """One exact round: draws from ``processed(row, j)``, as far as they are the drafts."""
    drafts, block = [], []
    for _ in range(lookahead):
        drafts.append(int(drafter(ids + drafts)[-1].argmax()))
    rows = target(ids + drafts)[len(ids) - 1 :]
    for j, x in enumerate([*drafts, None]):
        block.append(_draw(processed(rows[j], j)))
        if block[-1] != x:
            break
    return block


def min_p_on_bonus(target, drafter, prompt, lookahead, max_new_tokens, min_p=0.0, *, correct=False):
    """The verifier runs only the processors that can change the argmax, and min-p cannot."""
    ids, end = list(prompt), len(prompt) + max_new_tokens

    def processed(row, j):
        if correct or j == lookahead:  # WRONG: sampling needs all of them
            return _min_p(row, min_p)
        return row

    while len(ids) < end:
        ids += _match(target, drafter, ids, lookahead, processed)
    return ids[len(prompt) : end]


def top_p_before_top_k(
    target,
    drafter,
    prompt,
    lookahead,
    max_new_tokens,
    temperature=1.0,
    top_k=50,
    top_p=1.0,
    *,
    correct=False,
):
    """Top-p is cut on the law before top-k, plain decoding cuts it on the law after."""
    ids, end = list(prompt), len(prompt) + max_new_tokens

    def processed(row, j):
        row = (row / row.max()) ** (1.0 / temperature) if temperature else row == row.max()
        row = row / row.sum()
        first = _top_k(row, top_k)
        nucleus = _nucleus(first if correct else row, top_p)  # WRONG: of the other law
        kept = np.where(np.isin(np.arange(len(row)), nucleus), first, 0.0)
        return kept / kept.sum()

    while len(ids) < end:
        ids += _match(target, drafter, ids, lookahead, processed)
    return ids[len(prompt) : end]


def top_k_ignored(target, drafter, prompt, lookahead, max_new_tokens, top_k=50, *, correct=False):
    """Unprocessed logits reach the rejection sampler: filters are lost on the target's side."""
    ids, end = list(prompt), len(prompt) + max_new_tokens

    def processed(row, j):
        return _top_k(row, top_k) if correct else row  # WRONG: top_k is not looked at

    while len(ids) < end:
        ids += _match(target, drafter, ids, lookahead, processed)
    return ids[len(prompt) : end]


def probabilities_as_logits(target_rows, draft_rows, drafts, *, correct=False):
    """The verifier takes logits, its caller still hands it probabilities: softmax twice."""
    weights = np.exp(target_rows)  # WRONG: these were no logits
    rows = target_rows if correct else weights / weights.sum(axis=1, keepdims=True)
    out = []
    for p, q, x in zip(rows, draft_rows, drafts, strict=False):
        if random.random() < p[x] / q[x]:
            out.append(int(x))
            continue
        return [*out, _draw(np.maximum(p - q, 0.0))]
    return [*out, _draw(rows[len(drafts)])]


for _subject in (min_p_on_bonus, top_p_before_top_k, top_k_ignored, probabilities_as_logits):
    _subject.array = "numpy"
