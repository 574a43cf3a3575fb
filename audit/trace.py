"""One round, step by step: what `draftproof trace` shows, as data.

The round is run once with a seeded sampler; its recorded decisions are set beside the laws that
were compared. Nothing here decides anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..reference.chance import Sampler, Step
from ..reference.distribution import Distribution, ExactDistribution
from ..reference.drafting import Proposal, unmasked
from ..reference.enumeration import before_branch
from ..reference.exact import fraction_text
from ..reference.lattice import count_segmentations, token_lattice
from ..reference.models import Ids
from ..reference.pair import Pair
from ..reference.programs import Program
from ..reference.psi import candidate_law
from ..reference.rounds import Round
from ..reference.slrs_spelled import SpelledLaw, spellings
from ..reference.stop_rules import stop_rule
from ..reference.tli import masked

SCHEMA = "draftproof/trace/1"
#: Seconds that a round may take; only psi's sum over drafts can take long.
PATIENCE = 20


@dataclass(frozen=True)
class Position:
    """One place of the block: the target's law there, and the law of what was proposed.

    ``proposal`` is q over T u D, q', or psi_k; None where the draft had ended, or where the
    algorithm uses no law of proposals.
    """

    p: Distribution[int]
    proposal: Distribution[int] | None


@dataclass(frozen=True)
class Trace:
    """A round and everything that led to it.

    Attributes:
        read: the context as the drafter reads it; None when it cannot.
        text: the text of the drafts.
        steps: the random decisions in order, with their coins.
        positions: the laws at each place of the block that was looked at.
        spellings: in how many ways the drafted text can be cut into drafter and target tokens.
    """

    program: Program
    pair_name: str
    pair: Pair
    context: Ids
    seed: int
    read: Ids | None
    text: str
    steps: tuple[Step, ...]
    positions: tuple[Position, ...]
    round: Round
    spellings: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """The trace as one JSON object."""
        return {
            "schema": SCHEMA,
            "algorithm": self.program.name,
            "stop_rule": self.program.stop_rule,
            "pair": self.pair_name,
            "seed": self.seed,
            "context": list(self.context),
            "drafter_context": None if self.read is None else list(self.read),
            "drafts": list(self.round.drafts),
            "text": self.text,
            "spellings": {"drafter": self.spellings[0], "target": self.spellings[1]},
            "candidates": list(self.round.candidates),
            "positions": [
                {"p": _law(place.p), "proposal": _law(place.proposal)} for place in self.positions
            ],
            "steps": [
                {
                    "verb": step.verb,
                    "what": step.what,
                    "outcome": step.outcome,
                    "law": _law(step.law),
                    "coin": _coin(step.coin),
                }
                for step in self.steps
            ],
            "accepted": self.round.accepted,
            "emitted": list(self.round.emitted),
        }


def trace(program: Program, pair_name: str, pair: Pair, context: Ids, seed: int) -> Trace:
    """Run one round of ``program`` after ``context`` with coins from ``seed``.

    Raises:
        ValueError: when psi has so many drafts that summing them takes longer than `PATIENCE`.
    """
    chance = Sampler(seed)
    limited = before_branch.set(_until(time.monotonic() + PATIENCE))
    try:
        block = program.run_round(pair, context, chance, None)
    finally:
        before_branch.reset(limited)
    tokenizer = pair.drafter_tokenizer
    drafted = tuple(d for d in block.drafts if d != tokenizer.end_of_sequence)
    text = tokenizer.decode(drafted)
    raw = b"".join(tokenizer.vocabulary[d] or b"" for d in drafted)
    return Trace(
        program,
        pair_name,
        pair,
        context,
        seed,
        None if program.lookahead is None else pair.drafter_context(context),
        text,
        tuple(chance.steps),
        _positions(program, pair, context, block),
        block,
        (
            count_segmentations(token_lattice(raw, tokenizer)) if raw else 0,
            count_segmentations(token_lattice(raw, pair.target_tokenizer)) if raw else 0,
        ),
    )


def _until(deadline: float) -> Callable[[], None]:
    def check() -> None:
        if time.monotonic() > deadline:
            raise ValueError(f"psi is not summed within {PATIENCE} s; take a smaller lookahead")

    return check


def _positions(program: Program, pair: Pair, context: Ids, block: Round) -> tuple[Position, ...]:
    """The laws at every place up to the one where verification ended."""
    readable: Ids = block.candidates[: block.accepted]
    laws = pair.target.distributions(context, readable)
    if program.name == "slrs":
        assert program.stop_rule is not None
        if program.stop_rule.startswith("spelled:"):
            return tuple(
                Position(p, _spelled(program, pair, context, readable[:k]))
                for k, p in enumerate(laws)
            )
        form = program.stop_rule.removesuffix("/one-token").removesuffix("/block")
        rule = stop_rule(form)
        after = candidate_law(pair, context, rule).next_token
        if program.stop_rule.endswith("/one-token"):
            laws = laws[:1]
        return tuple(Position(p, after(readable[:k])) for k, p in enumerate(laws))
    if program.name in ("standard", "block", "union", "tli"):
        proposal = masked if program.name == "tli" else unmasked
        return tuple(
            Position(p, _drafted_from(pair, context, block.drafts, k, proposal))
            for k, p in enumerate(laws)
        )
    return tuple(Position(p, None) for p in laws)


def _spelled(
    program: Program, pair: Pair, context: Ids, accepted: Ids
) -> ExactDistribution[int] | None:
    """The law of the token that is spelled behind ``accepted``; None where none is."""
    read = pair.drafter_context(context)
    if read is None or len(accepted) == program.lookahead or pair.end_of_sequence in accepted:
        return None
    of_token = spellings(pair).of_token
    psi = SpelledLaw(pair, read + tuple(d for token in accepted for d in of_token[token]))
    every = ((token, psi[token]) for token in range(pair.target.size))
    return ExactDistribution(every, sub_stochastic=True)


def _drafted_from(
    pair: Pair, context: Ids, drafts: Ids, place: int, proposal: Proposal
) -> Distribution[int] | None:
    read = pair.drafter_context(context)
    if read is None or place >= len(drafts):
        return None
    q = proposal(pair, pair.drafter.distributions(read + drafts[:place])[0])
    return None if q is None else q.push_forward(pair.union_id)


def _law(law: object) -> object:
    if law is None:
        return None
    if isinstance(law, ExactDistribution):
        return {str(outcome): fraction_text(number) for outcome, number in law.items()}
    return fraction_text(law)  # pyright: ignore[reportArgumentType]


def _coin(coin: object) -> object:
    if coin is None:
        return None
    if isinstance(coin, tuple):
        return [_coin(each) for each in coin]
    return fraction_text(coin)  # pyright: ignore[reportArgumentType]
