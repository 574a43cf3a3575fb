"""More of `bank_derivations`: candidates by way of text.

Ids 0, 1, 2 are a, b, ab. The law of the candidates is found from real strings and their longest
match, written with `str` alone.
"""

from bank_derivations import completed, derivation, drawn_drafts, residual
from draftproof.reference import ExactDistribution, exact_law
from draftproof.reference.exact import ONE, ZERO

TEXTS = ("a", "b", "ab")


def joined(drafts):
    """The text of the drafts, cut by longest match."""
    text, ids = "".join(TEXTS[d] for d in drafts), ()
    while text:
        token = max((t for t in range(3) if text.startswith(TEXTS[t])), key=lambda t: len(TEXTS[t]))
        ids, text = (*ids, token), text.removeprefix(TEXTS[token])
    return ids


def before_last(size):
    """The drafts before the first of the last id."""
    return lambda drafts: drafts[: (*drafts, size - 1).index(size - 1)]


def proposals(case, ids, lookahead, cut=joined):
    return exact_law(lambda chance: cut(drawn_drafts(case, chance, ids, lookahead)))


def next_of(law, begun):
    """psi after ``begun``."""
    begin = [(ids, n) for ids, n in law.items() if ids[: len(begun)] == begun]
    mass = sum((n for _, n in begin), ZERO)
    return ExactDistribution(
        [(ids[len(begun)], n / mass) for ids, n in begin if len(ids) > len(begun)],
        sub_stochastic=True,
    )


def accept(p, psi, t):
    return p[t] / psi[t] if psi[t] else ONE


def one_token(case, chance, t, psi):
    p = case.target_law(case.prompt)
    if chance.accept(accept(p, psi, t)):
        return (t,)
    return (chance.draw(residual(p, psi)),)


class Sum(dict):
    """Numbers that need not be a law."""

    __missing__ = staticmethod(lambda key: ZERO)


@derivation("composition-counted-as-psi")
def composition(case, chance):
    t = joined(drawn_drafts(case, chance, case.prompt))[0]
    q = case.draft_law(case.prompt)
    spelled = q[2] + q[0] * case.draft_law((*case.prompt, 0))[1]
    return one_token(case, chance, t, Sum({0: q[0], 1: q[1], 2: spelled}))


@derivation("psi-of-one-draft")
def psi_of_one(case, chance):
    t = joined(drawn_drafts(case, chance, case.prompt))[0]
    return one_token(case, chance, t, next_of(proposals(case, case.prompt, 1), ()))


@derivation("psi-unconditional")
def psi_unconditional(case, chance):
    t = joined(drawn_drafts(case, chance, case.prompt))
    out = ()
    for k in range(len(t) + 1):
        p = case.target_law(case.prompt + out)
        psi = next_of(proposals(case, case.prompt + out, case.lookahead), ())
        if k < len(t) and chance.accept(accept(p, psi, t[k])):
            out += (t[k],)
            continue
        # Also what is drawn instead may be the candidate; the round then goes on.
        out += (chance.draw(residual(p, psi)),)
        if k == len(t) or out[k] != t[k]:
            break
    return completed(case, chance, out)


@derivation("no-proposal-drawn-from-p")
def no_proposal(case, chance):
    cut = before_last(case.target.size)
    t = cut(drawn_drafts(case, chance, case.prompt))
    p, psi = case.target_law(case.prompt), next_of(proposals(case, case.prompt, 1, cut), ())
    return one_token(case, chance, t[0], psi) if t else (chance.draw(p),)


@derivation("bonus-behind-candidates")
def bonus_behind(case, chance):
    cut = before_last(case.target.size)
    t = cut(drawn_drafts(case, chance, case.prompt))
    law = proposals(case, case.prompt, case.lookahead, cut)
    ps = [case.target_law(case.prompt + t[:i]) for i in range(len(t) + 1)]
    psi = [next_of(law, t[:i]) for i in range(len(t) + 1)]
    kept = [ONE]
    for i, x in enumerate(t):
        kept.append(min(ONE, kept[i] * ps[i][x] / psi[i][x]))
    passes = [ONE]
    for i in range(1, len(t) + 1):
        excess = sum((max(ZERO, kept[i] * n - psi[i][x]) for x, n in ps[i].items()), ZERO)
        below = excess + 1 - kept[i]
        passes.append(kept[i] if i == len(t) else excess / below if below else ONE)
    tau = max(i for i in range(len(t) + 1) if chance.accept(passes[i]))
    if t and tau == len(t):
        last = ps[tau]
    else:
        left = {x: kept[tau] * n - psi[tau][x] for x, n in ps[tau].items()}
        left = {x: n for x, n in left.items() if n > 0}
        last = ExactDistribution.from_weights(left)
    return completed(case, chance, (*t[:tau], chance.draw(last)))
