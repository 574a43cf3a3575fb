"""The bank's wrong rules once more, as programs over chance in rationals; no subject is used here.

`DERIVED` maps ids of entries to programs (case, chance) -> ids. Shared coins are drawn as the
interval, of those between all thresholds that anybody compares them with, in which they fall;
shared race noise is integrated in closed form.
"""

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

from draftproof.reference import ExactDistribution, exact_law
from draftproof.reference.exact import ONE, ZERO, rational

DERIVED = {}
CLOSED = {}


def derivation(*names):
    def kept(program):
        for name in names:
            assert name not in DERIVED
            DERIVED[name] = program
        return program

    return kept


def closed(name):
    def kept(function):
        CLOSED[name] = function
        return function

    return kept


def derived_law(entry):
    """The law of ``entry`` on its case, from this file alone."""
    if entry.id in CLOSED:
        return CLOSED[entry.id](entry.case)
    return exact_law(lambda chance: DERIVED[entry.id](entry.case, chance))


# ---- parts --------------------------------------------------------------------------------------


def completed(case, chance, block, prompt=None, length=None, eos=None):
    """``block`` cut to the case's length, or completed by the target."""
    prompt = case.prompt if prompt is None else prompt
    length = case.length if length is None else length
    ids = tuple(block)
    while len(ids) < length and not (eos is not None and ids[-1:] == (eos,)):
        ids += (chance.draw(case.target_law(prompt + ids)),)
    return ids[:length]


def drawn_drafts(case, chance, ids, lookahead=None, law=lambda q: q):
    drafts = ()
    for _ in range(case.lookahead if lookahead is None else lookahead):
        drafts += (chance.draw(law(case.draft_law(ids + drafts))),)
    return drafts


def likeliest_drafts(case, ids):
    drafts = ()
    for _ in range(case.lookahead):
        q = case.draft_law(ids + drafts)
        drafts += (max(q, key=lambda t: q[t]),)
    return drafts


def residual(p, q):
    """p where nothing is left, as the subjects have it."""
    return p.residual(q) if p.excess(q) else p


def without(p, x):
    return p.restrict(set(p) - {x}) if set(p) != {x} else p


def certain(x):
    return ExactDistribution.certain(x)


def standard(chance, ps, qs, drafts, accept=None, left=residual, bonus=None):
    """One round over rows; ``accept(p, q, x, i)`` and ``left(p, q)`` may be wrong."""
    out = ()
    for i, x in enumerate(drafts):
        p, q = ps[i], qs[i]
        h = accept(p, q, x, i) if accept else (p[x] / q[x] if q[x] else ONE)
        if not chance.accept(h):
            return (*out, chance.draw(left(p, q)))
        out += (x,)
    return (*out, chance.draw(ps[len(drafts)] if bonus is None else bonus))


def rows_of(case, ids, drafts):
    ps = [case.target_law(ids + drafts[:j]) for j in range(len(drafts) + 1)]
    return ps, [case.draft_law(ids + drafts[:j]) for j in range(len(drafts))]


def rule(**parts):
    def program(case, chance):
        drafts = drawn_drafts(case, chance, case.prompt)
        ps, qs = rows_of(case, case.prompt, drafts)
        return completed(case, chance, standard(chance, ps, qs, drafts, **parts))

    return program


def match(chance, ps, drafts):
    out = ()
    for p, x in zip(ps, [*drafts, None], strict=True):
        out += (chance.draw(p),)
        if out[-1] != x:
            break
    return out


def coin(chance, thresholds):
    """A uniform number, as the middle of the interval between thresholds in which it falls."""
    edges = sorted({ZERO, ONE, *(rational(t) for t in thresholds if 0 < t < 1)})
    spans = list(itertools.pairwise(edges))
    return chance.draw(ExactDistribution({(a + b) / 2: b - a for a, b in spans}))


def cumulative(p, size):
    return [sum((p[x] for x in range(n + 1)), ZERO) for n in range(size)]


def two_races(a, b, size):
    """The joint law of the winners of two races, with rates a and b, on one exponential noise."""
    joint = {}
    for i in range(size):
        for j in range(size):
            if a[i] and b[j]:
                joint[i, j] = _both(a, b, i, j, size)
    return ExactDistribution(joint)


