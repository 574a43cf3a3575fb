"""The whole audit: what it holds, its JSON, the advice, the text, the picture."""

from __future__ import annotations

import io
import json
from collections import Counter
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from draftproof.adapters.vocabularies import (
    CORPUS,
    Passage,
    Settings,
    Side,
    advice,
    audit_vocabularies,
    every_text,
    passages,
    read_corpus,
    roundtrips,
)
from draftproof.adapters.vocabularies.corpus import PASSAGE
from draftproof.adapters.vocabularies.intersection import Length
from draftproof.adapters.vocabularies.meanings import MEANINGS
from draftproof.adapters.vocabularies.plot import LONGEST, NoPlotError, check_plot, columns, draw
from draftproof.adapters.vocabularies.table import print_audit
from draftproof.adapters.vocabularies.wording import large, percent, quoted
from draftproof.toymodels.gallery import gallery
from draftproof.toymodels.tokenizers import greedy
from rich.console import Console

PAIRS = [
    each for each in gallery() if each.pair.target_tokenizer is not each.pair.drafter_tokenizer
]


def audited(target, drafter, corpus=None, **options):
    sides = Side(target, "T"), Side(drafter, "D")
    text = every_text(*(side.vocabulary for side in sides)) if corpus is None else corpus
    return audit_vocabularies(*sides, text, Settings.quickly(**options))


def of_gallery(name):
    pair = next(each.pair for each in PAIRS if each.name == name)
    return audited(pair.target_tokenizer, pair.drafter_tokenizer)


def check_schema(value):
    text = resources.files("draftproof.adapters.vocabularies").joinpath("schemas/tokenizers.json")
    schema = json.loads(text.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)


def printed(found):
    shown = Console(file=io.StringIO(), width=160, color_system=None)
    with shown.capture() as captured:
        print_audit(found, shown)
    return captured.get()


@pytest.mark.parametrize("each", PAIRS, ids=lambda each: each.name)
def test_every_pair_of_the_gallery_is_audited(each):
    found = audited(each.pair.target_tokenizer, each.pair.drafter_tokenizer)
    value = json.loads(json.dumps(found.to_json(), allow_nan=False))
    check_schema(value)
    assert value["intersection"]["texts"] == found.intersection.texts
    assert value["coverage"][-1]["target"]["token_share"] == found.coverage[-1].target.token_share
    text = printed(found)
    for part in MEANINGS.values():
        for sentence in part:
            assert sentence.split()[0] in text
    assert found.advice.first.split()[0] in text


def test_the_schema_wants_every_number():
    value = of_gallery("many-to-one").to_json()
    check_schema(value)
    del value["psi"]["mean_passes"]
    with pytest.raises(jsonschema.ValidationError):
        check_schema(value)


