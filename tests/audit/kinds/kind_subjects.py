"""Subjects for the tests of kinds: correct ones, and one for each classic fault, in NumPy."""

import numpy as np

rng = np.random.default_rng()


def numpy_rule(f):
    f.array = "numpy"
    return f


def ratio(p, q, x):
    return p[x] / q[x]


def residual(p, q):
    left = np.maximum(p - q, 0)
    return left / left.sum()


def pick(law):
    return int(rng.choice(len(law), p=law))


def inverse(law, coin):
    return int(min(np.searchsorted(np.cumsum(law), coin, side="right"), len(law) - 1))


def rule_with(accept=None, final=None, bonus=None):
    """The standard rule with parts exchanged; each gets (p rows, q rows, drafts, j)."""

    @numpy_rule
    def rule(target_rows, draft_rows, drafts):
        block = []
        for j, x in enumerate(drafts):
            p, q = target_rows, draft_rows
            chance = accept(p, q, drafts, j) if accept else ratio(p[j], q[j], x)
            if rng.random() < chance:
                block.append(int(x))
                continue
            law = final(p, q, drafts, j) if final else residual(p[j], q[j])
            return [*block, pick(law)]
        law = bonus(target_rows, len(drafts)) if bonus else target_rows[-1]
        return [*block, pick(law)]

    return rule


standard = rule_with()


def certain(token, law):
    return np.eye(len(law))[token]


def without(law, token):
    left = law.copy()
    left[token] = 0
    return left / left.sum()


T1 = rule_with(final=lambda p, q, x, j: p[j])
T2 = rule_with(accept=lambda p, q, x, j: 1.0)
T3 = rule_with(final=lambda p, q, x, j: without(p[j], x[j]))
T18 = rule_with(accept=lambda p, q, x, j: 1.0 if j == 0 else ratio(p[j], q[j], x[j]))
T19 = rule_with(final=lambda p, q, x, j: p[j + 1])
T20 = rule_with(bonus=lambda p, j: p[j - 1] if j else p[j])
T26 = rule_with(final=lambda p, q, x, j: certain(0, p[j]))
inflated = rule_with(accept=lambda p, q, x, j: 1.01 * ratio(p[j], q[j], x[j]))


def slightly(defect):
    """A rule that accepts too often, by about ``defect``."""
    return rule_with(accept=lambda p, q, x, j: ratio(p[j], q[j], x[j]) + defect)


@numpy_rule
def reused_coin(target_rows, draft_rows, drafts):
    """T7: the coin that rejected inverts the residual too."""
    block = []
    for j, x in enumerate(drafts):
        p, q = target_rows[j], draft_rows[j]
        coin = rng.random()
        if coin < ratio(p, q, x):
            block.append(int(x))
            continue
        return [*block, inverse(residual(p, q), coin)]
    return [*block, pick(target_rows[-1])]


@numpy_rule
def longest_prefix(target_rows, draft_rows, drafts):
    """T32: the longest prefix whose product of ratios passes, then the token's residual."""
    kept, product = 0, 1.0
    for j, x in enumerate(drafts):
        product *= ratio(target_rows[j], draft_rows[j], x)
        if rng.random() < product:
            kept = j + 1
    block = [int(x) for x in drafts[:kept]]
    if kept < len(drafts):
        return [*block, pick(residual(target_rows[kept], draft_rows[kept]))]
    return [*block, pick(target_rows[-1])]


@numpy_rule
def one_coin(target_rows, draft_rows, drafts):
    """T22: draws from p everywhere, all with one coin; goes on while the draft agrees."""
    coin = rng.random()
    block = []
    for j in range(len(drafts) + 1):
        total = 0.0
        token = len(target_rows[j]) - 1
        for i, v in enumerate(target_rows[j]):
            total += v
            if coin < total:
                token = i
                break
        block.append(token)
        if j < len(drafts) and token != drafts[j]:
            break
    return block


@numpy_rule
def match(target_rows, draft_rows, drafts):
    """FA2: emit y ~ p, go on while the draft agrees."""
    block = []
    for j in range(len(drafts) + 1):
        block.append(pick(target_rows[j]))
        if j < len(drafts) and block[-1] != drafts[j]:
            break
    return block


@numpy_rule
def typical(target_rows, draft_rows, drafts):
    """T12: typical acceptance."""
    block = []
    for p, x in zip(target_rows, drafts, strict=False):
        entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
        if p[x] <= min(0.09, 0.3 * np.exp(-entropy)):
            return [*block, int(p.argmax())]
        block.append(int(x))
    return [*block, pick(target_rows[-1])]


@numpy_rule
def settled(target_rows, draft_rows, drafts, eos=None, temperature=1.0, logits_processor=None):
    """The standard rule with an end of sequence, a temperature and a processor."""
    block = []

    def law(row):
        with np.errstate(divide="ignore"):
            logits = np.log(row)
        if logits_processor is not None:
            logits = logits_processor(block, logits)
        if temperature == 0:
            return certain(int(logits.argmax()), row)
        weights = np.exp((logits - logits.max()) / temperature)
        return weights / weights.sum()

    for j, x in enumerate(drafts):
        p, q = law(target_rows[j]), draft_rows[j]
        if not rng.random() < ratio(p, q, x):
            return [*block, pick(residual(p, q))]
        block.append(int(x))
        if eos is not None and x == eos:
            return block
    return [*block, pick(law(target_rows[-1]))]


@numpy_rule
def past_end(target_rows, draft_rows, drafts, eos=None):
    """T38: goes on after an accepted end of sequence."""
    return standard(target_rows, draft_rows, drafts)


