"""TLI's map between real vocabularies: by bytes, never by spelling; duplicates are summed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from draftproof.adapters.tokenizers import named_tokenizer
from draftproof.reference import exact_law, map_tokens, rational
from draftproof.reference.tli import tli_round
from small_pairs import PAIRS, built, whole

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")
pytest.importorskip("tiktoken")

# (drafter, target): how many drafter ids have a target id with the same bytes, and to how many.
SHARED = {
    ("gpt2", "starcoder"): (19_483, 19_483),
    ("mistral-v1", "gpt2"): (21_366, 21_241),
    ("phi-3", "mistral-v3"): (24_182, 24_086),
    ("bert", "phi-3"): (9_194, 9_194),
    ("clip", "bert"): (2_587, 2_587),
    ("rwkv", "claude"): (43_995, 43_995),
    ("smollm2", "tekken"): (36_627, 36_627),
}


@pytest.mark.parametrize(("drafter", "target"), SHARED)
def test_the_map_is_by_bytes(drafter: str, target: str, asset: Callable[[str], Path]) -> None:
    """Against a search through the whole target vocabulary, for ids drawn with a seed."""
    for name in (drafter, target):
        asset(named_tokenizer(name).asset)
    source, goal = whole(drafter), whole(target)
    image = map_tokens(source, goal)
    shared = [token for token in image if token is not None]
    assert (len(shared), len(set(shared))) == SHARED[drafter, target]
    generator = random.Random(3)
    tried = {int(generator.random() * len(image)) for _ in range(300)}
    for d in tried - {source.end_of_sequence}:
        spelled = source.vocabulary[d]
        same = [t for t, other in enumerate(goal.vocabulary) if other == spelled is not None]
        assert image[d] == (min(same) if same else None)
        if image[d] is not None:
            assert (source.bare or source).decode_bytes([d]) == (goal.bare or goal).decode_bytes(
                [image[d]]  # type: ignore[list-item]
            )
    assert source.end_of_sequence is not None
    assert image[source.end_of_sequence] == goal.end_of_sequence


def test_masses_of_two_ids_of_one_token_are_summed(asset: Callable[[str], Path]) -> None:
    """The law of TLI's first draft is the drafter's, pushed forward and renormalised."""
    small = next(small for small in PAIRS if small.target == "mistral-v3/bare")
    asset("mistral")
    asset("llama-cpp-vocabs")
    pair = built(small)
    assert pair.target_id_of[:2] == (0, 0)
    for prompt in range(pair.target.size):
        read = pair.drafter_context((prompt,))
        if read is None:
            continue
        (q,) = pair.drafter.distributions(read)
        pushed: dict[int, object] = {}
        total = rational(0)
        for d, number in q.items():
            t = pair.target_id_of[d]
            if t is not None:
                pushed[t] = pushed.get(t, rational(0)) + number  # type: ignore[operator]
                total += number
        first = exact_law(lambda chance, c=(prompt,): tli_round(pair, c, 1, chance).candidates[0])
        assert dict(first.items()) == {t: number / total for t, number in pushed.items()}  # type: ignore[operator]
