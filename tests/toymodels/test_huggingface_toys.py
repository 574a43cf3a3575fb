"""Gallery pairs as models with caches and fast tokenizers."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import pytest

NEEDS = "needs torch and transformers: pip install 'draftproof[transformers]'"
torch = pytest.importorskip("torch", reason=NEEDS)
pytest.importorskip("transformers", reason=NEEDS)

from draftproof.toymodels.gallery import GALLERY, gallery_pair  # noqa: E402
from draftproof.toymodels.huggingface.models import (  # noqa: E402
    CACHE_NAME,
    LOG_ZERO,
    model_from_rows,
)
from draftproof.toymodels.huggingface.quiet import hushed  # noqa: E402
from draftproof.toymodels.huggingface.tokenizers import (  # noqa: E402
    EOS,
    forget,
    toy_tokenizer,
    was_used,
)
from draftproof.toymodels.huggingface.toys import order_of, spelled, toys  # noqa: E402
from transformers import DynamicCache  # noqa: E402
from transformers.utils import logging as transformers_logging  # noqa: E402


def rows_of(model: Any) -> Any:
    def after(context: tuple[int, ...]) -> list[float]:
        (law,) = model.distributions(context)
        return [float(law[token]) for token in range(model.size)]

    return after


def probabilities(model: Any, ids: list[list[int]], cache: Any = None) -> Any:
    with torch.no_grad():
        return model(torch.tensor(ids), **{CACHE_NAME: cache}).logits.softmax(-1)


@pytest.mark.parametrize("name", ["base", "contexts", "disjoint", "one-hot", "pruned-head"])
def test_the_laws_are_those_of_the_pair_to_the_last_bits(name: str):
    pair = gallery_pair(name).pair
    made = toys(pair, rows_of(pair.target), rows_of(pair.drafter), 2)
    for model, source in ((made.model, pair.target), (made.assistant_model, pair.drafter)):
        for ids in itertools.product(range(source.size), repeat=3):
            found = probabilities(model, [list(ids)])[0]
            assert found.dtype == torch.float64
            for end in range(1, 4):
                due = [*rows_of(source)(ids[:end]), 0.0]  # the end of sequence is never said
                assert found[end - 1].tolist() == pytest.approx(due, abs=4e-16)
                zeros = [p == 0 for p in due]
                assert [p == 0 for p in found[end - 1].tolist()] == zeros


def test_a_zero_stays_zero_in_float32_and_at_a_temperature():
    model = model_from_rows(lambda _: (0.5, 0.0, 0.5), 3, 1, dtype="float32")
    with torch.no_grad():
        logits = model(torch.tensor([[0]])).logits[0, 0]
    assert logits.dtype == torch.float32
    assert logits[1] == LOG_ZERO
    assert [(logits / t).softmax(-1)[1].item() for t in (1e-6, 1.0, 13.0)] == [0.0, 0.0, 0.0]


def test_what_is_no_number_is_passed_on():
    model = model_from_rows(lambda _: (math.nan, 1.0), 2, 1)
    assert probabilities(model, [[0]])[0, 0].isnan().all()


def test_a_batch_is_its_rows():
    pair = gallery_pair("contexts").pair
    model = model_from_rows(rows_of(pair.target), 3, order_of(pair.target))
    both = probabilities(model, [[0, 1, 0], [1, 1, 2]])
    alone = [probabilities(model, [ids])[0] for ids in ([0, 1, 0], [1, 1, 2])]
    assert torch.equal(both, torch.stack(alone))


@pytest.mark.parametrize("crop", [0, 1])
def test_a_cache_that_is_cropped_too_little_changes_the_law(crop: int):
    pair = gallery_pair("contexts").pair
    model = model_from_rows(rows_of(pair.target), 3, order_of(pair.target))
    cache = DynamicCache()
    probabilities(model, [[0, 0, 1]], cache)
    if crop:
        cache.crop(-crop)
    found = probabilities(model, [[0]], cache)[0, -1]
    assert torch.equal(found, probabilities(model, [[0, 0, 0]])[0, -1]) == bool(crop)


def test_copies_share_weights_and_nothing_that_a_call_replaces():
    pair = gallery_pair("base").pair
    made = toys(pair, rows_of(pair.target), rows_of(pair.drafter), 2)
    first, second = made.fresh(), made.fresh()
    first.assistant_model.generation_config.num_assistant_tokens = 7
    first.assistant_model.set_output_embeddings(torch.nn.Linear(1, 1))
    assert second.assistant_model.generation_config.num_assistant_tokens == 2
    assert second.assistant_model.lm_head is made.assistant_model.lm_head
    assert second.assistant_model.lm_head is not first.assistant_model.lm_head
    assert second.model.lm_head.weight is made.model.lm_head.weight


def test_over_two_vocabularies_configurations_are_put_back():
    pair = gallery_pair("crossing-merges").pair
    made = toys(pair, rows_of(pair.target), rows_of(pair.drafter), 1)
    made.fresh().assistant_model.generation_config.num_assistant_tokens = 7
    again = made.fresh()
    assert again.assistant_model.generation_config.num_assistant_tokens == 1
    assert again.assistant_model is made.assistant_model
    assert made.model.config.vocab_size != made.assistant_model.config.vocab_size
    assert list(made.assistant_tokenizer.get_vocab()) == ["z", EOS, "ba", "b", "a"]
    assert made.tokenizer.eos_token_id == made.eos == 3


def test_which_pairs_have_fast_tokenizers_that_read_alike():
    two = [n for n in GALLERY if not gallery_pair(n).pair.same_vocabulary]
    assert [name for name in two if spelled(gallery_pair(name).pair)] == [
        *("merging-target", "crossing-merges", "composition", "retokenized"),
        *("end-in-drafter-only", "end-in-target-only"),
    ]
    with pytest.raises(ValueError, match="no fast tokenizers"):
        toys(gallery_pair("many-to-one").pair, lambda _: (), lambda _: (), 1)


def test_a_tokenizer_knows_whether_it_was_used():
    tokenizer = toy_tokenizer(["a", "b", EOS])
    forget(tokenizer)
    assert not was_used(tokenizer)
    assert isinstance(hash(tokenizer), int)
    assert not was_used(tokenizer)
    assert tokenizer.encode("ab") == [0, 1]
    assert was_used(tokenizer)


def test_hushed_says_nothing_and_puts_everything_back(capsys: Any):
    before = transformers_logging.get_verbosity()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with hushed():
            transformers_logging.get_logger("transformers").warning("of the library")
            warnings.warn("of anybody", stacklevel=1)
    assert not caught
    assert transformers_logging.get_verbosity() == before
    assert "of the library" not in capsys.readouterr().err
