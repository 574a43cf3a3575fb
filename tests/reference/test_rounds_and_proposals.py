"""Rounds, the loop around them, and what is proposed in each corner: ends, silence, no encoding."""

from __future__ import annotations

import pytest
from draftproof.reference import (
    ALGORITHMS,
    Chance,
    CoinTape,
    EmptyIntersectionError,
    EncodeError,
    Fixed,
    Ids,
    LanguageModel,
    Pair,
    PairError,
    Round,
    Sampler,
    Tokenizer,
    TokenizerLaws,
    branches,
    candidate_law,
    exact_law,
    forms,
    generate,
    inexpressible,
    map_tokens,
    program,
    psi,
    rational,
    stop_rule,
)
from draftproof.reference.drafting import draft_tokens
from draftproof.reference.proposals import Proposal, propose
from draftproof.reference.rounds import cut, ended, finish
from draftproof.toymodels import GalleryPair, ModelError, NgramModel, gallery_pair, greedy
from draftproof.toymodels.strategies import pairs
from hypothesis import given, settings
from hypothesis import strategies as st


def proposed(pair_name: str, context: Ids, drafts: Ids, rule: str = "fixed:2") -> Proposal:
    """What is proposed when the drafter happens to draw ``drafts``."""
    pair = gallery_pair(pair_name).pair
    for leaf in branches(lambda chance: propose(pair, context, stop_rule(rule), chance)):
        if leaf.result.drafter_ids == drafts:
            return leaf.result
    raise AssertionError(f"{drafts} cannot be drafted after {context} on {pair_name}")


@pytest.mark.parametrize(
    ("pair_name", "context", "drafts", "text", "candidates"),
    [
        # Drafts a, b are the target's one token ab.
        ("merging-target", (0,), (0, 1), "ab", (2,)),
        # a, ba is ab, a.
        ("crossing-merges", (0,), (0, 2), "aba", (2, 0)),
        # Two ids of one text: the lower is proposed.
        ("two-ids-target", (0,), (1, 1), "bb", (1, 1)),
        # Text that the target cannot encode: no proposal, the drafts are on record.
        ("inexpressible", (0,), (1, 2), "bbc", ()),
        ("unreadable-draft", (0,), (1, 0), "ba", ()),
        # The drafter's end of sequence ends the draft; T has none: the text before it is proposed.
        ("end-in-drafter-only", (0,), (1, 0), "ba", (1, 0)),
        ("end-in-drafter-only", (0,), (2,), "", ()),
        ("end-in-drafter-only", (1,), (0, 2), "a", (0,)),
        # Both have one: it is proposed behind the text, by the target's id.
        ("end-ids-differ", (1,), (2,), "", (0,)),
        ("end-ids-differ", (1,), (0, 2), "a", (1, 0)),
        ("end-ids-differ", (1,), (1, 2), "ab", (1, 2, 0)),
        # One vocabulary, an end in it.
        ("contexts", (1,), (2,), "", (2,)),
        # Drafts that decode to nothing propose nothing.
        ("silent-drafts", (0,), (2, 2), "", ()),
        ("silent-drafts", (0,), (0, 2), "a", (0,)),
        # Spaces that the target strips.
        ("stripping-target", (0,), (1, 1), "  ", ()),
        ("stripping-target", (0,), (1, 0), " a", (0,)),
        # A character of which only one byte is drafted reads as U+FFFD.
        ("bytes-drafter", (1,), (0, 1), "a\N{REPLACEMENT CHARACTER}", ()),
        # The target's own beginning of sequence is the first candidate.
        ("begin-target", (0,), (0, 1), "ab", (2, 0, 1)),
        # A drafted bar is a special of the target.
        ("skipped-special", (0,), (2, 0), "|a", (2, 0)),
    ],
)
def test_what_is_proposed(
    pair_name: str, context: Ids, drafts: Ids, text: str, candidates: Ids
) -> None:
    found = proposed(pair_name, context, drafts)
    assert (found.text, found.candidates) == (text, candidates)


