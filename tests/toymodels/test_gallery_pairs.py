"""Every gallery pair shows what it says, at contexts and drafts that can really happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from draftproof.reference.distribution import ExactDistribution
from draftproof.reference.enumeration import exact_law
from draftproof.reference.exact import rational
from draftproof.reference.models import Ids
from draftproof.reference.tokenizers import EncodeError, Tokenizer, inexpressible
from draftproof.toymodels.gallery import (
    GALLERY,
    GalleryPair,
    gallery,
    gallery_pair,
)
from draftproof.toymodels.models import PrunedHead

NAMES = list(GALLERY)
UNKNOWN = "\ufffd"


def strings(model, context: Ids, length: int, end: int | None) -> Iterator[Ids]:
    """Every continuation of up to ``length`` ids that has positive probability."""
    yield ()
    if length:
        for token in model.distributions(context)[0]:
            rests = ((),) if token == end else strings(model, (*context, token), length - 1, end)
            for rest in rests:
                yield (token, *rest)


def contexts(shown: GalleryPair, length: int = 3) -> list[Ids]:
    pair = shown.pair
    found = strings(pair.target, shown.prompt, length, pair.end_of_sequence)
    return list(dict.fromkeys(shown.prompt + new for new in found))


def drafts(shown: GalleryPair, length: int = 3) -> list[Ids]:
    """Every non-empty draft that is possible at some context within three tokens."""
    pair = shown.pair
    found: dict[Ids, None] = {}
    for context in contexts(shown):
        read = pair.drafter_context(context)
        if read is not None:
            end = pair.drafter_tokenizer.end_of_sequence
            found |= dict.fromkeys(strings(pair.drafter, read, length, end))
    return [draft for draft in found if draft]


def draft_texts(shown: GalleryPair) -> set[str]:
    return {shown.pair.drafter_tokenizer.decode(draft) for draft in drafts(shown)}


def context_texts(shown: GalleryPair) -> set[str]:
    return {shown.pair.target_tokenizer.decode(context) for context in contexts(shown)}


def encoding(tokenizer: Tokenizer, text: str) -> Ids | None:
    try:
        return tokenizer.encode(text)
    except EncodeError:
        return None


def collisions(tokenizer: Tokenizer, texts: set[str]) -> list[tuple[str, str]]:
    """Different texts with one encoding."""
    encoded = {text: encoding(tokenizer, text) for text in sorted(texts)}
    return [
        (one, other)
        for one, other in combinations(encoded, 2)
        if encoded[one] is not None and encoded[one] == encoded[other]
    ]


def p(shown: GalleryPair, context: Ids) -> ExactDistribution[int]:
    return shown.pair.target.distributions(context)[0]


def q(shown: GalleryPair, context: Ids) -> ExactDistribution[int] | None:
    read = shown.pair.drafter_context(context)
    return None if read is None else shown.pair.drafter.distributions(read)[0]


def ever_drawn(shown: GalleryPair) -> set[int]:
    return {token for context in contexts(shown) for token in p(shown, context)}


def ever_drafted(shown: GalleryPair) -> set[int]:
    return {token for draft in drafts(shown) for token in draft}


def law(*numbers: str) -> ExactDistribution[int]:
    return ExactDistribution({token: rational(number) for token, number in enumerate(numbers)})


def base(s: GalleryPair) -> bool:
    laws = {(p(s, context), q(s, context)) for context in contexts(s)}
    return (
        laws == {(law("1/2", "3/10", "1/5"), law("1/5", "3/10", "1/2"))}
        and s.pair.end_of_sequence is None
        and s.pair.same_vocabulary
    )


def order_and_end(s: GalleryPair) -> bool:
    last = {c[-1] for c in contexts(s)}
    p_laws = {(c[-1], p(s, c)) for c in contexts(s)}
    q_laws = {(c[-1], q(s, c)) for c in contexts(s)}
    end = s.pair.end_of_sequence
    return (
        len(p_laws) > len(last) == len(q_laws) and end in ever_drawn(s) and end in ever_drafted(s)
    )


def composition(s: GalleryPair) -> bool:
    pair = s.pair

    def first_candidate(chance) -> int:
        drawn = tuple(chance.draw(law("1/2", "1/2")) for _ in range(2))
        return pair.target_tokenizer.encode(pair.drafter_tokenizer.decode(drawn))[0]

    return (
        p(s, (0,)) == law("1/3", "1/3", "1/3")
        and q(s, (0,)) == law("1/2", "1/2")
        and exact_law(first_candidate) == law("1/4", "1/2", "1/4")
    )


def retokenizing_matters(s: GalleryPair) -> bool:
    tokenizer = s.pair.target_tokenizer
    again = {c: tokenizer.encode(tokenizer.decode(c)) for c in contexts(s)}
    return any(again[c] != c and p(s, c) != p(s, again[c]) for c in again)


def many_to_one(s: GalleryPair) -> bool:
    pushed = q(s, (0,)).push_forward(lambda token: s.pair.target_id_of[token])
    return (
        p(s, (0,)) == law("3/5", "2/5")
        and q(s, (0,)) == law("1/2", "1/4", "1/4")
        and pushed == law("1/2", "1/2")
    )


def cannot_encode_a_draft(s: GalleryPair) -> bool:
    return any(encoding(s.pair.target_tokenizer, text) is None for text in draft_texts(s))


def cannot_read_a_context(s: GalleryPair) -> bool:
    return any(s.pair.drafter_context(context) is None for context in contexts(s))


def cuts_differ(text: str) -> Callable[[GalleryPair], bool]:
    def differ(s: GalleryPair) -> bool:
        target, drafter = s.pair.target_tokenizer, s.pair.drafter_tokenizer
        cuts = [
            [tokenizer.vocabulary[token] for token in tokenizer.encode(text)]
            for tokenizer in (target, drafter)
        ]
        return cuts[0] != cuts[1] and text in context_texts(s) | draft_texts(s)

    return differ


def drafts_merge(s: GalleryPair) -> bool:
    """Some two drafted tokens become one target token."""
    pair = s.pair
    return any(
        len(draft) == 2
        and len(encoding(pair.target_tokenizer, pair.drafter_tokenizer.decode(draft)) or ()) == 1
        for draft in drafts(s)
    )


def two_drafts_one_text(s: GalleryPair) -> bool:
    texts = [s.pair.drafter_tokenizer.decode(draft) for draft in drafts(s)]
    return len(texts) > len(set(texts))


def spaces_are_gone(s: GalleryPair) -> bool:
    tokenizer = s.pair.target_tokenizer
    spelled = {
        b"".join(tokenizer.vocabulary[token] or b"" for token in c).decode(): tokenizer.decode(c)
        for c in contexts(s)
    }
    return any(" ." in raw and " ." not in text for raw, text in spelled.items())


SHOWS: dict[str, Callable[[GalleryPair], bool]] = {
    "base": base,
    "contexts": order_and_end,
    "equal": lambda s: all(p(s, c) == q(s, c) for c in contexts(s)),
    "disjoint": lambda s: not any(p(s, c).overlap(q(s, c)) for c in contexts(s)),
    "one-hot": lambda s: (
        {len(q(s, c)) for c in contexts(s)} == {1}
        and {len(p(s, c)) for c in contexts(s)} == {1, 2, 3}
    ),
    "pruned-head": lambda s: (
        isinstance(s.pair.drafter, PrunedHead)
        and s.pair.drafter.id_of_column == (2, 0)
        and ever_drafted(s) == {0, 2}
        and 1 in ever_drawn(s)
    ),
    "merging-target": drafts_merge,
    "crossing-merges": cuts_differ("aba"),
    "composition": composition,
    "retokenized": retokenizing_matters,
    "bpe-greedy": lambda s: (
        cuts_differ("aab")(s)
        and s.pair.target_tokenizer.vocabulary == s.pair.drafter_tokenizer.vocabulary
    ),
    "unigram-bpe": cuts_differ("bab"),
    "many-to-one": many_to_one,
    "two-ids-target": lambda s: (
        2 in ever_drawn(s)
        and not any(2 in s.pair.target_tokenizer.encode(text) for text in draft_texts(s))
    ),
    "inexpressible": lambda s: (
        inexpressible(s.pair.drafter_tokenizer, s.pair.target_tokenizer) == (2,)
        and 2 in ever_drafted(s)
        and cannot_encode_a_draft(s)
    ),
    "empty-intersection": lambda s: (
        not s.pair.intersection
        and s.pair.end_of_sequence is None
        and s.pair.drafter_tokenizer.end_of_sequence is None
        and any(encoding(s.pair.target_tokenizer, text) for text in draft_texts(s))
    ),
    "unreadable-context": lambda s: cannot_read_a_context(s) and not cannot_encode_a_draft(s),
    "unreadable-draft": lambda s: cannot_encode_a_draft(s) and not cannot_read_a_context(s),
    "no-proposal": lambda s: (
        q(s, (0,)) == law("1/10", "1/10", "1/2", "3/10")
        and s.pair.target_id_of == (0, 1, 2, None)
        and encoding(s.pair.target_tokenizer, "c") is None
        and p(s, (0,)) == law("1/2", "3/10", "1/5")
    ),
    "end-in-drafter-only": lambda s: (
        s.pair.end_of_sequence is None
        and s.pair.target_id_of[2] is None
        and s.pair.drafter_tokenizer.end_of_sequence == 2
        and 2 in ever_drafted(s)
    ),
    "end-in-target-only": lambda s: (
        s.pair.drafter_tokenizer.end_of_sequence is None
        and s.pair.end_of_sequence in ever_drawn(s)
        and s.pair.end_of_sequence not in s.pair.intersection
    ),
    "end-ids-differ": lambda s: (
        s.pair.end_of_sequence == 0
        and s.pair.drafter_tokenizer.end_of_sequence == 2
        and s.pair.target_id_of[2] == 0
        and 0 in ever_drawn(s)
        and 2 in ever_drafted(s)
    ),
    "silent-drafts": lambda s: "" in draft_texts(s) and (2, 2, 2) in drafts(s),
    "padded": lambda s: (
        len({s.pair.target.size, s.pair.drafter.size}) == 2
        and s.pair.target_id_of == (1, 0, None, None)
        and 2 not in ever_drawn(s)
        and {2, 3} <= ever_drafted(s)
    ),
    "lower-casing-drafter": lambda s: (
        ("AbA", "Aba") in collisions(s.pair.drafter_tokenizer, context_texts(s))
    ),
    "lower-casing-target": lambda s: (
        ("A", "a") in collisions(s.pair.target_tokenizer, draft_texts(s))
    ),
    "composing-drafter": lambda s: (
        ("e\u0301e\u0301", "e\u0301é") in collisions(s.pair.drafter_tokenizer, context_texts(s))
    ),
    "composing-target": lambda s: (
        ("e\u0301", "é") in collisions(s.pair.target_tokenizer, draft_texts(s))
    ),
    "stripping-drafter": lambda s: (
        ("a", "a ") in collisions(s.pair.drafter_tokenizer, context_texts(s))
    ),
    "stripping-target": lambda s: (
        " " in draft_texts(s) and s.pair.target_tokenizer.encode(" ") == ()
    ),
    "collapsing-drafter": lambda s: (
        ("a ", "a  ") in collisions(s.pair.drafter_tokenizer, context_texts(s))
    ),
    "collapsing-target": lambda s: (
        ("  a", " a") in collisions(s.pair.target_tokenizer, draft_texts(s))
    ),
    "prefix-space-drafter": lambda s: (
        (" a", "a") in collisions(s.pair.drafter_tokenizer, context_texts(s))
    ),
    "prefix-space-target": lambda s: (
        (" a", "a") in collisions(s.pair.target_tokenizer, draft_texts(s))
        and not any(s.pair.target_tokenizer.encode(text)[0] == 0 for text in draft_texts(s))
        and 0 not in {c[len(s.prompt)] for c in contexts(s) if len(c) > len(s.prompt)}
    ),
    "prefix-space-undone": lambda s: (
        not s.pair.target_tokenizer.laws.concatenative
        and s.pair.target_tokenizer.laws.round_trips
        and any(
            s.pair.target_tokenizer.decode(c)
            != "".join(s.pair.target_tokenizer.decode((token,)) for token in c)
            for c in contexts(s)
        )
    ),
    "cleaned-context": spaces_are_gone,
    "cleaned-draft": two_drafts_one_text,
    "unknown-drafter": lambda s: (
        ("ab", "ac") in collisions(s.pair.drafter_tokenizer, context_texts(s))
        and any(UNKNOWN in text for text in draft_texts(s))
        and cannot_encode_a_draft(s)
    ),
    "unknown-target": lambda s: (
        ("b", "c") in collisions(s.pair.target_tokenizer, draft_texts(s))
        and 1 in ever_drawn(s)
        and cannot_read_a_context(s)
    ),
    "bytes-drafter": lambda s: (
        any(text.endswith(UNKNOWN) for text in draft_texts(s))
        and any("é" in text for text in draft_texts(s))
        and cannot_encode_a_draft(s)
    ),
    "bytes-target": lambda s: (
        any(text.endswith(UNKNOWN) for text in context_texts(s))
        and any("é" in text for text in context_texts(s))
        and cannot_read_a_context(s)
    ),
    "begin-drafter": lambda s: (
        all(s.pair.drafter_context(c)[0] == 2 for c in contexts(s)) and 2 in ever_drafted(s)
    ),
    "begin-target": lambda s: (
        all(s.pair.target_tokenizer.encode(text)[0] == 2 for text in draft_texts(s))
        and 2 in ever_drawn(s)
    ),
    "skipped-special": lambda s: (
        any(2 in s.pair.target_tokenizer.encode(text) for text in draft_texts(s))
        and 2 in ever_drawn(s)
        and not any("|" in text for text in context_texts(s))
    ),
}


def test_every_pair_has_its_test():
    assert list(SHOWS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_pair_shows_what_it_says(name: str):
    assert SHOWS[name](gallery_pair(name))


@pytest.mark.parametrize("name", NAMES)
def test_where_a_tokenizer_is_not_injective_real_texts_collide(name: str):
    shown = gallery_pair(name)
    pair = shown.pair
    if not pair.drafter_tokenizer.laws.injective:
        assert collisions(pair.drafter_tokenizer, context_texts(shown))
    if not pair.target_tokenizer.laws.injective:
        assert collisions(pair.target_tokenizer, draft_texts(shown))


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_small(name: str):
    shown = gallery_pair(name)
    assert shown.name == name
    assert "\n" not in shown.shows
    assert 2 <= shown.pair.target.size <= 4
    assert 2 <= shown.pair.drafter.size <= 4
    laws = [law for c in contexts(shown) for law in (p(shown, c), q(shown, c)) if law]
    # Its numbers are those of a worked example, which has four outcomes.
    assert max(len(law) for law in laws) <= (4 if name == "no-proposal" else 3)
    assert all(number.denominator <= 12 for law in laws for number in law.values())
    assert all(ids[-1] < shown.pair.target.size for ids in contexts(shown))


def test_the_gallery_is_large_enough():
    shown = gallery()
    assert [each.name for each in shown] == NAMES
    assert len(shown) >= 16
    injective = [
        each.pair.target_tokenizer.laws.injective and each.pair.drafter_tokenizer.laws.injective
        for each in shown
    ]
    assert injective.count(False) >= 9
