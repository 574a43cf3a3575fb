"""Tokenizers of the `tokenizers` library: what each of their parts means for an id's bytes.

The library describes itself in JSON: normalizer, pre-tokenizer, model, decoder, added tokens. The
decoder says how pieces are spelled; from it comes the map of ids to bytes, which is then compared
with the library's own decoding on a sample of ids, so that a description not understood is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...reference.models import Ids
from .description import Description, describe, without_prefix
from .real import RealTokenizer, TextLaw, TokenizerError
from .spellings import bytes_without_token, metaspace

# How many ids are compared with the library's own decoding when a tokenizer is loaded.
_SAMPLE = 256


class TokenizersEncoder:
    """`tokenizers.Tokenizer` as an encoder; special tokens in a text are text."""

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.encode_special_tokens = True
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer

    def encode(self, text: str) -> Ids:
        """The ids of ``text`` alone."""
        return tuple(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text, on all cores."""
        batch = getattr(self.tokenizer, "encode_batch_fast", self.tokenizer.encode_batch)
        return [tuple(made.ids) for made in batch(list(texts), add_special_tokens=False)]


def from_tokenizers(
    tokenizer: Any,
    name: str = "tokenizer",
    *,
    end_of_sequence: str | int | None = None,
    stops: Iterable[str | int] = (),
    beginning: Iterable[str | int] | None = None,
    pieces: Sequence[str | None] | None = None,
    text: str | None = None,
) -> RealTokenizer:
    """A `tokenizers.Tokenizer` as a `RealTokenizer`.

    Args:
        tokenizer: the library's object; it is copied and stays as it is.
        name: for reports.
        end_of_sequence: the spelling or id of the end of sequence.
        stops: further tokens that end a reply.
        beginning: what is put in front of a text; left out, what the post-processor puts there.
        pieces: the spelling of every id, for vocabularies in which one spelling has several ids
            (the library keeps one); None for an id without text.
        text: the JSON that the object was made from; the object is then used itself.

    Raises:
        TokenizerError: in one line, for a description that is not understood.
    """
    whole: dict[str, Any] = json.loads(tokenizer.to_str() if text is None else text)
    if text is None:
        tokenizer = type(tokenizer).from_str(json.dumps(whole))
    found = describe(whole, name)
    spellings = _spellings(tokenizer, pieces)
    specials = {t["id"] for t in found.added if t["special"]}
    added = {t["id"]: t["content"] for t in found.added if not t["special"]}
    unknown = tokenizer.token_to_id(found.unknown) if found.unknown else None
    vocabulary = tuple(
        None
        if piece is None or token in specials or token == unknown
        else found.bytes_of_added(added[token])
        if token in added
        else found.bytes_of(piece)
        for token, piece in enumerate(spellings)
    )
    encoder = TokenizersEncoder(tokenizer)
    dropped = (
        bytes_without_token(vocabulary) if found.byte_level and unknown is None else frozenset()
    )
    made = RealTokenizer(
        name=name,
        vocabulary=vocabulary,
        encoder=encoder,
        laws=found.laws(dropped),
        text_law=_text_law(tokenizer, found, dropped),
        family=found.family,
        end_of_sequence=id_of(tokenizer, end_of_sequence, name),
        stop_ids=frozenset(_ids_of(tokenizer, stops, name)),
        beginning=_beginning(tokenizer)
        if beginning is None
        else tuple(_ids_of(tokenizer, beginning, name)),
        unknown=unknown,
        dropped=dropped,
        leading=found.leading,
    )
    check_against_library(made, lambda ids: tokenizer.decode(ids, skip_special_tokens=True), found)
    if not found.prefixed and found.leading == "nothing":
        return made

    def continues() -> RealTokenizer:
        bare = type(tokenizer).from_str(json.dumps(without_prefix(whole)))
        described = replace(
            found,
            prefixed=False,
            leading="nothing",
            words=None if found.words is None else _behind_spaces,
        )
        return replace(
            made,
            encoder=TokenizersEncoder(bare),
            text_law=_text_law(bare, described, dropped),
            leading="nothing",
            continues=None,
            _padded={},
        )

    return replace(made, continues=continues, _padded={})


def id_of(tokenizer: Any, token: str | int | None, name: str) -> int | None:
    """The id of a spelling; raises `TokenizerError` when there is none."""
    if token is None or isinstance(token, int):
        return token
    found = tokenizer.token_to_id(token)
    if found is None:
        raise TokenizerError(f"{name} has no token {token!r}")
    return found


def _ids_of(tokenizer: Any, tokens: Iterable[str | int], name: str) -> list[int]:
    return [found for t in tokens if (found := id_of(tokenizer, t, name)) is not None]


def _spellings(tokenizer: Any, pieces: Sequence[str | None] | None) -> list[str | None]:
    if pieces is not None:
        return list(pieces)
    table: Mapping[str, int] = tokenizer.get_vocab(with_added_tokens=True)
    spellings: list[str | None] = [None] * (max(table.values(), default=-1) + 1)
    for piece, token in table.items():
        spellings[token] = piece
    return spellings


def _beginning(tokenizer: Any) -> Ids:
    """What the post-processor puts in front of a text."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a", add_special_tokens=True).ids
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return tuple(whole[:start])
    return ()


def _text_law(tokenizer: Any, found: Description, dropped: frozenset[int]) -> TextLaw:
    """What is left of a text, from the parts of the description in the order they act."""

    def kept(text: str) -> str:
        if tokenizer.normalizer is not None:
            text = tokenizer.normalizer.normalize_str(text)
        if found.words is not None:
            cut = tokenizer.pre_tokenizer.pre_tokenize_str(text)
            return found.words(piece for piece, _ in cut)
        if found.prefixed and text and not text.startswith(found.prefix_unless):
            text = " " + text
        if found.marks_spaces:
            text = metaspace(text).decode()
        if found.leading != "nothing":
            text = text.removeprefix(" ")
        if dropped:
            return bytes(b for b in text.encode() if b not in dropped).decode("utf-8", "replace")
        return text

    return TextLaw(found.sentence(len(dropped)), kept)


def _behind_spaces(words: Iterable[str]) -> str:
    return "".join(" " + word for word in words)


def check_against_library(made: RealTokenizer, decode: Any, found: Description) -> None:
    """Compare decoding by bytes with the library's own, on single ids spread over the vocabulary.

    Raises:
        TokenizerError: naming the first id that differs.
    """
    size = len(made.vocabulary)
    for token in range(0, size, max(1, size // _SAMPLE)):
        meant = made.vocabulary[token]
        if meant is None or token == made.end_of_sequence:
            continue
        ours = made.decode((token,))
        theirs = decode([token])
        if "\ufffd" not in ours and ours != found.like_library(theirs, meant):
            raise TokenizerError(
                f"{made.name}: id {token} means {ours!a} by its spelling, "
                f"but the library decodes it to {theirs!a}"
            )
