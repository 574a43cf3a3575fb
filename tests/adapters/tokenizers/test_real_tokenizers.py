"""Conformance of every named tokenizer: what its ids mean, its laws, and that they are tight."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from draftproof.adapters.tokenizers import TOKENIZERS, Named, RealTokenizer, load_tokenizer
from draftproof.reference import EncodeError
from hard_strings import ALL
from hypothesis import given, settings
from hypothesis import strategies as st
from named_cases import CASES, KNOWN_ELSEWHERE
from own_reading import OWN
from page_rows import HEAD, changes, kinds_head, kinds_row, row

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")
pytest.importorskip("tiktoken")

NAMED = [named for named in TOKENIZERS if named.asset != "gemma-gguf"]
GOLD = [named.name for named in NAMED if named.gold]

# A second source of the same ids: the name here has those of the vocabulary there.
SAME_IDS = {"gpt2": "gpt-2", "llama3": "llama-bpe", "qwen": "qwen2", "qwen3": "qwen2"} | {
    "gpt-neox": "mpt"
}


@pytest.fixture(scope="module", params=NAMED, ids=lambda named: named.name)
def named(request: pytest.FixtureRequest, asset: Callable[[str], Path]) -> Named:
    asset(request.param.asset)
    return request.param


@pytest.fixture(scope="module")
def real(named: Named) -> RealTokenizer:
    return load_tokenizer(named.name)


def test_there_are_all_families_and_enough_that_lose_text() -> None:
    assert len(NAMED) >= 18
    assert len({named.family for named in NAMED}) == 8
    assert sum(OWN.get(named.name) is not OWN["gpt2"] for named in NAMED) >= 6
    assert set(CASES) == {named.name for named in TOKENIZERS}


def test_what_the_catalogue_says(named: Named, real: RealTokenizer) -> None:
    assert (real.name, real.family, len(real.vocabulary)) == (named.name, named.family, named.size)
    assert real.end_of_sequence in real.stop_ids
    assert all(real.vocabulary[token] is None for token in real.stop_ids)
    assert all(real.vocabulary[token] is None for token in real.beginning)


PAGE = Path(__file__).resolve().parents[3] / "docs" / "tokenizer-adapters.md"


def test_the_page_has_what_is_measured(real: RealTokenizer) -> None:
    """Its rows in both tables; ``python page_rows.py`` prints them anew."""
    lines = PAGE.read_text(encoding="utf-8")
    assert f"\n{row(real)}\n" in lines
    assert (f"\n{kinds_row(real)}\n" in lines) == bool(changes(real))
    assert HEAD in lines
    assert kinds_head() in lines


def library_decoding(real: RealTokenizer) -> Callable[[list[int]], str] | None:
    """The decoding of the library behind a tokenizer; None where it has none of its own."""
    encoder = real.encoder
    if hasattr(encoder, "tokenizer") and real.family != "byte-level BPE with an end of word":
        return encoder.tokenizer.decode  # type: ignore[attr-defined]
    if hasattr(encoder, "processor"):
        return encoder.processor.decode  # type: ignore[attr-defined]
    if hasattr(encoder, "encoding"):
        return lambda ids: encoder.encoding.decode_bytes(ids).decode("utf-8", "replace")  # type: ignore[attr-defined]
    return None


def test_ids_mean_what_the_library_decodes(real: RealTokenizer) -> None:
    """Sequences of ids drawn with a seed, as one: decoding by bytes is the library's decoding.

    Where bytes join to no text the libraries put U+FFFD differently often; there only the rest is
    compared.
    """
    decode = library_decoding(real)
    if decode is None:
        assert real.name in ("clip", "rwkv")
        return
    generator = random.Random(7)
    texts = [token for token, spelled in enumerate(real.vocabulary) if spelled]
    compared = 0
    for _ in range(600):
        ids = [texts[int(generator.random() * len(texts))] for _ in range(6)]
        ours = real.decode(ids)
        if "\ufffd" in ours:
            assert "\ufffd" in decode(ids)
            continue
        if real.family == "WordPiece":
            ours = ("##" + ours) if not real.vocabulary[ids[0]].startswith(b" ") else ours  # type: ignore[union-attr]
        assert ours == decode(ids), ids
        compared += 1
    assert compared > 100


def test_bytes_join_before_they_are_read(real: RealTokenizer) -> None:
    """decode_bytes of two parts together is the two one after the other, prefix aside."""
    generator = random.Random(8)
    whole = real.bare or real
    for _ in range(200):
        ids = [int(generator.random() * len(real.vocabulary)) for _ in range(8)]
        joined = b"".join(whole.vocabulary[token] or b"" for token in ids)
        assert whole.decode_bytes(ids) == joined
        assert whole.decode_bytes(ids[:3]) + whole.decode_bytes(ids[3:]) == joined
        assert joined.endswith(real.decode_bytes(ids))
        assert joined.removesuffix(real.decode_bytes(ids)).strip(b" ") == b""


def every_token_known(real: RealTokenizer, text: str) -> bool:
    return all(real.vocabulary[token] is not None for token in real.encode(text))


def test_what_is_left_of_hard_strings(real: RealTokenizer) -> None:
    """The stated law, and the same written a second time without the library."""
    own = OWN.get(real.name)
    batch = real.encode_many(ALL)
    checked = 0
    for text, ids in zip(ALL, batch, strict=True):
        assert real.encode(text) == ids
        if not every_token_known(real, text):
            continue
        back = real.decode(ids)
        assert back == real.text_law.kept(text)
        only_ascii = real.family in ("Unigram", "SentencePiece Unigram") or real.name == "clip"
        printable = text.isascii() and all(c >= " " or c in "\t\n" for c in text)
        if own is not None and (not only_ascii or (printable and "\x7f" not in text)):
            checked += 1
            assert back == (own(text).rstrip(" ") if real.name == "xlm-r" else own(text))
        again = real.encode(back)
        assert real.decode(again) == back, "reading a second time changes nothing"
    assert own is None or checked >= 25


TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \t\n\u00a0\u2581\u0120e\u0301\u00e9\ufb01ABab19<|>/_#'"),
        st.characters(exclude_categories=("Cs", "Cn", "Co")),
    ),
    max_size=24,
)


def test_what_is_left_of_any_text(real: RealTokenizer) -> None:
    """Texts by hypothesis, derandomized."""

    @settings(max_examples=60)
    @given(TEXTS)
    def check(text: str) -> None:
        ids = real.encode(text)
        if every_token_known(real, text):
            assert real.decode(ids) == real.text_law.kept(text)
            if real.laws.round_trips:
                assert real.decode(ids) == text

    check()


def test_every_law_that_is_denied_has_its_counterexample(real: RealTokenizer) -> None:
    case = CASES[real.name]
    assert real.decode(case.other).strip(" ") == "the"
    assert real.encode(real.decode(case.other)) == case.the != case.other
    assert not real.laws.canonical
    first, second, one, two, both = case.apart
    assert (real.decode((first,)), real.decode((second,))) == (one, two)
    assert real.decode((first, second)) == both != one + two
    assert not real.laws.concatenative
    if case.merged is not None:
        text, other, ids, back = case.merged
        assert real.encode(text) == real.encode(other) == ids
        assert real.decode(ids) == back
        assert not real.laws.injective
    elif not real.laws.round_trips:
        # One lead byte has no token: the rest of its characters is no text, so nothing collides.
        assert real.laws.injective
        assert real.name in ("starcoder", "refact")
        assert real.decode(real.encode("a\U00040000")) == "a\ufffd\ufffd\ufffd"
    else:
        assert real.laws.injective
    assert real.laws.total


def test_known_ids(real: RealTokenizer) -> None:
    """Of "Hello world"; `KNOWN_ELSEWHERE` says for which they do not come from the files alone."""
    text = "hello world" if real.name == "clip" else "Hello world"
    assert real.encode(text) == CASES[real.name].hello
    checked_otherwise = real.name in {*KNOWN_ELSEWHERE, *GOLD, *SAME_IDS, *BY_RANKS}
    assert checked_otherwise or real.name in ("j2", "mistral-v3")


def gold_ids(folder: Path, vocabulary: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(text, ids) of the gold files beside a vocabulary."""
    stem = folder / f"ggml-vocab-{vocabulary}.gguf"
    texts = stem.with_name(stem.name + ".inp").read_text(encoding="utf-8")
    lines = stem.with_name(stem.name + ".out").read_text(encoding="utf-8").split("\n")
    pieces = texts.split("\n__ggml_vocab_test__\n")
    assert len(pieces) == len(lines) > 40
    for text, line in zip(pieces, lines, strict=True):
        yield text, tuple(map(int, line.split()))


