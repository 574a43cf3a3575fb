"""The law that an entry's subject gives on the entry's own case, found by interception."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

from ...reference.models import Ids
from .cases import Case, strings
from .entry import FaultEntry

#: Seconds and paths for one entry; all stay far below.
SECONDS = 20.0
MAX_PATHS = 200_000


class GivenLawError(RuntimeError):
    """The law could not be found; the message says why."""


def given_law(entry: FaultEntry, call: Callable[..., Any] | None = None) -> dict[Any, float]:
    """The law of ``entry``'s subject, or of ``call``, on the entry's case.

    Keys are strings of ids, as in the entry's own law; values are floats, as the subject's are.

    Raises:
        GivenLawError: when a path raises, or a random call is not modelled.
    """
    call = entry.subject() if call is None else call
    case = entry.case
    found: dict[Any, float] = {}
    for mass, program in programs(entry, call):
        for blocks, number in _enumerated(case, program).items():
            for strings_, part in completed(case, blocks).items():
                key = strings_ if entry.kind == "batch_rule" else strings_[0]
                found[key] = found.get(key, 0.0) + mass * number * part
    return found


def _enumerated(case: Case, program: Callable[[], Any]) -> dict[Any, float]:
    from ..interception import BELOW_ONE, enumerate_law, run_with_coins

    if case.coin is not None:
        return {
            run_with_coins(
                program, fill=0.0 if case.coin == "lowest" else BELOW_ONE["float64"]
            ): 1.0
        }
    law = enumerate_law(program, seconds=SECONDS, max_paths=MAX_PATHS)
    if law.reason is not None:
        raise GivenLawError(law.reason)
    if law.errors:
        raise GivenLawError(
            f"raises with probability {law.error_mass:.3g}: {next(iter(law.errors))}"
        )
    return law.law


def programs(
    entry: FaultEntry, call: Callable[..., Any]
) -> Iterator[tuple[float, Callable[[], tuple[Ids, ...]]]]:
    """Programs that return one block a request, each with the probability of its drafts."""
    case = entry.case
    library = getattr(call, "array", "torch")
    options = _options(case)
    if entry.kind == "generate":
        rows = _row_functions(case, library)
        prompt = list(case.prompt)
        yield 1.0, lambda: (_ids(call(*rows, prompt, case.lookahead, case.length, **options)),)
        return
    lengths = case.lengths or (case.lookahead,)
    each = [_drafts(case, prompt, n) for prompt, n in zip(case.prompts, lengths, strict=True)]
    for drawn in itertools.product(*each):
        mass = math.prod(number for _, number in drawn)
        drafts = [ids for ids, _ in drawn]
        yield mass, lambda drafts=drafts: _call(entry, call, library, drafts, lengths, options)


def _call(
    entry: FaultEntry,
    call: Callable[..., Any],
    library: str,
    drafts: list[Ids],
    lengths: tuple[int, ...],
    options: dict[str, Any],
) -> tuple[Ids, ...]:
    case = entry.case
    requests = [_rows(case, prompt, x) for prompt, x in zip(case.prompts, drafts, strict=True)]
    longest = max(lengths)
    uniform = [1.0 / case.target.size] * case.target.size
    for (target_rows, draft_rows), n in zip(requests, lengths, strict=True):
        target_rows += [uniform] * (longest - n)
        draft_rows += [uniform] * (longest - n)
    padded = [[*x, *[-1] * (longest - len(x))] for x in drafts]
    if entry.kind == "batch_rule":
        arrays = [_array(library, [r[i] for r in requests]) for i in (0, 1)]
        ids = _array(library, padded, whole=True)
        blocks = call(*arrays, ids, _array(library, list(lengths), whole=True), **options)
        return tuple(_ids(block) for block in blocks)
    arrays = [_spoiled(case, _array(library, rows), "pq"[i]) for i, rows in enumerate(requests[0])]
    if entry.kind == "kernel":
        options = options | {"coins": _coins(call, case)}
    return (_ids(call(*arrays, _array(library, padded[0], whole=True), **options)),)


def _coins(call: Any, case: Case) -> dict[str, Any]:
    """A kernel's coins, drawn by the interception's NumPy."""
    import numpy as np

    generator = np.random.default_rng()
    sizes = {"K": case.lookahead, "K+1": case.lookahead + 1, "V": case.target.size}
    draw = {
        "uniform": generator.random,
        "exponential": generator.standard_exponential,
        "gumbel": lambda size: generator.gumbel(size=size),
    }
    return {
        name: draw[domain](tuple(sizes.get(axis, axis) for axis in shape))
        for name, shape, domain in call.coins
    }


def _drafts(case: Case, prompt: Ids, count: int) -> list[tuple[Ids, float]]:
    found: list[tuple[Ids, float]] = [((), 1.0)]
    for _ in range(count):
        found = [
            ((*ids, x), mass * float(number))
            for ids, mass in found
            for x, number in case.draft_law(prompt + ids).items()
        ]
    return found


def _rows(case: Case, prompt: Ids, drafts: Ids) -> tuple[list[list[float]], list[list[float]]]:
    size = range(case.target.size)
    after = [prompt + drafts[:j] for j in range(len(drafts) + 1)]
    target_laws = [case.target_law(ids) for ids in after]
    draft_laws = [case.draft_law(ids) for ids in after[:-1]]
    return (
        [[float(law[x]) for x in size] for law in target_laws],
        [[float(law[x]) for x in size] for law in draft_laws],
    )


def _row_functions(case: Case, library: str) -> list[Callable[[Any], Any]]:
    def rows_of(law_after: Callable[[Ids], Any]) -> Callable[[Any], Any]:
        def rows(ids: Any) -> Any:
            whole = tuple(int(token) for token in ids)
            laws = [law_after(whole[: j + 1]) for j in range(len(whole))]
            size = range(case.target.size)
            return _array(library, [[float(law[x]) for x in size] for law in laws])

        return rows

    return [rows_of(case.target_law), rows_of(case.draft_law)]


def _array(library: str, values: Any, whole: bool = False) -> Any:
    if library == "numpy":
        import numpy as np

        return np.array(values, dtype=np.int64 if whole else np.float64)
    import torch

    return torch.tensor(values, dtype=torch.int64 if whole else torch.float64)


def _spoiled(case: Case, rows: Any, which: str) -> Any:
    if case.spoiled == which:
        rows[0] = math.nan
    elif case.spoiled and case.spoiled.startswith(f"{which}["):
        rows[0][int(case.spoiled[2:-1])] = math.nan
    return rows


def _ids(block: Any) -> Ids:
    return tuple(int(token) for token in (block.tolist() if hasattr(block, "tolist") else block))


def completed(case: Case, blocks: tuple[Ids, ...]) -> dict[tuple[Ids, ...], float]:
    """``blocks``, each cut to the case's length or completed by the target, with their masses."""
    joint: dict[tuple[Ids, ...], float] = {(): 1.0}
    eos = case.options.get("eos")
    for prompt, block in zip(case.prompts, blocks, strict=True):
        cut = block[: case.length]
        rest: dict[Ids, Any] = {(): 1.0}
        if not (eos is not None and cut[-1:] == (eos,)):
            rest = strings(case, prompt + cut, case.length - len(cut), eos)
        joint = {
            (*done, cut + more): mass * float(number)
            for done, mass in joint.items()
            for more, number in rest.items()
        }
    return joint


def _options(case: Case) -> dict[str, Any]:
    options = dict(case.options)
    if name := options.get("logits_processor"):
        options["logits_processor"] = processors()[name]
    return options


def processors() -> dict[str, Callable[[Any, Any], Any]]:
    """Logits processors by the names that cases use."""
    from ..kinds.settings import Grammar, NoRepeat

    return {"grammar": Grammar(), "no-repeat": NoRepeat(), "halve-by-count": halve_by_count}


def halve_by_count(ids: Any, logits: Any) -> Any:
    """A frequency penalty: each earlier occurrence of an id halves its probability."""
    changed = logits.copy()
    for token in ids:
        changed[token] -= math.log(2.0)
    return changed
