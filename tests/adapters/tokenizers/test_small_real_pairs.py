"""The algorithms with real tokenizers in the loop, on vocabularies small enough for exact laws."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

import pytest
import small_pairs
from draftproof.adapters.tokenizers import named_tokenizer
from draftproof.audit import EXAMPLES, LOSSLESS, LOSSY, Result, audit_cell
from draftproof.audit.exact_audit import Cell
from draftproof.reference import (
    Chance,
    Fixed,
    Ids,
    Pair,
    Program,
    exact_law,
    forms,
    fraction_text,
    program,
)
from draftproof.reference.slem import slem_round
from small_pairs import PAIRS, SmallPair, built

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")
pytest.importorskip("tiktoken")

HORIZON = 3
LOOKAHEAD = 2
PROMPT = (0,)


@pytest.fixture(params=PAIRS, ids=lambda small: f"{small.target}+{small.drafter}", scope="module")
def small(request: pytest.FixtureRequest, asset: Callable[[str], Path]) -> SmallPair:
    found: SmallPair = request.param
    for name in (found.target, found.drafter):
        asset(named_tokenizer(name.removesuffix("/bare")).asset)
    return found


@pytest.fixture(scope="module")
def pair(small: SmallPair) -> Pair:
    return built(small)


def audited(name: str, run: Program, pair: Pair) -> list[Result]:
    return audit_cell(Cell(name, run, "small", pair, PROMPT), HORIZON)


def distance(result: Result) -> str:
    assert result.total_variation is not None
    assert result.total_variation.exact is not None
    return fraction_text(result.total_variation.exact)


def test_there_are_enough_pairs_and_enough_that_lose_text() -> None:
    assert len(PAIRS) >= 10
    lossy = {p.target for p in PAIRS if not p.target_exact}
    lossy |= {p.drafter for p in PAIRS if not p.drafter_exact}
    assert len(lossy) >= 12
    assert all(4 <= len(t) <= 8 for p in PAIRS for t in (p.target_tokens, p.drafter_tokens))


def test_the_whole_tokenizers_are_as_stated(small: SmallPair) -> None:
    assert small_pairs.whole(small.target).laws.round_trips == small.target_exact
    assert small_pairs.whole(small.drafter).laws.round_trips == small.drafter_exact


@pytest.mark.parametrize("name", ["slem", "slrs", "tli"])
def test_every_algorithm_is_exactly_lossless(name: str, small: SmallPair, pair: Pair) -> None:
    """Every form; one round at each reachable context, and whole runs of three tokens.

    The first proposal is accepted with positive probability, so that the tokenizers matter.
    """
    for form in forms(name, LOOKAHEAD):
        results = audited(f"builtin:{name}", program(name, form), pair)
        for result in results:
            assert (result.verdict, distance(result)) == (LOSSLESS, "0/1"), (small.about, form)
            assert result.error_mass == result.unexplored_mass == 0
        if form == Fixed(LOOKAHEAD).slug:
            assert results[0].acceptance is not None
            assert results[0].acceptance.float > 0, small.about


# What the same audit says of SLEM that replaces the emitted ids by T(their text): the distance of
# whole runs. "0/1" where no context that is reached reads back as other ids.
RETOKENIZED = {
    "gpt2": "4/27",
    "o200k": "0/1",
    "qwen": "13/96",
    "smollm2": "25/288",
    "deepseek": "665/1728",
    "gemma3": "1141/2304",
    "mistral-v1": "365/432",
    "mistral-v3/bare": "1/48",
    "claude": "0/1",
    "bert": "0/1",
    "llama2": "2/3",
    "t5": "0/1",
    "clip": "475/1728",
    "xlm-r": "0/1",
}

# And of standard decoding that scores a draft by its own id alone, where two ids mean one token.
ONE_PREIMAGE = {"mistral-v3/bare": "239/1440"}


def test_a_context_that_is_tokenized_again_is_found(small: SmallPair, pair: Pair) -> None:
    faulty = EXAMPLES["retokenized-context"].program(LOOKAHEAD)
    _, run = audited("example:retokenized-context", faulty, pair)
    due = RETOKENIZED[small.target]
    assert (run.verdict, distance(run)) == (LOSSLESS if due == "0/1" else LOSSY, due)


def test_scoring_one_of_two_preimages_is_found(small: SmallPair, pair: Pair) -> None:
    """Two ids of the drafter mean the same byte: q' must sum them."""
    if small.target not in ONE_PREIMAGE:
        image = [token for token in pair.target_id_of if token is not None]
        assert len(set(image)) == len(image)
        return
    faulty = EXAMPLES["one-preimage"].program(LOOKAHEAD)
    _, run = audited("example:one-preimage", faulty, pair)
    assert (run.verdict, distance(run)) == (LOSSY, ONE_PREIMAGE[small.target])


def test_the_planted_faults_show_on_most_pairs() -> None:
    assert sum(distance != "0/1" for distance in RETOKENIZED.values()) >= 6
    assert set(RETOKENIZED) == {p.target for p in PAIRS}


def after(
    pair: Pair, context: Ids, look_behind: int | None, state: Hashable
) -> set[tuple[Ids, Hashable]]:
    """What SLEM can emit after ``context``, with the state it leaves, over every branch."""

    def one_round(chance: Chance) -> tuple[Ids, Hashable]:
        made = slem_round(pair, context, Fixed(1), chance, look_behind, state)
        return made.emitted, made.state

    return set(exact_law(one_round).support())


@pytest.mark.parametrize("look_behind", [None, 1, 2])
def test_slem_never_alters_what_was_emitted(
    look_behind: int | None, small: SmallPair, pair: Pair
) -> None:
    """On every branch of two rounds, after contexts that encoding would not give among them.

    The target is asked after exactly the ids given, and the ids emitted, in that order.
    """
    asked: set[tuple[int, ...]] = set()

    class Listening:
        size = pair.target.size

        def distributions(self, context: tuple[int, ...], continuation: tuple[int, ...] = ()):
            asked.add(context)
            return pair.target.distributions(context, continuation)

    listening = Pair(Listening(), pair.drafter, pair.target_tokenizer, pair.drafter_tokenizer)
    contexts = [(0,), *((a, b) for a in range(pair.target.size) for b in range(pair.target.size))]
    other = 0
    for context in contexts[: 1 + 12]:
        text = pair.target_tokenizer.decode(context)
        whole = small_pairs.whole(small.target)
        kept = pair.target_tokenizer.kept
        other += whole.encode(text) != tuple(kept[token] for token in context)
        asked.clear()
        blocks = after(listening, context, look_behind, None)
        assert asked == {context}
        for emitted, state in sorted(blocks, key=repr)[:6]:
            if pair.end_of_sequence not in emitted:
                asked.clear()
                after(listening, context + emitted, look_behind, state)
                assert asked == {context + emitted}
    assert other > 0, "no context was one that encoding would not give"
