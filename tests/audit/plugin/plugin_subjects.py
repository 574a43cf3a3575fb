"""Small subjects for the tests of the pytest plugin; the pytest runs under test import them too."""

import numpy as np

rng = np.random.default_rng()


def pick(law):
    return int(rng.choice(len(law), p=law))


def residual(p, q):
    left = np.maximum(p - q, 0)
    return left / left.sum()


def rule_with(final):
    def rule(target_rows, draft_rows, drafts):
        block = []
        for p, q, x in zip(target_rows, draft_rows, drafts, strict=False):
            if not rng.random() < p[x] / q[x]:
                return [*block, pick(final(p, q))]
            block.append(int(x))
        return [*block, pick(target_rows[-1])]

    rule.array = "numpy"
    return rule


right = rule_with(residual)
wrong = rule_with(lambda p, q: p)
relaxed = rule_with(lambda p, q: p)
relaxed.relaxed = "resampling from p"


def shaky(target_rows, draft_rows, drafts):
    if rng.random() < 0.25:
        raise RuntimeError("no luck")
    return right(target_rows, draft_rows, drafts)


def broken(target_rows, draft_rows, drafts):
    raise RuntimeError("always")


def run_with(rule):
    def generate(target, drafter, prompt, lookahead, max_new_tokens):
        new = []
        while len(new) < max_new_tokens:
            ids, drafts, laws = [*prompt, *new], [], []
            for _ in range(lookahead):
                laws.append(drafter(ids + drafts)[-1])
                drafts.append(pick(laws[-1]))
            new += rule(target(ids + drafts)[len(ids) - 1 :], laws, drafts)
        return new[:max_new_tokens]

    return generate


def batch_with(rule):
    def batch(target_rows, draft_rows, drafts, lengths):
        return [
            rule(target_rows[b][: n + 1], draft_rows[b][:n], drafts[b][:n])
            for b, n in enumerate(lengths)
        ]

    return batch


def kernel_with(final):
    def kernel(target_rows, draft_rows, drafts, coins):
        block = []
        law = target_rows[-1]
        for j, x in enumerate(drafts):
            p, q = target_rows[j], draft_rows[j]
            if coins["accept"][j] >= p[x] / q[x]:
                law = final(p, q)
                break
            block.append(int(x))
        steps = np.cumsum(law)
        return [*block, int(np.searchsorted(steps, coins["final"][0] * steps[-1], side="right"))]

    kernel.coins = [("accept", "K", "uniform"), ("final", (1,), "uniform")]
    return kernel


right_run, wrong_run = run_with(right), run_with(wrong)
right_batch, wrong_batch = batch_with(right), batch_with(wrong)
right_kernel, wrong_kernel = kernel_with(residual), kernel_with(lambda p, q: p)
for f in (
    shaky,
    broken,
    right_run,
    wrong_run,
    right_batch,
    wrong_batch,
    right_kernel,
    wrong_kernel,
):
    f.array = "numpy"
