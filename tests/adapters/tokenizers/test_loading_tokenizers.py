"""Where a tokenizer can be loaded from, and one line for what cannot."""

from __future__ import annotations

import base64
import dataclasses
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from draftproof.adapters.tokenizers import (
    RestrictedTokenizer,
    TokenizerError,
    from_gguf,
    from_tokenizers,
    load_tokenizer,
    loading,
    named_tokenizer,
)
from draftproof.adapters.tokenizers.description import describe
from draftproof.adapters.tokenizers.from_tokenizers import check_against_library
from draftproof.adapters.tokenizers.gguf_metadata import read_metadata
from draftproof.adapters.tokenizers.spellings import (
    byte_level,
    byte_level_alphabet,
    byte_piece,
    end_of_word,
    metaspace,
    word_piece,
)
from draftproof.reference import EncodeError

tokenizers = pytest.importorskip("tokenizers")
sentencepiece = pytest.importorskip("sentencepiece")
tiktoken = pytest.importorskip("tiktoken")

NEITHER_LIBRARY = """
import sys
from draftproof.adapters.tokenizers import load_tokenizer, RealTokenizer
heavy = {"torch", "transformers", "tokenizers", "sentencepiece", "tiktoken"}
print(*sorted(heavy & set(sys.modules)))
"""


def test_importing_the_package_imports_no_library() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEITHER_LIBRARY], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


def test_spellings() -> None:
    alphabet = byte_level_alphabet()
    assert len(set(alphabet)) == 256
    assert (alphabet[ord("A")], alphabet[0x20], alphabet[0x0A]) == ("A", "\u0120", "\u010a")
    assert byte_level("".join(alphabet)) == bytes(range(256))
    assert byte_level("\u2122") == "\u2122".encode()
    assert metaspace("\u2581the\u2581") == b" the "
    assert (byte_piece("<0xAB>"), byte_piece("<0xAB> "), byte_piece("a")) == (b"\xab", None, None)
    assert (word_piece("##ing"), word_piece("in"), word_piece("##")) == (b"ing", b" in", b" ##")
    assert (end_of_word("\u0120a</w>"), end_of_word("a")) == (b" a ", b"a")


def test_every_way_to_the_same_tokenizer(asset: Callable[[str], Path], tmp_path: Path) -> None:
    folder = asset("llama-cpp-vocabs")
    named = load_tokenizer("starcoder")
    file = load_tokenizer(str(folder / "ggml-vocab-starcoder.gguf"))
    assert named.encode("def f(x): 12") == file.encode("def f(x): 12")
    (tmp_path / "one").mkdir()
    backend: Any = named.encoder
    backend.tokenizer.save(str(tmp_path / "one" / "tokenizer.json"))
    for source in (tmp_path / "one", tmp_path / "one" / "tokenizer.json", backend.tokenizer):
        found = load_tokenizer(source)
        assert found.encode("def f(x): 12") == named.encode("def f(x): 12")
    assert load_tokenizer(named) is named
    assert load_tokenizer("starcoder") is named, "two models with one tokenizer share it"
    assert not backend.tokenizer.encode_special_tokens or found is not named


def test_a_sentencepiece_model_each_way(asset: Callable[[str], Path]) -> None:
    path = asset("mistral") / "mistral_instruct_tokenizer_240323.model.v3"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for source in (processor, path):
        found = load_tokenizer(source)
        assert found.encode("Hello world") == (23325, 2294)
        assert found.end_of_sequence == 2
        assert found.beginning == ()
    assert load_tokenizer("mistral-v3").beginning == (1,)