def test_a_drafter_that_cannot_read_the_context_says_nothing() -> None:
    """After b, b nothing is drafted, by strings or by tokens, and the token comes from p."""
    pair = gallery_pair("unreadable-context").pair
    assert pair.drafter_context((0, 1, 1)) is None
    for leaf in branches(lambda chance: propose(pair, (0, 1, 1), Fixed(2), chance)):
        assert leaf.result == Proposal()
    for name in ALGORITHMS[1:]:
        made = program(name, 2)
        rounds = exact_law(lambda chance, made=made: made.run_round(pair, (0, 1, 1), chance, None))
        assert all(r.drafts == r.candidates == () and r.accepted == 0 for r in rounds)
        law = rounds.push_forward(lambda r: r.emitted)
        assert law == exact_law(
            lambda chance: (
                program("autoregressive", 1).run_round(pair, (0, 1, 1), chance, None).emitted
            )
        )


def test_stop_rules_end_drafts() -> None:
    """Two characters, or five drafts: one drafted ab is long enough, silence never is."""
    assert proposed("end-ids-differ", (1,), (1,), "characters:2/cap:3").candidates == (1, 2)
    assert proposed("silent-drafts", (0,), (2, 2, 2), "characters:2/cap:3").candidates == ()
    assert proposed("silent-drafts", (0,), (2, 0, 2), "characters:2/cap:3").candidates == (0,)


@settings(max_examples=60)
@given(pairs(), st.sampled_from(["fixed:1", "fixed:2", "characters:2/cap:2"]))
def test_psi_and_psi_k_make_up_the_law_of_candidates(named: GalleryPair, slug: str) -> None:
    """The law of t_1..t_m is the product of the psi_k, with "nothing more" at its end."""
    law = candidate_law(named.pair, named.prompt, stop_rule(slug))
    assert law.law.mass == 1
    assert psi(named.pair, named.prompt, stop_rule(slug)).mass == 1 - law.law[()]
    for candidates, number in law.law.items():
        product = rational(1)
        for k, token in enumerate(candidates):
            product *= law.next_token(candidates[:k])[token]
        product *= 1 - law.next_token(candidates).mass
        assert product == number
    nowhere = (named.pair.target.size,)
    assert law.next_token(nowhere).mass == 0


def test_token_level_drafts_end_early() -> None:
    """After an end, after a token that T lacks, never because of anything else."""
    pair = gallery_pair("end-ids-differ").pair
    for leaf in branches(lambda chance: draft_tokens(pair, (1,), 3, chance)):
        drafts = leaf.result
        stops = [t == 0 or t >= pair.target.size for t in drafts.tokens]
        assert not any(stops[:-1])
        assert stops[-1] or len(drafts.tokens) == 3
        assert drafts.verifiable(pair) == tuple(t for t in drafts.tokens if t < pair.target.size)
        assert len(drafts.laws) == len(drafts.tokens)
        for token, law in zip(drafts.tokens, drafts.laws, strict=True):
            assert law[token] > 0
            assert law.mass == 1


def test_masses_of_one_meaning_are_summed() -> None:
    """D has b twice: the law that scores b is 1/4 + 1/4."""
    pair = gallery_pair("many-to-one").pair
    for leaf in branches(lambda chance: draft_tokens(pair, (0,), 1, chance)):
        (law,) = leaf.result.laws
        assert (law[0], law[1]) == (rational(1, 2), rational(1, 2))


# --- rounds and the loop ---------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), max_size=6).map(tuple), st.sampled_from([None, 0, 2]))
def test_cut(ids: Ids, end: int | None) -> None:
    kept = cut(ids, end)
    assert ids[: len(kept)] == kept
    if end is None or end not in ids:
        assert kept == ids
        assert ended(ids, end) is False
    else:
        assert ended(kept, end)
        assert kept.count(end) == 1


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_generation_ends_at_the_limit_or_at_an_end(name: str, limit: int) -> None:
    """Never more ids than asked for, nothing behind an end, the rounds add up to the ids."""
    for pair_name in ("contexts", "end-ids-differ", "end-in-target-only"):
        named = gallery_pair(pair_name)
        end = named.pair.end_of_sequence
        made = program(name, forms(name, 2)[-1])
        finished = 0
        for seed in range(40):
            run = generate(made.run_round, named.pair, named.prompt, Sampler(seed), limit)
            assert 1 <= len(run.ids) <= limit
            assert end not in run.ids[:-1]
            assert len(run.ids) == limit or run.ids[-1] == end
            joined = sum((block.emitted for block in run.rounds), ())
            assert joined[:limit] == run.ids
            assert all(block.emitted for block in run.rounds)
            finished += run.ids[-1] == end
        assert finished or limit == 1


