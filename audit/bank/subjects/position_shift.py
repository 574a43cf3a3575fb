"""A row, a position or a request is taken for its neighbour."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _draw(rng, law):
    return int(rng.choice(len(law), p=law))


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def next_row_after_reject(target_rows, draft_rows, drafts, *, correct=False):
    """Every row is sampled; where the sample is not the draft, the next row's sample is emitted."""
    rng = np.random.default_rng()
    samples = [_draw(rng, row) for row in target_rows]
    matched = 0
    while matched < len(drafts) and samples[matched] == drafts[matched]:
        matched += 1
    out = samples[: matched + 1]
    if matched < len(drafts) and not correct:
        out[-1] = samples[matched + 1]  # WRONG: that row was computed after the rejected draft
    return out


def bonus_from_last_row(target_rows, draft_rows, drafts, *, correct=False):
    """With everything accepted, the bonus token is drawn from the row of the last draft."""
    rng = np.random.default_rng()
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if not rng.random() < p[x] / q[x]:
            return [*out, _draw(rng, _residual(p, q))]
        out.append(int(x))
    row = len(drafts) if correct else max(0, len(drafts) - 1)  # WRONG: one row too early
    return [*out, _draw(rng, target_rows[row])]


def draft_row_before(target_rows, draft_rows, drafts, *, correct=False):
    """From the second draft on, q is read one row too early."""
    rng = np.random.default_rng()
    out = []
    for i, x in enumerate(drafts):
        p = target_rows[i]
        q = draft_rows[i if correct else max(0, i - 1)]  # WRONG: x was drawn from row i
        if not rng.random() * q[x] < p[x]:
            return [*out, _draw(rng, _residual(p, q))]
        out.append(int(x))
    return [*out, _draw(rng, target_rows[len(drafts)])]


def accept_boundary(target, drafter, prompt, lookahead, max_new_tokens, *, correct=False):
    """After a fully accepted block the next one is read from one row too early."""
    rng = np.random.default_rng()
    ids, end, behind = list(prompt), len(prompt) + max_new_tokens, 0
    while len(ids) < end:
        drafts = []
        for _ in range(lookahead):
            drafts.append(int(drafter(ids + drafts)[-1].argmax()))
        rows = target(ids + drafts)[len(ids) - 1 - behind :]
        behind = 0
        for p, x in zip(rows, drafts, strict=False):
            ids.append(_draw(rng, p))
            if ids[-1] != x:
                break
        else:
            ids.append(_draw(rng, rows[len(drafts)]))
            behind = 0 if correct else 1  # WRONG: the bonus token is not counted as accepted
    return ids[len(prompt) : end]


def undrafted_skipped(target_rows, draft_rows, drafts, lengths, *, correct=False):
    """Requests without drafts are left out of the verifier's batch, its rows are not renumbered."""
    rng = np.random.default_rng()
    out = [
        [_draw(rng, rows[0])] if n == 0 else []
        for rows, n in zip(target_rows, lengths, strict=True)
    ]
    drafted = [b for b, n in enumerate(lengths) if n > 0]
    for place, b in enumerate(drafted):
        rows = target_rows[b if correct else place]  # WRONG: place counts drafted requests only
        for i in range(int(lengths[b]) + 1):
            out[b].append(_draw(rng, rows[i]))
            if i == lengths[b] or out[b][-1] != drafts[b, i]:
                break
    return out


for _subject in (
    next_row_after_reject,
    bonus_from_last_row,
    draft_row_before,
    accept_boundary,
    undrafted_skipped,
):
    _subject.array = "numpy"