def _both(a, b, i, j, size):
    others = [k for k in range(size) if k not in (i, j)]
    if i == j:
        rest = (max(a[k] / a[i], b[k] / b[i]) for k in range(size) if k != i)
        return 1 / (1 + sum(rest, ZERO))
    # E_i = x, E_j = r x. Who wins says a_j/a_i <= r and r <= b_j/b_i (no bound where b_i is 0);
    # for k to lose both, E_k > x max(a_k/a_i, r b_k/b_j). Integrating over x leaves 1/(A + B r)^2.
    low, high = a[j] / a[i], (b[j] / b[i] if b[i] else None)
    cuts = [a[k] * b[j] / (a[i] * b[k]) for k in others if b[k]]
    inside = [c for c in cuts if c > low and (high is None or c < high)]
    points = [low, *sorted(set(inside)), high]
    total = ZERO
    for start, end in itertools.pairwise(points):
        if end is not None and end <= start:
            continue
        middle = start + 1 if end is None else (start + end) / 2
        big_a = big_b = ONE
        for k in others:
            if a[k] / a[i] >= middle * b[k] / b[j]:
                big_a += a[k] / a[i]
            else:
                big_b += b[k] / b[j]
        at_start = 1 / (big_b * (big_a + big_b * start))
        total += at_start - (0 if end is None else 1 / (big_b * (big_a + big_b * end)))
    return total


# ---- proposal law -------------------------------------------------------------------------------


@derivation("argmax-draft-softmax-q")
def argmax_draft(case, chance):
    q = case.draft_law(case.prompt)
    x = max(q, key=lambda t: q[t])
    ps = rows_of(case, case.prompt, (x,))[0]
    return completed(case, chance, standard(chance, ps, [q], (x,)))


def proposal(law):
    def program(case, chance):
        drafts = drawn_drafts(case, chance, case.prompt, law=law)
        ps, qs = rows_of(case, case.prompt, drafts)
        return completed(case, chance, standard(chance, ps, qs, drafts))

    return program


def top(q, k):
    return q.restrict(sorted(q, key=lambda t: -q[t])[:k])


def power(p, n):
    return ExactDistribution.from_weights({x: m**n for x, m in p.items()})


derivation("raw-q-after-top-k")(proposal(lambda q: top(q, 2)))
derivation("drafter-temperature-not-in-q")(proposal(lambda q: power(q, 2)))


@derivation("beam-search-scored-as-drawn")
def beam(case, chance):
    laws = {}
    for a in range(case.drafter.size):
        for b in range(case.drafter.size):
            first, second = case.draft_law(case.prompt), case.draft_law((*case.prompt, a))
            laws[a, b] = first[a] * second[b]
    drafts = max(laws, key=lambda path: laws[path])
    ps, qs = rows_of(case, case.prompt, drafts)
    return completed(case, chance, standard(chance, ps, qs, drafts))


def always(p, q, x, i):
    return ONE


derivation("q-never-written", "always-accept", "accept-coin-is-zero")(
    rule(accept=lambda p, q, x, i: ONE if p[x] else ZERO)
)


