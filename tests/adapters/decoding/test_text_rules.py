"""Stop rules on real tokenizers: psi in all versions, and the law of the output, exactly.

Models are n-grams in rationals, so that every equality is exact; tokenizers are byte-level BPEs of
the `tokenizers` library, cut into words as GPT-2's, Llama's and SmolLM2's are. The drafter's is cut
down to a few ids, so that the definition can be run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'draftproof[torch]'")
pytest.importorskip("tokenizers", reason="needs: pip install 'draftproof[models]'")

import torch
from draftproof.adapters.decoding import text_rules
from draftproof.adapters.decoding.text_rules import ByBytes, Numbers, TextRule
from draftproof.adapters.huggingface.tensors import TensorDistribution
from draftproof.adapters.tokenizers import words
from draftproof.adapters.tokenizers.patterns import UnknownWordsError
from draftproof.adapters.tokenizers.words import Drafts
from draftproof.reference import (
    BoundedPsi,
    ExactDistribution,
    LazyPsi,
    candidate_law,
    exact_law,
    psi_lazy,
    rational,
    slrs_block_kept_round,
    slrs_round,
    stop_rule,
    tree_law,
)
from draftproof.reference.outlooks import YES
from draftproof.toymodels import NgramModel, gallery_pair
from trained import small

#: How the target cuts words, and the drafter's tokens; None is its end of sequence.
PIECES: dict[str, tuple[str, list[bytes | None]]] = {
    "words": ("gpt2", [b" ", b"th", b"e", b" the", b"re", None]),
    "contractions": ("gpt2", [b" ", b"'", b"r", b"e", b"it"]),
    "white space": ("llama3", [b" ", b"\n", b"  ", b"a", b"!"]),
    "half characters": ("qwen2", ["\u00e9".encode()[:1], "\u00e9".encode()[1:], b"t", b" ", None]),
    "digits": ("digits", [b"1", b"2 ", b"12", b"the", b" "]),
    "one word": ("whole", [b" ", b"the", b"t", b"he", b" the "]),
}
RULES = (
    "fixed:1",
    "fixed:2",
    "fixed:3",
    "determined:1/cap:3",
    "determined:2/cap:3",
    "tokens:2/cap:3",
    "lookup:2/cap:3",
    "longest:3",
)


@cache
def exact_pair(name: str) -> ByBytes:
    """Rational models; the target's is zero beyond what is proposed first, and a few ids more."""
    cutter, pieces = PIECES[name]
    target = small(cutter)
    end = pieces.index(None) if None in pieces else None
    drafter = SimpleNamespace(name="drafter", vocabulary=tuple(pieces), end_of_sequence=end)
    size = len(target.vocabulary)
    pair = ByBytes(
        constant([1] * size),
        NgramModel.from_seed(len(pieces), 2, seed=3, denominator=12),
        target,
        Drafts(drafter),
        SimpleNamespace(drafter_context=lambda context: (0,)),  # type: ignore[arg-type]
    )
    law = candidate_law(pair, (0,), stop_rule("fixed:2")).law
    written = sorted({token for ids in law for token in ids[:2]})[:7]
    weights = [0] * size
    for place, token in enumerate([*written, 5, size - 1]):  # the last one ends a sequence
        weights[token] = 1 + place % 3
    return replace(pair, target=constant(weights))


def constant(weights: list[int]) -> NgramModel:
    return NgramModel.constant([rational(weight, sum(weights)) for weight in weights])


@pytest.mark.parametrize("slug", RULES)
@pytest.mark.parametrize("name", PIECES)
def test_every_version_of_psi_is_the_definition(name: str, slug: str) -> None:
    """M(u) for every beginning u of what is proposed, and for some that is not."""
    pair, rule = exact_pair(name), stop_rule(slug)
    due = dict(candidate_law(pair, (0,), rule).law.items())
    assert dict(tree_law(pair, (0,), rule)) == due
    beginnings = {ids[:k] for ids in due for k in range(len(ids) + 1)} | {(0,), (5, 6)}
    psi = BoundedPsi(pair, (0,), rule, leaving=2)
    for u in beginnings:
        whole = sum((n for ids, n in due.items() if ids[: len(u)] == u), rational(0))
        assert LazyPsi(pair, (0,), rule).mass(u).exact() == whole, u
        mass = psi.mass(u)
        while not mass.closed:
            assert mass.low <= whole <= mass.high
            mass.refine()
        assert mass.low == mass.high == whole, u


