"""Toy tokenizers: laws tried exhaustively, one example of each quirk, and what is refused."""

from __future__ import annotations

import json
import pickle

import pytest
from draftproof.reference.tokenizers import EncodeError, TokenizerLaws
from draftproof.toymodels.laws import LAWS, counterexamples, false_claims, found_laws
from draftproof.toymodels.quirks import QUIRKS
from draftproof.toymodels.segmentation import TokenizerError
from draftproof.toymodels.strategies import tokenizers
from draftproof.toymodels.texts import Cleaner, Normaliser
from draftproof.toymodels.tokenizers import ToyTokenizer, bpe, greedy, unigram
from hypothesis import given, settings
from hypothesis import strategies as st

ALL_TRUE = TokenizerLaws(**dict.fromkeys(LAWS, True))


@pytest.mark.parametrize("name", QUIRKS)
def test_stated_laws_are_true_and_tight(name: str):
    assert false_claims(QUIRKS[name](), text_length=5, ids_length=4) == {}


@pytest.mark.parametrize("name", QUIRKS)
def test_laws_are_found_as_stated(name: str):
    assert found_laws(QUIRKS[name]()) == QUIRKS[name]().laws


def test_the_quirks_break_each_law():
    for law in LAWS:
        assert any(not getattr(make().laws, law) for make in QUIRKS.values()), law


@pytest.mark.parametrize(
    ("tokenizer", "law", "complaint"),
    [
        (
            greedy(["a"], alphabet=["A", "a"], normalisers=[Normaliser.LOWER_CASE], laws=ALL_TRUE),
            "injective",
            "'A' and 'a' both encode to (0,)",
        ),
        (
            greedy(["a"], alphabet=["A", "a"], normalisers=[Normaliser.LOWER_CASE], laws=ALL_TRUE),
            "round_trips",
            "'A' encodes to (0,), which decodes to 'a'",
        ),
        (greedy(["a"], alphabet=["a", "b"], laws=ALL_TRUE), "total", "'b' has no encoding"),
        (
            greedy([b"\xc3", b"\xa9"], alphabet=["é"], laws=ALL_TRUE),
            "concatenative",
            "(0,) and (1,) do not decode apart as together",
        ),
        (
            greedy(["a", "a"], laws=ALL_TRUE),
            "canonical",
            "(1,) decodes to 'a', whose encoding is another",
        ),
        (
            greedy(["a", "b"], laws=TokenizerLaws(True, True, True, True, False)),
            "canonical",
            "stated to fail, yet no counterexample was found",
        ),
    ],
)
def test_a_planted_false_claim_is_found(tokenizer: ToyTokenizer, law: str, complaint: str):
    assert false_claims(tokenizer)[law] == complaint


@settings(max_examples=60, deadline=None)
@given(tokenizers())
def test_random_tokenizers_keep_the_protocol(tokenizer: ToyTokenizer):
    size = len(tokenizer.vocabulary)
    assert 2 <= size <= 5
    found = found_laws(tokenizer)
    assert found.injective or not found.round_trips, "round-tripping implies injective"
    broken = counterexamples(tokenizer, text_length=2, ids_length=2)
    assert all(not getattr(found, law) for law in broken)
    for token in range(size):
        assert isinstance(tokenizer.decode([token]), str)
    if tokenizer.end_of_sequence is not None:
        assert tokenizer.vocabulary[tokenizer.end_of_sequence] is None
        assert tokenizer.decode([tokenizer.end_of_sequence]) == ""


@settings(max_examples=60, deadline=None)
@given(tokenizers(plain=True), st.data())
def test_plain_tokenizers_round_trip(tokenizer: ToyTokenizer, data: st.DataObject):
    text = data.draw(st.text(st.sampled_from(tokenizer.alphabet), max_size=8))
    try:
        ids = tokenizer.encode(text)
    except EncodeError:
        return
    assert tokenizer.decode(ids) == text
    assert b"".join(tokenizer.vocabulary[token] or b"" for token in ids) == text.encode()


@pytest.mark.parametrize(
    ("name", "text", "ids", "back"),
    [
        ("characters", "ba", (1, 0), "ba"),
        ("longest_match", "aab", (0, 2), "aab"),
        ("merged_pairs", "aab", (0, 3), "aab"),
        ("merged_pairs", "aaa", (2, 0), "aaa"),
        ("best_score", "aba", (0, 3), "aba"),
        ("partial", "aaba", (0, 1, 0), "aaba"),
        ("lower_casing", "aAb", (0, 0, 1), "aab"),
        ("composing", "e\u0301e", (2, 0), "ée"),
        ("space_stripping", " a  a ", (0, 1, 1, 0), "a  a"),
        ("space_stripping", "  ", (), ""),
        ("space_collapsing", "a   a", (0, 1, 0), "a a"),
        ("prefix_space", "a", (2,), " a"),
        ("prefix_space", " aa", (2, 0), " aa"),
        ("prefix_space_undone", " a", (1, 2), " a"),
        ("prefix_space_undone", "aa", (2, 0), "aa"),
        ("prefix_space_undone", "", (), ""),
        ("cleaned_spaces", "a .", (0, 1, 2), "a."),
        ("unknown_token", "abc", (0, 1, 1), "a\ufffd\ufffd"),
        ("byte_fallback", "éa", (1, 2, 0), "éa"),
        ("two_ids", "ab", (0, 1), "ab"),
        ("skipped_special", "a|b", (0, 2, 1), "ab"),
        ("begin_of_sequence", "", (2,), ""),
        ("begin_of_sequence", "ab", (2, 0, 1), "ab"),
        ("end_of_sequence", "ab", (0, 1), "ab"),
        ("padded", "ab", (0, 1), "ab"),
    ],
)
def test_worked_examples(name: str, text: str, ids: tuple[int, ...], back: str):
    tokenizer = QUIRKS[name]()
    assert tokenizer.encode(text) == ids
    assert tokenizer.encode(text) == ids, "from the cache"
    assert tokenizer.decode(list(ids)) == back


