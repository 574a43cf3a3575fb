"""Byte BPE by ranks (`tiktoken`): the library holds the bytes of every id already."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...reference.models import Ids
from . import families
from .real import RealTokenizer, TextLaw, TokenizerError
from .spellings import bytes_without_token


class TiktokenEncoder:
    """`tiktoken.Encoding` as an encoder; special tokens in a text are text.

    Args:
        encoding: the library's object.
        form: the Unicode normal form that the tokenizer's own package applies first, if any.
    """

    def __init__(self, encoding: Any, form: str | None = None) -> None:
        self.encoding = encoding
        self._form = form

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone."""
        return tuple(self.encoding.encode_ordinary(normalised(text, self._form)))

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text, on all cores."""
        prepared = [normalised(text, self._form) for text in texts]
        return [tuple(ids) for ids in self.encoding.encode_ordinary_batch(prepared)]


def from_tiktoken(
    encoding: Any,
    name: str | None = None,
    *,
    end_of_sequence: str | int | None = None,
    stops: Iterable[str] = (),
    beginning: Iterable[str] = (),
    form: str | None = None,
) -> RealTokenizer:
    """A `tiktoken.Encoding` as a `RealTokenizer`.

    Args:
        encoding: the library's object.
        name: for reports; the encoding's own unless given.
        end_of_sequence: its spelling or id; left out, the encoding's end of text, if it has one.
        stops: further special tokens that end a reply.
        beginning: special tokens that are put in front of a text.
        form: "NFC" or "NFKC" where the tokenizer's package normalises before encoding.

    Raises:
        TokenizerError: for a special token that there is not.
    """
    name = name or str(encoding.name)
    specials = {encoding.encode_single_token(text): text for text in encoding.special_tokens_set}
    vocabulary = tuple(
        None if token in specials else _bytes_of(encoding, token)
        for token in range(encoding.n_vocab)
    )
    by_text = {text: token for token, text in specials.items()}

    def id_of(token: str | int) -> int:
        if isinstance(token, int):
            return token
        if token not in by_text:
            raise TokenizerError(f"{name} has no special token {token!r}")
        return by_text[token]

    if end_of_sequence is None:
        end_of_sequence = by_text.get("<|endoftext|>")
    dropped = bytes_without_token(vocabulary)
    if dropped:
        raise TokenizerError(f"{name}: {len(dropped)} byte values have no rank")
    sentence = f"normalised to {form}" if form else "nothing changes"
    return RealTokenizer(
        name=name,
        vocabulary=vocabulary,
        encoder=TiktokenEncoder(encoding, form),
        laws=families.LOSSY if form else families.EXACT,
        text_law=TextLaw(sentence, lambda text: normalised(text, form)),
        family=families.RANKS,
        end_of_sequence=None if end_of_sequence is None else id_of(end_of_sequence),
        stop_ids=frozenset(map(id_of, stops)),
        beginning=tuple(map(id_of, beginning)),
    )


def normalised(text: str, form: str | None) -> str:
    """``text`` in a Unicode normal form; as it is for None."""
    if form is None:
        return text
    return unicodedata.normalize(form, text)  # pyright: ignore[reportArgumentType]


def read_ranks(content: bytes, name: str) -> dict[bytes, int]:
    """The ranks of a tiktoken file: on each line a token in base 64 and its rank.

    Raises:
        TokenizerError: naming the first line that is not one.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except ValueError:
            raise TokenizerError(f"{name}, line {number}: no token in base 64 and rank") from None
    if not ranks:
        raise TokenizerError(f"{name} holds no ranks")
    return ranks


def encoding_of(
    name: str, pattern: str, ranks: dict[bytes, int], specials: Mapping[str, int]
) -> Any:
    """A `tiktoken.Encoding` of these parts."""
    import tiktoken

    return tiktoken.Encoding(
        name=name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(specials)
    )


def _bytes_of(encoding: Any, token: int) -> bytes | None:
    try:
        return encoding.decode_single_token_bytes(token)
    except KeyError:
        return None  # a gap between the ranks and the special tokens
