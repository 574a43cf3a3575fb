"""When a token of a byte-level BPE is certain: against the library, over what can follow."""

from __future__ import annotations

import json
import random
from itertools import pairwise, product

import pytest

pytest.importorskip("tokenizers", reason="needs: pip install 'draftproof[models]'")

from draftproof.adapters.tokenizers import load_tokenizer, merges, words
from draftproof.adapters.tokenizers.from_tokenizers import from_tokenizers
from draftproof.adapters.tokenizers.merges import Neighbours
from draftproof.adapters.tokenizers.patterns import CLASSES, UnknownWordsError
from draftproof.adapters.tokenizers.words import Drafts, Words
from draftproof.reference import EncodeError
from draftproof.reference.outlooks import encoding_outlook
from draftproof.reference.readings import certain, encoded, open_words, readings
from tokenizers import Tokenizer, pre_tokenizers
from trained import CUTTERS, TEXTS, small


def as_bytes(text: str) -> str:
    return text.encode().decode("latin-1")


def strings(length: int) -> list[str]:
    return ["".join(s) for n in range(length + 1) for s in product(CLASSES, repeat=n)]


def cut_as_foreseen(tokenizer: Words, text: str, more: str) -> bool:
    """Whether some way to cut ``text`` is that of ``text + more``."""
    end, place, cuts = len(text.encode()), 0, []
    for word, _ in tokenizer._library.pre_tokenizer.pre_tokenize_str(text + more):
        place += len(word)
        if place <= end:
            cuts.append(place)
    ways = tokenizer._ways_to_cut(text)
    return tuple(cuts) in ways or (cuts[-1:] == [end] and tuple(cuts[:-1]) in ways)


def unforeseen(tokenizer: Words, seed: int, count: int) -> int:
    """Of random strings over the classes, spaces and apostrophes oftener."""
    chance = random.Random(seed)
    pool = [*CLASSES, *" \n'' "]

    def text() -> str:
        return "".join(chance.choice(pool) for _ in range(chance.randint(0, 5)))

    return sum(not cut_as_foreseen(tokenizer, text(), text()) for _ in range(count))


@pytest.mark.parametrize("cutter", CUTTERS)
def test_every_way_to_cut_is_foreseen(cutter: str) -> None:
    assert not unforeseen(small(cutter), 1, 4000)


@pytest.mark.parametrize("cutter", CUTTERS)
def test_all_pairs_of_two_characters_and_two(cutter: str) -> None:
    for text in strings(2):
        assert all(cut_as_foreseen(small(cutter), text, more) for more in strings(2)), text


@pytest.mark.long
@pytest.mark.parametrize("cutter", CUTTERS)
def test_all_pairs_of_three_characters_and_two(cutter: str) -> None:
    for text in strings(3):
        assert all(cut_as_foreseen(small(cutter), text, more) for more in strings(2)), text


ENDS = ("a", "the", " '", "'r", "'l", "  ", "\n ", "!\n", "1 ")


@pytest.mark.parametrize(
    "left_out", ["astrevmldAS\u00e9\u017f", " \n\r\t\u00a0", "el"], ids=["letters", "spaces", "'re"]
)
def test_a_continuation_forgotten_is_noticed(
    monkeypatch: pytest.MonkeyPatch, left_out: str
) -> None:
    """Planted: what begins with one of ``left_out`` is never tried."""
    following = words.CONTINUATIONS

    def missed() -> int:
        tokenizers = [Words(small(cutter).inner) for cutter in ("gpt2", "llama3")]
        asked = product(tokenizers, ENDS, following)
        return sum(not cut_as_foreseen(tokenizer, text, more) for tokenizer, text, more in asked)

    assert not missed()
    for name in ("CONTINUATIONS", "BEHIND_A_LETTER"):
        kept = [more for more in getattr(words, name) if more[:1] not in left_out or not more]
        monkeypatch.setattr(words, name, tuple(kept))
    assert missed()


def held(tokenizer: Words, text: str, following: list[str]) -> None:
    """`certain`, `readings` and every outlook, against what the text becomes."""
    sure, ways = certain(tokenizer, text) or (), readings(tokenizer, text)
    now = tokenizer.encode(text)
    wanted = {now[:1], now[:2], *(way[:1] for way in ways[:40]), *(way[:2] for way in ways[:10])}
    outlooks = {u: encoding_outlook(tokenizer, text, u, True, None) for u in wanted if u}
    for more in following:
        ids = tokenizer.encode(text + more)
        assert ids[: len(sure)] == sure, (text, more)
        assert any(ids[: len(way)] == way for way in ways), (text, more)
        for u, outlook in outlooks.items():
            begins = ids[: len(u)] == u
            if outlook.verdict is not None:
                assert begins is outlook.verdict, (text, more, u)
            elif outlook.paths is not None:
                whole = text + more
                on = any(path.startswith(whole) or whole.startswith(path) for path in outlook.paths)
                assert on or begins is outlook.off, (text, more, u)


