"""psi in all its versions: each gives exactly the numbers of the one before, psi_k included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import brute_force
import pytest
from draftproof.reference import (
    BoundedPsi,
    BytePsi,
    Ids,
    LazyPsi,
    Pair,
    Work,
    candidate_law,
    exact_law,
    psi_lazy,
    rational,
    slrs_round,
    states_psi,
    stop_rule,
    stop_rules,
    tree_law,
)
from draftproof.reference.exact import Rational
from draftproof.reference.psi_bytes import NotByteLevelError
from draftproof.reference.psi_states import NoStatesError
from draftproof.reference.psi_tree import Scores, next_scores
from draftproof.toymodels import GALLERY, gallery, gallery_pair
from draftproof.toymodels.models import NgramModel
from draftproof.toymodels.pairs import GalleryPair, bigram, context_free
from draftproof.toymodels.strategies import models, two_vocabulary_pairs
from draftproof.toymodels.tokenizers import greedy
from hypothesis import given, settings
from hypothesis import strategies as st

RULES = (
    "fixed:1",
    "fixed:2",
    "fixed:3",
    "characters:2/cap:3",
    "tokens:2/cap:3",
    "determined:1/cap:3",
    "determined:2/cap:4",
    "lookup:1/cap:3",
    "lookup:2/cap:4",
    "longest:3",
)


def contexts(named: GalleryPair) -> list[Ids]:
    """The prompt, and what may stand one token later."""
    (p,) = named.pair.target.distributions(named.prompt)
    return [named.prompt, *((*named.prompt, token) for token in p)]


def beginnings(law: Mapping[Ids, Any]) -> list[Ids]:
    """Every string that is proposed, and everything that one begins with."""
    return sorted({ids[:k] for ids in law for k in range(len(ids) + 1)})


def rational_numbers(scores: Mapping[Any, Any]) -> dict[Any, Rational]:
    """As a plain mapping; a float among them is an error."""
    assert all(isinstance(number, Rational | int) for number in scores.values())
    return dict(scores)


def check_all(pair: Pair, context: Ids, slug: str) -> None:
    """The definition, the tree, the states, one token at a time, between bounds."""
    rule = stop_rule(slug)
    defined = candidate_law(pair, context, rule)
    tree = tree_law(pair, context, rule)
    assert rational_numbers(tree) == dict(defined.law.items())
    lazy, bounded = LazyPsi(pair, context, rule), BoundedPsi(pair, context, rule)
    for accepted in beginnings(defined.law):
        due = dict(defined.next_token(accepted).items())
        assert rational_numbers(next_scores(tree, accepted)) == due
        try:
            merged = states_psi(pair, context, rule, accepted)
        except NoStatesError:
            assert not pair.drafter_tokenizer.laws.concatenative
        else:
            assert rational_numbers({t: n for t, n in merged.items() if n}) == due
        for token in range(pair.target.size):
            number = lazy.after(accepted)[token]
            assert isinstance(number, Rational | int)
            assert number == due.get(token, 0)
            assert bounded.after(accepted)[token].exact() == number


@pytest.mark.parametrize("name", GALLERY)
def test_versions_agree_on_the_gallery(name: str) -> None:
    named = gallery_pair(name)
    for slug in RULES:
        for context in contexts(named):
            check_all(named.pair, context, slug)


@pytest.mark.parametrize("name", GALLERY)
def test_the_definition_under_every_rule_by_brute_force(name: str) -> None:
    """Draft by draft, with rules written a second time."""
    named = gallery_pair(name)
    for slug in RULES:
        law = candidate_law(named.pair, named.prompt, stop_rule(slug)).law
        due = brute_force.proposals(named.pair, named.prompt, slug)
        assert brute_force.as_fractions(law) == due


@settings(max_examples=40)
@given(two_vocabulary_pairs(), st.sampled_from(RULES))
def test_versions_agree_on_random_pairs(named: GalleryPair, slug: str) -> None:
    check_all(named.pair, named.prompt, slug)


@settings(max_examples=40)
@given(two_vocabulary_pairs(plain=True), st.sampled_from(RULES))
def test_versions_agree_on_plain_pairs(named: GalleryPair, slug: str) -> None:
    check_all(named.pair, named.prompt, slug)


@pytest.mark.parametrize("version", ["tree", "states", "lazy"])
def test_the_comparison_fails_on_a_planted_fault(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One version reads one text a second time as something else; the comparison sees it."""
    pair = gallery_pair("crossing-merges").pair
    if version == "lazy":  # off the paths, the other verdict
        monkeypatch.setattr(psi_lazy, "always_encodes", lambda target, drafter: False)
        flipped = psi_lazy.PrefixMass._outlook

        def wrong(self: Any, draft: Any) -> Any:
            outlook = flipped(self, draft)
            return type(outlook)(outlook.verdict, outlook.paths, not outlook.off)

        monkeypatch.setattr(psi_lazy.PrefixMass, "_outlook", wrong)
    elif version == "states":  # two drafts merged that have different futures
        monkeypatch.setattr(stop_rules, "known_and_rest", lambda target, text, wanted: None)
    else:
        monkeypatch.setattr(
            Scores, "add", lambda self, outcome, number: self.__setitem__(outcome, number)
        )
    with pytest.raises(AssertionError):
        check_all(pair, (0,), "fixed:3")