def test_a_prompt_that_ends_in_an_end_is_continued() -> None:
    named = gallery_pair("contexts")
    assert named.pair.end_of_sequence == 2
    run = generate(program("slem", 2).run_round, named.pair, (0, 2), Sampler(1), 3)
    assert run.ids


def test_the_state_of_a_round_reaches_the_next() -> None:
    seen: list[object] = []

    def run_round(pair: Pair, context: Ids, chance: Chance, state: object) -> Round:
        seen.append((context, state))
        return Round((0,), state=len(context))

    named = gallery_pair("base")
    generate(run_round, named.pair, (1, 1), CoinTape([]), 3)
    assert seen == [((1, 1), None), ((1, 1, 0), 2), ((1, 1, 0, 0), 3)]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one(limit: int) -> None:
    named = gallery_pair("base")
    with pytest.raises(ValueError, match=f"max_new_tokens is {limit}; at least 1 is needed"):
        generate(program("slem", 1).run_round, named.pair, (0,), Sampler(1), limit)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [((0, 7), "prompt id 7 at place 1 is outside 0..2"), ((-1,), "prompt id -1 at place 0")],
)
def test_unknown_prompt_ids(prompt: Ids, said: str) -> None:
    named = gallery_pair("base")
    with pytest.raises(ValueError, match=said):
        generate(program("slem", 1).run_round, named.pair, prompt, Sampler(1), 2)


def test_a_round_is_cut_behind_an_end() -> None:
    pair = gallery_pair("contexts").pair
    assert finish(pair, (0, 2, 1), 2).emitted == (0, 2)
    assert finish(pair, (0, 2, 1), 2).accepted == 2


def test_an_accepted_end_is_the_last_id() -> None:
    """The drafted end is accepted, and what is drawn behind it is never seen."""
    named = gallery_pair("equal")
    for name in ("exact-match", "standard", "block", "union", "slem", "slrs", "tli"):
        made = program(name, 2)
        for block in exact_law(
            lambda chance, made=made: made.run_round(named.pair, named.prompt, chance, None)
        ).support():
            assert 2 not in block.emitted[:-1]
            if block.candidates[:1] == (2,) and block.accepted:
                assert block.emitted == (2,)


# --- pairs and token maps --------------------------------------------------------------------


def test_token_maps() -> None:
    """By bytes, the lowest target id first; ends correspond by role; silent ids to nothing."""
    source = greedy(["b", "a", "b", None, None], end_of_sequence=3)
    target = greedy(["a", "b", "b", None], end_of_sequence=3)
    assert map_tokens(source, target) == (1, 0, 1, 3, None)
    assert map_tokens(source, greedy(["a"])) == (None, 0, None, None, None)
    bytes_too = greedy(
        ["a", b"\xc3", b"\xa9"], alphabet=["a", "\N{LATIN SMALL LETTER E WITH ACUTE}"]
    )
    assert map_tokens(bytes_too, bytes_too) == (0, 1, 2)


def test_union_ids_and_intersection() -> None:
    pair = gallery_pair("inexpressible").pair
    assert pair.target_id_of == (0, 1, None)
    assert pair.intersection == {0, 1}
    assert pair.shared_drafter_ids == {0, 1}
    assert [pair.union_id(d) for d in range(3)] == [0, 1, pair.target.size + 2]


def test_expressibility() -> None:
    """ab is a, b; bc is not; an id without text is left out; every text expresses itself."""
    assert inexpressible(greedy(["ab", "bc", None]), greedy(["a", "b"])) == (1,)
    assert inexpressible(greedy(["a", "b"]), greedy(["ab", "ba"])) == (0, 1)
    assert inexpressible(greedy(["aab"]), greedy(["a", "ab"])) == ()


