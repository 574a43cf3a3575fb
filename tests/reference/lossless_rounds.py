"""Whether the rounds of a program are lossless, at a prompt and some tokens later."""

from __future__ import annotations

from draftproof.audit import Laws
from draftproof.audit.verdicts import difference
from draftproof.reference import Ids, Pair, Program


def is_lossless(made: Program, pair: Pair, prompt: Ids, within: int = 2) -> bool:
    """Completed by the target, every round has exactly the target's law."""
    laws = Laws(made, pair)
    return all(
        difference(
            laws.due_law(context, laws.round_law(context).longest),
            laws.completed_round(context),
            context,
        )
        is None
        for context, _ in laws.contexts(prompt, within)
    )
