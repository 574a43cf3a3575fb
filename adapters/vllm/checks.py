"""What the survey of vLLM runs: subjects, each with its checks, cheap ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...audit.report import LOSSLESS, LOSSY, NOT_APPLICABLE, Result
from . import batches, engine_sampler, gpu_sampler, keys, vocabulary
from .engine_sampler import EngineSampler
from .gpu_sampler import GpuSampler
from .laws import edge_results, law_results, run_result
from .loading import Tree

#: Subjects, in the order of the table, with what they are.
SUBJECTS = {
    "standard": "GPU runner, standard rule, drafts with probabilities",
    "standard-one-hot": "GPU runner, standard rule, certain drafts (greedy drafters, n-grams)",
    "block": "GPU runner, block verification, drafts with probabilities",
    "block-one-hot": "GPU runner, block verification, certain drafts",
    "structured": "GPU runner, standard rule, drafts marked by a grammar",
    "engine": "v1 engine's RejectionSampler with its Sampler, drafts with probabilities",
    "engine-one-hot": "the same, certain drafts",
    "vocabulary": "the map between two vocabularies",
}
#: Stationary pairs of `draftproof.audit.kinds.pairs` as rows, for runs: name, p, q, horizon.
SHARED_NOISE = ("shared-noise", (0.5, 0.4, 0.1), (0.1, 0.3, 0.6))
FAIR = ("fair-coins", (0.5, 0.5), (0.75, 0.25))
CERTAIN = ("fair-coins, drafter always says 0", (0.5, 0.5), (1.0, 0.0))


@dataclass(frozen=True)
class Check:
    """One step: the subject it is of, what it is called while it runs, and how to run it."""

    subject: str
    name: str
    run: Callable[[float], list[Result]]


class Release:
    """A release with its samplers, made when they are first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._made: dict[Any, Any] = {}

    def gpu(self, block: bool, interpreter: bool = False) -> GpuSampler:
        """The GPU runner's sampler."""
        key = ("gpu", block, interpreter)
        if key not in self._made:
            self._made[key] = GpuSampler(self.tree, block=block, interpreter=interpreter)
        return self._made[key]

    def engine(self, interpreter: bool = False) -> EngineSampler:
        """The engine's sampler."""
        key = ("engine", interpreter)
        if key not in self._made:
            self._made[key] = EngineSampler(self.tree, interpreter=interpreter)
        return self._made[key]


def name_of(subject: str, tree: Tree) -> str:
    """What reports call ``subject`` of a release."""
    return f"vllm:{subject}@{tree.version}"


def checks(tree: Tree, subjects: Sequence[str], tolerance: float | None) -> Iterator[Check]:
    """The checks of some subjects of a release."""
    release = Release(tree)
    for subject in subjects:
        name = name_of(subject, tree)
        if subject == "vocabulary":
            yield Check(name, name, lambda s, n=name: _vocabulary(n, tree))
        elif subject == "structured":
            yield from _structured(release, name, tolerance)
        elif subject.startswith("engine"):
            yield from _engine(release, name, subject.endswith("one-hot"), tolerance)
        else:
            block, certain = subject.startswith("block"), subject.endswith("one-hot")
            yield from _gpu(release, name, block, certain, tolerance)


def _gpu(
    release: Release, name: str, block: bool, certain: bool, tolerance: float | None
) -> Iterator[Check]:
    def make(interpreter: bool) -> Any:
        return gpu_sampler.verifying(release.gpu(block, interpreter), certain=certain)

    yield Check(name, f"{name}, keys", lambda s: [_keys(release.gpu(block), name, certain)])
    if not certain:
        yield Check(name, f"{name}, edges", lambda s: edge_results(name, make(False), s))
    pairs = (("one-hot", 1), ("certain-draft", 2)) if certain else (("base", 1), ("fair-coins", 2))
    if not (certain or block):
        pairs = (("contexts", 1), *pairs)
    yield from (_law(name, make, pair, k, tolerance) for pair, k in pairs)
    target = CERTAIN if certain else FAIR
    yield _run(release, name, block, certain, target, 2, 3)
    if not certain:
        yield _run(release, name, block, certain, SHARED_NOISE, 1, 2)
    for check in batches.CHECKS:
        yield Check(
            name,
            f"{name}, {check}",
            lambda s, c=check: [
                _batch(name, c, batches.by_key(release.gpu(block)), certain, kind="kernel")
            ],
        )


