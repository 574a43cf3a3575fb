"""Losslessness with real model classes, weights and tokenizers, in floating point.

In CI the target is our small BPE model and the drafter our byte model; `make test-long` runs the
same with SmolLM2. Greedy runs must equal plain greedy (transformers' own) in float64. In float32
they must be equal, or first differ where the two ids' logits lie within what the forward pass
itself varies by between one row and several.
"""

import functools

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs: pip install 'draftproof[transformers]'")

from draftproof.adapters.decoding.lookahead import Always  # noqa: E402
from draftproof.adapters.decoding.pairs import make_pair  # noqa: E402
from draftproof.adapters.decoding.programs import RealProgram  # noqa: E402
from draftproof.adapters.decoding.rounding import (  # noqa: E402
    first_difference,
    forward_difference,
    sampler_difference,
)
from draftproof.adapters.decoding.runs import run  # noqa: E402
from draftproof.adapters.drafters.prompts import prompts  # noqa: E402
from draftproof.adapters.huggingface.loading import load  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402

TOKENS = 16
PROMPTS = 52
GREEDY = Settings(temperature=0)
DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=pytest.mark.skipif(
            not torch.cuda.is_available(), reason="no CUDA device; see benchmarks/cuda.py"
        ),
    ),
]
#: Target and drafter: small ones, and the real one for `make test-long`.
PAIRS = [
    pytest.param(("drafter-bpe", "drafter-bytes"), id="small"),
    pytest.param(("smollm2", "drafter-bpe"), id="smollm2", marks=pytest.mark.long),
]
ALGORITHMS = ("tli", "slem", "slrs", "standard", "block")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@functools.cache
def sides(names, dtype, device):
    return tuple(load(name, GREEDY, dtype=dtype, device=device) for name in names)


@functools.cache
def plain(names, dtype, device):
    """transformers' own greedy continuations of all prompts."""
    target = sides(names, dtype, device)[0]
    return [
        tuple(
            target.model.model.generate(
                torch.tensor([ids], device=device),
                attention_mask=torch.ones((1, len(ids)), dtype=torch.long, device=device),
                max_new_tokens=TOKENS,
                do_sample=False,
                eos_token_id=sorted(target.stop_ids) or None,
                pad_token_id=0,
            )[0, len(ids) :].tolist()
        )
        for ids in prompt_ids(target)
    ]


def prompt_ids(target):
    return [target.tokenizer.prompt(text) for text in prompts("mixed", PROMPTS)]


def greedy_runs(names, name, dtype, device):
    target, drafter = sides(names, dtype, device)
    program = RealProgram(name, make_pair(target, drafter))
    program.prepare()
    for ids in prompt_ids(target):
        found = run(
            program,
            ids,
            Always(1 if name == "slrs" else 2),
            max_new_tokens=TOKENS,
            stop_ids=target.stop_ids,
        )
        yield ids, found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_greedy_is_plain_greedy_in_float64(name, names, device, model):
    for each in names:
        model(each)
    runs = list(greedy_runs(names, name, "float64", device))
    assert len(runs) == PROMPTS
    assert [found.ids for _, found in runs] == plain(names, "float64", device)
    assert sum(found.statistics.accepted for _, found in runs) > 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("names", PAIRS)
def test_in_float32_runs_differ_only_at_ties(names, device, model):
    for each in names:
        model(each)
    target = sides(names, "float32", device)[0]
    due = plain(names, "float32", device)
    error = 0.0
    for ids, continued in zip(prompt_ids(target), due, strict=True):
        whole = ids + continued
        forward = forward_difference(target.model, whole, min(4, len(whole) - 1))
        error = max(error, forward.logit)
    assert error < 1e-3  # float32; nothing else would be a tie then
    for (ids, found), continued in zip(
        greedy_runs(names, "slem", "float32", device), due, strict=True
    ):
        difference = first_difference(target.model, ids, found.ids, continued)
        assert difference is None or difference.gap <= 2 * error


@pytest.mark.parametrize("names", PAIRS)
def test_the_samplers_own_error_is_rounding(names, model):
    """The same logits, turned into a law in float32 and in float64."""
    for each in names:
        model(each)
    target = sides(names, "float32", "cpu")[0]

    class Sampled:
        settings = Settings(temperature=0.8, top_k=50, top_p=0.95)

    for ids in prompt_ids(target)[:8]:
        row = target.model.logits(ids, 1)[0]
        assert sampler_difference(Sampled, row, ids) < 1e-5


def test_a_drafter_that_is_trusted_is_noticed(model, monkeypatch):
    """Planted: drafts are kept whatever the target says."""
    from draftproof.adapters.decoding import programs
    from draftproof.reference.rounds import finish

    def trusting(pair, context, rule, chance, look_behind=None, state=None):
        found = programs_slem(pair, context, rule, chance, look_behind, state)
        return finish(pair, found.candidates or found.emitted, 0, found.candidates, found.drafts)

    programs_slem = programs.slem_round
    monkeypatch.setattr(programs, "slem_round", trusting)
    names = ("drafter-bpe", "drafter-bytes")
    for each in names:
        model(each)
    runs = [found.ids for _, found in greedy_runs(names, "slem", "float64", "cpu")]
    assert runs != plain(names, "float64", "cpu")