@derivation("garbage-q-subtracted")
def garbage(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p = case.target_law(case.prompt)
    if chance.accept(p[x]):
        return (x,)
    left = {y: max(ZERO, m - (rational("3/10") if y == 1 else 0)) for y, m in p.items() if y != x}
    return (chance.draw(ExactDistribution.from_weights(left)),)


# ---- target law ---------------------------------------------------------------------------------


def generated(processed, *, start=None):
    """Rounds of matching, over rows that ``processed(case, ids, drafts, j)`` gives."""

    def program(case, chance):
        ids = case.prompt
        if start is not None:
            ids += (chance.draw(start(case, ids)),)
        while len(ids) < len(case.prompt) + case.length:
            drafts = likeliest_drafts(case, ids)
            ps = [processed(case, ids, drafts, j) for j in range(len(drafts) + 1)]
            ids += match(chance, ps, drafts)
        return ids[len(case.prompt) :][: case.length]

    return program


def at(case, ids, drafts, j):
    return case.target_law(ids + drafts[:j])


def is_bonus(drafts, j):
    return j == len(drafts)


@derivation("temperature-dropped-on-verified")
def temperature_dropped(case, chance):
    def processed(case, ids, drafts, j):
        p = at(case, ids, drafts, j)
        return power(p, 2) if is_bonus(drafts, j) else p

    return generated(processed)(case, chance)


derivation("temperature-ignored", "top-k-ignored")(generated(at))


def likeliest(case, ids, drafts, j):
    p = at(case, ids, drafts, j)
    return certain(max(p, key=lambda t: p[t]))


derivation("argmax-returned")(generated(likeliest))


def grammar(p, history):
    """Id 2 only once id 1 has been seen, and no 1 right after 2."""
    banned = {1} if history[-1:] == (2,) else set() if 1 in history else {2}
    return p.restrict(set(p) - banned)


def no_repeat(p, history):
    return p.restrict(set(p) - ({history[-1]} - {0}))


def halved(p, history):
    return ExactDistribution.from_weights({x: m / 2 ** history.count(x) for x, m in p.items()})


PROCESSORS = {"grammar": grammar, "no-repeat": no_repeat, "halve-by-count": halved}


def masked(history_of, when=lambda drafts, j: True):
    def processed(case, ids, drafts, j):
        p = at(case, ids, drafts, j)
        if not when(drafts, j):
            return p
        return PROCESSORS[case.options["logits_processor"]](p, history_of(ids, drafts, j))

    return processed


def seen(ids, drafts, j):
    return ids + drafts[:j]


derivation("processor-skipped-on-verified")(generated(masked(seen, is_bonus)))
derivation("processor-for-first-token-only")(
    generated(at, start=lambda case, ids: masked(seen)(case, ids, (), 0))
)
derivation("mask-missing-on-bonus")(generated(masked(seen, lambda drafts, j: j < len(drafts))))
derivation("history-without-last")(
    generated(masked(lambda ids, drafts, j: seen(ids, drafts, j)[:-1] or ids))
)
derivation("mask-frozen-in-step")(generated(masked(lambda ids, drafts, j: ids)))
derivation("penalty-counted-twice")(
    generated(masked(lambda ids, drafts, j: (*ids, ids[-1], *drafts[:j])))
)


@derivation("min-p-on-bonus-only")
def min_p_on_bonus(case, chance):
    def processed(case, ids, drafts, j):
        p = at(case, ids, drafts, j)
        if not is_bonus(drafts, j):
            return p
        cut = rational(Fraction(str(case.options["min_p"]))) * max(p.values())
        return p.restrict({x for x in p if p[x] >= cut})

    return generated(processed)(case, chance)


@derivation("top-p-before-top-k")
def top_p_before_top_k(case, chance):
    p = case.target_law(case.prompt)
    kept, mass = set(), ZERO
    for x in sorted(p, key=lambda t: -p[t]):
        if mass >= rational(Fraction(str(case.options["top_p"]))):
            break
        kept.add(x)
        mass += p[x]
    return (chance.draw(top(p, case.options["top_k"]).restrict(kept)),)


# ---- acceptance rule ----------------------------------------------------------------------------


derivation("first-draft-unverified")(rule(accept=lambda p, q, x, i: ONE if i == 0 else p[x] / q[x]))
derivation("ratio-inflated")(rule(accept=lambda p, q, x, i: rational("101/100") * p[x] / q[x]))
derivation("ratio-near-one-accepts")(
    rule(accept=lambda p, q, x, i: ONE if p[x] / q[x] >= rational("9/10") else p[x] / q[x])
)


@derivation("accept-argmax-only")
def argmax_match(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p = case.target_law(case.prompt)
    best = max(p, key=lambda t: p[t])
    block = (best, chance.draw(case.target_law((*case.prompt, x)))) if best == x else (best,)
    return completed(case, chance, block)


# ---- residual -----------------------------------------------------------------------------------


derivation("resample-from-p", "kernel-residual-is-p")(rule(left=lambda p, q: p))


@derivation("residual-only-zeroes-draft")
def zeroed(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    return (x,) if chance.accept(p[x] / q[x]) else (chance.draw(without(p, x)),)


def largest_left(p, q):
    left = residual(p, q)
    return certain(max(left, key=lambda t: left[t]))


derivation("race-noise-not-written", "noise-written-into-copy")(rule(left=largest_left))
derivation("recovered-always-id-0")(rule(left=lambda p, q: certain(0)))


@derivation("residual-overwrites-p")
def residual_overwrites_p(case, chance):
    (x,) = drawn_drafts(case, chance, case.prompt)
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    left = max(ZERO, p[x] - q[x])
    return (x,) if chance.accept(left / q[x]) else (chance.draw(residual(p, q)),)


# ---- coupled randomness -------------------------------------------------------------------------


def inverse(p, size, u):
    return next(x for x, reached in enumerate(cumulative(p, size)) if u < reached)


def reused(accepting, left_of):
    def program(case, chance):
        (x,) = drawn_drafts(case, chance, case.prompt)
        p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
        h, left = accepting(p, q, x), left_of(p, q, x)
        u = coin(chance, [h, *cumulative(left, case.target.size)])
        return (x,) if u < h else (inverse(left, case.target.size, u),)

    return program


derivation("coin-reused-for-residual", "kernel-coin-reused")(
    reused(lambda p, q, x: p[x] / q[x], lambda p, q, x: residual(p, q))
)
derivation("coin-reused-one-hot")(reused(lambda p, q, x: p[x], lambda p, q, x: without(p, x)))


@derivation("draft-coin-accepts")
def draft_coin(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    size = case.target.size
    u = coin(chance, [*cumulative(q, size), *(p[x] / q[x] for x in q)])
    x = inverse(q, size, u)
    return (x,) if u < p[x] / q[x] else (chance.draw(residual(p, q)),)


@closed("gumbel-noise-shared")
def shared_gumbel(case):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    law = dict.fromkeys(range(case.target.size), ZERO)
    for (x, y), mass in two_races(q, residual(p, q), case.target.size).items():
        h = min(ONE, p[x] / q[x])
        law[x] += mass * h
        law[y] += mass * (1 - h)
    return ExactDistribution({(x,): mass for x, mass in law.items()})


@closed("bonus-on-draft-noise")
def bonus_noise(case):
    q, size = case.draft_law(case.prompt), case.target.size
    p = case.target_law(case.prompt)
    law = {}

    def add(ids, mass):
        law[ids] = law.get(ids, ZERO) + mass

    for x in q:
        h = min(ONE, p[x] / q[x])
        after = case.target_law((*case.prompt, x))
        for (winner, bonus), mass in two_races(q, after, size).items():
            if winner == x:
                add((x, bonus), mass * h)
        if h < 1:
            for y, mass in residual(p, q).items():
                for z, number in case.target_law((*case.prompt, y)).items():
                    add((y, z), q[x] * (1 - h) * mass * number)
    return ExactDistribution(law)


@derivation("one-coin-a-step")
def one_coin_a_step(case, chance):
    p, q = case.target_law(case.prompt), case.draft_law(case.prompt)
    assert p == q
    size = case.target.size
    u = coin(chance, cumulative(p, size))
    x = inverse(q, size, u)
    bonus = case.target_law((*case.prompt, x))
    assert bonus == p
    return (x, inverse(bonus, size, u))


@derivation("one-coin-accepts-all")
def one_coin_accepts_all(case, chance):
    drafts = drawn_drafts(case, chance, case.prompt)
    ps, qs = rows_of(case, case.prompt, drafts)
    hs = [ps[i][x] / qs[i][x] for i, x in enumerate(drafts)]
    u = coin(chance, hs)
    kept = next((i for i, h in enumerate(hs) if not u < h), len(drafts))
    last = ps[kept] if kept == len(drafts) else residual(ps[kept], qs[kept])
    return completed(case, chance, (*drafts[:kept], chance.draw(last)))


@derivation("requests-share-stream")
def requests_share_stream(case, chance):
    laws = [case.target_law(prompt) for prompt in case.prompts]
    size = case.target.size
    u = coin(chance, [c for p in laws for c in cumulative(p, size)])
    return tuple((inverse(p, size, u),) for p in laws)


@derivation("ranks-disagree")
def ranks_disagree(case, chance):
    ids, other = case.prompt, case.prompt
    while len(ids) < len(case.prompt) + case.length:
        drafts = likeliest_drafts(case, ids)
        ps = [
            mixed(case.target_law(ids + drafts[:j]), case.target_law(other + drafts[:j]))
            for j in range(len(drafts) + 1)
        ]
        kept = []
        for _ in range(2):
            matches = itertools.takewhile(
                lambda i: chance.accept(ps[i][drafts[i]]),  # noqa: B023 - used up at once
                range(len(drafts)),
            )
            kept.append(len(list(matches)))
        accepted = kept[0]
        last = ps[accepted]
        final = chance.draw(last if accepted == len(drafts) else without(last, drafts[accepted]))
        ids = (*ids, *drafts[:accepted], final)
        other = (*other, *drafts[: kept[1]], final)
    return ids[len(case.prompt) :][: case.length]


def mixed(p, q):
    return ExactDistribution({x: (p[x] + q[x]) / 2 for x in {*p, *q}})


@closed("probabilities-as-logits")
def probabilities_as_logits(case):
    """softmax(p) to 40 digits; the standard rule gives whatever law it is handed as p."""
    with localcontext() as context:
        context.prec = 60
        p = case.target_law(case.prompt)
        weights = {x: (Decimal(int(m.numerator)) / int(m.denominator)).exp() for x, m in p.items()}
        total = sum(weights.values())
        digits = {x: int((w / total).scaleb(40).to_integral_value()) for x, w in weights.items()}
    *others, last = digits
    digits[last] = 10**40 - sum(digits[x] for x in others)
    return ExactDistribution({(x,): rational(n) / 10**40 for x, n in digits.items()})
