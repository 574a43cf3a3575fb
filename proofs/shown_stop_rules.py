"""What establishes the claims on stop rules, versions of psi and block verification of candidates.

See `claims_stop_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from ..reference import (
    psi_bounds,
    psi_bytes,
    psi_lazy,
    psi_states,
    psi_tree,
    readings,
)
from ..reference.distribution import ratio
from ..reference.enumeration import branches, exact_law
from ..reference.exact import ONE, ZERO, Rational, rational
from ..reference.lattice import segmentations, token_lattice
from ..reference.models import Ids
from ..reference.psi import candidate_law
from ..reference.slrs_block import kept_together, slrs_block_kept_round, slrs_block_round
from ..reference.stop_rules import stop_rule
from ..reference.token_rules import tokens_by_text
from ..toymodels.gallery import gallery
from . import ceiling, checks
from .ledger import ClaimError

#: One of each kind of rule, small enough for whole laws.
RULES = ("fixed:2", "characters:2/cap:3", "tokens:2/cap:3", "determined:1/cap:3", "longest:2")
RULES += ("lookup:2/cap:3",)


def lossless_under(slug: str) -> Iterator[str]:
    """SLRS with one token, several and block by block, and SLEM, under one rule."""
    for name, form in (
        ("slrs", f"{slug}/one-token"),
        ("slrs", slug),
        ("slrs", f"{slug}/block"),
        ("slem", slug),
    ):
        yield from checks.lossless_on_gallery(name, form, 2)


def blocks_lossless() -> Iterator[str]:
    """Block verification of candidates under every kind of rule."""
    for slug in ("fixed:1", "fixed:3", *RULES):
        yield from checks.lossless_on_gallery("slrs", f"{slug}/block", 1)


def blocks_accept_more() -> Iterator[str]:
    """Never fewer candidates than token by token."""
    for slug in ("fixed:3", *RULES):
        more = 0
        for each in gallery():
            accepted = ceiling.accepted_by_each(each.pair, each.prompt, stop_rule(slug))
            if accepted["SLRS, block"] < accepted["SLRS"]:
                raise ClaimError(f"{slug} on {each.name}: fewer than token by token")
            more += accepted["SLRS, block"] > accepted["SLRS"]
        yield f"{slug}: at least as many on all pairs, more on {more}"


def bonus() -> Iterator[str]:
    """A bonus from p behind all candidates, where they may also be the beginning of others."""
    yield from checks.exact_example("slrs-block-bonus", 2, {(1, 0): "7/12", (1, 1): "1/12"}, "1/12")


def certain_ids() -> Iterator[str]:
    """What is certain of an encoding under way, against all continuations of four characters."""
    texts = tokenizers = 0
    for each in gallery():
        for tokenizer in (each.pair.target_tokenizer, each.pair.drafter_tokenizer):
            if not readings.is_stable(tokenizer):
                continue
            tokenizers += 1
            alphabet: Any = getattr(tokenizer, "alphabet", ())
            for text in _texts(alphabet, 3):
                longer = [readings.encoded(tokenizer, text + more) for more in _texts(alphabet, 4)]
                found = [ids for ids in longer if ids is not None]
                if readings.certain(tokenizer, text) != _shared(found):
                    raise ClaimError(f"{each.name}: {text!r} is cut otherwise")
                texts += 1
    yield f"{tokenizers} tokenizers, {texts} texts: certain is what all continuations share"


def lookup_sums() -> Iterator[str]:
    """psi(t) under ``lookup`` from the segmentations of t alone."""
    for cap in (2, 3):
        rule, tokens = stop_rule(f"lookup:1/cap:{cap}"), 0
        for each in gallery():
            pair, read = each.pair, each.pair.drafter_context(each.prompt)
            law = candidate_law(pair, each.prompt, rule).next_token()
            if read is None or not pair.drafter_tokenizer.laws.concatenative:
                continue
            table = tokens_by_text(pair.target_tokenizer)
            for text, token in table.items():
                total = ZERO
                for drafts in segmentations(token_lattice(text.encode(), pair.drafter_tokenizer)):
                    texts = [pair.drafter_tokenizer.decode(drafts[:j]) for j in range(len(drafts))]
                    if len(drafts) <= cap and not any(each in table for each in texts):
                        total += _product(pair.drafter, read, drafts)
                silent = any(not spelling for spelling in pair.drafter_tokenizer.vocabulary)
                if total != law[token] and not silent:
                    raise ClaimError(f"{each.name}: psi({text}) is {law[token]}, the sum {total}")
                tokens += total == law[token]
        yield f"cap {cap}: psi is that sum for {tokens} tokens of the gallery"


def versions_agree() -> Iterator[str]:
    """The tree, merged states and one token at a time against the definition."""
    for slug in RULES:
        rule, numbers, merged = stop_rule(slug), 0, 0
        for each in gallery():
            pair, context = each.pair, each.prompt
            law = candidate_law(pair, context, rule)
            if dict(psi_tree.tree_law(pair, context, rule)) != dict(law.law.items()):
                raise ClaimError(f"{slug} on {each.name}: the tree differs")
            lazy = psi_lazy.LazyPsi(pair, context, rule)
            for begun in {ids[:k] for ids in law.law for k in range(len(ids) + 1)}:
                due = dict(law.next_token(begun).items())
                try:
                    states = psi_states.states_psi(pair, context, rule, begun)
                except psi_states.NoStatesError:
                    states = None
                if states is not None and {t: n for t, n in states.items() if n} != due:
                    raise ClaimError(f"{slug} on {each.name}: the states differ after {begun}")
                merged += states is not None
                for token in range(pair.target.size):
                    if lazy.number(begun, token) != due.get(token, 0):
                        raise ClaimError(f"{slug} on {each.name}: psi({token}) after {begun}")
                    numbers += 1
        yield f"{slug}: {numbers} numbers one by one, {merged} laws by states, all trees"


def products_agree() -> Iterator[str]:
    """Byte-level drafters: psi as a few products."""
    for slug in ("fixed:3", "determined:1/cap:4", "characters:2/cap:3"):
        rule, pairs, numbers = stop_rule(slug), 0, 0
        for each in gallery():
            try:
                found = psi_bytes.BytePsi(each.pair, each.prompt, rule)
            except psi_bytes.NotByteLevelError:
                continue
            law = candidate_law(each.pair, each.prompt, rule).next_token()
            for token in range(each.pair.target.size):
                if found.number((), token) != law[token]:
                    raise ClaimError(f"{slug} on {each.name}: psi({token})")
                numbers += 1
            pairs += 1
        yield f"{slug}: {numbers} numbers on {pairs} pairs with a byte-level drafter"


def decisions_agree() -> Iterator[str]:
    """Coins at and between all bounds: accepted and kept as with psi itself."""
    for slug in RULES:
        rule, decided = stop_rule(slug), 0
        for each in gallery():
            (p,) = each.pair.target.distributions(each.prompt)
            law = candidate_law(each.pair, each.prompt, rule).next_token()
            for token in p.support():
                for coin in _coins(each, rule, token, p, law):
                    psi = psi_bounds.BoundedPsi(each.pair, each.prompt, rule)
                    number = psi.after(())[token]
                    accepted = bool(coin < ratio(p[token], number))
                    kept = bool(coin < 1 - number / p[token])
                    exact = ratio(p[token], law[token]), 1 - law[token] / p[token]
                    if (accepted, kept) != (coin < exact[0], coin < exact[1]):
                        raise ClaimError(f"{slug} on {each.name}: token {token}, coin {coin}")
                    decided += 2
        yield f"{slug}: {decided} decisions, all as with psi itself"


def _coins(each: Any, rule: Any, token: int, p: Any, law: Any) -> list[Rational]:
    points = {ZERO, ratio(p[token], law[token]), 1 - law[token] / p[token]}
    mass = psi_bounds.BoundedPsi(each.pair, each.prompt, rule).mass((token,))
    while True:
        for bound in (mass.low, mass.high):
            points |= {1 - bound / p[token]} | ({p[token] / bound} if bound else set())
        if not mass.refine():
            break
    inside = sorted({rational(x) for x in points if 0 <= x < 1})
    return [*inside, *((a + b) / 2 for a, b in zip(inside, [*inside[1:], ONE], strict=True))]


def without_sums() -> Iterator[str]:
    """Pass against fail: the same law, one draw tested on average at every place."""
    for slug in RULES:
        rule, places = stop_rule(slug), 0
        for each in gallery():
            pair, context = each.pair, each.prompt
            law = candidate_law(pair, context, rule)

            def run(chance: Any, pair: Any = pair, context: Ids = context, rule: Any = rule) -> Any:
                return slrs_block_kept_round(pair, context, rule, chance)

            boxed = exact_law(
                lambda chance, pair=pair, context=context, rule=rule: (
                    slrs_block_round(pair, context, rule, chance).emitted
                )
            )
            if exact_law(lambda chance, run=run: run(chance).emitted) != boxed:
                raise ClaimError(f"{slug} on {each.name}: another law")
            tested: dict[Ids, Rational] = {}
            for leaf in branches(run):
                t = leaf.result.candidates
                p: Any = pair.target.distributions(context, t)
                psi = [law.next_token(t[:i]) for i in range(len(t) + 1)]
                kept = kept_together(p, psi, t)
                for i in (int(s.what[5:]) for s in leaf.steps if s.verb == "draw_kept"):
                    draws = leaf.probability / (p[i].excess(psi[i], kept[i]) + 1 - kept[i])
                    tested[t[:i]] = tested.get(t[:i], ZERO) + draws
            for begun, draws in tested.items():
                if draws != sum((n for c, n in law.law.items() if c[: len(begun)] == begun), ZERO):
                    raise ClaimError(f"{slug} on {each.name} after {begun}: {draws} draws")
                places += 1
        yield f"{slug}: the box's law on all pairs; one draw at each of {places} places"


def ceilings() -> Iterator[str]:
    """The certified ceiling, and block verification at it."""
    for slug in RULES:
        for each in gallery():
            programme = ceiling.one_pass_programme(each.pair, each.prompt, stop_rule(slug))
            found = ceiling.ceiling(programme)
            if not found.holds():
                raise ClaimError(f"{slug} on {each.name}: the certificate does not hold")
            accepted = ceiling.accepted_by_each(each.pair, each.prompt, stop_rule(slug))
            if accepted["SLRS, block"] != found.bound or max(accepted.values()) > found.bound:
                raise ClaimError(f"{slug} on {each.name}: {accepted}, ceiling {found.bound}")
        yield f"{slug}: {len(gallery())} rational certificates hold; the gap is 0 on every pair"


def _texts(alphabet: Any, length: int) -> list[str]:
    return ["".join(c) for n in range(length + 1) for c in product(alphabet, repeat=n)]


def _shared(found: list[Ids]) -> Ids | None:
    if not found:
        return None
    shortest = min(map(len, found))
    same = (k for k in range(shortest) if len({ids[k] for ids in found}) > 1)
    return found[0][: next(same, shortest)]


def _product(drafter: Any, read: Ids, drafts: Ids) -> Rational:
    total = ONE
    for j, token in enumerate(drafts):
        total *= drafter.distributions(read + tuple(drafts[:j]))[0][token]
    return total
