"""The stop rules once more, by brute force; part of `brute_force`.

Whether ids of an encoding are certain is found by trying continuations of up to four characters.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from draftproof.reference.models import Ids
from draftproof.reference.pair import Pair
from draftproof.reference.tokenizers import EncodeError, Tokenizer

CONTINUATIONS = 4


def texts_of(pair: Pair, drafted: Ids) -> list[str]:
    """The text after each draft, without a final end of sequence."""
    if drafted and drafted[-1] == pair.drafter_tokenizer.end_of_sequence:
        drafted = drafted[:-1]
    decode = pair.drafter_tokenizer.decode
    return [decode(drafted[: j + 1]) for j in range(len(drafted))]


def finished(pair: Pair, drafted: Ids, slug: str) -> bool:
    if drafted and drafted[-1] == pair.drafter_tokenizer.end_of_sequence:
        return True
    kind, _, numbers = slug.partition(":")
    count, _, cap = numbers.partition("/cap:")
    if len(drafted) == int(cap or count):
        return True
    texts = texts_of(pair, drafted)
    text = texts[-1] if texts else ""
    if kind == "characters":
        return len(text) >= int(count)
    if kind == "tokens":
        return len(encoded(pair.target_tokenizer, text) or ()) >= int(count)
    if kind == "determined":
        known = certain(pair.target_tokenizer, text)
        return known is None or len(known) >= int(count)
    if kind == "lookup":
        return len(first_tokens(pair.target_tokenizer, texts)) >= int(count)
    return False


def looked_up(pair: Pair, texts: list[str], slug: str) -> tuple[Ids, bool] | None:
    """Candidates by looking up, and whether no text is left; None for rules that encode."""
    if slug.startswith("lookup"):
        ids = first_tokens(pair.target_tokenizer, texts)
    elif slug.startswith("longest"):
        ids = longest_tokens(pair.target_tokenizer, texts)
    else:
        return None
    return ids, "".join(spelled(pair.target_tokenizer, t) for t in ids) == "".join(texts[-1:])


def spelled(tokenizer: Tokenizer, token: int) -> str | None:
    try:
        return (tokenizer.vocabulary[token] or b"").decode()
    except UnicodeDecodeError:
        return None


def token_of(tokenizer: Tokenizer, text: str) -> int | None:
    same = [t for t in range(len(tokenizer.vocabulary)) if text and spelled(tokenizer, t) == text]
    return min(same, default=None)


def first_tokens(tokenizer: Tokenizer, texts: list[str]) -> Ids:
    for j, text in enumerate(texts):
        if (token := token_of(tokenizer, text)) is not None:
            rest = [t[len(text) :] if t.startswith(text) else "\0" for t in texts[j + 1 :]]
            return (token, *first_tokens(tokenizer, rest))
    return ()


def longest_tokens(tokenizer: Tokenizer, texts: list[str]) -> Ids:
    for j in reversed(range(len(texts))):
        if (token := token_of(tokenizer, texts[j])) is not None:
            rest = [t[len(texts[j]) :] if t.startswith(texts[j]) else "\0" for t in texts[j + 1 :]]
            return (token, *longest_tokens(tokenizer, rest))
    return ()


@cache
def certain(tokenizer: Tokenizer, text: str) -> Ids | None:
    """What all encodings of ``text`` and more begin with; None when there are none."""
    if not getattr(tokenizer, "stable", False):
        return ()
    ways = [
        ids
        for length in range(CONTINUATIONS + 1)
        for more in product(tokenizer.alphabet, repeat=length)
        if (ids := encoded(tokenizer, text + "".join(more))) is not None
    ]
    if not ways:
        return None
    same = 0
    while all(len(ids) > same for ids in ways) and len({ids[same] for ids in ways}) == 1:
        same += 1
    return ways[0][:same]


def encoded(tokenizer: Tokenizer, text: str) -> Ids | None:
    try:
        return tuple(tokenizer.encode(text))
    except EncodeError:
        return None