def test_a_tiktoken_encoding_each_way(tmp_path: Path) -> None:
    """All bytes and one merge, as an object and as a file."""
    ranks = {bytes([b]): b for b in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding(
        "tiny", pat_str=".+", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 259}
    )
    found = load_tokenizer(encoding)
    assert (found.encode("abé<|endoftext|>")[:3], found.end_of_sequence) == ((256, 0xC3, 0xA9), 259)
    assert found.vocabulary[255:] == (b"\xff", b"ab", None, None, None)
    file = tmp_path / "tiny.tiktoken"
    file.write_bytes(b"\n".join(base64.b64encode(t) + b" %d" % r for t, r in ranks.items()))
    assert load_tokenizer(file).encode("abab") == (256, 256)
    file.write_bytes(b"YQ== 0\nnonsense\n")
    with pytest.raises(TokenizerError, match=r"^tiny\.tiktoken, line 2: no token in base 64"):
        load_tokenizer(file)
    file.write_bytes(b"YQ== 0\n")
    with pytest.raises(TokenizerError, match=r"^tiny: 242 byte values have no rank$"):
        load_tokenizer(file)


def tiny(**parts: Any) -> Any:
    """A `tokenizers.Tokenizer` over a few pieces, with these parts of its description."""
    vocab = parts.pop("vocab", {"a": 0, "b": 1, "ab": 2, "<unk>": 3})
    whole = json.loads(tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=[])).to_str())
    return tokenizers.Tokenizer.from_str(json.dumps(whole | parts))


def test_what_a_description_means() -> None:
    """A prefix space, an added token that is text, a special one, and the order of padding."""
    vocab = {c: i for i, c in enumerate(byte_level_alphabet())}
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    made = tiny(
        vocab=vocab,
        pre_tokenizer={
            "type": "ByteLevel",
            "add_prefix_space": True,
            "trim_offsets": True,
            "use_regex": True,
        },
        decoder={
            "type": "ByteLevel",
            "add_prefix_space": True,
            "trim_offsets": True,
            "use_regex": True,
        },
        added_tokens=[
            {"id": 256, "content": "<run>\n", "special": False, **plain},
            {"id": 257, "content": "<end>", "special": True, **plain},
        ],
    )
    found = from_tokenizers(made, "tiny", end_of_sequence="<end>")
    assert found.vocabulary[256:] == (b"<run>\n", None)
    assert found.encode("<run>\n") == (256,)
    assert found.encode("<end>")[0] == vocab["\u0120"], "a special spelled out is text"
    assert 257 not in found.encode("<end>")
    assert found.decode(found.encode("a")) == " a" == found.text_law.kept("a")
    assert found.bare is not None
    assert found.bare.decode(found.bare.encode("a")) == "a"
    assert made.encode("<end>").ids == [257], "the object given stays as it was"
    with pytest.raises(TokenizerError, match=r"^tiny has no token '<eos>'$"):
        from_tokenizers(made, "tiny", end_of_sequence="<eos>")


@pytest.mark.parametrize(
    ("decoder", "said"),
    [
        (None, "how its decoder (none) spells is not known"),
        ({"type": "Fuse"}, "how its decoder (['Fuse']) spells is not known"),
        ({"type": "WordPiece", "prefix": "##", "cleanup": True}, "glues punctuation"),
    ],
)
def test_a_decoder_that_is_not_understood_is_refused(decoder: object, said: str) -> None:
    with pytest.raises(TokenizerError) as raised:
        from_tokenizers(tiny(decoder=decoder), "tiny")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_spelling_that_the_library_decodes_otherwise_is_refused() -> None:
    """A replacement that the description's reader does not follow."""
    decoder = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "Replace", "pattern": {"String": "b"}, "content": "c"},
            {"type": "Fuse"},
        ],
    }
    with pytest.raises(TokenizerError, match=r"^tiny: id 1 means 'b' by its spelling, but the lib"):
        from_tokenizers(tiny(decoder=decoder), "tiny")


def test_ways_of_cutting_that_could_not_be_checked_are_refused(
    asset: Callable[[str], Path],
) -> None:
    with pytest.raises(TokenizerError) as raised:
        from_gguf(asset("llama-cpp-vocabs") / "ggml-vocab-deepseek-llm.gguf")
    assert str(raised.value) == (
        "ggml-vocab-deepseek-llm.gguf cuts text in a way that could not be checked here "
        "(deepseek-llm)"
    )


def gguf(path: Path, **entries: str) -> Path:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    body = b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
    for key, value in entries.items():
        body += text("tokenizer.ggml." + key) + struct.pack("<I", 8) + text(value)
    path.write_bytes(body)
    return path


