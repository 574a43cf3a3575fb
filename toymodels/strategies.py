"""Hypothesis strategies: random vocabularies, tokenizers, laws, models and pairs, all exact.

Everything shrinks to the small end: two tokens, order 1, one-hot laws and small integers over their
sum. Pairs come as `GalleryPair`, whose ``describe()`` is all that is needed to build one by hand.
Reachable with good probability: zeros, one-hot laws, p equal to q, disjoint supports, tokenizers
that do not round-trip, ends of sequence on either side, texts that one side cannot encode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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

_flavours = st.sampled_from(list(FLAVOURS.values()))


@st.composite
def vocabularies(
    draw: st.DrawFn, flavour: Flavour | None = None, min_size: int = 2, max_size: int = 5
) -> list[str]:
    """Distinct pieces of one flavour, ``min_size`` to ``max_size`` of them as far as it has so many.

    Not every text need have an encoding: single characters may be missing.
    """
    flavour = flavour or draw(_flavours)
    most = min(max_size, len(flavour.pieces))
    return draw(
        st.lists(
            st.sampled_from(flavour.pieces),
            min_size=min(min_size, most),
            max_size=most,
            unique=True,
        )
    )


@st.composite
def tokenizers(
    draw: st.DrawFn, flavour: Flavour | None = None, max_size: int = 5, *, plain: bool = False
) -> ToyTokenizer:
    """Greedy, BPE or unigram tokenizers of 2 to ``max_size`` ids.

    Unless ``plain``, up to two ids may be an end of sequence, an id without text, a re-inserted
    beginning of sequence, an unknown token, the second id of a piece or the bytes of é; and one
    normaliser and one cleaner may be at work. Laws are found when asked for.
    """
    flavour = flavour or draw(_flavours)
    texts = draw(vocabularies(flavour, max_size=min(4, max_size)))
    pieces: list[Piece] = list(texts)
    parts = Parts(alphabet=flavour.alphabet)
    if not plain:
        _add_specials(draw, flavour, pieces, parts, max_size)
        if flavour.normalisers and draw(st.booleans()):
            parts["normalisers"] = [draw(st.sampled_from(flavour.normalisers))]
        if flavour.cleaners and draw(st.booleans()):
            parts["cleaners"] = [draw(st.sampled_from(flavour.cleaners))]
    match draw(st.sampled_from(["greedy", "bpe", "unigram"])):
        case "bpe":
            merges = [(text[0], text[1:]) for text in texts if len(text) == 2]
            return bpe(pieces, draw(st.permutations(merges)), **parts)
        case "unigram":
            scores = {text: draw(st.integers(-4, 0)) for text in texts}
            return unigram(pieces, scores, **parts)
        case _:
            return greedy(pieces, **parts)


def _add_specials(
    draw: st.DrawFn, flavour: Flavour, pieces: list[Piece], parts: Parts, max_size: int
) -> None:
    """Append up to two ids that are no ordinary pieces, and say in ``parts`` what they are."""
    room = max_size - len(pieces)
    kinds = ["end", "silent", "begin", "unknown", "twin"]
    if flavour.byte_pieces and room >= len(flavour.byte_pieces):
        kinds.append("bytes")
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=min(2, max(room, 0)), unique=True)):
        token = len(pieces)
        if kind == "bytes":
            if len(pieces) + len(flavour.byte_pieces) <= max_size:
                pieces += flavour.byte_pieces
            continue
        pieces.append(pieces[0] if kind == "twin" else None)
        if kind == "end":
            parts["end_of_sequence"] = token
        elif kind == "begin":
            parts["begin_of_sequence"] = token
        elif kind == "unknown":
            parts["unknown"] = token


@st.composite
def distributions(
    draw: st.DrawFn,
    size: int,
    *,
    allowed: Sequence[int] | None = None,
    max_support: int | None = None,
) -> ExactDistribution[int]:
    """Laws over ids 0 .. size - 1: integers from 0 to 4, divided by their sum.

    Only ``allowed`` ids have mass, at most ``max_support`` of them. The simplest law is one-hot.
    """
    ids = range(size) if allowed is None else allowed
    drawn = draw(st.lists(st.integers(0, 4), min_size=len(ids), max_size=len(ids)))
    weights = {token: weight for token, weight in zip(ids, drawn, strict=True) if weight}
    if max_support is not None:
        weights = dict(list(weights.items())[:max_support])
    return ExactDistribution.from_weights(weights or {ids[0]: 1})


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
        size = draw(st.integers(2, 5))
    laws = distributions(size, allowed=allowed, max_support=max_support)
    order = draw(st.integers(1, max_order))
    tables: dict[Ids, ExactDistribution[int]] = {(): draw(laws)}
    if order > 1:
        ids = st.integers(0, size - 1)
        contexts = st.lists(ids, min_size=1, max_size=order - 1).map(tuple)
        tables |= draw(st.dictionaries(contexts, laws, min_size=1, max_size=4))
    return NgramModel(size, order, tables)


@st.composite
def same_vocabulary_pairs(draw: st.DrawFn, max_support: int = 3) -> GalleryPair:
    """Pairs over one vocabulary: p and q free, equal, or with no token in common."""
    tokenizer = draw(tokenizers())
    size = len(tokenizer.vocabulary)
    match draw(st.sampled_from(["free", "equal", "disjoint"])):
        case "equal":
            target = drafter = draw(models(size, max_support=max_support))
        case "disjoint":
            split = draw(st.integers(1, size - 1))
            halves = range(split), range(split, size)
            target, drafter = (
                draw(models(size, allowed=half, max_support=max_support)) for half in halves
            )
        case _:
            target, drafter = (draw(models(size, max_support=max_support)) for _ in range(2))
    pair = Pair(target, drafter, tokenizer, tokenizer)
    return GalleryPair("random", "a random pair over one vocabulary", pair, _prompt(draw, size))


@st.composite
def two_vocabulary_pairs(
    draw: st.DrawFn, max_support: int = 3, *, plain: bool = False
) -> GalleryPair:
    """Pairs over two vocabularies of one flavour, drawn independently of each other.

    The two may share no token at all. ``plain`` leaves out specials and changes to the text.
    """
    flavour = draw(_flavours)
    target, drafter = (draw(tokenizers(flavour, plain=plain)) for _ in range(2))
    sizes = len(target.vocabulary), len(drafter.vocabulary)
    laws = [draw(models(size, max_support=max_support)) for size in sizes]
    pair = Pair(laws[0], laws[1], target, drafter)
    return GalleryPair(
        "random", "a random pair over two vocabularies", pair, _prompt(draw, sizes[0])
    )


def pairs(max_support: int = 3) -> st.SearchStrategy[GalleryPair]:
    """Pairs over one vocabulary or two; no law has more than ``max_support`` tokens."""
    return same_vocabulary_pairs(max_support) | two_vocabulary_pairs(max_support)


def _prompt(draw: st.DrawFn, size: int) -> Ids:
    return tuple(draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=2)))
