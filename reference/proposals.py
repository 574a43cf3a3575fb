"""Drafting strings: what the string-level algorithms propose to the target.

`propose` draws drafter tokens until the stop rule holds and re-tokenizes their text for the target.
Both SLEM and SLRS run it, and psi is its exact law (`draftproof.reference.psi`).

Where a text has no encoding there is *no proposal* and the law stays exact: the drafter cannot read
the context, the draft's text is empty (its tokens decode to nothing, or it is an end of sequence
that the target lacks), or the target cannot encode it. A draft that ends with the drafter's end of
sequence proposes the target's behind its text. Some rules propose by looking tokens up instead of
encoding (`token_rules`); all the same the candidates are a function of the draft.
"""

from __future__ import annotations

from dataclasses import dataclass

from .chance import Chance
from .models import Ids
from .pair import Pair
from .realignment import Window
from .stop_rules import StopRule, reader
from .tokenizers import EncodeError


@dataclass(frozen=True, slots=True)
class Proposal:
    """A drafted string.

    Attributes:
        drafter_ids: as drawn, a final end of sequence included.
        text: their text.
        candidates: t_1..t_m, the target's ids for that text; empty when there is no proposal.
        read: the drafter's ids for the context.
    """

    drafter_ids: Ids = ()
    text: str = ""
    candidates: Ids = ()
    read: Ids = ()


def propose(
    pair: Pair, context: Ids, rule: StopRule, chance: Chance, window: Window | None = None
) -> Proposal:
    """Draft after ``context`` until ``rule`` holds, and re-tokenize the text for the target.

    Without ``window``: the drafter reads D(text of the context), and the candidates are T(text of
    the drafts), each encoded by itself. With it, both are realigned (`realignment.Window`).
    """
    read = (
        pair.drafter_context(context) if window is None else window.drafter_context(pair, context)
    )
    if read is None:
        return Proposal()

    # Draw d_1, d_2, .. until the rule holds.
    tokenizer = pair.drafter_tokenizer
    reads = reader(rule, pair.target_tokenizer)
    drafted: Ids = ()
    texts: tuple[str, ...] = ()
    while not reads.done(drafted, texts):
        q = pair.drafter.distributions(read + drafted)[0]
        drafted += (chance.draw(q, f"draft {len(drafted) + 1}"),)
        if drafted[-1] == tokenizer.end_of_sequence:
            break
        texts += (tokenizer.decode(drafted),)

    # t_1..t_m = T(d_1 (+) .. (+) d_i).
    text = texts[-1] if texts else ""
    candidates: Ids = ()
    if text:
        try:
            candidates = (
                reads.candidates(texts)
                if window is None
                else window.candidates(pair, context, text)
            )
        except EncodeError:
            return Proposal(drafted, text, (), read)
    ended = drafted[-1:] == (tokenizer.end_of_sequence,) and reads.all_used(texts)
    if ended and pair.end_of_sequence is not None:
        candidates += (pair.end_of_sequence,)
    return Proposal(drafted, text, candidates, read)