def test_gguf_files_that_are_none(tmp_path: Path) -> None:
    path = gguf(tmp_path / "a.gguf", model="gpt2")
    assert read_metadata(path) == {"tokenizer.ggml.model": "gpt2"}
    with pytest.raises(TokenizerError, match=r"^a\.gguf holds no tokenizer$"):
        from_gguf(path)
    with pytest.raises(TokenizerError, match=r"tokenizers of the kind 'rwkv' are not known here$"):
        from_gguf(gguf(path, model="rwkv", tokens="x"))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(TokenizerError, match=r"is no GGUF file that can be read: "):
        from_gguf(path)
    for content in (b"", b"GGUF", b"PK\x03\x04 and more", b"GGUF" + b"\xff" * 40):
        path.write_bytes(content)
        with pytest.raises(TokenizerError, match="is no GGUF file that can be read") as raised:
            load_tokenizer(path)
        assert "\n" not in str(raised.value)


def test_the_metadata_are_those_of_the_library(asset: Callable[[str], Path]) -> None:
    gguf_library = pytest.importorskip("gguf")
    path = asset("llama-cpp-vocabs") / "ggml-vocab-phi-3.gguf"
    ours = read_metadata(path)
    theirs = {
        key: field.contents()
        for key, field in gguf_library.GGUFReader(path).fields.items()
        if not key.startswith("GGUF.")
    }
    assert ours == theirs


def test_rwkv_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("1 'a' 1\n2 b'\\xff' 2\n", encoding="utf-8")
    with pytest.raises(TokenizerError, match=r"^words\.txt, line 2: no id, literal and length$"):
        load_tokenizer(path)
    path.write_text("1 'a' 1\n", encoding="utf-8")
    with pytest.raises(TokenizerError, match=r"^words\.txt: byte 0x00 has no token$"):
        load_tokenizer(path)


def test_sources_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    (tmp_path / "bad.model").write_text("x")
    (tmp_path / "bad.bin").write_text("x")
    (tmp_path / "empty").mkdir()
    for source, said in (
        (tmp_path / "missing.json", "there is no such file or folder"),
        ("missing.gguf", "there is no such file or folder"),
        (tmp_path / "bad.json", "is no tokenizer.json: "),
        (tmp_path / "bad.model", "is no SentencePiece model: "),
        (tmp_path / "bad.bin", "known are tokenizer.json, .model, .tiktoken, .gguf and RWKV's"),
        (tmp_path / "empty", "holds no tokenizer.json, .model, .tiktoken or .gguf"),
        (3, "int is no tokenizer of a library known here"),
    ):
        with pytest.raises(TokenizerError) as raised:
            load_tokenizer(source)
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)
    with pytest.raises(TokenizerError, match=r"^no tokenizer is called 'gpt5'; there are gpt2, "):
        named_tokenizer("gpt5")


