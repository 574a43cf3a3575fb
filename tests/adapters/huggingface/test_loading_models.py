"""Loading models: what comes out, that it is silent, and one line for each thing that is wrong."""

from __future__ import annotations

import json
import math

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs transformers: pip install 'draftproof[models]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)

from draftproof.adapters.drafters.vocabulary import BEGIN, END, byte_tokenizer  # noqa: E402
from draftproof.adapters.huggingface.loading import ModelError, load  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

torch.set_num_threads(1)
WEIGHTS = "model.safetensors"


def llama(folder, **changes):
    options = {
        "vocab_size": 264,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "bos_token_id": BEGIN,
        "eos_token_id": END,
        "initializer_range": 0.3,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**options, **changes}))
    model.eval().save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return model


@pytest.fixture
def folder(tmp_path):
    llama(tmp_path)
    return tmp_path


def change(folder, file, **values):
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def refusal(*arguments, **options):
    with pytest.raises(ModelError) as raised:
        load(*arguments, **options)
    assert len(str(raised.value).splitlines()) == 1
    return str(raised.value)


def test_a_folder_loads_in_silence_as_transformers_reads_it(tmp_path, capfd):
    plain = llama(tmp_path)
    capfd.readouterr()
    loaded = load(str(tmp_path), Settings(temperature=0.5), dtype="float64")
    assert capfd.readouterr() == ("", "")
    assert loaded.parameters == plain.num_parameters()
    assert (loaded.model.size, loaded.model.window) == (264, 128)
    assert loaded.model.device == torch.device("cpu")
    assert loaded.config.vocab_size == 264
    assert loaded.name == str(tmp_path)
    assert loaded.stop_ids == {END}
    assert loaded.remarks == ()
    assert len(loaded.tokenizer.vocabulary) == 264
    assert loaded.tokenizer.vocabulary[255:260] == (b"\xff", None, None, None, None)
    ids = loaded.tokenizer.prompt("né")
    assert ids == (BEGIN, *"né".encode())
    due = (plain.double()(torch.tensor([ids])).logits[0, -1] / 0.5).softmax(-1)
    assert torch.allclose(loaded.model.distributions(ids)[0].row, due, rtol=0, atol=1e-12)


def test_the_tiny_model_needs_nothing_and_is_the_same_every_time():
    first, again = load("tiny-random"), load("tiny-random", device=torch.device("cpu"))
    ids = first.tokenizer.prompt("abc")
    assert torch.equal(first.model.distributions(ids)[0].row, again.model.distributions(ids)[0].row)
    assert first.stop_ids == {END}
    assert load("tiny-random", dtype="bfloat16").model.model.dtype == torch.bfloat16


def test_options_reach_the_model(folder):
    model = load(folder, cached=False, timed=True).model
    assert (model.cached, model.timed) == (False, True)


def test_no_end_of_sequence_is_said(tmp_path):
    llama(tmp_path, eos_token_id=None)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    change(tmp_path, "tokenizer_config.json", eos_token=None, added_tokens_decoder={})
    loaded = load(tmp_path)
    assert loaded.stop_ids == frozenset()
    assert loaded.tokenizer.end_of_sequence is None
    assert loaded.remarks == (
        f"{tmp_path} has no end of sequence: a reply ends at the number of new tokens asked for",
    )


def test_the_configuration_may_name_more_ends(tmp_path):
    llama(tmp_path, eos_token_id=[END, BEGIN])
    assert load(tmp_path).stop_ids == {END, BEGIN}


def test_a_tokenizer_larger_than_the_head(tmp_path):
    llama(tmp_path, vocab_size=200, bos_token_id=1, eos_token_id=2)
    said = refusal(tmp_path)
    assert said.startswith("vocabulary larger than the head: the tokenizer of ")
    assert "has 258 ids, its head 200" in said


def test_a_tokenizer_far_smaller_than_the_head(tmp_path):
    llama(tmp_path, vocab_size=400)
    assert "do not match: 258 ids for a head of 400" in refusal(tmp_path)


def test_a_tokenizer_with_another_end(tmp_path):
    llama(tmp_path, eos_token_id=65)
    assert (
        "do not match: the model ends with id 65, which is b'A' to the tokenizer, "
        "whose own end is id 256" in refusal(tmp_path)
    )


