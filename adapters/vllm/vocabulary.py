"""vLLM's map between two vocabularies (``vllm/v1/spec_decode/vocab_mapping.py``), checked exactly.

``VocabMapping`` pairs tokens that spell the same, masks the drafter's other tokens out
(``constrain_draft_logits``), and gives drafts to the target as its own ids
(``map_draft_to_target_ids``). Drafts are greedy there, so a wrong map costs acceptances and breaks
no law; what is checked is what it says of itself: that a draft is handed over as the target's token
of the same text, whatever the order in which a tokenizer lists its vocabulary, and that padding is
never drafted. The law of a draft by the map is compared with that by the texts, as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...audit.report import LOSSLESS, LOSSY, Result, Value
from ...reference.exact import ZERO, Rational, rational
from .loading import Tree, load

MODULE = "vllm.v1.spec_decode.vocab_mapping"


@dataclass(frozen=True)
class Toy:
    """A tokenizer as far as the map looks: tokens by id, listed in some order.

    Attributes:
        tokens: spellings, in the order of their ids; ▁ or Ġ marks a space before.
        listing: the ids in the order in which ``get_vocab`` lists them.
    """

    tokens: tuple[str, ...]
    listing: tuple[int, ...] = ()
    unk_token_id: int | None = 0
    eos_token_id: int | None = None

    def get_vocab(self) -> dict[str, int]:
        """Ids by token."""
        return {self.tokens[i]: i for i in self.listing or range(len(self.tokens))}

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Only of a space and a letter, which is how the map finds out about spaces."""
        del add_special_tokens
        marked = [i for i, token in enumerate(self.tokens) if token[1:] == text.strip()]
        return marked[:1]

    def convert_ids_to_tokens(self, token: int) -> str:
        """The spelling of one id."""
        return self.tokens[token]


@dataclass(frozen=True)
class Pairing:
    """Two tokenizers, the sizes of the models' heads, and which ids spell the same."""

    name: str
    check: str
    target: Toy
    drafter: Toy
    sizes: tuple[int, int]
    same: tuple[tuple[int, int], ...]


_T = ("<unk>", "Ġa", "b", "ab", "c")
_D = ("<unk>", "c", "▁a", "x", "b", "ab")
_SAME = ((0, 0), (1, 4), (2, 1), (4, 2), (5, 3))
PAIRINGS = (
    Pairing("two families of tokenizers", "one-round", Toy(_T), Toy(_D), (5, 6), _SAME),
    Pairing(
        "vocabularies listed in other orders", "id-order",
        Toy(_T, (3, 1, 4, 0, 2)), Toy(_D, (5, 4, 3, 2, 1, 0)), (5, 6), _SAME,
    ),
    Pairing("padded heads", "padding", Toy(_T), Toy(_D), (8, 16), _SAME),
    Pairing(
        "head shorter than the vocabulary", "padding", Toy(_T), Toy(_D), (4, 6),
        ((0, 0), (2, 1), (4, 2), (5, 3)),
    ),
    Pairing("nothing shared", "disjoint", Toy(("<unk>", "b")), Toy(("<pad>", "Ġa")), (2, 2), ()),
)  # fmt: skip


def results(subject: str, tree: Tree) -> list[Result]:
    """One exact result for each of `PAIRINGS`."""
    module = load(tree, [MODULE])[MODULE]
    return [_result(subject, module, pairing) for pairing in PAIRINGS]


def _result(subject: str, module: Any, pairing: Pairing) -> Result:
    import torch

    target_size, draft_size = pairing.sizes
    made = module.VocabMapping(
        pairing.target, pairing.drafter, target_size, draft_size, torch.device("cpu")
    )
    weights = [rational(i + 2) for i in range(draft_size)]
    kept = [i for i, x in enumerate(made.constrain_draft_logits(torch.zeros(draft_size)).tolist())
            if x == 0.0]  # fmt: skip
    handed = made.map_draft_to_target_ids(torch.arange(draft_size)).tolist()
    given = _law([(handed[i], weights[i]) for i in kept])
    due = _law([(t, weights[d]) for d, t in pairing.same])
    ids = set(given) | set(due)
    distance = sum((max(ZERO, given.get(i, ZERO) - due.get(i, ZERO))
                    for i in ids), ZERO)  # fmt: skip
    back = made.map_target_to_draft_ids(torch.arange(target_size)).tolist()
    astray = [t for d, t in pairing.same if back[t] != d]
    fine = distance == 0 and not astray and bool(given) == bool(due)
    reason = f"{len(kept)} tokens shared; drafts are handed over as the target's of the same text"
    if not fine:
        reason = f"drafts {kept} are handed over as {[handed[i] for i in kept]}; astray: {astray}"
    return Result(
        subject, "rule", pairing.name, pairing.check, "next-token", LOSSLESS if fine else LOSSY,
        total_variation=Value.of(distance), tolerance=0.0, reason=reason,
        fault=None if fine else "vocabulary-map",
        fault_candidates=() if fine else ("vocabulary-map",),
    )  # fmt: skip


def _law(pairs: Sequence[tuple[int, Rational]]) -> dict[int, Rational]:
    total = sum((w for _, w in pairs), ZERO)
    law: dict[int, Rational] = {}
    for token, weight in pairs:
        law[token] = law.get(token, ZERO) + weight / total
    return law
