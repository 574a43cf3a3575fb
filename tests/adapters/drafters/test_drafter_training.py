"""The drafters' text, vocabularies and training: the same every time, and learning something."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
NEEDS = "needs transformers: pip install 'draftproof[models]'"
transformers = pytest.importorskip("transformers", reason=NEEDS)

from dataclasses import replace  # noqa: E402

from draftproof.adapters.drafters import __main__ as command  # noqa: E402
from draftproof.adapters.drafters import corpus, making, recipes, training  # noqa: E402
from draftproof.adapters.drafters.making import encoded, make, make_transformer  # noqa: E402
from draftproof.adapters.drafters.prompts import prompts  # noqa: E402
from draftproof.adapters.drafters.recipes import (  # noqa: E402
    RECIPES,
    NgramRecipe,
    TransformerRecipe,
    folder_of,
)
from draftproof.adapters.drafters.training import new_model  # noqa: E402
from draftproof.adapters.drafters.vocabulary import (  # noqa: E402
    BEGIN,
    END,
    bpe_tokenizer,
    byte_tokenizer,
    real,
)
from draftproof.adapters.huggingface.loading import load  # noqa: E402

torch.set_num_threads(1)
TEXTS = [f"def double(x):\n    return 2 * x  # line {i}\n" for i in range(60)]
SMALL = TransformerRecipe(
    "bytes", hidden=32, between=64, layers=1, heads=2, length=32, rows=8, steps=40, rate=0.02
)


def quiet(_):
    pass


def weights(model):
    return {name: each.clone() for name, each in model.state_dict().items()}


def test_training_is_reproducible_and_the_loss_falls():
    tokenizer = byte_tokenizer()
    torch.manual_seed(5)
    first, losses = make_transformer(SMALL, tokenizer, TEXTS, quiet)
    torch.manual_seed(6)  # whatever the state of torch's own generator
    again, _ = make_transformer(SMALL, tokenizer, TEXTS, quiet)
    assert weights(first).keys() == weights(again).keys()
    for name, each in weights(first).items():
        assert torch.equal(each, weights(again)[name]), name
    assert losses[0] > math.log(258) - 0.5
    assert losses[-1] < 2.5  # nats a byte
    other, _ = make_transformer(replace(SMALL, seed=2), tokenizer, TEXTS, quiet)
    assert not torch.equal(other.lm_head.weight, first.lm_head.weight)


def test_a_softmax_over_a_part_estimates_the_whole():
    """With all other ids drawn it is the whole; with half of them the loss is near."""
    tokenizer = byte_tokenizer()
    model = new_model(SMALL, 258, BEGIN, END)
    stream = encoded(tokenizer, TEXTS, END)
    ids = torch.from_numpy(stream[: 8 * 33].astype("int64")).view(8, 33)

    def loss(negatives):
        generator = torch.Generator().manual_seed(0)
        recipe = replace(SMALL, negatives=negatives)
        return float(training._loss(model, ids, recipe, generator).detach())

    assert math.isclose(loss(0), loss(258), rel_tol=1e-6)
    assert math.isclose(loss(0), loss(110), rel_tol=0.01)


def test_the_rate_rises_and_falls():
    rates = [training._schedule(step, 100) for step in range(100)]
    assert max(rates) == rates[4] == 1
    assert rates[:5] == sorted(rates[:5])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert 0 < rates[-1] < 0.02


def test_windows_begin_with_the_beginning():
    stream = encoded(byte_tokenizer(), TEXTS, END)
    draws = training.np.random.default_rng(0)
    cut = training._windows(stream, SMALL, BEGIN, draws)
    assert cut.shape == (8, 33)
    assert (cut[:, 0] == BEGIN).all()
    assert training._windows(stream, SMALL, None, draws).shape == (8, 33)


def test_documents_are_ended():
    stream = encoded(byte_tokenizer(), ["ab", "", "é"], END)
    assert stream.tolist() == [*b"ab", END, END, *"é".encode(), END]


def test_every_byte_is_its_own_id():
    tokenizer = real(byte_tokenizer())
    assert tokenizer.vocabulary == (*(bytes([b]) for b in range(256)), None, None)
    assert tokenizer.beginning == (BEGIN,)
    assert tokenizer.end_of_sequence == END
    for text in ("", "a b\n\tc  ", "é€😀", "<|end|>\x00\x7f"):
        assert tokenizer.encode(text) == tuple(text.encode())
        assert tokenizer.decode(tuple(text.encode())) == text


def test_the_small_bpe_is_the_same_every_time_and_covers_every_byte():
    first, again = bpe_tokenizer(TEXTS, 300), bpe_tokenizer(TEXTS, 300)
    assert first.get_vocab() == again.get_vocab()
    tokenizer = real(first)
    assert len(tokenizer.vocabulary) == 300
    assert {bytes([b]) for b in range(256)} <= set(tokenizer.vocabulary)
    assert tokenizer.beginning == (first.bos_token_id,)
    assert tokenizer.vocabulary[first.bos_token_id] is None
    for text in ("def double(x):", "  é€😀\r\n"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode(TEXTS[0])) < len(TEXTS[0]) / 2


def test_what_is_made_is_loaded_and_not_made_again(monkeypatch, tmp_path):
    monkeypatch.setenv("DRAFTPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr(making, "documents", lambda _: [corpus.Document("code", t) for t in TEXTS])
    small = {"drafter-bytes": SMALL, "drafter-ngram": NgramRecipe(longest=3, seldom=())}
    for name, recipe in small.items():
        monkeypatch.setitem(RECIPES, name, recipe)
        said = []
        folder = make(name, said.append)
        assert said[-1].startswith(f"{name}: made, ")
        assert make(name, said.append) == folder
        assert said[-1] == f"{name}: there already"
        loaded = load(name)
        assert loaded.model.size == len(loaded.tokenizer.vocabulary) == 258
        assert loaded.stop_ids == {END}
        ids = loaded.tokenizer.prompt("def double(x):\n    return 2 *")
        assert int(loaded.model.distributions(ids)[0].row.argmax()) == ord(" ")
    assert transformers.AutoModelForCausalLM.from_pretrained(folder_of("drafter-bytes"))


def test_another_recipe_has_another_folder(monkeypatch):
    before = folder_of("drafter-bpe")
    monkeypatch.setitem(RECIPES, "drafter-bpe", replace(RECIPES["drafter-bpe"], steps=3))
    assert folder_of("drafter-bpe") != before
    monkeypatch.undo()
    monkeypatch.setattr(recipes, "TRAINING", recipes.TRAINING + 1)
    assert folder_of("drafter-bpe") != before


def test_what_is_held_out_is_not_trained_on():
    folder = corpus._library_folder()
    held = set(corpus._files(folder, held=True))
    trained = set(corpus._files(folder, held=False))
    assert held.isdisjoint(trained)
    assert {path.name for path in held} >= {"textwrap.py", "statistics.py", "decoder.py"}
    assert len(trained) > 200
    assert not [path for path in trained if "test" in path.parts]
    sources = [each.text for each in corpus.held_out() if each.kind == "code"]
    assert len(sources) == len(held)


def test_the_text_is_cut_evenly_and_the_same_every_time(monkeypatch):
    monkeypatch.setattr(corpus, "library", lambda: iter([f"x = {i:4}\n" * 10 for i in range(500)]))
    monkeypatch.setattr(corpus, "prose", lambda: iter([f"Number {i:4}.\n" for i in range(900)]))
    few = corpus.documents(0.02)
    assert few == corpus.documents(0.02)
    code = [each.text for each in few if each.kind == "code"]
    english = [each.text for each in few if each.kind == "english"]
    assert 10_000 <= sum(map(len, code)) <= 10_100
    assert (code[0], len(english)) == ("x =    0\n" * 10, 770)
    assert any(f"{i:4}\n" in code[-1] for i in range(490, 500)), "from everywhere"
    assert len(corpus.documents()) == 1400


def test_docstrings_lose_their_indentation():
    source = '''
def f():
    """Do a thing that takes a whole sentence to say, and then some more of it.

        Indented.
    Not.
    """
    x = """short"""
'''
    assert list(corpus.docstrings(source)) == [
        "Do a thing that takes a whole sentence to say, and then some more of it.\n\n"
        "    Indented.\nNot."
    ]


def test_prompts():
    for kind, most in (("code", 32), ("english", 32), ("mixed", 64)):
        listed = prompts(kind, most)
        assert len(set(listed)) == most
        assert prompts(kind, 3) == listed[:3]
        with pytest.raises(ValueError, match=f"there are {most} prompts of kind {kind}"):
            prompts(kind, most + 1)
    assert set(prompts("mixed", 4)) == {*prompts("code", 2), *prompts("english", 2)}
    with pytest.raises(ValueError, match="'prose' is no kind of prompts"):
        prompts("prose", 1)


def test_the_command_refuses_other_names(capsys):
    assert command.main(["drafter-huge"]) == 2
    assert capsys.readouterr().err.startswith("drafter-huge is no name of a model; usage: ")
    assert command.main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: ")


@pytest.mark.parametrize("name", ["drafter-ngram", "drafter-bytes", "drafter-bpe"])
def test_trained_drafters_know_python(model, name):
    loaded = model(name)
    assert 5e5 < loaded.parameters < 4e6
    begin, text = (
        loaded.tokenizer.beginning,
        "def __init__(self, name):\n        self.name = name\n",
    )
    ids = loaded.tokenizer.encode(text)
    laws = loaded.model.distributions(begin, ids[:-1])
    bits = -sum(math.log2(float(law[token])) for token, law in zip(ids, laws, strict=True))
    assert bits / len(text) < 4  # an untrained one takes 8 bits a byte and more
    assert loaded.stop_ids


def test_the_drafter_over_the_targets_vocabulary(model):
    drafter, target = model("drafter-shared"), model("smollm2")
    assert drafter.tokenizer.vocabulary == target.tokenizer.vocabulary
    assert drafter.tokenizer.stop_ids == target.tokenizer.stop_ids
    assert drafter.parameters < 4e6