def test_missing_weights(folder):
    kept = load_file(folder / WEIGHTS)
    del kept["model.layers.0.mlp.up_proj.weight"]
    save_file(kept, folder / WEIGHTS, metadata={"format": "pt"})
    said = refusal(folder)
    assert said.startswith(f"1 weight is missing from {folder}, the first model.layers.0.mlp.up_pr")


def test_code_that_comes_with_a_model_is_not_run(folder):
    (folder / "mine.py").write_text("raise SystemExit('run')\n")
    change(folder, "config.json", model_type="mine", auto_map={"AutoConfig": "mine.Mine"})
    assert "config.json" in refusal(folder)


def test_weights_of_another_shape(folder):
    change(folder, "config.json", intermediate_size=48)
    said = refusal(folder)
    assert "cannot be loaded from" in said


def test_a_file_cut_short(folder):
    weights = folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1000])
    said = refusal(folder)
    assert "cannot be loaded from" in said
    assert said.endswith("if a file is cut short or damaged, get it again")


def test_weights_that_are_not_numbers(folder):
    kept = load_file(folder / WEIGHTS)
    kept["model.norm.weight"][3] = math.nan
    save_file(kept, folder / WEIGHTS, metadata={"format": "pt"})
    assert "give NaN or infinity in float32" in refusal(folder)


def test_folders_that_are_none(folder, tmp_path):
    assert "does not exist" in refusal(tmp_path / "absent")
    assert "does not exist" in refusal("./absent")
    assert "neither a folder of a model nor a .gguf file" in refusal(folder / "config.json")
    (folder / WEIGHTS).unlink()
    assert "has no weights (*.safetensors)" in refusal(folder)
    (folder / "config.json").write_text("{")
    (folder / WEIGHTS).write_bytes(b"")
    assert "config.json" in refusal(folder)
    (folder / "config.json").unlink()
    assert refusal(folder).endswith("has no config.json; it is not the folder of a model")


def test_a_folder_without_tokenizer(folder):
    for file in folder.glob("tokenizer*"):
        file.unlink()
    assert "the tokenizer of " in refusal(folder)


def test_models_that_do_not_continue_text(tmp_path):
    transformers.T5Config(num_layers=1, d_model=8).save_pretrained(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"")
    assert "is an encoder-decoder (t5); a causal language model is needed" in refusal(tmp_path)
    transformers.BertConfig(architectures=["BertForMaskedLM"]).save_pretrained(tmp_path)
    assert "is no causal language model (BertForMaskedLM)" in refusal(tmp_path)


def test_a_model_that_looks_ahead(tmp_path):
    configuration = transformers.BertConfig(
        vocab_size=258, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, is_decoder=False, initializer_range=0.5,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformers.BertLMHeadModel(configuration).save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    assert "its law at a position depends on later ones" in refusal(tmp_path)


def test_devices_and_dtypes(monkeypatch):
    assert (
        refusal("tiny-random", device="tpu") == "unknown device tpu; use cpu, cuda, cuda:N or auto"
    )
    assert refusal("tiny-random", dtype="int8") == (
        "unknown dtype int8; use one of float32, float64, bfloat16, float16"
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert refusal("tiny-random", device="cuda").startswith(
        "cuda was asked for, and torch finds none here; use cpu or auto"
    )
    assert load("tiny-random", device="auto").model.device.type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert refusal("tiny-random", device="cuda:7").endswith("there are 2 cuda devices")


@pytest.mark.parametrize(
    "problem",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
    ],
    ids=["python", "cpu", "cuda"],
)
def test_out_of_memory(folder, monkeypatch, problem):
    def fail(*_, **__):
        raise problem

    with monkeypatch.context() as patched:
        patched.setattr(transformers.LlamaForCausalLM, "forward", fail)
        assert refusal(folder).startswith("out of memory in a pass of two tokens of ")
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", fail)
    assert refusal(folder) == (
        f"out of memory loading {folder} on cpu; take a smaller model, a narrower dtype or another "
        "device"
    )


def test_other_trouble_is_not_called_a_lack_of_memory(folder, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("something else")

    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", fail)
    assert "(RuntimeError: something else)" in refusal(folder)
