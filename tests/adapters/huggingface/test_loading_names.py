"""Models by name and from a hub: SmolLM2 as converted; one line where there is no such model."""

from __future__ import annotations

import time

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs transformers: pip install 'draftproof[models]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)

from draftproof.adapters.huggingface import hub  # noqa: E402
from draftproof.adapters.huggingface.loading import NAMES, ModelError, load  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402

torch.set_num_threads(1)


def refusal(name):
    with pytest.raises(ModelError) as raised:
        load(name)
    assert len(str(raised.value).splitlines()) == 1
    return str(raised.value)


def test_offline_a_hub_name_is_refused_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    started = time.perf_counter()
    said = refusal("someone/some-model")
    assert said.startswith("someone/some-model is no file, no folder and no name known here (smol")
    assert said.endswith("cannot be fetched from the hub: HF_HUB_OFFLINE is set")
    assert time.perf_counter() - started < 5


def test_without_a_network_or_without_the_model(monkeypatch, tmp_path):
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", False)

    class NotFoundError(Exception):
        response = type("Response", (), {"status_code": 404})

    for problem, due in (
        (OSError("name or service not known"), "no network to it (name or service not known)"),
        (NotFoundError(), "it has no such model, or the model is not public"),
    ):

        def fail(*_, problem=problem, **__):
            raise problem

        monkeypatch.setattr(hub.huggingface_hub.HfApi, "model_info", fail)
        assert refusal("someone/some-model").endswith(due)
    assert "is no hub name (owner/model)" in refusal("a/b/c")


def test_names_say_what_makes_them(monkeypatch, tmp_path):
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path))
    assert refusal("smollm2") == "smollm2 is not here: make models"
    assert refusal("gemma") == "gemma is not here: python -m draftproof.adapters.assets gemma-gguf"
    for name in NAMES:
        if name.startswith("drafter-"):
            assert refusal(name) == f"{name} is not trained yet: make models"
    assert NAMES[-1] == "tiny-random"


def test_smollm2_is_itself(model):
    loaded = model("smollm2", Settings(temperature=0))
    assert (loaded.model.size, loaded.model.window) == (49152, 8192)
    assert loaded.parameters == 134_515_008
    assert loaded.stop_ids == {2}
    assert loaded.tokenizer.name == "smollm2"
    ids = loaded.tokenizer.prompt("2024")
    assert [loaded.tokenizer.decode([token]) for token in ids] == ["2", "0", "2", "4"]
    ids = loaded.tokenizer.prompt("The capital of France is")
    for _ in range(2):
        ids += (int(loaded.model.distributions(ids)[0].row.argmax()),)
    assert loaded.tokenizer.decode(ids) == "The capital of France is Paris."