@numpy_rule
def cold(target_rows, draft_rows, drafts, temperature=1.0):
    """T14: the temperature is dropped on verified rows, the bonus row has it."""
    rows = target_rows.copy()
    rows[-1] = (
        rows[-1] ** (1 / temperature) if temperature else certain(rows[-1].argmax(), rows[-1])
    )
    rows[-1] /= rows[-1].sum()
    return standard(rows, draft_rows, drafts)


@numpy_rule
def zero_accepted(target_rows, draft_rows, drafts):
    """T29: the comparison lets equality through, which a coin of exactly 0 shows."""
    block = []
    for j, x in enumerate(drafts):
        p, q = target_rows[j], draft_rows[j]
        if rng.random() <= ratio(p, q, x):
            block.append(int(x))
            continue
        return [*block, pick(residual(p, q))]
    return [*block, pick(target_rows[-1])]


@numpy_rule
def remembers(target_rows, draft_rows, drafts, seen=[]):  # noqa: B006 - that is the fault
    """Accepts everything once it has been called before."""
    seen.append(1)
    return (standard if len(seen) == 1 else T2)(target_rows, draft_rows, drafts)


@numpy_rule
def reporting(target_rows, draft_rows, drafts, return_logprobs=False):
    """Every id is right, every reported log-probability is 0."""
    block = standard(target_rows, draft_rows, drafts)
    return (block, [0.0] * len(block)) if return_logprobs else block


# ---- runs ----------------------------------------------------------------------------------------


def run_with(rule=standard, drafting=lambda q: q, context=lambda old, drafts, block: old + block):
    """A whole run; ``context`` says what the models are asked with in the next round."""

    @numpy_rule
    def generate(target, drafter, prompt, lookahead, max_new_tokens):
        new, read = [], list(prompt)
        while len(new) < max_new_tokens:
            drafts, laws = [], []
            for _ in range(lookahead):
                q = drafter(read + drafts)[-1]
                laws.append(q)
                drafts.append(pick(drafting(q)))
            rows = target(read + drafts)[len(read) - 1 :]
            block = rule(rows, laws, drafts)
            new += block
            read = context(read, drafts, block)
        return new[:max_new_tokens]

    return generate


run = run_with()
T4 = run_with(drafting=lambda q: certain(int(q.argmax()), q))
T21 = run_with(
    context=lambda old, drafts, block: old + (block if len(block) > len(drafts) else drafts)
)


# ---- batches -------------------------------------------------------------------------------------


@numpy_rule
def batch(target_rows, draft_rows, drafts, lengths):
    return [
        standard(target_rows[b][: n + 1], draft_rows[b][:n], drafts[b][:n])
        for b, n in enumerate(lengths)
    ]


@numpy_rule
def one_stream(target_rows, draft_rows, drafts, lengths):
    """T23: requests share a stream: draw n of every request is the same number."""
    stream = [rng.random() for _ in range(drafts.shape[1] + 1)]
    blocks = []
    for b, n in enumerate(lengths):
        block = []
        for j in range(n + 1):
            total = 0.0
            token = target_rows.shape[2] - 1
            for i, v in enumerate(target_rows[b][j]):
                total += v
                if stream[j] < total:
                    token = i
                    break
            block.append(token)
            if j < n and token != drafts[b][j]:
                break
        blocks.append(block)
    return blocks


@numpy_rule
def first_rows(target_rows, draft_rows, drafts, lengths):
    """Every request is verified with the rows of the first."""
    return [
        standard(target_rows[0][: n + 1], draft_rows[b][:n], drafts[b][:n])
        for b, n in enumerate(lengths)
    ]


# ---- kernels -------------------------------------------------------------------------------------


def kernel_with(coins, final):
    """A kernel of accept coins; ``final`` draws from a law with what is left of the coins."""

    def kernel(target_rows, draft_rows, drafts, coins):
        block = []
        for j, x in enumerate(drafts):
            p, q = target_rows[j], draft_rows[j]
            if coins["accept"][j] < ratio(p, q, x):
                block.append(int(x))
                continue
            return [*block, final(residual(p, q), coins, j)]
        return [*block, final(target_rows[-1], coins, len(drafts))]

    kernel.coins = coins
    return numpy_rule(kernel)


def gumbel_max(law, coins, j):
    with np.errstate(divide="ignore"):
        return int((np.log(law) + coins["noise"]).argmax())


kernel = kernel_with(
    [("accept", "K", "uniform"), ("final", (1,), "uniform")],
    lambda law, coins, j: inverse(law, coins["final"][0]),
)
gumbel_kernel = kernel_with([("accept", "K", "uniform"), ("noise", "V", "gumbel")], gumbel_max)
reused_kernel = kernel_with(
    [("accept", "K+1", "uniform")], lambda law, coins, j: inverse(law, coins["accept"][j])
)
strange_kernel = kernel_with(
    [("accept", "K", "uniform"), ("final", (2,), "uniform")],
    lambda law, coins, j: inverse(law, coins["final"][0] * coins["final"][1]),
)


@numpy_rule
def float32_kernel(target_rows, draft_rows, drafts, coins):
    narrow = {name: values.astype(np.float32) for name, values in coins.items()}
    return kernel(target_rows.astype(np.float32), draft_rows.astype(np.float32), drafts, narrow)


float32_kernel.coins = kernel.coins


@numpy_rule
def shared_noise_kernel(target_rows, draft_rows, drafts, coins):
    """Match rule with one noise vector for every position."""
    block = []
    for j in range(len(drafts) + 1):
        with np.errstate(divide="ignore"):
            block.append(int((coins["noise"] / target_rows[j]).argmin()))
        if j < len(drafts) and block[-1] != drafts[j]:
            break
    return block


shared_noise_kernel.coins = [("noise", "V", "exponential")]
