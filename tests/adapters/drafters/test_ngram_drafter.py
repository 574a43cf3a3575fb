"""The n-gram drafter: its law against the definition, in exact arithmetic, and its protocol."""

from fractions import Fraction

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("transformers", reason="needs pip install 'draftproof[transformers]'")

import numpy as np  # noqa: E402
from draftproof.adapters.drafters.counts import END, LONGEST, SYMBOLS, count  # noqa: E402
from draftproof.adapters.drafters.ngram import NgramModel, read_ngram  # noqa: E402
from draftproof.adapters.drafters.vocabulary import BEGIN  # noqa: E402
from draftproof.adapters.huggingface.models import ModelError  # noqa: E402
from draftproof.adapters.huggingface.settings import Settings  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

TEXTS = (b"abracadabra", b"a cad, a bra", b"", b"\x00\xff\x00\xff\x00", b"abra" * 5)


def by_definition(texts, longest, least, options, text):
    """The law of the module's docstring: strings are searched, numbers are exact."""
    law = [Fraction(1, SYMBOLS)] * SYMBOLS
    for length in range(max(longest, options["recent"]) + 1):
        if length > len(text):
            break
        context = text[len(text) - length :]
        trained = [0] * SYMBOLS
        if length <= longest:
            for document in texts:
                symbols = [*document, END]
                for place in range(length, len(symbols)):
                    if document[place - length : place] == context:
                        trained[symbols[place]] += 1
            if sum(trained) < least.get(length, 1):
                trained = [0] * SYMBOLS
        counts = trained
        if length <= options["recent"]:
            for place in range(length, len(text)):
                if text[place - length : place] == context:
                    counts[text[place]] += options["recency"]
        new = options["spread"] * sum(each > 0 for each in counts)
        if new:
            total = sum(counts) + new
            law = [Fraction(c, total) + new * p / total for c, p in zip(counts, law, strict=True)]
    return law


@given(
    text=st.one_of(st.binary(max_size=12), st.text("abrcd ,", max_size=16).map(str.encode)),
    longest=st.integers(0, 4),
    recent=st.integers(0, 6),
    recency=st.integers(1, 3),
    spread=st.integers(1, 8),
    least=st.integers(1, 3),
)
def test_the_law_is_the_one_defined(text, longest, recent, recency, spread, least):
    options = {"recent": recent, "recency": recency, "spread": spread}
    seldom = {longest: least}
    model = NgramModel(count(TEXTS, longest, seldom), **options)
    due = by_definition(TEXTS, longest, seldom, options, text)
    assert sum(due) == 1
    found = model.probabilities(text)
    assert found.shape == (SYMBOLS,)
    assert np.abs(found - np.array([float(p) for p in due])).max() < 1e-14


def test_the_longest_contexts_are_counted_too():
    longest = {"recent": 0, "recency": 1, "spread": 1}
    model = NgramModel(count(TEXTS, LONGEST, {}), **longest)
    for text in (b"abracadabra"[:6], b"\xff\x00\xff\x00\xff\x00", b"rabrab"):
        due = by_definition(TEXTS, LONGEST, {}, longest, text)
        assert np.abs(model.probabilities(text) - np.array([float(p) for p in due])).max() < 1e-14
    with pytest.raises(ValueError, match="contexts of 0 to 6 bytes"):
        count(TEXTS, LONGEST + 1, {})


@pytest.fixture(scope="module")
def model():
    return NgramModel(count(TEXTS, 3, {}))


def test_rows_are_laws_whatever_was_asked_before(model):
    context = (BEGIN, *b"abrac")
    rows = model.distributions(context, tuple(b"ad"))
    assert len(rows) == 3
    for j, law in enumerate(rows):
        due = model.probabilities(b"abracad"[: 5 + j])
        assert law.row.shape == (model.size,)
        assert law.row[BEGIN] == 0
        assert abs(float(law.row.double().sum()) - 1) < 1e-6
        assert np.abs(law.row[:SYMBOLS].double().numpy() - due).max() < 1e-6
    assert int(rows[0].row.argmax()) == ord("a")


def test_a_special_id_begins_a_new_document(model):
    alone = model.distributions((BEGIN, *b"abr"))[0].row
    assert torch.equal(model.distributions((*b"cad", END, *b"abr"))[0].row, alone)
    assert torch.equal(model.distributions((*b"cad", BEGIN, *b"abr"))[0].row, alone)
    assert not torch.equal(model.distributions(tuple(b"abrabr"))[0].row, alone)


def test_passes_are_counted_like_a_models():
    model = NgramModel(count(TEXTS, 2, {}), dtype=torch.float64)
    model.distributions((1, 2), (3, 4))
    assert (model.passes, model.tokens, len(model.timings)) == (1, 3, 1)
    model.distributions((1, 2, 3, 4))  # given a moment ago
    assert (model.passes, model.tokens) == (1, 3)
    model.forget()
    law = model.distributions((1, 2, 3, 4))[0]
    assert (model.passes, model.tokens) == (2, 4)
    assert law.row.dtype == torch.float64
    assert abs(float(law.row.sum()) - 1) < 1e-14
    assert model.seconds > 0
    assert model.window is None


def test_settings_apply(model):
    greedy = NgramModel(model.tables, Settings(temperature=0))
    row = greedy.distributions((BEGIN, *b"abrac"))[0].row
    assert (row.sum(), int(row.argmax())) == (1, ord("a"))
    few = NgramModel(model.tables, Settings(top_k=2, repetition_penalty=1.5))
    assert (few.distributions((BEGIN, *b"abrac"))[0].row > 0).sum() == 2


def test_a_larger_head_has_no_more_mass(model):
    wide = NgramModel(model.tables).resized(300)
    row = wide.distributions(tuple(b"abr"))[0].row
    assert (len(row), float(row[SYMBOLS:].sum())) == (300, 0.0)
    with pytest.raises(ModelError, match="257 symbols"):
        wide.resized(200)


def test_ids_outside_are_refused(model):
    with pytest.raises(ModelError, match=r"id 258 is outside the model's 0 \.\. 257"):
        model.distributions((1, 258))


def test_what_is_saved_is_read(model, tmp_path):
    model.save(tmp_path)
    again = read_ngram(tmp_path)
    assert again.parameters == model.parameters
    for text in (b"", b"abra", b"\x00\xff"):
        assert np.array_equal(again.probabilities(text), model.probabilities(text))
    damaged = tmp_path / "ngram.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(ModelError, match=r"damaged .* make models"):
        read_ngram(tmp_path)