def test_the_same_twice_and_other_seeds_draw_otherwise():
    tokenizer = greedy([*(chr(97 + n // 26) + chr(97 + n % 26) for n in range(200)), *"abcdefgh"])
    corpus = [Passage("x", "abcdefgh" * 40) for _ in range(5)]
    one, again, other = (
        audited(tokenizer, tokenizer, corpus, seed=seed).to_json() for seed in (0, 0, 1)
    )
    assert one == again
    assert one["canonical"] != other["canonical"]
    assert one["canonical"]["target"]["pairs"]["tried"] == Settings.quickly().sample


# Advice.


def fits(found):
    return {fit.algorithm: fit.fits for fit in found.advice.fits}


def test_advice_for_an_empty_intersection():
    found = of_gallery("empty-intersection")
    assert fits(found)["TLI"] == "not at all"


def test_advice_for_one_vocabulary():
    found = audited(greedy(["a", "b"]), greedy(["a", "b"]))
    assert found.intersection.same
    assert found.advice.first.startswith("One vocabulary")


def test_advice_by_share_in_reach():
    corpus = [Passage("x", "a" * 9 + "c"), Passage("y", "c" * 5)]
    found = audited(greedy(["a", "c"]), greedy(["a", "cc", "c"]), corpus)
    assert fits(found) == {"TLI": "well", "SLEM": "well", "SLRS": "well"}
    found = audited(greedy(["a", "c"]), greedy(["a"]), corpus)
    # Nine of ten and none of five: 60% in reach, and y is named.
    tli = found.advice.fits[0]
    assert (tli.fits, tli.reason) == (
        "unknown",
        "the drafter can read none of the corpus; give text that it can with --corpus",
    )
    found = audited(greedy(["a", "c"]), greedy(["a", "b"]), [*corpus, Passage("z", "a")])
    tli, slem, _ = found.advice.fits
    assert tli.fits == "partly"
    assert tli.reason.startswith("62.5% of the target's tokens")
    assert tli.reason.endswith("less than half of y")
    assert slem.fits == "poorly"  # cannot spell 6 of 16 tokens, cannot read 2 of 3 passages
    assert slem.reason.startswith("the drafter cannot spell 37.5% of the target's tokens")


def test_advice_names_ids_that_the_target_does_not_write():
    class Later:
        """Two ids for a; encoding writes the second, the reference's map may take the first."""

        vocabulary = (b"a", b"a")
        end_of_sequence = None
        laws = greedy(["a"]).laws

        def encode(self, text):
            return (1,) * len(text)

        def decode(self, ids):
            return "a" * len(ids)

    found = audited(Later(), greedy(["a"]), [Passage("x", "aaa")])
    whole = found.coverage[-1].target
    assert whole.token_share == 1.0
    # Whatever the reference's map chooses, the report says what it reaches.
    assert whole.mapped_share in (0.0, 1.0)
    if whole.mapped_share == 0.0:
        assert "an id that the target does not write" in found.advice.fits[0].reason
        assert fits(found)["TLI"] == "poorly"


def test_the_page_states_the_thresholds():
    page = (Path(__file__).parents[3] / "docs" / "tokenizer-audit.md").read_text("utf-8")
    high, low = advice.IN_REACH
    assert f"| from {high:.0%} | from {low:.0%} | below |" in page
    few, many = advice.LOST
    assert f"| below {few:.0%} | below {many:.0%} | from there |" in page
    cheap, dear = advice.SEGMENTATIONS
    assert f"| at most {cheap} | at most {dear} | more |" in page
    kinds = {getattr(roundtrips, name) for name in dir(roundtrips) if name.isupper()}
    for kind in {each for each in kinds if isinstance(each, str) and len(each) > 1}:
        assert f"| {kind} |" in page


# Corpora.


def test_the_corpus_is_whole_in_passages_that_are_short():
    sections = Counter(each.section for each in CORPUS)
    assert len(sections) >= 15
    assert all(0 < len(each.text) <= PASSAGE for each in CORPUS)
    text = "a\n" * 500 + "b" * 1000 + "\n\nc"
    cut = passages("x", text)
    assert "".join(each.text for each in cut) == text
    assert max(len(each.text) for each in cut) <= PASSAGE


def test_every_text_is_every_short_text():
    found = every_text((b"b", None, b"ab"), (b"\xff",))
    assert [each.text for each in found][:6] == ["a", "b", "aa", "ab", "ba", "bb"]
    assert len(found) == 2 + 4 + 8 + 16 + 32


def test_files_are_read_as_they_are(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes("one\r\ntwo é\n".encode())
    assert read_corpus(path) == (Passage("notes.txt", "one\r\ntwo é\n"),)
    path.write_bytes(b"ab\xff")
    with pytest.raises(ValueError, match=r"notes\.txt is not UTF-8 text: byte 0xff at offset 2"):
        read_corpus(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"notes\.txt is empty"):
        read_corpus(path)


# Words and pictures.


def test_numbers_and_texts_in_words():
    assert large(None) == "parts of characters"
    assert large(999_999_999_999) == "999,999,999,999"
    assert large(2**100) == "~1.2e30"
    assert [percent(part) for part in (0, 0.0001, 0.5, 0.9999, 1)] == [
        "0.0%",
        "under 0.1%",
        "50.0%",
        "over 99.9%",
        "100.0%",
    ]
    assert quoted("a\n\u200b") == "'a\\n\\u200b'"
    assert quoted("x" * 30, 10) == f"'{'x' * 7}...'"


def test_columns_of_the_picture_hold_every_token():
    long = "a" * (LONGEST + 5)
    found = audited(greedy(["a", "aa", long]), greedy(["a", "b", long, long + "a"]))
    rows = columns(found)
    assert [row.bytes for row in rows] == [*range(1, LONGEST + 1)]
    assert rows[0] == Length(1, 1, 2, 1, 1)
    assert rows[1] == Length(2, 1, 0, 0, 0)
    assert rows[-1] == Length(LONGEST, 1, 2, 1, 1)


def test_a_picture_needs_a_known_ending_and_matplotlib(monkeypatch):
    with pytest.raises(NoPlotError, match=r"lengths\.gif: the name must end in \.svg or \.png"):
        check_plot("lengths.gif")
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(NoPlotError, match=r"draftproof\[plots\]"):
        check_plot("lengths.svg")


def test_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the picture needs draftproof[plots]")
    found = of_gallery("many-to-one")
    draw(found, str(tmp_path / "one.svg"))
    draw(found, str(tmp_path / "again.svg"))
    draw(found, str(tmp_path / "one.png"))
    svg = (tmp_path / "one.svg").read_text("utf-8")
    assert svg == (tmp_path / "again.svg").read_text("utf-8")
    assert "<svg" in svg
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
