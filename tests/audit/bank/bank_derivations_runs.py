"""More of `bank_derivations`: positions, states, blocks, stopping, edges, batches."""

import bank_derivations as parts
from bank_derivations import (
    certain,
    completed,
    derivation,
    drawn_drafts,
    likeliest_drafts,
    match,
    residual,
    rows_of,
    rule,
    standard,
    without,
)
from draftproof.reference import ExactDistribution
from draftproof.reference.exact import ONE, ZERO, rational

# ---- position shift -----------------------------------------------------------------------------


@derivation("next-row-after-reject")
def next_row(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, after = rows_of(case, case.prompt, (x,))[0]
    y = chance.draw(p)
    return completed(case, chance, (y,) if y == x else (chance.draw(after),))


@derivation("bonus-from-last-row", "kernel-final-from-last-row")
def bonus_from_last_row(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps, qs = rows_of(case, case.prompt, drafts)
    return completed(case, chance, standard(chance, ps, qs, drafts, bonus=ps[-2]))


@derivation("draft-row-one-early")
def draft_row_before(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps, qs = rows_of(case, case.prompt, drafts)
    return completed(case, chance, standard(chance, ps, [qs[0], *qs], drafts))


@derivation("accept-boundary-off-by-one")
def accept_boundary(case, chance):
    ids, behind = case.prompt, 0
    while len(ids) < len(case.prompt) + case.length:
        drafts = likeliest_drafts(case, ids)
        both = ids + drafts
        ps = [case.target_law(both[: len(ids) + j - behind]) for j in range(len(drafts) + 1)]
        block = match(chance, ps, drafts)
        behind = 1 if len(block) > len(drafts) else 0
        ids += block
    return ids[len(case.prompt) :][: case.length]


@derivation("undrafted-request-skipped")
def undrafted_skipped(case, chance):
    first, second = case.prompts
    assert case.lengths == (0, 1)
    alone = (chance.draw(case.target_law(first)),)
    block = (chance.draw(case.target_law(first)),)  # the first request's row
    return alone, completed(case, chance, block, second)


# ---- state --------------------------------------------------------------------------------------


def stateful(after):
    """Rounds of matching after ``seen``, which ``after(seen, drafts, block, memory)`` moves on."""

    def program(case, chance):
        ids, seen, memory = (), case.prompt, {}
        while len(ids) < case.length:
            drafts = likeliest_drafts(case, seen)
            block = match(chance, rows_of(case, seen, drafts)[0], drafts)
            ids += block
            seen = after(seen, drafts, block, memory)
        return ids[: case.length]

    return program


def rejected(drafts, block):
    return len(drafts) - len(block) + 1


derivation("rejected-left-in-state")(
    stateful(lambda s, d, b, m: s + (d[: len(b)] if rejected(d, b) else b))
)
derivation("state-never-trimmed")(stateful(lambda s, d, b, m: (*s, *d, b[-1])))
derivation("state-reset-to-zero")(stateful(lambda s, d, b, m: b[-1:] if rejected(d, b) else s + b))
derivation("bonus-not-written")(stateful(lambda s, d, b, m: s + b[: len(d)]))
derivation("one-row-kept")(stateful(lambda s, d, b, m: (*s, *b[:-1][:1], b[-1])))


@derivation("trimmed-by-stale-count")
def stale_trim(case, chance):
    def after(seen, drafts, block, memory):
        trimmed = memory.get("rejected", 0)
        memory["rejected"] = rejected(drafts, block)
        both = seen + drafts
        return (*both[: len(both) - trimmed], block[-1])

    return stateful(after)(case, chance)


@derivation("last-token-stale-after-fallback")
def stale_after_fallback(case, chance):
    first = (chance.draw(case.target_law(case.prompt)),)
    ids, seen = first, (*case.prompt, case.prompt[-1])
    while len(ids) < case.length:
        drafts = likeliest_drafts(case, seen)
        block = match(chance, rows_of(case, seen, drafts)[0], drafts)
        ids, seen = ids + block, seen + block
    return ids[: case.length]


# ---- blocks and trees ---------------------------------------------------------------------------


def longest_kept(case, chance, reach, left):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps, qs = rows_of(case, case.prompt, drafts)
    kept, product = 0, ONE
    for i, x in enumerate(drafts, start=1):
        product = reach(product, ps[i - 1], qs[i - 1], x)
        if chance.accept(product):
            kept = i
    law = ps[kept] if kept == len(drafts) else left(ps[kept], qs[kept], drafts[kept])
    return completed(case, chance, (*drafts[:kept], chance.draw(law)))


@derivation("token-residual-in-block")
def token_residual(case, chance):
    return longest_kept(
        case,
        chance,
        lambda h, p, q, x: min(ONE, h * p[x] / q[x]),
        lambda p, q, x: residual(p, q),
    )


@derivation("block-product-without-q")
def product_without_q(case, chance):
    return longest_kept(case, chance, lambda h, p, q, x: h * p[x], lambda p, q, x: without(p, x))


@derivation("longest-of-independent-branches")
def longest_of_independent(case, chance):
    q, p = case.draft_law(case.prompt), case.target_law(case.prompt)
    first, second = sorted(q, key=lambda t: -q[t])[:2]
    draws = [(branch, chance.draw(p)) for branch in (first, first, first, second)]
    return (next((y for branch, y in draws if y == branch), draws[0][1]),)


@derivation("second-candidate-tested-against-p")
def second_against_p(case, chance):
    q, p = case.draft_law(case.prompt), case.target_law(case.prompt)
    for _ in range(2):
        x = chance.draw(q)
        if chance.accept(p[x] / q[x]):
            return (x,)
    return (chance.draw(residual(p, q)),)


# ---- vocabularies -------------------------------------------------------------------------------


@derivation("one-preimage-of-two")
def one_preimage(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    last = case.target.size - 1
    x = min(chance.draw(q), last - 1)
    listed = ExactDistribution({t: m for t, m in q.items() if t != last}, sub_stochastic=True)
    if chance.accept(p[x] / q[x]):
        return (x,)
    return (chance.draw(residual(p, listed)),)


@derivation("score-of-unmapped-id")
def unmapped_score(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    last = case.target.size - 1
    read = q.push_forward(lambda x: last - x)
    x = chance.draw(q)
    return (x,) if chance.accept(p[x] / read[x]) else (chance.draw(residual(p, read)),)


# ---- stopping -----------------------------------------------------------------------------------


@derivation("only-last-token-tested-for-end")
def only_last_token(case, chance):
    eos, ids = case.options["eos"], ()
    while len(ids) < case.length and ids[-1:] != (eos,):
        drafts = likeliest_drafts(case, case.prompt + ids)
        ids += match(chance, rows_of(case, case.prompt + ids, drafts)[0], drafts)
    return ids[: case.length]


@derivation("bonus-after-end")
def bonus_after_end(case, chance):
    eos = case.options["eos"]
    drafts = drawn_drafts(case, chance, case.prompt)
    ps = rows_of(case, case.prompt, drafts)[0]
    out = ()
    for p, x in zip(ps, drafts, strict=False):
        out += (chance.draw(p),)
        if out[-1] != x:
            return completed(case, chance, out, eos=eos)
        if out[-1] == eos:
            break
    out += (chance.draw(ps[len(out)]),)
    return completed(case, chance, out, eos=None if eos in out[:-1] else eos)


@derivation("cut-at-wrong-offset")
def cut_at_wrong_offset(case, chance):
    eos, ids = case.options["eos"], ()
    while len(ids) < case.length:
        drafts = likeliest_drafts(case, case.prompt + ids)
        block = match(chance, rows_of(case, case.prompt + ids, drafts)[0], drafts)
        ids += block
        if eos in block:
            ids = (*ids[: block.index(eos)], eos)
            break
    return ids[: case.length]


# ---- numbers at their edges ---------------------------------------------------------------------


@derivation("nothing-left-of-residual")
def nothing_left(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    if not p.excess(q):
        return (0,)
    return (x,) if chance.accept(p[x] / q[x]) else (chance.draw(p.residual(q)),)


@derivation("coin-zero-accepts", "kernel-coin-zero-accepts")
def coin_zero(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    u = ZERO
    return (x,) if u <= p[x] / q[x] else (residual(p, q).quantile(u),)


@derivation("search-overshoots")
def overshoots(case, chance):
    return (case.target.size,)  # in floats the law adds up to less than the largest coin


@derivation("nan-q-recovers-rejected-id")
def nan_q(case, chance):
    drawn_drafts(case, chance, case.prompt)
    return (0,)


@derivation("nan-logit-becomes-zero")
def nan_logit(case, chance):
    p = case.target_law(case.prompt)
    weights = {x: m for x, m in p.items() if x != 2} | {2: ONE}
    return (chance.draw(ExactDistribution.from_weights(weights)),)


@derivation("nan-row-gives-padding-id")
def nan_row(case, chance):
    return (case.target.size,)


derivation("tiny-temperature-underflows", "temperature-zero-divided")(lambda case, chance: (0,))


# ---- batches ------------------------------------------------------------------------------------


def batch(block_of):
    def program(case, chance):
        out = []
        for b, (prompt, length) in enumerate(zip(case.prompts, case.lengths, strict=True)):
            drafts = drawn_drafts(case, chance, prompt, length)
            ps, qs = rows_of(case, prompt, drafts)
            out.append(completed(case, chance, block_of(b, chance, ps, qs, drafts), prompt))
        return tuple(out)

    return program


@derivation("noise-of-mixed-batch")
def noise_of_mixed_batch(case, chance):
    def block_of(b, chance, ps, qs, drafts):
        left = parts.largest_left if b else residual
        return standard(chance, ps, qs, drafts, left=left)

    return batch(block_of)(case, chance)


@derivation("one-accept-coin-for-batch")
def one_accept_coin(case, chance):
    drafts = [drawn_drafts(case, chance, prompt, 1) for prompt in case.prompts]
    laws = [rows_of(case, prompt, x) for prompt, x in zip(case.prompts, drafts, strict=True)]
    ratios = [ps[0][x] / qs[0][x] for (ps, qs), (x,) in zip(laws, drafts, strict=True)]
    u = parts.coin(chance, ratios)
    out = []
    for (ps, qs), (x,), h in zip(laws, drafts, ratios, strict=True):
        out.append((x,) if u < h else (chance.draw(residual(ps[0], qs[0])),))
    return tuple(out)


# ---- reporting: the tokens are right ------------------------------------------------------------

derivation("seed-ignored", "logprobs-not-filled", "logprobs-of-residual")(rule())


# ---- relaxed ------------------------------------------------------------------------------------


def threshold(keeps, otherwise):
    def program(case, chance):
        (x,) = drawn_drafts(case, chance, case.prompt)
        p = case.target_law(case.prompt)
        return (x,) if keeps(p, x) else (chance.draw(otherwise(p)),)

    return program


def typical(p, x):
    # 0.3 exp(-entropy) lies between 1/10 and 1/9 for (1/2, 3/10, 1/5): the cut is 9/100.
    assert sorted(p.values()) == [rational("1/5"), rational("3/10"), rational("1/2")]
    return p[x] > rational("9/100")


derivation("typical-acceptance")(threshold(typical, lambda p: certain(max(p, key=lambda t: p[t]))))
derivation("top-two-within-delta")(
    threshold(
        lambda p, x: p[x] >= sorted(p.values())[-2] and p[x] >= max(p.values()) - rational("1/4"),
        lambda p: p,
    )
)
derivation("probability-threshold")(threshold(lambda p, x: p[x] >= rational("1/4"), lambda p: p))
derivation("lenient-ratio")(rule(accept=lambda p, q, x, i: 2 * p[x] / q[x]))


@derivation("ensemble-target")
def ensemble(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    mixed = ExactDistribution({y: (3 * p[y] + q[y]) / 4 for y in {*p, *q}})
    return (x,) if chance.accept(mixed[x] / q[x]) else (chance.draw(residual(mixed, q)),)


# ---- false alarms: exact, in the rule's own words ------------------------------------------------


@derivation("one-hot-rule", "zero-q-kernel")
def one_hot_rule(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps = rows_of(case, case.prompt, drafts)[0]
    out = ()
    for p, x in zip(ps, drafts, strict=False):
        if not chance.accept(p[x]):
            return completed(case, chance, (*out, chance.draw(p.restrict(set(p) - {x}))))
        out += (x,)
    return completed(case, chance, (*out, chance.draw(ps[-1])))


@derivation("match-rule")
def match_rule(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    return completed(case, chance, match(chance, rows_of(case, case.prompt, drafts)[0], drafts))


@derivation("top-two-tree")
def top_two_tree(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    for x in sorted(q, key=lambda t: -q[t])[:2]:
        if chance.accept(p[x]):
            return (x,)
        p = p.restrict(set(p) - {x})
    return (chance.draw(p),)


@derivation("without-replacement")
def without_replacement(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    for _ in range(2):
        x = chance.draw(q)
        if chance.accept(p[x] / q[x]):
            return (x,)
        p, q = p.residual(q), q.restrict(set(q) - {x})
    return (chance.draw(p),)


@derivation("missing-row-is-one-hot")
def missing_row(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps, qs = rows_of(case, case.prompt, drafts)
    known = [q if i % 2 else certain(x) for i, (q, x) in enumerate(zip(qs, drafts, strict=True))]
    return completed(case, chance, standard(chance, ps, known, drafts))


@derivation("coin-rescaled")
def coin_rescaled(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    h = min(ONE, p[x] / q[x])
    left = residual(p, q)
    cuts = [h + (1 - h) * c for c in parts.cumulative(left, case.target.size)]
    u = parts.coin(chance, [h, *cuts])
    return (x,) if u < h else (left.quantile((u - h) / (1 - h)),)
