"""The tokens are right, what is reported of them is not."""
# pyright: reportFunctionMemberAccess=false

import numpy as np


def _verify(rng, target_rows, draft_rows, drafts):
    """One correct round, and the law that each token was drawn from last."""
    out, laws = [], []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if rng.random() < p[x] / q[x]:
            out.append(int(x))
            laws.append(p)
            continue
        left = np.maximum(p - q, 0.0)
        laws.append(left / left.sum() if left.sum() > 0 else p)
        return [*out, int(rng.choice(len(p), p=laws[-1]))], laws
    laws.append(target_rows[len(drafts)])
    return [*out, int(rng.choice(len(laws[-1]), p=laws[-1]))], laws


def logprobs_not_filled(target_rows, draft_rows, drafts, return_logprobs=False, *, correct=False):
    """Log-probabilities are never filled in on this path: every token reports p = 1."""
    ids, _ = _verify(np.random.default_rng(), target_rows, draft_rows, drafts)
    logprobs = [0.0] * len(ids)  # WRONG: log 1
    if correct:
        logprobs = [float(np.log(row[x])) for row, x in zip(target_rows, ids, strict=False)]
    return (ids, logprobs) if return_logprobs else ids


def logprobs_of_residual(target_rows, draft_rows, drafts, return_logprobs=False, *, correct=False):
    """Rows are turned into residuals in place, and log-probabilities are read off afterwards."""
    ids, laws = _verify(np.random.default_rng(), target_rows, draft_rows, drafts)
    rows = target_rows if correct else laws  # WRONG: the recovered token's row has been changed
    logprobs = [float(np.log(row[x])) for row, x in zip(rows, ids, strict=False)]
    return (ids, logprobs) if return_logprobs else ids


for _subject in (logprobs_not_filled, logprobs_of_residual):
    _subject.array = "numpy"
