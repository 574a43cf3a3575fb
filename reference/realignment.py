"""Look-behind realignment: re-tokenize a window instead of everything, and find the join again.

Text is re-tokenized in both directions, and a token's spelling can depend on its neighbours. Some
implementations therefore re-encode a window of old text with the new, look for the longest run of
ids that the old and the new encoding share, and go on from there. Here this is an optional way of
*proposing*, for SLEM. It chooses what the drafter reads and what is proposed; the target's emitted
ids are never touched. Hence it cannot change the law, however badly it aligns.
"""

from __future__ import annotations

from dataclasses import dataclass

from .models import Ids
from .pair import Pair
from .tokenizers import EncodeError


def longest_common_run(old: Ids, new: Ids) -> tuple[int, int, int]:
    """(start in ``old``, start in ``new``, length) of the first longest run of ids both contain.

    Length 0 when they share no id.
    """
    best = (len(old), 0, 0)
    for i in range(len(old)):
        for j in range(len(new)):
            length = 0
            while (
                i + length < len(old)
                and j + length < len(new)
                and old[i + length] == new[j + length]
            ):
                length += 1
            if length > best[2]:
                best = (i, j, length)
    return best


def realigned(old: Ids, new: Ids) -> Ids:
    """``old`` up to the end of the longest common run, then what follows it in ``new``.

    With no common id, ``old`` followed by ``new``.
    """
    i, j, length = longest_common_run(old, new)
    return old[: i + length] + new[j + length :]


def continuation(old: Ids, new: Ids) -> Ids:
    """What ``new`` says behind ``old``: its ids after the longest common run.

    If the run ends before ``old`` does, as many ids of ``new`` are skipped as ``old`` has left.
    """
    i, j, length = longest_common_run(old, new)
    return new[j + length + len(old) - (i + length) :]


@dataclass(frozen=True, slots=True)
class Window:
    """A look-behind of ``size`` target ids, and what the last round left behind.

    Attributes:
        size: how many target ids before the end are re-encoded.
        previous_ids: the drafter's ids at the end of the last round, its drafts included.
        previous_length: the length of the target's context in that round; 0 before the first.
    """

    size: int
    previous_ids: Ids = ()
    previous_length: int = 0

    def drafter_context(self, pair: Pair, context: Ids) -> Ids | None:
        """The last round's drafter ids, realigned with the window's text; None if not encodable."""
        if pair.same_vocabulary or not self.previous_ids or self.previous_length <= self.size:
            return pair.drafter_context(context)
        text = pair.target_tokenizer.decode(context[self.previous_length - self.size :])
        try:
            return realigned(self.previous_ids, pair.drafter_tokenizer.encode(text))
        except EncodeError:
            return None

    def candidates(self, pair: Pair, context: Ids, text: str) -> Ids:
        """The ids that continue ``context`` when the window's text and ``text`` are one string.

        Raises:
            EncodeError: when the target cannot encode that string.
        """
        behind = context[-self.size :]
        whole = pair.target_tokenizer.encode(pair.target_tokenizer.decode(behind) + text)
        return continuation(behind, whole)
