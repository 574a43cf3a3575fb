"""The laws and formulas once more, by brute force: what the tests hold the code against.

Shared with the code are only what models say (their laws at a context) and what tokenizers do
(encode, decode). All else is written anew, in the standard library's fractions: the token map, the
law of proposals summed draft sequence by draft sequence, the formulas of Table 3, and what comes
out when candidates are verified one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import brute_rules
from draftproof.reference.models import Ids, LanguageModel
from draftproof.reference.pair import Pair
from draftproof.reference.tokenizers import EncodeError, Tokenizer

Law = dict[int, Fraction]
StringLaw = dict[Ids, Fraction]


def exactly(number: object) -> Fraction:
    """Any rational, whatever its type, as the standard library's."""
    return Fraction(int(number.numerator), int(number.denominator))  # type: ignore[attr-defined]


def as_fractions(law: object) -> dict:
    """A law of the code as a plain dictionary of fractions."""
    return {outcome: exactly(number) for outcome, number in law.items()}  # type: ignore[attr-defined]


def law_at(model: LanguageModel, context: Ids) -> Law:
    return as_fractions(model.distributions(context)[0])


def due(pair: Pair, context: Ids, length: int) -> StringLaw:
    """The target's own law of the next ``length`` ids, by the chain rule over all sequences."""
    end = pair.target_tokenizer.end_of_sequence
    law: StringLaw = {}
    for ids in product(range(len(pair.target_tokenizer.vocabulary)), repeat=length):
        if end in ids:
            ids = ids[: ids.index(end) + 1]
        if ids in law:
            continue
        mass = Fraction(1)
        for k, token in enumerate(ids):
            mass *= law_at(pair.target, context + ids[:k]).get(token, Fraction(0))
            if not mass:
                break
        if mass:
            law[ids] = mass
    return law


def reachable(pair: Pair, prompt: Ids, within: int) -> list[Ids]:
    """Every context at which a round can begin when fewer than ``within`` new ids are out."""
    end = pair.target_tokenizer.end_of_sequence
    found: list[Ids] = []
    for length in range(within):
        found += [prompt + ids for ids in due(pair, prompt, length) if ids[-1:] != (end,)]
    return list(dict.fromkeys(found))


def encoded(tokenizer: Tokenizer, text: str) -> Ids | None:
    try:
        return tuple(tokenizer.encode(text))
    except EncodeError:
        return None


def read(pair: Pair, context: Ids) -> Ids | None:
    """The context as the drafter reads it."""
    if pair.drafter_tokenizer is pair.target_tokenizer:
        return context
    return encoded(pair.drafter_tokenizer, pair.target_tokenizer.decode(context))


def token_map(pair: Pair) -> list[int | None]:
    """For each drafter id the lowest target id with its bytes; ends correspond to each other."""
    source, target = pair.drafter_tokenizer, pair.target_tokenizer
    if source is target:
        return list(range(len(target.vocabulary)))
    image: list[int | None] = []
    for d, spelling in enumerate(source.vocabulary):
        if d == source.end_of_sequence:
            image.append(target.end_of_sequence)
            continue
        same = [t for t, other in enumerate(target.vocabulary) if other == spelling]
        image.append(min(same) if same and spelling is not None else None)
    return image


def mapped_draft_law(pair: Pair, context: Ids) -> Law:
    """q over T n D as target ids, summed over ids of one meaning; foreign tokens left out."""
    ids = read(pair, context)
    law: Law = {}
    if ids is not None:
        image = token_map(pair)
        for d, number in law_at(pair.drafter, ids).items():
            token = image[d]
            if token is not None:
                law[token] = law.get(token, Fraction(0)) + number
    return law


def draft_sequences(pair: Pair, context: Ids, slug: str) -> Iterator[tuple[Ids, Fraction]]:
    """Every drafted sequence under a stop rule, with the product of its probabilities."""
    ids = read(pair, context)
    if ids is None:
        yield (), Fraction(1)
        return
    waiting = [((), Fraction(1))]
    while waiting:
        drafted, mass = waiting.pop()
        if brute_rules.finished(pair, drafted, slug):
            yield drafted, mass
            continue
        for token, number in law_at(pair.drafter, ids + drafted).items():
            waiting.append(((*drafted, token), mass * number))


def candidates_of(pair: Pair, drafted: Ids, slug: str) -> Ids:
    """T(text of the drafts), and the target's end of sequence where the drafter said its own."""
    end = pair.drafter_tokenizer.end_of_sequence
    ended = bool(drafted) and drafted[-1] == end
    texts = brute_rules.texts_of(pair, drafted)
    ids: Ids | None = ()
    if (found := brute_rules.looked_up(pair, texts, slug)) is not None:
        ids, all_used = found
        ended = ended and all_used
    elif texts and texts[-1]:
        ids = encoded(pair.target_tokenizer, texts[-1])
        if ids is None:
            return ()
    if ended and pair.target_tokenizer.end_of_sequence is not None:
        ids += (pair.target_tokenizer.end_of_sequence,)
    return ids


