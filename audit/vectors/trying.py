"""A subject against the vectors: which ones it passes, which it fails, which are not for it.

Subjects are those of the audit (`rule`, `generate`, `batch_rule`, `kernel`), NumPy or torch. Law
vectors are enumerated by interception; coin vectors are played, to kernels as their ``coins`` and
to rules as the numbers that their random calls give.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

from ...reference.models import Ids
from ...toymodels.models import NgramModel
from ..bank.cases import Case
from ..bank.entry import FaultEntry
from ..bank.given import completed, programs
from .files import vectors
from .playing import Alone, NoLawError, OutOfCoinsError, Player, player
from .writing import INVALID, RELAXED, VALID, Vector

#: The kinds of vectors that a callable can be tried on.
TRIED = ("law", "coin")
#: How far a float64 subject's probabilities may be from the exact ones.
WITHIN = 1e-9
#: Stands for a block without ids, which no law holds: a round emits at least one.
NO_BLOCK: Ids = (-1,)
#: The coins that a kernel must declare for coin vectors.
COINS = {"accept": (("K",), "uniform"), "final": ((1,), "uniform")}


@dataclass
class Tried:
    """What became of the vectors, by their ids.

    Attributes:
        passed: those that the subject passed.
        failed: those that it failed, with what it gave instead.
        undecided: those whose law was not found, with the reason: a random call that is not
            modelled, a path that raises, or too many paths.
    """

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)


def try_vectors(
    call: Callable[..., Any], kind: str, chosen: Iterable[Vector] | None = None
) -> Tried:
    """Try ``call``, a subject of ``kind``, on the vectors ``chosen``, all unless given.

    Vectors that a subject of its kind and signature cannot be given are in no list.
    """
    wanted = list(chosen) if chosen is not None else [v for k in TRIED for v in vectors(k)]
    found = Tried()

    def note(vector: Vector, complaint: str | None) -> None:
        if complaint is None:
            found.passed.append(vector.id)
        else:
            found.failed[vector.id] = complaint

    coins = [v for v in wanted if "coins" in v.given]
    laws = [v for v in wanted if "coins" not in v.given and v.result != INVALID]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rows of NaN, which are tried on purpose
        with player(call) if _is_numpy(call) else nullcontext(Alone()) as under:
            for vector in laws:
                if not is_for(call, kind, vector):
                    continue
                try:
                    note(vector, _law(under, call, kind, vector))
                except NoLawError as problem:
                    found.undecided[vector.id] = str(problem)
        if kind == "kernel" and takes_coins(call):
            for vector in coins:
                note(vector, _complaint(vector, lambda v=vector: _kernel(call, v)))
        elif kind == "rule" and coins:
            with player(call) as under:
                for vector, complaint in _played(under, call, coins):
                    note(vector, complaint)
    return found


def _is_numpy(call: Any) -> bool:
    """Whether the subject takes NumPy arrays; torch tensors otherwise."""
    return getattr(call, "array", "torch") == "numpy"


def is_for(call: Callable[..., Any], kind: str, vector: Vector) -> bool:
    """Whether a law vector can be given to a subject of this kind and signature."""
    given = vector.given
    if given.get("rule"):
        return kind == "rule"
    if kind == "kernel" and not _is_numpy(call):
        return False  # its coins would be undrawn tensors
    named = set(inspect.signature(call).parameters)
    needed = set(given["request"])
    several = len(given["prompts"]) > 1
    return needed <= named and several == (kind == "batch_rule")


def takes_coins(call: Any) -> bool:
    """Whether a kernel declares the coins that coin vectors give."""
    declared = {name: (tuple(shape), domain) for name, shape, domain in getattr(call, "coins", ())}
    return declared == COINS


# ---- laws ---------------------------------------------------------------------------------------


def _law(under: Player | Alone, call: Callable[..., Any], kind: str, vector: Vector) -> str | None:
    """What is wrong with the law that ``call`` gives; None when it is the one expected.

    Raises:
        NoLawError: when there is no telling.
    """
    expected = vector.expect["due" if vector.result == RELAXED else "law"]
    due = {_ids(each["ids"]): each["probability"]["float"] for each in expected}
    if vector.given.get("rule"):
        found = under.law(lambda: _block(call(*_arrays(call, vector.given))))
    else:
        found = _completed_law(under, call, kind, case_of(vector.given))
    outcomes = sorted({*due, *found})
    worst = max(outcomes, key=lambda ids: abs(due.get(ids, 0.0) - found.get(ids, 0.0)))
    if abs(due.get(worst, 0.0) - found.get(worst, 0.0)) <= WITHIN:
        return None
    said = f"{list(worst)} has {found.get(worst, 0.0):.6g}, {due.get(worst, 0.0):.6g} is due"
    return f"{said} (a block is never empty)" if worst == NO_BLOCK else said


def _completed_law(
    under: Player | Alone, call: Callable[..., Any], kind: str, case: Case
) -> dict[Any, float]:
    """The law over drafts and coins of strings of the case's length."""
    found: dict[Any, float] = {}
    stand_in = cast("FaultEntry", SimpleNamespace(kind=kind, case=case))
    for mass, program in programs(stand_in, call):
        for blocks, number in under.law(program).items():
            if not all(blocks):  # completed, nothing at all would have the law due
                empty = tuple(block or NO_BLOCK for block in blocks)
                key = empty if kind == "batch_rule" else empty[0]
                found[key] = found.get(key, 0.0) + mass * number
                continue
            for strings, part in completed(case, blocks).items():
                key = strings if kind == "batch_rule" else strings[0]
                found[key] = found.get(key, 0.0) + mass * number * part
    return found


