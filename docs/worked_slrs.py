"""The numbers of the page on SLRS in practice: what psi costs, what the rules accept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from draftproof.audit import Laws
from draftproof.reference import (
    BoundedPsi,
    CoinTape,
    Ids,
    LazyPsi,
    Pair,
    StopRule,
    Work,
    branches,
    candidate_law,
    program,
    rational,
    slrs_acceptance,
    slrs_round,
    stop_rule,
    tree_law,
)
from draftproof.reference.distribution import ratio
from draftproof.reference.exact import ONE, ZERO, Rational
from draftproof.reference.proposals import propose
from draftproof.toymodels import GalleryPair, NgramModel, gallery, gallery_pair, greedy
from worked_text import columns, short, worked

#: Enough letters for a vocabulary of 262,812 of them and their pairs.
LETTERS = "".join(chr(0x4E00 + n) for n in range(724))


def _digits(number: Any) -> str:
    return f"{float(number):.3f}"


# ---- what psi(t) costs ---------------------------------------------------------------------------


def letters_and_pairs(count: int) -> Pair:
    """A drafter of ``count`` letters; the target has these, and every other pair of them."""
    letters = LETTERS[:count]
    twos = [
        one + two for i, one in enumerate(letters) for j, two in enumerate(letters) if (i + j) % 2
    ]
    target = greedy([*letters, *twos])
    q = NgramModel.constant([rational(1, count)] * count)
    size = len(target.vocabulary)
    return Pair(NgramModel.constant([rational(1, size)] * size), q, target, greedy(list(letters)))


@worked
def psi_by_vocabulary() -> str:
    """Drafter contexts for one psi(t), for vocabularies of growing size."""
    rows = []
    rule = stop_rule("fixed:3")
    for count in (2, 22, 128, 724):
        pair = letters_and_pairs(count)
        asked = []
        for text in (LETTERS[0], LETTERS[:2]):
            psi = LazyPsi(pair, (0,), rule)
            psi.number((), pair.target_tokenizer.encode(text)[0])
            asked.append(f"{psi.work.evaluations} in {psi.work.passes}")
        tree = 1 + count + count**2
        rows.append([f"{n:,}" for n in (pair.target.size, 3 * count**3, tree)] + asked)
    header = ["|T|", "definition", "tree", "one letter", "two letters"]
    return columns(header, rows)


def _definition(pair: Pair, context: Ids, rule: StopRule) -> int:
    """How often the definition asks the drafter: once for each token of each draft."""
    drafts = branches(lambda chance: propose(pair, context, rule, chance))
    return sum(len(leaf.result.drafter_ids) for leaf in drafts)


def _with_bounds(pair: Pair, context: Ids, rule: StopRule, token: int, p: Rational) -> Rational:
    """Drafter contexts asked for to accept ``token``, on average over its coin."""

    def fresh() -> tuple[BoundedPsi, Any]:
        psi = BoundedPsi(pair, context, rule)
        return psi, ratio(p, psi.after(())[token])

    psi, number = fresh()
    points = {ZERO, ONE}
    while hasattr(number, "bounds"):
        points |= {x for x in number.bounds() if x is not None and 0 < x < 1}
        if not number.refine():
            break
    average = ZERO
    for one, two in pairwise(sorted(map(rational, points))):
        psi, number = fresh()
        CoinTape([(one + two) / 2]).accept(number)
        average += (two - one) * psi.work.evaluations
    return average


@worked
def psi_on_the_gallery(*slugs: str) -> str:
    """Drafter contexts to verify the first candidate, on average over the gallery's prompts."""
    rows = []
    for slug in slugs:
        rule = stop_rule(slug)
        by_definition = tree = one_number = with_bounds = ZERO
        for named in gallery():
            pair, context = named.pair, named.prompt
            work = Work()
            tree_law(pair, context, rule, work)
            by_definition += _definition(pair, context, rule)
            tree += work.evaluations
            (p,) = pair.target.distributions(context)
            for token, mass in candidate_law(pair, context, rule).next_token().items():
                psi = LazyPsi(pair, context, rule)
                psi.number((), token)
                one_number += mass * psi.work.evaluations
                with_bounds += mass * _with_bounds(pair, context, rule, token, p[token])
        if not with_bounds <= one_number <= tree <= by_definition:
            raise ValueError(f"{slug}: a later version asks for more")
        means = (each / len(gallery()) for each in (by_definition, tree, one_number, with_bounds))
        rows.append([slug, *map(_digits, means)])
    return columns(["rule", "definition", "tree", "psi(t)", "until decided"], rows)


