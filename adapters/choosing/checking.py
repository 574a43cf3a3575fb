"""Real runs: what is outside the passes, and whether a prediction comes true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...reference.models import Ids
from ...reference.pair import Pair
from ..decoding.lookahead import Always
from ..decoding.programs import RealProgram
from ..decoding.runs import Statistics, run
from .intervals import Estimate, estimate
from .predictions import sure


def program_of(algorithm: str, pair: Pair) -> RealProgram:
    """What an algorithm of the tables is run as."""
    rules = {
        "slrs": "fixed:1",
        "slrs-spelled": "spelled",
        "slrs-spelled-block": "spelled/block",
    }
    rule = rules.get(algorithm, algorithm.removeprefix("slrs-"))
    if rule == algorithm:
        return RealProgram(algorithm, pair)
    return RealProgram("slrs", pair, rule=rule)


def outside_share(
    program: RealProgram,
    prompts: Sequence[Ids],
    lookahead: int,
    *,
    tokens: int,
    seed: int,
    ends: frozenset[int],
) -> float:
    """Time outside the passes as a share of that inside, over short runs after ``prompts``."""
    program.prepare(prompts[0])
    inside = outside = 0.0
    for place, prompt in enumerate(prompts):
        counts, _ = _run(program, prompt, lookahead, tokens, seed + place, ends)
        spent = counts.target_seconds + counts.drafter_seconds
        inside += spent
        outside += counts.seconds - spent
    return max(outside, 0.0) / inside if inside else 0.0


@dataclass(frozen=True)
class Check:
    """A real comparison with plain decoding, prompt by prompt, everything included.

    Attributes:
        speedup: tokens per second over those of plain decoding; the interval pairs by prompt.
        after_prompts: the same without each run's first round, whose passes read the prompt; None
            where no run has a second one. This is what a prediction speaks of.
        tokens_per_pass: of the algorithm's runs, the last round cut at the limit.
        runs: for each prompt the statistics of the algorithm and of plain decoding.
    """

    speedup: Estimate
    after_prompts: Estimate | None
    tokens_per_pass: Estimate
    runs: list[tuple[Statistics, Statistics]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measured_speedup": self.speedup.as_dict(),
            "measured_speedup_after_prompts": (
                None if self.after_prompts is None else self.after_prompts.as_dict()
            ),
            "tokens_per_pass": self.tokens_per_pass.as_dict(),
            "runs": [
                {"algorithm": one.as_dict(), "autoregressive": other.as_dict()}
                for one, other in self.runs
            ],
        }


def checked(
    pair: Pair,
    algorithm: str,
    lookahead: int,
    prompts: Sequence[Ids],
    *,
    tokens: int,
    seed: int,
    ends: frozenset[int],
    program: RealProgram | None = None,
    step: Callable[[], None] = lambda: None,
) -> Check:
    """Run ``algorithm`` and plain decoding after every prompt, which of them first by turns.

    ``program`` is what the algorithm is run as, if there is one already.
    """
    chosen = program or program_of(algorithm, pair)
    plain = RealProgram("autoregressive", pair)
    chosen.prepare(prompts[0])
    for each in (chosen, plain):  # the first run of a model is slower than all others
        _run(each, prompts[0], lookahead, 2, seed, ends)
    runs: list[tuple[Statistics, Statistics]] = []
    later: list[tuple[_Later, _Later]] = []
    for place, prompt in enumerate(prompts):
        order = (chosen, plain) if place % 2 == 0 else (plain, chosen)
        found = {
            each is chosen: _run(each, prompt, lookahead, tokens, seed + place, ends)
            for each in order
        }
        runs.append((found[True][0], found[False][0]))
        later.append((found[True][1], found[False][1]))
        step()

    def speedup(some: Sequence[tuple[Statistics, Statistics]]) -> float:
        one, other = (
            [_Later(each.new_tokens, each.seconds) for each in side]
            for side in zip(*some, strict=True)
        )
        return speed(one) / speed(other)

    def after_prompts(some: Sequence[tuple[_Later, _Later]]) -> float | None:
        one, other = (speed(side) for side in zip(*some, strict=True))
        return one / other if one and other else None

    def tokens_per_pass(some: Sequence[tuple[Statistics, Statistics]]) -> float:
        return sum(one.new_tokens for one, _ in some) / sum(one.target_passes for one, _ in some)

    after = estimate(after_prompts, later)
    return Check(
        sure(estimate(speedup, runs)).within(0),
        None if after is None else after.within(0),
        sure(estimate(tokens_per_pass, runs)).within(0),
        runs,
    )


@dataclass(frozen=True)
class _Later:
    """Tokens and seconds of a part of a run."""

    tokens: int
    seconds: float


def speed(some: Sequence[_Later]) -> float:
    """Tokens per second; 0 where there is no time."""
    seconds = sum(each.seconds for each in some)
    return sum(each.tokens for each in some) / seconds if seconds > 0 else 0.0


def _run(
    program: RealProgram,
    prompt: Ids,
    lookahead: int,
    tokens: int,
    seed: int,
    ends: frozenset[int],
) -> tuple[Statistics, _Later]:
    """The statistics of a run, and what came after its first round."""
    models: list[Any] = [program.pair.target, program.pair.drafter]
    before = [len(model.timings) for model in models]
    after: list[int] = []  # passes so far at the end of the first round

    def noted(_: Ids) -> None:
        if not after:
            after.extend(len(model.timings) for model in models)

    found = run(
        program,
        prompt,
        Always(lookahead),
        max_new_tokens=tokens,
        seed=seed,
        stop_ids=ends,
        on_ids=noted,
    )
    counts, first = found.statistics, found.rounds[0]
    spent = sum(
        seconds
        for model, start, end in zip(models, before, after, strict=True)
        for _, seconds in model.timings[start:end]
    )
    left = max(counts.new_tokens - len(first.emitted), 0)
    return counts, _Later(left, counts.seconds - spent if left else 0.0)
