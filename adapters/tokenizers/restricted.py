"""A real tokenizer cut down to a few of its ids: real in its quirks, fit for exact laws."""

from __future__ import annotations

from collections.abc import Sequence

from ...reference.models import Ids
from ...reference.tokenizers import EncodeError, Tokenizer, TokenizerLaws


class RestrictedTokenizer:
    """``whole`` with the ids ``kept`` only, numbered 0, 1, .. in the order given.

    Text goes through the whole tokenizer both ways; a text whose encoding has any other id has no
    encoding here. So a text that the whole tokenizer would split with other ids is refused, never
    re-split.

    Args:
        whole: the tokenizer to cut down.
        kept: ids of ``whole``, each once, at least one.
        end_of_sequence: the id of ``whole`` that ends a sequence here; its own unless given, and
            none where that is not kept.

    Raises:
        ValueError: for no ids, an id twice, or one outside the vocabulary.
    """

    def __init__(
        self, whole: Tokenizer, kept: Sequence[int], end_of_sequence: int | None = None
    ) -> None:
        if not kept:
            raise ValueError("no ids are kept; a tokenizer needs at least one")
        self._number = {token: place for place, token in enumerate(kept)}
        if len(self._number) != len(kept):
            raise ValueError("an id is kept twice")
        size = len(whole.vocabulary)
        if outside := [token for token in kept if not 0 <= token < size]:
            raise ValueError(f"id {outside[0]} is outside 0 .. {size - 1}")
        self.whole = whole
        self.kept: Ids = tuple(kept)
        self.vocabulary: tuple[bytes | None, ...] = tuple(whole.vocabulary[t] for t in kept)
        end = whole.end_of_sequence if end_of_sequence is None else end_of_sequence
        self.end_of_sequence: int | None = None if end is None else self._number.get(end)

    @property
    def laws(self) -> TokenizerLaws:
        """Those of the whole that survive: not all texts have an encoding here."""
        whole = self.whole.laws
        return TokenizerLaws(
            injective=whole.injective,
            round_trips=whole.round_trips,
            total=False,
            concatenative=whole.concatenative,
            canonical=whole.canonical,
        )

    def encode(self, text: str) -> Ids:
        """The ids of ``text``, as numbered here.

        Raises:
            EncodeError: when the whole tokenizer's encoding has an id that is not kept.
        """
        ids = self.whole.encode(text)
        for token in ids:
            if token not in self._number:
                raise EncodeError(f"{text!r} needs id {token}, which is not kept")
        return tuple(self._number[token] for token in ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``, as numbered here."""
        return self.whole.decode([self.kept[token] for token in ids])
