"""What is emitted after a rejection does not follow max(0, p - q)."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _accepts(p, q, x):
    return np.random.rand() < min(1.0, p[x] / q[x])


def _draw(law):
    return int(np.random.choice(len(law), p=law / law.sum()))


def resample_from_p(target_rows, draft_rows, drafts, *, correct=False):
    """After a rejection a fresh token is drawn from p itself."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if _accepts(p, q, x):
            out.append(int(x))
            continue
        left = np.maximum(p - q, 0.0) if correct else p  # WRONG: q has had its share already
        return [*out, _draw(left)]
    return [*out, _draw(target_rows[len(drafts)])]


def zeroed_draft(target_rows, draft_rows, drafts, *, correct=False):
    """Acceptance uses q, but the residual is p without the drafted id, as for a certain draft."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if _accepts(p, q, x):
            out.append(int(x))
            continue
        left = np.where(np.arange(len(p)) == x, 0.0, p)  # WRONG: the residual of a one-hot q
        if correct:
            left = np.maximum(p - q, 0.0)
        return [*out, _draw(left)]
    return [*out, _draw(target_rows[len(drafts)])]


def noise_not_written(target_rows, draft_rows, drafts, *, correct=False):
    """The race noise is written into an indexed copy, and the buffer itself stays as it was."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if _accepts(p, q, x):
            out.append(int(x))
            continue
        noise = np.ones(len(p))
        if correct:
            noise = np.random.exponential(size=len(p))
        # WRONG: without noise the race has always the same winner
        return [*out, int(np.argmax(np.maximum(p - q, 0.0) / noise))]
    return [*out, _draw(target_rows[len(drafts)])]


def always_id_zero(target_rows, draft_rows, drafts, *, correct=False):
    """A maximum with its index, of which only the maximum is carried along: the index stays 0."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if _accepts(p, q, x):
            out.append(int(x))
            continue
        index = 0
        if correct:
            index = _draw(np.maximum(p - q, 0.0))
        return [*out, index]  # WRONG: the index of nothing
    return [*out, _draw(target_rows[len(drafts)])]


def garbage_subtracted(target_rows, draft_rows, drafts, *, correct=False):
    """A target-only rule: accept with p(x). The draft probabilities are thought unused, so their
    buffer is not cleared, but the residual subtracts it."""
    left_over = np.zeros(target_rows.shape[1])
    if not correct:
        left_over[1] = 0.3  # WRONG: what an earlier call left in the memory
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        if np.random.rand() < p[x]:
            out.append(int(x))
            continue
        left = np.maximum(p - left_over, 0.0)
        left[x] = 0.0
        return [*out, _draw(left if left.sum() > 0 else p)]
    return [*out, _draw(target_rows[len(drafts)])]


for _subject in (
    resample_from_p,
    zeroed_draft,
    noise_not_written,
    always_id_zero,
    garbage_subtracted,
):
    _subject.array = "numpy"
