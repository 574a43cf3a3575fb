"""Hypothesis strategies: random vocabularies, tokenizers, laws, models and pairs, all exact.

Everything shrinks to the small end: two tokens, order 1, one-hot laws and small integers over their
sum. Pairs come as `GalleryPair`, whose ``describe()`` is all that is needed to build one by hand.
Reachable with good probability: zeros, one-hot laws, p equal to q, disjoint supports, tokenizers
that do not round-trip, ends of sequence on either side, texts that one side cannot encode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from ..reference.distribution import ExactDistribution
from ..reference.models import Ids
from ..reference.pair import Pair
from .models import NgramModel
from .pairs import GalleryPair
from .texts import Cleaner, Normaliser
from .tokenizers import Parts, Piece, ToyTokenizer, bpe, greedy, unigram

__all__ = [
    "FLAVOURS",
    "Flavour",
    "distributions",
    "models",
    "pairs",
    "same_vocabulary_pairs",
    "tokenizers",
    "two_vocabulary_pairs",
    "vocabularies",
]


@dataclass(frozen=True)
class Flavour:
    """A kind of text: the pieces a vocabulary over it may have, and what may be done to the text.

    Attributes:
        pieces: what vocabularies are made of, the simplest first.
        alphabet: the characters of texts.
        normalisers: which changes before encoding matter for such text.
        cleaners: which changes after decoding matter.
        byte_pieces: whether the pieces may be followed by the two bytes of é.
    """

    pieces: tuple[str, ...]
    alphabet: tuple[str, ...]
    normalisers: tuple[Normaliser, ...] = ()
    cleaners: tuple[Cleaner, ...] = ()
    byte_pieces: tuple[bytes, ...] = field(default=())


#: Both sides of a pair are of one flavour, so that their texts have something in common.
FLAVOURS: dict[str, Flavour] = {
    "letters": Flavour(("a", "b", "ab", "ba", "aa", "bb"), ("a", "b")),
    "cases": Flavour(("a", "A", "aA", "aa"), ("a", "A"), (Normaliser.LOWER_CASE,)),
    "spaces": Flavour(
        ("a", " ", ".", " a", "a "),
        ("a", " ", "."),
        (
            Normaliser.STRIP_SPACES,
            Normaliser.COLLAPSE_SPACES,
            Normaliser.PREFIX_SPACE,
            Normaliser.PREFIX_SPACE_ALWAYS,
        ),
        (Cleaner.SPACE_BEFORE_PUNCTUATION, Cleaner.DROP_FIRST_SPACE),
    ),
    "accents": Flavour(
        ("e", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{COMBINING ACUTE ACCENT}"),
        ("e", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{COMBINING ACUTE ACCENT}"),
        (Normaliser.COMPOSE,),
        byte_pieces=(b"\xc3", b"\xa9"),
    ),
}

# Strategies are costly to build and cheap to draw from, so each of the small ones is built once.
_integers = cache(st.integers)
_booleans = st.booleans()
_flavours = st.sampled_from(list(FLAVOURS.values()))
_permutations = cache(st.permutations)


@cache
def _one_of(options: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    return st.sampled_from(options)


@cache
def _some_of(options: tuple[Any, ...], least: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(_one_of(options), min_size=least, max_size=most, unique=True)


@cache
def _ids(size: int, least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(_integers(0, size - 1), min_size=least, max_size=most)


@cache
def _laws(ids: tuple[int, ...], most: int) -> st.SearchStrategy[ExactDistribution[int]]:
    weights = st.dictionaries(_one_of(ids), _integers(1, 4), min_size=1, max_size=most)
    return weights.map(ExactDistribution.from_weights)


@cache
def _rows(
    size: int, longest: int, ids: tuple[int, ...], most: int
) -> st.SearchStrategy[dict[Ids, ExactDistribution[int]]]:
    contexts = _ids(size, 1, longest).map(tuple)
    return st.dictionaries(contexts, _laws(ids, most), min_size=1, max_size=4)


@st.composite
def vocabularies(
    draw: st.DrawFn, flavour: Flavour | None = None, min_size: int = 2, max_size: int = 5
) -> list[str]:
    """Distinct pieces of one flavour: ``min_size`` to ``max_size``, or as many as it has.

    Not every text need have an encoding: single characters may be missing.
    """
    flavour = flavour or draw(_flavours)
    return _draw_vocabulary(draw, flavour, min_size, max_size)


@st.composite
def tokenizers(
    draw: st.DrawFn, flavour: Flavour | None = None, max_size: int = 5, *, plain: bool = False
) -> ToyTokenizer:
    """Greedy, BPE or unigram tokenizers of 2 to ``max_size`` ids.

    Unless ``plain``, up to two ids may be an end of sequence, an id without text, a re-inserted
    beginning of sequence, an unknown token, the second id of a piece or the bytes of é; and one
    normaliser and one cleaner may be at work. Laws are found when asked for.
    """
    return _draw_tokenizer(draw, flavour or draw(_flavours), max_size, plain)


def distributions(
    size: int, *, allowed: Sequence[int] | None = None, max_support: int | None = None
) -> st.SearchStrategy[ExactDistribution[int]]:
    """Laws over ids 0 .. size - 1: integers from 1 to 4, divided by their sum.

    Only ``allowed`` ids have mass, at most ``max_support`` of them. The simplest law is one-hot.
    """
    ids = tuple(range(size) if allowed is None else allowed)
    return _laws(ids, min(max_support or len(ids), len(ids)))


@st.composite
def models(
    draw: st.DrawFn,
    size: int | None = None,
    *,
    max_order: int = 3,
    allowed: Sequence[int] | None = None,
    max_support: int | None = None,
) -> NgramModel:
    """N-gram models of order 1 to ``max_order`` over ``size`` ids (2 to 5 unless given).

    There is a law for the empty context and for one to four longer ones, if the order allows any;
    other contexts have the law of their longest suffix among these.
    """
    if size is None:
        size = draw(_integers(2, 5))
    return _draw_model(draw, size, max_support, allowed, max_order)


@st.composite
def same_vocabulary_pairs(draw: st.DrawFn, max_support: int = 3) -> GalleryPair:
    """Pairs over one vocabulary: p and q free, equal, or with no token in common."""
    tokenizer = _draw_tokenizer(draw, draw(_flavours))
    size = len(tokenizer.vocabulary)
    match draw(_one_of(("free", "equal", "disjoint"))):
        case "equal":
            target = drafter = _draw_model(draw, size, max_support)
        case "disjoint":
            split = draw(_integers(1, size - 1))
            target = _draw_model(draw, size, max_support, range(split))
            drafter = _draw_model(draw, size, max_support, range(split, size))
        case _:
            target = _draw_model(draw, size, max_support)
            drafter = _draw_model(draw, size, max_support)
    pair = Pair(target, drafter, tokenizer, tokenizer)
    prompt = tuple(draw(_ids(size, 1, 2)))
    return GalleryPair("random", "a random pair over one vocabulary", pair, prompt)


@st.composite
def two_vocabulary_pairs(
    draw: st.DrawFn, max_support: int = 3, *, plain: bool = False
) -> GalleryPair:
    """Pairs over two vocabularies of one flavour, drawn independently of each other.

    The two may share no token at all. ``plain`` leaves out specials and changes to the text.
    """
    flavour = draw(_flavours)
    target_tokenizer = _draw_tokenizer(draw, flavour, plain=plain)
    drafter_tokenizer = _draw_tokenizer(draw, flavour, plain=plain)
    pair = Pair(
        _draw_model(draw, len(target_tokenizer.vocabulary), max_support),
        _draw_model(draw, len(drafter_tokenizer.vocabulary), max_support),
        target_tokenizer,
        drafter_tokenizer,
    )
    prompt = tuple(draw(_ids(pair.target.size, 1, 2)))
    return GalleryPair("random", "a random pair over two vocabularies", pair, prompt)


def pairs(max_support: int = 3) -> st.SearchStrategy[GalleryPair]:
    """Pairs over one vocabulary or two; no law has more than ``max_support`` tokens."""
    return same_vocabulary_pairs(max_support) | two_vocabulary_pairs(max_support)


def _draw_vocabulary(draw: st.DrawFn, flavour: Flavour, least: int, most: int) -> list[str]:
    most = min(most, len(flavour.pieces))
    return draw(_some_of(flavour.pieces, min(least, most), most))


def _draw_tokenizer(
    draw: st.DrawFn, flavour: Flavour, max_size: int = 5, plain: bool = False
) -> ToyTokenizer:
    texts = _draw_vocabulary(draw, flavour, 2, min(4, max_size))
    pieces: list[Piece] = list(texts)
    parts = Parts(alphabet=flavour.alphabet)
    if not plain:
        _add_specials(draw, flavour, pieces, parts, max_size)
        if flavour.normalisers and draw(_booleans):
            parts["normalisers"] = [draw(_one_of(flavour.normalisers))]
        if flavour.cleaners and draw(_booleans):
            parts["cleaners"] = [draw(_one_of(flavour.cleaners))]
    match draw(_one_of(("greedy", "bpe", "unigram"))):
        case "bpe":
            merges = tuple((text[0], text[1:]) for text in texts if len(text) == 2)
            return bpe(pieces, draw(_permutations(merges)), **parts)
        case "unigram":
            return unigram(pieces, {text: draw(_integers(-4, 0)) for text in texts}, **parts)
        case _:
            return greedy(pieces, **parts)


def _add_specials(
    draw: st.DrawFn, flavour: Flavour, pieces: list[Piece], parts: Parts, max_size: int
) -> None:
    """Append up to two ids that are no ordinary pieces, and say in ``parts`` what they are."""
    kinds = ("end", "silent", "begin", "unknown", "twin")
    if flavour.byte_pieces:
        kinds += ("bytes",)
    for kind in draw(_some_of(kinds, 0, 2)):
        added: Sequence[Piece] = (pieces[0] if kind == "twin" else None,)
        if kind == "bytes":
            added = flavour.byte_pieces
        token = len(pieces)
        if token + len(added) > max_size:
            continue
        pieces += added
        if kind == "end":
            parts["end_of_sequence"] = token
        elif kind == "begin":
            parts["begin_of_sequence"] = token
        elif kind == "unknown":
            parts["unknown"] = token


def _draw_model(
    draw: st.DrawFn,
    size: int,
    max_support: int | None = None,
    allowed: Sequence[int] | None = None,
    max_order: int = 3,
) -> NgramModel:
    ids = tuple(range(size) if allowed is None else allowed)
    most = min(max_support or len(ids), len(ids))
    order = draw(_integers(1, max_order))
    tables = {(): draw(_laws(ids, most))}
    if order > 1:
        tables |= draw(_rows(size, order - 1, ids, most))
    return NgramModel(size, order, tables)
