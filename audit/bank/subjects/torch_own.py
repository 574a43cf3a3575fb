"""Faults whose mechanism is torch's own. torch is imported inside, so that the list needs none."""


def exponential_into_copy(target_rows, draft_rows, drafts, *, correct=False):
    """``noise[rows].exponential_()`` fills a copy: indexing with a tensor makes one."""
    import torch

    rows = torch.arange(len(target_rows))
    noise = torch.ones_like(target_rows)
    if correct:
        noise.exponential_()
    else:
        noise[rows].exponential_()  # WRONG: noise itself is still all ones
    coins = torch.rand(len(drafts), dtype=target_rows.dtype)
    out = []
    for i, x in enumerate(drafts.tolist()):
        p, q = target_rows[i], draft_rows[i]
        if bool(coins[i] < p[x] / q[x]):
            out.append(x)
            continue
        left = (p - q).clamp(min=0)
        return [*out, int((left / noise[i]).argmax())]
    return [*out, int((target_rows[-1] / noise[-1]).argmax())]


def residual_in_place(target_rows, draft_rows, drafts, *, correct=False):
    """All residuals are taken at once, in place: the ratio then reads p - q where p is due."""
    import torch

    p = target_rows.clone() if correct else target_rows
    left = target_rows[:-1].sub_(draft_rows).clamp_(min=0)  # WRONG: p is overwritten by this
    out = []
    for i, x in enumerate(drafts.tolist()):
        if torch.rand(1, dtype=p.dtype) < p[i, x] / draft_rows[i, x]:
            out.append(x)
            continue
        weights = left[i] if left[i].sum() > 0 else p[i] + draft_rows[i]
        return [*out, int(torch.multinomial(weights, 1))]
    return [*out, int(torch.multinomial(p[-1], 1))]
