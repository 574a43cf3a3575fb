"""Loaded models as pairs: who encodes and decodes what, and when ids are shared."""

from types import SimpleNamespace

import pytest
from draftproof.adapters.decoding.pairs import for_drafter, for_target, make_pair
from draftproof.reference import Pair
from draftproof.reference.tokenizers import EncodeError


class Model:
    def __init__(self, size):
        self.size = size

    def resized(self, size):
        self.size = size
        return self


class Prefixing:
    """Puts a space in front of a text and takes it off again, as SentencePiece does."""

    vocabulary = (b" ", b"a", b"b", None)
    end_of_sequence = 3
    laws = None
    beginning = (3,)

    def __init__(self, bare=False):
        self.bare = None if bare else Prefixing(bare=True)

    def encode(self, text):
        return tuple(" ab".index(c) for c in (text if self.bare is None else " " + text))

    def decode(self, ids):
        text = b"".join(self.vocabulary[i] or b"" for i in ids).decode()
        return text if self.bare is None else text.removeprefix(" ")


def loaded(tokenizer, size=None):
    return SimpleNamespace(model=Model(size or len(tokenizer.vocabulary)), tokenizer=tokenizer)


def test_the_target_encodes_continuations_and_decodes_whole_contexts():
    role = for_target(Prefixing())
    assert role.encode("a") == (1,)
    assert role.decode((0, 1, 2)) == "ab"


def test_the_drafter_encodes_whole_contexts_and_decodes_continuations():
    role = for_drafter(Prefixing())
    assert role.encode("a") == (3, 0, 1)
    assert role.decode((0, 1)) == " a"


def test_a_drafter_that_has_nothing_to_read():
    silent = SimpleNamespace(**vars(plain(b"a")), encode=lambda text: ())
    with pytest.raises(EncodeError, match="nothing to read"):
        for_drafter(silent).encode("")


def plain(*vocabulary, end=None):
    return SimpleNamespace(
        vocabulary=vocabulary, end_of_sequence=end, laws=None, beginning=(), decode=None
    )


def test_padding_does_not_make_two_vocabularies():
    pair = make_pair(loaded(plain(b"a", b"b", None)), loaded(plain(b"a", b"b")))
    assert isinstance(pair, Pair)
    assert pair.same_vocabulary
    assert pair.drafter.size == 3
    pair = make_pair(loaded(plain(b"a", b"b")), loaded(plain(b"a", b"b", None)))
    assert pair.same_vocabulary
    assert pair.drafter.size == 2


@pytest.mark.parametrize(
    "other", [(b"b", b"a"), (b"a", b"b", b"c"), (b"a",)], ids=["order", "more", "fewer"]
)
def test_other_bytes_do(other):
    tokenizer = plain(*other)
    tokenizer.encode = tokenizer.decode = str
    own = plain(b"a", b"b")
    own.encode = own.decode = str
    pair = make_pair(loaded(own), loaded(tokenizer))
    assert not pair.same_vocabulary
    assert pair.target_id_of == tuple({b"a": 0, b"b": 1}.get(each) for each in other)


def test_another_end_of_sequence_does():
    one, two = plain(b"a", b"b", end=0), plain(b"a", b"b", end=1)
    for each in (one, two):
        each.encode = each.decode = str
    assert not make_pair(loaded(one), loaded(two)).same_vocabulary
