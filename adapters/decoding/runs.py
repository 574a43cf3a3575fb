"""One run of a program on a real pair, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from ...reference.models import Ids
from ...reference.rounds import Round, rounds
from ..huggingface.coins import TensorSampler
from .certified import CertifyingSampler
from .enclosure import Tally
from .lookahead import Lookahead
from .programs import AUTO, RealProgram
from .variation import of_rule


@dataclass
class Statistics:
    """Counts and times of one run.

    Attributes:
        new_tokens: what was kept, an end included.
        rounds: how many there were.
        drafts: ids drawn from the drafter. candidates: target ids proposed. accepted: of these.
        target_passes, drafter_passes: forward passes; the target's first one reads the prompt.
        target_seconds, drafter_seconds: inside these. seconds: in all, the prompt included.
        decisions: draws, acceptances and tests of kept draws; counted on a `certified` pair only,
            as are the next. decisions_open: those open to rounding, decided in rationals.
            decisions_changed: those of them that floats would have decided otherwise.
        total_variation: bound, on such a pair, between the law of these ``max_new_tokens`` ids and
            the exact round's on the same rows; None where there is no theorem for the rule.
            total_variation_floats: the same for a run of these rows on the pair as it is.
        ways: rounds, tokens and seconds of each way that was chosen among (``rule="auto"``).
    """

    new_tokens: int = 0
    rounds: int = 0
    drafts: int = 0
    candidates: int = 0
    accepted: int = 0
    target_passes: int = 0
    drafter_passes: int = 0
    target_seconds: float = 0.0
    drafter_seconds: float = 0.0
    seconds: float = 0.0
    decisions: int | None = None
    decisions_open: int | None = None
    decisions_changed: int | None = None
    total_variation: float | None = None
    total_variation_floats: float | None = None
    ways: dict[str, dict[str, Any]] | None = None

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted of the candidates that were proposed; None when there were none."""
        return self.accepted / self.candidates if self.candidates else None

    @property
    def tokens_per_target_pass(self) -> float:
        """New tokens for each pass over the target."""
        return self.new_tokens / self.target_passes if self.target_passes else 0.0

    @property
    def tokens_per_second(self) -> float:
        """New tokens a second, everything included."""
        return self.new_tokens / self.seconds if self.seconds else 0.0

    @property
    def outside_share(self) -> float:
        """Time outside the forward passes, as a share of the time inside."""
        inside = self.target_seconds + self.drafter_seconds
        return (self.seconds - inside) / inside if inside else 0.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the counts, the times and what follows from them."""
        return {
            **asdict(self),
            "acceptance_rate": self.acceptance_rate,
            "tokens_per_target_pass": self.tokens_per_target_pass,
            "tokens_per_second": self.tokens_per_second,
            "outside_share": self.outside_share,
        }


@dataclass
class Run:
    """What a run gave: the new ids (an end included), its rounds, and its statistics."""

    ids: Ids
    rounds: list[Round] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)


def run(
    program: RealProgram,
    prompt: Ids,
    lookahead: Lookahead,
    *,
    max_new_tokens: int,
    seed: int = 0,
    stop_ids: frozenset[int] = frozenset(),
    on_ids: Callable[[Ids], None] | None = None,
) -> Run:
    """Run ``program`` after ``prompt`` until an end, or ``max_new_tokens`` new ids.

    Args:
        program: an algorithm on a pair. Its models' caches are emptied first, so that a run costs
            the same whatever ran before.
        prompt: target ids.
        lookahead: how many drafts each round has.
        max_new_tokens: the limit.
        seed: of the coins.
        stop_ids: ids that end the run besides the target's end of sequence.
        on_ids: called after each round with all new ids so far.

    Raises:
        ModelError, PairError, ValueError: what the models and the reference refuse.
    """
    pair = program.pair
    target: Any = pair.target
    drafter: Any = pair.drafter
    before = [(each.passes, each.seconds) for each in (target, drafter)]
    target.forget()
    drafter.forget()
    found = Run(())
    counts = found.statistics
    started = time.perf_counter()

    def wanted(context: Ids) -> int:
        return max_new_tokens - (len(context) - len(prompt))

    run_round = program.rounds(lookahead, wanted)
    tally: Tally | None = getattr(target, "tally", None)
    if tally is None:
        chance = TensorSampler(seed)
    else:
        tally.reset()
        chance = CertifyingSampler(seed, tally)
    for block in rounds(run_round, pair, prompt, chance, max_new_tokens):
        chance.steps.clear()  # they hold a row of a whole vocabulary for every draw
        lookahead.saw(block)
        found.rounds.append(block)
        counts.rounds += 1
        counts.drafts += len(block.drafts)
        counts.candidates += len(block.candidates)
        counts.accepted += block.accepted
        found.ids, stopped = _kept(found.ids + block.emitted, stop_ids, max_new_tokens)
        if on_ids is not None:
            on_ids(found.ids)
        if stopped:
            break
    if target.device.type == "cuda":
        torch.cuda.synchronize(target.device)
    counts.seconds = time.perf_counter() - started
    counts.new_tokens = len(found.ids)
    for role, model, (passes, seconds) in zip(
        ("target", "drafter"), (target, drafter), before, strict=True
    ):
        if role == "drafter" and model is target:
            continue  # plain decoding without a drafter
        setattr(counts, f"{role}_passes", model.passes - passes)
        setattr(counts, f"{role}_seconds", model.seconds - seconds)
    if program.name == "slrs" and program.rule == AUTO:
        records = program.chooser.records
        counts.ways = {way: record.as_dict() for way, record in records.items()}
    if tally is not None:
        _count(counts, tally, program, max_new_tokens)
    return found


def _count(counts: Statistics, tally: Tally, program: RealProgram, tokens: int) -> None:
    """What a certified run has besides; bounds are for each verified position, one a token."""
    counts.decisions = tally.decisions
    counts.decisions_open = tally.open
    counts.decisions_changed = tally.changed
    bounds = of_rule(program.pair, program.rule, tally) if program.name == "slrs" else None
    if bounds is not None:
        counts.total_variation = tokens * bounds.coins
        counts.total_variation_floats = tokens * (bounds.rounding + bounds.limit)


def _kept(ids: Ids, stop_ids: frozenset[int], most: int) -> tuple[Ids, bool]:
    """``ids`` up to the first stop id, and at most ``most``; whether a stop id was met."""
    for place, token in enumerate(ids[:most]):
        if token in stop_ids:
            return ids[: place + 1], True
    return ids[:most], False
