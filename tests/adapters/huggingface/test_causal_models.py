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


def test_the_law_that_a_draft_was_drawn_from_stays_its_law(models):
    """One row rounds otherwise than several; psi asks for several, and must not see the rest."""
    model = CausalModel(models[0])
    (drawn,) = model.distributions((1, 2, 3))
    again = model.distributions((1, 2, 3), (4,))
    assert again[0] is drawn
    assert (model.passes, len(again)) == (2, 2)


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


@pytest.mark.parametrize(
    "named",
    [
        {"temperature": -1},
        {"temperature": 1e-40},
        {"top_p": 0},
        {"top_k": -1},
        {"min_p": 2},
        {"repetition_penalty": 0},
        {"repetition_penalty": 1e-40},
    ],
)
def test_a_setting_out_of_range_is_named(named):
    with pytest.raises(ValueError, match=next(iter(named))):
        Settings(**named)


@pytest.mark.parametrize("temperature", [0, 0.5, 1])
def test_logits_that_are_no_numbers_give_no_id(temperature):
    law = Settings(temperature=temperature).law(torch.tensor([1.0, float("nan"), 2.0]))
    with pytest.raises(ValueError, match="NaN"):
        TensorSampler(0).draw(law)


def test_a_cache_that_cannot_be_cropped_says_what_to_do(models, monkeypatch):
    model = CausalModel(models[0])
    model.distributions((1, 2, 3), (4, 5))

    def refuse(count):
        raise NotImplementedError("no")

    monkeypatch.setattr(model._cache, "crop", refuse)
    with pytest.raises(ModelError, match="cached=False"):
        model.distributions((1, 2, 9))


def windowed(kind):
    """Models whose caches drop the past: a sliding window of 8, or a running state."""
    sizes = {"vocab_size": SIZE, "hidden_size": 32, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 32}
    ends = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    if kind == "mamba":
        configuration = transformers.MambaConfig(**sizes, **ends, state_size=4)
        return transformers.MambaForCausalLM(configuration).double().eval()
    if kind == "gemma3":
        configuration = transformers.Gemma3TextConfig(
            **sizes,
            **heads,
            **ends,
            head_dim=16,
            sliding_window=8,
            layer_types=["sliding_attention", "full_attention"],
        )
        return transformers.Gemma3ForCausalLM(configuration).double().eval()
    configuration = transformers.MistralConfig(**sizes, **heads, **ends, sliding_window=8)
    return transformers.MistralForCausalLM(configuration).double().eval()


@pytest.mark.parametrize("kind", ["gemma3", "mistral", "mamba"])
def test_a_cache_that_drops_the_past_gives_the_right_rows_or_says_so(kind):
    """Beyond the window and back again, as accepted and rejected drafts do it, and re-reading."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        inner = windowed(kind)
    ids = tuple((7 * i) % SIZE for i in range(30))
    asked = [(ids[:5], (1, 2, 3)), (ids[:6], (1, 2, 3)), (ids[:12], (4, 5, 6)), (ids[:13], (4,))]
    asked += [(ids[:14], (9,)), (ids[:20], (9, 8, 7)), (ids[:21], (9, 8)), (ids[:15], (3, 2))]
    for cached in (True, False):
        model = CausalModel(inner, cached=cached)
        for context, continuation in asked:
            try:
                found = model.distributions(context, continuation)
            except ModelError as refused:  # releases without recording
                assert cached
                assert "cached=False" in str(refused)
                break
            with torch.inference_mode():
                whole = inner(torch.tensor([context + continuation])).logits[0].double().softmax(-1)
            for j, law in enumerate(found):
                assert torch.allclose(law.row, whole[len(context) - 1 + j], rtol=0, atol=1e-9)


def test_what_was_just_given_is_given_again_without_a_pass(models):
    model = CausalModel(models[0])
    (one,) = model.distributions((1, 2, 3))
    (two,) = model.distributions((1, 2, 3))
    assert one is two
    assert model.passes == 1
    assert model.timings[0][0] == 3


def test_a_pass_that_memory_does_not_suffice_for_is_one_line(models, monkeypatch):
    model = CausalModel(models[0])

    def full(*_, **__):
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes")

    monkeypatch.setattr(models[0], "forward", full)
    with pytest.raises(ModelError, match="out of memory in a pass over 3 ids"):
        model.distributions((1, 2, 3))


def test_a_cache_of_another_kind_is_refused_where_no_past_is_recorded(models):
    """Releases before 5 crop the keys of such caches, and leave running states as they are."""

    class HybridCache:
        layers = ()

    with pytest.raises(ModelError, match=r"cannot be cropped \(HybridCache\); load it with cached"):
        CausalModel(models[0])._record(HybridCache(), 3)