def proposals(pair: Pair, context: Ids, slug: str) -> StringLaw:
    """The law of t_1..t_m: the empty tuple is "no proposal"."""
    law: StringLaw = {}
    for drafted, mass in draft_sequences(pair, context, slug):
        ids = candidates_of(pair, drafted, slug)
        law[ids] = law.get(ids, Fraction(0)) + mass
    return law


def next_candidate(law: StringLaw, accepted: Ids = ()) -> Law:
    """psi_{k+1}( . | accepted): sub-stochastic."""
    k = len(accepted)
    begins = {ids: number for ids, number in law.items() if ids[:k] == accepted}
    mass = sum(begins.values(), Fraction(0))
    following: Law = {}
    for ids, number in begins.items():
        if len(ids) > k:
            following[ids[k]] = following.get(ids[k], Fraction(0)) + number / mass
    return following


def table_3(pair: Pair, context: Ids, name: str, slug: str) -> Fraction:
    """The acceptance of the first candidate, by the formula of Table 3."""
    p = law_at(pair.target, context)
    if slug.startswith("spelled:"):
        ids = read(pair, context)
        q = (
            {}
            if ids is None
            else brute_rules.spelled_law(pair, ids, lambda after: law_at(pair.drafter, after))
        )
    elif name in ("slem", "slrs"):
        q = next_candidate(proposals(pair, context, slug))
    else:
        q = mapped_draft_law(pair, context)
    if name == "tli":
        mass = sum(q.values(), Fraction(0))
        q = {token: number / mass for token, number in q.items()} if mass else {}
    if name in ("exact-match", "slem"):
        return sum((p.get(t, Fraction(0)) * number for t, number in q.items()), Fraction(0))
    return sum((min(p.get(t, Fraction(0)), number) for t, number in q.items()), Fraction(0))


def rejection_blocks(
    pair: Pair,
    context: Ids,
    proposed: StringLaw,
    psi_after: Callable[[Ids], Law],
    *,
    one_token: bool = False,
    unproposed: Callable[[Law, Law], Law] | None = None,
) -> StringLaw:
    """What SLRS emits when its drafts have the law ``proposed`` and are scored by ``psi_after``.

    ``unproposed(p, psi)`` is the law of the token drawn where there is no (further) candidate;
    unless given, it is the residual. Blocks are not cut after an end of sequence.
    """
    blocks: StringLaw = {}

    def add(block: Ids, mass: Fraction) -> None:
        blocks[block] = blocks.get(block, Fraction(0)) + mass

    for candidates, weight in proposed.items():
        reached = weight
        for k in range(len(candidates) + 1):
            accepted = candidates[:k]
            if one_token and k == 1:
                add(accepted, reached)
                break
            p, psi = law_at(pair.target, context + accepted), psi_after(accepted)
            kept = Fraction(0)
            if k < len(candidates):
                kept = accepted_with(p, psi, candidates[k])
            other = residual(p, psi)
            if k == len(candidates) and unproposed is not None:
                other = unproposed(p, psi)
            if kept < 1:
                for token, number in other.items():
                    add((*accepted, token), reached * (1 - kept) * number)
            reached *= kept
            if not reached:
                break
    return blocks


def accepted_with(p: Law, psi: Law, token: int) -> Fraction:
    due_there, scored = p.get(token, Fraction(0)), psi.get(token, Fraction(0))
    if not scored:
        return Fraction(1 if due_there else 0)
    return min(Fraction(1), due_there / scored)


def residual(p: Law, psi: Law) -> Law:
    left = {t: number - psi.get(t, Fraction(0)) for t, number in p.items()}
    left = {t: number for t, number in left.items() if number > 0}
    mass = sum(left.values(), Fraction(0))
    return {t: number / mass for t, number in left.items()}


def completed(pair: Pair, context: Ids, blocks: StringLaw) -> StringLaw:
    """Blocks cut after an end of sequence, then completed by the target to the longest's length."""
    end = pair.target_tokenizer.end_of_sequence
    cut: StringLaw = {}
    for block, mass in blocks.items():
        if end in block:
            block = block[: block.index(end) + 1]
        cut[block] = cut.get(block, Fraction(0)) + mass
    longest = max(map(len, cut))
    law: StringLaw = {}
    for block, mass in cut.items():
        missing = 0 if block[-1:] == (end,) else longest - len(block)
        for rest, number in due(pair, context + block, missing).items():
            law[block + rest] = law.get(block + rest, Fraction(0)) + mass * number
    return law


def distance(one: dict, other: dict) -> Fraction:
    """Total variation of two laws of mass one."""
    outcomes = {*one, *other}
    return sum((abs(one.get(x, 0) - other.get(x, 0)) for x in outcomes), Fraction(0)) / 2
