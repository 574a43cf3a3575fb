"""Stop rules and programs by name: slugs round-trip, other texts are refused in one line."""

from __future__ import annotations

import pytest
from draftproof.reference import (
    ALGORITHMS,
    Characters,
    Determined,
    Fixed,
    Longest,
    Lookup,
    StopRule,
    Tokens,
    forms,
    program,
    stop_rule,
)
from draftproof.reference.stop_rules import reader
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given
from hypothesis import strategies as st

NUMBERS = st.integers(1, 50)


RULES = st.one_of(
    st.builds(Fixed, NUMBERS),
    st.builds(Characters, NUMBERS, NUMBERS),
    st.builds(Tokens, NUMBERS, NUMBERS),
    st.builds(Determined, NUMBERS, NUMBERS),
    st.builds(Lookup, NUMBERS, NUMBERS),
    st.builds(Longest, NUMBERS),
)


@given(RULES)
def test_slugs_round_trip(rule: StopRule) -> None:
    again = stop_rule(rule.slug)
    assert again == rule
    assert hash(again) == hash(rule)
    assert again.slug == rule.slug


@given(NUMBERS, st.lists(st.integers(0, 3), max_size=60).map(tuple), st.text(max_size=60))
def test_fixed_looks_at_the_number_of_drafts(drafts: int, ids: tuple[int, ...], text: str) -> None:
    assert Fixed(drafts).done(ids, text) == (len(ids) >= drafts)
    assert Fixed(drafts).cap == drafts


@given(NUMBERS, NUMBERS, st.lists(st.integers(0, 3), max_size=60).map(tuple), st.text(max_size=60))
def test_characters_looks_at_the_text_up_to_its_cap(
    characters: int, cap: int, ids: tuple[int, ...], text: str
) -> None:
    done = Characters(characters, cap).done(ids, text)
    assert done == (len(text) >= characters or len(ids) >= cap)
    if len(ids) >= cap:
        assert done


@pytest.mark.parametrize(
    "slug",
    [
        "",
        "fixed",
        "fixed:",
        "fixed:-1",
        "fixed:1.5",
        "fixed:2 ",
        "characters:3",
        "cap:3",
        "3",
        "characters:3/cap:",
        "fixed:2/one-token",
        "FIXED:2",
        "tokens:2",
        "determined:1/cap:",
        "lookup:/cap:3",
        "longest:2/cap:3",
        "fixed:2/block",
    ],
)
def test_other_texts_are_no_stop_rule(slug: str) -> None:
    with pytest.raises(ValueError, match="no stop rule is called") as said:
        stop_rule(slug)
    assert repr(slug) in str(said.value)


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("fixed:0", "the lookahead is 0; at least 1 is needed"),
        ("characters:0/cap:2", "the number of characters is 0; at least 1 is needed"),
        ("characters:2/cap:0", "the cap on drafts is 0; at least 1 is needed"),
        ("tokens:0/cap:2", "the number of tokens is 0; at least 1 is needed"),
        ("determined:1/cap:0", "the cap on drafts is 0; at least 1 is needed"),
        ("lookup:0/cap:2", "the number of tokens is 0; at least 1 is needed"),
        ("longest:0", "the lookahead is 0; at least 1 is needed"),
    ],
)
def test_numbers_below_one(slug: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stop_rule(slug)


def test_a_rule_equals_no_other_of_the_same_numbers() -> None:
    rules = {Tokens(2, 3), Determined(2, 3), Lookup(2, 3), Characters(2, 3), Fixed(2), Longest(2)}
    assert len(rules) == 6
    assert Tokens(2, 3) == stop_rule("tokens:2/cap:3")


@pytest.mark.parametrize("slug", ["tokens:2/cap:3", "determined:2/cap:3", "lookup:2/cap:3"])
def test_rules_that_look_at_the_target_say_when_the_cap_is_reached(slug: str) -> None:
    """All that can be said without a target; `reader` gives the rule for one."""
    assert [stop_rule(slug).done((0,) * n, "") for n in range(5)] == [n >= 3 for n in range(5)]


@pytest.mark.parametrize(
    ("slug", "texts", "done", "candidates"),
    [
        ("tokens:2/cap:3", ("a", "aa"), True, (0, 0)),
        ("tokens:2/cap:3", ("a", "ab"), False, (2,)),
        ("determined:1/cap:3", ("a",), False, (0,)),
        ("determined:1/cap:3", ("b",), True, (1,)),
        ("determined:2/cap:4", ("a", "aa"), False, (0, 0)),
        ("lookup:2/cap:4", ("a", "ab"), True, (0, 1)),
        ("lookup:2/cap:4", ("ab",), False, (2,)),
        ("lookup:2/cap:4", ("ba",), False, ()),
        ("longest:2", ("a", "ab"), True, (2,)),
        ("longest:3", ("a", "ab", "aba"), True, (2, 0)),
        ("longest:3", ("a", "aba"), False, (0,)),
    ],
)
def test_rules_at_work(
    slug: str, texts: tuple[str, ...], done: bool, candidates: tuple[int, ...]
) -> None:
    """T = {a, b, ab}, longest match; the texts are those after each draft."""
    reads = reader(stop_rule(slug), greedy(["a", "b", "ab"]))
    assert reads.done(tuple(range(len(texts))), texts) == done
    assert reads.candidates(texts) == candidates


@pytest.mark.parametrize("lookahead", [1, 2, 3])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_form_names_its_program(name: str, lookahead: int) -> None:
    listed = forms(name, lookahead)
    assert listed[0] == f"fixed:{lookahead}"
    assert len(set(listed)) == len(listed)
    for form in listed:
        made = program(name, form)
        assert made.name == name
        if name == "autoregressive":
            assert (made.lookahead, made.stop_rule, made.acceptance) == (None, None, None)
        else:
            assert (made.lookahead, made.stop_rule) == (lookahead, form)
            assert (made.acceptance is None) == ("look-behind" in form)
    assert program(name, lookahead).stop_rule == program(name, listed[0]).stop_rule


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [
        ("nothing", 1, "no algorithm is called 'nothing'; there are autoregressive, exact-match"),
        ("standard", 0, "the lookahead is 0"),
        ("slrs", -3, "the lookahead is -3"),
        ("standard", "characters:2/cap:3", "its lookahead is fixed:K, not 'characters:2/cap:3'"),
        ("standard", "fixed:2/one-token", "no stop rule is called 'fixed:2/one-token'"),
        ("slem", "fixed:2/one-token", "no stop rule is called 'fixed:2/one-token'"),
        ("slrs", "fixed:2/look-behind:2", "no stop rule is called 'fixed:2/look-behind:2'"),
        ("slrs", "spelled:2/one-token", "no stop rule is called 'spelled:2'"),
        ("slrs", "spelled:0/block", "no stop rule is called 'spelled:0'"),
        ("slem", "spelled:2/block", "no stop rule is called 'spelled:2/block'"),
        ("slem", "fixed:2/look-behind:0", "no stop rule is called"),
        ("slem", "fixed:2/look-behind:-1", "no stop rule is called"),
        ("autoregressive", "nonsense", "no stop rule is called 'nonsense'"),
        ("autoregressive", 0, "the lookahead is 0"),
    ],
)
def test_forms_that_an_algorithm_does_not_have(name: str, form: str | int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        program(name, form)
