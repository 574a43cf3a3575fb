"""The audit of a black box: all wagers together, and the report on them.

The evidence is an average. Every statistic has the same share of it; half of a statistic's share is
spread over its prompts, the other half is on the product over all prompts, which grows where each
shows a little. Within a statistic at a prompt every event has the same share. The average is a
martingale as long as the decoder is lossless and requests are independent, whatever is asked next
and whenever one stops, so that it ever reaches 1/alpha with probability alpha at most: alpha is
spent once, on everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..report import Report
from .betting import log_mean
from .cells import Cell, OneSample, TwoSample
from .laws import Due
from .lines import PLAIN, SPECULATIVE, Prompt, Sample
from .partitions import STATISTICS, WARM_UP, Statistic, known
from .power import POWER, draws_for

ALPHA = 0.01
#: The evidence is looked at again after so many more samples, and so many times as many.
AT_LEAST, STEP = 8, 1.05
#: Samples of a mode that are bet on together.
BLOCK = 2
#: A total variation for which a report foretells how many draws show it.
AHEAD = 0.05


class Laws(Protocol):
    """The laws that are due."""

    def after(self, prompt: Prompt) -> Due:
        """What is due after a prompt."""
        ...


@dataclass(frozen=True)
class Settings:
    """How a black box is audited.

    Attributes:
        alpha: the probability of calling a lossless decoder LOSSY, all told.
        slack: the total variation from the law that is due which passes for none.
        power: the probability with which what the report says would have been seen.
        ahead: the total variation for which draws are foretold.
    """

    alpha: float = ALPHA
    slack: float = 0.0
    power: float = POWER
    ahead: float = AHEAD

    def __post_init__(self) -> None:
        for name in ("alpha", "power", "ahead"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1")


class Watch:
    """Samples as they come, and the evidence so far.

    Args:
        prompts: all prompts, fixed beforehand.
        laws: the laws that are due; None to compare the two modes.
        settings: levels.

    Attributes:
        cells: what is bet on, or why nothing is, by statistic and prompt.
        seen: how many samples there were.
        most: the logarithm of the largest evidence so far.
        most_of: the same of each cell, its share of the average included.
        reached: after how many samples the evidence first reached 1/alpha; None if it never did.
    """

    def __init__(
        self, prompts: Sequence[Prompt], laws: Laws | None, settings: Settings | None = None
    ) -> None:
        if not prompts:
            raise ValueError("there are no prompts to look at")
        self.settings = settings or Settings()
        if laws is None and self.settings.slack:
            raise ValueError("a tolerance needs a law that is known; two modes are compared at 0")
        self.cells: dict[tuple[Statistic, Prompt], Cell | str] = {}
        self.seen = 0
        self.most = 0.0
        self.reached: int | None = None
        self._next_look = 1.0
        self._laws = laws
        self._by_ids: bool | None = None if laws is None else True
        self._waiting: dict[Prompt, dict[str, list[Sample]]] = {p: {} for p in prompts}
        self.most_of: dict[tuple[Statistic, Prompt], float] = {}
        for statistic in STATISTICS:
            for prompt in prompts:
                self.cells[statistic, prompt] = self._cell(statistic, prompt)
        self._bets: dict[Statistic, dict[Prompt, Cell]] = {}
        for (statistic, prompt), cell in self.cells.items():
            if not isinstance(cell, str):
                self._bets.setdefault(statistic, {})[prompt] = cell
        self.statistics = list(self._bets)
        self._of_prompt = {
            prompt: [
                cell
                for (_, where), cell in self.cells.items()
                if where == prompt and not isinstance(cell, str)
            ]
            for prompt in prompts
        }

    def _cell(self, statistic: Statistic, prompt: Prompt) -> Cell | str:
        if self._laws is None:
            return TwoSample(statistic)
        due = self._laws.after(prompt)
        partition = known(statistic, due)
        if isinstance(partition, str):
            return partition
        # Laws at a distance x give pairs of replies laws at a distance of 2x at most.
        slack = self.settings.slack * (2 if statistic.of_pairs else 1)
        return OneSample(statistic, partition, due.depth, slack)

    @property
    def is_lossy(self) -> bool:
        """Whether the evidence has reached 1/alpha at any time."""
        return self.reached is not None

    @property
    def has_bet(self) -> bool:
        """Whether anything was bet on so far."""
        return any(not isinstance(cell, str) and cell.draws for cell in self.cells.values())

    def add(self, sample: Sample) -> None:
        """Another sample, of one of the prompts.

        Samples are bet on two by two (of each mode), so that what compares two replies learns no
        more from one of them than all others do: all wagers are martingales on the same blocks.

        Raises:
            ValueError: for a reply without ids where others, or the law that is known, have ids.
        """
        if self._laws is not None and sample.mode == PLAIN:
            return  # what the plain mode gives is no evidence where its law is known
        if self._by_ids is None:
            self._by_ids = sample.by_ids
        if sample.by_ids != self._by_ids:
            raise ValueError(
                "the law that is known is one of ids, and a reply has none; leave it out, and the "
                "two modes are compared by their texts"
                if self._laws is not None
                else "some replies have ids and some have none; they cannot be mixed"
            )
        self.seen += 1
        waiting = self._waiting[sample.prompt]
        waiting.setdefault(sample.mode, []).append(sample)
        modes = (SPECULATIVE,) if self._laws is not None else (PLAIN, SPECULATIVE)
        if any(len(waiting.get(mode, ())) < BLOCK for mode in modes):
            return
        for mode in modes:
            for one in waiting[mode][:BLOCK]:
                for cell in self._of_prompt[sample.prompt]:
                    cell.add(one)
            del waiting[mode][:BLOCK]
        if self.seen >= self._next_look:
            self._next_look = max(self.seen + AT_LEAST, self.seen * STEP)
            self.look()

    def look(self) -> None:
        """Look at the evidence as it is now."""
        evidence = self.log_evidence()
        self.most = max(self.most, evidence)
        if self.reached is None and evidence >= -math.log(self.settings.alpha):
            self.reached = self.seen

    def log_evidence(self) -> float:
        """The logarithm of the average of all wagers."""
        return (
            log_mean([self._of_statistic(s) for s in self.statistics]) if self.statistics else 0.0
        )

    def _of_statistic(self, statistic: Statistic) -> float:
        logs: list[float] = []
        share = self.log_share(statistic)
        for prompt, cell in self._bets[statistic].items():
            log = cell.log_evidence()
            logs.append(log)
            key = statistic, prompt
            self.most_of[key] = max(self.most_of.get(key, -math.inf), log - share)
        if len(logs) == 1:
            return logs[0]
        return log_mean([math.inf if math.inf in logs else math.fsum(logs), log_mean(logs)])

    def log_share(self, statistic: Statistic) -> float:
        """Minus the logarithm of the share that one prompt has in the average."""
        prompts = len(self._bets[statistic])
        return math.log(len(self.statistics) * (2 * prompts if prompts > 1 else 1))

    def foretold(self, statistic: Statistic, prompt: Prompt) -> int | None:
        """The replies of each mode in which `Settings.ahead` is seen with the power asked for."""
        cell = self.cells[statistic, prompt]
        if isinstance(cell, str):
            return None
        goal = self.log_share(statistic) - math.log(self.settings.alpha)
        draws = draws_for(
            self.settings.ahead, lambda n: cell.would_see(goal, self.settings.power, n)
        )
        if statistic.of_pairs:
            return BLOCK * draws
        return draws if self._laws is not None else draws + WARM_UP


def audit_samples(
    samples: Iterable[Sample],
    laws: Laws | None = None,
    *,
    subject: str = "samples",
    settings: Settings | None = None,
    notes: Iterable[str] = (),
) -> Report:
    """Audit samples that are all there.

    Args:
        samples: in the order in which they came.
        laws: what is due; None to compare the speculative mode with the plain one.
        subject: what the report calls it.
        settings: levels.
        notes: what the report's reason says besides.

    Raises:
        ValueError: where there is nothing to compare.
    """
    from .reporting import report

    listed = list(samples)
    prompts = list(dict.fromkeys(sample.prompt for sample in listed))
    if not any(sample.mode != PLAIN for sample in listed):
        raise ValueError(f"{subject} has no samples of mode speculative")
    if laws is None and not any(sample.mode == PLAIN for sample in listed):
        raise ValueError(
            f"{subject} has no samples of mode plain to compare with, and no law is known; say "
            "which is with --due"
        )
    if len({sample.by_ids for sample in listed}) > 1:
        raise ValueError(
            f"{subject} has samples with ids and samples without; they cannot be mixed"
        )
    watch = Watch(prompts, laws, settings)
    for sample in listed:
        watch.add(sample)
    return report(watch, subject, notes)