# ---- what each version costs ---------------------------------------------------------------------


def counted(version: Callable[[Work], object]) -> Work:
    work = Work()
    version(work)
    return work


def test_the_tree_asks_once_at_each_depth() -> None:
    """Three drafts over two tokens: 1 + 2 + 4 contexts in three passes; by definition 8 * 3."""
    pair = gallery_pair("merging-target").pair
    work = counted(lambda work: tree_law(pair, (0,), stop_rule("fixed:3"), work))
    assert (work.evaluations, work.passes) == (7, 3)
    drafts = exact_law(lambda chance: len(_draft(pair, chance)))
    assert dict(drafts) == {3: 1}


def _draft(pair: Pair, chance: Any) -> Ids:
    from draftproof.reference.proposals import propose

    return propose(pair, (0,), stop_rule("fixed:3"), chance).drafter_ids


def test_a_model_that_can_batch_is_asked_in_batches() -> None:
    inner = gallery_pair("merging-target").pair
    asked: list[int] = []

    class Batched:
        size = inner.drafter.size

        def distributions(self, context: Ids, continuation: Ids = ()) -> Any:
            raise AssertionError("one by one")

        def distributions_after(self, contexts: list[Ids]) -> Any:
            asked.append(len(contexts))
            return [inner.drafter.distributions(context)[0] for context in contexts]

    pair = Pair(inner.target, Batched(), inner.target_tokenizer, inner.drafter_tokenizer)
    rule = stop_rule("fixed:3")
    assert tree_law(pair, (0,), rule) == tree_law(inner, (0,), rule)
    assert asked == [1, 2, 4]