def law_of(pair: ByBytes, slug: str, block: bool) -> ExactDistribution[int]:
    """The law of the first token of a round."""
    rule = stop_rule(slug)
    psi_after = LazyPsi(pair, (0,), rule).after

    def once(chance: Any) -> int:
        if block:
            return slrs_block_kept_round(pair, (0,), rule, chance, psi_after).emitted[0]
        return slrs_round(pair, (0,), rule, chance, psi_after=psi_after).emitted[0]

    return exact_law(once)


@pytest.mark.parametrize("block", [False, True], ids=["token-wise", "block"])
@pytest.mark.parametrize("slug", ["fixed:2", "determined:1/cap:3", "lookup:2/cap:3", "longest:2"])
@pytest.mark.parametrize("name", PIECES)
def test_rounds_have_the_targets_law(name: str, slug: str, block: bool) -> None:
    pair = exact_pair(name)
    assert law_of(pair, slug, block) == pair.target.distributions((0,))[0]


def test_drafts_taken_for_settled_too_early_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what a text begins with now is said to stay."""

    def now(self: Any, texts: Any, wanted: Any, never_fails: bool, end: Any) -> Any:
        del never_fails, end
        found = self.target.encode(texts[-1]) if texts else ()
        return YES if wanted and found[: len(wanted)] == wanted else psi_lazy.OPEN

    from draftproof.reference.stop_rules import Encoded

    monkeypatch.setattr(Encoded, "outlook", now)
    wrong = 0
    for name in PIECES:
        pair = exact_pair(name)
        wrong += law_of(pair, "fixed:2", False) != pair.target.distributions((0,))[0]
    assert wrong > 1


def test_contexts_asked_do_not_grow_with_the_vocabulary() -> None:
    """The target's grows; psi of one token asks for about as many contexts, far below all."""
    rule = stop_rule("determined:1/cap:3")
    asked = []
    for size in (264, 290, 325):
        target = small("gpt2", size)
        uniform = constant([1] * len(target.vocabulary))
        pair = replace(exact_pair("words"), target=uniform, target_tokenizer=target)
        token = pair.target_tokenizer.encode(" the")[0]
        psi = LazyPsi(pair, (0,), rule)
        assert psi.after(())[token] > 0
        asked.append(psi.work.evaluations)
    definition = 5 + 25 + 125
    assert max(asked) <= 12 < definition


def test_numbers_are_read_once_and_are_floats() -> None:
    law = Numbers(TensorDistribution(torch.tensor([0.25, 0.0, 0.75])))
    assert [type(law[0]), law[2], law[9], law[-1]] == [float, 0.75, 0.0, 0.0]
    assert [*law.support()] == [0, 2]
    assert law.quantile(0.3) == 2


@pytest.mark.parametrize(
    ("slug", "why"),
    [
        ("characters:2/cap:3", "for toy models"),
        ("nonsense", "no rule 'nonsense' here"),
        ("fixed:0/block", "at least 1"),
    ],
)
def test_rules_that_are_none_here(slug: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        TextRule(gallery_pair("base").pair, slug)


def test_a_target_that_normalises_is_refused_by_name() -> None:
    inner = SimpleNamespace(encoder=None, name="strange", vocabulary=(b"a",), end_of_sequence=None)
    pair = replace(
        gallery_pair("base").pair, target=NgramModel.constant([1]), target_tokenizer=inner
    )
    with pytest.raises(UnknownWordsError, match=r"the rule 'fixed:2' cannot be used: .* strange"):
        TextRule(pair, "fixed:2")
    assert words.Words is text_rules.Words