def test_a_model_that_does_not_fit_its_tokenizer() -> None:
    model = NgramModel.constant(["1/2", "1/2"])
    with pytest.raises(PairError, match="the drafter model has 2 ids, its tokenizer 3"):
        Pair(model, model, greedy(["a", "b"]), greedy(["a", "b", "c"]))
    with pytest.raises(PairError, match="the target model has 2 ids, its tokenizer 1"):
        Pair(model, model, greedy(["a"]), greedy(["a", "b"]))


def test_tli_without_an_intersection_raises_and_nothing_else_does() -> None:
    named = gallery_pair("empty-intersection")
    for name in ALGORITHMS:
        made = program(name, 2)
        run = lambda chance, made=made: made.run_round(named.pair, named.prompt, chance, None)  # noqa: E731
        if name == "tli":
            with pytest.raises(EmptyIntersectionError, match="share no token"):
                exact_law(run)
        else:
            assert exact_law(run).mass == 1


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (["1/2", "1/4"], "law at context \\(\\): the probabilities sum to 3/4, not to 1"),
        (["3/2", "-1/2"], "the probability of 1 is -1/2, below 0"),
        (["nan", "1"], "id 0: 'nan' is no exact number"),
        ([0.5, 0.5], "id 0: 0.5 is no exact number"),
        ([float("nan"), 1], "id 0: nan is no exact number"),
        ({0: "1/2", 5: "1/2"}, "id 5 is outside 0 .. 1"),
    ],
)
def test_laws_that_are_none(law: object, said: str) -> None:
    """Models refuse them by value and place, before anything is audited."""
    with pytest.raises(ModelError, match=said):
        NgramModel(2, 1, {(): law})  # type: ignore[dict-item]


class FakeTokenizer:
    """A tokenizer that breaks every promise: encodes anything as a, decodes anything as "?"."""

    vocabulary = (b"a", b"b")
    end_of_sequence = None
    laws = TokenizerLaws(True, True, True, True, True)

    def encode(self, text: str) -> Ids:
        if len(text) > 3:
            raise EncodeError("too long")
        return (0,)

    def decode(self, ids: object) -> str:
        del ids
        return "?"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_tokenizer_that_lies_costs_acceptance_only(name: str) -> None:
    """No algorithm trusts what a tokenizer states: the law stays exact whatever it does."""
    target: LanguageModel = NgramModel(2, 2, {(): ["1/2", "1/2"], (1,): ["1/5", "4/5"]})
    drafter: LanguageModel = NgramModel(2, 2, {(): ["1/3", "2/3"], (0,): ["3/4", "1/4"]})
    liar: Tokenizer = FakeTokenizer()
    for pair in (
        Pair(target, drafter, liar, FakeTokenizer()),
        Pair(target, drafter, greedy(["a", "b"]), liar),
        Pair(target, drafter, liar, greedy(["a", "b"])),
    ):
        due = exact_law(
            lambda chance, pair=pair: (
                generate(program("autoregressive", 1).run_round, pair, (1,), chance, 3).ids
            )
        )
        for form in forms(name, 2):
            made = program(name, form)
            assert due == exact_law(
                lambda chance, made=made, pair=pair: (
                    generate(made.run_round, pair, (1,), chance, 3).ids
                )
            )


def test_a_round_that_emits_nothing_does_not_loop() -> None:
    named = gallery_pair("base")
    with pytest.raises(ValueError, match=r"the round after \(0,\) emitted nothing"):
        generate(lambda *_: Round(()), named.pair, named.prompt, Sampler(0), 3)


def test_of_two_ids_with_one_text_the_map_takes_the_one_that_is_written():
    """As byte fallback has it: the lower id is never what encoding gives."""
    from types import SimpleNamespace

    from draftproof.reference.tokenizers import EncodeError, id_of_bytes, map_tokens

    def encode(text):
        if text == "?":
            raise EncodeError("no")
        return {"!": (3,), "a": (1,)}.get(text, (0, 1))

    target = SimpleNamespace(
        vocabulary=(b"!", b"a", None, b"!", b"?", b"?", b"xy", b"xy", b"\xff", b"\xff"),
        end_of_sequence=2,
        encode=encode,
    )
    source = SimpleNamespace(vocabulary=(b"!", b"?", b"xy", b"\xff", None), end_of_sequence=4)
    assert map_tokens(source, target) == (3, 4, 6, 8, 2)
    assert id_of_bytes(target)[b"a"] == 1
