"""Kernels: deterministic given their coins, which the caller draws; faults of several classes."""
# pyright: reportFunctionMemberAccess=false

import numpy as np

#: One coin a draft, one for the final token.
COINS = (("accept", ("K",), "uniform"), ("final", (1,), "uniform"))


def _inverse(law, u):
    for x, reached in enumerate(np.cumsum(law)[:-1]):
        if u < reached:
            return x
    return len(law) - 1


def _residual(p, q):
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else p


def same_offset(target_rows, draft_rows, drafts, coins, *, correct=False):
    """Accept test and residual draw read the generator at the same offset."""
    out = []
    for i, x in enumerate(drafts):
        p, q = target_rows[i], draft_rows[i]
        if coins["accept"][i] < p[x] / q[x]:
            out.append(int(x))
            continue
        u = coins["final"][0] if correct else coins["accept"][i]  # WRONG: known to be >= p/q
        return [*out, _inverse(_residual(p, q), u)]
    return [*out, _inverse(target_rows[len(drafts)], coins["final"][0])]


def at_most_threshold(target_rows, draft_rows, drafts, coins, *, correct=False):
    """``coin <= p / q``: a coin of exactly 0 accepts a draft that the target excludes."""
    out = []
    for i, x in enumerate(drafts):
        p, q = target_rows[i], draft_rows[i]
        u = coins["accept"][i]
        if (u < p[x] / q[x]) if correct else (u <= p[x] / q[x]):  # WRONG: 0 <= 0
            out.append(int(x))
            continue
        return [*out, _inverse(_residual(p, q), coins["final"][0])]
    return [*out, _inverse(target_rows[len(drafts)], coins["final"][0])]


def final_from_last_row(target_rows, draft_rows, drafts, coins, *, correct=False):
    """With everything accepted, the final token is drawn from the last draft's row."""
    out = []
    for i, x in enumerate(drafts):
        p, q = target_rows[i], draft_rows[i]
        if not coins["accept"][i] < p[x] / q[x]:
            return [*out, _inverse(_residual(p, q), coins["final"][0])]
        out.append(int(x))
    row = target_rows[len(drafts) if correct else max(0, len(drafts) - 1)]  # WRONG: a row early
    return [*out, _inverse(row, coins["final"][0])]


def residual_is_p(target_rows, draft_rows, drafts, coins, *, correct=False):
    """A race on exponential noise picks the token after a rejection, with weights p, not p - q."""
    out = []
    for i, x in enumerate(drafts):
        p, q = target_rows[i], draft_rows[i]
        if coins["accept"][i] < p[x] / q[x]:
            out.append(int(x))
            continue
        weights = _residual(p, q) if correct else p  # WRONG: q's share is drawn twice
        return [*out, int(np.argmax(weights / coins["noise"]))]
    return [*out, int(np.argmax(target_rows[len(drafts)] / coins["noise"]))]


for _subject in (same_offset, at_most_threshold, final_from_last_row):
    _subject.array = "numpy"
    _subject.coins = COINS
residual_is_p.array = "numpy"
residual_is_p.coins = (("accept", ("K",), "uniform"), ("noise", ("V",), "exponential"))
