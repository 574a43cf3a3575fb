"""What is certain of an encoding that goes on: against trying all short continuations."""

from __future__ import annotations

from itertools import product

import brute_rules
import pytest
from draftproof.reference.outlooks import encoding_outlook
from draftproof.reference.readings import (
    always_encodes,
    certain,
    encoded,
    is_stable,
    readings,
    spellings,
)
from draftproof.toymodels import gallery
from draftproof.toymodels.strategies import tokenizers
from draftproof.toymodels.texts import Normaliser
from draftproof.toymodels.tokenizers import ToyTokenizer, bpe, greedy, unigram
from hypothesis import assume, given, settings

SIDES = [
    pytest.param(side, id=f"{each.name}-{role}")
    for each in gallery()
    for role, side in (
        ("target", each.pair.target_tokenizer),
        ("drafter", each.pair.drafter_tokenizer),
    )
]


def texts(tokenizer: ToyTokenizer, length: int) -> list[str]:
    return [
        "".join(characters)
        for n in range(length + 1)
        for characters in product(tokenizer.alphabet, repeat=n)
    ]


def is_exact(tokenizer: ToyTokenizer, length: int = 3) -> bool:
    """`certain` and `readings` say what all continuations of up to four characters say."""
    for text in texts(tokenizer, length):
        if certain(tokenizer, text) != brute_rules.certain(tokenizer, text):
            return False
        longer = [encoded(tokenizer, text + more) for more in texts(tokenizer, 4)]
        real = {ids for ids in longer if ids is not None}
        ways = readings(tokenizer, text)
        if not all(any(ids[: len(way)] == way for way in ways) for ids in real):
            return False
        if not all(any(ids[: len(way)] == way for ids in real) for way in ways):
            return False
    return True


@pytest.mark.parametrize("tokenizer", SIDES)
def test_certain_ids_of_every_tokenizer_of_the_gallery(tokenizer: ToyTokenizer) -> None:
    if is_stable(tokenizer):
        assert is_exact(tokenizer)
    else:
        assert certain(tokenizer, "".join(tokenizer.alphabet)) == ()


@settings(max_examples=60)
@given(tokenizers(max_size=4))
def test_certain_ids_of_random_tokenizers(tokenizer: ToyTokenizer) -> None:
    assume(is_stable(tokenizer))
    assert is_exact(tokenizer, 2)


def stable_boundaries(tokenizer: ToyTokenizer) -> bool:
    """The law itself: both sides of every boundary are cut as if alone."""
    for text in texts(tokenizer, 5):
        ids = encoded(tokenizer, text)
        for cut in range(len(ids or ())):
            left, right = (tokenizer.decode(part) for part in (ids[:cut], ids[cut:]))
            if left + right != text:
                return False
            if encoded(tokenizer, left) != ids[:cut] or encoded(tokenizer, right) != ids[cut:]:
                return False
    return True


@settings(max_examples=80)
@given(tokenizers(max_size=4))
def test_who_says_it_is_stable_is(tokenizer: ToyTokenizer) -> None:
    assume(is_stable(tokenizer))
    assert stable_boundaries(tokenizer)


def test_what_is_not_stable_and_says_so_would_be_found_out() -> None:
    """A space put in front changes how a text is cut: not stable, and both checks see it."""
    liar = greedy(["a", " ", " a"], normalisers=[Normaliser.PREFIX_SPACE_ALWAYS])
    assert not is_stable(liar)
    assert not stable_boundaries(liar)
    liar.stable = True
    assert not is_exact(liar)
    assert not is_stable(bpe(["a", "b", "ab"], [("a", "b"), ("ab", "a")]))  # aba is no piece


def test_how_many_characters_it_takes_depends_on_the_tokenizer() -> None:
    """a is certain of {a, b} at once, of {a, b, ab} after another a; of the best score never."""
    assert certain(greedy(["a", "b"]), "a") == (0,)
    longest = greedy(["a", "b", "ab"])
    assert certain(longest, "a") == ()
    assert certain(longest, "aa") == (0,)
    pairs = unigram(
        ["a", "aa"], {"a": -2, "aa": -3}
    )  # a run of odd length begins with the single a
    assert all(certain(pairs, "a" * n) == () for n in range(1, 9))
    assert certain(greedy(["ab"], alphabet=["a", "b"]), "b") is None


def test_outlooks() -> None:
    target = greedy(["a", "b", "ab"])
    assert encoding_outlook(target, "aa", (0,), True, None).verdict is True
    assert encoding_outlook(target, "aa", (0,), False, None).verdict is None
    assert encoding_outlook(target, "b", (0,), True, None).verdict is False
    open_ = encoding_outlook(target, "a", (0,), True, None)
    assert (open_.verdict, open_.paths, open_.off) == (None, ("ab",), True)
    wanted = encoding_outlook(target, "", (2, 1), True, None)
    assert (wanted.verdict, wanted.off) == (None, False)
    assert "abb" in (wanted.paths or ())


def test_spellings_are_found_by_their_beginning() -> None:
    known = spellings(greedy(["a", "b", "ab", "abb", None, "ba"]))
    assert sorted(known.beginning_with("ab")) == [("ab", 2), ("abb", 3)]
    assert known.ids_of("ab") == (2,)
    assert known.ids_of("abc") == ()
    assert always_encodes(greedy(["a", "b"]), greedy(["ab", "b"]))
    assert not always_encodes(greedy(["a", "ab"]), greedy(["ab", "b"]))
