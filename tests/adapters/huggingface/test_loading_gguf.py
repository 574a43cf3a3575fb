"""GGUF files: converted once, to the weights and the tokenizer that are in them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs pip install 'draftproof[models]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)
gguf = pytest.importorskip("gguf", reason=NEEDS)
pytest.importorskip("accelerate", reason=NEEDS)

import numpy as np  # noqa: E402
from draftproof.adapters.huggingface import gguf_files  # noqa: E402
from draftproof.adapters.huggingface.gguf_files import converted, models_folder  # noqa: E402
from draftproof.adapters.huggingface.loading import ModelError, load  # noqa: E402
from draftproof.adapters.tokenizers.spellings import byte_level_alphabet  # noqa: E402

torch.set_num_threads(1)
HIDDEN, BETWEEN, HEADS = 32, 64, 2
TOKENS = [*byte_level_alphabet(), "12", "<|end|>"]
END = len(TOKENS) - 1


def tensors():
    draws = np.random.default_rng(0)

    def of(*shape):
        return draws.normal(0, 0.2, shape).astype(np.float32)

    yield "token_embd.weight", of(len(TOKENS), HIDDEN)
    yield "output_norm.weight", np.ones(HIDDEN, np.float32)
    for part in ("q", "k", "v", "output"):
        yield f"blk.0.attn_{part}.weight", of(HIDDEN, HIDDEN)
    yield "blk.0.ffn_gate.weight", of(BETWEEN, HIDDEN)
    yield "blk.0.ffn_up.weight", of(BETWEEN, HIDDEN)
    yield "blk.0.ffn_down.weight", of(HIDDEN, BETWEEN)
    yield "blk.0.attn_norm.weight", np.ones(HIDDEN, np.float32)
    yield "blk.0.ffn_norm.weight", np.ones(HIDDEN, np.float32)


def write(path, pre="smollm", without=()):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(BETWEEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(TOKENS))
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_types([1] * END + [3])
    writer.add_token_merges(["1 2"])
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)
    for name, values in tensors():
        if name not in without:
            writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path / "cache"))


def refusal(path):
    with pytest.raises(ModelError) as raised:
        load(path)
    assert len(str(raised.value).splitlines()) == 1
    assert not list(models_folder().glob("*")), "nothing half made is left"
    return str(raised.value)


def test_a_file_is_converted_once_to_what_is_in_it(tmp_path, capfd, monkeypatch):
    file = write(tmp_path / "tiny.gguf")
    capfd.readouterr()
    loaded = load(file)
    assert capfd.readouterr() == ("", "")
    assert loaded.model.size == len(TOKENS)
    assert loaded.model.window == 64
    assert loaded.stop_ids == {END}
    held = dict(tensors())
    table = loaded.model.model.get_input_embeddings().weight
    assert np.array_equal(table.numpy(), held["token_embd.weight"])
    gate = loaded.model.model.model.layers[0].mlp.gate_proj.weight
    assert np.array_equal(gate.numpy(), held["blk.0.ffn_gate.weight"])

    folder = converted(file)
    assert folder.parent == models_folder()
    assert [each.name for each in models_folder().iterdir()] == [folder.name]
    assert (folder / "model.safetensors").stat().st_mode & 0o444 == 0o444

    def fail(*_):
        raise AssertionError("converted again")

    monkeypatch.setattr(gguf_files, "_convert", fail)
    assert converted(file) == folder
    assert load(str(file)).model.size == len(TOKENS)


def test_digits_are_taken_one_by_one_where_the_file_says_so(tmp_path):
    one_by_one = load(write(tmp_path / "smollm.gguf")).tokenizer
    assert [one_by_one.decode([token]) for token in one_by_one.encode("a12")] == ["a", "1", "2"]
    merged = load(write(tmp_path / "gpt.gguf", pre="gpt-2")).tokenizer
    assert [merged.decode([token]) for token in merged.encode("a12")] == ["a", "12"]


def test_a_changed_file_is_converted_anew(tmp_path):
    file = tmp_path / "tiny.gguf"
    first = gguf_files.folder_of(write(file))
    assert gguf_files.folder_of(file) == first
    assert gguf_files.folder_of(write(file, pre="gpt-2")) != first


def test_files_that_are_none_or_cut_short(tmp_path):
    file = tmp_path / "none.gguf"
    file.write_bytes(b"what is this")
    assert "does not begin with GGUF" in refusal(file)
    whole = write(tmp_path / "whole.gguf").read_bytes()
    file.write_bytes(whole[:300])
    assert refusal(file).endswith("if it is cut short or damaged, fetch it again")
    file.write_bytes(whole[:-2000])
    assert refusal(file).endswith("if the file is cut short or damaged, fetch it again")


def test_missing_weights(tmp_path):
    file = write(tmp_path / "tiny.gguf", without=("blk.0.ffn_up.weight",))
    said = refusal(file)
    assert f"{file} lacks 1 weights of LlamaForCausalLM" in said
    assert "model.layers.0.mlp.up_proj.weight" in said


def test_packages_that_are_not_installed_are_named(tmp_path, monkeypatch):
    file = write(tmp_path / "tiny.gguf")
    monkeypatch.setattr(gguf_files, "find_spec", lambda name: None)
    assert refusal(file) == (
        "gguf and accelerate are not installed, which reading tiny.gguf needs: "
        "pip install 'draftproof[models]'"
    )
