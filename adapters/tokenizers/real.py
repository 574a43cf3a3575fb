"""A real tokenizer behind the protocol of the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Protocol

from ...reference.models import Ids
from ...reference.tokenizers import EncodeError, TokenizerLaws

#: What decoding strips in front: nothing; one space; all spaces of the first token; all spaces.
Leading = Literal["nothing", "space", "token", "spaces"]


class TokenizerError(ValueError):
    """A tokenizer that cannot be loaded, or of which the meaning of an id is not known."""


class Encoder(Protocol):
    """The way from text to ids: the library that a tokenizer came with."""

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone, nothing put around it."""
        ...

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text."""
        ...


@dataclass(frozen=True)
class TextLaw:
    """What is left of a text: ``decode(encode(text)) == kept(text)``.

    Holds for every text that is encoded without the unknown token.

    Attributes:
        sentence: the law in words.
        kept: the law as a function.
    """

    sentence: str
    kept: Callable[[str], str]


@dataclass(frozen=True, eq=False)
class RealTokenizer:
    """A tokenizer of a real model; implements `draftproof.reference.Tokenizer`.

    An id means bytes, and a text is what the bytes of its ids say. Bytes join before they are read
    as UTF-8, so half a character is one U+FFFD until its other half comes.

    Attributes:
        name: what it is called in reports.
        vocabulary: the bytes that each id means; None for special ids, the unknown token, padding.
        encoder: the way from text to ids.
        laws: what encode and decode are stated to satisfy.
        text_law: what is left of a text after encoding and decoding it.
        family: of spelling, as in the table of the documentation.
        end_of_sequence: the id that ends a sequence, or None.
        stop_ids: every id that ends a reply, the end of sequence among them.
        beginning: what the tokenizer itself puts in front of a text; () if nothing.
        unknown: the id that stands for what could not be encoded, or None.
        dropped: byte values that encoding leaves out in silence, having no token for them.
        leading: what decoding strips in front.
        continues: makes `bare`; None where that would be the tokenizer itself.
    """

    name: str
    vocabulary: tuple[bytes | None, ...]
    encoder: Encoder
    laws: TokenizerLaws
    text_law: TextLaw
    family: str
    end_of_sequence: int | None = None
    stop_ids: frozenset[int] = frozenset()
    beginning: Ids = ()
    unknown: int | None = None
    dropped: frozenset[int] = frozenset()
    leading: Leading = "nothing"
    continues: Callable[[], RealTokenizer] | None = None
    _padded: dict[int, RealTokenizer] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        size = len(self.vocabulary)
        for role, ids in (
            ("end of sequence", (self.end_of_sequence,)),
            ("stop ids", self.stop_ids),
            ("beginning", self.beginning),
            ("unknown", (self.unknown,)),
        ):
            for token in ids:
                if token is not None and not 0 <= token < size:
                    raise TokenizerError(
                        f"{self.name}: {role}: id {token} is outside 0 .. {size - 1}"
                    )
        if self.end_of_sequence is not None:
            stops = self.stop_ids | {self.end_of_sequence}
            object.__setattr__(self, "stop_ids", stops)

    @cached_property
    def bare(self) -> RealTokenizer | None:
        """The same tokenizer for text that continues another: it puts no space in front of a text
        when encoding, and strips none when decoding. None where nothing of that happens anyway.
        """
        return None if self.continues is None else self.continues()

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone; what looks like a special token is text.

        In one kind of tokenizer it is not: a Unigram model of the `tokenizers` library whose list
        of pieces holds the special tokens too.

        Raises:
            EncodeError: for what is no text: half of a surrogate pair.
        """
        check_text(text)
        return self.encoder.encode(text)

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """`encode` of each text, faster than one by one."""
        for text in texts:
            check_text(text)
        return self.encoder.encode_many(texts)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of ``ids``: those of each id in turn, less what is stripped in front.

        Raises:
            TokenizerError: for an id outside the vocabulary.
        """
        vocabulary = self.vocabulary
        try:
            pieces = [vocabulary[token] or b"" for token in ids]
        except IndexError:
            pieces = None
        if pieces is None or (ids and min(ids) < 0):
            size = len(vocabulary)
            wrong = next(token for token in ids if not 0 <= token < size)
            raise TokenizerError(f"{self.name}: id {wrong} is outside 0 .. {size - 1}")
        if self.leading == "token":
            for place, piece in enumerate(pieces):
                if vocabulary[ids[place]] is not None:
                    pieces[place] = piece.lstrip(b" ")
                    break
        joined = b"".join(pieces)
        if self.leading == "space":
            return joined.removeprefix(b" ")
        return joined.lstrip(b" ") if self.leading == "spaces" else joined

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``; ids without text give nothing, incomplete UTF-8 gives U+FFFD.

        Raises:
            TokenizerError: for an id outside the vocabulary.
        """
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def prompt(self, text: str) -> Ids:
        """What a model reads for a prompt: `beginning`, then the ids of ``text``.

        Normalisation is accepted as it is; a character that would be lost is not.

        Raises:
            EncodeError: in one line, naming the first character that is lost and its place.
        """
        ids = self.encode(text)
        if self.unknown is not None and self.unknown in ids:
            place = self._first_unknown(text)
            raise EncodeError(f"{self.name} has no token for {_named(text, place)}")
        for token in ids:
            if self.vocabulary[token] is None:
                raise EncodeError(
                    f"{self.name} reads a special token (id {token}) where the text only spells it"
                )
        if self.dropped:
            for place, character in enumerate(text):
                if not self.dropped.isdisjoint(character.encode()):
                    raise EncodeError(
                        f"{self.name} drops a byte of {_named(text, place)} in silence"
                    )
        return self.beginning + ids

    def padded(self, size: int) -> RealTokenizer:
        """This tokenizer with its vocabulary extended to ``size`` ids that mean no text.

        One object for each size, so that two models with one tokenizer still share it.

        Raises:
            ValueError: when the tokenizer has more ids than that.
        """
        own = len(self.vocabulary)
        if own > size:
            raise ValueError(
                f"vocabulary larger than the head: {self.name} has {own} ids, the model {size}"
            )
        if own == size:
            return self
        if size not in self._padded:
            continues = self.continues
            self._padded[size] = replace(
                self,
                vocabulary=self.vocabulary + (None,) * (size - own),
                continues=None if continues is None else lambda: continues().padded(size),
                _padded={},
            )
        return self._padded[size]

    def _first_unknown(self, text: str) -> int:
        """The place of the first character that alone, or else with those before it, is unknown."""
        alone: dict[str, bool] = {}
        for place, character in enumerate(text):
            if character not in alone:
                alone[character] = self.unknown in self.encode(character)
            if alone[character]:
                return place
        # Only together: the end of the shortest beginning that is unknown, found by halving.
        low, high = 0, len(text)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if self.unknown in self.encode(text[:middle]) else (middle, high)
            )
        return high - 1


def check_text(text: str) -> None:
    """Raise `EncodeError` for half of a surrogate pair, which no UTF-8 text can hold."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as raised:
        raise EncodeError(f"{_named(text, raised.start)} is half of a surrogate pair") from None


def _named(text: str, place: int) -> str:
    character = text[place]
    return f"{character!a} (U+{ord(character):04X}) at character {place + 1}"
