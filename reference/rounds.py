"""Rounds and the one loop that turns them into generation.

Every algorithm is a function that runs one *round*: one pass over the target, and the block of
target ids that comes of it. `generate` is the loop around any of them; end of sequence and the
length limit live here and nowhere else.

End of sequence, in either vocabulary: it stands for no text and ends the sequence.
*Drafter's*: drafting stops there. It proposes the target's end of sequence where that exists;
otherwise it proposes nothing beyond the text before it.
*Target's*: a block is cut after its first end of sequence (`finish`), and so is the run. What an
algorithm may have drawn behind it is never seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol

from .chance import Chance
from .models import Ids
from .pair import Pair


@dataclass(frozen=True, slots=True)
class Round:
    """What one round emits, and how it came about.

    Attributes:
        emitted: target ids, never empty: the accepted ones, then the final one. Cut after an end of
            sequence.
        accepted: how many of the proposed target ids were accepted, before any cut.
        candidates: the proposed ids, of T or (token-level algorithms) of T u D.
        drafts: the drafter's own ids.
        state: what the algorithm wants to be given in the next round; most carry nothing.
    """

    emitted: Ids
    accepted: int = 0
    candidates: Ids = ()
    drafts: Ids = ()
    state: Hashable = None


class RoundFunction(Protocol):
    """One round of an algorithm, all its settings fixed."""

    def __call__(self, pair: Pair, context: Ids, chance: Chance, state: Hashable) -> Round:
        """Emit a block after ``context`` (target ids, prompt included)."""
        ...


@dataclass(frozen=True, slots=True)
class Generation:
    """A finished run: the new target ids, and the rounds that gave them."""

    ids: Ids
    rounds: tuple[Round, ...]


def finish(
    pair: Pair,
    emitted: Ids,
    accepted: int = 0,
    candidates: Ids = (),
    drafts: Ids = (),
    state: Hashable = None,
) -> Round:
    """The round that emits ``emitted``, cut after the target's first end of sequence."""
    return Round(cut(emitted, pair.end_of_sequence), accepted, candidates, drafts, state)


def cut(ids: Ids, end_of_sequence: int | None) -> Ids:
    """``ids`` up to and with the first end of sequence."""
    if end_of_sequence is not None and end_of_sequence in ids:
        return ids[: ids.index(end_of_sequence) + 1]
    return ids


def ended(ids: Ids, end_of_sequence: int | None) -> bool:
    """Whether the last id is an end of sequence."""
    return bool(ids) and ids[-1] == end_of_sequence


def generate(
    run_round: RoundFunction, pair: Pair, prompt: Ids, chance: Chance, max_new_tokens: int
) -> Generation:
    """Run rounds until an end of sequence or ``max_new_tokens`` new ids; the last block is cut.

    Raises:
        ValueError: as `rounds` does.
    """
    new: Ids = ()
    run: list[Round] = []
    for block in rounds(run_round, pair, prompt, chance, max_new_tokens):
        run.append(block)
        new = (new + block.emitted)[:max_new_tokens]
    return Generation(new, tuple(run))


def rounds(
    run_round: RoundFunction, pair: Pair, prompt: Ids, chance: Chance, max_new_tokens: int
) -> Iterator[Round]:
    """The rounds of `generate`, one by one as they are run; the last block may need cutting.

    A prompt that already ends in an end of sequence is continued like any other, as real decoders
    do: only new ids can end a run.

    Raises:
        ValueError: for a limit below one, prompt ids the target does not have, or a round that
            emits nothing.
    """
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens is {max_new_tokens}; at least 1 is needed")
    prompt = tuple(prompt)
    check_ids(prompt, pair.target.size, "prompt")
    new: Ids = ()
    state: Hashable = None
    while len(new) < max_new_tokens and not ended(new, pair.end_of_sequence):
        block = run_round(pair, prompt + new, chance, state)
        if not block.emitted:
            raise ValueError(f"the round after {prompt + new} emitted nothing")
        yield block
        new += block.emitted
        state = block.state


def check_ids(ids: Ids, size: int, what: str) -> None:
    """Raise `ValueError` naming the first id outside 0 .. size - 1 and its place."""
    for place, token in enumerate(ids):
        if not 0 <= token < size:
            raise ValueError(f"{what} id {token} at place {place} is outside 0..{size - 1}")
