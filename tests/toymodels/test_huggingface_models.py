"""The toy models and tokenizers behave as real ones do, where `generate()` can tell."""

from __future__ import annotations

from typing import Any

import pytest

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
torch = pytest.importorskip("torch", reason=NEEDS)
pytest.importorskip("transformers", reason=NEEDS)

from draftproof.toymodels.huggingface.models import CACHE_NAME, toy_model  # noqa: E402
from draftproof.toymodels.huggingface.tokenizers import EOS, toy_tokenizer  # noqa: E402
from transformers import DynamicCache  # noqa: E402

IDS = [[0, 2, 1, 1, 3, 0]]


def logits(model: Any, ids: list[list[int]], cache: Any = None) -> Any:
    with torch.no_grad():
        return model(torch.tensor(ids), **{CACHE_NAME: cache}).logits


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("split", range(1, 6))
def test_a_cache_changes_no_logits(order: int, split: int):
    model = toy_model(4, order, seed=5)
    whole = logits(model, IDS)
    cache = DynamicCache()
    parts = [
        logits(model, [IDS[0][:split]], cache),
        logits(model, [IDS[0][split:]], cache),
    ]
    assert whole.shape == (1, 6, 4)
    assert torch.equal(torch.cat(parts, dim=1), whole)
    assert cache.get_seq_length() == 6


def test_a_stale_cache_changes_the_logits():
    model = toy_model(4, 3, seed=5)
    cache = DynamicCache()
    logits(model, [[0, 2, 3]], cache)  # one token too many
    assert not torch.equal(logits(model, [[1]], cache), logits(model, [[0, 2, 1]])[:, -1:])


def test_either_name_of_the_cache_is_understood():
    model = toy_model(4, 3, seed=5)
    for name in ("cache", "past_key_values"):
        cache = DynamicCache()
        with torch.no_grad():
            model(torch.tensor(IDS), **{name: cache})
        assert cache.get_seq_length() == 6


def test_rows_are_probabilities_and_differ_from_context_to_context():
    rows = logits(toy_model(4, 3, seed=5), IDS)[0]
    assert torch.allclose(rows.exp().sum(-1), torch.ones(6))
    assert len({tuple(row) for row in rows.tolist()}) == 6


def test_a_seed_gives_the_same_model_always():
    assert torch.equal(
        logits(toy_model(3, 3, seed=1), [[0, 1]]), logits(toy_model(3, 3, seed=1), [[0, 1]])
    )
    assert not torch.equal(
        logits(toy_model(3, 3, seed=1), [[0, 1]]), logits(toy_model(3, 3, seed=2), [[0, 1]])
    )


def test_tokenizers_round_trip_and_list_as_told():
    tokenizer = toy_tokenizer(("b", "ab", EOS, "a"), listing=("a", "b"))
    assert tokenizer.encode("abba") == [1, 0, 3]
    assert tokenizer.decode([1, 0, 2, 3]) == f"abb{EOS}a"
    assert tokenizer.decode([1, 2], skip_special_tokens=True) == "ab"
    assert list(tokenizer.get_vocab().items()) == [("a", 3), ("b", 0), ("ab", 1), (EOS, 2)]
    assert list(toy_tokenizer(("b", "a", EOS)).get_vocab()) == ["b", "a", EOS]
