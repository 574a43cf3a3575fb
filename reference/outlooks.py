"""Outlooks: whether the candidates begin with given ids, as far as a draft under way tells.

A draft under way is left alone as soon as its candidates are sure to begin with the ids asked for,
or sure not to. Where that is open it may depend on a few texts only (`Outlook.paths`); then all
other continuations are counted together. `readings` says why the verdicts are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .models import Ids
from .readings import OpenWord, encoded, of_words, open_words, starts, straddling
from .tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether the candidates begin with given ids, as far as a draft under way tells.

    Attributes:
        verdict: True or False whatever follows; None when it is open.
        paths: the texts it depends on: a draft that leaves them all has the verdict ``off``. None
            when every continuation has to be looked at.
        off: see ``paths``.
    """

    verdict: bool | None = None
    paths: tuple[str, ...] | None = None
    off: bool = False


OPEN, YES, NO = Outlook(), Outlook(True), Outlook(False)


def agree(one: Ids, two: Ids) -> bool:
    """Whether one of the two begins with the other."""
    shorter = min(len(one), len(two))
    return one[:shorter] == two[:shorter]


def encoding_outlook(
    tokenizer: Tokenizer, text: str, wanted: Ids, never_fails: bool, end: int | None
) -> Outlook:
    """Whether T(``text`` followed by anything) begins with ``wanted``; ``tokenizer`` is stable.

    ``never_fails``: every continuation has an encoding. ``end``: the id of the end of sequence,
    which stands behind the text and is no part of its encoding.
    """
    spelled = tokenizer.decode(wanted)
    if not (text.startswith(spelled) or spelled.startswith(text)):
        return NO
    ways = [
        _outlook_of_way(tokenizer, text, way, wanted, never_fails, end)
        for way in open_words(tokenizer, text)
    ]
    return ways[0] if len(ways) == 1 else _together(ways)


def _together(ways: list[Outlook]) -> Outlook:
    """What holds if it is not known in which way the words are cut."""
    off = {way.off if way.verdict is None else way.verdict for way in ways}
    if len(off) > 1 or OPEN in ways:
        return OPEN
    if all(way.verdict is not None for way in ways):
        return ways[0]
    return Outlook(None, tuple({path: None for way in ways for path in way.paths or ()}), off.pop())


def _outlook_of_way(
    tokenizer: Tokenizer, text: str, way: OpenWord, wanted: Ids, never_fails: bool, end: int | None
) -> Outlook:
    """The same if the words are cut like this."""
    if not agree(way.head, wanted):
        return NO
    if len(way.head) >= len(wanted):
        return YES if never_fails else OPEN
    if way.rest is None:  # and no end of sequence is proposed, where text is left
        return NO
    word, wanted = of_words(tokenizer), wanted[len(way.head) :]
    known = text[: len(text) - len(way.rest)]
    now = encoded(word, way.rest)
    begins = now is not None and now[: len(wanted)] == wanted
    if begins and not never_fails:
        return OPEN
    # With no token across the end of the text, the encoding begins with now. Where that begins with
    # wanted, the verdict depends on the tokens across that do not agree, else on those that do.
    paths = [known + longer for longer in _ways_across(word, way.rest, wanted, not begins)]
    if begins:
        return Outlook(None, tuple(paths), True) if paths else YES
    if now is not None and agree(now, wanted) and wanted[len(now) :] != (end,):
        paths.append(known + word.decode(wanted))
    may_end = now is not None and (*now, end) == wanted
    return Outlook(None, tuple(paths), False) if paths or may_end else NO


def _ways_across(word: Tokenizer, text: str, wanted: Ids, agreeing: bool) -> Iterator[str]:
    """The texts up to the end of tokens across the end of ``text`` that agree with ``wanted``.

    Or of those that do not, if not ``agreeing``.
    """
    for start in starts(word, text):
        before = encoded(word, text[:start])
        if before is None:
            continue
        following = wanted[len(before) : len(before) + 1]
        if not agree(before, wanted):
            agrees = False
        elif not following:
            agrees = True
        else:
            for x, longer in straddling(word, text, start):
                if ((x,) == following) is agreeing:
                    yield longer
            continue
        if agrees is agreeing:
            yield from (longer for _, longer in straddling(word, text, start))
