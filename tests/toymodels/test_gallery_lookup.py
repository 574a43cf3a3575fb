"""Asking the gallery: names, descriptions, laziness, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from draftproof.reference.models import Ids
from draftproof.reference.pair import Pair, PairError
from draftproof.toymodels.gallery import GalleryPair, UnknownPairError, gallery, gallery_pair
from draftproof.toymodels.pairs import Shelf


def test_asking_twice_gives_the_same_pair():
    assert gallery_pair("base") is gallery_pair("base") is gallery()[0]


def test_an_unknown_name_lists_near_ones():
    with pytest.raises(UnknownPairError, match="'retokenised'; near names: retokenized"):
        gallery_pair("retokenised")
    with pytest.raises(UnknownPairError, match="no gallery pair is called '#'; the first is base"):
        gallery_pair("#")


def test_a_description_is_json_and_tells_the_numbers():
    described = json.loads(json.dumps(gallery_pair("many-to-one").describe()))
    assert described["prompt"] == [0]
    assert described["target"]["tables"] == {"": {"0": "3/5", "1": "2/5"}}
    assert described["drafter_tokenizer"] == {
        "vocabulary": ["a", "b", "b"],
        "segmentation": "greedy",
    }
    assert gallery_pair("base").describe()["tokenizer"]["vocabulary"] == ["a", "b", "c"]
    assert "3/10" in repr(gallery_pair("base"))


@pytest.mark.parametrize(
    ("prompt", "complaint"),
    [
        ((), "pair 'x': the prompt is empty; it needs at least one id"),
        ((0, 3), r"pair 'x': id 3 of the prompt is outside 0 \.\. 2"),
    ],
)
def test_bad_prompts_are_named(prompt: Ids, complaint: str):
    with pytest.raises(PairError, match=complaint):
        GalleryPair("x", "nothing", gallery_pair("base").pair, prompt)


def test_two_pairs_cannot_share_a_name():
    shelf = Shelf()

    def build() -> Pair:
        return gallery_pair("base").pair

    shelf.pair("x", "nothing")(build)
    with pytest.raises(ValueError, match="two pairs are called 'x'"):
        shelf.pair("x", "nothing")(build)


def test_importing_builds_nothing_and_needs_no_extras():
    code = (
        "import sys, draftproof.toymodels as t;"
        "assert not any(b.cache_info().currsize for b in t.GALLERY.values());"
        "assert not {'hypothesis', 'networkx', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
