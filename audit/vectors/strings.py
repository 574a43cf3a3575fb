"""SLEM, psi and psi_k vectors: drafts as strings, and the law of what they propose.

Every pair of the gallery that has two vocabularies; the models are tables, the tokenizers are
described in full, so that both can be built in any language.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from ...reference.distribution import Distribution, ExactDistribution
from ...reference.models import Ids
from ...reference.pair import Pair
from ...reference.proposals import propose
from ...reference.psi import candidate_law
from ...reference.stop_rules import Fixed, stop_rule
from ...toymodels.gallery import gallery
from ...toymodels.pairs import GalleryPair
from .laws import model
from .writing import Vector, as_fraction, number, row

SLEM = "the candidates of string-level drafting"
PSI = "the law of the first candidate"
PSI_K = "the law of the next candidate, given those before it"
CONVENTION = {
    "tokenizer": "id k stands for vocabulary[k]: text that is matched, <0xNN> for a byte that is "
    "used for characters that no piece covers, null for no text. Encoding: specials are split off, "
    "normalisers are applied in order to what lies between, then greedy (the longest piece, from "
    "left to right), bpe (characters, then the earliest merge that can be made, at all its places) "
    "or unigram (the highest total of scores; ties: fewer tokens, then smaller ids from the left); "
    "begin_of_sequence is put in front. Decoding: bytes are joined and read as UTF-8, what is no "
    "character is U+FFFD, so is the unknown token, other ids without text are nothing; then "
    "cleaners are applied",
    "drafting": "the drafter reads the encoding of the context's text by its own tokenizer; drafts "
    "are drawn one after the other until the stop rule holds, or with its end of sequence; their "
    "text is encoded by the target's tokenizer alone, without the context. A draft that ends with "
    "the drafter's end of sequence proposes the target's behind it, where that exists",
    "no_proposal": "the probability that there is no such candidate: the context is unreadable, "
    "the text is empty or has no encoding, or the candidates have run out",
    "stop_rule": {
        "fixed:K": "after K drafts",
        "characters:N/cap:K": "when the text has N characters, and after K drafts at the latest",
        "tokens:N/cap:K": "when the text's encoding by the target has N ids, or after K drafts",
        "determined:N/cap:K": "when the first N ids of the encoding are certain, whatever text "
        "follows; or none can come; or after K drafts",
        "lookup:N/cap:K": "candidates by looking up: t_1 is the text up to the first end of a "
        "draft at which it is a token of the target, t_2 the text from there on, and so forth; "
        "drafting stops with the N-th, or after K drafts",
        "longest:K": "after K drafts; by looking up too, but the longest token each time",
    },
    "not": "numbers that were taken for psi, and are something else here",
}
#: Stop rules of psi vectors. Pairs without quirks are tried on all of them.
RULES = (
    *("fixed:1", "fixed:2", "fixed:3", "characters:2/cap:3", "tokens:2/cap:3"),
    *("determined:1/cap:3", "lookup:1/cap:2", "longest:2"),
)
FEWER_RULES = ("fixed:1", "fixed:2")
#: Stop rules of psi_k vectors.
RULES_OF_SEVERAL = ("fixed:2", "characters:2/cap:3", "tokens:2/cap:3")
#: Public reports of lossy round trips between two tokenizers.
ROUND_TRIPS = ("huggingface/transformers #46124", "huggingface/transformers #33383")
_SEGMENTED = frozenset(
    ("merging-target", "crossing-merges", "composition", "retokenized", "bpe-greedy", "unigram-bpe")
)
_QUIRKS = (
    *("lower", "composing", "stripping", "collapsing", "prefix", "cleaned", "unknown", "bytes"),
    *("begin", "skipped"),
)


class Prescribed:
    """Chance whose draws are given, for one draft after the other."""

    def __init__(self, drafts: Sequence[int]) -> None:
        self._drafts = iter(drafts)

    def draw(self, law: Distribution[Any], what: str = "") -> Any:
        """The next draft, whatever its law."""
        del law, what
        return next(self._drafts)

    def accept(self, probability: Any, what: str = "") -> bool:
        """Nothing is accepted while drafting."""
        raise AssertionError(f"{what}: {probability} asked for while drafting")

    def draw_kept(self, law: Distribution[Any], keep: Callable[[Any], Any], what: str = "") -> Any:
        """Nothing is kept while drafting."""
        raise AssertionError(f"{what}: a kept draw of {law} by {keep} while drafting")


def slem_vectors() -> Iterator[Vector]:
    """Drafts of one and two ids after the prompt, and of one id after each longer context."""
    for named in _two_vocabularies():
        pair = named.pair
        for context in _contexts(named):
            read = pair.drafter_context(context)
            for drafts in _drafts(pair, 2 if context == named.prompt else 1):
                if read is None and len(drafts) > 1:
                    continue
                yield _slem(named, context, read, () if read is None else drafts)
                if read is None:
                    break


def _slem(named: GalleryPair, context: Ids, read: Ids | None, drafts: Ids) -> Vector:
    pair = named.pair
    rule = Fixed(max(1, len(drafts)))
    proposal = propose(pair, context, rule, Prescribed(drafts))
    flags = set(_flags(named))
    if not proposal.candidates:
        flags.add("no-proposal")
    end = pair.drafter_tokenizer.end_of_sequence
    if drafts and drafts[-1] == end:
        flags.add("end-of-sequence")
    spelled = "-".join(("".join(map(str, context)), "".join(map(str, drafts)) or "unread"))
    return Vector(
        f"slem-{named.name}-{spelled}",
        named.shows,
        SLEM,
        {
            **_tokenizers(pair),
            "context": list(context),
            "drafts": list(drafts),
        },
        {
            "context_text": pair.target_tokenizer.decode(context),
            "drafter_context": None if read is None else list(read),
            "draft_text": proposal.text,
            "candidates": list(proposal.candidates),
        },
        flags=tuple(flags),
        reports=ROUND_TRIPS if "quirk" in flags else (),
    )


def psi_vectors() -> Iterator[Vector]:
    """psi at the prompt under each stop rule, and the law of all candidates."""
    for named, rule in _cases():
        law = candidate_law(named.pair, named.prompt, stop_rule(rule))
        psi = law.next_token()
        flags = set(_flags(named))
        if psi.mass < 1:
            flags.add("no-proposal")
        mistakes = _mistakes(named, rule, psi)
        yield Vector(
            f"psi-{named.name}-{_slug(rule)}",
            named.shows,
            PSI,
            _given(named, rule),
            {
                "psi": row(psi, named.pair.target.size),
                "no_proposal": number(1 - as_fraction(psi.mass)),
                "candidates": [
                    {"ids": list(ids), "probability": number(value)}
                    for ids, value in law.law.items()
                ],
                "not": mistakes,
            },
            flags=tuple(flags),
        )


def psi_k_vectors() -> Iterator[Vector]:
    """psi_k for every beginning of a proposal."""
    for named, rule in _cases():
        if rule not in RULES_OF_SEVERAL:
            continue
        law = candidate_law(named.pair, named.prompt, stop_rule(rule))
        size = named.pair.target.size
        beginnings = {ids[:k] for ids in law.law for k in range(1, len(ids) + 1)}
        first = law.next_token()
        for accepted in sorted(beginnings, key=lambda ids: (len(ids), ids)):
            after = law.next_token(accepted)
            flags = {*_flags(named), *(("no-proposal",) if after.mass < 1 else ())}
            mistakes = []
            if dict(after) != dict(first):
                mistakes.append(
                    {"mistake": "psi, not given what is accepted", "psi": row(first, size)}
                )
            yield Vector(
                f"psi_k-{named.name}-{_slug(rule)}-{''.join(map(str, accepted))}",
                named.shows,
                PSI_K,
                {**_given(named, rule), "accepted": list(accepted)},
                {
                    "psi": row(after, size),
                    "no_proposal": number(1 - as_fraction(after.mass)),
                    "not": mistakes,
                },
                flags=tuple(flags),
            )


def _cases() -> Iterator[tuple[GalleryPair, str]]:
    for named in _two_vocabularies():
        for rule in RULES if named.name in _SEGMENTED else FEWER_RULES:
            yield named, rule


def _given(named: GalleryPair, rule: str) -> dict[str, Any]:
    pair = named.pair
    read = pair.drafter_context(named.prompt)
    drafter: Any = pair.drafter
    return {
        **_tokenizers(pair),
        "drafter": model(drafter),
        "context": list(named.prompt),
        "drafter_context": None if read is None else list(read),
        "stop_rule": rule,
    }


def _mistakes(named: GalleryPair, rule: str, psi: ExactDistribution[int]) -> list[dict[str, Any]]:
    """Other numbers that were taken for psi, where they differ from it."""
    pair, size = named.pair, named.pair.target.size
    found: list[dict[str, Any]] = []
    if rule != "fixed:1":
        shorter = candidate_law(pair, named.prompt, Fixed(1)).next_token()
        if dict(shorter) != dict(psi):
            found.append({"mistake": "psi of one draft", "psi": row(shorter, size)})
    composed = _composed(pair, named.prompt, rule) if rule.startswith("fixed") else None
    if composed is not None and composed != [as_fraction(psi[t]) for t in range(size)]:
        found.append(
            {"mistake": "drafts whose text begins with the token's text", "psi": row(composed)}
        )
    return found


def _composed(pair: Pair, context: Ids, rule: str) -> list[Fraction] | None:
    """For each target token the probability that the draft's text begins with its text."""
    read = pair.drafter_context(context)
    if read is None or pair.drafter_tokenizer.end_of_sequence is not None:
        return None
    found = [Fraction(0)] * pair.target.size
    for drafts in itertools.product(range(pair.drafter.size), repeat=stop_rule(rule).cap):
        mass = Fraction(1)
        for j, x in enumerate(drafts):
            mass *= as_fraction(pair.drafter.distributions(read + drafts[:j])[0][x])
        text = pair.drafter_tokenizer.decode(drafts)
        for token, spelling in enumerate(pair.target_tokenizer.vocabulary):
            if spelling and text.encode().startswith(spelling):
                found[token] += mass
    return found


