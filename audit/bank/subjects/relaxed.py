"""Rules that trade exactness for speed on purpose. Lossy, and honest where they say so."""
# pyright: reportFunctionMemberAccess=false

import random

import numpy as np


def _draw(law):
    return random.choices(range(len(law)), weights=list(law))[0]


def typical_acceptance(target_rows, draft_rows, drafts):
    """Accepts what p finds typical: above min(0.09, 0.3 exp(-entropy)); else p's likeliest id."""
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        entropy = -float(np.sum(p[p > 0] * np.log(p[p > 0])))
        if not p[x] > min(0.09, 0.3 * np.exp(-entropy)):
            return [*out, int(p.argmax())]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


def top_two_within_delta(target_rows, draft_rows, drafts):
    """Accepts any draft among the target's two likeliest ids and within 1/4 of the likeliest."""
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        if not (p[x] >= np.sort(p)[-2] and p[x] >= p.max() - 0.25):
            return [*out, _draw(p)]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


def probability_threshold(target_rows, draft_rows, drafts):
    """Accepts a draft whose target probability is 1/4 or more, without a coin."""
    out = []
    for p, x in zip(target_rows, drafts, strict=False):
        if not p[x] >= 0.25:
            return [*out, _draw(p)]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


def lenient_ratio(target_rows, draft_rows, drafts):
    """Leniency 2: accepts with probability min(1, 2 p/q), then the usual residual."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        if not random.random() < 2.0 * p[x] / q[x]:
            left = np.maximum(p - q, 0.0)
            return [*out, _draw(left / left.sum() if left.sum() > 0 else p)]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


def ensemble(target_rows, draft_rows, drafts):
    """Verifies against 3/4 p + 1/4 q, a mixture said to be better than either."""
    out = []
    for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
        mixed = 0.75 * p + 0.25 * q
        if not random.random() < mixed[x] / q[x]:
            left = np.maximum(mixed - q, 0.0)
            return [*out, _draw(left / left.sum() if left.sum() > 0 else mixed)]
        out.append(int(x))
    return [*out, _draw(target_rows[len(drafts)])]


for _subject in (
    typical_acceptance,
    top_two_within_delta,
    probability_threshold,
    lenient_ratio,
    ensemble,
):
    _subject.array = "numpy"
