"""What the JSON of a `tokenizers.Tokenizer` says about spelling, prefix and normalisation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...reference.tokenizers import TokenizerLaws
from . import families
from .real import Leading, TokenizerError
from .spellings import SPACE_MARK, byte_level, byte_piece, end_of_word, metaspace, word_piece

_NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


@dataclass(frozen=True)
class Description:
    """The parts of a tokenizer that decide what its ids mean.

    Attributes:
        family: of spelling.
        bytes_of: the bytes of a piece.
        added: the added tokens, as the JSON has them.
        leading: what decoding strips in front.
        prefixed: whether encoding puts a space in front of a text.
        prefix_unless: unless the text begins with one of these.
        marks_spaces: whether U+2581 in a text reads as a space.
        normalisers: the types of the normalisers, in order.
        words: for families that keep words only: the text that is left of them.
        unknown: the spelling of the unknown token.
    """

    family: str
    bytes_of: Callable[[str], bytes]
    added: tuple[Mapping[str, Any], ...]
    leading: Leading
    prefixed: bool
    prefix_unless: tuple[str, ...]
    marks_spaces: bool
    normalisers: tuple[str, ...]
    words: Callable[[Iterable[str]], str] | None
    unknown: str | None

    @property
    def byte_level(self) -> bool:
        """Whether pieces are spelled byte by byte."""
        return self.family in (families.BYTE_LEVEL, families.END_OF_WORD)

    def bytes_of_added(self, content: str) -> bytes:
        """The bytes of an added token that is no special: those of its text, marks as spaces."""
        return metaspace(content) if self.marks_spaces else content.encode()

    def like_library(self, theirs: str, meant: bytes) -> str:
        """The library's decoding of one id, as ours reads it.

        Where a mark ends words the library leaves bytes in their spelling, and strips the space
        behind the last word; the tokenizer's own package reads them and keeps it, and so do we.
        With WordPiece it leaves the mark of a continued word on the first piece, where there is no
        word to continue.
        """
        if self.family == families.END_OF_WORD:
            spaced = " " if meant.endswith(b" ") else ""
            return byte_level(theirs).decode("utf-8", "replace") + spaced
        if self.family == families.WORD_PIECE and not meant.startswith(b" "):
            return theirs.removeprefix("##")
        return theirs

    def laws(self, dropped: frozenset[int]) -> TokenizerLaws:
        """The laws of the family; ``dropped`` are the byte values that encoding leaves out."""
        changes = self.words is not None or self.marks_spaces or self.prefixed or self.normalisers
        if changes or len(dropped) > 1:
            return families.LOSSY
        if not dropped:
            return families.EXACT
        # One lead byte: what is left of its characters is left of no other text.
        return replace(families.LOSSY, injective=min(dropped) >= 0xC2)

    def sentence(self, dropped: int) -> str:
        """What is left of a text, in words."""
        said: list[str] = []
        forms = [n for n in self.normalisers if n in _NORMAL_FORMS]
        if self.family == families.WORD_PIECE:
            return "words in lower case without accents, one space between any two"
        if self.family == families.END_OF_WORD:
            return "words in lower case, composed (NFC), a space behind each"
        if "Precompiled" in self.normalisers:
            said.append("normalised by the model's own table")
        said += [f"normalised to {form}" for form in forms]
        if self.marks_spaces:
            said.append("U+2581 reads as a space")
        if self.prefixed and self.leading == "nothing":
            said.append("a space in front")
        elif self.prefixed:
            said.append("one space in front is lost")
        if dropped:
            values = "1 byte value is" if dropped == 1 else f"{dropped} byte values are"
            said.append(f"{values} dropped")
        return ", ".join(said) or "nothing changes"


def describe(whole: Mapping[str, Any], name: str) -> Description:
    """Read a description; raises `TokenizerError` for a decoder whose spelling is not known."""
    model = whole["model"]
    decoders = list(_flat(whole.get("decoder"), "decoders"))
    types = [part["type"] for part in decoders]
    normalisers = list(_flat(whole.get("normalizer"), "normalizers"))
    cutters = list(_flat(whole.get("pre_tokenizer"), "pretokenizers"))
    leading: Leading = "nothing"
    prefixed, unless, marks = False, (" ",), False
    words: Callable[[Iterable[str]], str] | None = None

    if "ByteLevel" in types:
        family, bytes_of = families.BYTE_LEVEL, byte_level
        prefixed = any(c["type"] == "ByteLevel" and c["add_prefix_space"] for c in cutters)
        unless = tuple(" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0")
    elif "WordPiece" in types:
        prefix = decoders[types.index("WordPiece")]["prefix"]
        if decoders[types.index("WordPiece")]["cleanup"]:
            raise TokenizerError(f"{name}: its decoder glues punctuation, so that no id has bytes")
        family, leading, words = families.WORD_PIECE, "space", " ".join
        bytes_of = _with(word_piece, prefix)
    elif "BPEDecoder" in types:
        family, words = families.END_OF_WORD, _spaced
        bytes_of = _with(end_of_word, decoders[types.index("BPEDecoder")]["suffix"])
    elif "Metaspace" in types or any(_undoes_marks(part) for part in decoders):
        family = families.UNIGRAM if model["type"] == "Unigram" else families.SENTENCEPIECE_BPE
        marks, bytes_of = True, _marked
        schemes = {_scheme(c) for c in (*cutters, *decoders) if c["type"] == "Metaspace"}
        prepends = any(n["type"] == "Prepend" for n in normalisers)
        prefixed = prepends or bool(schemes - {"never"})
        unless = () if prepends else (" ", SPACE_MARK)
        if any(part["type"] == "Strip" and part["start"] for part in decoders):
            leading = "space"
        elif schemes - {"never"}:
            leading = "token"
        if prepends:
            prefixed = False  # the normaliser does it, and the text law runs the normaliser
    else:
        raise TokenizerError(f"{name}: how its decoder ({types or 'none'}) spells is not known")

    plain = {"Replace", "Prepend"} if marks else set[str]()
    return Description(
        family=family,
        bytes_of=bytes_of,
        added=tuple(whole.get("added_tokens") or ()),
        leading=leading,
        prefixed=prefixed,
        prefix_unless=unless,
        marks_spaces=marks,
        normalisers=tuple(n["type"] for n in normalisers if n["type"] not in plain),
        words=words,
        unknown=model.get("unk_token") or _unknown_piece(model),
    )


def without_prefix(whole: Mapping[str, Any]) -> dict[str, Any]:
    """The description of the same tokenizer, less the space it puts in front of a text."""

    def changed(part: Any) -> Any:
        if isinstance(part, list):
            kept = [changed(one) for one in part]
            return [one for one in kept if one is not None]
        if not isinstance(part, dict):
            return part
        if part.get("type") == "Prepend":
            return None
        made = {key: changed(value) for key, value in part.items()}
        if part.get("type") == "Metaspace":
            made["prepend_scheme"] = "never"
            if "add_prefix_space" in made:
                made["add_prefix_space"] = False
        if part.get("type") == "ByteLevel":
            made["add_prefix_space"] = False
        return made

    parts = ("normalizer", "pre_tokenizer")
    return {**whole, **{part: changed(whole.get(part)) for part in parts}}


def _flat(part: Mapping[str, Any] | None, inner: str) -> Iterator[Mapping[str, Any]]:
    if part is None:
        return
    if part["type"] == "Sequence":
        for one in part[inner]:
            yield from _flat(one, inner)
    else:
        yield part


def _scheme(metaspace_part: Mapping[str, Any]) -> str:
    if "prepend_scheme" in metaspace_part:
        return metaspace_part["prepend_scheme"]
    return "always" if metaspace_part.get("add_prefix_space", True) else "never"


def _undoes_marks(part: Mapping[str, Any]) -> bool:
    return part["type"] == "Replace" and part["pattern"].get("String") == SPACE_MARK


def _unknown_piece(model: Mapping[str, Any]) -> str | None:
    """Unigram models name the unknown token by its place in the list."""
    place = model.get("unk_id")
    return None if place is None else model["vocab"][place][0]


def _with(spelling: Callable[[str, str], bytes], mark: str) -> Callable[[str], bytes]:
    return lambda piece: spelling(piece, mark)


def _marked(piece: str) -> bytes:
    byte = byte_piece(piece)
    return metaspace(piece) if byte is None else byte


def _spaced(words: Iterable[str]) -> str:
    """Byte-level words, a space behind each."""
    return "".join(byte_level(word).decode("utf-8", "replace") + " " for word in words)