def test_gold_ids(named: Named, real: RealTokenizer, asset: Callable[[str], Path]) -> None:
    """Every text of the gold files, exactly."""
    if not named.gold and named.name not in SAME_IDS:
        return
    vocabulary = SAME_IDS.get(named.name) or named.file.removeprefix("ggml-vocab-")
    found = gold_ids(asset("llama-cpp-vocabs"), vocabulary.removesuffix(".gguf"))
    for text, ids in found:
        assert real.encode(text) == ids, text


def test_digits_of_smollm2_stand_alone(asset: Callable[[str], Path]) -> None:
    """What the way of cutting that the file names must do; without it digits would merge."""
    asset("smollm2-gguf")
    smollm2 = load_tokenizer("smollm2")
    ids = smollm2.encode("1234567890 99")
    assert [smollm2.decode((token,)) for token in ids] == [*"1234567890", " ", "9", "9"]
    assert b"99" not in smollm2.vocabulary
    assert b"12" not in smollm2.vocabulary


BY_RANKS = ("qwen", "o200k", "tekken", "claude")
WORDS = ("Hello", " world", " tokenization", "ing", " \u00e9l\u00e8ve", "\u4f60\u597d", "=====")


def merged(word: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """Byte-pair encoding as it is defined: merge the pair of lowest rank, until there is none."""
    parts = [word[i : i + 1] for i in range(len(word))]
    while len(parts) > 1:
        pairs = [ranks.get(a + b, len(ranks) * 2) for a, b in pairwise(parts)]
        best = min(pairs)
        if best == len(ranks) * 2:
            break
        at = pairs.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


@pytest.mark.parametrize("name", BY_RANKS)
def test_ranks_merge_as_defined(name: str, asset: Callable[[str], Path]) -> None:
    asset(next(named.asset for named in NAMED if named.name == name))
    real = load_tokenizer(name)
    ranks = {spelled: token for token, spelled in enumerate(real.vocabulary) if spelled}
    for word in WORDS:
        ids = real.encode(word)
        assert [real.vocabulary[token] for token in ids] == merged(word.encode(), ranks)
    assert CASES[name].hello == tuple(
        ranks[part] for word in (b"Hello", b" world") for part in merged(word, ranks)
    )


def test_a_prompt_names_the_first_character_that_is_lost(real: RealTokenizer) -> None:
    assert real.prompt("Hello") == real.beginning + real.encode("Hello")
    composed = unicodedata.normalize("NFD", "\u00e9")
    if real.name != "t5":
        assert real.prompt(composed), "normalisation is no loss"
    if real.dropped:
        lost = {"smollm2": "\x04", "falcon": "\x04"}.get(real.name, "\U00040000")
        with pytest.raises(EncodeError, match=rf"^{real.name} drops a byte of .* at character 3 "):
            real.prompt("ab" + lost + lost)
    if (
        real.unknown is not None
        and real.name not in ("j2", "gemma3")
        and real.family != ("SentencePiece BPE")
    ):
        with pytest.raises(EncodeError, match=rf"^{real.name} has no token for .* at character 4$"):
            real.prompt("ab \U00012000 \U00012000")
    with pytest.raises(EncodeError, match=r"^'\\ud800' \(U\+D800\) at character 2 is half"):
        real.encode("a\ud800")


def test_specials_in_a_text_are_text(real: RealTokenizer) -> None:
    """All but Unigram models of `tokenizers`, whose pieces hold them: there a prompt refuses."""
    spelled = ("</s>", "<|endoftext|>", "<eos>", "<|im_end|>", "<s>", "[CLS]", "<EOT>", "<pad>")
    reached = [
        t
        for t in spelled
        if real.unknown not in (i := real.encode(t))
        and any(real.vocabulary[token] is None for token in i)
    ]
    if real.name == "t5":
        assert reached == ["</s>", "<pad>"]
        with pytest.raises(EncodeError, match=r"^t5 reads a special token"):
            real.prompt("a</s>")
    else:
        assert reached == []


def test_padding_and_ids_outside(real: RealTokenizer) -> None:
    size = len(real.vocabulary)
    padded = real.padded(size + 3)
    assert padded.vocabulary == (*real.vocabulary, None, None, None)
    assert padded.decode([size + 1]) == ""
    assert real.padded(size + 3) is padded
    assert real.padded(size) is real
    if real.bare is not None:
        assert padded.bare is not None
        assert padded.bare.vocabulary == padded.vocabulary
    with pytest.raises(ValueError, match=f"^vocabulary larger than the head: {real.name} has"):
        real.padded(size - 1)
    with pytest.raises(ValueError, match=rf"^{real.name}: id {size} is outside 0 .. {size - 1}$"):
        real.decode([size])
    with pytest.raises(ValueError, match="id -1 is outside"):
        real.decode([0, -1])


def test_text_that_continues(real: RealTokenizer) -> None:
    """`bare` keeps a space in front, where the tokenizer itself does not tell it from none."""
    if real.bare is None:
        assert real.decode(real.encode(" a")) != "a"
        return
    bare = real.bare
    assert bare.leading == "nothing"
    assert real.decode(real.encode("the cat")) == "the cat"
    assert bare.decode(bare.encode(" cat")) == " cat"
    if real.family != "WordPiece":
        assert bare.decode(bare.encode("cat")) == "cat"
    for text in ALL:
        if every_token_known(bare, text):
            assert bare.decode(bare.encode(text)) == bare.text_law.kept(text)
