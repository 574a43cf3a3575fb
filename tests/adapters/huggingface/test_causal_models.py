"""Real model classes behind the reference's protocol: rows, cache, settings, errors."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs transformers: pip install 'draftproof[transformers]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)

from draftproof.adapters.huggingface.coins import TensorSampler  # noqa: E402
from draftproof.adapters.huggingface.models import CausalModel, ModelError  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from draftproof.reference import Pair  # noqa: E402
from draftproof.reference.programs import program  # noqa: E402
from draftproof.reference.rounds import generate  # noqa: E402
from draftproof.toymodels.tokenizers import greedy  # noqa: E402

SIZE = 26
LETTERS = greedy([chr(97 + i) for i in range(SIZE)])
PROMPT = (1, 2, 3)


def llama(hidden, layers, seed):
    torch.manual_seed(seed)
    configuration = transformers.LlamaConfig(
        vocab_size=SIZE,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=0.4,
    )
    return transformers.LlamaForCausalLM(configuration).double().eval()


@pytest.fixture(scope="module")
def models():
    with torch.random.fork_rng(devices=[]):
        return llama(32, 2, 0), llama(16, 1, 1)


def test_rows_are_those_of_the_whole_sequence_whatever_was_asked_before(models):
    model = CausalModel(models[0])
    for ids, rest in (
        ((1, 2, 3), ()),
        ((1, 2, 3), (4, 5)),
        ((1, 2, 3), (4, 6, 7)),
        ((1, 2, 9), (4,)),
        ((5,), (1, 2)),
        ((1, 2, 3, 4, 6), ()),
    ):
        with torch.inference_mode():
            whole = models[0](torch.tensor([[*ids, *rest]])).logits[0].softmax(-1)
        found = model.distributions(ids, rest)
        assert len(found) == len(rest) + 1
        for j, law in enumerate(found):
            assert torch.allclose(law.row, whole[len(ids) - 1 + j], rtol=0, atol=1e-12)


def test_the_cache_saves_what_is_shared(models):
    model = CausalModel(models[0])
    model.distributions((1, 2, 3), (4, 5))
    model.distributions((1, 2, 3, 4), (6,))
    assert (model.passes, model.tokens) == (2, 5 + 2)  # 1 2 3 stay
    plain = CausalModel(models[0], cached=False)
    plain.distributions((1, 2, 3), (4, 5))
    plain.distributions((1, 2, 3, 4), (6,))
    assert (plain.passes, plain.tokens) == (2, 10)


@pytest.mark.parametrize("name", ["autoregressive", "standard", "block", "exact-match", "tli"])
def test_greedy_is_plain_greedy(models, name):
    target, drafter = models
    pair = Pair(
        CausalModel(target, Settings(temperature=0)),
        CausalModel(drafter, Settings(temperature=0)),
        LETTERS,
        LETTERS,
    )
    found = generate(program(name, 3).run_round, pair, PROMPT, TensorSampler(0), 20)
    plain = target.generate(
        torch.tensor([PROMPT]), max_new_tokens=20, do_sample=False, pad_token_id=0
    )
    assert list(found.ids) == plain[0, 3:].tolist()


SETTINGS = (
    Settings(),
    Settings(temperature=0.7),
    Settings(top_k=5),
    Settings(top_p=0.6, temperature=1.3),
    Settings(min_p=0.2),
    Settings(temperature=0.8, top_k=9, top_p=0.9, min_p=0.05, repetition_penalty=1.3),
)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_settings_are_applied_as_generate_applies_them(models, settings):
    """`generate()` is asked for its scores after processing; their softmax is the law due."""
    named = {
        "temperature": settings.temperature,
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "min_p": settings.min_p or None,
        "repetition_penalty": settings.repetition_penalty,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        plain = models[0].generate(
            torch.tensor([(1, 2, 3, 2)]),
            max_new_tokens=1,
            do_sample=True,
            output_scores=True,
            return_dict_in_generate=True,
            pad_token_id=0,
            **named,
        )
    due = plain.scores[0][0].double().softmax(-1)
    (law,) = CausalModel(models[0], settings).distributions((1, 2, 3, 2))
    assert torch.allclose(law.row, due, rtol=0, atol=1e-6)  # generate() rounds to float32
    assert torch.equal(law.row > 0, due > 0)


@pytest.mark.parametrize(
    ("ids", "said"),
    [((), "begin with a prompt"), ((1, 26), "id 26 is outside"), ((1,) * 65, "context window")],
)
def test_what_cannot_be_asked_is_one_line(models, ids, said):
    with pytest.raises(ModelError, match=said):
        CausalModel(models[0]).distributions(ids)


def test_more_ids_than_the_head_has(models):
    with pytest.raises(ModelError, match="30 ids, the model's head 26"):
        CausalModel(models[0], size=30)


@pytest.mark.parametrize("named", [{"temperature": -1}, {"top_p": 0}, {"top_k": -1}, {"min_p": 2}])
def test_a_setting_out_of_range_is_named(named):
    with pytest.raises(ValueError, match=next(iter(named))):
        Settings(**named)


def test_a_cache_that_cannot_be_cropped_says_what_to_do(models, monkeypatch):
    model = CausalModel(models[0])
    model.distributions((1, 2, 3), (4, 5))

    def refuse(count):
        raise NotImplementedError("no")

    monkeypatch.setattr(model._cache, "crop", refuse)
    with pytest.raises(ModelError, match="cached=False"):
        model.distributions((1, 2, 9))