@pytest.mark.parametrize("drafts", [4, 8, 12])
def test_states_do_not_grow_with_the_drafts(drafts: int) -> None:
    """A bigram drafter and longest match: some states for each depth, not 2^depth drafts."""
    pair = gallery_pair("merging-target").pair
    rule = stop_rule(f"characters:{drafts}/cap:{drafts}")
    accepted = (0,) * (drafts // 2 - 1)
    work = counted(lambda work: states_psi(pair, (0,), rule, accepted, work))
    assert work.passes == drafts // 2 + 1
    assert work.evaluations <= 8 * drafts**2
    early = counted(lambda work: states_psi(pair, (0,), rule, (), work))
    assert (early.evaluations, early.passes) == (2, 2)  # a is settled by what comes after it


def characters_up_to(longest: int) -> tuple[Pair, list[str]]:
    """A byte-level drafter over {a, b}; a target with every text of ``longest`` of them at most."""
    texts = ["a", "b"]
    for text in texts:
        if len(text) < longest:
            texts += [text + "a", text + "b"]
    target = NgramModel.constant([f"1/{len(texts)}"] * len(texts))
    pair = Pair(target, bigram("1/2 1/2", "1/3 2/3", "3/4 1/4"), greedy(texts), greedy(["a", "b"]))
    return pair, texts


def test_byte_level_drafters_have_one_path_for_a_token() -> None:
    """psi(t) asks the drafter at the places of t, and one more at most, whatever T's size."""
    for longest in (2, 3, 4):
        pair, texts = characters_up_to(longest)
        rule = stop_rule(f"determined:1/cap:{longest}")
        for token, text in enumerate(texts):
            for version in (LazyPsi, BytePsi):
                work = Work()
                psi = (
                    version(pair, (0,), rule)
                    if version is LazyPsi
                    else BytePsi(pair, (0,), rule, work)
                )
                number = psi.number((), token)
                work = psi.work if version is LazyPsi else work
                assert number == candidate_law(pair, (0,), rule).next_token()[token]
                assert work.evaluations <= min(len(text) + 1, longest)


def letters_and_pairs(count: int) -> Pair:
    """A drafter of ``count`` letters; the target has these, and every other pair of them."""
    letters = [chr(0x4E00 + n) for n in range(count)]
    twos = [a + b for i, a in enumerate(letters) for j, b in enumerate(letters) if (i + j) % 2]
    target = greedy([*letters, *twos])
    law = NgramModel.constant([rational(1, count)] * count)
    size = len(target.vocabulary)
    return Pair(NgramModel.constant([rational(1, size)] * size), law, target, greedy(letters))


@pytest.mark.parametrize(("count", "size"), [(22, 264), (128, 8320), (724, 262812)])
def test_psi_of_a_token_does_not_cost_more_in_a_larger_vocabulary(count: int, size: int) -> None:
    """Two contexts in two passes; psi of a letter is q less q of the pairs that it begins."""
    pair = letters_and_pairs(count)
    assert pair.target.size == size
    for text, mass in (("\u4e00", f"1/{2 * count}"), ("\u4e00\u4e01", f"1/{count**2}")):
        psi = LazyPsi(pair, (0,), stop_rule("fixed:3"))
        number = psi.number((), pair.target_tokenizer.encode(text)[0])
        assert number == rational(mass)
        assert (psi.work.evaluations, psi.work.passes) == (2, 2)


@settings(max_examples=40)
@given(st.data())
def test_products_agree_for_byte_level_drafters(data: st.DataObject) -> None:
    pieces = ["a", "b", *data.draw(st.sets(st.sampled_from(["ab", "ba", "aab", "abb", "bab"])))]
    end = data.draw(st.booleans())
    target = greedy([*pieces, None], end_of_sequence=len(pieces)) if end else greedy(pieces)
    drafter = greedy(["b", "a", None], end_of_sequence=2) if end else greedy(["b", "a"])
    pair = Pair(
        data.draw(models(len(target.vocabulary))),
        data.draw(models(len(drafter.vocabulary))),
        target,
        drafter,
    )
    slug = data.draw(
        st.sampled_from(["fixed:3", "fixed:4", "characters:3/cap:4", "determined:1/cap:4"])
    )
    rule = stop_rule(slug)
    by_product, law = BytePsi(pair, (0,), rule), candidate_law(pair, (0,), rule)
    for accepted in beginnings(law.law):
        if slug.startswith("determined") and accepted:
            continue
        for token in range(pair.target.size):
            assert by_product.number(accepted, token) == law.next_token(accepted)[token]


@pytest.mark.parametrize(
    ("target", "drafter", "slug", "said"),
    [
        (greedy(["a", "b"]), greedy(["a", "ab"]), "fixed:2", "id 1 is not a character of its own"),
        (greedy(["a"]), greedy(["a", "b"]), "fixed:2", "cannot encode every character"),
        (greedy(["a", "b"]), greedy(["a", "b"]), "longest:2", "none of fixed, characters"),
    ],
)
def test_what_the_products_are_not_for(target: Any, drafter: Any, slug: str, said: str) -> None:
    law = context_free("1/2 1/2")
    one = context_free("1")
    pair = Pair(law if len(target.vocabulary) == 2 else one, law, target, drafter)
    with pytest.raises(NotByteLevelError, match=said):
        BytePsi(pair, (0,), stop_rule(slug))


def test_what_the_products_and_states_are_not_for() -> None:
    pair = gallery_pair("bpe-greedy").pair
    with pytest.raises(NotByteLevelError, match="longest match"):
        BytePsi(pair, (0,), stop_rule("fixed:2"))
    bytes_ = BytePsi(characters_up_to(2)[0], (0,), stop_rule("determined:1/cap:3"))
    with pytest.raises(NotByteLevelError, match="settles 1 ids, not 2"):
        bytes_.mass((0, 1))
    with pytest.raises(NoStatesError, match="not the concatenation"):
        states_psi(gallery_pair("cleaned-draft").pair, (0,), stop_rule("fixed:2"))

    class Stateless:
        size = 2

        def distributions(self, context: Ids, continuation: Ids = ()) -> Any:
            return gallery_pair("merging-target").pair.drafter.distributions(context, continuation)

    inner = gallery_pair("merging-target").pair
    stateless = Pair(inner.target, Stateless(), inner.target_tokenizer, inner.drafter_tokenizer)
    with pytest.raises(NoStatesError, match="no finite state"):
        states_psi(stateless, (0,), stop_rule("fixed:2"))


@pytest.mark.parametrize("version", [LazyPsi, BoundedPsi])
def test_rounds_with_any_version_are_the_same_rounds(version: type[LazyPsi]) -> None:
    """The exact law of a whole round, psi asked for token by token."""
    for named in gallery():
        for slug in ("fixed:2", "determined:1/cap:2", "lookup:2/cap:3"):
            rule, pair = stop_rule(slug), named.pair

            def run(chance: Any, pair: Pair = pair, rule: Any = rule, prompt: Ids = named.prompt):
                psi_after = version(pair, prompt, rule).after
                return slrs_round(pair, prompt, rule, chance, psi_after=psi_after).emitted

            due = exact_law(
                lambda chance, p=pair, r=rule, c=named.prompt: slrs_round(p, c, r, chance).emitted
            )
            assert exact_law(run) == due
