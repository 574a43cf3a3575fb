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


def token_spellings(pair: Pair) -> dict[Ids, int]:
    """What each token is spelled with: D(text) without ids of no text where that says the token's
    bytes, else byte by byte; of two tokens with one text the one that T writes is spelled.
    """
    target, drafter = pair.target_tokenizer, pair.drafter_tokenizer
    said = drafter.vocabulary
    spelled = {}
    for token, text in enumerate(target.vocabulary):
        if token == target.end_of_sequence:
            if drafter.end_of_sequence is not None:
                spelled[(drafter.end_of_sequence,)] = token
            continue
        same = [t for t, other in enumerate(target.vocabulary) if text and other == text]
        try:
            written = tuple(target.encode(text.decode())) if len(same) > 1 else ()
        except (EncodeError, UnicodeDecodeError):
            written = ()
        chosen = written[0] if len(written) == 1 and written[0] in same else min(same, default=None)
        if token != chosen:
            continue
        try:
            path = tuple(d for d in drafter.encode((text or b"").decode()) if said[d])
        except (EncodeError, UnicodeDecodeError):
            path = ()
        if b"".join(said[d] for d in path) != text:
            single = [[d for d, s in enumerate(said) if s == bytes([byte])] for byte in text]
            if not all(single):
                continue
            path = tuple(min(each) for each in single)
        spelled.setdefault(path, token)
    return spelled


def spelled_law(pair: Pair, ids: Ids, law_after) -> dict:
    """The law of the first spelled token after the drafter's ``ids``, draw by draw.

    ``law_after(ids)`` is the drafter's law.
    """
    drafter = pair.drafter_tokenizer
    said, spelled = drafter.vocabulary, token_spellings(pair)
    spaces = [d for d, s in enumerate(said) if s == b" " and d != drafter.end_of_sequence]
    law: dict = {}
    waiting = [((), 1)]
    while waiting:
        path, mass = waiting.pop()
        on = {s[len(path)] for s in spelled if s[: len(path)] == path and len(s) > len(path)}
        q = law_after(ids + path)
        if path not in spelled:
            inside = sum(number for d, number in q.items() if d in on)
            q = {d: number / inside for d, number in q.items() if d in on and inside}
        for d, number in q.items():
            if d in on:
                waiting.append(((*path, d), mass * number))
                continue
            last_is_space = bool(spaces) and path[-1] == min(spaces)
            after_space = (min(spaces), d) if last_is_space else ()
            gives_back = path[:-1] in spelled and any(
                last_is_space and d not in spaces and s[:2] == after_space for s in spelled
            )
            token = spelled[path[:-1] if gives_back else path]
            law[token] = law.get(token, 0) + mass * number
    return law