def test_decoding_of_ids_that_no_text_encodes_to():
    assert QUIRKS["two_ids"]().decode((2, 2)) == "bb"
    assert QUIRKS["byte_fallback"]().decode((1,)) == "\ufffd", "a byte that waits for its second"
    assert QUIRKS["byte_fallback"]().decode((1, 0, 2)) == "\ufffda\ufffd"
    assert QUIRKS["padded"]().decode((0, 3, 2, 1)) == "ab"
    assert QUIRKS["end_of_sequence"]().decode((0, 2, 1)) == "ab"
    assert QUIRKS["prefix_space_undone"]().decode((2, 2)) == "a a"


def test_parts_can_be_put_together():
    tokenizer = bpe(
        ["a", " ", "ab", None, None, b"\xc3", b"\xa9", None],
        [("a", "b")],
        normalisers=[Normaliser.COLLAPSE_SPACES, Normaliser.LOWER_CASE],
        cleaners=[Cleaner.DROP_FIRST_SPACE],
        unknown=3,
        begin_of_sequence=4,
        end_of_sequence=7,
        specials={"<end>": 7},
    )
    assert tokenizer.encode("AB  é?<end>b") == (4, 2, 1, 5, 6, 3, 7, 3)
    assert tokenizer.decode((4, 1, 2, 5, 6, 3)) == "abé\ufffd"
    assert tokenizer.vocabulary == (b"a", b" ", b"ab", None, None, b"\xc3", b"\xa9", None)


def test_a_description_says_everything_and_is_json():
    tokenizer = unigram(
        ["a", "ab", b"\xc3", None], {"a": "-1/2", "ab": 0}, unknown=3, alphabet=["a", "b"]
    )
    assert json.loads(json.dumps(tokenizer.describe())) == {
        "vocabulary": ["a", "ab", "<0xC3>", None],
        "segmentation": "unigram",
        "scores": {"a": "-1/2", "ab": "0/1"},
        "unknown": 3,
    }
    assert "<0xC3>" in repr(tokenizer)
    assert bpe(["a", "b"], [("a", "b")]).describe()["merges"] == [["a", "b"]]
    assert QUIRKS["lower_casing"]().describe()["normalisers"] == ["lower-case"]


def test_tokenizers_can_be_sent_to_another_process():
    again = pickle.loads(pickle.dumps(QUIRKS["skipped_special"]()))
    assert again.encode("a|b") == (0, 2, 1)


def test_text_without_tokens_raises_every_time():
    for _ in range(2):
        with pytest.raises(EncodeError, match="text 'ac': no token for the character 'c'"):
            greedy(["a"]).encode("ac")


@pytest.mark.parametrize("token", [-1, 2])
def test_an_id_out_of_range_is_named(token: int):
    with pytest.raises(ValueError, match=rf"id {token} at position 1 is outside 0 \.\. 1"):
        greedy(["a", "b"]).decode([0, token])


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        (lambda: greedy([]), "pieces is empty"),
        (lambda: greedy(["a", ""]), "piece 1 is the empty text"),
        (lambda: greedy(["a", b"ab"]), "piece 1 is b'ab'; the byte fallback takes one byte"),
        (lambda: greedy(["a"], alphabet=["ab"]), "alphabet: 'ab' is not one character"),
        (lambda: greedy(["a"], unknown=1), r"unknown is id 1, outside 0 \.\. 0"),
        (
            lambda: greedy(["a"], end_of_sequence=0),
            "end_of_sequence is id 0, which stands for b'a'",
        ),
        (lambda: greedy(["a"], specials={"|": 0}), r"special '\|' is id 0, which stands for b'a'"),
        (lambda: greedy(["a", None], specials={"": 1}), "specials: the spelling of id 1 is empty"),
        (lambda: bpe(["a"], [("a", "")]), r"merge 0 is \('a', ''\); both sides need text"),
        (lambda: bpe(["a"], [("a", "a"), ("a", "a")]), r"merge 1 is \('a', 'a'\) again"),
        (lambda: unigram(["a"], {}), "scores: the piece 'a' has none"),
        (lambda: unigram(["a"], {"a": 0, "b": 1}), "scores: 'b' is no piece of the vocabulary"),
        (lambda: unigram(["a"], {"a": -0.5}), r"score of 'a': -0\.5 is no exact number"),
    ],
)
def test_bad_input_is_named(build, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        build()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, TokenizerError) or "exact number" in complaint