def case_of(given: Mapping[str, Any]) -> Case:
    """The case that a law vector describes."""
    several = len(given["prompts"]) > 1
    return Case(
        _model(given["target"]),
        _model(given["drafter"]),
        lookahead=max(given["lookaheads"]),
        prompts=tuple(tuple(prompt) for prompt in given["prompts"]),
        lengths=tuple(given["lookaheads"]) if several else (),
        length=given["length"],
        options={
            name: value["float"] if isinstance(value, dict) else value
            for name, value in given["request"].items()
        },
    )


def _model(described: Mapping[str, Any]) -> NgramModel:
    tables = {
        tuple(each["suffix"]): [Fraction(value) for value in each["law"]["exact"]]
        for each in described["after"]
    }
    order = max(map(len, tables)) + 1
    return NgramModel(described["vocabulary"], order, tables)


def _ids(ids: Sequence[Any]) -> Any:
    return tuple(tuple(part) if isinstance(part, list) else part for part in ids)


# ---- coins --------------------------------------------------------------------------------------


def _played(
    under: Player, call: Callable[..., Any], chosen: Sequence[Vector]
) -> Iterator[tuple[Vector, str | None]]:
    """A rule on coin vectors: its draws get the coins, in the better one of two orders.

    Either each accept coin when it is looked at, then the final one; or all accept coins first.
    """

    def once(vector: Vector, all_first: bool) -> str | None:
        def run() -> Ids:
            return _block(call(*_arrays(call, vector.given)))

        return _complaint(vector, lambda: under.play(_tape(vector, all_first), run))

    orders: list[list[tuple[Vector, str | None]]] = []
    for all_first in (False, True):
        orders.append([(vector, once(vector, all_first)) for vector in chosen])
        if all(complaint is None for _, complaint in orders[-1]):
            break
    yield from min(orders, key=lambda tried: sum(complaint is not None for _, complaint in tried))


def _tape(vector: Vector, all_first: bool) -> list[float]:
    coins = vector.given["coins"]
    accept = [coin["float"] for coin in coins["accept"]]
    if not all_first and vector.result == VALID and vector.expect["final"] == "residual":
        accept = accept[: vector.expect["accepted"] + 1]
    return [*accept, coins["final"]["float"]]


def _kernel(call: Callable[..., Any], vector: Vector) -> Ids:
    import numpy as np

    coins = vector.given["coins"]
    given = {
        "accept": _own(call, np.array([coin["float"] for coin in coins["accept"]])),
        "final": _own(call, np.array([coins["final"]["float"]])),
    }
    return _block(call(*_arrays(call, vector.given), given))


def _complaint(vector: Vector, run: Callable[[], Ids]) -> str | None:
    """What is wrong with the ids that ``run`` returns; None when they are those expected."""
    try:
        ids = run()
    except OutOfCoinsError:
        return "it asks for more coins than there are"
    except Exception as raised:  # whatever the subject raises is its answer
        if vector.result == INVALID:
            return None
        return f"it raises {type(raised).__name__}: {' '.join(str(raised).split())[:100]}"
    if vector.result == INVALID:
        return f"it answers {list(ids)}, where {vector.expect['refused']}"
    due = tuple(vector.expect["ids"])
    return None if ids == due else f"it gives {list(ids)}, {list(due)} is due"


def _arrays(call: Any, given: Mapping[str, Any]) -> list[Any]:
    """The rows and drafts as arrays of the subject's library; null is NaN."""
    import numpy as np

    size = given["vocabulary"]
    target, draft = (
        np.array([_floats(row) for row in given[name]], dtype=np.float64).reshape(-1, size)
        for name in ("target_rows", "draft_rows")
    )
    drafts = np.array(given["drafts"], dtype=np.int64)
    return [_own(call, each) for each in (target, draft, drafts)]


def _own(call: Any, array: Any) -> Any:
    """A NumPy array as an array of the subject's library."""
    if _is_numpy(call):
        return array
    import torch

    return torch.from_numpy(array)


def _floats(row: Mapping[str, Any]) -> list[float]:
    return [float("nan") if value is None else value for value in row["float"]]


def _block(block: Any) -> Ids:
    return tuple(int(token) for token in (block.tolist() if hasattr(block, "tolist") else block))