def test_a_library_that_is_not_there_is_one_line(
    asset: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asset("llama-cpp-vocabs")
    for library, name in (
        ("sentencepiece", "phi-3"),
        ("tokenizers", "bert"),
        ("tiktoken", "o200k"),
    ):
        asset(named_tokenizer(name).asset)
        loading._load_named.cache_clear()
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(TokenizerError, match=rf"^{name} needs {library}: pip install 'draft"):
            load_tokenizer(name)


def test_a_hub_that_cannot_be_reached_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = pytest.importorskip("transformers")

    def offline(*arguments: object, **others: object) -> None:
        raise OSError("We couldn't connect to the hub\nand it is not in the cache.")

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", offline)
    with pytest.raises(TokenizerError) as raised:
        load_tokenizer("someone/something")
    assert str(raised.value) == (
        "'someone/something' is no tokenizer known by name and no file, and the hub did not give "
        "it: We couldn't connect to the hub and it is not in the cache."
    )


def test_a_hub_that_cannot_be_reached_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The libraries try each of several files six times, with a warning each: half a minute."""
    pytest.importorskip("transformers")
    hub = pytest.importorskip("huggingface_hub")
    asked: list[str] = []

    def offline(self: object, name: str, **others: object) -> None:
        asked.append(name)
        raise OSError("no network")

    monkeypatch.setattr(hub.HfApi, "model_info", offline)
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", False)
    with pytest.raises(TokenizerError, match="the hub did not give it"):
        load_tokenizer("draftproof-tests/no-such-model")
    assert asked == ["draftproof-tests/no-such-model"]
    assert capfd.readouterr() == ("", "")


def test_transformers_tokenizers(asset: Callable[[str], Path]) -> None:
    """A fast one with specials of its own; its settings say what goes in front."""
    transformers = pytest.importorskip("transformers")
    backend: Any = load_tokenizer("starcoder").encoder
    asset("llama-cpp-vocabs")
    copy = tokenizers.Tokenizer.from_str(backend.tokenizer.to_str())
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=copy, eos_token="<|endoftext|>", clean_up_tokenization_spaces=False
    )
    found = load_tokenizer(fast)
    text = "def f(x): 12 é<|endoftext|>"
    assert found.decode(found.encode(text)) == text
    assert found.end_of_sequence == fast.eos_token_id
    assert found.end_of_sequence in found.stop_ids
    assert found.vocabulary[found.end_of_sequence] is None


def test_slow_transformers_tokenizers_by_the_model_they_wrap(asset: Callable[[str], Path]) -> None:
    """An object with the attributes of a slow tokenizer: a SentencePiece model, added tokens."""
    path = asset("mistral") / "tokenizer.model.v1"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))

    class Added:
        def __init__(self, content: str, special: bool) -> None:
            self.content, self.special = content, special

    class SlowTokenizer:
        name_or_path, eos_token_id, sp_model = "slow", 2, processor
        added_tokens_decoder: ClassVar = {
            32000: Added("<|im_end|>", True),
            32001: Added("<x>", False),
        }

        def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
            return {"input_ids": [1] * add_special_tokens + processor.encode(text)}

    SlowTokenizer.__module__ = "transformers.models.slow"
    found = load_tokenizer(SlowTokenizer())
    assert found.vocabulary[32000:] == (None, b"<x>")
    assert found.stop_ids == {2, 32000}
    assert found.beginning == (1,)
    assert found.encode("Hello world") == (22557, 1526)
    SlowTokenizer.sp_model = None
    with pytest.raises(TokenizerError, match=r"^slow: a slow tokenizer \(SlowTokenizer\) without"):
        load_tokenizer(SlowTokenizer())


def test_a_tokenizer_cut_down(asset: Callable[[str], Path]) -> None:
    asset("llama-cpp-vocabs")
    whole = load_tokenizer("starcoder")
    a, b, ab = (whole.encode(text)[0] for text in ("a", "b", "ab"))
    small = RestrictedTokenizer(whole, (ab, a, 0))
    assert (small.vocabulary, small.end_of_sequence) == ((b"ab", b"a", None), 2)
    assert small.encode("ab") == (0,)
    assert small.decode((1, 0, 2)) == "aab"
    assert not small.laws.total
    with pytest.raises(EncodeError, match=f"^'b' needs id {b}, which is not kept$"):
        small.encode("b")
    for kept, said in (((), "at least one"), ((a, a), "kept twice"), ((-1,), "id -1 is outside")):
        with pytest.raises(ValueError, match=said):
            RestrictedTokenizer(whole, kept)


def test_a_wrong_meaning_of_an_id_is_noticed(asset: Callable[[str], Path]) -> None:
    """The check at loading, on a tokenizer in which two ids have changed places."""
    asset("llama-cpp-vocabs")
    whole = load_tokenizer("starcoder")
    backend: Any = whole.encoder
    swapped = list(whole.vocabulary)
    swapped[1920], swapped[1921] = swapped[1921], swapped[1920]
    wrong = dataclasses.replace(whole, vocabulary=tuple(swapped), _padded={})
    described = describe(json.loads(backend.tokenizer.to_str()), "starcoder")
    check_against_library(whole, backend.tokenizer.decode, described)
    with pytest.raises(TokenizerError, match=r"^starcoder: id 1920 means .* by its spelling, but"):
        check_against_library(wrong, backend.tokenizer.decode, described)