def _tokenizers(pair: Pair) -> dict[str, Any]:
    target: Any = pair.target_tokenizer
    drafter: Any = pair.drafter_tokenizer
    return {"target_tokenizer": target.describe(), "drafter_tokenizer": drafter.describe()}


def _two_vocabularies() -> list[GalleryPair]:
    return [named for named in gallery() if not named.pair.same_vocabulary]


def _contexts(named: GalleryPair) -> Iterator[Ids]:
    ids = range(named.pair.target.size)
    for more in range(2):
        for continuation in itertools.product(ids, repeat=more):
            yield named.prompt + continuation


def _drafts(pair: Pair, longest: int) -> Iterator[Ids]:
    """Drafts in the order of their ids; nothing stands behind an end of sequence."""
    end = pair.drafter_tokenizer.end_of_sequence
    for length in range(1, longest + 1):
        for drafts in itertools.product(range(pair.drafter.size), repeat=length):
            if end not in drafts[:-1]:
                yield drafts


def _flags(named: GalleryPair) -> Iterator[str]:
    if named.name in _SEGMENTED:
        yield "segmentation"
    if named.name.startswith(_QUIRKS):
        yield "quirk"
    if named.name == "many-to-one":
        yield "many-to-one"
    if named.name == "two-ids-target":
        yield "duplicate"
    if named.name == "empty-intersection":
        yield "empty-intersection"


def _slug(rule: str) -> str:
    return rule.replace(":", "-").replace("/", "-")
