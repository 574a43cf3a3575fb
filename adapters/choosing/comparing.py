"""The whole comparison, step by step: texts, figures, costs, predictions, a recommendation."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from ...reference.models import Ids
from ..decoding.pairs import make_pair
from ..huggingface.coins import TensorSampler
from ..huggingface.models import ModelError
from .checking import checked, outside_share
from .comparison import Comparison, Plan
from .continuations import Continuation, continued
from .costs import Costs, measured
from .figures import Figures
from .predictions import best_of, predictions
from .recommendation import recommended
from .shrinking import Shrinking
from .shrunk import Shrunk, shrunk
from .subject import Subject
from .visiting import visited

#: Prompts and new tokens of the short runs that tell what is outside the passes.
TRIALS, TRIAL_TOKENS = 2, 24

Say = Callable[[str], None]


def compare(
    target: Any, drafters: Sequence[Any], prompts: Sequence[str], plan: Plan, say: Say
) -> Comparison:
    """Measure every drafter with ``target`` after ``prompts``.

    Args:
        target, drafters: `draftproof.adapters.huggingface.loading.Loaded`, of different names.
        prompts: texts, at least one.
        plan: how much.
        say: told what is being done.

    Raises:
        ValueError: for a prompt without ids or beyond a context window, naming it.
    """
    names = [each.name for each in drafters]
    ends = frozenset(target.stop_ids)
    subjects: list[Subject] = []
    for name, drafter in zip(names, drafters, strict=True):
        say(f"{name}: what its tokens are to {target.name}")
        pair = make_pair(target, drafter)
        shrinking = Shrinking(pair, plan.seed) if plan.shrink else None
        rounds = _number(plan.seed, "rounds")
        subjects.append(Subject(pair, plan.most, shrinking, plan.rules, rounds))
    margin = max(subject.margin for subject in subjects)
    ids = [_ids(target, prompt, place, plan, margin) for place, prompt in enumerate(prompts, 1)]

    found: dict[tuple[int, str], list[Figures]] = {}
    subsets: dict[int, list[list[Figures]]] = {}
    texts: list[Continuation] = []
    for place, prompt in enumerate(ids):
        say(f"prompt {place + 1} of {len(ids)}: the target writes")
        text = continued(
            target.model, prompt, plan.positions, margin, _chance(plan.seed, "text", place), ends
        )
        for d, (name, subject) in enumerate(zip(names, subjects, strict=True)):
            say(f"prompt {place + 1} of {len(ids)}: {name}")
            try:
                figures, fewer = visited(subject, text, _chance(plan.seed, "drafts", place))
            except ModelError as problem:
                raise ValueError(f"prompt {place + 1}, {name}: {problem}") from problem
            for algorithm, each in figures.items():
                found.setdefault((d, algorithm), []).append(each)
            if fewer:
                subsets.setdefault(d, []).append(fewer)
        texts.append(Continuation(prompt, text.ids, (), text.positions, ends))  # laws are large
    found = {key: found[key] for key in sorted(found, key=lambda key: key[0])}

    costs = _costs(target, subjects, texts, plan, say)
    _outside(costs, subjects, names, found, ids, plan, ends, say)
    made = predictions(found, costs)
    advice = recommended(made, costs, names)
    comparison = Comparison(
        target.name,
        names,
        [_described(subject, drafter) for subject, drafter in zip(subjects, drafters, strict=True)],
        plan,
        [
            {"ids": len(text.prompt), "positions": text.positions, "prompt": prompt}
            for text, prompt in zip(texts, prompts, strict=True)
        ],
        found,
        costs,
        made,
        advice,
        _shrunk(subjects, subsets, found, costs),
        remarks=sorted({subject.remark for subject in subjects if subject.remark}),
    )
    if plan.check:
        best = advice.best
        comparison.check = checked(
            subjects[best.drafter].pair,
            best.algorithm,
            best.lookahead,
            ids,
            tokens=plan.positions,
            seed=_number(plan.seed, "check"),
            ends=ends,
            program=subjects[best.drafter].program(best.algorithm),
            step=lambda: say("running the best for real"),
        )
    return comparison


def _ids(target: Any, prompt: str, place: int, plan: Plan, margin: int) -> Ids:
    try:
        ids: Ids = tuple(target.tokenizer.prompt(prompt))
    except ValueError as problem:
        raise ValueError(f"prompt {place}: {problem}") from problem
    if not ids:
        raise ValueError(f"prompt {place} gives no ids; a model continues something")
    window = target.model.window
    needed = len(ids) + plan.positions + margin + plan.most
    if window is not None and needed > window:
        raise ValueError(
            f"prompt {place} has {len(ids)} ids; with {plan.positions} positions and what is "
            f"looked at behind them {needed} are needed, and the context window of {target.name} "
            f"is {window}: shorten it, or lower --positions"
        )
    return ids


def _costs(
    target: Any, subjects: Sequence[Subject], texts: Sequence[Continuation], plan: Plan, say: Say
) -> Costs:
    say("timing passes")
    middle = sorted(texts, key=lambda text: len(text.prompt))[len(texts) // 2]
    context = _two(middle.context(middle.positions - 1))
    return measured(
        (target.model, context),
        [
            (subject.pair.drafter, _two(subject.pair.drafter_context(context) or (0,)))
            for subject in subjects
        ],
        plan.most + 1,
        repeats=plan.repeats,
        seed=plan.seed,
    )


def _two(ids: Ids) -> Ids:
    return ids if len(ids) > 1 else ids * 2


def _outside(
    costs: Costs,
    subjects: Sequence[Subject],
    names: Sequence[str],
    found: dict[tuple[int, str], list[Figures]],
    prompts: Sequence[Ids],
    plan: Plan,
    ends: frozenset[int],
    say: Say,
) -> None:
    """Fill in what is outside the passes, at the lookahead that looks best so far."""
    inside = predictions(found, costs)
    for d, algorithm in [(None, "autoregressive"), *found]:
        say(f"short runs: {algorithm}" + ("" if d is None else f" with {names[d]}"))
        mine = [each for each in inside if (each.drafter, each.algorithm) == (d, algorithm)]
        costs.outside[d, algorithm] = outside_share(
            subjects[d or 0].program(algorithm),
            prompts[:TRIALS],
            best_of(mine).lookahead if mine else 1,
            tokens=TRIAL_TOKENS,
            seed=_number(plan.seed, "trial"),
            ends=ends,
        )


def _shrunk(
    subjects: Sequence[Subject],
    subsets: dict[int, list[list[Figures]]],
    found: dict[tuple[int, str], list[Figures]],
    costs: Costs,
) -> dict[int, Shrunk]:
    curves: dict[int, Shrunk] = {}
    for d, each in subsets.items():
        shrinking = subjects[d].shrinking
        assert shrinking is not None
        curves[d] = shrunk(shrinking.fractions, shrinking.sizes, each, found[d, "slem"], d, costs)
    return curves


def _described(subject: Subject, drafter: Any) -> dict[str, Any]:
    pair = subject.pair
    return {
        "parameters": drafter.parameters,
        "ids": pair.drafter.size,
        "target_ids": pair.target.size,
        "same_vocabulary": pair.same_vocabulary,
        "shared_ids": len(pair.intersection),
    }


def _number(seed: int, *what: object) -> int:
    """A seed of its own for each purpose."""
    return random.Random(f"{seed} {what}").getrandbits(62)


def _chance(seed: int, *what: object) -> TensorSampler:
    return TensorSampler(_number(seed, *what))