# ---- kept draws ----------------------------------------------------------------------------------


def positions(named: GalleryPair, rule: StopRule) -> Iterator[tuple[Ids, Rational, Rational]]:
    """Each verified position: what was accepted before, and P(there), E[psi evaluations there]."""
    found: dict[Ids, tuple[Rational, Rational]] = {}
    for leaf in branches(lambda chance: slrs_round(named.pair, named.prompt, rule, chance)):
        t, accepted = leaf.result.candidates, leaf.result.accepted
        verified = accepted + any(step.verb == "draw_kept" for step in leaf.steps)
        for k in range(verified):
            asked = (ONE if k < len(t) else ZERO) + (leaf.expected_draws if k == accepted else 0)
            reached, total = found.get(t[:k], (ZERO, ZERO))
            found[t[:k]] = reached + leaf.probability, total + leaf.probability * asked
    return ((begun, reached, total) for begun, (reached, total) in found.items())


@worked
def evaluations_by_position(slug: str, *names: str) -> str:
    """psi evaluations at every position of a pair, and what is due."""
    rows = []
    for name in names:
        named = gallery_pair(name)
        law = candidate_law(named.pair, named.prompt, stop_rule(slug))
        for begun, reached, total in positions(named, stop_rule(slug)):
            (p,) = named.pair.target.distributions(named.prompt + begun)
            psi = law.next_token(begun)
            due = psi.mass + (p.overlap(psi) < 1)
            if total / reached != due:
                raise ValueError(f"{name} after {begun}: {total / reached}, not {due}")
            ids = " ".join(map(str, begun)) or "-"
            rows.append([name, ids, *map(short, (reached, psi.mass, total / reached))])
    return columns(["pair", "accepted", "P(there)", "P(proposal)", "psi evaluations"], rows)


# ---- stop rules ----------------------------------------------------------------------------------


@worked
def rules_on_the_gallery(*slugs: str) -> str:
    """What each rule drafts, costs and accepts, on average over the gallery's prompts."""
    rows = []
    count = len(gallery())
    for slug in slugs:
        rule = stop_rule(slug)
        drafts = accepted = asked = ZERO
        tokens = {"slem": ZERO, "slrs": ZERO, "block": ZERO}
        for named in gallery():
            pair, context = named.pair, named.prompt
            for leaf in branches(
                lambda chance, pair=pair, context=context, rule=rule: propose(
                    pair, context, rule, chance
                )
            ):
                drafts += leaf.probability * len(leaf.result.drafter_ids)
            accepted += slrs_acceptance(pair, context, rule)
            for token, mass in candidate_law(pair, context, rule).next_token().items():
                psi = LazyPsi(pair, context, rule)
                psi.number((), token)
                asked += mass * psi.work.evaluations
            for name in tokens:
                made = (
                    program("slem", slug)
                    if name == "slem"
                    else program("slrs", slug if name == "slrs" else f"{slug}/block")
                )
                tokens[name] += Laws(made, pair).round_law(context).tokens
        means = (drafts, asked, accepted, *tokens.values())
        rows.append([slug, *(_digits(each / count) for each in means)])
    header = ["rule", "drafts", "contexts", "accepted", "SLEM", "SLRS", "SLRS by blocks"]
    return columns(header, rows)


@worked
def rules_on(slug_list: str, *names: str) -> str:
    """Tokens per target pass of SLRS by blocks on some pairs, one column for each rule."""
    slugs = slug_list.split(",")
    rows = [
        [
            name,
            *(
                short(
                    Laws(program("slrs", f"{slug}/block"), named.pair)
                    .round_law(named.prompt)
                    .tokens
                )
                for slug in slugs
            ),
        ]
        for name in names
        for named in [gallery_pair(name)]
    ]
    return columns(["pair", *slugs], rows)