def _engine(release: Release, name: str, certain: bool, tolerance: float | None) -> Iterator[Check]:
    def make(interpreter: bool) -> Any:
        return engine_sampler.verifying(release.engine(interpreter), certain=certain)

    if not certain:
        yield Check(name, f"{name}, edges", lambda s: edge_results(name, make(False), s))
    pairs = (("one-hot", 1), ("certain-draft", 2)) if certain else (("base", 1), ("fair-coins", 2))
    yield from (_law(name, make, pair, k, tolerance) for pair, k in pairs)
    for check in batches.CHECKS:
        if check != "padding":  # its law is right for drafts thrown away, not for none; see docs
            yield Check(
                name,
                f"{name}, {check}",
                lambda s, c=check: [
                    _batch(name, c, batches.by_row(release.engine()), certain, kind="kernel")
                ],
            )


def _structured(release: Release, name: str, tolerance: float | None) -> Iterator[Check]:
    if not gpu_sampler.marks_drafts(release.tree):
        reason = f"vllm {release.tree.version} does not mark drafts that a grammar excludes"
        yield Check(name, name, lambda s: [_not_applicable(name, "zeros", reason)])
        return

    def make(interpreter: bool) -> Any:
        return gpu_sampler.verifying(release.gpu(False, interpreter), grammar=True)

    yield _law(name, make, "zeros", 1, tolerance)


def _law(name: str, make: Any, pair: str, lookahead: int, tolerance: float | None) -> Check:
    return Check(
        name,
        f"{name}, {pair}, lookahead {lookahead}",
        lambda seconds: law_results(name, make, pair, lookahead, seconds, tolerance),
    )


def _run(
    release: Release, name: str, block: bool, certain: bool, rows: Any, lookahead: int, horizon: int
) -> Check:
    pair, target, drafter = rows

    def run(seconds: float) -> list[Result]:
        del seconds
        return [
            run_result(
                name, release.gpu(block), target, drafter,
                pair=pair, lookahead=lookahead, horizon=horizon, certain=certain,
            )
        ]  # fmt: skip

    return Check(name, f"{name}, runs on {pair}", run)


def _keys(sampler: GpuSampler, name: str, certain: bool) -> Result:
    """Whether draws that decide something share a key."""
    recorded = keys.rounds(sampler, 4, 2, certain)
    shared = list(dict.fromkeys(keys.reuse(recorded)))
    draws = sum(len(r.accepts) + len(r.drafts) + 1 for r in recorded)
    blank = Result(name, "kernel", "keys", "seeds", "run", LOSSLESS, lookahead=2)
    if not shared:
        reason = f"given structure: none of {draws} draws that decide something shares a key"
        return replace(blank, reason=reason)
    return replace(
        blank,
        verdict=LOSSY,
        reason=f"{shared[0]} ({len(shared)} such keys)",
        fault="coupled-randomness",
        fault_candidates=("coupled-randomness",),
        refutes=("run",),
    )


def _batch(name: str, check: str, verify: batches.Verify, certain: bool, kind: str) -> Result:
    """Whether requests get in a batch what they get alone."""
    problem = batches.difference(verify, check, certain)
    blank = Result(name, kind, "batches", check, "batch", LOSSLESS, lookahead=3)
    if problem is None:
        reason = f"given structure: {batches.BATCHES} batches of 4 at random coins"
        return replace(blank, reason=reason)
    return replace(
        blank, verdict=LOSSY, reason=problem, fault="position-shift",
        fault_candidates=("position-shift", "residual"), refutes=("batch",),
    )  # fmt: skip


def _vocabulary(name: str, tree: Tree) -> list[Result]:
    if not tree.has(vocabulary.MODULE):
        reason = f"vllm {tree.version} has no map between vocabularies"
        return [_not_applicable(name, vocabulary.PAIRINGS[0].name, reason)]
    return vocabulary.results(name, tree)


def _not_applicable(name: str, pair: str, reason: str) -> Result:
    return Result(name, "kernel", pair, "one-round", "next-token", NOT_APPLICABLE, reason=reason)