@pytest.mark.parametrize("cutter", CUTTERS)
def test_what_is_certain_stays(cutter: str) -> None:
    tokenizer, chance = small(cutter), random.Random(3)
    whole = [as_bytes(text) for text in TEXTS]

    def part(most: int) -> str:
        text = chance.choice(whole)
        start = chance.randrange(len(text))
        return text[start : start + chance.randint(0, most)]

    for _ in range(120):
        held(tokenizer, part(6), [part(5) for _ in range(40)])


def test_a_token_across_the_end_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: neighbours are said to be none."""
    monkeypatch.setattr(Neighbours, "stand", lambda self, before, tokens: [False] * len(tokens))
    fresh = Words(small("gpt2").inner)
    with pytest.raises(AssertionError):
        for start in range(60):
            text = as_bytes(TEXTS[0][start : start + 4])
            held(fresh, text, [as_bytes(TEXTS[0][start + 4 : start + n]) for n in range(4, 12)])


@pytest.mark.parametrize("cutter", CUTTERS)
def test_words_one_by_one_are_the_librarys_encoding(cutter: str) -> None:
    tokenizer, chance = small(cutter), random.Random(5)
    for _ in range(300):
        text = "".join(chance.choice((*CLASSES, "he", "th", " ")) for _ in range(8))
        (way,) = [w for w in open_words(tokenizer, as_bytes(text) + "\xff") if w.rest is None]
        assert way.head == tokenizer.encode(as_bytes(text)) == tokenizer.inner.encode(text)
        found: tuple[int, ...] = ()
        for word, _ in tokenizer._library.pre_tokenizer.pre_tokenize_str(text):
            ids = tuple(t.id for t in tokenizer._library.model.tokenize(word))
            found += ids
        assert found == way.head


def test_neighbours_are_what_the_encoding_says() -> None:
    """Pairs cut out of tokens and random ones: by merges, and by encoding them."""
    tokenizer, chance = small("gpt2", 400), random.Random(7)
    word = tokenizer.word
    ids = [t for t in range(len(word.vocabulary) - 1) if word.encode(word.decode((t,))) == (t,)]
    stand = {True: 0, False: 0}
    for _ in range(6000):
        text = word.decode((chance.choice(ids),)) + word.decode((chance.choice(ids),))
        cut = chance.randint(1, len(text) - 1)
        before, token = word.encode(text[:cut])[-1], word.encode(text[cut:])[0]
        real = word.encode(word.decode((before, token))) == (before, token)
        assert word._neighbours.stand(before, [token]) == [real]
        stand[real] += 1
    assert min(stand.values()) > 500
    for _ in range(1000):  # a string of tokens is an encoding if its neighbours are
        string = tuple(chance.choice(ids) for _ in range(3))
        real = word.encode(word.decode(string)) == string
        ok = all(word._neighbours.stand(a, [b])[0] for a, b in pairwise(string))
        assert ok == real


def test_runs_of_one_letter() -> None:
    """Merges of one rank, from left to right: aaa is aa a, never a aa."""
    ids = {"a": 0, "aa": 1, "aaaa": 2}
    neighbours = Neighbours(ids, [("a", "a"), ("aa", "aa")])
    assert neighbours.stand(1, [0, 1, 2]) == [True, False, False]
    assert neighbours.stand(0, [0, 1, 2]) == [False, False, False]
    assert neighbours.stand(2, [0, 1, 2]) == [True, True, True]


def test_merges_that_are_of_no_training_are_refused() -> None:
    ids = {"a": 0, "b": 1, "ab": 2, "abb": 3, "ba": 4, "aba": 5}
    with pytest.raises(ValueError, match="two merges make 'aba'"):
        Neighbours(ids, [("a", "b"), ("b", "a"), ("ab", "a"), ("a", "ba")])
    with pytest.raises(ValueError, match="token 2 is used before it is made"):
        Neighbours(ids, [("ab", "b"), ("a", "b")])
    assert merges.NEVER > 1 << 40


def test_drafts_that_end_within_a_character() -> None:
    tokenizer = small("gpt2")
    whole = as_bytes(" \u00e9t\u00e9")
    half = whole[:-1]
    assert tokenizer.encode(half) == tokenizer.inner.encode(" \u00e9t")
    assert {way.rest for way in open_words(tokenizer, half)} >= {" \xc3\xa9t\xc3", "\xc3", None}
    # What can be no UTF-8 ends the encoding, whatever follows.
    assert [w.rest for w in open_words(tokenizer, " a\xff")] == [None]
    assert tokenizer.encode(" a\xff the") == tokenizer.encode(" a") == certain(tokenizer, " a\xff")
    held(tokenizer, half, ["", "\xa9", "\xa8 a", " ", "\xff"])
    drafts = Drafts(tokenizer.inner)
    assert drafts.decode(tokenizer.inner.encode("\u00e9")) == "\xc3\xa9"
    with pytest.raises(EncodeError):
        drafts.encode("a")


@pytest.mark.parametrize("name", ["gpt2", "smollm2", "starcoder", "refact"])
def test_real_tokenizers(name: str, asset) -> None:
    from draftproof.adapters.tokenizers import named_tokenizer

    asset(named_tokenizer(name).asset)
    tokenizer = Words(load_tokenizer(name))
    assert not unforeseen(tokenizer, 2, 1500)
    chance = random.Random(4)
    for _ in range(40):
        text = as_bytes(chance.choice(TEXTS))
        start = chance.randrange(len(text) - 12)
        following = [text[start + 5 : start + n] for n in range(5, 12)]
        held(tokenizer, text[start : start + 5], ["", *following, " the", "\n", "ing"])
    if name == "smollm2":  # has no token for some bytes: the encoding ends before them
        assert tokenizer.encode(" a\x04b") == tokenizer.encode(" a") == certain(tokenizer, " a\x04")
        with pytest.raises(EncodeError):
            tokenizer.word.encode("\x04")
        assert encoded(tokenizer.word, "\x04") is None


REFUSED = {
    "qwen3": "it normalises text",
    "o200k": "no byte-level BPE of the tokenizers library",
    "llama3": "found whole, where merges do not give it",
    "falcon": "the pattern that cuts its words",
    "deepseek": "added tokens",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused(name: str, asset) -> None:
    from draftproof.adapters.tokenizers import named_tokenizer

    asset(named_tokenizer(name).asset)
    with pytest.raises(UnknownWordsError, match=REFUSED[name]):
        Words(load_tokenizer(name))


def test_words_found_whole_are_taken_where_merges_give_them_anyway() -> None:
    library = small("llama3").inner.encoder.tokenizer
    whole = json.loads(library.to_str())
    whole["model"]["ignore_merges"] = True
    same = Words(from_tokenizers(Tokenizer.from_str(json.dumps(whole)), "whole words"))
    assert same.encode(" the house") == small("llama3").encode(" the house")
    whole["model"]["dropout"] = 0.1
    with pytest.raises(UnknownWordsError, match="its merges are random"):
        Words(from_tokenizers(Tokenizer.from_str(json.dumps(whole)), "random"))


def changed() -> Tokenizer:
    """A copy to change."""
    return Tokenizer.from_str(small("gpt2").inner.encoder.tokenizer.to_str())


def test_special_tokens_that_merges_make_are_refused() -> None:
    """Encoding gives their ids for plain text, and these ids mean no text."""
    library = changed()
    library.add_special_tokens(["the"])
    with pytest.raises(UnknownWordsError, match="one of its special tokens is what merges make"):
        Words(from_tokenizers(library, "special"))


def test_bytes_that_become_the_unknown_token_are_refused() -> None:
    library = changed()
    whole = json.loads(library.to_str())
    q = whole["model"]["vocab"].pop("Q")
    whole["model"]["vocab"]["<unk>"] = q
    whole["model"]["unk_token"] = "<unk>"
    with pytest.raises(UnknownWordsError, match="bytes without a token become the unknown one"):
        Words(from_tokenizers(Tokenizer.from_str(json.dumps(whole)), "unknown"))


def test_words_cut_again_behind_the_bytes_are_refused() -> None:
    library = changed()
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            pre_tokenizers.Digits(individual_digits=True),
        ]
    )
    with pytest.raises(UnknownWordsError, match="words are cut again"):
        Words(from_tokenizers(library, "again"))
